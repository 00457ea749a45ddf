// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/cli/command.hpp"
#include "apps/cli/option_values.hpp"
#include "apps/files/gauge_input.hpp"
#include "apps/files/prepared_files.hpp"
#include "apps/predict/iteration_clock.hpp"
#include "apps/quark/quark_options.hpp"

#include <kaon/core/error.hpp>
#include <kaon/gauge/observables.hpp>
#include <kaon/quarks/propagator_solver.hpp>

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <vector>

namespace kaon::apps {
namespace {

struct PredictOptions {
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

PredictedSolver solver_of(const std::string& option, const std::string& word) {
  const auto found = std::find(predicted_solvers.begin(), predicted_solvers.end(), word);
  if (found != predicted_solvers.end()) return static_cast<PredictedSolver>(found - predicted_solvers.begin());
  throw usage_error(fmt::format("{}: '{}' is none of {}", option, word, fmt::join(predicted_solvers, ", ")));
}

/// The options, read.
struct PredictPlan {
  PredictOptions given;
  std::optional<Coordinates> extents{};
  std::vector<int> processes{};
  CutDirections cut{};
  std::vector<PredictedSolver> solvers{};
  std::map<PredictedSolver, double> iterations{};
};

/// "bicgstab=450,gcr-dd=80"
std::map<PredictedSolver, double> parse_iterations(const std::string& text) {
  std::map<PredictedSolver, double> found;
  for (const std::string& word : split(text)) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) throw usage_error(fmt::format("--iterations: '{}' has no =", word));
    const std::vector<double> number = parse_numbers("--iterations", word.substr(equals + 1));
    if (number.size() != 1 || number.front() <= 0.0) {
      throw usage_error(fmt::format("--iterations: '{}' has no positive number", word));
    }
    found[solver_of("--iterations", word.substr(0, equals))] = number.front();
  }
  return found;
}

detail::Network parse_network(const std::string& text, int processes) {
  detail::Network network;
  try {
    network = detail::parse_network(text, 1);
  } catch (const Error& error) {
    throw usage_error(fmt::format("--network: {}", error.what()));
  }
  if (network.processes != 1) {
    throw usage_error(fmt::format("--network: sums run over each of --processes, not over {}", network.processes));
  }
  network.processes = processes;
  return network;
}

PredictPlan make_plan(const PredictOptions& given) {
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
  if (given.quark.schwarz_steps > most_steps) {
    throw usage_error(fmt::format("--schwarz-steps: {} is more than {}", given.quark.schwarz_steps, most_steps));
  }
  if (given.quark.shifts > most_steps) {
    throw usage_error(fmt::format("--shifts: {} is more than {}", given.quark.shifts, most_steps));
  }
  if (!(given.quark.tolerance < 1.0)) {
    throw usage_error(fmt::format("--tolerance: {} does not lie between 0 and 1", given.quark.tolerance));
  }
  plan.processes = parse_counts("--processes", given.processes, "no number of processes");
  plan.cut = parse_cut(given.cut);
  const FermionFamily& family = plan.given.quark.family();
  if (given.solvers.empty()) {
    plan.given.solvers = suits(PredictedSolver::bicgstab, family) ? "bicgstab,gcr-dd" : "cg";
  }
  for (const std::string& word : split(plan.given.solvers)) {
    const PredictedSolver solver = solver_of("--solvers", word);
    if (!suits(solver, family)) {
      throw usage_error(fmt::format("--solvers: {} does not solve for --action {}", word, given.options.action));
    }
    plan.solvers.push_back(solver);
  }
  const auto predicts = [&](PredictedSolver solver) {
    return std::ranges::find(plan.solvers, solver) != plan.solvers.end();
  };
  const auto refuse_without = [&](const char* option, bool has_meaning, const char* needed) {
    if (!has_meaning) refuse_named(given.options.named, {option}, std::string("without ") + needed);
  };
  refuse_without("--schwarz-steps", predicts(PredictedSolver::gcr_dd), "--solvers gcr-dd");
  refuse_without("--shifts", predicts(PredictedSolver::multi_shift), "--solvers multi-shift");
  refuse_without("--tolerance", !given.gauge.empty(), "--gauge");
  plan.iterations = parse_iterations(given.iterations);
  for (const auto& [solver, number] : plan.iterations) {
    if (!predicts(solver)) {
      throw usage_error(
          fmt::format("--iterations: {} is none of --solvers {}", solver_name(solver), plan.given.solvers));
    }
  }
  (void)parse_network(given.network, 1);
  return plan;
}

/// Bytes of the device on which kernels run; none: not known.
std::optional<double> device_bytes() {
#if defined(KOKKOS_ENABLE_CUDA)
  return static_cast<double>(Kokkos::Cuda().cuda_device_prop().totalGlobalMem);
#else
  return {};
#endif
}

struct Row {
  PredictedSolver solver{};
  ProcessGrid grid{};
  IterationParts parts{};
  IterationTimes times{};
  std::optional<double> iterations{};
  std::optional<double> efficiency{};  ///< none for a solve that does not converge
  std::string note{};

