// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/cli/command.hpp"
#include "apps/cli/option_values.hpp"
#include "apps/files/gauge_files.hpp"
#include "apps/files/prepared_files.hpp"
#include "apps/quark/propagator_options.hpp"
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

/// The options as given, and those of the library that they mean.
struct PredictRun {
  std::string size, gauge, processes = "1,2,4,8,16,32,64,128,256,512", cut, solvers, iterations, json;
  std::optional<double> memory;
  QuarkOptions quark{.action = "clover", .numbers = {.csw = 0.0, .u0 = 1.0}};
  PredictOptions predict{};
  std::vector<PredictedSolve> solves{};
  detail::Network network{};
};

/// The families that are predicted.
const QuarkActions& predicted_actions() {
  static const QuarkActions actions([](const FermionFamily& family) { return family.is_predicted; });
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
  if (text.find_first_not_of(names) != text.npos) {
    throw usage_error(fmt::format("--cut: '{}' has a letter beside x, y, z, t", text));
  }
  std::array<bool, 4> directions{};
  for (const char letter : text) directions[names.find(letter)] = true;
  return directions;
}

PredictedSolve solve_of(const std::string& option, const std::string& word) {
  const auto found = std::ranges::find(predicted_solves, word, &PredictedSolve::word);
  if (found != predicted_solves.end()) return *found;
  throw usage_error(fmt::format("{}: '{}' is none of {}", option, word, fmt::join(solve_words(), ", ")));
}

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
  const detail::Network network = with_value_of("--network", [&] { return detail::parse_network(text, 1); });
  if (network.processes == 1) return network;
  throw usage_error(fmt::format("--network: sums run over each of --processes, not over {}", network.processes));
}

/// The links of --gauge replace --size and --iterations, and --tolerance is for iterations on them.
void check_links(const PredictRun& given) {
  if (given.size.empty() == given.gauge.empty()) throw usage_error("--size or --gauge: one of them must be given");
  const bool has_mass = given.quark.has("--mass") || given.quark.has("--kappa");
  if (given.gauge.empty() && has_mass) {
    throw usage_error(
        fmt::format("{}: iterations are counted on the links of --gauge alone", mass_option(given.quark)));
  }
  if (given.gauge.empty()) return refuse_named(given.quark.named, {"--tolerance"}, "without --gauge");
  if (!has_mass) throw usage_error("--gauge: needs --mass or --kappa");
  if (!given.iterations.empty()) throw usage_error("--iterations: they are counted on the links of --gauge");
}

/// Throws `Failure` for numbers of solvers out of range, and for those that no solve reads.
void check_numbers(const PredictRun& given) {
  const PredictedQuark& quark = given.predict.quark;
  const auto require_few = [](std::string_view option, double number) {
    constexpr int most = 1000;
    if (number > most) throw usage_error(fmt::format("{}: {} is more than {}", option, number, most));
  };
  check_solver_numbers(quark.solver);
  for_each_solver_number([&](const SolverOption& option, auto member) {
    if (option.method) require_few(option.option, quark.solver.*member);
  });
  require_few("--shifts", quark.shifts);
  std::vector<KrylovMethod> methods;
  for (const PredictedSolve& solve : given.solves) methods.push_back(solve.method);
  refuse_unread_options(given.quark.named, methods, "with --solvers " + given.solvers);
  if (std::ranges::none_of(given.solves, &PredictedSolve::has_shifts)) {
    refuse_named(given.quark.named, {"--shifts"}, "without --solvers multi-shift");
  }
}

