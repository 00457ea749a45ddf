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
    for (const MeasuredHadron& hadron : input.hadrons) result_.correlators.push_back({hadron});
  }

  Measurement run() {
    const std::size_t all = result_.sources.size();
    if (!input_.sloppy) {
      measure({0, all}, {}, &HadronCorrelators::values);
      return std::move(result_);
    }
    const std::size_t exact = static_cast<std::size_t>(input_.sloppy->exact);
    measure({0, exact}, {}, &HadronCorrelators::exact);
    // The bias is that of one method.
    for (std::size_t k = 0; k < solvers_.groups().size(); ++k) solvers_.settle_method(k);
    // The exact ones are solved for in the same batches twice: equal accuracies have equal digits.
    measure({0, exact}, input_.sloppy->accuracy, &HadronCorrelators::sloppy);
    measure({exact, all}, input_.sloppy->accuracy, &HadronCorrelators::sloppy);
    if (result_.failure.empty()) correct(all, exact);
    return std::move(result_);
  }

 private:
  using Values = std::vector<std::complex<double>>;
  using Estimate = Values HadronCorrelators::*;

  /// Sources, whose right-hand sides may be solved together.
  struct Batch {
    std::size_t first, last;
    int count() const { return static_cast<int>(last - first); }
  };

  /// Appends the correlators of sources to an estimate.
  void measure(Batch sources, const SolveAccuracy& accuracy, Estimate estimate) {
    const auto together = static_cast<std::size_t>(input_.sources.together);
    for (std::size_t first = sources.first; first < sources.last; first += together) {
      const Batch batch{first, std::min(first + together, sources.last)};
      std::vector<SpinorField<double>> propagators = solve(batch, accuracy);
      if (!result_.failure.empty()) return;
      for (int k = 0; k < batch.count(); ++k) {
        std::vector<SpinorField<double>> of_source;
        for (SpinorField<double>& all : propagators) {
          const int columns = all.right_hand_sides() / batch.count();
          of_source.push_back(all.range(k * columns, columns));
        }
        contract(of_source, batch.first + static_cast<std::size_t>(k), accuracy, estimate);
        if (!result_.failure.empty()) return;
      }
    }
  }

  /// arXiv:1208.4349, eq. (3): the mean over all sloppy estimates and that of exact - sloppy over the exact ones.
  void correct(std::size_t all, std::size_t exact) {
    for (HadronCorrelators& each : result_.correlators) {
      const std::size_t size = each.sloppy.size() / all;
      each.correction.resize(size);
      for (std::size_t n = 0; n < exact * size; ++n) {
        each.correction[n % size] += (each.exact[n] - each.sloppy[n]) / static_cast<double>(exact);
      }
      each.values = each.sloppy;
      for (std::size_t n = 0; n < all * size; ++n) each.values[n] += each.correction[n % size];
    }
  }

  QuarkSolvers make_solvers(const GaugeField<double>& links) const {
    const detail::Phase phase(detail::PhaseName::setup);
    std::vector<FermionParameters> parameters;
    for (const MeasuredQuark& quark : input_.quarks) parameters.push_back(quark.parameters);
    PropagateOptions options{.solver = input_.solver};
    options.solver.on_iteration = hooks_.on_iteration;
    return QuarkSolvers(quark_groups(links, parameters), options);
  }

  /// The propagators of all quarks from some sources, in the order of the input. Empty after a failure.
  std::vector<SpinorField<double>> solve(const Batch& batch, const SolveAccuracy& accuracy) {
    std::vector<std::optional<SpinorField<double>>> found(input_.quarks.size());
    std::optional<SpinorField<double>> eta;
    for (std::size_t k = 0; k < solvers_.groups().size(); ++k) {
      const QuarkGroup& group = solvers_.groups()[k];
      solvers_.set_up(k);
      set_sources_of(eta, batch, group.quark->domain().spins);
      std::string names;
      for (const std::size_t place : group.places) names += (names.empty() ? "" : ", ") + input_.quarks[place].name;
      report(names, batch.first, accuracy);
      std::vector<QuarkPropagators<double>> quarks = solvers_.propagate(k, *eta, wanted_, accuracy);
      for (std::size_t n = 0; n < quarks.size(); ++n) {
        found[group.places[n]].emplace(std::move(quarks[n].propagators.front().field));
        add_solves(group.places[n], batch, quarks[n].solve, accuracy);
      }
      if (!result_.failure.empty()) return {};
    }
    std::vector<SpinorField<double>> propagators;
    for (auto& field : found) propagators.push_back(std::move(*field));
    return propagators;
  }

  /// Quarks with equally many spins have the same sources.
  void set_sources_of(std::optional<SpinorField<double>>& eta, const Batch& batch, int spins) const {
    if (eta && eta->spins() == spins) return;
    const int columns = spins * colors;
    eta.emplace(smearing_links_.lattice(),
                SpinorParameters{.spins = spins, .right_hand_sides = batch.count() * columns});
    for (int k = 0; k < batch.count(); ++k) {
      SpinorField<double> one = eta->range(k * columns, columns);
      set_sources(one, result_.sources[batch.first + static_cast<std::size_t>(k)], smearing_links_);
    }
  }

  /// The sequential propagator of one quark from one source.
  SpinorField<double> solve_sequential(std::size_t quark, std::size_t source, const SpinorField<double>& eta,
                                       const SolveAccuracy& accuracy) {
    report(input_.quarks[quark].name, source, accuracy);
    QuarkPropagators<double> found = solvers_.propagate_one(quark, eta, wanted_, accuracy);
    add_solves(quark, {source, source + 1}, found.solve, accuracy);
    return std::move(found.propagators.front().field);
  }

  void report(const std::string& quarks, std::size_t source, const SolveAccuracy& accuracy) const {
    if (!hooks_.on_solve) return;
    hooks_.on_solve(quarks + (accuracy == SolveAccuracy{} ? "" : " (sloppy)"), source, result_.sources.size());
  }

  /// A solve for the right-hand sides of several sources, as one of each source.
  void add_solves(std::size_t quark, const Batch& batch, const SolveResult& solve, const SolveAccuracy& accuracy) {
    const bool sloppy = accuracy != SolveAccuracy{};
    const double tolerance = accuracy.tolerance > 0.0 ? accuracy.tolerance : input_.solver.tolerance;
    const std::size_t count = batch.last - batch.first, columns = solve.right_hand_sides.size() / count;
    for (std::size_t source = batch.first; source < batch.last; ++source) {
      MeasuredSolve one{input_.quarks[quark].name, source, {}, sloppy};
      one.result.seconds = solve.seconds / static_cast<double>(count);
      const std::size_t first = (source - batch.first) * columns;
      for (std::size_t n = 0; n < columns; ++n) {
        one.result.right_hand_sides.push_back(solve.right_hand_sides[first + n]);
      }
      if (accuracy.iterations == 0 && !one.result.converged() && result_.failure.empty()) {
        result_.failure = fmt::format(
            "quark {}, source {}: the solve did not reach {}.tolerance = {} (largest true residual {:.2e} after {} "
            "iterations): raise it or solver.max_iterations",
            input_.quarks[quark].name, source, sloppy ? "sloppy" : "solver", tolerance, one.result.true_residual(),
            one.result.iterations());
      }
      result_.solves.push_back(std::move(one));
      if (hooks_.on_solved) hooks_.on_solved(result_.solves.back());
    }
  }

  /// Appends the correlators of one source, sink after sink.
  void contract(std::vector<SpinorField<double>>& propagators, std::size_t number, const SolveAccuracy& accuracy,
                Estimate estimate) {
    const SourceParameters& source = result_.sources[number];
    std::vector<std::string> sinks{"point"};
    for (const MeasuredSink& sink : input_.sinks) sinks.push_back(sink.name);
    std::vector<std::vector<Values>> values(sinks.size());  // [sink][hadron]
    for (std::size_t n = 0; n < sinks.size(); ++n) {
      std::vector<SpinorField<double>> at_sink;
      if (n > 0) at_sink = smeared(propagators, input_.sinks[n - 1]);
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
                                                   return solve_sequential(quark, number, eta, accuracy);
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
        Values& all = result_.correlators[k].*estimate;
        all.insert(all.end(), values[place][k].begin(), values[place][k].end());
      }
    }
  }

  /// Smears the propagators of the quarks that have this sink in a hadron; the others are `propagators` themselves.
  std::vector<SpinorField<double>> smeared(std::vector<SpinorField<double>>& propagators,
                                           const MeasuredSink& sink) const {
    std::vector<bool> is_used(propagators.size());
    for (const MeasuredHadron& hadron : input_.hadrons) {
      if (std::ranges::find(hadron.sinks, sink.name) == hadron.sinks.end()) continue;
      for (const std::size_t quark : hadron.quarks) is_used[quark] = true;
    }
    std::vector<SpinorField<double>> result;
    for (std::size_t quark = 0; quark < propagators.size(); ++quark) {
      SpinorField<double>& propagator = propagators[quark];
      if (!is_used[quark]) {
        result.push_back(propagator.range(0, propagator.right_hand_sides()));
        continue;
      }
      GaussianSmearingParameters parameters = sink.smearing;
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