  void add_note(const std::string& text) { note += (note.empty() ? "" : ", ") + text; }
  /// Seconds of a solve, or of an iteration where these were not counted.
  double seconds() const { return parts.total() * iterations.value_or(1.0); }
};

class Predictions {
 public:
  Predictions(const Session& session, const PredictPlan& plan)
      : session_(session), plan_(plan), clock_(session, plan.given.quark) {
    if (!plan.given.gauge.empty()) {
      const GaugeInputOptions input{.layout = {.grid = {}, .reach = plan.given.quark.reach()}};
      file_.emplace(read_gauge_file(session, "--gauge", plan.given.gauge, input));
      plaquette_ = plaquette(file_->links).average;
      extents_ = file_->links.lattice().extents();
    } else {
      extents_ = *plan.extents;
    }
  }

  const Coordinates& extents() const { return extents_; }
  /// Numbers of processes that could not be predicted, and why.
  const std::vector<std::string>& notes() const { return notes_; }

  /// Fewest processes whose memory holds a solve; none where that of a device is not known.
  std::optional<double> fewest(PredictedSolver solver) const {
    const std::optional<double> memory = plan_.given.memory ? 1e9 * *plan_.given.memory : device_bytes();
    if (!memory) return {};
    return std::ceil(bytes(solver) / *memory);
  }
  double bytes(PredictedSolver solver) const {
    const PredictedQuark& quark = plan_.given.quark;
    const std::string precision = quark.precision_of(solver);
    const double number = precision == "double" ? 8.0 : precision == "single" ? 4.0 : 2.0;
    return bytes_of_site(solver, quark.family(), quark.slices(), quark.shifts, number) *
           static_cast<double>(volume_of(extents_));
  }

  std::vector<Row> rows(PredictedSolver solver) {
    std::vector<Row> found;
    for (const int processes : plan_.processes) {
      const std::vector<ProcessGrid> candidates =
          candidate_grids(extents_, processes, plan_.given.quark.reach(), plan_.cut);
      const auto leave_out = [&](const std::string& why) {
        const std::string note = fmt::format("{} process{} {}", processes, processes == 1 ? "" : "es", why);
        say(session_, "note          {}\n", note);
        if (std::ranges::find(notes_, note) == notes_.end()) notes_.push_back(note);
      };
      if (candidates.empty()) {
        leave_out("cannot cut " + to_string(extents_) + " " + why_no_grid(processes));
        continue;
      }
      try {
        const detail::Network network = parse_network(plan_.given.network, processes);
        clock_.require_memory(bytes(solver) / processes, solver_name(solver));
        found.push_back(row(solver, best_grid(solver, candidates, network), network));
      } catch (const Error& error) {  // of local lattices that are too large, or too small for multigrid
        leave_out(fmt::format("cannot be measured here: {}", error.what()));
        continue;
      }
      // Times of solves are compared with times of solves alone.
      const bool counted = file_ || plan_.iterations.contains(solver);
      const auto first = std::ranges::find(found, counted, [](const Row& row) { return row.iterations.has_value(); });
      Row& last = found.back();
      if (last.iterations.has_value() == counted) {
        last.efficiency = first->seconds() * first->grid.count() / (last.seconds() * last.grid.count());
      }
    }
    return found;
  }

