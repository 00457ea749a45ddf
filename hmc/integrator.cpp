// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include <kaon/core/error.hpp>
#include <kaon/gauge/momenta.hpp>
#include <kaon/hmc/integrator.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

namespace kaon {
namespace {

/// A drift, or a kick, of a step of size 1.
struct Stage {
  bool is_drift;
  double time;         ///< a or b
  double shift = 0.0;  ///< 2 c/b
};

std::vector<Stage> stages_of(const IntegratorScheme& scheme) {
  std::vector<Stage> stages;
  const std::size_t last = scheme.sequence.size() - 1;
  for (std::size_t i = 0; i <= last; ++i) {
    const std::size_t number =
        std::min(i, last - i) / 2;  // drifts and kicks alternate, and the second half is a mirror
    if (scheme.sequence[i] == 'A') {
      stages.push_back({.is_drift = true, .time = scheme.drifts[number]});
    } else {
      const double kick = scheme.kicks[number];
      const double gradient = scheme.sequence[i] == 'D' ? scheme.gradient : 0.0;
      stages.push_back({.is_drift = false, .time = kick, .shift = 2.0 * gradient / kick});
    }
  }
  return stages;
}

void set_zero(GaugeField<double>& field) {
  const Kokkos::View<double*, Memory, Kokkos::MemoryUnmanaged> values(field.data(), field.size());
  Kokkos::deep_copy(field.lattice().execution(), values, 0.0);
}

/// A running trajectory. A kick is delayed until the links move, so that consecutive kicks cost one force.
class Trajectory {
 public:
  Trajectory(GaugeField<double>& links, GaugeField<double>& momenta, std::span<const TimeScale> scales)
      : links_(links), momenta_(momenta), scales_(scales), matrices_(links.lattice()), waiting_(scales.size()) {
    for (const TimeScale& scale : scales) stages_.push_back(stages_of(scheme_of(scale.integrator)));
  }

  /// Advances by `time` on scale k and all below.
  void advance(std::size_t k, double time) {
    if (k == scales_.size()) return drift(time);
    const double size = time / scales_[k].steps;
    for (int n = 0; n < scales_[k].steps; ++n) {
      for (const Stage& stage : stages_[k]) {
        if (stage.is_drift) {
          advance(k + 1, stage.time * size);
        } else if (stage.shift == 0.0) {
          waiting_[k].time += stage.time * size;
        } else {  // no scheme has two of these without a drift between them
          waiting_[k].shifted_time = stage.time * size;
          waiting_[k].shift = stage.shift * size * size;
        }
      }
    }
  }

  /// Makes the kicks that wait. They commute, because none of them moves the links.
  void kick() {
    for (std::size_t k = 0; k < scales_.size(); ++k) {
      const Kick kick = std::exchange(waiting_[k], Kick{});
      if (kick.time == 0.0 && kick.shifted_time == 0.0) continue;
      compute_force(k, links_);
      if (kick.time != 0.0) kick_momenta(momenta_, matrices_, kick.time);
      if (kick.shifted_time == 0.0) continue;
      if (!shifted_) shifted_.emplace(links_.lattice());
      shifted_->assign(links_);
      detail::drift_links(*shifted_, matrices_, {.size = kick.shift});
      compute_force(k, *shifted_);
      kick_momenta(momenta_, matrices_, kick.shifted_time);
    }
  }

 private:
  /// Kicks of a scale that have not been made: P <- P + time F(U) + shifted_time F(exp(shift F(U)) U).
  struct Kick {
    double time = 0.0, shifted_time = 0.0, shift = 0.0;
  };

  void drift(double time) {
    kick();
    detail::drift_links(links_, momenta_, {.size = time});
  }

  void compute_force(std::size_t k, const GaugeField<double>& links) {
    set_zero(matrices_);
    for (const auto& term : scales_[k].terms) term->add_force(matrices_, links);
  }

  GaugeField<double>& links_;
  GaugeField<double>& momenta_;
  std::span<const TimeScale> scales_;
  GaugeField<double> matrices_;
  std::optional<GaugeField<double>> shifted_;  // links of a force gradient
  std::vector<Kick> waiting_;                  // by scale
  std::vector<std::vector<Stage>> stages_;     // by scale
};

}  // namespace

const IntegratorScheme& scheme_of(Integrator integrator) {
  const auto* const row = std::ranges::find(integrators, integrator, &IntegratorScheme::value);
  require(row != std::end(integrators), "an integrator that kaon does not know");
  return *row;
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
