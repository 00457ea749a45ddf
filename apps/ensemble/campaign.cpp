// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/ensemble/campaign.hpp"

#include "apps/cli/output.hpp"
#include "apps/ensemble/run_files.hpp"
#include "apps/files/prepared_files.hpp"
#include "io/collective.hpp"

#include <kaon/campaign/measurement.hpp>
#include <kaon/comm/energy.hpp>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>
#include <new>
#include <optional>
#include <utility>

namespace kaon::apps {
namespace {

using Clock = std::chrono::steady_clock;
using Path = std::filesystem::path;

std::string name_of(const Path& configuration) { return configuration.stem().string(); }

Path prefix_of(const CampaignOptions& options, const Path& configuration) {
  return Path(options.input.folder) / name_of(configuration);
}

Path failure_file(const CampaignOptions& options, const Path& configuration) {
  return prefix_of(options, configuration).string() + ".failed";
}

/// The number of sources of each configuration.
std::size_t number_of_sources(const CampaignOptions& options) {
  const MeasuredSources& sources = options.input.sources;
  if (sources.random > 0) return static_cast<std::size_t>(sources.random);
  return std::max(sources.sites.size(), sources.times.size());
}

std::vector<Path> files_of(const CampaignOptions& options, const Path& configuration) {
  return with_option("output", [&] {
    return files_of_measurement(options.input.folder, name_of(configuration), options.input,
                                number_of_sources(options));
  });
}

/// All files exist: they got their names when all were complete.
bool is_done(const Session& session, const CampaignOptions& options, const Path& configuration) {
  return std::ranges::all_of(files_of(options, configuration), [&](const Path& file) { return exists(session, file); });
}

/// The progress of a campaign: one line that moves on a terminal, and in other outputs a line for each solve. Several
/// processes print lines only, because launchers may collect their output by a terminal.
class ProgressLine {
 public:
  ProgressLine(const Session& session, std::size_t configurations)
      : session_(session),
        configurations_(configurations),
        is_terminal_(session.communicator().size() == 1 && ::isatty(STDOUT_FILENO) == 1) {}

  void begin(const std::string& configuration) {
    configuration_ = configuration;
    ++number_;
  }

  MeasurementHooks hooks() {
    return {.on_solve =
                [this](const std::string& quarks, std::size_t source, std::size_t sources) {
                  solve_ = fmt::format("source {}/{}, quark {}", source + 1, sources, quarks);
                  if (!is_terminal_) say(session_, "  {}{}\n", solve_, time_left());
                },
            .on_iteration =
                [this](int iteration, std::span<const double> residuals) {
                  if (!is_terminal_ || Clock::now() - shown_ < std::chrono::milliseconds(200)) return true;
                  shown_ = Clock::now();
                  show(fmt::format("{}, iteration {}, residual {:.1e}", solve_, iteration,
                                   *std::ranges::max_element(residuals)));
                  return true;
                }};
  }

  void done() {
    ++done_;
    erase();
  }
  void erase() {
    if (is_terminal_) write_to_standard_output("\r\x1b[K");
  }

 private:
  std::string time_left() const {
    if (done_ == 0) return {};
    const std::chrono::duration<double> elapsed = Clock::now() - start_;
    const double each = elapsed.count() / static_cast<double>(done_);
    return fmt::format(", {} left", describe_seconds(each * static_cast<double>(configurations_ - number_ + 1)));
  }

  void show(const std::string& text) const {
    constexpr std::size_t width = 110;
    const std::string line = fmt::format("{}/{} {}: {}{}", number_, configurations_, configuration_, text, time_left());
    write_to_standard_output("\r\x1b[K" + detail::printable(line.substr(0, width)));
  }

  const Session& session_;
  std::size_t configurations_, number_ = 0, done_ = 0;
  bool is_terminal_;
  std::string configuration_, solve_;
  Clock::time_point start_ = Clock::now(), shown_{};
};

struct Failed {
  Path configuration;
  Exit code;
  std::string reason;
};

class Campaign {
 public:
  Campaign(const Session& session, const CampaignOptions& options)
      : session_(session), options_(options), progress_(session, options.configurations.size()) {}

