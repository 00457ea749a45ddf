// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include <kaon/core/error.hpp>
#include <kaon/gauge/momenta.hpp>
#include <kaon/hmc/integrator.hpp>

#include <fmt/format.h>

#include <cmath>

namespace kaon {
namespace {

/// The kicks and drifts of a step of size 1: kick 0, drift 0, kick 1, ..., one kick more than there are drifts.
struct Step {
  std::vector<double> kicks, drifts;
};

Step step_of(Integrator integrator) {
  switch (integrator) {
    case Integrator::leapfrog:
      return {{0.5, 0.5}, {1.0}};
    case Integrator::omelyan: {
      constexpr double lambda = 0.1931833275037836;
      return {{lambda, 1.0 - 2.0 * lambda, lambda}, {0.5, 0.5}};
    }
    case Integrator::fourth_order: {
      constexpr double theta = 0.08398315262876693, rho = 0.2539785108410595, lambda = 0.6822365335719091,
                       mu = -0.03230286765269967;
      constexpr double inner = 0.5 - lambda - theta;
      return {{theta, lambda, inner, inner, lambda, theta}, {rho, mu, 1.0 - 2.0 * (mu + rho), mu, rho}};
    }
  }
  throw Error("an integrator that kaon does not know");
}

void set_zero(GaugeField<double>& field) {
  const Kokkos::View<double*, Memory, Kokkos::MemoryUnmanaged> values(field.data(), field.size());
  Kokkos::deep_copy(field.lattice().execution(), values, 0.0);
}

/// A running trajectory. A kick is delayed until the links move, so that consecutive kicks cost one force.
class Trajectory {
 public:
  Trajectory(GaugeField<double>& links, GaugeField<double>& momenta, std::span<const TimeScale> scales)
      : links_(links), momenta_(momenta), scales_(scales), matrices_(links.lattice()), waiting_(scales.size(), 0.0) {
    for (const TimeScale& scale : scales) steps_.push_back(step_of(scale.integrator));
  }

  /// Advances by `time` on scale k and all below.
  void advance(std::size_t k, double time) {
    if (k == scales_.size()) return drift(time);
    const auto& [kicks, drifts] = steps_[k];
    const double size = time / scales_[k].steps;
    for (int n = 0; n < scales_[k].steps; ++n) {
      for (std::size_t i = 0; i < drifts.size(); ++i) {
        waiting_[k] += kicks[i] * size;
        advance(k + 1, drifts[i] * size);
      }
      waiting_[k] += kicks.back() * size;
    }
  }

  void kick() {
    for (std::size_t k = 0; k < scales_.size(); ++k) {
      if (waiting_[k] == 0.0) continue;
      set_zero(matrices_);
      for (const auto& term : scales_[k].terms) term->add_force(matrices_, links_);
      kick_momenta(momenta_, matrices_, waiting_[k]);
      waiting_[k] = 0.0;
    }
  }

 private:
  void drift(double time) {
    kick();
    detail::drift_links(links_, momenta_, {.size = time});
  }

  GaugeField<double>& links_;
  GaugeField<double>& momenta_;
  std::span<const TimeScale> scales_;
  GaugeField<double> matrices_;
  std::vector<double> waiting_;  // time of the kicks that have not been made, by scale
  std::vector<Step> steps_;      // by scale
};

}  // namespace

std::string to_string(Integrator integrator) {
  switch (integrator) {
    case Integrator::leapfrog:
      return "leapfrog";
    case Integrator::omelyan:
      return "omelyan";
    case Integrator::fourth_order:
      return "fourth-order";
  }
  return "unknown";
}

void detail::require_scales(std::span<const TimeScale> scales) {
  require(!scales.empty(), "a trajectory needs at least one time scale");
  for (std::size_t k = 0; k < scales.size(); ++k) {
    require(scales[k].steps >= 1,
            [&] { return fmt::format("time scale {} has {} steps: at least one is needed", k, scales[k].steps); });
    require(!scales[k].terms.empty(), [&] { return fmt::format("time scale {} has no term of the action", k); });
    for (const auto& term : scales[k].terms) {
      require(term != nullptr, [&] { return fmt::format("a term of time scale {} is a null pointer", k); });
    }
  }
}

void integrate(GaugeField<double>& links, GaugeField<double>& momenta, std::span<const TimeScale> scales,
               double length) {
  detail::require_scales(scales);
  require(std::isfinite(length), [&] { return fmt::format("a trajectory cannot have the length {}", length); });
  Trajectory trajectory(links, momenta, scales);
  trajectory.advance(0, length);
  trajectory.kick();
}

}  // namespace kaon
