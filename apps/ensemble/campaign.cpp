// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/ensemble/campaign.hpp"

#include "apps/cli/output.hpp"
#include "apps/ensemble/campaign_progress.hpp"
#include "apps/ensemble/resident_memory.hpp"
#include "apps/ensemble/run_files.hpp"
#include "apps/files/prepared_files.hpp"
#include "campaign/quark_operators.hpp"
#include "core/tuning/phases.hpp"
#include "io/collective.hpp"
#include "quarks/solve_records.hpp"

#include <kaon/campaign/measurement.hpp>
#include <kaon/comm/energy.hpp>
#include <kaon/measure/propagate.hpp>
#include <kaon/quarks/solve_plan.hpp>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <exception>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace kaon::apps {
namespace {

using Path = std::filesystem::path;

std::string name_of(const Path& configuration) { return configuration.stem().string(); }

Path prefix_of(const CampaignOptions& options, const Path& configuration) {
  return Path(options.input.folder) / name_of(configuration);
}

std::vector<Path> files_of(const CampaignOptions& options, const Path& configuration) {
  return with_option("output", [&] {
    return files_of_measurement(options.input.folder, name_of(configuration), options.input,
                                options.input.sources.count());
  });
}

/// All files exist: they got their names when all were complete.
bool is_done(const Session& session, const CampaignOptions& options, const Path& configuration) {
  return std::ranges::all_of(files_of(options, configuration), [&](const Path& file) { return exists(session, file); });
}

/// Throws `Failure` for sources and momenta that are not on a lattice of these extents.
void check_fit(const CampaignOptions& options, const Path& configuration, const Coordinates& extents) {
  try {
    sources_of(options.input, extents, name_of(configuration));
  } catch (const Error& error) {
    throw input_error(error.what());  // with file and key
  }
}

struct Failed {
  Path configuration;
  Exit code;
  std::string reason;
};

class Campaign {
 public:
  Campaign(const Session& session, const CampaignOptions& options)
      : session_(session), options_(options), log_(session, options) {}

  Exit run() {
    std::vector<Path> done, left;
    for (const Path& each : options_.configurations) {
      (!options_.overwrite && is_done(session_, options_, each) ? done : left).push_back(each);
    }
    if (options_.resume) {
      warn_of_other_inputs(done);
    } else if (!done.empty()) {
      refuse(done.front());
    }
    kept_ = done.size();
    require_fit(left);
    make_folder();
    progress_.emplace(session_, options_.input, left.size(), log_);
    for (const Path& configuration : left) run_one(configuration);
    return summarize();
  }

 private:
  void make_folder() const {
    with_option("output.folder", [&] {
      io::together(session_.communicator(), [&] {
        if (session_.communicator().rank() != 0) return;
        std::error_code error;
        std::filesystem::create_directories(options_.input.folder, error);
        require(!error, [&] { return fmt::format("cannot make {}: {}", options_.input.folder, error.message()); });
        require(::access(options_.input.folder.c_str(), W_OK | X_OK) == 0,
                [&] { return fmt::format("cannot write into {}: {}", options_.input.folder, std::strerror(errno)); });
      });
    });
  }

  void warn_of_other_inputs(const std::vector<Path>& done) const {
    const std::set<std::string> names = log_.read().by_others;
    std::vector<Path> others;
    for (const Path& each : done) {
      if (names.contains(name_of(each))) others.push_back(each);
    }
    if (others.empty()) return;
    say(session_, "warning       {} measured by another input, {} first: --overwrite measures again\n",
        counted(others.size(), "configuration is", "configurations are"), others.front().string());
  }

  [[noreturn]] void refuse(const Path& done) const {
    throw usage_error(
        fmt::format("CONFIGURATION: {} is measured already, in {}: --resume measures the others, and "
                    "--overwrite all again",
                    done.string(), options_.input.folder));
  }

  /// Throws `Failure` for an input that does not fit the lattice of the first file that can be read. The others are
  /// checked when they are read.
  void require_fit(const std::vector<Path>& left) const {
    for (const Path& each : left) {
      if (const auto extents = extents_of_file(session_, each, options_.gauge))
        return check_fit(options_, each, *extents);
    }
  }

