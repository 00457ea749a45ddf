// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/ensemble/ensemble.hpp"

#include "apps/cli/output.hpp"
#include "apps/ensemble/run_files.hpp"
#include "apps/ensemble/save.hpp"
#include "apps/files/prepared_files.hpp"
#include "core/base/ending_signals.hpp"
#include "core/tuning/phases.hpp"
#include "io/collective.hpp"

#include <kaon/gauge/initial_links.hpp>
#include <kaon/io/gauge.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <limits>
#include <optional>

namespace kaon::apps {
namespace {

EnsembleState initial_state(const Session& session, const EnsembleOptions& options, const EnsembleMethod& method,
                            const Lattice& lattice) {
  EnsembleState state{{}, first_links(session, options, lattice)};
  state.series.resize(method.series.size());
  return state;
}

/// The configuration of the most updates that can be read; empty if there is none.
std::string last_intact_configuration(const Session& session, const EnsembleOptions& options, const Lattice& lattice) {
  const Communicator& communicator = session.communicator();
  const std::string start = std::filesystem::path(options.prefix).filename().string() + "_";
  std::vector<std::filesystem::path> files = files_of_run(session, options.prefix);
  std::erase_if(files, [&](const auto& file) { return !file.filename().native().starts_with(start); });
  for (;;) {
    const std::string file = io::broadcast(communicator, files.empty() ? "" : files.back().string());
    if (file.empty()) return file;
    try {
      const auto make_lattice = [&](const Coordinates&) { return lattice; };
      io::read_gauge_file<double>(communicator, file, make_lattice, {.extents = lattice.extents()});
      return file;
    } catch (const Error&) {  // it is damaged, too
      if (!files.empty()) files.pop_back();
    }
  }
}

/// The state of the checkpoint. A `Failure` to read it names the configuration from which another run can start.
EnsembleState resumed_state(const Session& session, const EnsembleOptions& options, const EnsembleMethod& method,
                            const Lattice& lattice, Checkpoint& checkpoint) {
  try {
    return checkpoint.read(session, lattice, options, method);
  } catch (const Failure& failure) {
    if (failure.code() != Exit::input) throw;
    const std::string intact = last_intact_configuration(session, options, lattice);
    if (intact.empty()) throw;
    throw input_error(
        fmt::format("{}\n{} is intact: another run, with its own --output and --seed, can --start from it",
                    failure.what(), intact));
  }
}

std::string configuration_file(const EnsembleOptions& options, int number) {
  return fmt::format("{}_{:06}{}", options.prefix, number, extension(options.output.format));
}

/// Files that a clock completes as long as this object exists.
class Clocked {
 public:
  Clocked(RunClock& clock, RunClock::Writing writing) : clock_(clock) { clock.set_writing(std::move(writing)); }
  ~Clocked() { clock_.set_writing({}); }
  Clocked(const Clocked&) = delete;
  Clocked& operator=(const Clocked&) = delete;

 private:
  RunClock& clock_;
};

/// A run of updates from a state on, with what it writes.
class Updates {
 public:
  Updates(const Session& session, const EnsembleOptions& options, const EnsembleMethod& method, EnsembleState& state,
          Checkpoint& checkpoint, RunClock& clock)
      : session_(session), options_(options), method_(method), state_(state), checkpoint_(checkpoint), clock_(clock) {
    constexpr double bytes_of_site = 576.0, bytes_per_second = 2e8;
    clock.expect_checkpoint(bytes_of_site / bytes_per_second * static_cast<double>(state.links.lattice().volume()));
  }

  /// Returns whether the run came to its end. A `Failure` to write files has the command that continues the run.
  bool run() {
    try {
      return run_to_end();
    } catch (const Failure& failure) {
      if (failure.code() != Exit::input || written_ == 0) throw;
      throw input_error(fmt::format("{}\n{} has {}; continue{} by: {}", failure.what(), checkpoint_.path(),
                                    counted(written_, method_.noun.c_str(), method_.nouns.c_str()), launcher(),
                                    command_to_resume()));
    }
  }

  void say_how_to_continue() const {
    const int counting = std::max(0, number());
    if (state_.updates == 0) {
      say(session_, "\nstopped by {} before the end of the first {}: there is no checkpoint\n", clock_.reason(),
          method_.noun);
      return;
    }
    say(session_, "\nstopped by {} after {} {}, {} of which count: {} holds them\n", clock_.reason(), state_.updates,
        method_.nouns, counting, checkpoint_.path());
    say(session_, "continue{} by: {}\n", launcher(), command_to_resume());
  }

 private:
  const char* launcher() const { return session_.communicator().size() > 1 ? ", under the same launcher," : ""; }

