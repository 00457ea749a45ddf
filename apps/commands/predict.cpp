// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/cli/command.hpp"
#include "apps/files/gauge_files.hpp"
#include "apps/files/prepared_files.hpp"
#include "apps/quark/predict_run.hpp"
#include "core/tuning/phases.hpp"

#include <fmt/ranges.h>

#include <optional>
#include <utility>
#include <vector>

namespace kaon::apps {
namespace {

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
    say(session, "measuring     {}\n", solve.word());
    std::vector<Prediction> rows;
    {
      const detail::Phase phase(detail::PhaseName::solve);
      rows = predictor.predict(solve);
    }
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
    result["phases"] = phases_json();
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
                     fmt::format("Of {}; default: bicgstab,gcr-dd, or cg", fmt::join(predicted_words(), ", ")));
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