 private:
  /// Why there are no `candidate_grids`: "into even parts".
  std::string why_no_grid(int processes) const {
    const int reach = plan_.given.quark.reach();
    const bool without_cut = plan_.cut && !candidate_grids(extents_, processes, reach).empty();
    const CutDirections directions = without_cut ? plan_.cut : CutDirections();
    const bool are_even = !candidate_grids(extents_, processes, 0, directions).empty();
    return (are_even ? fmt::format("into parts of {} sites or more in each direction, which hops over {} sites need",
                                   reach + 1, reach)
                     : "into even parts") +
           (without_cut ? " in the directions of --cut" : "");
  }

  /// The grid on which a hop with its halos takes the least time.
  ProcessGrid best_grid(PredictedSolver solver, const std::vector<ProcessGrid>& candidates,
                        const detail::Network& network) {
    if (candidates.size() == 1) return candidates.front();
    return *std::ranges::min_element(
        candidates, {}, [&](const ProcessGrid& grid) { return clock_.hop(solver, one_of_many(grid, network)); });
  }

  Row row(PredictedSolver solver, const ProcessGrid& grid, const detail::Network& network) {
    Row row{.solver = solver, .grid = grid};
    row.times = clock_.times(solver, extents_, grid, network);
    row.parts = parts_of(row.times, hops_of(solver, plan_.given.quark.family(), plan_.given.quark.schwarz_steps));
    if (solver == PredictedSolver::multigrid) {
      const LastLevel last = last_level(plan_.given.quark, extents_, grid);
      if (!last.inverted) {
        row.add_note(fmt::format("last level of {:.0f} unknowns iterates", last.unknowns));
      } else if (grid.count() > 1) {
        const double seconds = last_level_seconds(last.unknowns, network, clock_.copy_bandwidth());
        row.parts = with_last_level(row.parts, row.times, seconds);
      }
    }
    if (file_) {
      clock_.require_memory(bytes(solver), solver_name(solver) + " of the whole lattice");
      row.iterations = clock_.iterations(solver, file_->links, plaquette_, grid);
      if (!row.iterations) row.add_note("does not converge");
    }
    if (const auto given = plan_.iterations.find(solver); given != plan_.iterations.end())
      row.iterations = given->second;
    if (row.parts.noise > much_noise * row.parts.total()) {
      row.add_note(fmt::format("noise of {:.0f} us", 1e6 * row.parts.noise));
    }
    if (const auto least = fewest(solver); least && grid.count() < *least) row.add_note("does not fit in memory");
    return row;
  }

  /// Part of an iteration beyond which noise is named.
  static constexpr double much_noise = 0.05;

