// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>
#include <kaon/core/spinor_field.hpp>
#include <kaon/gauge/path_coefficients.hpp>

#include <span>

namespace kaon {

// The force of staggered quarks on links. The action of even pseudofermions phi with a rational function of
// M^dag M = 4m^2 - D_eo D_oe,
//
//   S = sum_r a_r phi^dag (M^dag M + b_r)^(-1) phi,
//
// changes with the links as
//
//   dS = sum_r a_r sum_x eps(x) Re X_r(x)^dag (dD X_r)(x),   eps = 1 on even and -1 on odd sites,
//   X_r = (M^dag M + b_r)^(-1) phi on even sites,  X_r = D_oe X_r on odd sites.

/// Quarks of one action.
struct StaggeredForceTerm {
  const SpinorField<double>& vectors;  ///< X_r on all sites, one for each right-hand side, without spin
  std::span<const double> residues;    ///< a_r
  double naik_epsilon = 0.0;           ///< of HISQ
};

struct StaggeredForceOptions {
  bool antiperiodic = true;  ///< in time
  double filter = 0.0;       ///< of `u3_projection_gradient`
};

/// The gradients of S with respect to fat links and third links, without staggered phases:
///
///   one_mu(x)   += sum_r 2 o_r eps(x) X_r(x) X_r(x+mu)^dag,
///   third_mu(x) += sum_r 2 t_r eps(x) X_r(x) X_r(x+3mu)^dag,
///
/// o_r the `one_weights` and t_r the `third_weights`, as many as there are right-hand sides. If all t_r are zero,
/// `third` is not touched. `fold_staggered_phases` puts the phases in.
///
/// Collective; up to 12 right-hand sides go at a time, at 1152 flops a site each. Throws `Error` for compressed fields,
/// fields on several lattices, vectors that have spin or lie on one parity, a wrong number of weights, and, with
/// `third_weights` that are not all zero, local lattices of fewer than 3 sites in a partitioned direction.
void add_outer_products(GaugeField<double>& one, GaugeField<double>& third, const SpinorField<double>& vectors,
                        std::span<const double> one_weights, std::span<const double> third_weights);

/// U_mu(x) G_mu(x)^dag, G the gradient of S with respect to U, for quarks whose fat links are
/// `fat_links(U, coefficients)` and whose third links have the weight `coefficients.third`: naive ones, fat7 and
/// asqtad. With `kick_momenta` of weight dt,
///
///   dP/dt = TA(U G^dag),  dU/dt = P U
///
/// conserve sum |P|^2/2 + S (kaon/gauge/momenta.hpp).
///
/// Collective. 161 kflop a site, 1 if there are no staples, and 1.2 kflop a vector. Throws `Error` as `fat_links`,
/// `add_fat_links_gradient` and `add_outer_products`. Source: K. Orginos, D. Toussaint and R. L. Sugar, Phys. Rev. D 60
/// (1999) 054503.
GaugeField<double> staggered_force(const GaugeField<double>& links, const PathCoefficients& coefficients,
                                   const StaggeredForceTerm& term, const StaggeredForceOptions& options = {});

/// The forces of HISQ quarks (`hisq_links`), all together: the second level is linear in the results of the terms, and
/// both levels are gone through once.
///
/// Collective. 390 kflop a site and 1.2 kflop a vector. Errors are those of `hisq_links` and `staggered_force`. Source:
/// A. Bazavov et al., Phys. Rev. D 82 (2010) 074501.
GaugeField<double> hisq_force(const GaugeField<double>& links, std::span<const StaggeredForceTerm> terms,
                              const StaggeredForceOptions& options = {});

/// Links and coefficients of both levels of HISQ, with or without staggered phases in links and coefficients.
struct HisqLevels {
  const GaugeField<double>& u;  ///< thin
  const GaugeField<double>& v;  ///< `fat_links(u, first)`
  const GaugeField<double>& w;  ///< `project_to_u3(v)`
  PathCoefficients first = fat7_coefficients();
  PathCoefficients second = hisq_coefficients(0.0);
};

/// Gradients of S with respect to what is made of W.
struct HisqGradients {
  GaugeField<double> fat;    ///< links of `HisqLevels::second`
  GaugeField<double> one;    ///< W itself, beside them: a Naik epsilon adds epsilon/8 W
  GaugeField<double> third;  ///< weighted third links: their weights are in it, `second.third` is not used
};

/// U G^dag from these. `gradients` are used up.
GaugeField<double> hisq_force(const HisqLevels& levels, HisqGradients gradients, double filter = 0.0);

}  // namespace kaon
