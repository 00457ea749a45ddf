// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/output.hpp"

#include "apps/command.hpp"
#include "io/collective.hpp"
#include "io/output_file.hpp"

#include <kaon/comm/build_info.hpp>
#include <kaon/core/error.hpp>

#include <chrono>
#include <cmath>
#include <ctime>

namespace kaon::apps {
namespace {

std::string command_line;

std::string now() {
  const std::time_t time = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm utc{};
  gmtime_r(&time, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

}  // namespace

void require_writable(const Session& session, const std::string& option, const std::filesystem::path& path) {
  try {
    const io::OutputFile probe(path, session.communicator());
  } catch (const Error& error) {
    throw input_error(fmt::format("{}: {}", option, error.what()));
  }
}

std::string to_text(const Json& content) { return content.dump(2, ' ', false, Json::error_handler_t::replace); }

void write_json(const Session& session, const std::string& option, const std::filesystem::path& path,
                const Json& content) {
  try {
    io::OutputFile file(path, session.communicator());
    // The times in reports differ between processes, and with them what is not of fixed length.
    file.write(io::broadcast(session.communicator(), to_text(content) + "\n"));
    file.commit();
  } catch (const Error& error) {
    throw input_error(fmt::format("{}: {}", option, error.what()));
  }
}

bool exists(const Session& session, const std::filesystem::path& path) {
  std::error_code ignored;
  const bool first_sees_it = session.communicator().rank() == 0 && std::filesystem::exists(path, ignored);
  return session.communicator().any(first_sees_it);
}

Json provenance(const Session& session) {
  const BuildInfo build = build_info();
  const RunInfo run = run_info(session.communicator());
  return {{"command", command_line},
          {"time", now()},
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
    const std::string word = i == 0 ? std::filesystem::path(argv[0]).filename().string() : argv[i];
    command_line += (i == 0 ? "" : " ") + word;
  }
}

std::string describe_seconds(double seconds) {
  if (seconds < 60) return fmt::format("{:.1f} s", seconds);
  const long whole = std::lround(seconds);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

}  // namespace kaon::apps
