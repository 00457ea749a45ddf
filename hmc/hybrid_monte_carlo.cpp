// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/fields/link_codes.hpp"
#include "core/random/random_sequence.hpp"
#include "gauge/unitary_links.hpp"
#include "hmc/link_difference.hpp"
#include "hmc/require_scales.hpp"

#include <kaon/core/error.hpp>
#include <kaon/gauge/momenta.hpp>
#include <kaon/gauge/plaquette.hpp>
#include <kaon/gauge/unitarity.hpp>
#include <kaon/hmc/hybrid_monte_carlo.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace kaon {
HybridMonteCarlo::HybridMonteCarlo(std::vector<TimeScale> scales, const HybridMonteCarloParameters& parameters)
    : scales_(std::move(scales)), parameters_(parameters) {
  detail::require_scales(scales_);
  require(std::isfinite(parameters.length) && parameters.length > 0.0, [&] {
    return fmt::format("a trajectory cannot have the length {}: take a number above 0, such as 1", parameters.length);
  });
  for (const TimeScale& scale : scales_) {
    for (const auto& term : scale.terms) {
      require(std::find(terms_.begin(), terms_.end(), term) == terms_.end(),
              [&] { return fmt::format("a term of the action is there twice: {}", term->name()); });
      terms_.push_back(term);
    }
  }
}

HybridMonteCarlo::State HybridMonteCarlo::begin(const GaugeField<double>& links, std::uint32_t number) {
  const auto count = static_cast<std::uint32_t>(terms_.size());
  require(number <= std::numeric_limits<std::uint32_t>::max() / count - 1, [&] {
    return fmt::format("trajectory {} with {} terms has no random numbers: there are 2^32 for each seed", number,
                       count);
  });
  detail::require_storage(links.storage(), LinkStorage::full);
  detail::require_unitary(links, "hybrid Monte Carlo");
  State state{links.clone(), GaugeField<double>(links.lattice()), 0.0};
  reunitarize(state.links);
  set_gaussian_momenta(state.momenta, 1.0, {.seed = parameters_.seed, .stream = number * count});
  state.energy = kinetic_energy(state.momenta);
  for (std::uint32_t i = 0; i < count; ++i) {
    state.energy += terms_[i]->draw(state.links, {.seed = parameters_.seed, .stream = number * count + i});
  }
  return state;
}

double HybridMonteCarlo::energy(const State& state) {
  double sum = kinetic_energy(state.momenta);
  for (const auto& term : terms_) sum += term->value(state.links);
  require(std::isfinite(sum),
          [&] { return fmt::format("the energy at the end of a trajectory is {}: its steps are too large", sum); });
  return sum;
}

long HybridMonteCarlo::iterations() const {
  return std::accumulate(terms_.begin(), terms_.end(), 0L,
                         [](long sum, const auto& term) { return sum + term->iterations(); });
}

TrajectoryReport HybridMonteCarlo::trajectory(GaugeField<double>& links, std::uint32_t number) {
  const Kokkos::Timer timer;
  const long before = iterations();
  State state = begin(links, number);
  integrate(state.links, state.momenta, scales_, parameters_.length);
  TrajectoryReport report;
  report.delta_energy = energy(state) - state.energy;
  const detail::RandomSequence random({.seed = parameters_.seed, .stream = number}, detail::Purpose::acceptance, 0, 0);
  report.accepted = parameters_.accept_all || random.uniform_pair(0).re < std::exp(-report.delta_energy);
  if (report.accepted) {
    reunitarize(state.links);
    links.assign(state.links);
  }
  report.plaquette = plaquette(links).average;
  report.iterations = iterations() - before;
  report.seconds = timer.seconds();
  return report;
}

Reversal HybridMonteCarlo::reverse(const GaugeField<double>& links, std::uint32_t number) {
  State state = begin(links, number);
  const GaugeField<double> start = state.links.clone();
  integrate(state.links, state.momenta, scales_, parameters_.length);
  integrate(state.links, state.momenta, scales_, -parameters_.length);
  return {.delta_energy = energy(state) - state.energy, .links = detail::largest_difference(state.links, start)};
}

}  // namespace kaon