  bool run_to_end() {
    say(session_, "{:>{}}  {:>12}{}  {:>14}\n", method_.noun, width_, "plaquette", method_.progress, "time left");
    const detail::SignalDeferral deferral;
    const Clocked clocked(clock_, {[&] { return save_ && save_->is_running(); }, [&] { complete_save(); }});
    report();
    for (;;) {
      const RunClock::Turn turn = clock_.turn();
      const bool ends = state_.updates == last_, is_over = ends || turn.stop;
      save(is_over || turn.checkpoint || has_regular_checkpoint());
      if (is_over) {
        complete_save();
        return ends;
      }
      try {
        update();
      } catch (const UpdateDropped& dropped) {
        if (!dropped.failure) continue;  // the next turn stops the run
        save(true);
        complete_save();
        std::rethrow_exception(dropped.failure);
      }
    }
  }

  /// Updates that count; below 1 in thermalization.
  int number() const { return state_.updates - options_.ensemble.thermalization; }

  bool has_regular_checkpoint() const {
    const int every = options_.checkpoint_every > 0 ? options_.checkpoint_every : options_.output.save_every;
    const int counted = number() > 0 ? number() : state_.updates;  // as configurations, once they are written
    return number() == 0 || (every > 0 && counted % every == 0);
  }

  bool has_configuration() const {
    const int every = options_.output.save_every;
    return number() > 0 && (state_.updates == last_ || (every > 0 && number() % every == 0));
  }

  /// Completes the files that are being written, and starts to write the files of this state that are due.
  void save(bool is_checkpoint) {
    Save::Configuration configuration;
    if (has_configuration() && state_.updates != configuration_) {
      configuration = {configuration_file(options_, number()), number()};
    }
    is_checkpoint = is_checkpoint && state_.updates != checkpoint_started_;
    if (configuration.file.empty() && !is_checkpoint) return;
    complete_save();
    save_.emplace(session_, options_, state_, configuration, is_checkpoint ? &checkpoint_ : nullptr);
    if (!configuration.file.empty()) configuration_ = state_.updates;
    if (!is_checkpoint) return;
    checkpoint_started_ = state_.updates;
    clock_.start_checkpoint();
  }

  void complete_save() {
    if (!save_) return;
    save_->complete(method_, checkpoint_);
    if (!save_->configuration().empty()) say(session_, "{:>{}}  written {}\n", "", width_, save_->configuration());
    clock_.expect_checkpoint(save_->seconds());
    if (save_->has_checkpoint()) written_ = save_->updates();
    save_.reset();
    report();
  }

  /// Sets the words of signals.
  void report() const {
    report_checkpoints("the run ends as soon as it can, with a checkpoint; a second signal ends it at once",
                       written_ == 0 ? "the run ends, before its first checkpoint: its work is lost"
                                     : fmt::format("the run ends. {} has {} {}: --resume continues after them",
                                                   checkpoint_.path(), written_, method_.nouns));
  }

  void update() {
    const EnsembleUpdate update = clock_.update([&] {
      const detail::Phase phase(detail::PhaseName::update);
      return method_.update(state_.links, state_.updates + 1);
    });
    ++state_.updates;
    for (std::size_t k = 0; number() > 0 && k < update.numbers.size(); ++k) {
      state_.series[k].push_back(update.numbers[k]);
    }
    const bool is_last = state_.updates == last_;
    if (is_last || state_.updates % options_.report_every == 0) {
      const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
      const double left = elapsed.count() * (last_ - state_.updates) / (state_.updates - first_);
      say(session_, "{:>{}}  {:>12.8f}{}{}  {:>14}{}\n", number() > 0 ? number() : state_.updates, width_,
          update.numbers[0], update.progress, method_.running ? method_.running(state_) : "", describe_seconds(left),
          number() > 0 ? "" : "  (thermalizing)");
    }
  }

