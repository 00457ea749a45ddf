// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "campaign/contract.hpp"
#include "campaign/three_point.hpp"
#include "core/base/parts.hpp"
#include "core/tuning/phases.hpp"

#include <kaon/campaign/measurement.hpp>
#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>
#include <kaon/gauge/smeared_links.hpp>
#include <kaon/measure/propagate.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace kaon {
namespace {

GaugeField<double> smear_links(const GaugeField<double>& links, const MeasuredLinks& given) {
  if (given.method == "none") return links.share();
  const detail::Phase phase(detail::PhaseName::update);
  if constexpr (detail::Parts::smoothing) {
    const std::optional<int> omitted = given.in_space ? std::optional(3) : std::nullopt;
    if (given.method == "stout") {
      return stout_links(links, {.rho = given.strength, .steps = given.steps, .omitted = omitted});
    }
    if (given.method == "ape") {
      return ape_links(links, {.alpha = given.strength, .steps = given.steps, .omitted = omitted});
    }
    return hyp_links(links, {.steps = given.steps, .omitted = omitted});
  } else {
    detail::refuse_part("smoothing");
  }
}

/// Solves for one source after another by the solvers of a configuration, so that multigrid is set up once.
class Run {
 public:
  Run(const GaugeField<double>& links, const MeasurementInput& input, const std::string& name,
      const MeasurementHooks& hooks)
      : input_(input),
        hooks_(hooks),
        smearing_links_(smear_links(links, input.links)),
        quark_links_(input.links.of_quarks ? smearing_links_.share() : links.share()),
        solvers_(make_solvers(quark_links_)) {
    result_.extents = links.lattice().extents();
    result_.sources = sources_of(input, result_.extents, name);
    for (const MeasuredHadron& hadron : input.hadrons) {
      const std::size_t size = result_.sources.size() * hadron.sinks.size() * hadron.momenta.size() *
                               hadron.channels.size() * static_cast<std::size_t>(result_.extents[3]);
      result_.correlators.push_back({hadron, {}});
      result_.correlators.back().values.reserve(size);
    }
  }

  Measurement run() {
    for (std::size_t source = 0; source < result_.sources.size() && result_.failure.empty(); ++source) {
      std::vector<SpinorField<double>> propagators = solve(source);
      if (result_.failure.empty()) contract(std::move(propagators), source);
    }
    return std::move(result_);
  }

 private:
  QuarkSolvers make_solvers(const GaugeField<double>& links) const {
    const detail::Phase phase(detail::PhaseName::setup);
    std::vector<FermionParameters> parameters;
    for (const MeasuredQuark& quark : input_.quarks) parameters.push_back(quark.parameters);
    PropagateOptions options{.solver = input_.solver};
    options.solver.on_iteration = hooks_.on_iteration;
    return QuarkSolvers(quark_groups(links, parameters), options);
  }

  /// The propagators of all quarks from one source, in the order of the input.
  std::vector<SpinorField<double>> solve(std::size_t source) {
    std::vector<std::optional<SpinorField<double>>> found(input_.quarks.size());
    for (std::size_t k = 0; k < solvers_.groups().size(); ++k) {
      const QuarkGroup& group = solvers_.groups()[k];
      solvers_.set_up(k);
      const int spins = group.quark->domain().spins;
      SpinorField<double> eta(smearing_links_.lattice(), {.spins = spins, .right_hand_sides = spins * colors});
      set_sources(eta, result_.sources[source], smearing_links_);
      report(group, source);
      std::vector<QuarkPropagators<double>> quarks = solvers_.propagate(k, eta, wanted_);
      for (std::size_t n = 0; n < quarks.size(); ++n) {
        found[group.places[n]].emplace(std::move(quarks[n].propagators.front().field));
        add_solve(group.places[n], source, std::move(quarks[n].solve));
      }
      if (!result_.failure.empty()) return {};
    }
    std::vector<SpinorField<double>> propagators;
    for (auto& field : found) propagators.push_back(std::move(*field));
    return propagators;
  }

  /// The sequential propagator of one quark.
  SpinorField<double> solve_sequential(std::size_t quark, std::size_t source, const SpinorField<double>& eta) {
    if (hooks_.on_solve) hooks_.on_solve(input_.quarks[quark].name, source, result_.sources.size());
    QuarkPropagators<double> found = solvers_.propagate_one(quark, eta, wanted_);
    add_solve(quark, source, std::move(found.solve));
    return std::move(found.propagators.front().field);
  }

