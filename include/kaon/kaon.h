/* SPDX-FileCopyrightText: The kaon authors
 * SPDX-License-Identifier: MIT */
#ifndef KAON_H
#define KAON_H

/* kaon for C99 and for every language that calls C: link libkaon. docs/c.md is the guide; the C++ classes of the same
 * names are described in the other headers of this folder.
 *
 * - Every function returns a status but `kaon_..._init`, `kaon_X_destroy`, `kaon_version`, `kaon_status_name` and
 *   `kaon_last_error`. Unless it is KAON_OK, `kaon_last_error()` is a sentence that says what is wrong, with
 *   which values, and what to do. No function throws or ends the program; MPI's own fatal errors may end it.
 * - Functions that make handles set their last argument, a `kaon_X**`, to NULL where they fail. `kaon_X_destroy` frees
 *   a handle and sets it to NULL. Handles share what they need, and may be destroyed in any order.
 * - Structures start with their size, which `kaon_..._init` sets together with the defaults. New fields are added at
 *   the end. If options may be NULL, NULL means the defaults. Options that are set, but that an action or a method
 *   does not have, are refused: KAON_INVALID.
 * - After a change of links, calls refuse the operators and solvers that share them, because these hold parts of the
 *   old links: make the operators again, and the solvers again or by kaon_solver_update.
 * - Functions that a call calls, `on_iteration` and logs, may call kaon. They may read handles that the call reads, but
 *   they must not change any handle that the call uses, nor the links of its operators and solvers: KAON_INVALID. If
 *   they destroy such a handle, its memory is freed when the call returns.
 * - Directions are 0 to 3: x, y, z, t. Sites are global coordinates; arrays hold the sites of the calling process.
 * - "Collective" functions must be called by all processes of a lattice with the same arguments. Arrays, names of files
 *   and optional results may differ. If the calls, their numbers, their options, or the shapes and origins of their
 *   handles differ, or if a handle is NULL on one process, all processes refuse: KAON_INVALID.
 * - kaon is called by one thread at a time; `kaon_last_error` has a text for each thread. Calls in a parallel region
 *   of OpenMP are refused: KAON_INVALID.
 *
 * Topics, in this order, each under a line of dashes with its name: Start and stop; Lattice; Arrays of the caller;
 * Links; Spinor fields; Operators; Links of improved staggered operators; Eigenvectors; Solvers; Solvers of several
 * systems at once; Hybrid Monte Carlo; Momenta and forces by themselves; Propagators; Predictions. */

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define KAON_API __attribute__((visibility("default")))
#else
#define KAON_API
#endif

/* Enumerations hold any int, in C++ as in C: calls refuse numbers that are not listed. */
#ifdef __cplusplus
#define KAON_ENUM : int
#else
#define KAON_ENUM
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum KAON_ENUM {
  KAON_OK = 0,
  KAON_INVALID = 1,       /* an argument has a value that is not allowed */
  KAON_UNSUPPORTED = 2,   /* this build of kaon does not support the call */
  KAON_FILE = 3,          /* a file cannot be read or written, or is not what it should be */
  KAON_NOT_CONVERGED = 4, /* a solver has done what it could; the reports say how far it came */
  KAON_MEMORY = 5,
  KAON_INTERNAL = 6, /* an error of kaon: please report it */
  KAON_STOPPED = 7   /* on_iteration ended a solve; the reports say how far it came */
} kaon_status;

KAON_API const char* kaon_version(void);
/* The last error of the calling thread; "" before the first. Valid until the thread's next error. */
KAON_API const char* kaon_last_error(void);
/* "KAON_OK", ... */
KAON_API const char* kaon_status_name(kaon_status status);

/* --- Start and stop --- */

typedef struct {
  size_t size;
  int* argc; /* argc of main: MPI and Kokkos remove their arguments from it; NULL: no arguments */
  char*** argv;
} kaon_start_options;

KAON_API void kaon_start_options_init(kaon_start_options* options);
/* Starts MPI, if a launcher of parallel programs has started this one, and Kokkos; joins them where they run already.
 * May be called several times; the first call counts. Options may be NULL. Collective over all processes. */
KAON_API kaon_status kaon_start(const kaon_start_options* options);
/* Undoes one kaon_start. After the last kaon_stop, and after the last handle has been destroyed, everything that kaon
 * started is stopped; it cannot be started again in the same program. */
KAON_API kaon_status kaon_stop(void);
/* Reports that this process cannot continue, for example after an exception of its language. If all processes call it,
 * it returns. If they do not within about a second, it ends all processes with this exit code, because they would wait
 * for this one forever. */
KAON_API kaon_status kaon_fail(const char* message, int exit_code);

enum { KAON_NOTICE = 0, KAON_WARNING = 1 };
typedef void (*kaon_log)(int kind, const char* text, void* context);
/* Sets the receiver of notices and warnings. With NULL, the default, they are lines on standard error. */
KAON_API kaon_status kaon_set_log(kaon_log log, void* context);

typedef struct {
  size_t size;
  const char *commit, *compiler, *kokkos, *message_passing, *instruction_set; /* of this library; valid forever */
  const char *execution_space, *device;                                       /* where kernels run; device: by name */
  int double_lanes, single_lanes;                                             /* of vectors */
  int host_threads, processes;                                                /* of the run */
} kaon_run_info;
KAON_API void kaon_run_info_init(kaon_run_info* info);
/* Returns how kaon was built and on what hardware it runs. */
KAON_API kaon_status kaon_run_get(kaon_run_info* info);

/* --- Lattice --- */

typedef struct kaon_lattice kaon_lattice;

typedef struct {
  size_t size;
  int extents[4];       /* even numbers of sites of the whole lattice */
  int grid[4];          /* processes in each direction; zeros: chosen */
  const int* ranks;     /* rank at each place of the grid, x fastest; NULL: 0, 1, 2, ... */
  int use_communicator; /* 0: all processes of the run; 1: those of `communicator` */
  int communicator;     /* a Fortran handle, MPI_Comm_c2f(comm) */
  int reach;            /* sites that hops go: 3 for KAON_ASQTAD and KAON_HISQ; 0: 1 */
} kaon_lattice_options;

typedef struct {
  size_t size;
  int extents[4];
  int local_extents[4]; /* of this process */
  int origin[4];        /* global coordinates of its first site */
  int grid[4];
  int partitioned[4]; /* 1 where the neighbours of some sites are on other processes */
  int rank, processes;
} kaon_lattice_info;

KAON_API void kaon_lattice_options_init(kaon_lattice_options* options);
KAON_API void kaon_lattice_info_init(kaon_lattice_info* info);
/* Collective. */
KAON_API kaon_status kaon_lattice_create(const kaon_lattice_options* options, kaon_lattice** lattice);
/* Returns the extents, and the part of this process, in a structure that kaon_lattice_info_init has prepared. */
KAON_API kaon_status kaon_lattice_get(const kaon_lattice* lattice, kaon_lattice_info* info);
/* Adds up each of `count` numbers over the processes, in place, in the order of their ranks. Collective. */
KAON_API kaon_status kaon_lattice_sum(const kaon_lattice* lattice, size_t count, double* values);
/* Compares a call of a program's own, its name and its arguments in words, over the processes of the lattice, or over
 * all processes if that is NULL; they refuse calls that differ. A process that cannot make its next collective call
 * passes the reason as the name, and all others refuse theirs. Collective. */