  void run_one(const Path& configuration) {
    try {
      const RunLock lock(session_, prefix_of(options_, configuration));
      if (options_.resume && is_done(session_, options_, configuration)) {  // another run has measured it meanwhile
        ++kept_;
        return;
      }
      progress_->begin(name_of(configuration));
      measure(configuration);
      ++measured_;
      progress_->end();
    } catch (const Failure& failure) {
      fail({configuration, failure.code(), failure.what()});
    } catch (const Error& error) {
      fail({configuration, Exit::input, error.what()});
    } catch (const std::exception& error) {
      if (session_.communicator().size() > 1) throw;  // it may be one process alone
      fail({configuration, Exit::failure, reason_of(error)});
    }
  }

  void fail(Failed failed) {
    progress_->erase();
    say(session_, "failed        {}, exit code {}: {}\n", failed.configuration.string(), static_cast<int>(failed.code),
        failed.reason);
    log_.failed(name_of(failed.configuration), failed.code, failed.reason);
    failed_.push_back(std::move(failed));
  }

  void measure(const Path& configuration) {
    const std::vector<detail::PhaseTime> start = detail::phase_times();
    if (!exists(session_, configuration)) {
      throw input_error(fmt::format("CONFIGURATION: {} does not exist", configuration.string()));
    }
    const GaugeFile file = read_gauge_file(session_, "CONFIGURATION", configuration, options_.gauge);
    const Coordinates& extents = file.links.lattice().extents();
    progress_->set_lattice(extents);
    progress_->erase();
    say(session_, "configuration {}, plaquette {:.10f}\n", configuration.string(), file.report.plaquette);
    const EnergyMeter meter(session_.communicator());
    Measurement measurement = kaon::measure(file.links, options_.input, name_of(configuration), progress_->hooks());
    const std::optional<double> joules = meter.joules();
    if (!measurement.failure.empty()) throw Failure(Exit::not_converged, measurement.failure);
    for (const auto& [phase, seconds] : detail::phase_times(start)) {
      measurement.seconds[detail::word_of(phase)] = seconds;
    }
    Json record = provenance(session_, file.links.lattice());
    if (joules) record["joules"] = *joules;
    const std::vector<Path> written = with_option("output", [&] {
      const detail::Phase writing(detail::PhaseName::write);
      return write_measurement(options_.input.folder, name_of(configuration), measurement, options_.input,
                               {.configuration = configuration.string(),
                                .checksum = file.report.checksum ? to_string(*file.report.checksum) : "",
                                .plaquette = file.report.plaquette,
                                .provenance = record.dump()},
                               session_.communicator());
    });
    for (const Path& each : written) report_complete_file(each);
    int iterations = 0;
    for (const MeasuredSolve& solve : measurement.solves) iterations += solve.result.iterations();
    const Json phases = phases_json(start);
    const double memory = session_.communicator().sum(resident_memory().peak);
    log_.measured(name_of(configuration), extents, iterations, phases, joules, on_device ? 0.0 : memory);
    progress_->erase();
    say(session_, "written       {}{}, in {}\n", written.front().string(),
        written.size() > 1 ? " and " + counted(written.size() - 1, "other", "others") : "",
        describe_cost(phases.at("total"), joules.value_or(0.0)));
  }

  Exit summarize() const {
    say(session_, "\n{} measured, {} done before, {} failed, of {}\n", measured_, kept_, failed_.size(),
        counted(options_.configurations.size(), "configuration", "configurations"));
    if (failed_.empty()) return Exit::success;
    say(session_, "{}", line_of_phases());
    throw Failure(failed_.front().code, fmt::format("CONFIGURATION: {} of {} failed, the first is {}: {}",
                                                    failed_.size(), options_.configurations.size(),
                                                    failed_.front().configuration.string(), failed_.front().reason));
  }

