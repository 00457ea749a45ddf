// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/command.hpp"
#include "apps/ensemble.hpp"
#include "apps/gauge_input.hpp"
#include "apps/gauge_output.hpp"
#include "apps/option_values.hpp"
#include "apps/run_files.hpp"
#include "apps/run_lock.hpp"

#include <kaon/gauge/heatbath.hpp>
#include <kaon/gauge/initial_links.hpp>
#include <kaon/gauge/plaquette.hpp>
#include <kaon/io/gauge.hpp>

#include <algorithm>
#include <chrono>
#include <limits>

namespace kaon::apps {
namespace {

struct GenerateOptions {
  EnsembleParameters ensemble;
  std::string size;
  LayoutOptions layout;
  EnsembleOutput output;
  int checkpoint_every = 0;
  int report_every = 10;
  std::string prefix;
  bool resume = false;
  bool overwrite = false;
};

EnsembleState initial_state(const Session& session, const GenerateOptions& options, const Lattice& lattice) {
  const EnsembleParameters& parameters = options.ensemble;
  if (parameters.start != "cold" && parameters.start != "hot") {
    auto file = read_gauge_file(session, "--start", parameters.start, options.layout, {.extents = parameters.extents});
    return {std::move(file.links), 0, {}};
  }
  EnsembleState state{GaugeField<double>(lattice), 0, {}};
  if (parameters.start == "cold") {
    set_unit(state.links);
  } else {
    set_random(state.links, {.seed = parameters.seed});
  }
  return state;
}

std::string configuration_file(const GenerateOptions& options, int number) {
  return fmt::format("{}_{:06}{}", options.prefix, number, extension(options.output.format));
}

void describe_run(const Session& session, const GenerateOptions& options, const Lattice& lattice) {
  const EnsembleParameters& ensemble = options.ensemble;
  say(session, "quenched SU(3), Wilson action, {} lattice, beta = {}\n", to_string(ensemble.extents), ensemble.beta);
  say(session, "{} updates and {} before them to thermalize, from a {} start with seed {}\n", options.output.sweeps,
      ensemble.thermalization, ensemble.start, ensemble.seed);
  say(session, "each is 1 heatbath and {} overrelaxation sweeps\n", ensemble.overrelaxation);
  say(session, "process grid {}\n\n", describe_grid(lattice));
}

void run_updates(const Session& session, const GenerateOptions& options, EnsembleState& state, Checkpoint& checkpoint) {
  const EnsembleParameters& ensemble = options.ensemble;
  const EnsembleOutput& output = options.output;
  const int last = ensemble.thermalization + output.sweeps, first = state.updates;
  const int checkpoint_every = options.checkpoint_every > 0 ? options.checkpoint_every : output.save_every;
  const auto start = std::chrono::steady_clock::now();
  say(session, "{:>8}  {:>12}  {:>14}\n", "update", "plaquette", "time left");
  while (state.updates < last) {
    ++state.updates;
    update(state.links, {.beta = ensemble.beta,
                         .overrelaxation_sweeps = ensemble.overrelaxation,
                         .seed = ensemble.seed,
                         .update = static_cast<std::uint32_t>(state.updates)});
    const int number = state.updates - ensemble.thermalization;  // those that count begin with 1
    const double value = plaquette(state.links).average;
    if (number > 0) state.plaquettes.push_back(value);
    const bool is_last = state.updates == last;
    if (is_last || state.updates % options.report_every == 0) {
      const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
      const double left = elapsed.count() * (last - state.updates) / (state.updates - first);
      say(session, "{:>8}  {:>12.8f}  {:>14}{}\n", number > 0 ? number : state.updates, value, describe_seconds(left),
          number > 0 ? "" : "  (thermalizing)");
    }
    if (number > 0 && (is_last || (output.save_every > 0 && number % output.save_every == 0))) {
      const std::string file = configuration_file(options, number);
      write_gauge_file("--output", file, state.links, output.format, number);
      say(session, "          written {}\n", file);
    }
    if (is_last || (checkpoint_every > 0 && state.updates % checkpoint_every == 0)) {
      checkpoint.write(session, ensemble, output, state);
    }
  }
}

/// Throws `Failure` where files of a run exist and may not be replaced, or the run is to start from one of them.
void check_earlier_run(const Session& session, const GenerateOptions& options, const Checkpoint& checkpoint) {
  const std::vector<std::filesystem::path> files = files_of_run(session, options.prefix);
  if (options.overwrite) {
    const std::string& start = options.ensemble.start;
    const bool is_start = std::any_of(files.begin(), files.end(), [&](const std::filesystem::path& file) {
      std::error_code ignored;
      return start != "cold" && start != "hot" && std::filesystem::equivalent(file, start, ignored);
    });
    if (!session.communicator().any(is_start)) return;
    throw usage_error(fmt::format("--start: {} is a file of the run that --overwrite removes: rename it", start));
  }
  if (!session.communicator().any(!files.empty())) return;
  const std::string found = files.empty() ? checkpoint.path() : files.front().string();
  throw usage_error(fmt::format("--output: there is a run already, of which is {}; {}--overwrite replaces it", found,
                                checkpoint.exists(session) ? "--resume continues it, " : ""));
}

Exit generate(const Session& session, const GenerateOptions& options) {
  const Lattice lattice = make_lattice(session, "--size", options.ensemble.extents, options.layout);
  const RunLock lock(session, options.prefix);
  Checkpoint checkpoint(options.prefix);
  if (!options.resume) check_earlier_run(session, options, checkpoint);
  for (const std::string& file : checkpoint.files()) require_writable(session, "--output", file);
  describe_run(session, options, lattice);
  EnsembleState state = options.resume ? checkpoint.read(session, lattice, options.ensemble, options.output)
                                       : initial_state(session, options, lattice);
  if (options.resume) say(session, "resumed after {} updates from {}\n", state.updates, checkpoint.path());
  if (options.overwrite) {
    const std::size_t removed = remove_files_of_run(session, options.prefix);
    if (removed > 0) say(session, "removed {} files of an earlier run\n", removed);
  }
  run_updates(session, options, state, checkpoint);
  const BinnedMean mean = binned_mean(state.plaquettes);
  say(session, "\nplaquette {:.6f}{} averaged over {} updates\n", mean.mean,
      mean.error ? fmt::format(" +- {:.6f}", *mean.error) : "", state.plaquettes.size());
  say(session, "their picture: python3 -m kaon plot {}\n", checkpoint.path());
  return Exit::success;
}

void check_number_of_updates(const GenerateOptions& options) {
  const int thermalization = options.ensemble.thermalization, sweeps = options.output.sweeps;
  constexpr int most = std::numeric_limits<int>::max();
  if (thermalization <= most - sweeps) return;
  throw usage_error(
      fmt::format("--thermalization: {} updates and {} that count are more than {}", thermalization, sweeps, most));
}

}  // namespace

void add_generate(CLI::App& program, Action& action) {
  const Command command(program, "generate", "Generate quenched gauge fields with heatbath and overrelaxation");
  auto options = std::make_shared<GenerateOptions>();
  EnsembleParameters& ensemble = options->ensemble;
  const char* group = "Ensemble";
  command.add_option("--size", options->size, "Extents, even").required().type_name("X,Y,Z,T").group(group);
  add_grid_option(command, options->layout, group);
  command.add_option("--beta", ensemble.beta, "Coupling of the Wilson action")
      .required()
      .check(not_negative())
      .group(group);
  command.add_option("--start", ensemble.start, "First configuration: cold, hot or a gauge file")
      .type_name("START")
      .capture_default_str()
      .group(group);
  add_seed_option(command, ensemble.seed, "Seed of the random numbers", group);
  command.add_option("--thermalization", ensemble.thermalization, "Updates before those that count")
      .check(not_negative())
      .capture_default_str()
      .group(group);
  command.add_option("--sweeps", options->output.sweeps, "Updates that count")
      .check(positive())
      .capture_default_str()
      .group(group);
  command.add_option("--overrelaxation", ensemble.overrelaxation, "Overrelaxation sweeps after each heatbath sweep")
      .check(not_negative())
      .capture_default_str()
      .group(group);
  group = "Output";
  command.add_option("--output", options->prefix, "Files are named PREFIX_000100.lime and PREFIX.checkpoint...")
      .required()
      .type_name("PREFIX")
      .group(group);
  command
      .add_option("--save-every", options->output.save_every,
                  "Updates between configurations written; 0: the last only")
      .check(not_negative())
      .capture_default_str()
      .group(group);
  add_gauge_output_options(command, options->output.format, group);
  command
      .add_option("--checkpoint-every", options->checkpoint_every,
                  "Updates between checkpoints; 0: as configurations are written")
      .check(not_negative())
      .capture_default_str()
      .group(group);
  command.add_option("--report-every", options->report_every, "Updates between lines of progress")
      .check(positive())
      .capture_default_str()
      .group(group);
  command.add_flag("--resume", options->resume, "Continue from the checkpoint: same options, --sweeps may be larger")
      .group(group);
  command.add_flag("--overwrite", options->overwrite, "Remove the files of an earlier run of this PREFIX").group(group);
  command.callback([options, &action] {
    options->ensemble.extents = parse_extents("--size", options->size);
    check(options->layout);
    if (options->resume && options->overwrite) throw usage_error("--resume and --overwrite contradict each other");
    check_number_of_updates(*options);
    action = [options](const Session& session) { return generate(session, *options); };
  });
}

}  // namespace kaon::apps