  Exit run() {
    make_folder();
    if (!options_.resume && !options_.overwrite) require_new();
    for (const Path& configuration : options_.configurations) {
      progress_.begin(configuration.string());
      run_one(configuration);
    }
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
      });
    });
  }

  void require_new() const {
    for (const Path& configuration : options_.configurations) {
      if (!is_done(session_, options_, configuration)) continue;
      throw usage_error(
          fmt::format("CONFIGURATION: {} is measured already, in {}: --resume measures the others, and "
                      "--overwrite all again",
                      configuration.string(), options_.input.folder));
    }
  }

  void run_one(const Path& configuration) {
    try {
      const RunLock lock(session_, prefix_of(options_, configuration));
      if (options_.resume && is_done(session_, options_, configuration)) {
        ++kept_;
        return;
      }
      measure(configuration);
      note_failure(configuration, std::nullopt);
      ++measured_;
      progress_.done();
    } catch (const Failure& failure) {
      fail({configuration, failure.code(), failure.what()});
    } catch (const std::bad_alloc&) {
      if (session_.communicator().size() > 1) throw;  // it may be one process alone
      fail({configuration, Exit::failure, "not enough memory for a lattice of this size"});
    } catch (const Error& error) {
      fail({configuration, Exit::input, error.what()});
    }
  }

  void fail(Failed failed) {
    progress_.erase();
    say(session_, "failed        {}: {}\n", failed.configuration.string(), failed.reason);
    note_failure(failed.configuration, failed);
    failed_.push_back(std::move(failed));
  }

  /// The file NAME.failed, which --status shows: written or removed.
  void note_failure(const Path& configuration, const std::optional<Failed>& failed) const {
    if (session_.communicator().rank() != 0) return;
    const Path file = failure_file(options_, configuration);
    if (failed) {
      std::ofstream(file) << "exit code " << static_cast<int>(failed->code) << ": " << failed->reason << "\n";
    } else {
      std::error_code ignored;
      std::filesystem::remove(file, ignored);
    }
  }

  void measure(const Path& configuration) {
    const Clock::time_point start = Clock::now();
    if (!exists(session_, configuration)) {
      throw input_error(fmt::format("CONFIGURATION: {} does not exist", configuration.string()));
    }
    const GaugeFile file = read_gauge_file(session_, "CONFIGURATION", configuration, options_.gauge);
    const double reading = std::chrono::duration<double>(Clock::now() - start).count();
    progress_.erase();
    say(session_, "configuration {}, plaquette {:.10f}\n", configuration.string(), file.report.plaquette);
    const EnergyMeter meter(session_.communicator());
    Measurement measurement = kaon::measure(file.links, options_.input, name_of(configuration), progress_.hooks());
    const std::optional<double> joules = meter.joules();
    if (!measurement.failure.empty()) throw Failure(Exit::not_converged, measurement.failure);
    measurement.seconds["reading"] = reading;
    Json record = provenance(session_, file.links.lattice());
    if (joules) record["joules"] = *joules;
    const Clock::time_point writing = Clock::now();
    const std::vector<Path> written = with_option("output", [&] {
      return write_measurement(options_.input.folder, name_of(configuration), measurement, options_.input,
                               {.configuration = configuration.string(),
                                .checksum = file.report.checksum ? to_string(*file.report.checksum) : "",
                                .plaquette = file.report.plaquette,
                                .provenance = record.dump()},
                               session_.communicator());
    });
    measurement.seconds["writing"] = std::chrono::duration<double>(Clock::now() - writing).count();
    for (const Path& each : written) report_complete_file(each);
    progress_.erase();
    say(session_, "written       {}{}\n", written.front().string(),
        written.size() > 1 ? fmt::format(" and {} others", written.size() - 1) : "");
  }

  Exit summarize() const {
    say(session_, "\n{} measured, {} done before, {} failed, of {} configurations\n", measured_, kept_, failed_.size(),
        options_.configurations.size());
    for (const Failed& failed : failed_) {
      say(session_, "failed        {}, exit code {}: {}\n", failed.configuration.string(),
          static_cast<int>(failed.code), failed.reason);
    }
    if (failed_.empty()) return Exit::success;
    throw Failure(failed_.front().code, fmt::format("CONFIGURATION: {} of {} failed, the first is {}: {}",
                                                    failed_.size(), options_.configurations.size(),
                                                    failed_.front().configuration.string(), failed_.front().reason));
  }

  const Session& session_;
  const CampaignOptions& options_;
  ProgressLine progress_;
  std::vector<Failed> failed_;
  std::size_t measured_ = 0, kept_ = 0;
};