  const Session& session_;
  const CampaignOptions& options_;
  CampaignLog log_;
  std::optional<CampaignProgress> progress_;
  std::vector<Failed> failed_;
  std::size_t measured_ = 0, kept_ = 0;
};

/// Returns the number of exact solves that cost as much as those for a propagator from all sources, if it is known.
std::optional<double> equal_solves(const MeasurementInput& input) {
  const auto sources = static_cast<double>(input.sources.count());
  if (!input.sloppy) return sources;
  const std::optional<double> ratio = sloppy_ratio(input);
  return ratio ? std::optional(input.sloppy->exact + sources * *ratio) : std::nullopt;
}

/// Returns the seconds of the solves of a configuration by the records in the cache of tuning, which solves by the
/// automatic method leave; none where a quark has no record.
std::optional<double> recorded_seconds(const GaugeField<double>& links, const MeasurementInput& input) {
  const std::optional<double> solves_of_source = equal_solves(input);
  if (!solves_of_source || !detail::SolveRecords::are_on(links.lattice())) return std::nullopt;
  const std::vector<std::size_t> right_hand_sides = detail::right_hand_sides_of_source(input);
  double sum = 0.0;
  for (const QuarkGroup& group : quark_groups(links, detail::quark_operators(input).parameters)) {
    if (group.masses.size() > 1) return std::nullopt;
    const SolvePlan solves = plan(group.quark, input.solver);
    if (solves.until_multigrid_pays.empty()) return std::nullopt;
    const int columns = colors * group.quark->domain().spins;
    const double number = *solves_of_source * static_cast<double>(right_hand_sides[group.places.front()]) / columns;
    const detail::SolveRecord record =
        detail::SolveRecords(group.quark, solves.until_multigrid_pays.front()).recall(columns);
    const double krylov = record.iterations * record.per_iteration, by_multigrid = record.by_multigrid;
    if (krylov == 0.0 && by_multigrid == 0.0) return std::nullopt;
    const double of_krylov = krylov > 0.0 ? number * krylov : HUGE_VAL;
    const double of_multigrid = by_multigrid > 0.0 ? record.setup + number * by_multigrid : HUGE_VAL;
    sum += std::min(of_krylov, of_multigrid);
  }
  return sum;
}

std::string describe_bytes(double bytes) {
  constexpr double thousand = 1000.0;
  for (const char* unit : {"B", "kB", "MB", "GB"}) {
    if (bytes < thousand) return fmt::format("{:.3g} {}", bytes, unit);
    bytes /= thousand;
  }
  return fmt::format("{:.3g} TB", bytes);
}

/// Says the memory of a measurement, that of the configurations that are measured or else an estimate; `before` is the
/// data of this process without links.
void say_memory(const Session& session, const MeasurementInput& input, const Lattice& lattice, double before,
                const MeanCost& mean) {
  if (mean.memory > 0.0) {
    say(session, "memory        {} on all processes, as {} took\n", describe_bytes(mean.memory),
        counted(mean.configurations, "measured configuration", "measured configurations"));
    return;
  }
  const double programs = session.communicator().size() * (before + resident_memory().program);
  const auto described = [&](const MeasurementMemory& memory) {
    if (!on_device) return describe_bytes(memory.fields + programs);
    return fmt::format("{} of devices and {} of hosts", describe_bytes(memory.fields),
                       describe_bytes(memory.others + programs));
  };
  const std::optional<MeasurementMemory> with_multigrid = memory_with_multigrid(input, lattice);
  if (with_multigrid && input.solver.method == KrylovMethod::multigrid) {
    say(session, "memory        about {} on all processes\n", described(*with_multigrid));
    return;
  }
  std::string of_multigrid;
  if (with_multigrid) {
    of_multigrid = fmt::format(", {} where multigrid is used", described(*with_multigrid));
  } else if (input.solver.method == KrylovMethod::multigrid) {
    of_multigrid = ", without that of multigrid";
  }
  say(session, "memory        about {} on all processes{}\n", described(memory_of(input, lattice)), of_multigrid);
}

}  // namespace

Exit run_campaign(const Session& session, const CampaignOptions& options) { return Campaign(session, options).run(); }

