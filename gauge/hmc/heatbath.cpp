// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/lattice/agreement.hpp"
#include "core/launch/launch.hpp"
#include "gauge/hmc/heatbath_kernels.hpp"
#include "gauge/unitary_links.hpp"

#include <kaon/core/error.hpp>
#include <kaon/gauge/heatbath.hpp>
#include <kaon/gauge/unitarity.hpp>

#include <fmt/format.h>

#include <cmath>

namespace kaon {
namespace {

/// Updates every link by `rule`: links of one direction and one parity do not meet in a plaquette. `updated(mu)` is
/// called when those of one parity are done.
template <class Links, class Rule, class Updated>
void sweep(const char* label, const Lattice& lattice, const Links& near, const Rule& rule, const Updated& updated) {
  for (int mu = 0; mu < directions; ++mu) {
    for (const int parity : {0, 1}) {
      const detail::UpdateKernel<Links, Rule> kernel{near, rule, parity, mu};
      detail::for_each_site(label, lattice.execution(), near.node.half_volume, 1, kernel);
      updated(mu);
    }
  }
}

/// If directions are partitioned, the sweep uses a copy, whose layers follow every change.
template <class V, class Rule>
void sweep(const char* label, GaugeField<double>& links, const Rule& rule) {
  const Lattice& lattice = links.lattice();
  if (!lattice.is_partitioned()) {
    return sweep(label, lattice, detail::NearLinks<double, V>(links), rule, [](int) {});
  }
  const Coordinates& lane_grid = lattice.lane_grid<double>();
  detail::GhostBox<double> box(lattice, lane_grid, {1, 1, 1, 1}, detail::link_reals);
  detail::fill_box(box, links);
  box.exchange();
  constexpr int reals = detail::link_reals / directions;
  sweep(label, lattice, detail::GhostNearLinks<double, V>(box, lane_grid), rule,
        [&](int mu) { box.exchange(reals * mu, reals); });
  detail::take_from_box(links, box);
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
  detail::require_same(links.lattice().communicator(), "updates",
                       fmt::format("number {}, seed {}, beta {}, {} of overrelaxation", parameters.update,
                                   parameters.seed, parameters.beta, parameters.overrelaxation_sweeps));
  require(parameters.overrelaxation_sweeps >= 0, [&] {
    return fmt::format("an update cannot have {} sweeps of overrelaxation: 0 or more are possible",
                       parameters.overrelaxation_sweeps);
  });
  detail::require_su3(links, "an update");
  heatbath_sweep(links, {.beta = parameters.beta, .seed = parameters.seed, .sweep = parameters.update});
  for (int sweep = 0; sweep < parameters.overrelaxation_sweeps; ++sweep) overrelaxation_sweep(links);
  reunitarize(links);
}

}  // namespace kaon