  const Session& session_;
  const PredictPlan& plan_;
  IterationClock clock_;
  std::optional<GaugeFile> file_;
  double plaquette_ = 0.0;
  Coordinates extents_{};
  std::vector<std::string> notes_;
};

void show(const Session& session, const std::vector<Row>& rows) {
  say(session, "\n{:<10} {:>5} {:>12} {:>14} {:>10} {:>10} {:>10} {:>10} {:>10} {:>6} {:>11} {:>10}\n", "solver", "P",
      "grid", "local", "interior", "halo", "vectors", "sums", "iteration", "eff.", "iterations", "solve");
  for (const Row& row : rows) {
    const auto microseconds = [](double seconds) { return fmt::format("{:.1f}", 1e6 * seconds); };
    say(session, "{:<10} {:>5} {:>12} {:>14} {:>10} {:>10} {:>10} {:>10} {:>10} {:>6} {:>11} {:>10}{}\n",
        solver_name(row.solver), row.grid.count(), to_string(row.grid.processes), to_string(row.grid.local),
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

Json to_json(const Row& row, const PredictedQuark& quark) {
  Json json{{"solver", solver_name(row.solver)},
            {"precision", quark.precision_of(row.solver)},
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

Exit predict(const Session& session, const PredictPlan& plan) {
  if (session.communicator().size() > 1) {
    throw usage_error("predict: one process measures for all: start it alone");
  }
  if (!plan.given.json.empty()) {
    require_other_file(session, "--json", plan.given.json, "--gauge", plan.given.gauge);
    require_writable(session, "--json", plan.given.json);
  }
  Predictions predictions(session, plan);
  const detail::Network network = parse_network(plan.given.network, 1);
  say(session, "lattice       {}\n", to_string(predictions.extents()));
  say(session, "network       {}: {:.3g} us and {:.4g} GB/s of messages, {:.3g} us of a stage of a sum\n", network.name,
      1e6 * network.latency, 1e-9 * network.bandwidth, 1e6 * network.sum_latency);
  const PredictedQuark& quark = plan.given.quark;
  say(session, "action        {}{}\n", plan.given.options.action,
      quark.slices() > 1 ? fmt::format(", {} slices", quark.slices()) : "");
  say(session, "prediction    from measurements of one process on this device; microseconds of an iteration in {}\n",
      quark.precision);
  Json lines = Json::array();
  for (const PredictedSolver solver : plan.solvers) {
    const std::vector<Row> rows = predictions.rows(solver);
    show(session, rows);
    if (solver == PredictedSolver::multi_shift) {
      say(session, "shifts        {}, all of them in all iterations, in {} precision\n", quark.shifts,
          quark.precision_of(solver));
    }
    for (const Row& row : rows) lines.push_back(to_json(row, plan.given.quark));
    say(session, "memory        {:.3g} GB", 1e-9 * predictions.bytes(solver));
    const std::optional<double> fewest = predictions.fewest(solver);
    say(session, "{}\n", fewest ? fmt::format(", {:.10g} device{} at least", *fewest, *fewest == 1.0 ? "" : "s") : "");
  }
  if (lines.empty()) {
    throw usage_error(fmt::format("--processes: nothing can be predicted: {}", fmt::join(predictions.notes(), "; ")));
  }
  if (!plan.given.json.empty()) {
    const Json result{{"extents", predictions.extents()},
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
                      {"notes", predictions.notes()},
                      {"provenance", provenance(session)}};
    write_json(session, "--json", plan.given.json, result);
  }
  return Exit::success;
}

std::function<Action()> declare_predict(const Command& command) {
  auto options = std::make_shared<PredictOptions>();
  command.add_option("--size", options->size, "The lattice").type_name("X,Y,Z,T");
  command.add_option("--gauge", options->gauge, "Or a gauge field, on which iterations are counted").type_name("FILE");
  add_choice(command, "--action", options->options.action, predicted_actions().words(), "The quark");
  add_quark_options(command, options->options,
                    {{"mass", "Quark mass"},
                     {"kappa", "Or the hopping parameter"},
                     {"csw", "Clover coefficient; default 0"},
                     {"u0", "Tadpole factor of asqtad; default 1"}});
  add_domain_wall_options(command, options->options);
  command.add_option("--network", options->network, "Its name, or us,GB/s[,us of a stage of a sum]")
      .capture_default_str();
  command.add_option("--processes", options->processes, "Their numbers").capture_default_str();
  command.add_option("--cut", options->cut, "Directions that are cut, zt say; default: the fastest")
      .type_name("[xyzt]");
  command.add_option("--solvers", options->solvers,
                     fmt::format("Of {}; default: bicgstab,gcr-dd, or cg", fmt::join(predicted_solvers, ", ")));
  add_choice(command, "--precision", options->quark.precision, {"double", "single", "half"}, "Of the iterations");
  command.add_option("--schwarz-steps", options->quark.schwarz_steps, "Minimal residual steps on the blocks of gcr-dd")
      .check(positive())
      .capture_default_str();
  command.add_option("--shifts", options->quark.shifts, "Of multi-shift").check(positive()).capture_default_str();
  command.add_option("--tolerance", options->quark.tolerance, "Relative residual to reach")
      .check(positive())
      .capture_default_str();
  command.add_option("--iterations", options->iterations, "Iterations of solves, where there is no gauge field")
      .type_name("SOLVER=N,...");
  command.add_option("--memory", options->memory, "GB of a device").check(positive());
  command.add_option("--json", options->json, "Write the predictions to this file, too").type_name("FILE");
  return [options, command]() -> Action {
    options->options.named = command.named_options();
    return [plan = make_plan(*options)](const Session& session) { return predict(session, plan); };
  };
}

const Subcommand predict_subcommand(80, "predict", "Times of solves on many processes, predicted from one",
                                    declare_predict);

}  // namespace
}  // namespace kaon::apps
