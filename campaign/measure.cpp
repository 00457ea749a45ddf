// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "campaign/contract.hpp"
#include "campaign/gammas.hpp"
#include "campaign/quark_operators.hpp"
#include "campaign/staggered_mesons.hpp"
#include "campaign/three_point.hpp"
#include "core/base/parts.hpp"
#include "core/tuning/phases.hpp"

#include <kaon/campaign/measurement.hpp>
#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>
#include <kaon/gauge/smeared_links.hpp>
#include <kaon/measure/propagate.hpp>
#include <kaon/measure/sequential.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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
        operators_(detail::quark_operators(input)),
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
  using Found = std::vector<std::optional<SpinorField<double>>>;

  /// In the order of the input.
  struct Propagators {
    std::vector<SpinorField<double>> fields;
    Found current_fields;  ///< of the quarks that need them
  };

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
      Propagators propagators = solve(batch, accuracy);
      if (!result_.failure.empty()) return;
      for (int k = 0; k < batch.count(); ++k) {
        const auto part = [&](SpinorField<double>& all) {
          const int columns = all.right_hand_sides() / batch.count();
          return all.range(k * columns, columns);
        };
        Propagators of_source;
        for (SpinorField<double>& all : propagators.fields) of_source.fields.push_back(part(all));
        for (auto& all : propagators.current_fields) {
          of_source.current_fields.emplace_back();
          if (all) of_source.current_fields.back().emplace(part(*all));
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
    PropagateOptions options{.solver = input_.solver};
    options.solver.on_iteration = hooks_.on_iteration;
    return QuarkSolvers(quark_groups(links, operators_.parameters), options);
  }

  /// The propagators of all quarks from some sources. Empty after a failure.
  Propagators solve(const Batch& batch, const SolveAccuracy& accuracy) {
    Found found(input_.quarks.size());
    Propagators propagators;
    propagators.current_fields.resize(input_.quarks.size());
    for (std::size_t k = 0; k < solvers_.groups().size(); ++k) {
      solvers_.set_up(k);
      for (const detail::QuarkSolve& solve : detail::quark_solves(input_, operators_, solvers_.groups()[k].places)) {
        solve_group(found, propagators.current_fields, k, solve, batch, accuracy);
      }
      if (!result_.failure.empty()) return {};
    }
    eta_.reset();
    add_currents(found, batch, accuracy);
    if (!result_.failure.empty()) return {};
    for (auto& field : found) propagators.fields.push_back(std::move(*field));
    return propagators;
  }

  void solve_group(Found& found, Found& of_currents, std::size_t group, const detail::QuarkSolve& solve,
                   const Batch& batch, const SolveAccuracy& accuracy) {
    const QuarkGroup& of = solvers_.groups()[group];
    set_sources_of(batch, of.quark->domain().spins, solve.momentum);
    std::string names;
    for (const std::size_t place : solve.quarks) names += (names.empty() ? "" : ", ") + input_.quarks[place].name;
    report(names, batch.first, accuracy);
    std::vector<QuarkPropagators<double>> quarks = solvers_.propagate(group, *eta_, solve.wanted, accuracy);
    for (std::size_t n = 0; n < quarks.size(); ++n) {
      std::string of_mass;
      for (const std::size_t place : solve.quarks) {
        if (operators_.of_quarks[place] != of.places[n]) continue;
        const auto take = [&](std::string_view name) {
          SpinorField<double>& field = std::ranges::find(quarks[n].propagators, name, &Propagator<double>::name)->field;
          return field.range(0, field.right_hand_sides());
        };
        found[place].emplace(take(input_.quarks[place].propagator));
        if (detail::has_current_fields(input_, place)) of_currents[place].emplace(take(current_fields));
        of_mass += (of_mass.empty() ? "" : ", ") + input_.quarks[place].name;
      }
      if (!of_mass.empty()) add_solves(of_mass, solve.quarks.front(), batch, quarks[n].solve, accuracy);
    }
  }

  /// Solves for the propagators with currents.
  void add_currents(Found& found, const Batch& batch, const SolveAccuracy& accuracy) {
    for (std::size_t place = 0; place < input_.quarks.size(); ++place) {
      const auto& current = input_.quarks[place].current;
      if (!current || !result_.failure.empty()) continue;
      const SpinorField<double>& propagator = *found[current->quark];
      SpinorField<double> eta(propagator.lattice(), propagator.parameters());
      const int columns = eta.right_hand_sides() / batch.count();
      for (int k = 0; k < batch.count(); ++k) {
        SpinorField<double> of_source = eta.range(k * columns, columns);
        const Coordinates site = result_.sources[batch.first + static_cast<std::size_t>(k)].site;
        set_current_sequential_source(of_source, propagator.range(k * columns, columns), gamma_matrix(current->gamma),
                                      {.source_site = site, .time = current->time, .momentum = current->momentum});
      }
      found[place].emplace(solve_one(place, batch, eta, accuracy));
    }
  }

  /// Quarks with equally many spins and the same momentum have the same sources.
  void set_sources_of(const Batch& batch, int spins, const SpatialMomentum& momentum) {
    const bool are_set = eta_ && eta_->spins() == spins && momentum == momentum_of_eta_ &&
                         batch.first == batch_of_eta_.first && batch.last == batch_of_eta_.last;
    if (are_set) return;
    const int columns = spins * colors;
    eta_.emplace(smearing_links_.lattice(),
                 SpinorParameters{.spins = spins, .right_hand_sides = batch.count() * columns});
    momentum_of_eta_ = momentum;
    batch_of_eta_ = batch;
    for (int k = 0; k < batch.count(); ++k) {
      SpinorField<double> one = eta_->range(k * columns, columns);
      const SourceParameters& source = result_.sources[batch.first + static_cast<std::size_t>(k)];
      set_sources(one, source, smearing_links_);
      if (momentum != SpatialMomentum{}) multiply_plane_wave(one, source.site, momentum);
    }
  }

  /// The propagators of one quark from sources that are not those of the input.
  QuarkPropagators<double> solve_one(std::size_t quark, const Batch& batch, const SpinorField<double>& eta,
                                     const SolveAccuracy& accuracy, std::span<const std::string> wanted) {
    const std::string& name = input_.quarks[quark].name;
    report(name, batch.first, accuracy);
    QuarkPropagators<double> found = solvers_.propagate_one(operators_.of_quarks[quark], eta, wanted, accuracy);
    add_solves(name, quark, batch, found.solve, accuracy);
    return found;
  }
  SpinorField<double> solve_one(std::size_t quark, const Batch& batch, const SpinorField<double>& eta,
                                const SolveAccuracy& accuracy) {
    const std::vector<std::string> wanted{"propagator"};
    return std::move(solve_one(quark, batch, eta, accuracy, wanted).propagators.front().field);
  }

  /// The propagator of a staggered quark from the source of the input with the operator of a meson on it.
  SpinorField<double> solve_from_operator(std::size_t quark, std::size_t source, const std::string& channel,
                                          const GaugeField<double>& phased, const SolveAccuracy& accuracy) {
    const Batch batch{source, source + 1};
    set_sources_of(batch, 1, input_.quarks[quark].momentum);
    SpinorField<double> eta(eta_->lattice(), eta_->parameters());
    if constexpr (detail::Parts::staggered) apply_spin_taste(eta, *eta_, phased, detail::spin_taste_of(channel));
    return solve_one(quark, batch, eta, accuracy);
  }

  void report(const std::string& quarks, std::size_t source, const SolveAccuracy& accuracy) const {
    if (!hooks_.on_solve) return;
    hooks_.on_solve(quarks, source, result_.sources.size(), accuracy != SolveAccuracy{});
  }

  /// Adds a solve for the right-hand sides of several sources as one of each source. In doublets the right-hand sides
  /// in flavour 0, of all sources, come before those in flavour 1.
  void add_solves(const std::string& names, std::size_t quark, const Batch& batch, const SolveResult& solve,
                  const SolveAccuracy& accuracy) {
    const bool sloppy = accuracy != SolveAccuracy{};
    const double tolerance = accuracy.tolerance > 0.0 ? accuracy.tolerance : input_.solver.tolerance;
    const std::size_t count = batch.last - batch.first;
    const auto columns = static_cast<std::size_t>(family_of(input_.quarks[quark].parameters.action).spins() * colors);
    for (std::size_t source = batch.first; source < batch.last; ++source) {
      MeasuredSolve one{names, source, {}, sloppy};
      one.result.seconds = solve.seconds / static_cast<double>(count);
      for (std::size_t n = 0; n < solve.right_hand_sides.size(); ++n) {
        if (n / columns % count != source - batch.first) continue;
        one.result.right_hand_sides.push_back(solve.right_hand_sides[n]);
      }
      if (accuracy.iterations == 0 && !one.result.converged() && result_.failure.empty()) {
        result_.failure = fmt::format(
            "quark {}, source {}: the solve did not reach {}.tolerance = {} (largest true residual {:.2e} after {} "
            "iterations): raise it or solver.max_iterations",
            names, source, sloppy ? "sloppy" : "solver", tolerance, one.result.true_residual(),
            one.result.iterations());
      }
      result_.solves.push_back(std::move(one));
      if (hooks_.on_solved) hooks_.on_solved(result_.solves.back());
    }
  }

  /// Appends the correlators of one source, sink after sink.
  void contract(Propagators& of_source, std::size_t number, const SolveAccuracy& accuracy, Estimate estimate) {
    std::vector<SpinorField<double>>& propagators = of_source.fields;
    const SourceParameters& source = result_.sources[number];
    std::vector<std::string> sinks{"point"};
    for (const MeasuredSink& sink : input_.sinks) sinks.push_back(sink.name);
    std::vector<std::vector<Values>> values(sinks.size());                              // [sink][hadron]
    std::map<std::pair<std::size_t, std::string>, SpinorField<double>> from_operators;  // by quark and channel
    for (std::size_t n = 0; n < sinks.size(); ++n) {
      std::vector<SpinorField<double>> at_sink;
      if (n > 0) at_sink = smeared(propagators, input_.sinks[n - 1]);
      const std::vector<SpinorField<double>>& fields = n > 0 ? at_sink : propagators;
      for (const MeasuredHadron& hadron : input_.hadrons) {
        values[n].emplace_back();
        if (std::ranges::find(hadron.sinks, sinks[n]) == hadron.sinks.end()) continue;
        if (hadron.three_point) {
          const detail::ThreePointFields of_sink{
              .links = quark_links_,
              .smearing = smearing_links_,
              .propagators = propagators,
              .at_sink = fields,
              .current_fields = of_source.current_fields,
              .sink = n > 0 ? &input_.sinks[n - 1] : nullptr,
              .source = source,
              .solve = [&](std::size_t quark, const SpinorField<double>& eta, std::span<const std::string> wanted) {
                return solve_one(quark, {number, number + 1}, eta, accuracy, wanted);
              }};
          values[n].back() = detail::three_point(hadron, input_, of_sink);
          if (!result_.failure.empty()) return;
          continue;
        }
        if (hadron.kind == "meson" && fields[hadron.quarks[0]].spins() == 1) {
          const detail::StaggeredFields of_quarks{
              quark_links_, fields[hadron.quarks[0]], fields[hadron.quarks[1]], source,
              [&](const std::string& channel, const GaugeField<double>& phased) {
                auto solved = from_operators.find({hadron.quarks[0], channel});
                if (solved == from_operators.end()) {
                  solved = from_operators
                               .emplace(std::pair(hadron.quarks[0], channel),
                                        solve_from_operator(hadron.quarks[0], number, channel, phased, accuracy))
                               .first;
                }
                return n > 0 ? smeared(solved->second, input_.sinks[n - 1]) : solved->second.range(0, colors);
              }};
          values[n].back() = detail::staggered_mesons(hadron, input_, of_quarks);
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
      result.push_back(smeared(propagator, sink));
    }
    return result;
  }

  SpinorField<double> smeared(const SpinorField<double>& propagator, const MeasuredSink& sink) const {
    GaussianSmearingParameters parameters = sink.smearing;
    parameters.stride = propagator.spins() == 1 ? 2 : 1;
    SpinorField<double> field = blas::clone(propagator);
    gaussian_smear(field, smearing_links_, parameters);
    return field;
  }

  Measurement result_;
  const MeasurementInput& input_;
  const MeasurementHooks& hooks_;
  GaugeField<double> smearing_links_, quark_links_;
  detail::QuarkOperators operators_;
  QuarkSolvers solvers_;
  // The sources of the last solve.
  std::optional<SpinorField<double>> eta_;
  SpatialMomentum momentum_of_eta_{};
  Batch batch_of_eta_{};
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
