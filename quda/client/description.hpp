// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/array_view.hpp>
#include <kaon/gauge/link_phases.hpp>
#include <kaon/measure/spin_basis.hpp>
#include <kaon/operators/covariant_sum.hpp>
#include <kaon/operators/schur.hpp>
#include <kaon/quarks/propagator_solver.hpp>
#include <kaon/solvers/eigenvectors.hpp>

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
  bool staggered_phases = false;  ///< MILC's, with the sign at the edge in time
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

/// An operator N of QUDA by the quark of kaon's that it is made of: docs/quda.md has the formulas.
struct OperatorDescription {
  /// The masses of domain wall quarks are those of M. The mass of quarks with a kappa, the anisotropy and the boundary
  /// follow from the links. QUDA's asqtad quarks have fat and long links: `FermionAction::improved`.
  FermionParameters quark{};
  double kappa = 0.0;  ///< that of domain wall and staggered quarks is for normalisations only
  double rho = 0.0;    ///< added to the twisted mass on the sites of `rho_parity` alone
  Parity rho_parity = Parity::even;
  double b_mass = 0.0;  ///< the mass in B of domain wall quarks

  const FermionFamily& family() const { return family_of(quark.action); }
  bool is_staggered() const { return family().is_staggered(); }
  bool is_domain_wall() const { return family().reads("m5"); }
  bool is_twisted() const { return quark.mu != 0.0 || rho != 0.0; }
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
  double right_hand_side_factor() const;
  /// Divisor of a result of the matrix. It equals the factor except for staggered operators, which QUDA treats like
  /// others here.
  double result_factor() const;
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