  void report(const QuarkGroup& group, std::size_t source) const {
    if (!hooks_.on_solve) return;
    std::string names;
    for (const std::size_t place : group.places) names += (names.empty() ? "" : ", ") + input_.quarks[place].name;
    hooks_.on_solve(names, source, result_.sources.size());
  }

  void add_solve(std::size_t quark, std::size_t source, SolveResult solve) {
    if (!solve.converged() && result_.failure.empty()) {
      result_.failure = fmt::format(
          "quark {}, source {}: the solve did not reach solver.tolerance = {} (largest true residual {:.2e} after {} "
          "iterations): raise it or solver.max_iterations",
          input_.quarks[quark].name, source, input_.solver.tolerance, solve.true_residual(), solve.iterations());
    }
    result_.solves.push_back({input_.quarks[quark].name, source, std::move(solve)});
    if (hooks_.on_solved) hooks_.on_solved(result_.solves.back());
  }

  /// Appends the correlators of one source, sink after sink.
  void contract(std::vector<SpinorField<double>> propagators, std::size_t number) {
    const SourceParameters& source = result_.sources[number];
    std::vector<std::string> sinks{"point"};
    for (const MeasuredSink& sink : input_.sinks) sinks.push_back(sink.name);
    std::vector<std::vector<std::vector<std::complex<double>>>> values(sinks.size());  // [sink][hadron]
    for (std::size_t n = 0; n < sinks.size(); ++n) {
      std::vector<SpinorField<double>> at_sink;
      if (n > 0) at_sink = smeared(propagators, input_.sinks[n - 1].smearing);
      const std::vector<SpinorField<double>>& fields = n > 0 ? at_sink : propagators;
      for (const MeasuredHadron& hadron : input_.hadrons) {
        values[n].emplace_back();
        if (std::ranges::find(hadron.sinks, sinks[n]) == hadron.sinks.end()) continue;
        if (hadron.three_point) {
          const detail::ThreePointFields of_sink{.links = quark_links_,
                                                 .smearing = smearing_links_,
                                                 .propagators = propagators,
                                                 .at_sink = fields,
                                                 .sink = n > 0 ? &input_.sinks[n - 1] : nullptr,
                                                 .source = source,
                                                 .solve = [&](std::size_t quark, const SpinorField<double>& eta) {
                                                   return solve_sequential(quark, number, eta);
                                                 }};
          values[n].back() = detail::three_point(hadron, input_, of_sink);
          if (!result_.failure.empty()) return;
          continue;
        }
        std::vector<const SpinorField<double>*> quarks;
        for (const std::size_t quark : hadron.quarks) quarks.push_back(&fields[quark]);
        values[n].back() = detail::contract(quarks, hadron, source, input_.boundary[3]);
      }
    }
    for (std::size_t k = 0; k < input_.hadrons.size(); ++k) {
      for (const std::string& sink : input_.hadrons[k].sinks) {
        const auto place = static_cast<std::size_t>(std::ranges::find(sinks, sink) - sinks.begin());
        std::vector<std::complex<double>>& all = result_.correlators[k].values;
        all.insert(all.end(), values[place][k].begin(), values[place][k].end());
      }
    }
  }

  std::vector<SpinorField<double>> smeared(const std::vector<SpinorField<double>>& propagators,
                                           GaussianSmearingParameters parameters) const {
    std::vector<SpinorField<double>> result;
    for (const SpinorField<double>& propagator : propagators) {
      parameters.stride = propagator.spins() == 1 ? 2 : 1;
      SpinorField<double>& field = result.emplace_back(propagator.lattice(), propagator.parameters());
      blas::copy(field, propagator);
      gaussian_smear(field, smearing_links_, parameters);
    }
    return result;
  }

  const std::vector<std::string> wanted_{"propagator"};
  Measurement result_;
  const MeasurementInput& input_;
  const MeasurementHooks& hooks_;
  GaugeField<double> smearing_links_, quark_links_;
  QuarkSolvers solvers_;
};

}  // namespace

Measurement measure(const GaugeField<double>& links, const MeasurementInput& input, const std::string& name,
                    const MeasurementHooks& hooks) {
  const std::vector<detail::PhaseTime> start = detail::phase_times();
  Measurement result = Run(links, input, name, hooks).run();
  for (const auto& [phase, seconds] : detail::phase_times(start)) result.seconds[detail::word_of(phase)] = seconds;
  return result;
}

}  // namespace kaon
