// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "color_field.hpp"
#include "vectors.hpp"

namespace kaon::reference {

/// Parameters of a staggered operator; the default boundary is antiperiodic in time.
struct StaggeredParameters {
  double mass = 0.0;
  double third_weight = 0.0;  ///< what third links are multiplied by
  /// exp(i theta_mu), applied to a hop over the edge of the lattice in direction mu: chi(x + L mu) = phase chi(x).
  std::array<Complex, directions> boundary_phases{1.0, 1.0, 1.0, -1.0};
};

/// MILC's phases: eta_x = (-1)^t, eta_y = (-1)^(t+x), eta_z = (-1)^(t+x+y), eta_t = 1.
int staggered_phase(const Coordinates& site, int mu);

/// The naive staggered operator, applied term by term:
///
///   M = 2m + D,
///   D chi(x) = sum_mu eta_mu(x) [ U_mu(x) chi(x+mu) - U_mu(x-mu)^dag chi(x-mu) ].
///
/// Mass and normalisation are MILC's; codes with m + D/2 have half of this M at the same mass. Source: J. Kogut and
/// L. Susskind, Phys. Rev. D 11 (1975) 395. The improved operator has fat links in the place of U and adds
///
///   sum_mu eta_mu(x) w [ T_mu(x) chi(x+3mu) - T_mu(x-3mu)^dag chi(x-3mu) ],
///
/// third links T from x to x+3mu and their weight w: S. Naik, Nucl. Phys. B 316 (1989) 238.
class StaggeredOperator {
 public:
  StaggeredOperator(const Links& links, const Coordinates& extents, const StaggeredParameters& parameters);

  /// Improved. Extents are at least 4.
  StaggeredOperator(const Links& fat, const Links& third, const Coordinates& extents,
                    const StaggeredParameters& parameters);

  const Coordinates& extents() const { return extents_; }
  const StaggeredParameters& parameters() const { return parameters_; }

  /// M chi.
  ColorField apply(const ColorField& chi) const;

  /// M^dag chi, from the transposed and conjugated blocks of M, without use of D^dag = -D.
  ColorField apply_dagger(const ColorField& chi) const;

  /// D chi.
  ColorField hop(const ColorField& chi) const;

  /// D^dag chi: the block that D has from y to x takes chi(x) to y, as its Hermitian conjugate.
  ColorField hop_dagger(const ColorField& chi) const;

  /// D chi on the sites of `parity`, 0 elsewhere: D_eo for parity 0, D_oe for parity 1. Reads the other parity only.
  ColorField hop_to_parity(const ColorField& chi, int parity) const;

  /// (D^dag) chi on the sites of `parity`, 0 elsewhere: (D_oe)^dag for parity 0.
  ColorField hop_dagger_to_parity(const ColorField& chi, int parity) const;

 private:
  // Links from x to x + step mu, times their weight, and times the boundary phase where x + step mu lies over the edge.
  struct Steps {
    int step;
    Links links;
  };
  std::vector<Steps> steps_;
  Coordinates extents_;
  StaggeredParameters parameters_;
};

/// The normal operator on one parity p, q the other: (4m^2 - D_pq D_qp) chi_p. Values of chi on q are ignored.
ColorField staggered_normal(const StaggeredOperator& op, const ColorField& chi, int parity);

/// Its right-hand side (M^dag b)_p = 2m b_p - D_pq b_q.
ColorField staggered_normal_source(const StaggeredOperator& op, const ColorField& b, int parity);

/// Third links: T_mu(x) = U_mu(x) U_mu(x+mu) U_mu(x+2mu).
Links third_links(const Links& links, const Coordinates& extents);

/// Momentum of the free field: p_mu = (2 pi n_mu + theta_mu)/L_mu, exp(i theta_mu) the boundary phase (of modulus 1).
std::array<double, directions> staggered_momentum(const Coordinates& mode, const Coordinates& extents,
                                                  const StaggeredParameters& parameters);

/// D exp(i p x) v for links `fat` and weighted third links `third` times 1. With eta_mu(x) = exp(i q_mu x) it is
/// 2i sum_mu s(p_mu) exp(i (p + q_mu) x) v, s(p) = fat sin(p) + third sin(3p), and
/// D^2 exp(i p x) v = -4 sum_mu s(p_mu)^2 exp(i p x) v.
ColorField free_staggered_hop(const std::array<double, directions>& p, const ColorVector& v, const Coordinates& extents,
                              double fat = 1.0, double third = 0.0);

}  // namespace kaon::reference
