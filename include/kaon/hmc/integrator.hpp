// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>
#include <kaon/hmc/action_term.hpp>

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace kaon {

/// A step of size h of dU/dt = P U, dP/dt = F: kicks a_i h of the momenta in turn with drifts b_i h of the links. All
/// are symmetric, so that a trajectory can be run backward, and conserve the volume of phase space.
enum class Integrator {
  leapfrog,     ///< kicks 1/2, 1/2: one force a step, error h^2
  omelyan,      ///< kicks l, 1 - 2l, l: two forces, error h^2, 10 times smaller than that of `leapfrog` at equal cost
  fourth_order  ///< five drifts and as many forces, error h^4
};

/// "leapfrog", "omelyan", "fourth-order"
std::string to_string(Integrator integrator);

/// Terms of the action whose forces are used with one step size.
struct TimeScale {
  std::vector<std::shared_ptr<ActionTerm>> terms;
  /// Steps of the first scale in a trajectory; of each other scale in a drift of the scale before.
  int steps = 10;
  Integrator integrator = Integrator::omelyan;
};

/// Goes from t = 0 to t = `length` along
///
///   dU/dt = P U,   dP/dt = TA(sum_i V_i),   V_i the force of term i (`ActionTerm::add_force`),
///
/// which conserves sum |P|^2/2 + S, with a step size for each time scale: a drift of the links in a step of one scale
/// is `steps` steps of the next one, and one of the last scale is `advance_links`. Cheap, large forces belong to the
/// last scales, expensive, small ones to the first. Kicks at the same links are joined, of all scales.
///
/// Collective. Throws `Error` unless each scale has a term and a step, for a length that is not finite, and where a
/// force cannot be had: links and momenta are meaningless then. Sources: J. C. Sexton and D. H. Weingarten, Nucl. Phys.
/// B 380 (1992) 665; I. P. Omelyan, I. M. Mryglod and R. Folk, Comput. Phys. Commun. 151 (2003) 272, equations (31) and
/// (63).
void integrate(GaugeField<double>& links, GaugeField<double>& momenta, std::span<const TimeScale> scales,
               double length);

namespace detail {
/// Throws `Error` unless there is a scale, and each has a term and a step.
void require_scales(std::span<const TimeScale> scales);
}  // namespace detail

}  // namespace kaon
