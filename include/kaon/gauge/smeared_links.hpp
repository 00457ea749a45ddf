// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>
#include <kaon/gauge/loop_action.hpp>

#include <optional>

namespace kaon {

// Smearing of links towards the sum of their staples,
//
//   C_mu(x) = sum_{nu != mu} [ U_nu(x) U_mu(x+nu) U_nu(x+mu)^dag + U_nu(x-nu)^dag U_mu(x-nu) U_nu(x-nu+mu) ],
//
// in double precision, in all D = 4 directions or, with `omitted`, in three: links of that direction remain as they are
// and do not enter. With an anisotropy xi = a_s/a_t staples in time, nu = 3, count xi^2 times, in C of a_s^2; as in
// QUDA the numbers of paths in coefficients remain. Links are periodic; no phases enter. Smeared links are as gauge
// covariant as U. Links that are exactly 1 remain so.
//
// All are collective. They throw `Error` for compressed links, for links that are further than 1e-5 from unitary, and
// for parameters that are not finite, numbers of steps that are negative, directions that do not exist, anisotropies
// that are not above 0, and coefficients so large that the smeared links are not in SU(3).

struct StoutParameters {
  double rho = 0.1;  ///< below about 1/8 in four directions, or roughness grows
  int steps = 1;
  std::optional<int> omitted{};          ///< direction that is left out: 3 smears in space
  LoopWeights weights = wilson_weights;  ///< of plaquettes and rectangles that the staples close
  double anisotropy = 1.0;               ///< xi; has no effect without time
};

/// U <- exp(rho TA(C U^dag)) U in each step, TA(A) = (A - A^dag)/2 - (1/6) tr(A - A^dag): differentiable, and in SU(3)
/// where U is. With `over_improved_weights` C = c_0 staples + c_1 those of rectangles.
///
/// The exponential is its power series to rounding, by Cayley and Hamilton's theorem a polynomial of second degree. 14
/// kflop a site and step, 55 kflop with rectangles. Source: C. Morningstar and M. Peardon, hep-lat/0311018.
GaugeField<double> stout_links(const GaugeField<double>& links, const StoutParameters& parameters);

struct ApeParameters {
  double alpha = 0.5;
  int steps = 1;
  std::optional<int> omitted{};  ///< direction that is left out: 3 smears in space
  double anisotropy = 1.0;       ///< xi; has no effect without time
};

/// U <- P[(1 - alpha) U + alpha/(2 (D - 1)) C] in each step.
///
/// P is the projection by singular values: V = A s B^dag is followed by W = A B^dag, the nearest element of U(3)
/// (`project_to_u3`), which is divided by the cube root of det W that is nearest to 1. Determinants that U has are not
/// touched: P[V U^dag] U. This is QUDA's, whose Newton iteration has the same limit; it is not the maximum of Re tr(W
/// V^dag) in SU(3), which others take.
///
/// 27 kflop a site and step. Throws `Error` also where a sum of paths is singular and has no projection. Source: APE
/// collaboration, Phys. Lett. B 192 (1987) 163.
GaugeField<double> ape_links(const GaugeField<double>& links, const ApeParameters& parameters);

struct HypParameters {
  double alpha_1 = 0.75;  ///< of the last level; has no meaning with `omitted`
  double alpha_2 = 0.6;   ///< of the level before
  double alpha_3 = 0.3;   ///< of the first level
  int steps = 1;
  std::optional<int> omitted{};  ///< direction that is left out: 3 smears in space
};

/// Hypercubic blocking: with S_nu(X, Y) the two staples in direction nu of links X between links Y,
///
///   V_{mu;nu rho} = P[(1 - alpha_3) U_mu + (alpha_3/2) S_eta(U_mu, U_eta)],                eta the fourth direction,
///   W_{mu;nu}     = P[(1 - alpha_2) U_mu + (alpha_2/4) sum_rho S_rho(V_{mu;nu rho}, V_{rho;nu mu})],
///   U_mu         <- P[(1 - alpha_1) U_mu + (alpha_1/6) sum_nu S_nu(W_{mu;nu}, W_{nu;mu})]
///
/// in each step, P as in `ape_links`: links of the same hypercubes alone enter. Without the direction nu, `omitted`,
/// the smeared links are W_{mu;nu}.
///
/// 160 kflop a site and step, and 3.5 kB a site of memory. Throws `Error` also where a sum of paths is singular.
/// Source: A. Hasenfratz and F. Knechtli, hep-lat/0103029, equations (3) to (5).
GaugeField<double> hyp_links(const GaugeField<double>& links, const HypParameters& parameters);

}  // namespace kaon