KAON_API kaon_status kaon_lattice_compare(const kaon_lattice* lattice, const char* call, const char* arguments);
KAON_API void kaon_lattice_destroy(kaon_lattice** lattice);

/* --- Arrays of the caller --- */

enum { KAON_COMPLEX128 = 0, KAON_COMPLEX64 = 1 };
/* Order of the sites of a process. Even-odd: even sites first, each parity in the order of half of the lexicographic
 * number, x fastest. */
enum { KAON_LEXICOGRAPHIC = 0, KAON_EVEN_ODD = 1, KAON_ODD_EVEN = 2 };
/* Order within a site. Packed clover terms are 2 x {6 diagonal elements as reals, 15 complex elements below the
 * diagonal, column by column}; full ones [chirality][row][column]. */
enum {
  KAON_STANDARD_ORDER = 0, /* the one named first for each field below */
  KAON_SPIN_COLOR = 1,
  KAON_COLOR_SPIN = 2,
  KAON_ROW_COLUMN = 3,
  KAON_COLUMN_ROW = 4,
  KAON_FULL_CLOVER = 5,
  KAON_PACKED_CLOVER = 6
};
enum { KAON_ANYWHERE = 0, KAON_HOST = 1, KAON_DEVICE = 2 };

typedef struct {
  size_t size;
  void* data;                         /* of the first site; only read by functions that set fields */
  void* parts[4];                     /* links: an array for each direction, instead of data */
  int element, sites, inside, memory; /* of the lists above */
  ptrdiff_t site_bytes;               /* from a site to the next; 0: nothing lies between them */
} kaon_array;

KAON_API void kaon_array_init(kaon_array* array);

/* --- Links --- */

typedef enum KAON_ENUM { KAON_DOUBLE = 0, KAON_SINGLE = 1 } kaon_precision;
typedef struct kaon_gauge kaon_gauge;

/* All links zero: operators are refused until links are set or started. */
KAON_API kaon_status kaon_gauge_create(const kaon_lattice* lattice, kaon_precision precision, kaon_gauge** gauge);
typedef struct {
  size_t size;
  int ignore_stated_plaquette; /* 1: accept links whose checksum is right in spite of another plaquette or link trace in
                                * the file; a warning reports it */
} kaon_read_options;
KAON_API void kaon_read_options_init(kaon_read_options* options);
/* Reads and verifies a file of any known format. The lattice is made of the file's extents and the other options. All
 * options may be NULL; `lattice` may be NULL, too. Collective. */
KAON_API kaon_status kaon_gauge_read(const char* path, const kaon_lattice_options* options,
                                     const kaon_read_options* reading, kaon_precision precision, kaon_lattice** lattice,
                                     kaon_gauge** gauge);

typedef enum KAON_ENUM {
  KAON_ILDG = 0,
  KAON_NERSC = 1,
  KAON_SCIDAC = 2,
  KAON_GRID = 3,   /* SciDAC as Grid reads it */
  KAON_PYQUDA = 4, /* HDF5 of PyQUDA */
  KAON_QDPXX = 5   /* HDF5 of QDP++ */
} kaon_file_format;
typedef struct {
  size_t size;
  int format; /* kaon_file_format */
  int bits;   /* of a real number: 64 or 32 */
} kaon_file_options;
/* ILDG, 64 bits. */
KAON_API void kaon_file_options_init(kaon_file_options* options);
/* Collective. Options may be NULL. */
KAON_API kaon_status kaon_gauge_write(const kaon_gauge* gauge, const char* path, const kaon_file_options* options);

/* Copies links from and to an array: [mu][row][column] at each site, or [row][column] in each of four parts. Operators
 * share their links: after a change of these they are refused, and so are their solvers until an update. */
KAON_API kaon_status kaon_gauge_set(kaon_gauge* gauge, const kaon_array* array);
KAON_API kaon_status kaon_gauge_get(const kaon_gauge* gauge, const kaon_array* array);

typedef enum KAON_ENUM {
  KAON_COLD = 0, /* unit links */
  KAON_HOT = 1,  /* random in SU(3) */
  KAON_WEAK = 2  /* near the unit, by noise of this width */
} kaon_start_kind;
/* Collective. */
KAON_API kaon_status kaon_gauge_start(kaon_gauge* gauge, kaon_start_kind kind, uint64_t seed, double width);

typedef struct {
  size_t size;
  double beta;         /* of Wilson's action */
  int overrelaxations; /* sweeps */
  uint64_t seed;
  uint32_t update; /* every update of a run has its own number: two of one number have the same random numbers */
} kaon_heatbath_options;
/* beta 6, 4 overrelaxations, seed 0, update 0. */
KAON_API void kaon_heatbath_options_init(kaon_heatbath_options* options);
/* A heatbath sweep and some of overrelaxation, of links in double. Collective. */
KAON_API kaon_status kaon_gauge_heatbath(kaon_gauge* gauge, const kaon_heatbath_options* options);
/* Average, spatial and temporal plaquette, 1 for unit links. Collective. */
KAON_API kaon_status kaon_gauge_plaquette(const kaon_gauge* gauge, double plaquette[3]);
/* (1/3) Tr of the product of links around the lattice in a direction, averaged over the other sites, as {re, im}: 1 for
 * unit links, and the Polyakov loop for direction 3. Collective. */
KAON_API kaon_status kaon_gauge_polyakov_loop(const kaon_gauge* gauge, int direction, double loop[2]);
/* Energy density, its parts of spatial and of temporal planes, and topological charge, all of clover leaves.
 * Collective. */
KAON_API kaon_status kaon_gauge_energy(const kaon_gauge* gauge, double energy[3], double* charge);

typedef enum KAON_ENUM { KAON_STOUT = 0, KAON_APE = 1, KAON_HYP = 2 } kaon_smearing;
typedef struct {
  size_t size;
  int method; /* kaon_smearing */
  int steps;
  int omitted;                      /* direction that is left out: 3 smears in space; -1: none */
  double rho;                       /* KAON_STOUT */
  double epsilon;                   /* KAON_STOUT: over-improved, with rectangles; 1: plaquettes alone */
  double alpha;                     /* KAON_APE */
  double alpha_1, alpha_2, alpha_3; /* KAON_HYP: of the last, the second and the first level */
  double anisotropy;                /* KAON_STOUT, KAON_APE: a_s/a_t, whose square staples in time have as a weight */
} kaon_smear_options;
/* A step of stout smearing in all directions: rho 0.1, epsilon 1; alpha 0.5; alpha_1 0.75, alpha_2 0.6, alpha_3 0.3;
 * anisotropy 1. Coefficients of other methods remain as they are. */
KAON_API void kaon_smear_options_init(kaon_smear_options* options);
/* Smeared links as a handle of their own, of links in double. Options may be NULL. Collective. */
KAON_API kaon_status kaon_gauge_smear(const kaon_gauge* gauge, const kaon_smear_options* options, kaon_gauge** smeared);

