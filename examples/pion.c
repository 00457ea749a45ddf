/* SPDX-FileCopyrightText: The kaon authors
 * SPDX-License-Identifier: MIT */

/* kaon from C: reads a gauge field, solves for the twelve columns of a clover propagator at once and prints the pion
 * correlator, as propagator.cpp does in C++. docs/c.md says how programs of C use kaon.
 *
 *     cc -std=c99 pion.c $(pkg-config --cflags --libs kaon) -Wl,-rpath,$(pkg-config --variable=libdir kaon) -o pion
 *     ./pion quenched_b6.0_8x8x8x16.nersc */
#include <kaon/kaon.h>

#include <stdio.h>
#include <stdlib.h>

/* Every function of kaon returns a status; kaon_last_error() explains it. */
static void check(kaon_status status) {
  if (status == KAON_OK) return;
  fprintf(stderr, "%s: %s\n", kaon_status_name(status), kaon_last_error());
  exit(1);
}

int main(int argc, char** argv) {
  kaon_start_options start;
  kaon_lattice* lattice = NULL;
  kaon_lattice_info info;
  kaon_gauge* gauge = NULL;
  kaon_operator_options physics;
  kaon_operator* dirac = NULL;
  kaon_solver_options solving;
  kaon_solver* solver = NULL;
  kaon_spinor_options shape;
  kaon_spinor *source = NULL, *propagator = NULL;
  kaon_source_options point;
  kaon_report reports[12];
  double plaquette[3];
  double* pion;
  int length, t;

  if (argc != 2) {
    fprintf(stderr, "usage: pion GAUGE_FILE\n");
    return 2;
  }
  kaon_start_options_init(&start); /* MPI and Kokkos take their arguments */
  start.argc = &argc;
  start.argv = &argv;
  check(kaon_start(&start));

  /* The format is recognised from the content; checksums, plaquette and unitarity are verified. */
  check(kaon_gauge_read(argv[1], NULL, NULL, KAON_DOUBLE, &lattice, &gauge));
  kaon_lattice_info_init(&info);
  check(kaon_lattice_get(lattice, &info));
  check(kaon_gauge_plaquette(gauge, plaquette));
  if (info.rank == 0) printf("plaquette %.10f\n", plaquette[0]);

  /* The Dirac operator, antiperiodic in time by default. */
  kaon_operator_options_init(&physics);
  physics.action = KAON_WILSON_CLOVER;
  physics.kappa = 0.1345;
  physics.csw = 1.769;
  check(kaon_operator_create(gauge, &physics, &dirac));

  /* Even-odd BiCGstab with iterations in 16 bits, corrected in double precision. */
  kaon_solver_options_init(&solving);
  solving.tolerance = 1e-10;
  check(kaon_solver_create(dirac, &solving, &solver));

  /* One right-hand side for each spin and colour of the source. */
  kaon_spinor_options_init(&shape);
  shape.right_hand_sides = 12;
  check(kaon_spinor_create(lattice, &shape, &source));
  check(kaon_spinor_create(lattice, &shape, &propagator));
  kaon_source_options_init(&point); /* at the origin */
  check(kaon_spinor_source(source, &point));
  check(kaon_solver_solve(solver, propagator, source, reports));

  length = info.extents[3];
  pion = malloc((size_t)length * sizeof *pion);
  check(kaon_pion_correlator(propagator, NULL, length, pion));
  if (info.rank == 0) {
    printf("%d iterations, residual %.1e, %.1f s\n", reports[0].iterations, reports[0].residual, reports[0].seconds);
    for (t = 0; t < length; ++t) printf("%3d  %.10e\n", t, pion[t]);
  }
  free(pion);

  /* In any order: handles share what they need. */
  kaon_gauge_destroy(&gauge);
  kaon_operator_destroy(&dirac);
  kaon_solver_destroy(&solver);
  kaon_spinor_destroy(&source);
  kaon_spinor_destroy(&propagator);
  kaon_lattice_destroy(&lattice);
  check(kaon_stop());
  return 0;
}
