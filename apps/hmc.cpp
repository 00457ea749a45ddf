// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/ensemble_run.hpp"

#include <kaon/core/error.hpp>
#include <kaon/gauge/plaquette.hpp>
#include <kaon/hmc/gauge_action.hpp>
#include <kaon/hmc/hybrid_monte_carlo.hpp>
#include <kaon/hmc/two_flavor_action.hpp>

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>

namespace kaon::apps {
namespace {

struct HmcOptions {
  EnsembleOptions run;
  double beta = 0;
  std::string gauge_action = "wilson";
  std::optional<double> kappa, mass;
  std::optional<double> mu;
  double csw = 0;
  std::string boundary = "periodic,periodic,periodic,antiperiodic";
  std::string hasenbusch;
  double length = 1;
  std::string integrator = "omelyan";
  std::string steps;
  int accept_first = 0;
  int check_reversal = 0;
  std::string solver = "auto";
  double tolerance = 1e-10;
  double force_tolerance = 1e-8;
};

/// What the options come to.
struct HmcPlan {
  std::optional<FermionParameters> quarks;
  std::vector<double> mu;
  std::vector<int> steps;
};

LoopWeights weights_of(const std::string& action) {
  if (action == "symanzik") return symanzik_weights;
  if (action == "iwasaki") return iwasaki_weights;
  return action == "dbw2" ? dbw2_weights : wilson_weights;
}

Integrator integrator_of(const std::string& name) {
  if (name == "leapfrog") return Integrator::leapfrog;
  return name == "fourth-order" ? Integrator::fourth_order : Integrator::omelyan;
}

std::vector<int> parse_steps(const std::string& text) {
  std::vector<int> steps;
  for (const double number : parse_numbers("--steps", text)) {
    if (number < 1 || number > 1e6 || number != std::floor(number)) {
      throw usage_error(fmt::format("--steps: {} is not a number of steps", number));
    }
    steps.push_back(static_cast<int>(number));
  }
  return steps;
}

FermionAction fermion_action(const HmcOptions& given) {
  if (given.mu) return given.csw != 0 ? FermionAction::twisted_clover : FermionAction::twisted_mass;
  return given.csw != 0 ? FermionAction::wilson_clover : FermionAction::wilson;
}

HmcPlan plan_of(const HmcOptions& given) {
  HmcPlan plan;
  if (given.kappa && given.mass) throw usage_error("--mass and --kappa are both given: give one of them");
  if (given.kappa || given.mass) {
    try {
      const double mass = given.kappa ? mass_from_kappa(*given.kappa) : *given.mass;
      plan.quarks = {.action = fermion_action(given),
                     .mass = mass,
                     .mu = given.mu.value_or(0.0),
                     .csw = given.csw,
                     .boundary = parse_boundary("--boundary", given.boundary)};
    } catch (const Error& error) {
      throw usage_error(fmt::format("--kappa: {}", error.what()));
    }
  } else {
    if (given.mu) throw usage_error("--mu: without --kappa or --mass there are no quarks");
    if (given.csw != 0) throw usage_error("--csw: without --kappa or --mass there are no quarks");
    if (!given.hasenbusch.empty()) throw usage_error("--hasenbusch: without --kappa or --mass there are no quarks");
  }
  if (!given.hasenbusch.empty()) plan.mu = parse_numbers("--hasenbusch", given.hasenbusch);
  for (std::size_t k = 0; k < plan.mu.size(); ++k) {
    const bool falls = plan.mu[k] > 0 && (k == 0 || plan.mu[k] < plan.mu[k - 1]);
    if (!falls) throw usage_error(fmt::format("--hasenbusch: {}: give falling numbers above 0", given.hasenbusch));
  }
  if (given.mu && !plan.mu.empty()) throw usage_error("--hasenbusch: the determinant of twisted quarks is not split");
  const std::size_t terms = plan.quarks ? plan.mu.size() + 1 : 0;
  plan.steps = given.steps.empty() ? (plan.quarks ? std::vector{8, 4} : std::vector{10}) : parse_steps(given.steps);
  const std::size_t fewest = plan.quarks ? 2 : 1, most = terms + 1;
  if (plan.steps.size() != fewest && plan.steps.size() != most) {
    throw usage_error(fmt::format(
        "--steps: {} numbers for {}: give {}{}", plan.steps.size(),
        plan.quarks ? fmt::format("{} terms of quarks and the gauge action", terms) : std::string("the gauge action"),
        fewest, fewest == most ? "" : fmt::format(" or {}", most)));
  }
  return plan;
}

/// The terms of quarks, that with the smallest mu first, on one scale or one each; the gauge action on the last.
std::vector<TimeScale> time_scales(const HmcOptions& options, const HmcPlan& plan) {
  const Integrator integrator = integrator_of(options.integrator);
  std::vector<TimeScale> scales;
  for (const int steps : plan.steps) scales.push_back({.terms = {}, .steps = steps, .integrator = integrator});
  if (plan.quarks) {
    const KrylovMethod method = options.solver == "multigrid"  ? KrylovMethod::multigrid
                                : options.solver == "bicgstab" ? KrylovMethod::bicgstab
                                                               : KrylovMethod::automatic;
    const auto terms = two_flavor_terms(
        *plan.quarks, plan.mu,
        {.tolerance = options.tolerance, .force_tolerance = options.force_tolerance, .method = method});
    for (std::size_t k = 0; k < terms.size(); ++k) scales[std::min(k, scales.size() - 2)].terms.push_back(terms[k]);
  }
  scales.back().terms.push_back(std::make_shared<GaugeAction>(options.beta, weights_of(options.gauge_action)));
  return scales;
}

Json to_json(const HmcOptions& options, const HmcPlan& plan) {
  Json json{{"beta", options.beta}, {"gauge-action", options.gauge_action}};
  if (plan.quarks) {
    json.update({{"mass", plan.quarks->mass},
                 {"mu", plan.quarks->mu},
                 {"csw", options.csw},
                 {"boundary", describe(plan.quarks->boundary)},
                 {"hasenbusch", plan.mu},
                 {"solver", options.solver},
                 {"tolerance", options.tolerance},
                 {"force-tolerance", options.force_tolerance}});
  }
  json.update({{"length", options.length},
               {"integrator", options.integrator},
               {"steps", plan.steps},
               {"accept-first", options.accept_first}});
  return json;
}

Exit hmc(const Session& session, const HmcOptions& options, const HmcPlan& plan) {
  const EnsembleParameters& ensemble = options.run.ensemble;
  const std::vector<TimeScale> scales = time_scales(options, plan);
  HybridMonteCarlo trajectories(scales, {.length = options.length, .seed = ensemble.seed});
  HybridMonteCarlo accepted(scales, {.length = options.length, .seed = ensemble.seed, .accept_all = true});
  const auto describe_run = [&](const Lattice&) {
    say(session, "hybrid Monte Carlo, {} lattice, trajectories of length {}, {}\n", to_string(ensemble.extents),
        options.length, options.integrator);
    for (const TimeScale& scale : scales) {
      for (const auto& term : scale.terms) say(session, "{:>5} steps: {}\n", scale.steps, term->name());
    }
    say(session, "{} trajectories and {} before them to thermalize, from a {} start with seed {}\n",
        options.run.output.updates, ensemble.thermalization, ensemble.start, ensemble.seed);
  };
  const auto update = [&](GaugeField<double>& links, int number) -> EnsembleUpdate {
    const auto n = static_cast<std::uint32_t>(number);
    if (options.check_reversal > 0 && number % options.check_reversal == 0) {
      const Reversal back = trajectories.reverse(links, n);
      say(session, "{:>10}  there and back: dH = {:.1e}, links to {:.1e}\n", "", back.delta_energy, back.links);
    }
    HybridMonteCarlo& by = number <= options.accept_first ? accepted : trajectories;
    const TrajectoryReport report = by.trajectory(links, n);
    return {{report.plaquette, report.delta_energy, report.accepted ? 1.0 : 0.0},
            fmt::format("  {:>12.6f}  {:>8}  {:>10}", report.delta_energy, report.accepted ? "yes" : "no",
                        report.iterations)};
  };
  const auto summarize = [&](const EnsembleState& state) {
    std::vector<double> weights;
    for (const double change : state.series[1]) weights.push_back(std::exp(-change));
    const BinnedMean mean = binned_mean(weights);
    const double taken = std::accumulate(state.series[2].begin(), state.series[2].end(), 0.0);
    say(session, "{:.1f} % accepted, <exp(-dH)> = {:.4f}{}\n",
        100.0 * taken / static_cast<double>(state.series[2].size()), mean.mean,
        mean.error ? fmt::format(" +- {:.4f}", *mean.error) : "");
  };
  try {
    return run_ensemble(session, options.run,
                        {.noun = "trajectory",
                         .count_option = "trajectories",
                         .progress = fmt::format("  {:>12}  {:>8}  {:>10}", "dH", "accepted", "iterations"),
                         .options = to_json(options, plan),
                         .series = {"plaquettes", "delta_energies", "accepted"},
                         .describe = describe_run,
                         .update = update,
                         .summarize = summarize});
  } catch (const TrajectoryError& error) {
    throw Failure(Exit::not_converged, error.what());
  }
}

void add_action_options(const Command& command, HmcOptions& options) {
  const char* group = "Action";
  command.add_option("--beta", options.beta, "Coupling 6/g^2 of the gauge action")
      .required()
      .check(not_negative())
      .group(group);
  add_choice(command, "--gauge-action", options.gauge_action, {"wilson", "symanzik", "iwasaki", "dbw2"},
             "Loops of the gauge action")
      .group(group);
  command.add_option("--kappa", options.kappa, "Two flavours of quarks, kappa = 1/(2 (4 + m))").group(group);
  command.add_option("--mass", options.mass, "The same by their mass; neither: the gauge action alone").group(group);
  command.add_option("--mu", options.mu, "Twisted mass: the flavours are a doublet of mu and -mu").group(group);
  command.add_option("--csw", options.csw, "Clover coefficient c_sw; 0: Wilson quarks")
      .capture_default_str()
      .group(group);
  command.add_option("--boundary", options.boundary, "Of the quarks: periodic, antiperiodic or angles")
      .type_name("X,Y,Z,T")
      .capture_default_str()
      .group(group);
  command.add_option("--hasenbusch", options.hasenbusch, "Falling mu that split the determinant into ratios")
      .type_name("MU[,MU...]")
      .group(group);
}

void add_trajectory_options(const Command& command, HmcOptions& options) {
  const char* group = "Trajectories";
  command.add_option("--length", options.length, "Of a trajectory")
      .check(positive())
      .capture_default_str()
      .group(group);
  add_choice(command, "--integrator", options.integrator, {"leapfrog", "omelyan", "fourth-order"}, "Of all time scales")
      .group(group);
  command.add_option("--steps", options.steps, "Of each time scale: quarks (or each of their terms), gauge action")
      .type_name("N[,N...]")
      .group(group);
  command.add_option("--accept-first", options.accept_first, "So many trajectories are accepted whatever dH is")
      .check(not_negative())
      .capture_default_str()
      .group(group);
  command
      .add_option("--check-reversal", options.check_reversal,
                  "Trajectories between those that are run there and back; 0: none")
      .check(not_negative())
      .capture_default_str()
      .group(group);
  group = "Solver";
  add_choice(command, "--solver", options.solver, {"auto", "bicgstab", "multigrid"}, "Of systems without mu")
      .group(group);
  command.add_option("--tolerance", options.tolerance, "Of solves for dH")
      .check(positive())
      .capture_default_str()
      .group(group);
  command.add_option("--force-tolerance", options.force_tolerance, "Of solves for forces")
      .check(positive())
      .capture_default_str()
      .group(group);
}

}  // namespace

void add_hmc(CLI::App& program, Action& action) {
  const Command command(program, "hmc", "Generate gauge fields with two flavours of quarks by hybrid Monte Carlo");
  auto options = std::make_shared<HmcOptions>();
  add_lattice_options(command, options->run);
  add_count_options(command, options->run, "trajectories", "Trajectories");
  add_action_options(command, *options);
  add_trajectory_options(command, *options);
  options->run.report_every = 1;
  add_run_options(command, options->run);
  command.callback([options, &action] {
    check(options->run);
    const auto plan = std::make_shared<HmcPlan>(plan_of(*options));
    action = [options, plan](const Session& session) { return hmc(session, *options, *plan); };
  });
}

}  // namespace kaon::apps
