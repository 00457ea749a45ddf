// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>

namespace kaon {

/// Weights of the loops of a gauge action, each loop once and in one sense,
///
///   S = (6/g^2) [ c_0 sum_plaquettes (1 - (1/3) Re tr P) + c_1 sum_rectangles (1 - (1/3) Re tr R) ],
///
/// rectangles of 2x1. Source: M. Luescher and P. Weisz, Commun. Math. Phys. 97 (1985) 59.
struct LoopWeights {
  double plaquette = 1.0;  ///< c_0
  double rectangle = 0.0;  ///< c_1
};

/// Wilson's action.
inline constexpr LoopWeights wilson_weights{};
/// Symanzik's, improved at tree level.
inline constexpr LoopWeights symanzik_weights{5.0 / 3.0, -1.0 / 12.0};
/// Iwasaki's, c_1 = -0.331. Source: Y. Iwasaki, Nucl. Phys. B 258 (1985) 141.
inline constexpr LoopWeights iwasaki_weights{1.0 + 8.0 * 0.331, -0.331};
/// DBW2, c_1 = -1.4088. Source: P. de Forcrand et al., Nucl. Phys. B 577 (2000) 263.
inline constexpr LoopWeights dbw2_weights{1.0 + 8.0 * 1.4088, -1.4088};

/// Weights of over-improved stout smearing: Wilson's for epsilon = 1, Symanzik's for epsilon = 0 and the over-improved
/// ones below. Instantons are stable from about epsilon = -0.25 on. Source: arXiv:0801.1165.
constexpr LoopWeights over_improved_weights(double epsilon) {
  return {.plaquette = (5.0 - 2.0 * epsilon) / 3.0, .rectangle = -(1.0 - epsilon) / 12.0};
}

/// S = beta [ c_0 sum_plaquettes (1 - (1/3) Re tr P) + c_1 sum_rectangles (1 - (1/3) Re tr R) ]: the action of
/// `LoopWeights` with beta = 6/g^2, 0 for unit links.
///
/// 2500 flops a site, 14 kflop and more with rectangles. Collective. Throws `Error` for compressed links and for
/// numbers that are not finite.
double loop_action(const GaugeField<double>& links, double beta, const LoopWeights& weights = wilson_weights);

/// V <- V + the matrices of the force of `loop_action`, for `kick_momenta`:
///
///   V_mu(x) = -(beta/3) U_mu(x) C_mu(x)^dag,   C = c_0 C_plaquettes + c_1 C_rectangles,
///
/// with the staples C of kaon/gauge/smeared_links.hpp, up to multiples of the unit matrix.
///
/// 11 kflop a site, 50 kflop with rectangles. Collective. Errors are those of `loop_action`, and fields on different
/// lattices or at one place.
void add_loop_force(GaugeField<double>& matrices, const GaugeField<double>& links, double beta,
                    const LoopWeights& weights = wilson_weights);

}  // namespace kaon