void check(PredictRun& given) {
  PredictOptions& options = given.predict;
  if (!given.size.empty()) options.extents = parse_extents("--size", given.size);
  options.quark.physics = parse_physics(given.quark);
  check_links(given);
  options.processes = parse_counts("--processes", given.processes, "no number of processes");
  options.cut = parse_cut(given.cut);
  options.iterations = parse_iterations(given.iterations);
  if (given.memory) options.memory = 1e9 * *given.memory;
  const FermionFamily& family = options.quark.family();
  if (given.solvers.empty()) given.solvers = PredictedSolve{}.suits(family) ? "bicgstab,gcr-dd" : "cg";
  for (const std::string& word : split(given.solvers)) {
    const PredictedSolve solve = solve_of("--solvers", word);
    if (!solve.suits(family)) {
      throw usage_error(fmt::format("--solvers: {} does not solve for --action {}", word, given.quark.action));
    }
    given.solves.push_back(solve);
  }
  check_numbers(given);
  for (const auto& [solve, number] : options.iterations) {
    if (std::ranges::count(given.solves, solve) > 0) continue;
    throw usage_error(fmt::format("--iterations: {} is none of --solvers {}", solve.word(), given.solvers));
  }
  given.network = parse_network(options.network);
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

Exit predict(const Session& session, PredictRun& run) {
  if (session.communicator().size() > 1) {
    throw usage_error("predict: one process measures for all: start it alone");
  }
  require_usable_files(session, {{"--gauge", run.gauge, true}, {"--json", run.json}});
  PredictOptions& options = run.predict;
  const PredictedQuark quark = run.predict.quark;
  const detail::Network& network = run.network;
  options.on_note = [&session](const std::string& note) { say(session, "note          {}\n", note); };
  if (!run.gauge.empty()) {
    const GaugeInputOptions input{.layout = {.grid = {}, .reach = quark.family().reach()}};
    options.links.emplace(read_gauge_file(session, "--gauge", run.gauge, input).links);
  }
  Predictor predictor(std::move(options));
  say(session, "lattice       {}\n", to_string(predictor.extents()));
  say(session, "network       {}: {:.3g} us and {:.4g} GB/s of messages, {:.3g} us of a stage of a sum\n", network.name,
      1e6 * network.latency, 1e-9 * network.bandwidth, 1e6 * network.sum_latency);
  say(session, "action        {}{}\n", run.quark.action,
      quark.slices() > 1 ? fmt::format(", {} slices", quark.slices()) : "");
  say(session, "prediction    from measurements of one process on this device; microseconds of an iteration in {}\n",
      quark.precision);
  std::vector<Prediction> all;
  for (const PredictedSolve solve : run.solves) {
    const std::vector<Prediction> rows = predictor.predict(solve);
    show(session, rows);
    if (solve.has_shifts) {
      say(session, "shifts        {}, all of them in all iterations, in {} precision\n", quark.shifts,
          quark.precision_of(solve));
    }
    all.insert(all.end(), rows.begin(), rows.end());
    say(session, "memory        {:.3g} GB", 1e-9 * predictor.bytes(solve));
    const std::optional<double> fewest = predictor.fewest(solve);
    say(session, "{}\n", fewest ? fmt::format(", {:.10g} device{} at least", *fewest, *fewest == 1.0 ? "" : "s") : "");
  }
  Json result = Json::parse(with_value_of("--processes", [&] { return predictor.json(all); }));
  if (!run.json.empty()) {
    result["provenance"] = provenance(session);
    write_json(session, "--json", run.json, result);
  }
  return Exit::success;
}

std::function<Action()> declare_predict(const Command& command) {
  auto options = std::make_shared<PredictRun>();
  command.add_option("--size", options->size, "The lattice")->type_name("X,Y,Z,T");
  command.add_option("--gauge", options->gauge, "Or a gauge field, on which iterations are counted")->type_name("FILE");
  command.add_choice("--action", options->quark.action, predicted_actions().words(), "The quark");
  add_quark_options(command, options->quark,
                    {{"mass", "Quark mass"},
                     {"kappa", "Or the hopping parameter"},
                     {"csw", "Clover coefficient; default 0"},
                     {"u0", "Tadpole factor of asqtad; default 1"}});
  add_domain_wall_options(command, options->quark);
  command.add_option("--network", options->predict.network, "Its name, or us,GB/s[,us of a stage of a sum]");
  command.add_option("--processes", options->processes, "Their numbers");
  command.add_option("--cut", options->cut, "Directions that are cut, zt say; default: the fastest")
      ->type_name("[xyzt]");
  command.add_option("--solvers", options->solvers,
                     fmt::format("Of {}; default: bicgstab,gcr-dd, or cg", fmt::join(solve_words(), ", ")));
  command.add_choice("--precision", options->predict.quark.precision, {"double", "single", "half"},
                     "Of the iterations");
  add_solver_numbers(command, options->predict.quark.solver,
                     [](const SolverOption& option) { return option.method || option.name == "tolerance"; });
  command.add_option("--shifts", options->predict.quark.shifts, "Of multi-shift", positive());
  command.add_option("--iterations", options->iterations, "Iterations of solves, where there is no gauge field")
      ->type_name("SOLVER=N,...");
  command.add_option("--memory", options->memory, "GB of a device", positive());
  command.add_option("--json", options->json, "Write the predictions to this file, too")->type_name("FILE");
  return [options, command]() -> Action {
    options->quark.named = command.named_options();
    check(*options);
    return [options](const Session& session) { return predict(session, *options); };
  };
}

const Subcommand predict_subcommand(80, "predict", "Times of solves on many processes, predicted from one",
                                    declare_predict);

}  // namespace
}  // namespace kaon::apps