Exit describe_campaign(const Session& session, const CampaignOptions& options) {
  const Path& first = options.configurations.front();
  if (!exists(session, first)) throw input_error(fmt::format("CONFIGURATION: {} does not exist", first.string()));
  const double before = resident_memory().data;
  const GaugeFile file = read_gauge_file(session, "CONFIGURATION", first, options.gauge);
  const Coordinates& extents = file.links.lattice().extents();
  check_fit(options, first, extents);
  const MeasurementPlan cost = plan(options.input, extents);
  const auto done = std::ranges::count_if(
      options.configurations, [&](const Path& each) { return !options.overwrite && is_done(session, options, each); });
  const double left = static_cast<double>(std::ssize(options.configurations) - done);
  say(session, "lattice       {}, as the first configuration has it\n", to_string(extents));
  say(session, "quarks\n");
  for (const MeasuredQuark& quark : options.input.quarks) {
    const std::array one{quark.parameters};
    say(session, "  {:<11} {}, mass {}\n", quark.name, describe_action(one), describe_masses(one));
  }
  say(session, "hadrons\n");
  for (const MeasuredHadron& hadron : options.input.hadrons) {
    const char* const kind = hadron.three_point ? "three-point" : hadron.kind == "meson" ? "meson" : "baryon";
    say(session, "  {} {}: {}, {}, {}\n", kind, hadron.name, counted(hadron.channels.size(), "channel", "channels"),
        counted(hadron.momenta.size(), "momentum", "momenta"), counted(hadron.sinks.size(), "sink", "sinks"));
  }
  say(session, "configurations {}{}: each has {} and {} solves of one right-hand side{}\n",
      options.configurations.size(), done > 0 ? fmt::format(", {} of them measured already", done) : "",
      counted(cost.sources, "source", "sources"), cost.solves,
      cost.sloppy_solves > 0 ? fmt::format(", and {} sloppy ones", cost.sloppy_solves) : "");
  const MeanCost mean = mean_cost(CampaignLog(session, options).read(), extents);
  say_memory(session, options.input, file.links.lattice(), before, mean);
  say(session, "disk          {} of correlators\n", describe_bytes(static_cast<double>(cost.file_bytes) * left));
  say(session, "files         {}{}\n", files_of(options, first).front().string(),
      options.configurations.size() * files_of(options, first).size() > 1 ? ", ..." : "");
  if (mean.configurations > 0) {
    say(session, "time          about {}: {} a configuration, the mean of {}\n",
        describe_cost(left * mean.seconds, left * mean.joules), describe_cost(mean.seconds, mean.joules),
        counted(mean.configurations, "measured configuration", "measured configurations"));
  } else if (const auto recorded = recorded_seconds(file.links, options.input)) {
    say(session, "time          about {} for solves: {} a configuration, by earlier solves in the cache of tuning\n",
        describe_seconds(left * *recorded), describe_seconds(*recorded));
  }
  return Exit::success;
}

Exit report_campaign(const Session& session, const CampaignOptions& options) {
  const LoggedCampaign log = CampaignLog(session, options).read();
  std::map<std::string, std::size_t> count;
  double seconds = 0.0, joules = 0.0, configurations = 0.0;  // of what is done
  for (const Path& configuration : options.configurations) {
    const auto found = log.configurations.find(name_of(configuration));
    const LoggedConfiguration logged = found == log.configurations.end() ? LoggedConfiguration{} : found->second;
    std::string state = "left", text;
    if (is_done(session, options, configuration)) {
      state = "done";
      if (log.by_others.contains(name_of(configuration))) {
        text = ", by another input";
      } else if (logged.state == "measured") {
        text = fmt::format(", {}, {}", counted(logged.iterations, "iteration", "iterations"),
                           describe_cost(logged.seconds, logged.joules));
        seconds += logged.seconds;
        joules += logged.joules;
        ++configurations;
      }
    } else if (is_locked(session, prefix_of(options, configuration))) {
      state = "being measured";
      if (logged.sources > 0) text = fmt::format(", source {}/{}", logged.source + 1, logged.sources);
    } else if (logged.state == "failed") {
      state = "failed";
      text = fmt::format(", exit code {}: {}", logged.exit_code, logged.reason);
    }
    ++count[state];
    say(session, "{}: {}{}\n", configuration.string(), state, text);
  }
  say(session, "\n{} done, {} being measured, {} failed, {} left, of {}\n", count["done"], count["being measured"],
      count["failed"], count["left"], counted(options.configurations.size(), "configuration", "configurations"));
  if (configurations > 0.0) {
    const std::size_t open = options.configurations.size() - count["done"];
    const double ratio = static_cast<double>(open) / configurations;
    const std::string of_open = fmt::format(", about {} for the {} that {} not done, if one run measures {}",
                                            describe_cost(ratio * seconds, ratio * joules), open,
                                            open == 1 ? "is" : "are", open == 1 ? "it" : "them");
    say(session, "time          {} for what is done{}\n", describe_cost(seconds, joules), open > 0 ? of_open : "");
  }
  return Exit::success;
}

}  // namespace kaon::apps