typedef enum KAON_ENUM { KAON_WILSON_FLOW = 0, KAON_SYMANZIK_FLOW = 1 } kaon_flow;
typedef struct {
  size_t size;
  int action; /* kaon_flow */
  int steps;
  double step;       /* of the flow time, in units of a^2, a_s^2 on anisotropic lattices */
  double anisotropy; /* a_s/a_t */
} kaon_flow_options;
/* A step of 0.01 of the Wilson flow, anisotropy 1. */
KAON_API void kaon_flow_options_init(kaon_flow_options* options);
/* Links after so many steps of the gradient flow, as a handle of their own, of links in double. Options may be NULL.
 * Collective. */
KAON_API kaon_status kaon_gauge_flow(const kaon_gauge* gauge, const kaon_flow_options* options, kaon_gauge** flowed);

typedef enum KAON_ENUM { KAON_LANDAU = 0, KAON_COULOMB = 1 } kaon_gauge_condition;
typedef struct {
  size_t size;
  int condition; /* kaon_gauge_condition */
  int max_iterations;
  double tolerance;  /* on theta, in Coulomb gauge of each time slice */
  double relaxation; /* from 1 to below 2 */
} kaon_gauge_fix_options;
/* Landau, 10000 iterations, tolerance 1e-14, relaxation 1.7. */
KAON_API void kaon_gauge_fix_options_init(kaon_gauge_fix_options* options);
/* F and theta of docs/conventions.md, and the iterations that it took. */
typedef struct {
  int converged;
  int iterations;
  double functional;
  double theta;
  double largest_theta; /* Coulomb gauge: of the worst time slice; Landau gauge: theta */
  double unused[3];     /* zeros */
} kaon_gauge_fix_report;
/* Links in Landau or Coulomb gauge as a handle of their own, of links in double. KAON_NOT_CONVERGED if theta is
 * above the tolerance after the last iteration: `fixed` then has the last links. Options and report may be NULL.
 * Collective. */
KAON_API kaon_status kaon_gauge_fix(const kaon_gauge* gauge, const kaon_gauge_fix_options* options, kaon_gauge** fixed,
                                    kaon_gauge_fix_report* report);
KAON_API void kaon_gauge_destroy(kaon_gauge** gauge);

/* --- Spinor fields --- */

typedef struct kaon_spinor kaon_spinor;

typedef struct {
  size_t size;
  int precision; /* kaon_precision */
  int spins;     /* 4; 1 for staggered fermions */
  int colors;
  int right_hand_sides; /* fields in one; 12 for a propagator, 3 for a staggered one */
  int slices;           /* L_s of domain wall quarks in five dimensions; 2, the flavours, of twisted doublets */
} kaon_spinor_options;
/* Double precision, 4 spins, 3 colours, one right-hand side, one slice. */
KAON_API void kaon_spinor_options_init(kaon_spinor_options* options);
/* All zero. Options may be NULL. */
KAON_API kaon_status kaon_spinor_create(const kaon_lattice* lattice, const kaon_spinor_options* options,
                                        kaon_spinor** spinor);
/* Returns the options that create such a field. `size` is set before, by kaon_spinor_options_init. */
KAON_API kaon_status kaon_spinor_get_options(const kaon_spinor* spinor, kaon_spinor_options* options);
/* Copies a right-hand side from and to an array, [spin][colour] at each site, in the DeGrand-Rossi basis; slices are
 * consecutive. */
KAON_API kaon_status kaon_spinor_set(kaon_spinor* spinor, int right_hand_side, const kaon_array* array);
KAON_API kaon_status kaon_spinor_get(const kaon_spinor* spinor, int right_hand_side, const kaon_array* array);

typedef enum KAON_ENUM {
  KAON_POINT_SOURCES = 0,  /* right-hand side colours * s + c is 1 at the site in spin s and colour c: a propagator */
  KAON_POINT_SOURCE = 1,   /* one right-hand side, one spin and colour */
  KAON_Z2_WALL_SOURCE = 2, /* noise on the time slice site[3], spins and colours apart */
  KAON_GAUSSIAN_NOISE = 3, /* numbers of mean 0 and mean square 1 everywhere, of fields with slices, too */
  /* Uniform walls are 1 in spin s and colour c of right-hand side colours * s + c, for gauge-fixed links: */
  KAON_WALL_SOURCES = 4,       /* on the whole time slice site[3] */
  KAON_EVEN_WALL_SOURCES = 5,  /* where x + y + z + t is even */
  KAON_CORNER_WALL_SOURCES = 6 /* where x, y and z are even */
} kaon_source_kind;
typedef struct {
  size_t size;
  int kind;
  int site[4];
  int spin, color;
  uint64_t seed;
} kaon_source_options;
/* KAON_POINT_SOURCES at the origin; seed 0. */
KAON_API void kaon_source_options_init(kaon_source_options* options);
/* Collective. */
KAON_API kaon_status kaon_spinor_source(kaon_spinor* spinor, const kaon_source_options* options);

typedef struct {
  size_t size;
  double width; /* w, in lattice units */
  int steps;    /* N */
} kaon_quark_smear_options;
/* Sets neither width nor steps: the caller must set both. */
KAON_API void kaon_quark_smear_options_init(kaon_quark_smear_options* options);
/* Gaussian smearing with links of the same precision, of all right-hand sides: N times
 * psi <- psi + w^2/(4N) (H - 6) psi, H the sum of the six spatial covariant hops. Collective. */
KAON_API kaon_status kaon_spinor_smear(kaon_spinor* spinor, const kaon_gauge* gauge,
                                       const kaon_quark_smear_options* options);
/* |psi|^2 of each right-hand side. Collective. */
KAON_API kaon_status kaon_spinor_norm2(const kaon_spinor* spinor, double* each_right_hand_side);
KAON_API void kaon_spinor_destroy(kaon_spinor** spinor);

/* --- Operators --- */

typedef struct kaon_operator kaon_operator;

typedef enum KAON_ENUM {
  KAON_WILSON = 0,
  KAON_WILSON_CLOVER = 1,
  KAON_TWISTED_MASS = 2,
  KAON_TWISTED_CLOVER = 3,
  KAON_STAGGERED = 4,       /* naive: 2 m + D */
  KAON_ASQTAD = 5,          /* 2 m + D with fat and long links, made of the given ones, which are in double */
  KAON_HISQ = 6,            /* the same with smeared links in U(3) between; on lattices of reach 3 */
  KAON_DOMAIN_WALL = 7,     /* Shamir, Borici, Moebius; M = D B^-1 on fields with slices */
  KAON_TWISTED_DOUBLET = 8, /* M_W + i mu g5 tau3 - epsilon tau1 on fields of two slices, the flavours */
  KAON_TWISTED_CLOVER_DOUBLET = 9,
  KAON_EXPONENTIAL_CLOVER = 10 /* the site term of KAON_WILSON_CLOVER as an exponential; without hybrid Monte Carlo */
} kaon_action;

