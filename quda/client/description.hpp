// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "quda/client/interface.hpp"

#include <kaon/core/array_view.hpp>
#include <kaon/core/clover_field.hpp>
#include <kaon/gauge/link_phases.hpp>
#include <kaon/measure/spin_basis.hpp>
#include <kaon/operators/covariant_sum.hpp>
#include <kaon/operators/even_odd_operator.hpp>
#include <kaon/operators/schur.hpp>
#include <kaon/quarks/propagator_solver.hpp>
#include <kaon/solvers/eigenvectors.hpp>

#include <array>
#include <complex>
#include <optional>
#include <string>
#include <vector>

// Meaning of a client's structures of parameters, in kaon's words.

namespace kaon::quda {

/// Links that a client loads. The products U_mu(x) U_mu(x+mu) of `two_links` are not stored: these are the links in
/// them.
enum class LinkKind { wilson, fat, long_links, smeared, two_links };

/// Numbers that a client's links contain and kaon's do not: kaon's operators apply them.
struct LinkFactors {
  bool antiperiodic = false;      ///< in time
  double spatial = 1.0;           ///< on links in space
  bool staggered_phases = false;  ///< MILC's phases, with the antiperiodic sign in time
  /// The convention of the client's phases. Links with other phases than MILC's contain the signs of both
  /// conventions, and operators use these links unchanged.
  PhaseConvention convention = PhaseConvention::milc;
  int steps = 1;  ///< of a link: 3 for long links
};

/// The layout of a client's array of links.
struct GaugeDescription {
  LinkKind kind = LinkKind::wilson;
  Coordinates local_extents{};
  ArrayElement element = ArrayElement::complex128;
  bool one_array_per_direction = false;
  bool planes = false;              ///< of QDP-JIT
  bool transposed = false;          ///< each link, as CPS has them
  std::ptrdiff_t site_bytes = 0;    ///< of structures of sites
  std::ptrdiff_t offset_bytes = 0;  ///< of the links in them
  LinkFactors factors;
  LinkStorage sloppy = LinkStorage::full;  ///< of links in the iterations of solvers
  bool single = false;                     ///< on the device

  /// A view of the links behind a client's pointer. Throws `Error` for null pointers.
  ArrayView view(void* pointer) const;
};

/// The layout of a client's array of spinors.
struct SpinorDescription {
  ArrayElement element = ArrayElement::complex128;
  SiteOrder sites = SiteOrder::even_odd;
  InsideOrder inside = InsideOrder::spin_color;
  SpinBasis basis = SpinBasis::degrand_rossi;
  bool planes = false;            ///< of QDP-JIT
  bool slices_alternate = false;  ///< the parity of a site is that of x + y + z + t + s

  ConstArrayView in(const void* pointer) const;
  ArrayView out(void* pointer) const;
};

struct OperatorDescription;
struct MatrixDescription;

/// The effect of `tm_rho` on an operator.
enum class RhoUse { ignored, refused, added };
/// QUDA's Dslash with `dagger`: A^-dag D^dag, or D^dag A^-dag in the symmetric form, or not supported.
enum class DaggeredHop { adjoint, term_first_if_symmetric, refused };

/// QUDA's conventions for the operators N of a family, and how N is made of kaon's M (`Operator` has the formulas):
/// a row of the table in describe_operator.cpp.
struct Conventions {
  FermionAction action;
  /// Sets the numbers that a client's structure has. Throws `Error` for numbers that are not set or not possible.
  void (*read)(OperatorDescription&, const QudaInvertParam&);
  bool reads_basis = true;  ///< `gamma_basis`: fields have spins
  RhoUse rho = RhoUse::ignored;

  LinkKind links = LinkKind::wilson;
  std::optional<LinkKind> long_links{};
  bool phases = false;  ///< the links contain staggered phases
  /// Sets the numbers of M that depend on the weight of the links in space.
  void (*set_weighted)(FermionParameters&, double kappa, double weight) = nullptr;
  /// Makes M with a clover term, which has the mass, and with `OperatorDescription::rho`. Null: there is no term.
  Quark<double> (*make_with_clover)(const GaugeField<double>&, const CloverField<double>& term,
                                    const FermionParameters&, const std::array<double, 2>& rho) = nullptr;
  std::optional<FermionAction> clover_alone{};  ///< the operator whose site term is the term of `cloverQuda`

  bool adjoint = false;                         ///< N is a multiple of M^dag
  double (*scale)(const OperatorDescription&);  ///< N over M, M B or Lambda M B
  void (*conjugate)(SpinorField<double>&);      ///< psi = G psi, M^dag = G M G except for the sign of the twist
  double twist_of_conjugate = -1.0;             ///< this sign
  /// Whether the matrix on one parity is 4 m^2 - D D, which is Hermitian and has one form.
  bool hermitian_on_one_parity = false;
  /// M x = b has on one parity the solution of the (asymmetric) matrix there, for b over this number.
  double (*scale_on_one_parity)(const OperatorDescription&);
  double (*right_hand_side_factor)(const MatrixDescription&);

