// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>
#include <kaon/gauge/loop_weights.hpp>

namespace kaon {

/// S = beta [ c_0 sum_plaquettes (1 - (1/3) Re tr P) + c_1 sum_rectangles (1 - (1/3) Re tr R) ]: the action of
/// `LoopWeights` with beta = 6/g^2, 0 for unit links.
///
/// 2500 flops a site, 14 kflop and more with rectangles. Collective. Throws `Error` for compressed links and for
/// numbers that are not finite.
double loop_action(const GaugeField<double>& links, double beta, const LoopWeights& weights = wilson_weights);

/// V <- V + the matrices of the force of `loop_action`, as `kick_momenta` takes them:
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
