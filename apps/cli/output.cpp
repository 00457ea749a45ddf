// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/cli/output.hpp"

#include <kaon/comm/build_info.hpp>

#include <fmt/ranges.h>

#include <chrono>
#include <cmath>
#include <ctime>
#include <stdexcept>
#include <vector>

namespace kaon::apps {
namespace {

std::vector<std::string> command_line;

/// The word as a shell reads it.
std::string quoted(const std::string& word) {
  constexpr const char* plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%";
  if (!word.empty() && word.find_first_not_of(plain) == word.npos) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

}  // namespace

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

}  // namespace kaon::apps