typedef struct {
  size_t size;
  int action;          /* kaon_action */
  double mass, kappa;  /* set one of them; the other is NaN. m = 1/(2 kappa) - 4; staggered operators have a mass */
  double mu;           /* twisted mass */
  double csw;          /* clover; NaN: 1 */
  double csw_temporal; /* clover: of planes with t; NaN: csw */
  double xi0, nu;      /* anisotropy, of all except staggered operators */
  double boundary[4];  /* angles: psi(x + L) = exp(i angle) psi(x); INFINITY: Dirichlet, no hop leads over this edge */
  double u0;           /* asqtad: the tadpole factor; NaN: not set */
  double naik_epsilon; /* HISQ */
  double m5;           /* domain wall: the height M5 */
  int slices;          /* domain wall: L_s */
  double b, c;         /* domain wall: of Moebius; 1 and 0: Shamir */
  double epsilon;      /* twisted doublet: its splitting */
  const double *b_of_slices, *c_of_slices; /* domain wall: NULL, or L_s complex numbers instead of b, of c: z-Moebius */
  double lower_mass; /* domain wall: the mass of the lower chirality alone, as for exact one flavours; NaN: the mass */
} kaon_operator_options;
/* Wilson, neither mass nor csw, isotropic, periodic in space and antiperiodic in time; M5 1.8, 16 slices, b 1, c 0. */
KAON_API void kaon_operator_options_init(kaon_operator_options* options);
/* M of docs/conventions.md, in the precision of the links. Options of other actions are refused: csw with KAON_WILSON
 * or kappa with KAON_STAGGERED, for example. The operator shares the links, except for KAON_ASQTAD and KAON_HISQ: it is
 * refused once they have changed. Collective. */
KAON_API kaon_status kaon_operator_create(const kaon_gauge* gauge, const kaon_operator_options* options,
                                          kaon_operator** dirac);
/* Wilson-clover with a whole site term, mass included, of another code; `inverse` may be NULL. Blocks that are not
 * Hermitian, to 1e-5 of their largest number, are refused; without `inverse`, singular blocks are, too. The options are
 * anisotropy and boundary. Collective. */
KAON_API kaon_status kaon_operator_create_clover(const kaon_gauge* gauge, const kaon_array* term,
                                                 const kaon_array* inverse, const kaon_operator_options* options,
                                                 kaon_operator** dirac);
/* M = 2 m + D of fat and long links, as kaon_gauge_smear_links makes them or another code: in double, without phases,
 * on a lattice of reach 3. Long links that are one number times matrices in U(3) may be compressed, and remain as they
 * are otherwise. The options are mass and boundary. Collective. */
KAON_API kaon_status kaon_operator_create_improved(const kaon_gauge* fat, const kaon_gauge* long_links,
                                                   const kaon_operator_options* options, kaon_operator** dirac);
/* The site term of a Wilson-clover operator, or its inverse. */
KAON_API kaon_status kaon_operator_get_clover(const kaon_operator* dirac, int inverse, const kaon_array* array);

typedef enum KAON_ENUM { KAON_M = 0, KAON_M_DAGGER = 1, KAON_M_DAGGER_M = 2 } kaon_form;
/* out = M in, for all right-hand sides; fields in the precision of the operator. Collective. */
KAON_API kaon_status kaon_operator_apply(const kaon_operator* dirac, kaon_form form, kaon_spinor* out,
                                         const kaon_spinor* in);
/* |b - M x| / |b| (|b - M x| where b is 0) and sqrt(mean over sites of |b - M x|^2 / |x|^2), the heavy-quark residual,
 * of each right-hand side; either may be NULL. Collective. */
KAON_API kaon_status kaon_operator_residual(const kaon_operator* dirac, const kaon_spinor* x, const kaon_spinor* b,
                                            double* relative, double* heavy_quark);
/* out = B in or, with `inverse`, B^-1 in, with `dagger` their adjoints, of domain wall quarks: D = M B, so that D psi =
 * b has the solution psi = B^-1 x, M x = b. `out` may be `in`. Collective. */
KAON_API kaon_status kaon_operator_apply_b(const kaon_operator* dirac, int inverse, int dagger, kaon_spinor* out,
                                           const kaon_spinor* in);
KAON_API void kaon_operator_destroy(kaon_operator** dirac);

typedef enum KAON_ENUM { KAON_EVEN = 0, KAON_ODD = 1 } kaon_parity;
typedef enum KAON_ENUM { KAON_SYMMETRIC = 0, KAON_ASYMMETRIC = 1 } kaon_schur_form;
typedef struct {
  size_t size;
  int form;   /* kaon_schur_form: S = 1 - A_p^-1 K_pq A_q^-1 K_qp or A_p - K_pq A_q^-1 K_qp of M = A - K */
  int parity; /* kaon_parity p, on which S acts; q is the other */
} kaon_schur_options;
/* The symmetric Schur complement on even sites. */
KAON_API void kaon_schur_options_init(kaon_schur_options* options);
/* Like kaon_operator_apply with the Schur complement S of the operator in place of M: out = S in on sites of its
 * parity, and zero on the others; what `in`, another field, holds there is not read. Options may be NULL. Collective.
 */
KAON_API kaon_status kaon_operator_apply_schur(const kaon_operator* dirac, const kaon_schur_options* options,
                                               kaon_form form, kaon_spinor* out, const kaon_spinor* in);

/* --- Links of improved staggered operators --- */

typedef struct {
  size_t size;
  int action;          /* KAON_ASQTAD or KAON_HISQ */
  double u0;           /* asqtad: the tadpole factor; NaN: not set */
  double naik_epsilon; /* HISQ */
} kaon_link_smear_options;
/* HISQ. */
KAON_API void kaon_link_smear_options_init(kaon_link_smear_options* options);
/* Fat and long links of thin ones, which are in double: new handles on their lattice. A third link is the
 * product of three links, from x to x + 3 mu; a long link is a third link times its weight. Options may be
 * NULL. Collective. */
KAON_API kaon_status kaon_gauge_smear_links(const kaon_gauge* thin, const kaon_link_smear_options* options,
                                            kaon_gauge** fat, kaon_gauge** long_links);
/* Fat and long links of HISQ for `count` Naik epsilons, at the cost of one: fat[i] and long_links[i] are those of
 * naik_epsilons[i]. The arrays have room for `count` handles each, and hold only NULL if the call fails.
 * Collective. */
KAON_API kaon_status kaon_gauge_smear_hisq_links(const kaon_gauge* thin, int count, const double* naik_epsilons,
                                                 kaon_gauge** fat, kaon_gauge** long_links);
/* Multiplies links of so many steps, 1, or 3 for long ones, by MILC's phases, and by -1 where they lead over the edge
 * of the lattice in time unless `antiperiodic` is 0. Links of MILC and QUDA hold these signs, kaon's do not: the call
 * changes one into the other, both ways. Collective. */
KAON_API kaon_status kaon_gauge_fold_phases(kaon_gauge* gauge, int antiperiodic, int steps);

/* --- Eigenvectors --- */

typedef struct kaon_eigenvectors kaon_eigenvectors;

