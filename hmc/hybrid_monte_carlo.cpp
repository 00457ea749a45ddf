// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/fields/link_codes.hpp"
#include "core/fields/recycled_memory.hpp"
#include "core/lattice/agreement.hpp"
#include "core/random/random_sequence.hpp"
#include "core/tuning/tuning.hpp"
#include "gauge/unitary_links.hpp"
#include "hmc/link_difference.hpp"

#include <kaon/core/error.hpp>
#include <kaon/gauge/momenta.hpp>
#include <kaon/gauge/observables.hpp>
#include <kaon/gauge/unitarity.hpp>
#include <kaon/hmc/hybrid_monte_carlo.hpp>
#include <kaon/solvers/solver.hpp>

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
  require(parameters.forecast >= 0,
          [&] { return fmt::format("forecasts from {} solutions: take 0 for none, or more", parameters.forecast); });
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
  std::string text = fmt::format("number {}, seed {}, length {}, {}", number, parameters_.seed, parameters_.length,
                                 parameters_.accept_all ? "all accepted" : "accepted by chance");
  if (parameters_.forecast > 0) text += fmt::format("; forecasts from {} solutions", parameters_.forecast);
  for (const TimeScale& scale : scales_) {
    text += fmt::format("; {} steps, {}", scale.steps, scheme_of(scale.integrator).word);
    for (const auto& term : scale.terms) text += ", " + term->name();
  }
  detail::require_same(links.lattice().communicator(), "trajectories", text);
  detail::require_storage(links.storage(), LinkStorage::full);
  detail::require_su3(links, "hybrid Monte Carlo");
  State state{links.clone(), GaugeField<double>(links.lattice())};
  reunitarize(state.links);
  set_gaussian_momenta(state.momenta, 1.0, {.seed = parameters_.seed, .stream = number * count});
  return state;
}

double HybridMonteCarlo::run(State& state, std::uint32_t number, int forecast, std::initializer_list<double> lengths) {
  const auto error_of = [&](TrajectoryFailure failure, const std::string& message) {
    return TrajectoryError(fmt::format("trajectory {}: {}", number, message), failure);
  };
  for (const auto& term : terms_) term->set_forecast(forecast);
  double before = kinetic_energy(state.momenta);
  std::uint32_t stream = number * static_cast<std::uint32_t>(terms_.size());
  try {
    for (const auto& term : terms_) {
      before += term->draw(state.links, {.seed = parameters_.seed, .stream = stream});
      ++stream;
    }
  } catch (const SolveError& error) {  // others are mistakes of the caller, whose links these are
    throw error_of(TrajectoryFailure::solve, error.what());
  }
  double after = 0.0;
  try {
    for (const double& length : lengths) {
      const long earlier = iterations();
      integrate(state.links, state.momenta, scales_, length);
      if (&length == lengths.begin()) state.iterations = iterations() - earlier;
    }
    after = kinetic_energy(state.momenta);
    for (const auto& term : terms_) after += term->value(state.links);
  } catch (const SolveError& error) {
    throw error_of(TrajectoryFailure::solve, error.what());
  } catch (const Error& error) {
    const bool steps = !detail::are_unitary(state.links);
    throw error_of(steps ? TrajectoryFailure::steps : TrajectoryFailure::term, error.what());
  }
  if (!std::isfinite(after - before)) {
    throw error_of(TrajectoryFailure::steps,
                   fmt::format("the energy goes from {} to {}: the steps are too large", before, after));
  }
  return after - before;
}

long HybridMonteCarlo::iterations() const {
  return std::accumulate(terms_.begin(), terms_.end(), 0L,
                         [](long sum, const auto& term) { return sum + term->iterations(); });
}

TrajectoryReport HybridMonteCarlo::trajectory(GaugeField<double>& links, std::uint32_t number) {
  const Kokkos::Timer timer;
  const double tuning_before = detail::tuning_seconds();
  const detail::RecyclingScope recycling(links.lattice());
  const long before = iterations();
  State state = begin(links, number);
  TrajectoryReport report;
  report.delta_energy = run(state, number, parameters_.forecast, {parameters_.length});
  const detail::RandomSequence random({.seed = parameters_.seed, .stream = number}, detail::Purpose::acceptance, 0, 0);
  report.accepted = parameters_.accept_all || random.uniform_pair(0).re < std::exp(-report.delta_energy);
  if (report.accepted) {
    reunitarize(state.links);
    links.assign(state.links);
  }
  report.plaquette = plaquette(links).average;
  report.iterations = iterations() - before;
  report.seconds = timer.seconds() - (detail::tuning_seconds() - tuning_before);
  return report;
}

Reversal HybridMonteCarlo::reverse(const GaugeField<double>& links, std::uint32_t number) {
  const detail::RecyclingScope recycling(links.lattice());
  State state = begin(links, number);
  const GaugeField<double> start = state.links.clone();
  Reversal reversal;
  if (parameters_.forecast > 0) {
    State from_zero{state.links.clone(), state.momenta.clone()};
    run(from_zero, number, 0, {parameters_.length});
    reversal.without_forecast = from_zero.iterations;
  }
  reversal.delta_energy = run(state, number, parameters_.forecast, {parameters_.length, -parameters_.length});
  reversal.links = detail::largest_difference(state.links, start);
  reversal.iterations = state.iterations;
  return reversal;
}

}  // namespace kaon
