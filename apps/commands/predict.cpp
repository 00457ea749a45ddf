// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/cli/command.hpp"
#include "apps/cli/option_values.hpp"
#include "apps/files/gauge_files.hpp"
#include "apps/files/prepared_files.hpp"
#include "apps/quark/quark_options.hpp"
#include "comm/network.hpp"

#include <kaon/core/error.hpp>
#include <kaon/predict/predict.hpp>

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <vector>

namespace kaon::apps {
namespace {

struct PredictInput {
  std::string size, gauge, network = "ndr", processes = "1,2,4,8,16,32,64,128,256,512", cut, solvers, iterations, json;
  std::optional<double> memory;
  QuarkOptions options{.action = "clover", .numbers = {.csw = 0.0, .u0 = 1.0}};
  PredictedQuark quark;
};

/// The families that are predicted.
const QuarkActions& predicted_actions() {
  static const QuarkActions actions(
      [](const FermionFamily& family) { return !family.reads("mu") && family.links != FamilyLinks::given; });
  return actions;
}

/// The family and the parameters of --action.
FermionParameters parse_physics(const QuarkOptions& given) {
  const FermionFamily& family = predicted_actions().family_of(given);
  const std::vector<double> masses = masses_of(given, family);
  if (masses.size() > 1) throw usage_error(fmt::format("{}: predictions are for one mass", mass_option(given)));
  FermionParameters physics = fermion_parameters(given, family);
  if (!masses.empty()) physics.mass = masses.front();
  if (!physics.b_of_slices.empty() || !physics.c_of_slices.empty()) {
    throw usage_error("--b, --c: one number for all slices is needed: others take as long");
  }
  require_possible(given, physics);
  return physics;
}

std::vector<std::string_view> solve_words() {
  std::vector<std::string_view> words;
  for (const PredictedSolve& solve : predicted_solves) words.push_back(solve.word());
  return words;
}

/// "zt": these directions are cut.
CutDirections parse_cut(const std::string& text) {
  if (text.empty()) return {};
  constexpr std::string_view names = "xyzt";
  std::array<bool, 4> directions{};
  for (const char letter : text) {
    const std::size_t mu = names.find(letter);
    if (mu == std::string_view::npos)
      throw usage_error(fmt::format("--cut: '{}' has a letter beside x, y, z, t", text));
    directions[mu] = true;
  }
  return directions;
}

PredictedSolve solve_of(const std::string& option, const std::string& word) {
  const auto found = std::ranges::find(predicted_solves, word, &PredictedSolve::word);
  if (found != predicted_solves.end()) return *found;
  throw usage_error(fmt::format("{}: '{}' is none of {}", option, word, fmt::join(solve_words(), ", ")));
}

/// The options, read.
struct PredictPlan {
  PredictInput given;
  std::optional<Coordinates> extents{};
  std::vector<int> processes{};
  CutDirections cut{};
  std::vector<PredictedSolve> solves{};
  std::map<PredictedSolve, double> iterations{};
};

/// "bicgstab=450,gcr-dd=80"
std::map<PredictedSolve, double> parse_iterations(const std::string& text) {
  std::map<PredictedSolve, double> found;
  for (const std::string& word : split(text)) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) throw usage_error(fmt::format("--iterations: '{}' has no =", word));
    const std::vector<double> number = parse_numbers("--iterations", word.substr(equals + 1));
    if (number.size() != 1 || number.front() <= 0.0) {
      throw usage_error(fmt::format("--iterations: '{}' has no positive number", word));
    }
    found[solve_of("--iterations", word.substr(0, equals))] = number.front();
  }
  return found;
}

detail::Network parse_network(const std::string& text) {
  detail::Network network;
  try {
    network = detail::parse_network(text, 1);
  } catch (const Error& error) {
    throw usage_error(fmt::format("--network: {}", error.what()));
  }
  if (network.processes != 1) {
    throw usage_error(fmt::format("--network: sums run over each of --processes, not over {}", network.processes));
  }
  return network;
}