typedef struct {
  size_t size;
  int count;        /* eigenvectors of the smallest eigenvalues */
  int even_sites;   /* 1: on even sites; 0: on all sites; -1: on even sites of staggered operators, else on all */
  int basis;        /* fields in memory, more than count + 1; 0: 2 count + 16 */
  double tolerance; /* on |A v - lambda v| over the largest eigenvalue, |v| = 1 */
  int max_restarts;
  int filter_degree;   /* of a Chebyshev polynomial of A, which makes its small eigenvalues large; 0: it is chosen */
  double filter_lower; /* the polynomial is small from here, a little above the eigenvalues that are wanted, ... */
  double filter_upper; /* ... to here, above the largest; NaN: estimated */
  uint64_t seed;       /* of the vector that it starts with */
} kaon_eigenvector_options;
/* One eigenvector to 1e-10, 200 restarts, seed 1; the filter is chosen. */
KAON_API void kaon_eigenvector_options_init(kaon_eigenvector_options* options);
/* Finds orthonormal eigenvectors by Lanczos' method with thick restarts: of A = M^dag M on all sites, or, on even
 * sites, of 4 m^2 - D_eo D_oe of staggered operators and of S^dag S with the symmetric Schur complement S of others.
 * KAON_NOT_CONVERGED if some miss the tolerance after the last restart, or may be missing: `eigenvectors` has the best
 * ones. Options may be NULL. Collective. */
KAON_API kaon_status kaon_eigenvectors_find(const kaon_operator* dirac, const kaon_eigenvector_options* options,
                                            kaon_eigenvectors** eigenvectors);

typedef struct {
  int count;
  int converged;
  int restarts;
  int even_sites;      /* 1: they are fields on even sites */
  double applications; /* of A */
  double unused[4];    /* zeros */
} kaon_eigenvectors_info;
/* `count` eigenvalues, rising, and |A v - lambda v| of each; either may be NULL, and so may `info`. */
KAON_API kaon_status kaon_eigenvectors_get(const kaon_eigenvectors* eigenvectors, kaon_eigenvectors_info* info,
                                           double* values, double* residuals);
/* Eigenvector `number`, from 0 on, into a right-hand side of a field in the precision of the operator. One on even
 * sites is zero on odd ones. */
KAON_API kaon_status kaon_eigenvectors_copy(const kaon_eigenvectors* eigenvectors, int number, kaon_spinor* spinor,
                                            int right_hand_side);
/* The formats of files of eigenvectors: kaon's, which MILC reads if they are those of a staggered operator; and for
 * these alone QUDA's (`vec_infile`) and MILC's packed one, on lattices with a multiple of 4 time slices. */
typedef enum KAON_ENUM {
  KAON_VECTORS_SCIDAC = 0,
  KAON_VECTORS_QUDA = 1,
  KAON_VECTORS_MILC_PACKED = 2
} kaon_vector_format;
/* Writes them with eigenvalues and residuals, in `bits` (64 or 32) of a number. Collective. */
KAON_API kaon_status kaon_eigenvectors_save(const kaon_eigenvectors* eigenvectors, const char* path, int bits,
                                            int format);
/* Reads eigenvectors of `dirac` from such files, MILC's and QUDA's; `even_sites` is that of the options. Eigenvalues
 * and residuals are those of this operator: a staggered one accepts vectors of any mass. KAON_FILE if a file is
 * damaged, or a vector is no eigenvector of this operator. Collective. */
KAON_API kaon_status kaon_eigenvectors_load(const kaon_operator* dirac, const char* path, int even_sites,
                                            kaon_eigenvectors** eigenvectors);
KAON_API void kaon_eigenvectors_destroy(kaon_eigenvectors** eigenvectors);

/* --- Solvers --- */

typedef struct kaon_solver kaon_solver;

typedef enum KAON_ENUM {
  KAON_AUTO = 0, /* KAON_CGNR for twisted doublets and one or two columns of domain wall quarks, KAON_BLOCK_CG for
                  * more columns; for staggered operators conjugate gradients, for others BiCGstab, and multigrid once
                  * it pays */
  KAON_CG = 1,   /* on the normal operator of staggered quarks, on even sites, or on several systems M^dag M + sigma_i
                  * at once; refused for other operators, which have KAON_CGNR */
  KAON_BICGSTAB = 2,
  KAON_GCR_DD = 3, /* GCR with additive Schwarz blocks: for many processes */
  KAON_MULTIGRID = 4,
  KAON_CGNR = 5,    /* conjugate gradients on M^dag M */
  KAON_CGNE = 6,    /* conjugate gradients on M M^dag */
  KAON_BLOCK_CG = 7 /* conjugate gradients of up to 16 right-hand sides in one Krylov space, on the systems of KAON_CG
                     * and KAON_CGNR; iterations are in single precision in place of KAON_INNER_HALF */
} kaon_method;

typedef enum KAON_ENUM { KAON_INNER_HALF = 0, KAON_INNER_SINGLE = 1, KAON_INNER_OUTER = 2 } kaon_inner_precision;

/* Called on every process after each iteration, with |r| / |b| of all right-hand sides as the method iterates it.
 * Solves in groups, of 12 right-hand sides by multigrid, start each group with iteration 1. Returns 1 to continue; 0 on
 * any process ends the solve on all with KAON_STOPPED: the solver remains usable. */
typedef int (*kaon_progress)(int iteration, int right_hand_sides, const double* residuals, void* context);

typedef struct {
  size_t size;
  int method;                 /* kaon_method */
  int outer;                  /* kaon_precision of the solution, at most that of the operator; -1: the operator's */
  int inner;                  /* kaon_inner_precision of the iterations */
  double tolerance;           /* on |b - M x| / |b| */
  int max_iterations;         /* for each right-hand side */
  int links;                  /* reals of a link of the iterations: 18, 12 or 8, of U(3) 14 or 10; 0: chosen */
  uint64_t seed;              /* of multigrid's setup */
  const char* near_null_file; /* multigrid: vectors of kaon_solver_save to start with; NULL: noise */
  kaon_progress
      on_iteration; /* of solves, not of multigrid's setup; given on all processes, or NULL: no call is made */
  void* on_iteration_context;
  const kaon_eigenvectors* eigenvectors; /* NULL; or those on even sites of a staggered operator in double, of any mass:
                                          * they deflate its conjugate gradients, and the solver retains them; of others
                                          * for kaon_multi_solver alone */
  double reliable_delta; /* fall of the residual between its computations in the outer precision; below 1 */
  int schwarz_steps;     /* KAON_GCR_DD: of minimal residuals on the blocks */
} kaon_solver_options;
/* KAON_AUTO, the operator's precision, iterations in 16 bits, tolerance 1e-10, 10000 iterations, seed 1, reliable_delta
 * 0.1, 10 schwarz_steps. */
KAON_API void kaon_solver_options_init(kaon_solver_options* options);
/* Even-odd preconditioned; multigrid does its setup here. Collective. */
KAON_API kaon_status kaon_solver_create(const kaon_operator* dirac, const kaon_solver_options* options,
                                        kaon_solver** solver);

typedef struct {
  int converged;
  int iterations;
  int fallbacks;      /* times that a higher precision had to continue */
  double residual;    /* |b - M x| / |b|, of the x that is returned */
  double seconds;     /* of the whole solve, without the tuning of kernels that it started with */
  double flops;       /* of the whole solve */
  double error;       /* an estimate of |x - M^-1 b| / |x|, from above; 0: of a solution that is zero */
  int error_at_least; /* 1: the solve was too short for such an estimate, and the error may be larger; else 0 */
  double unused[2];   /* zeros */
} kaon_report;

/* x = M^-1 b for all right-hand sides, from the values in x, which is another field than b; one report for each, or
 * NULL. KAON_NOT_CONVERGED where one of them missed the tolerance, KAON_STOPPED where on_iteration ended the solve
 * before: x is then the best so far, or zero, and the reports are those of it. Collective. */
