// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/comm/session.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <utility>

namespace kaon::apps {

/// Writes to standard output, from the first process only.
template <class... Args>
void say(const Session& session, fmt::format_string<Args...> format, Args&&... args) {
  if (session.communicator().rank() != 0) return;
  fmt::print(format, std::forward<Args>(args)...);
  std::fflush(stdout);
}

/// The order in which things were said is kept.
using Json = nlohmann::ordered_json;

/// Indented; names of files that are not UTF-8 are mended.
std::string to_text(const Json& content);

/// Throws `Failure` unless a file can be created where `path` says; leaves nothing behind. Called before long work.
void require_writable(const std::string& option, const std::filesystem::path& path);

/// Writes a JSON file; one of that name is replaced as a whole or not touched.
void write_json(const std::string& option, const std::filesystem::path& path, const Json& content);

/// What was run, when, on what: the end of every report.
Json provenance(const Session& session);

/// Remembers the command line for `provenance`.
void set_command_line(int argc, char** argv);

/// "3.2 s", "4 min 10 s", "2 h 05 min".
std::string describe_seconds(double seconds);

}  // namespace kaon::apps
