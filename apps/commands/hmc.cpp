// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/ensemble/hmc_tuning.hpp"

#include <kaon/hmc/hybrid_monte_carlo.hpp>

#include <algorithm>
#include <cmath>
#include <exception>
#include <memory>
#include <numeric>
#include <string>
#include <utility>

namespace kaon::apps {
namespace {

/// A message of the library with options for its parameters.
std::string by_options(std::string message) {
  for (const auto& [text, option] :
       {std::pair<std::string, std::string>("`largest_eigenvalue`", "--eigenvalues 0,HIGH"),
        {"widen the range", "widen the range, --eigenvalues LOW,HIGH"}}) {
    if (const auto at = message.find(text); at != std::string::npos) message.replace(at, text.size(), option);
  }
  return message;
}

/// A term whose trajectories end by `UpdateDropped` where the run is to stop.
class StoppableTerm final : public ActionTerm {
 public:
  StoppableTerm(std::shared_ptr<ActionTerm> term, RunClock& clock) : term_(std::move(term)), clock_(clock) {}

  std::string name() const override { return term_->name(); }
  double draw(const GaugeField<double>& links, const RandomKey& key) override {
    clock_.within_update();
    return term_->draw(links, key);
  }
  double value(const GaugeField<double>& links) override {
    clock_.within_update();
    return term_->value(links);
  }
  void add_force(GaugeField<double>& matrices, const GaugeField<double>& links) override {
    clock_.within_update();
    term_->add_force(matrices, links);
  }
  void set_forecast(int solutions) override { term_->set_forecast(solutions); }
  long iterations() const override { return term_->iterations(); }