  const Session& session_;
  const EnsembleOptions& options_;
  const EnsembleMethod& method_;
  EnsembleState& state_;
  Checkpoint& checkpoint_;
  RunClock& clock_;
  const int last_ = options_.ensemble.thermalization + options_.output.updates, first_ = state_.updates;
  const int width_ = std::max(8, static_cast<int>(method_.noun.size()));
  // Updates of the last complete checkpoint, the last one that was started, and the last configuration.
  int written_ = state_.updates, checkpoint_started_ = state_.updates, configuration_ = state_.updates;
  std::optional<Save> save_;  ///< being written
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Throws `Failure` where files of a run exist and may not be replaced, or the run is to start from one of them.
void check_earlier_run(const Session& session, const EnsembleOptions& options, const Checkpoint& checkpoint) {
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
  throw usage_error(fmt::format("--output: there is a run already, with the file {}; {}--overwrite replaces it", found,
                                checkpoint.exists(session) ? "--resume continues it, " : ""));
}

void check_number_of_updates(const EnsembleOptions& options) {
  const int thermalization = options.ensemble.thermalization, updates = options.output.updates;
  constexpr int most = std::numeric_limits<int>::max();
  if (thermalization <= most - updates) return;
  throw usage_error(
      fmt::format("--thermalization: {} updates and {} that count are more than {}", thermalization, updates, most));
}

}  // namespace

void add_lattice_options(const Command& command, EnsembleOptions& options) {
  command.add_option("--size", options.input.extents, "Extents, even")->required()->type_name("X,Y,Z,T");
  add_grid_option(command, options.input.layout);
}

void add_count_options(const Command& command, EnsembleOptions& options, const std::string& count,
                       const std::string& updates) {
  EnsembleParameters& ensemble = options.ensemble;
  command.add_option("--start", ensemble.start, "First configuration: cold, hot or a gauge file")->type_name("START");
  add_ignore_stated_plaquette(command, options.input);
  command.add_option("--seed", ensemble.seed, "Seed of the random numbers");
  command.add_option("--thermalization", ensemble.thermalization, updates + " before those that count", not_negative());
  command.add_option("--" + count, options.output.updates, updates + " that count", positive());
}

void add_run_options(const Command& command, EnsembleOptions& options, const std::string& updates) {
  Command group = command.in_group("Output");
  group.add_option("--output", options.prefix, "Files are named PREFIX_000100.lime and PREFIX.checkpoint...")
      ->required()
      ->type_name("PREFIX");
  group.add_option("--save-every", options.output.save_every,
                   updates + " between configurations written; 0: the last only", not_negative());
  add_gauge_output_options(group, options.output.format);
  group.add_option("--checkpoint-every", options.checkpoint_every,
                   updates + " between checkpoints; 0: as configurations are written", not_negative());
  group.add_option("--checkpoint-interval", options.checkpoint_interval, "Longest wall time between checkpoints")
      ->type_name("TIME");
  group
      .add_option("--time-limit", options.time_limit,
                  "Stop with a checkpoint before this wall time is over: hh:mm:ss or seconds")
      ->type_name("TIME");
  group.add_option("--report-every", options.report_every, updates + " between lines of progress", positive());
  group.add_flag("--resume", options.resume, "Continue from the checkpoint: same options, more updates at most");
  group.add_flag("--overwrite", options.overwrite, "Remove the files of an earlier run of this PREFIX");
}

void check(EnsembleOptions& options) {
  options.ensemble.extents = parse_extents("--size", options.input.extents);
  if (!std::filesystem::path(options.prefix).has_filename()) {
    throw usage_error(
        fmt::format("--output: {} is a folder: names of files begin with what follows it", options.prefix));
  }
  check(options.input, options.ensemble.start != "cold" && options.ensemble.start != "hot", "a gauge file as --start");
  if (options.resume && options.overwrite) throw usage_error("--resume and --overwrite contradict each other");
  check_number_of_updates(options);
  parse_time("--checkpoint-interval", options.checkpoint_interval);
  if (!options.time_limit.empty()) parse_time("--time-limit", options.time_limit);
}

GaugeField<double> first_links(const Session& session, const EnsembleOptions& options, const Lattice& lattice) {
  const EnsembleParameters& parameters = options.ensemble;
  GaugeField<double> links(lattice);
  if (parameters.start == "cold") {
    set_unit(links);
  } else if (parameters.start == "hot") {
    set_random(links, {.seed = parameters.seed});
  } else {
    links = read_gauge_file(session, "--start", parameters.start, options.input).links;
  }
  return links;
}

RunClock run_clock(const Session& session, const EnsembleOptions& options) {
  std::optional<double> limit;
  if (!options.time_limit.empty()) limit = parse_time("--time-limit", options.time_limit);
  return {session, limit, parse_time("--checkpoint-interval", options.checkpoint_interval)};
}

Exit run_ensemble(const Session& session, const EnsembleOptions& options, const EnsembleMethod& method,
                  RunClock& clock) {
  const Lattice lattice = make_lattice(session, "--size", options.ensemble.extents, options.input.layout);
  Checkpoint checkpoint(options.prefix);
  std::vector<NamedFile> files;
  for (const std::string& file : checkpoint.files()) files.push_back({"--output", file});
  require_usable_files(session, files);
  const RunLock lock(session, options.prefix);
  if (!options.resume) check_earlier_run(session, options, checkpoint);
  method.describe(lattice);
  say(session, "process grid {}\n\n", describe_grid(lattice));
  EnsembleState state = options.resume ? resumed_state(session, options, method, lattice, checkpoint)
                                       : initial_state(session, options, method, lattice);
  if (options.resume)
    say(session, "resumed after {} from {}\n", counted(state.updates, method.noun.c_str(), method.nouns.c_str()),
        checkpoint.path());
  if (options.overwrite) {
    const std::size_t removed = remove_files_of_run(session, options.prefix);
    if (removed > 0) say(session, "removed {} of an earlier run\n", counted(removed, "file", "files"));
  }
  Updates updates(session, options, method, state, checkpoint, clock);
  if (!updates.run()) {
    updates.say_how_to_continue();
    return clock.exit_code();
  }
  say(session, "\nplaquette {}, averaged over {}\n", describe(chain_mean(state.series[0])),
      counted(state.series[0].size(), method.noun.c_str(), method.nouns.c_str()));
  method.summarize(state);
  say(session, "their picture: python3 -m kaon plot {}\n", checkpoint.path());
  return Exit::success;
}

}  // namespace kaon::apps
