// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>
#include <kaon/gauge/loop_action.hpp>

#include <functional>
#include <optional>
#include <span>

namespace kaon {

struct FlowParameters {
  double step = 0.01;                    ///< of the flow time, in units of a^2, a_s^2 on anisotropic lattices
  LoopWeights weights = wilson_weights;  ///< of the action that the flow falls along
  double time = 0.0;                     ///< where it starts
  int order = 3;                         ///< of the Runge-Kutta method, 3 or 4
  double anisotropy = 1.0;               ///< xi = a_s/a_t
};

/// Links V that flow along the gradient of an action, in double precision:
///
///   dV_mu(x)/dt = Z_mu(x) V_mu(x),    Z = -g^2 dS/dV = TA(C V^dag),    V = U at the start,
///
/// with the staples C of kaon/gauge/smeared_links.hpp, those of rectangles where these have a weight, and those in time
/// xi^2 times. The action S then has xi^2 as the weight of loops in time, and Z = -g_mu g^2 dS/dV, g_mu = 1/xi^2 for
/// links in time and 1 for others: the flow of isotropic lattices in the continuum limit. A step of size e is that of a
/// Runge-Kutta method of third order, whose links remain in SU(3):
///
///   P_1 = (1/4) e Z(V),   P_2 = (8/9) e Z(W_1) - (17/9) P_1,   P_3 = (3/4) e Z(W_2) - P_2,
///   W_1 = exp(P_1) V,     W_2 = exp(P_2) W_1,                  V(t + e) = exp(P_3) W_2.
///
/// At a given time its error is of order e^3. The method of fourth order has six such stages, and an error of order
/// e^4. Steps above 0.628/(c_0 (3 + xi^2)), 1.018/(c_0 (3 + xi^2)) in fourth order, are unstable and cause a warning.
///
/// 43 kflop a site and step, 165 kflop with rectangles; twice that in fourth order. Memory: four fields of links.
/// Sources: M. Luescher, arXiv:1006.4518, appendix C; coefficients of fourth order: J. Berland, C. Bogey, C. Bailly,
/// Computers & Fluids 35 (2006) 1459, on groups: A. Bazavov, T. Chuna, arXiv:2101.05320; anisotropy: S. Borsanyi et
/// al., arXiv:1205.0781.
class GradientFlow {
 public:
  /// Copies the links. Collective. Throws `Error` for compressed links, for links that are further than 1e-5 from
  /// unitary, unless step and anisotropy are above 0 and all numbers are finite, and where processes were given others.
  explicit GradientFlow(const GaugeField<double>& links, const FlowParameters& parameters = {});

  /// Goes so many steps on. Collective. Throws `Error` where `steps` is negative or not the same on all processes, and
  /// where steps are so long that links leave SU(3).
  void advance(int steps = 1);
  /// Flows with a call of `see(i, W_i)` before each stage i = 0, 1, 2 (to 5 in fourth order), W_0 = V: links for fields
  /// that flow with them.
  void advance(int steps, const std::function<void(int, const GaugeField<double>&)>& see);

  double time() const { return parameters_.time + parameters_.step * steps_; }
  const GaugeField<double>& links() const { return links_; }

 private:
  FlowParameters parameters_;
  GaugeField<double> links_, next_, drifts_[2];
  int steps_ = 0;
};

/// The energy density at a flow time, see `CloverObservables`: with anisotropy, that in space + xi^2 that in time.
struct FlowPoint {
  double time;
  double energy;
};

/// Scales of a gauge field, in units of a; none where the flow has not reached them.
struct FlowScales {
  std::optional<double> t0;       ///< t^2 E(t) = level at t = t0
  bool passes_t0_before = false;  ///< t^2 E is at the level or above it at the first time above 0: t0 is not known
  std::optional<double> w0;       ///< t d/dt [t^2 E(t)] = level at t = w0^2
  bool passes_w0_before = false;  ///< the first derivative is at the level or above it: w0 is before, and not known
};

/// The time at which a flow first crosses the level from below, between points in the order of their times:
/// interpolated linearly, the derivative is that of the parabola through a point and those on either side. Sources:
/// arXiv:1006.4518, equation (1.5); arXiv:1203.4469.
FlowScales flow_scales(std::span<const FlowPoint> points, double level = 0.3);

}  // namespace kaon