 private:
  std::shared_ptr<ActionTerm> term_;
  RunClock& clock_;
};

std::vector<TimeScale> stoppable(std::vector<TimeScale> scales, RunClock& clock) {
  for (TimeScale& scale : scales) {
    for (auto& term : scale.terms) term = std::make_shared<StoppableTerm>(term, clock);
  }
  return scales;
}

/// The mean of exp(-dH).
ChainMean mean_exponential(const std::vector<double>& changes) {
  std::vector<double> weights;
  for (const double change : changes) weights.push_back(std::exp(-change));
  return chain_mean(weights);
}

double percent_accepted(const std::vector<double>& accepted) {
  return 100.0 * std::accumulate(accepted.begin(), accepted.end(), 0.0) / static_cast<double>(accepted.size());
}

/// Columns of all trajectories that count: how many of them are accepted, and <exp(-dH)>.
std::string describe_running(const EnsembleProgress& run) {
  if (run.series[1].empty()) return fmt::format("  {:>6}  {:>18}", "", "");
  const ChainMean mean = mean_exponential(run.series[1]);
  return fmt::format("  {:>6.1f}  {:>18}", percent_accepted(run.series[2]),
                     std::isfinite(mean.mean) ? describe_value(mean) : "too large");
}

/// "<exp(-dH)> = 1.0021", with its error, or why there is no such number.
std::string describe_exponentials(const std::vector<double>& changes) {
  const ChainMean mean = mean_exponential(changes);
  if (std::isfinite(mean.mean)) return "<exp(-dH)> = " + describe(mean);
  return fmt::format("<exp(-dH)> is too large a number: dH is down to {:.1f}, far from equilibrium (--thermalization)",
                     *std::ranges::min_element(changes));
}

/// Says by which factor the steps of the first time scale should change for an acceptance of 80 %.
std::string advise_steps(const std::vector<double>& changes, const std::vector<TimeScale>& scales) {
  const ChainMean mean = chain_mean(changes);
  if (!mean.error || *mean.error == 0.0) return "";
  double variance = 0.0;
  for (const double change : changes) variance += (change - mean.mean) * (change - mean.mean);
  variance /= static_cast<double>(changes.size() - 1);
  const double factor = std::pow(std::sqrt(variance) / width_of_acceptance(0.8), 1.0 / order_of(scales));
  return fmt::format("; 80 % of acceptance takes {:.2f} times the steps of the first time scale", factor);
}

/// Returns the result of `action`, whose errors name options.
template <class Action>
Exit with_option_names(const Action& action) {
  try {
    return action();
  } catch (const TrajectoryError& error) {
    if (error.failure() == TrajectoryFailure::solve) throw Failure(Exit::not_converged, by_options(error.what()));
    if (error.failure() == TrajectoryFailure::term) throw usage_error(error.what());
    throw usage_error(fmt::format(
        "--steps: the integration of trajectories fails; give more steps, or a smaller --length: {}", error.what()));
  } catch (const Error& error) {  // a quark on the links that it was given
    throw usage_error(error.what());
  }
}

Exit hmc(const Session& session, const HmcOptions& options, const HmcPlan& plan) {
  const EnsembleParameters& ensemble = options.run.ensemble;
  RunClock clock = run_clock(session, options.run);
  const std::vector<TimeScale> scales = stoppable(time_scales(options, plan), clock);
  HybridMonteCarloParameters parameters{.length = options.length, .seed = ensemble.seed, .forecast = options.forecast};
  HybridMonteCarlo trajectories(scales, parameters);
  parameters.accept_all = true;
  HybridMonteCarlo accepted(scales, parameters);
  const auto describe_run = [&](const Lattice&) {
    say(session, "hybrid Monte Carlo, {} lattice, trajectories of length {}, {}\n", to_string(ensemble.extents),
        options.length, options.integrator);
    for (const TimeScale& scale : scales) {
      for (const auto& term : scale.terms) say(session, "{:>5} steps: {}\n", scale.steps, term->name());
    }
    say(session, "{} trajectories and {} before them to thermalize, from a {} start with seed {}\n",
        options.run.output.updates, ensemble.thermalization, ensemble.start, ensemble.seed);
  };
  const auto update = [&](GaugeField<double>& links, int number) {
    const auto n = static_cast<std::uint32_t>(number);
    try {
      if (options.check_reversal > 0 && number % options.check_reversal == 0) {
        const Reversal back = trajectories.reverse(links, n);
        say(session, "{:>10}  there and back: dH = {:.1e}, links to {:.1e}{}\n", "", back.delta_energy, back.links,
            options.forecast > 0 ? fmt::format("; iterations of forces: {}, without forecasts {}", back.iterations,
                                               back.without_forecast)
                                 : "");
      }
      const TrajectoryReport report = (number <= options.accept_first ? accepted : trajectories).trajectory(links, n);
      return EnsembleUpdate{{report.plaquette, report.delta_energy, report.accepted ? 1.0 : 0.0},
                            fmt::format("  {:>12.6f}  {:>8}  {:>10}  {:>9.3f}", report.delta_energy,
                                        report.accepted ? "yes" : "no", report.iterations, report.seconds)};
    } catch (const TrajectoryError&) {  // all processes throw it, and the links are unchanged
      throw UpdateDropped{std::current_exception()};
    }
  };
  const auto summarize = [&](const EnsembleState& state) {
    say(session, "{:.1f} % accepted, {}\ndH = {}{}\n", percent_accepted(state.series[2]),
        describe_exponentials(state.series[1]), describe(chain_mean(state.series[1])),
        advise_steps(state.series[1], scales));
    if (percent_accepted(state.series[2]) > 0.0) return;
    say(session,
        "warning: none of these trajectories was accepted, so they did not change the links: give more --steps, and "
        "--accept-first for the start of a chain\n");
  };
  return with_option_names([&] {
    return run_ensemble(
        session, options.run,
        {.noun = "trajectory",
         .nouns = "trajectories",
         .count_option = "trajectories",
         .progress = fmt::format("  {:>12}  {:>8}  {:>10}  {:>9}  {:>6}  {:>18}", "dH", "accepted", "iterations",
                                 "seconds", "acc. %", "<exp(-dH)>"),
         .options = to_json(options, plan),
         .series = {"plaquettes", "delta_energies", "accepted"},
         .describe = describe_run,
         .update = update,
         .running = describe_running,
         .summarize = summarize,
         .option_behind = [&](const std::string& name, const Json& run) { return option_behind(options, name, run); }},
        clock);
  });
}

std::function<Action()> declare_hmc(const Command& command) {
  auto options = std::make_shared<HmcOptions>();
  add_lattice_options(command.in_group("Ensemble"), options->run);
  add_count_options(command.in_group("Ensemble"), options->run, "trajectories", "Trajectories");
  add_hmc_options(command, *options);
  options->run.report_every = 1;
  add_run_options(command, options->run, "Trajectories");
  return [options, command]() -> Action {
    options->run.named = options->quark.named = command.named_options();
    if (options->quark.numbers.csw == 0.0) options->quark.named.erase("--csw");
    check(options->run);
    const auto plan = std::make_shared<HmcPlan>(plan_of(*options));
    options->run.input.layout.reach = plan->family().reach();
    if (options->tune_steps) {
      return [options, plan](const Session& session) {
        return with_option_names([&] { return tune_steps(session, *options, *plan); });
      };
    }
    return [options, plan](const Session& session) { return hmc(session, *options, *plan); };
  };
}

const Subcommand hmc_subcommand(70, "hmc", "Generate gauge fields with quarks by hybrid Monte Carlo", declare_hmc);

}  // namespace
}  // namespace kaon::apps
