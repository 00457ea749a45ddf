// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/cli/output.hpp"

#include "core/base/ending_signals.hpp"
#include "core/device/allocated_bytes.hpp"
#include "core/tuning/phases.hpp"

#include <kaon/comm/build_info.hpp>

#include <fmt/ranges.h>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <stdexcept>
#include <vector>

namespace kaon::apps {
namespace {

std::vector<std::string> command_line;
int output_error = 0;           // errno of the first text that could not be written
std::string reporting_command;  // empty: this process writes no report of signals
std::vector<std::string> complete_files;
bool has_checkpoints = false;
bool wrote_json = false;  // to standard output

/// The word as a shell reads it.
std::string quoted(const std::string& word) {
  constexpr const char* plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%";
  if (!word.empty() && word.find_first_not_of(plain) == word.npos) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

void set_report(const std::string& deferred, const std::string& ended) {
  if (!reporting_command.empty())
    detail::report_ending_signals(reporting_command, detail::printable(deferred), detail::printable(ended));
}

}  // namespace

void prepare_streams() {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
    if (::fcntl(stream, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest free number is this one. Reading from it and writing to it fail, as they do on a closed stream.
    if (::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) return;
  }
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  constexpr rlim_t many = 1 << 16;  // bounded: some libraries close every possible descriptor after fork()
  struct rlimit open_files {};
  if (::getrlimit(RLIMIT_NOFILE, &open_files) == 0 && open_files.rlim_cur < many) {
    open_files.rlim_cur = std::min(open_files.rlim_max, many);
    static_cast<void>(::setrlimit(RLIMIT_NOFILE, &open_files));
  }
}

void write_to_standard_output(const std::string& text) {
  errno = 0;
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if ((!written || std::fflush(stdout) != 0) && output_error == 0) output_error = errno != 0 ? errno : EIO;
}

std::string standard_output_problem() {
  return output_error == 0 ? "" : std::string("standard output cannot be written: ") + std::strerror(output_error);
}

std::string to_text(const Json& content) { return content.dump(2, ' ', true, Json::error_handler_t::replace); }

Json parse_json(const std::string& text) {
  constexpr int deepest = 8;  // files of kaon have 3 levels
  return Json::parse(text, [](int depth, Json::parse_event_t, Json&) {
    if (depth > deepest) throw std::runtime_error("brackets within brackets");
    return true;
  });
}

std::string time_stamp() {
  const std::time_t time = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm utc{};
  gmtime_r(&time, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

Json provenance(const Session& session) {
  const BuildInfo build = build_info();
  const RunInfo run = run_info(session.communicator());
  return {{"command", fmt::format("{}", fmt::join(command_line, " "))},
          {"time", time_stamp()},
          {"kaon", build.version},
          {"commit", build.commit},
          {"compiler", build.compiler},
          {"kokkos", build.kokkos},
          {"execution_space", build.execution_space},
          {"instruction_set", build.instruction_set},
          {"message_passing", build.message_passing},
          {"device", run.device},
          {"processes", run.processes},
          {"host_threads", run.host_threads}};
}

Json provenance(const Session& session, const Lattice& lattice) {
  Json json = provenance(session);
  json["process_grid"] = lattice.process_grid();
  return json;
}

std::string reason_of(const std::exception& error) {
  const std::string text = error.what();
  if (!detail::lacks_memory(error)) return text;
  return fmt::format("not enough memory ({}): take more processes, or a smaller lattice, fewer slices or sources",
                     text);
}

Json phases_json(const std::vector<detail::PhaseTime>& since) {
  Json json = Json::object();
  double total = 0.0;
  for (const detail::PhaseTime& phase : detail::phase_times(since)) {
    json[detail::word_of(phase.name)] = phase.seconds;
    total += phase.seconds;
  }
  json["total"] = total;
  return json;
}

void say_json(const Session& session, Json content) {
  content["phases"] = phases_json();
  say(session, "{}\n", to_text(content));
  wrote_json = true;
}

std::string line_of_phases() {
  if (wrote_json) return {};
  bool had_work = false;
  double total = 0.0;
  std::string text;
  for (const auto& [name, seconds] : detail::phase_times()) {
    had_work = had_work || (name != detail::PhaseName::start && name != detail::PhaseName::leave &&
                            name != detail::PhaseName::other);
    total += seconds;
    text += fmt::format("{}{} {:.2f}", text.empty() ? "" : ", ", detail::word_of(name), seconds);
  }
  return had_work ? fmt::format("time          {:.2f} s: {}\n", total, text) : std::string{};
}

void set_command_line(int argc, char** argv) {
  for (int i = 0; i < argc; ++i) {
    command_line.push_back(i == 0 ? std::filesystem::path(argv[0]).filename().string() : argv[i]);
  }
}

std::string command_to_resume() {
  std::string text;
  for (const std::string& word : command_line) {
    if (word != "--resume" && word != "--overwrite") text += quoted(word) + " ";
  }
  return text + "--resume";
}

std::string describe_seconds(double seconds) {
  if (seconds < 60) return fmt::format("{:.1f} s", seconds);
  const long whole = std::lround(seconds);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

std::string describe_cost(double seconds, double joules) {
  constexpr double thousand = 1000.0;
  if (joules <= 0.0) return describe_seconds(seconds);
  return describe_seconds(seconds) +
         (joules < thousand ? fmt::format(" and {:.3g} J", joules) : fmt::format(" and {:.4g} kJ", joules / thousand));
}

void begin_signal_report(const Session& session, const std::string& command) {
  if (session.communicator().rank() != 0) return;
  reporting_command = command;
  set_report("", "the run ends, and has written no file: its work is lost");
}

void report_complete_file(const std::filesystem::path& file) {
  if (has_checkpoints || std::ranges::find(complete_files, file.string()) != complete_files.end()) return;
  complete_files.push_back(file.string());
  set_report("", fmt::format("the run ends. Complete: {}. Its other work is lost", fmt::join(complete_files, ", ")));
}

void report_checkpoints(const std::string& deferred, const std::string& ended) {
  has_checkpoints = true;
  set_report(deferred, ended);
}

}  // namespace kaon::apps