std::string describe_bytes(double bytes) {
  constexpr double thousand = 1000.0;
  for (const char* unit : {"B", "kB", "MB", "GB"}) {
    if (bytes < thousand) return fmt::format("{:.3g} {}", bytes, unit);
    bytes /= thousand;
  }
  return fmt::format("{:.3g} TB", bytes);
}

}  // namespace

Exit run_campaign(const Session& session, const CampaignOptions& options) { return Campaign(session, options).run(); }

Exit describe_campaign(const Session& session, const CampaignOptions& options) {
  const Path& first = options.configurations.front();
  if (!exists(session, first)) throw input_error(fmt::format("CONFIGURATION: {} does not exist", first.string()));
  const GaugeFile file = read_gauge_file(session, "CONFIGURATION", first, options.gauge);
  const Coordinates& extents = file.links.lattice().extents();
  with_option("source", [&] { return sources_of(options.input, extents, name_of(first)); });
  const MeasurementPlan cost = plan(options.input, extents);
  const auto configurations = static_cast<double>(options.configurations.size());
  say(session, "lattice       {}, as the first configuration has it\n", to_string(extents));
  say(session, "quarks\n");
  for (const MeasuredQuark& quark : options.input.quarks) {
    const std::array one{quark.parameters};
    say(session, "  {:<11} {}, mass {}\n", quark.name, describe_action(one), describe_masses(one));
  }
  say(session, "hadrons\n");
  for (const MeasuredHadron& hadron : options.input.hadrons) {
    say(session, "  {}{}: {} channels, {} momenta, {} sinks\n", hadron.kind == "meson" ? "meson " : "baryon ",
        hadron.name, hadron.channels.size(), hadron.momenta.size(), hadron.sinks.size());
  }
  say(session, "configurations {}: each has {} sources and {} solves of one right-hand side\n",
      options.configurations.size(), cost.sources, cost.solves);
  say(session, "memory        {} of fields, besides those of solvers, on all processes\n",
      describe_bytes(static_cast<double>(cost.field_bytes)));
  say(session, "disk          {} of correlators\n",
      describe_bytes(static_cast<double>(cost.file_bytes) * configurations));
  say(session, "files         {}, ...\n", files_of(options, first).front().string());
  return Exit::success;
}

Exit report_campaign(const Session& session, const CampaignOptions& options) {
  std::size_t done = 0, failed = 0, running = 0;
  for (const Path& configuration : options.configurations) {
    std::string state = "left";
    if (is_done(session, options, configuration)) {
      state = "done";
      ++done;
    } else if (is_locked(session, prefix_of(options, configuration))) {
      state = "being measured";
      ++running;
    } else if (std::ifstream reason(failure_file(options, configuration)); reason) {
      std::getline(reason, state);
      state = "failed, " + state;
      ++failed;
    }
    say(session, "{}: {}\n", configuration.string(), state);
  }
  say(session, "\n{} done, {} being measured, {} failed, {} left, of {} configurations\n", done, running, failed,
      options.configurations.size() - done - running - failed, options.configurations.size());
  return Exit::success;
}

}  // namespace kaon::apps