PredictPlan make_plan(const PredictInput& given) {
  PredictPlan plan{.given = given};
  if (given.size.empty() == given.gauge.empty()) throw usage_error("--size or --gauge: one of them must be given");
  if (!given.size.empty()) plan.extents = parse_extents("--size", given.size);
  const bool has_mass = given.options.has("--mass") || given.options.has("--kappa");
  if (!given.gauge.empty() && !has_mass) throw usage_error("--gauge: needs --mass or --kappa");
  if (!given.gauge.empty() && !given.iterations.empty()) {
    throw usage_error("--iterations: they are counted on the links of --gauge");
  }
  plan.given.quark.physics = parse_physics(given.options);
  if (given.gauge.empty() && has_mass) {
    throw usage_error(
        fmt::format("{}: iterations are counted on the links of --gauge alone", mass_option(given.options)));
  }
  constexpr int most_steps = 1000;
  if (const int steps = given.quark.block_steps({KrylovMethod::gcr_dd}); steps > most_steps) {
    throw usage_error(fmt::format("--schwarz-steps: {} is more than {}", steps, most_steps));
  }
  if (given.quark.shifts > most_steps) {
    throw usage_error(fmt::format("--shifts: {} is more than {}", given.quark.shifts, most_steps));
  }
  if (!(given.quark.solver.tolerance < 1.0)) {
    throw usage_error(fmt::format("--tolerance: {} does not lie between 0 and 1", given.quark.solver.tolerance));
  }
  plan.processes = parse_counts("--processes", given.processes, "no number of processes");
  plan.cut = parse_cut(given.cut);
  const FermionFamily& family = plan.given.quark.family();
  if (given.solvers.empty()) {
    plan.given.solvers = PredictedSolve{}.suits(family) ? "bicgstab,gcr-dd" : "cg";
  }
  for (const std::string& word : split(plan.given.solvers)) {
    const PredictedSolve solve = solve_of("--solvers", word);
    if (!solve.suits(family)) {
      throw usage_error(fmt::format("--solvers: {} does not solve for --action {}", word, given.options.action));
    }
    plan.solves.push_back(solve);
  }
  const auto predicts = [&](PredictedSolve solve) {
    return std::ranges::find(plan.solves, solve) != plan.solves.end();
  };
  const auto refuse_without = [&](const char* option, bool has_meaning, const char* needed) {
    if (!has_meaning) refuse_named(given.options.named, {option}, std::string("without ") + needed);
  };
  refuse_without("--schwarz-steps", predicts({KrylovMethod::gcr_dd}), "--solvers gcr-dd");
  refuse_without("--shifts", predicts({KrylovMethod::cg, true}), "--solvers multi-shift");
  refuse_without("--tolerance", !given.gauge.empty(), "--gauge");
  plan.iterations = parse_iterations(given.iterations);
  for (const auto& [solve, number] : plan.iterations) {
    if (!predicts(solve)) {
      throw usage_error(fmt::format("--iterations: {} is none of --solvers {}", solve.word(), plan.given.solvers));
    }
  }
  (void)parse_network(given.network);
  return plan;
}

void show(const Session& session, const std::vector<Prediction>& rows) {
  say(session, "\n{:<10} {:>5} {:>12} {:>14} {:>10} {:>10} {:>10} {:>10} {:>10} {:>6} {:>11} {:>10}\n", "solver", "P",
      "grid", "local", "interior", "halo", "vectors", "sums", "iteration", "eff.", "iterations", "solve");
  for (const Prediction& row : rows) {
    const auto microseconds = [](double seconds) { return fmt::format("{:.1f}", 1e6 * seconds); };
    say(session, "{:<10} {:>5} {:>12} {:>14} {:>10} {:>10} {:>10} {:>10} {:>10} {:>6} {:>11} {:>10}{}\n",
        row.solve.word(), row.grid.count(), to_string(row.grid.processes), to_string(row.grid.local),
        microseconds(row.parts.interior), microseconds(row.parts.halo), microseconds(row.parts.vectors),
        microseconds(row.parts.sums), microseconds(row.parts.total()),
        row.efficiency ? fmt::format("{:.2f}", *row.efficiency) : "-",
        row.iterations ? fmt::format("{:.0f}", *row.iterations) : "-",
        row.iterations ? fmt::format("{:.4g} s", row.seconds()) : "-", row.note.empty() ? "" : "  " + row.note);
    for (std::size_t level = 0; level < row.times.shares.size(); ++level) {
      say(session, "{:>24} level {}: {:.1f} us of its cycle\n", "", level,
          1e6 * row.times.shares[level] * row.times.iteration);
    }
  }
}

Json json_of(const Prediction& row, const PredictedQuark& quark) {
  Json json{{"solver", row.solve.word()},
            {"precision", quark.precision_of(row.solve)},
            {"processes", row.grid.count()},
            {"grid", row.grid.processes},
            {"local_extents", row.grid.local},
            {"seconds",
             {{"interior", row.parts.interior},
              {"halo", row.parts.halo},
              {"vectors", row.parts.vectors},
              {"sums", row.parts.sums},
              {"noise", row.parts.noise},
              {"iteration", row.parts.total()}}},
            {"hop", row.times.hop},
            {"hop_with_halo", row.times.hop_with_halo},
            {"level_shares", row.times.shares},
            {"efficiency", row.efficiency ? Json(*row.efficiency) : Json()},
            {"note", row.note}};
  if (row.iterations) {
    json["iterations"] = *row.iterations;
    json["solve_seconds"] = row.seconds();
  }
  return json;
}

/// Reads the gauge field and returns the options of the library for this plan.
PredictOptions predict_options(const Session& session, const PredictPlan& plan) {
  PredictOptions options{.quark = plan.given.quark,
                         .extents = plan.extents.value_or(Coordinates{}),
                         .network = plan.given.network,
                         .processes = plan.processes,
                         .cut = plan.cut,
                         .iterations = plan.iterations,
                         .on_note = [&session](const std::string& note) { say(session, "note          {}\n", note); }};
  if (plan.given.memory) options.memory = 1e9 * *plan.given.memory;
  if (!plan.given.gauge.empty()) {
    const GaugeInputOptions input{.layout = {.grid = {}, .reach = plan.given.quark.family().reach()}};
    options.links.emplace(read_gauge_file(session, "--gauge", plan.given.gauge, input).links);
  }
  return options;
}

