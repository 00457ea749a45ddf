// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>
#include <kaon/hmc/action_term.hpp>

#include <array>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace kaon {

/// Steps of size h of dU/dt = P U, dP/dt = F(U), by their words in `integrators`.
enum class Integrator { leapfrog, omelyan, fourth_order, badab, abadaba, badabadab, babadabab, adada };

/// A step of size h = 1 of an integrator, as drifts of the links by a, U <- exp(a h P) U, and kicks of the momenta by
/// b,
///
///   P <- P + b h F(U),   or with a force gradient of weight c   P <- P + b h F(exp((2 c/b) h^2 F(U)) U),
///
/// the second of which costs two forces. All steps are the same when read backward, so that a trajectory can be run
/// backward, and they conserve the volume of phase space. Kicks between two steps are joined.
struct IntegratorScheme {
  std::string_view word;
  Integrator value;
  /// The order of drifts (A), kicks (B) and kicks with a force gradient (D).
  std::string_view sequence;
  std::array<double, 3> drifts, kicks;  ///< a and b of the first half of `sequence`, its centre included
  double gradient = 0.0;                ///< c of each D
  int order = 4;                        ///< of the error in h
};

/// One row for each `Integrator`, in their order.
///
/// Sources: I. P. Omelyan, I. M. Mryglod and R. Folk, Comput. Phys. Commun. 151 (2003) 272, equations (31) and (63);
/// H. Yin and R. D. Mawhinney, arXiv:1111.5059 (badab); K. Schaefers et al., arXiv:2403.10370.
inline constexpr IntegratorScheme integrators[] = {
    {"leapfrog", Integrator::leapfrog, "BAB", {1.0}, {0.5}, 0.0, 2},
    {"omelyan", Integrator::omelyan, "BABAB", {0.5}, {0.1931833275037836, 1.0 - 2.0 * 0.1931833275037836}, 0.0, 2},
    {"fourth-order",
     Integrator::fourth_order,
     "BABABABABAB",
     {0.2539785108410595, -0.03230286765269967, 1.0 - 2.0 * (-0.03230286765269967 + 0.2539785108410595)},
     {0.08398315262876693, 0.6822365335719091, 0.5 - 0.6822365335719091 - 0.08398315262876693}},
    {"badab", Integrator::badab, "BADAB", {0.5}, {1.0 / 6.0, 2.0 / 3.0}, 1.0 / 72.0},
    {"abadaba",
     Integrator::abadaba,
     "ABADABA",
     {0.089775972994422, 0.410224027005578},
     {0.247597680043986, 0.504804639912028},
     0.006911440413815},
    {"badabadab",
     Integrator::badabadab,
     "BADABADAB",
     {0.219039425103133, 0.280960574896867},
     {0.068466565514186, 0.311000565033563, 0.241065738904502},
     0.001602470431500},
    {"babadabab",
     Integrator::babadabab,
     "BABADABAB",
     {0.200395293638238, 0.299604706361762},
     {0.073943321445602, 0.258244950046509, 0.335623457015778},
     0.003147048491590},
    {"adada", Integrator::adada, "ADADA", {0.211324865405187, 0.577350269189626}, {0.5}, 0.005582274842315},
};

/// The row of an integrator, which may be of a caller's number. Throws `Error` for other numbers.
const IntegratorScheme& scheme_of(Integrator integrator);

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
/// A force gradient of a scale has the step size and the force of that scale alone.
///
/// Collective. Throws `Error` unless each scale has a term and a step, for a length that is not finite, and where a
/// force cannot be had: links and momenta are meaningless then. Source of the scales: J. C. Sexton and D. H.
/// Weingarten, Nucl. Phys. B 380 (1992) 665.
void integrate(GaugeField<double>& links, GaugeField<double>& momenta, std::span<const TimeScale> scales,
               double length);

namespace detail {
/// Throws `Error` unless there is a scale, and each has a term and a step.
void require_scales(std::span<const TimeScale> scales);
}  // namespace detail

}  // namespace kaon
