// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "gamma.hpp"
#include "gauge.hpp"
#include "vectors.hpp"

namespace kaon::reference {

/// Parameters of the Wilson family; the defaults are the isotropic Wilson operator, antiperiodic in time.
struct WilsonParameters {
  double mass = 0.0;
  double csw_spatial = 0.0;
  double csw_temporal = 0.0;
  /// Bare anisotropy xi_0.
  double anisotropy = 1.0;
  /// Bare ratio of spatial to temporal hopping, in units of 1/xi_0.
  double nu = 1.0;
  /// mu of the twisted-mass term i mu gamma_5.
  double twisted_mass = 0.0;
  /// The site term is d exp(A/d) instead of d + A, d = `diagonal()`.
  bool exponential = false;
  /// Added to mu on even and on odd sites.
  std::array<double, 2> twist_shifts{};
  /// exp(i theta_mu), applied to a hop over the edge of the lattice in direction mu: psi(x + L mu) = phase psi(x).
  std::array<Complex, directions> boundary_phases{1.0, 1.0, 1.0, -1.0};

  /// Weight of direction mu in the hopping term: nu/xi_0 in space, 1 in time.
  double hop_weight(int mu) const { return mu == 3 ? 1.0 : nu / anisotropy; }

  /// Coefficient of the clover plane mu, nu: csw_spatial / xi_0 without the time direction, csw_temporal with it.
  double clover_weight(int mu, int nu) const { return mu == 3 || nu == 3 ? csw_temporal : csw_spatial / anisotropy; }

  /// m + 1 + 3 nu/xi_0, which is 4 + m on an isotropic lattice.
  double diagonal() const { return mass + 1.0 + 3.0 * nu / anisotropy; }

  /// 1 / (2 (4 + m)): also on anisotropic lattices, if it is another name of the mass but not 1 / (2 diagonal()).
  double kappa() const { return 0.5 / (4.0 + mass); }
};

/// The mass whose kappa is 1 / (2 (4 + m)).
inline double mass_from_kappa(double kappa) { return 0.5 / kappa - 4.0; }

/// The Wilson, Wilson-clover and twisted operator on (an)isotropic lattices, applied term by term:
///
///   M = (m + 1 + 3 nu/xi_0) + A + i mu gamma_5 - (1/2) D,
///   D psi(x) = sum_mu w_mu [ (1 - g_mu) U_mu(x) psi(x+mu) + (1 + g_mu) U_mu(x-mu)^dag psi(x-mu) ],
///   A(x) = -(1/2) sum_{mu<nu} c_munu sigma_munu F_munu(x), or d exp(A/d) - d with these, d = m + 1 + 3 nu/xi_0,
///   w_t = 1, w_s = nu/xi_0; c_st = csw_temporal, c_ss = csw_spatial/xi_0.
///
/// The signs, the coefficients and F with its trace (see `field_strength`) are those with which stored propagators of
/// other codes solve M S = source: known_answers_test.cpp. A kappa that such codes quote is 1 / (2 (4 + m)) for any
/// anisotropy. Source: B. Sheikholeslami and R. Wohlert, Nucl. Phys. B 259 (1985) 572; anisotropic: arXiv:0803.3960.
class WilsonOperator {
 public:
  WilsonOperator(const Links& links, const Coordinates& extents, const WilsonParameters& parameters);

  const Coordinates& extents() const { return extents_; }
  const WilsonParameters& parameters() const { return parameters_; }

  /// M psi.
  Spinor apply(const Spinor& psi) const;

  /// M^dag psi, from the transposed and conjugated blocks of M, without use of gamma_5.
  Spinor apply_dagger(const Spinor& psi) const;

  /// D psi.
  Spinor hop(const Spinor& psi) const;

  /// D^dag psi: the block that D has from y to x takes psi(x) to y, as its Hermitian conjugate.
  Spinor hop_dagger(const Spinor& psi) const;

  /// D psi on the sites of `parity`, 0 elsewhere: D_eo for parity 0, D_oe for parity 1. Reads the other parity only.
  Spinor hop_to_parity(const Spinor& psi, int parity) const;

  /// (D^dag) psi on the sites of `parity`, 0 elsewhere: (D_oe)^dag for parity 0.
  Spinor hop_dagger_to_parity(const Spinor& psi, int parity) const;

  /// A(x), without mass and twist.
  const SiteMatrix& clover_term(const Coordinates& site) const;

  /// The whole site-diagonal term of M: m + 1 + 3 nu/xi_0 + A(x) + i mu gamma_5.
  const SiteMatrix& diagonal_term(const Coordinates& site) const;

  /// The block of K = D/2 that takes psi(x+mu) to x for step = 1, (w_mu/2) (1 - g_mu) U_mu(x), or psi(x-mu) to x for
  /// step = -1, (w_mu/2) (1 + g_mu) U_mu(x-mu)^dag; with boundary phases.
  SiteMatrix half_hop_matrix(const Coordinates& site, int mu, int step) const;

  /// Site-diagonal term times psi; its conjugate; and their inverses by dense 12x12 elimination.
  Spinor apply_diagonal(const Spinor& psi) const;
  Spinor apply_diagonal_dagger(const Spinor& psi) const;
  Spinor solve_diagonal(const Spinor& psi) const;
  Spinor solve_diagonal_dagger(const Spinor& psi) const;

 private:
  // w_mu U_mu(x), times the boundary phase where x+mu lies over the edge.
  Links weighted_links_;
  Coordinates extents_;
  WilsonParameters parameters_;
  std::array<SpinMatrix, directions> gammas_;
  std::vector<SiteMatrix> clover_;
  std::vector<SiteMatrix> diagonal_;
  /// A site's elimination of the diagonal or, with `conjugate`, of its conjugate: made when it is needed first.
  const Elimination& eliminated(const Coordinates& site, bool conjugate) const;
  mutable std::array<std::vector<std::optional<Elimination>>, 2> eliminated_;
};

}  // namespace kaon::reference