KAON_API kaon_status kaon_solver_solve(kaon_solver* solver, kaon_spinor* x, const kaon_spinor* b,
                                       kaon_report* each_right_hand_side);
/* Solves for propagators in four dimensions from the sources eta, a field of one slice with any number of right-hand
 * sides, and makes a field for each of `names`, which commas separate.
 * - All quarks but doublets have "propagator", the meaning of NULL. For domain wall quarks it is
 *   q = (D_ov(m)^-1 - 1)/(1 - m) eta, by solves in five dimensions of groups of right-hand sides. With an even number
 *   of slices they have "midpoint", too, for kaon_residual_mass.
 * - Doublets have "0", "0_to_1", "1_to_0" and "1", from one flavour to another, by a solve for each flavour in which
 *   wanted propagators start. Reports are those from flavour 0, then those from flavour 1.
 * - `axial_current` is NULL, or room for A_4(t) of the conserved axial current of domain wall quarks, the sum over all
 *   right-hand sides (docs/conventions.md): `length` values, as many as the lattice has times.
 * Status and reports are as for kaon_solver_solve. If a right-hand side misses the tolerance, the fields are made as
 * well. Collective. */
KAON_API kaon_status kaon_solver_propagate(kaon_solver* solver, const kaon_spinor* eta, const char* names,
                                           kaon_spinor** propagators, int length, double* axial_current,
                                           kaon_report* each_right_hand_side);
/* Makes the solver that of another operator on the same lattice, in the same precision, with as many spins and slices:
 * of another mass, or of links that have changed a little. A multigrid, whether chosen or built by KAON_AUTO, is built
 * again from the near-null vectors that it has. If the call fails, the solver is unchanged. Collective. */
KAON_API kaon_status kaon_solver_update(kaon_solver* solver, const kaon_operator* dirac);
/* Writes the near-null vectors of a multigrid. Collective. */
KAON_API kaon_status kaon_solver_save(const kaon_solver* solver, const char* path);
KAON_API void kaon_solver_destroy(kaon_solver** solver);

/* --- Solvers of several systems at once --- */

typedef struct kaon_multi_solver kaon_multi_solver;

typedef enum KAON_ENUM {
  KAON_MASSES = 0, /* M_i = 2 m_i + D of a staggered operator, whose own mass does not count */
  KAON_SHIFTS = 1  /* M^dag M + sigma_i, sigma_i >= 0, of any operator */
} kaon_systems;

/* Multi-shift conjugate gradients for `count` masses or shifts: one Krylov space, at the cost of the system that is
 * hardest to solve. The operator is in double, and so is the solution (outer: -1 or KAON_DOUBLE). The common iterations
 * are in single precision, or in double with KAON_INNER_OUTER; those that refine each solution are in the inner one.
 * Methods are KAON_AUTO, KAON_CG and, of masses, KAON_MULTIGRID, which does its setup here and solves for the lightest
 * masses; KAON_AUTO builds it once that pays. Eigenvectors deflate all systems: of masses those on even sites, of
 * shifts those on all sites. Options may be NULL. Collective. */
KAON_API kaon_status kaon_multi_solver_create(const kaon_operator* dirac, kaon_systems systems, int count,
                                              const double* values, const kaon_solver_options* options,
                                              kaon_multi_solver** solver);
/* A solver for S^dag S + sigma_i, sigma_i >= 0, with a Schur complement S of an operator that is not staggered. The
 * systems are those of the sites of its parity: what b holds on others is not read, and solutions are zero there.
 * Eigenvectors are those on even sites, of the symmetric complement there. Both options may be NULL. Collective. */
KAON_API kaon_status kaon_multi_solver_create_schur(const kaon_operator* dirac, const kaon_schur_options* schur,
                                                    int count, const double* shifts, const kaon_solver_options* options,
                                                    kaon_multi_solver** solver);
/* x[i] = A_i^-1 b for all right-hand sides and `count` fields, for any content of these; reports[i * n + k] is that of
 * x[i] and right-hand side k of n, or reports is NULL. KAON_NOT_CONVERGED where one of them missed the tolerance,
 * KAON_STOPPED where on_iteration ended the solve before. Collective. */
KAON_API kaon_status kaon_multi_solver_solve(kaon_multi_solver* solver, kaon_spinor* const* x, const kaon_spinor* b,
                                             kaon_report* reports);
KAON_API void kaon_multi_solver_destroy(kaon_multi_solver** solver);

/* --- Hybrid Monte Carlo --- */

typedef struct kaon_hmc kaon_hmc;

typedef struct {
  size_t size;
  double length; /* of a trajectory */
  uint64_t seed;
  int accept_all; /* 1: trajectories are accepted for any change of the energy */
  int forecast;   /* solves for forces start from this number of earlier solutions of the trajectory; 0: from zero. With
                   * forecasts a trajectory is as reversible as force_tolerance is small */
} kaon_hmc_options;
/* Trajectories of length 1; seed 0; no forecasts. */
KAON_API void kaon_hmc_options_init(kaon_hmc_options* options);
/* Creates an HMC with no action terms; it works with any gauge field. Options may be NULL. */
KAON_API kaon_status kaon_hmc_create(const kaon_hmc_options* options, kaon_hmc** hmc);

/* Errors of the energy are of the order h^2 of the step for KAON_LEAPFROG and KAON_OMELYAN, and h^4 for the others.
 * Names of letters are sequences: drifts of links (A), kicks by a force (B), and kicks by the force of shifted links
 * (D), which cost two forces. docs/conventions.md has the formulas. */
typedef enum KAON_ENUM {
  KAON_LEAPFROG = 0,
  KAON_OMELYAN = 1,
  KAON_FOURTH_ORDER = 2,
  KAON_BADAB = 3,
  KAON_ABADABA = 4,
  KAON_BADABADAB = 5,
  KAON_BABADABAB = 6,
  KAON_ADADA = 7
} kaon_integrator;
/* A time scale for the terms that are added next: so many steps in a trajectory, or in a drift of a step of the scale
 * before. Expensive terms come first, the gauge action last. */
KAON_API kaon_status kaon_hmc_add_scale(kaon_hmc* hmc, int steps, kaon_integrator integrator);

typedef struct {
  size_t size;
  double beta;        /* 6/g^2 */
  double rectangle;   /* c_1, of plaquettes c_0 = 1 - 8 c_1: 0 Wilson, -1/12 Symanzik, -0.331 Iwasaki, -1.4088 DBW2 */
  double one_loop_u0; /* the tadpole factor of Symanzik's action at one loop, whose rectangle is 0 here and whose beta
                       * is MILC's, 10/g^2 / u0^4; NaN: another action */
  double one_loop_flavors; /* its number of dynamical flavours */
} kaon_gauge_action_options;
/* No beta; Wilson's action. */
KAON_API void kaon_gauge_action_options_init(kaon_gauge_action_options* options);
/* A gauge action on the time scale that was added last. */
KAON_API kaon_status kaon_hmc_add_gauge_action(kaon_hmc* hmc, const kaon_gauge_action_options* options);