  HopForm<double> (*hop)(const OperatorDescription&);              ///< of QUDA's Dslash
  double (*hop_over_kappa)(const OperatorDescription&) = nullptr;  ///< its factor in kappa normalization; null: 1
  DaggeredHop daggered_hop = DaggeredHop::adjoint;

  std::vector<KrylovMethod> methods{};  ///< the first replaces methods that are not in this list; empty: all converge
  bool solves_on_parity = false;        ///< iterations are on the sites of the matrix: solutions differ
  bool heavy_quark_residual = true;     ///< such tolerances are supported
  bool gamma5_hermitian = true;         ///< G N is Hermitian without a twist, for `compute_gamma5`

  bool clover_force = false;   ///< `computeCloverForceQuda` has this operator
  bool twisted_force = false;  ///< `computeTMCloverForceQuda` supports it
  bool ratio_force = false;    ///< the same for ratios, with the client's fields of ratios
  double force_flavors = 4.0;  ///< the weight of ln |det A_q| in `computeTMCloverForceQuda`
  /// The divisor of coefficients in `computeTMCloverForceQuda`; null: 1. Throws `Error` if there is no force.
  double (*force_divisor)(const QudaInvertParam&) = nullptr;
};

/// An operator N of QUDA by the quark of kaon's that it is made of: docs/quda.md has the formulas.
struct OperatorDescription {
  /// The masses of domain wall quarks are those of M. The mass of quarks with a kappa, the anisotropy and the boundary
  /// follow from the links. QUDA's asqtad quarks have fat and long links.
  FermionParameters quark{.slices = 1};
  double kappa = 0.0;            ///< that of domain wall and staggered quarks is for normalizations only
  double kappa_of_client = 0.0;  ///< the same, or that of domain wall quarks, by which QUDA divides results
  std::array<double, 2> rho{};   ///< added to the twisted mass on even and on odd sites
  double b_mass = 0.0;           ///< the mass in B of domain wall quarks

  const Conventions& conventions() const;
  bool has_coefficients_by_slice() const { return !quark.b_of_slices.empty(); }
  /// A text that differs between different operators.
  std::string key() const;
};

/// QUDA's covariant derivative or Laplace operator.
struct CovariantDescription {
  CovariantSum sum;
  CovariantSum adjoint;
  int spins = 4;
  int dimensions = 0;   ///< of the Laplace operator
  double kappa = 0.0;   ///< of the Laplace operator
  double factor = 1.0;  ///< of results
};

/// How a right-hand side and a result are multiplied.
enum class Normalization { kappa, mass, asymmetric_mass };

/// The matrix of a system or of an application: N, or its Schur complement on one parity.
struct MatrixDescription {
  OperatorDescription of;
  bool one_parity = false;  ///< the Schur complement
  bool normal = false;      ///< times its adjoint, from the left
  bool dagger = false;
  Parity parity = Parity::even;
  SchurForm form = SchurForm::symmetric;
  Normalization normalization = Normalization::kappa;

  /// Factor of a right-hand side before the system is solved.
  double right_hand_side_factor() const { return of.conventions().right_hand_side_factor(*this); }
  /// Divisor of a result of the matrix, which has the client's kappa. Throws `Error` if that is not set.
  double result_factor() const;
  /// (2 kappa)^n of the normalization.
  double factor_of(double kappa) const;
  Subset subset() const { return one_parity ? subset_of(parity) : Subset::full; }
};

struct SolveDescription {
  MatrixDescription matrix;
  SpinorDescription spinors;
  int right_hand_sides = 1;
  SolveOptions solver{};
  bool absolute = false;       ///< the tolerance is on |r|, not on |r|/|b|
  double tolerance = 0.0;      ///< 0: none on the 2-norm
  double heavy_quark = 0.0;    ///< tolerance of the heavy-quark residual; 0: none
  bool initial_guess = false;  ///< x holds one
  bool keeps = false;          ///< solutions are stored in the library, and not written
  const void* multigrid = nullptr;
  std::vector<double> shifts{};      ///< in the client's normalization
  std::vector<double> tolerances{};  ///< of each shift
  std::vector<double> heavy_quark_tolerances{};

  /// Whether solutions in single precision are enough.
  bool single() const { return solver.outer == OuterPrecision::single; }
};

/// Eigenvectors of a Hermitian matrix.
struct EigenDescription {
  MatrixDescription matrix{};  ///< not of the Laplace operator
  std::optional<CovariantDescription> laplace{};
  bool smeared = false;  ///< the Laplace operator has the smeared links
  bool normal = false;   ///< the matrix is a factor times its adjoint
  bool gamma5 = false;   ///< the matrix is gamma5 times a factor; (-1)^(x+y+z+t) of staggered ones
  bool lowest = false;   ///< of these, the ends of the spectrum below zero
  SpinorDescription spinors;
  EigenvectorParameters search{};
  bool singular = false;  ///< the singular values of the factor, and its left singular vectors, too
  bool must_converge = true;
  std::string vectors_from{};  ///< a file in the place of the search; empty: none
  std::string vectors_to{};    ///< the file that they are written to; empty: none
  int bits = 64;               ///< of numbers in that file
};

}  // namespace kaon::quda