Exit predict(const Session& session, const PredictPlan& plan) {
  if (session.communicator().size() > 1) {
    throw usage_error("predict: one process measures for all: start it alone");
  }
  if (!plan.given.json.empty()) {
    require_other_file(session, "--json", plan.given.json, "--gauge", plan.given.gauge);
    require_writable(session, "--json", plan.given.json);
  }
  Predictor predictor(predict_options(session, plan));
  const detail::Network network = parse_network(plan.given.network);
  say(session, "lattice       {}\n", to_string(predictor.extents()));
  say(session, "network       {}: {:.3g} us and {:.4g} GB/s of messages, {:.3g} us of a stage of a sum\n", network.name,
      1e6 * network.latency, 1e-9 * network.bandwidth, 1e6 * network.sum_latency);
  const PredictedQuark& quark = plan.given.quark;
  say(session, "action        {}{}\n", plan.given.options.action,
      quark.slices() > 1 ? fmt::format(", {} slices", quark.slices()) : "");
  say(session, "prediction    from measurements of one process on this device; microseconds of an iteration in {}\n",
      quark.precision);
  Json lines = Json::array();
  for (const PredictedSolve solve : plan.solves) {
    const std::vector<Prediction> rows = predictor.predict(solve);
    show(session, rows);
    if (solve.has_shifts) {
      say(session, "shifts        {}, all of them in all iterations, in {} precision\n", quark.shifts,
          quark.precision_of(solve));
    }
    for (const Prediction& row : rows) lines.push_back(json_of(row, plan.given.quark));
    say(session, "memory        {:.3g} GB", 1e-9 * predictor.bytes(solve));
    const std::optional<double> fewest = predictor.fewest(solve);
    say(session, "{}\n", fewest ? fmt::format(", {:.10g} device{} at least", *fewest, *fewest == 1.0 ? "" : "s") : "");
  }
  if (lines.empty()) {
    throw usage_error(fmt::format("--processes: nothing can be predicted: {}", fmt::join(predictor.notes(), "; ")));
  }
  if (!plan.given.json.empty()) {
    const Json result{{"extents", predictor.extents()},
                      {"network",
                       {{"name", network.name},
                        {"latency", network.latency},
                        {"bandwidth", network.bandwidth},
                        {"sum_latency", network.sum_latency}}},
                      {"action", plan.given.options.action},
                      {"slices", quark.slices()},
                      {"shifts", quark.shifts},
                      {"precision", quark.precision},
                      {"predictions", lines},
                      {"notes", predictor.notes()},
                      {"provenance", provenance(session)}};
    write_json(session, "--json", plan.given.json, result);
  }
  return Exit::success;
}

std::function<Action()> declare_predict(const Command& command) {
  auto options = std::make_shared<PredictInput>();
  command.add_option("--size", options->size, "The lattice")->type_name("X,Y,Z,T");
  command.add_option("--gauge", options->gauge, "Or a gauge field, on which iterations are counted")->type_name("FILE");
  command.add_choice("--action", options->options.action, predicted_actions().words(), "The quark");
  add_quark_options(command, options->options,
                    {{"mass", "Quark mass"},
                     {"kappa", "Or the hopping parameter"},
                     {"csw", "Clover coefficient; default 0"},
                     {"u0", "Tadpole factor of asqtad; default 1"}});
  add_domain_wall_options(command, options->options);
  command.add_option("--network", options->network, "Its name, or us,GB/s[,us of a stage of a sum]");
  command.add_option("--processes", options->processes, "Their numbers");
  command.add_option("--cut", options->cut, "Directions that are cut, zt say; default: the fastest")
      ->type_name("[xyzt]");
  command.add_option("--solvers", options->solvers,
                     fmt::format("Of {}; default: bicgstab,gcr-dd, or cg", fmt::join(solve_words(), ", ")));
  command.add_choice("--precision", options->quark.precision, {"double", "single", "half"}, "Of the iterations");
  for_each_solver_number([&](const SolverOption& option, auto member) {
    if (!option.reads(KrylovMethod::gcr_dd) || option.reads(KrylovMethod::multigrid)) return;
    command.add_option(std::string(option.option), options->quark.solver.*member, std::string(option.text), positive());
  });
  command.add_option("--shifts", options->quark.shifts, "Of multi-shift", positive());
  command.add_option("--tolerance", options->quark.solver.tolerance, "Relative residual to reach", positive());
  command.add_option("--iterations", options->iterations, "Iterations of solves, where there is no gauge field")
      ->type_name("SOLVER=N,...");
  command.add_option("--memory", options->memory, "GB of a device", positive());
  command.add_option("--json", options->json, "Write the predictions to this file, too")->type_name("FILE");
  return [options, command]() -> Action {
    options->options.named = command.named_options();
    return [plan = make_plan(*options)](const Session& session) { return predict(session, plan); };
  };
}

const Subcommand predict_subcommand(80, "predict", "Times of solves on many processes, predicted from one",
                                    declare_predict);

}  // namespace
}  // namespace kaon::apps