typedef struct {
  size_t size;
  double flavors;         /* N of det(M)^N: 2; from 0 to 2; any number of staggered quarks; 1 of doublets */
  double mu;              /* two flavours: det(N^dag N + mu^2), N = the even-odd operator; 0: the quarks themselves */
  double numerator_mu;    /* mu' of det(N^dag N + mu^2) / det(N^dag N + mu'^2); of twisted quarks the larger twisted
                           * mass of |det M(mu)|^2 / |det M(mu')|^2; NaN: no ratio */
  double heavier_mass;    /* mass of the determinant in the denominator. NaN: none for staggered quarks, 1
                           * (Pauli-Villars fields) for two flavours of domain wall quarks */
  double lowest, highest; /* range of the eigenvalues for rational functions, of N^dag N, or of -D_eo D_oe of staggered
                           * quarks, which have no lowest; NaN: 1e-6, 50 and 90. A draw fails if others are found */
  double tolerance;       /* of solves for the energy */
  double force_tolerance;
  int max_iterations;
  int method; /* kaon_method of two flavours where mu is 0: KAON_AUTO, KAON_CGNR, or of Wilson and clover quarks
               * KAON_BICGSTAB and KAON_MULTIGRID */
  int inner;  /* kaon_inner_precision */
  int exact;  /* 1: one flavour of domain wall quarks without a rational function in the action or its force; lowest
               * and highest are for the matrix of the action, NaN: from 1/2 to 4/m^2 */
  int stout_levels;    /* of stout smearing of the links that these quarks see; 0: none. The gauge action is of links
                        * without smearing, and forces are chained through all levels */
  double stout_rho[4]; /* weights of the staples of links in x, y, z, t. Links of one direction with 0 remain as they
                        * are and do not enter */
} kaon_quark_term_options;
/* Two flavours; tolerance 1e-10, force_tolerance 1e-8, 10000 iterations, KAON_AUTO, 16 bits; no smearing. */
KAON_API void kaon_quark_term_options_init(kaon_quark_term_options* options);
/* Adds quarks to the time scale that was added last; options may be NULL.
 * - Two flavours of Wilson, clover or twisted quarks (a doublet of mu and -mu: leave mu of the term 0), or of domain
 *   wall quarks over heavier ones: the last term of such a chain is over Pauli-Villars fields.
 * - By rational functions: other numbers of Wilson and clover quarks, of domain wall quarks over Pauli-Villars fields,
 *   twisted doublets of two masses, and staggered quarks. KAON_ASQTAD and KAON_HISQ need a lattice of reach 3.
 */
KAON_API kaon_status kaon_hmc_add_quarks(kaon_hmc* hmc, const kaon_operator_options* quarks,
                                         const kaon_quark_term_options* options);

typedef struct {
  double delta_energy;
  int accepted;
  double plaquette;
  double iterations; /* of all solves */
  double seconds;
  double unused[4]; /* zeros */
} kaon_trajectory_report;
/* Trajectory `number` from links in double, whose random numbers depend on the seed, the number and the terms alone.
 * KAON_NOT_CONVERGED where a solve fails or the energy is no longer finite: the links remain as they are. The report
 * may be NULL. Collective. */
KAON_API kaon_status kaon_hmc_trajectory(kaon_hmc* hmc, kaon_gauge* gauge, uint32_t number,
                                         kaon_trajectory_report* report);
/* Integrates a trajectory forward and backward without changing the links. Returns the change of
 * the energy and the largest change of any number of the links. Collective. */
KAON_API kaon_status kaon_hmc_reverse(kaon_hmc* hmc, const kaon_gauge* gauge, uint32_t number, double* delta_energy,
                                      double* links);
KAON_API void kaon_hmc_destroy(kaon_hmc** hmc);

typedef struct {
  double mean;
  double error;         /* of the mean; NaN if there is no estimate */
  double tau_int;       /* integrated autocorrelation time in steps of the chain, 1/2 for independent numbers */
  double tau_int_error; /* of tau_int */
  int window;           /* the largest distance of two numbers whose correlation counts */
  double unused[3];     /* zeros */
} kaon_chain_report;
/* Mean of `count` consecutive numbers of a Markov chain in equilibrium, such as plaquettes, with its error by the Gamma
 * method (arXiv:hep-lat/0306017). Fewer than 10 numbers have no error. */
KAON_API kaon_status kaon_chain_mean(size_t count, const double* values, kaon_chain_report* report);

/* --- Momenta and forces by themselves --- */

typedef struct kaon_momenta kaon_momenta;

/* Momenta of links, dU/dt = P U: traceless anti-Hermitian matrices P_mu(x), in double. All zero. */
KAON_API kaon_status kaon_momenta_create(const kaon_lattice* lattice, kaon_momenta** momenta);
/* Sets momenta from an array like that of links. Matrices that are further than 1e-5 of the largest number from being
 * traceless and anti-Hermitian are refused: pass i H for Hermitian momenta H. Collective. */
KAON_API kaon_status kaon_momenta_set(kaon_momenta* momenta, const kaon_array* array);
/* Copies momenta into such an array. */
KAON_API kaon_status kaon_momenta_get(const kaon_momenta* momenta, const kaon_array* array);
/* Gaussian momenta, of the distribution exp(-sum |P|^2/2), |P|^2 = sum_ij |P_ij|^2. Momenta of trajectory k of a
 * kaon_hmc with n terms have its seed and the stream n k. Collective. */
KAON_API kaon_status kaon_momenta_draw(kaon_momenta* momenta, uint64_t seed, uint32_t stream);
/* sum (|P|^2/2 - 4) over sites and directions: about 0 for Gaussian momenta. Collective. */
KAON_API kaon_status kaon_momenta_energy(const kaon_momenta* momenta, double* energy);
/* P <- P + dt TA(V), TA(V) = (V - V^dag)/2 - (1/6) tr(V - V^dag), for a force of one's own: with
 * dS/dt = sum Re Tr(P V) this conserves sum |P|^2/2 + S. V: any matrices, set as links in double. Collective. */
KAON_API kaon_status kaon_momenta_kick(kaon_momenta* momenta, const kaon_gauge* matrices, double dt);
KAON_API void kaon_momenta_destroy(kaon_momenta** momenta);

/* U <- exp(dt P) U, of links in double. Momenta that are not finite and |dt P| > 1e6, which would take links out of
 * SU(3), are refused. Operators share their links: make them again. Collective. */
KAON_API kaon_status kaon_gauge_advance(kaon_gauge* gauge, const kaon_momenta* momenta, double dt);
/* Brings links that left SU(3) by rounding, by 1e-5 at most, back to it. Collective. */
KAON_API kaon_status kaon_gauge_reunitarize(kaon_gauge* gauge);

typedef struct kaon_action_term kaon_action_term;

/* A term of the action as for kaon_hmc_add_gauge_action. */
KAON_API kaon_status kaon_action_term_create_gauge(const kaon_gauge_action_options* options, kaon_action_term** term);
/* A term of the action as for kaon_hmc_add_quarks. Options may be NULL. */
KAON_API kaon_status kaon_action_term_create_quarks(const kaon_operator_options* quarks,
                                                    const kaon_quark_term_options* options, kaon_action_term** term);
