// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/launch.hpp"
#include "gauge/heatbath_kernels.hpp"

#include <kaon/core/error.hpp>
#include <kaon/gauge/heatbath.hpp>
#include <kaon/gauge/unitarity.hpp>

#include <fmt/format.h>

#include <cmath>

namespace kaon {
namespace {

/// Updates every link by `rule`: links of one direction and one parity do not meet in a plaquette.
template <class V, class Rule>
void sweep(const char* label, GaugeField<double>& links, const Rule& rule) {
  const detail::NearLinks<double, V> near(links);
  for (int mu = 0; mu < directions; ++mu) {
    for (const Parity parity : {Parity::even, Parity::odd}) {
      double* const stream = links.data(parity) + static_cast<std::size_t>(mu) * (links.parity_size() / directions);
      const detail::UpdateKernel<double, V, Rule> kernel{near, stream, rule, static_cast<int>(parity), mu};
      detail::for_each_site(label, links.lattice().execution(), near.node.half_volume, 1, kernel);
    }
  }
}

}  // namespace

void heatbath_sweep(GaugeField<double>& links, const HeatbathParameters& parameters) {
  require(std::isfinite(parameters.beta) && parameters.beta >= 0.0, [&] {
    return fmt::format("beta = {} is not usable: it must be a number that is not negative", parameters.beta);
  });
  const RandomKey key{.seed = parameters.seed, .stream = parameters.sweep};
  detail::with_lanes<double>(links.lattice().lane_count<double>(), [&]<class V>() {
    const detail::Heatbath<V> rule{detail::SiteMap::of<double>(links.lattice()), key, parameters.beta / 3.0};
    sweep<V>("kaon::heatbath", links, rule);
  });
}

void overrelaxation_sweep(GaugeField<double>& links) {
  detail::with_lanes<double>(links.lattice().lane_count<double>(),
                             [&]<class V>() { sweep<V>("kaon::overrelaxation", links, detail::Overrelaxation<V>{}); });
}

void update(GaugeField<double>& links, const UpdateParameters& parameters) {
  heatbath_sweep(links, {.beta = parameters.beta, .seed = parameters.seed, .sweep = parameters.update});
  for (int sweep = 0; sweep < parameters.overrelaxation_sweeps; ++sweep) overrelaxation_sweep(links);
  reunitarize(links);
}

}  // namespace kaon