/* Draws the pseudofermions of the term, if it has any, from exp(-S) on these links, and computes S there. Each seed and
 * stream draws others, and terms need streams of their own: term i of n in trajectory k of a kaon_hmc has n k + i.
 * Links are in double here and below; KAON_NOT_CONVERGED where a solve fails. Collective. */
KAON_API kaon_status kaon_action_term_draw(kaon_action_term* term, const kaon_gauge* gauge, uint64_t seed,
                                           uint32_t stream, double* value);
/* S on these links, of the pseudofermions that were drawn last, up to the constant of the draw. Collective. */
KAON_API kaon_status kaon_action_term_value(kaon_action_term* term, const kaon_gauge* gauge, double* value);
/* P <- P + dt F, F = TA(V) with dS/dt = sum Re Tr(P V): the force, which conserves sum |P|^2/2 + S. Into momenta that
 * are zero, with dt = 1, it is the force itself: dS/dt = -sum Re Tr(P^dag F). Collective. */
KAON_API kaon_status kaon_action_term_kick(kaon_action_term* term, kaon_momenta* momenta, const kaon_gauge* gauge,
                                           double dt);
/* Returns the iterations of the term's solves so far. */
KAON_API kaon_status kaon_action_term_iterations(const kaon_action_term* term, double* iterations);
KAON_API void kaon_action_term_destroy(kaon_action_term** term);

/* --- Propagators --- */

/* docs/formats.md describes them. USQCD's have sources, Grid's has 4 spins, MILC's format before 2018 1 spin. */
typedef enum KAON_ENUM {
  KAON_PROPAGATOR_SCIDAC = 0,
  KAON_PROPAGATOR_USQCD = 1,
  KAON_PROPAGATOR_USQCD_SCALAR_SOURCE = 2,
  KAON_PROPAGATOR_GRID = 3,
  KAON_PROPAGATOR_MILC = 4,
  KAON_PROPAGATOR_PYQUDA = 5, /* HDF5 */
  KAON_PROPAGATOR_QDPXX = 6   /* HDF5 of QDP++ and lalibe */
} kaon_propagator_format;
typedef struct {
  size_t size;
  int format;                /* kaon_propagator_format of what is written; files of all formats are read */
  int bits;                  /* of a number that is written: 64, 32, or 0 (default): those of the field */
  int milc_projectors;       /* other than 0: the file holds gamma5 S gamma5, as MILC's of Wilson quarks */
  const char* chroma_header; /* NULL; or a text of kaon_chroma_header, for KAON_PROPAGATOR_SCIDAC */
  const char* info;          /* NULL; or a text that the file has beside the numbers; MILC's format has none */
} kaon_propagator_options;
KAON_API void kaon_propagator_options_init(kaon_propagator_options* options);
/* A field with a right-hand side for each spin and colour, and `sources` for USQCD's formats, which is NULL for the
 * others. `options` may be NULL. Collective. */
KAON_API kaon_status kaon_propagator_write(const kaon_spinor* propagator, const kaon_spinor* sources, const char* path,
                                           const kaon_propagator_options* options);
KAON_API kaon_status kaon_propagator_read(const char* path, const kaon_lattice* lattice, kaon_precision precision,
                                          const kaon_propagator_options* options, kaon_spinor** propagator);
/* Sets `text` to the header by which Chroma computes spectra of a propagator of 4 spins: that of a quark, of sources of
 * a propagator, which `smearing` has smeared unless it is NULL, of the tolerance of the solve, and of a name of the
 * links, which may be NULL. The text is valid until the next header of the thread. Needs no kaon_start. */
KAON_API kaon_status kaon_chroma_header(const kaon_operator_options* quark, const kaon_source_options* source,
                                        const kaon_quark_smear_options* smearing, double tolerance, const char* gauge,
                                        const char** text);

typedef struct {
  size_t size;
  int source_site[4];
  int direction;
} kaon_correlator_options;
/* In time, from the origin. */
KAON_API void kaon_correlator_options_init(kaon_correlator_options* options);
/* C(d) = sum of |S|^2 at distance d = 0, 1, ... from the source along the direction, t unless set; `length` must be the
 * extent of the lattice in it. Options may be NULL. Collective. */
KAON_API kaon_status kaon_pion_correlator(const kaon_spinor* propagator, const kaon_correlator_options* options,
                                          int length, double* correlator);
/* m_res(d) of domain wall quarks: the pion correlator of `midpoint` over that of q, both of kaon_solver_propagate.
 * Other arguments as for kaon_pion_correlator. Collective. */
KAON_API kaon_status kaon_residual_mass(const kaon_spinor* midpoint, const kaon_spinor* q,
                                        const kaon_correlator_options* options, int length, double* m_res);

typedef enum KAON_ENUM {
  KAON_COSH = 0,            /* C(t) = A cosh(m (t - length/2)) at t and t + 1 */
  KAON_OSCILLATING_COSH = 1 /* and a partner (-1)^t B cosh(m' (t - length/2)), from t - 2 to t + 3 */
} kaon_correlator_form;
/* The effective mass m between t and t + 1 for each of `length` values C(t), C(length) = C(0): NaN where the form does
 * not hold (docs/conventions.md). Needs no kaon_start. */
KAON_API kaon_status kaon_effective_mass(kaon_correlator_form form, int length, const double* correlator,
                                         double* masses);

/* --- Predictions --- */

typedef struct {
  size_t size;
  int extents[4];          /* of the lattice; not set if there are links */
  const kaon_gauge* links; /* NULL; or links in double, on which iterations are counted: quarks then have a mass */
  const char* network;     /* its name, or "us,GB/s[,us of a stage of a sum]" */
  const int* processes;    /* `counts` numbers of processes */
  int counts;
  const char* cut;                   /* the only directions that may be cut, such as "zt"; NULL: the fastest */
  const char* solvers;               /* words of docs/scaling.md, which commas separate; NULL: those of the quarks */
  const double* iterations;          /* without links: those of each of `solvers`, 0 if they are not known; or NULL */
  const char* precision;             /* of iterations: "half", "single" or "double" */
  const kaon_solver_options* solver; /* NULL: the defaults; only its numbers are read: the tolerance of iterations that
                                      * are counted, and the options of methods */
  int shifts;                        /* of "multi-shift" */
  double memory;                     /* bytes of a device; 0: as it reports */
} kaon_predict_options;
/* Network "ndr", half precision, 10 shifts; neither extents nor processes. */
KAON_API void kaon_predict_options_init(kaon_predict_options* options);
/* Predicts times of solves on many processes from measurements of this one (docs/scaling.md). Sets `json` to a text of
 * JSON, which is valid until the next prediction of the thread. A run of several processes is refused. */
KAON_API kaon_status kaon_predict(const kaon_operator_options* quarks, const kaon_predict_options* options,
                                  const char** json);

/* Measures mesons and baryons on links in double by an input in JSON, with the keys of docs/measure.md. Random sources
 * are drawn from `name`, that of the configuration. Sets `json` to the results as text of JSON, which is valid until
 * the next measurement of the thread; `write` not 0: the files of output.folder are written, too. KAON_NOT_CONVERGED
 * where a solve missed the tolerance: `json` is then NULL. Collective. */
KAON_API kaon_status kaon_measure(const kaon_gauge* links, const char* input, const char* name, int write,
                                  const char** json);

#ifdef __cplusplus
}
#endif

#endif
