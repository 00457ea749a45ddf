// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/comm/session.hpp>
#include <kaon/core/lattice.hpp>

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

/// Writes a line "kaon: ..." to standard error, from the first process only.
inline void warn(const Session& session, const std::string& message) {
  if (session.communicator().rank() == 0) fmt::print(stderr, "kaon: {}\n", message);
}

/// The order in which things were said is kept.
using Json = nlohmann::ordered_json;

/// Indented; names of files that are not UTF-8 are mended.
std::string to_text(const Json& content);

// What follows is collective; `Failure`s are thrown by all processes.

/// Throws `Failure` unless all processes can write a file where `path` says; leaves nothing behind. Called before long
/// work.
void require_writable(const Session& session, const std::string& option, const std::filesystem::path& path);

/// Writes a JSON file, as the first process has it; one of that name is replaced as a whole or not touched.
void write_json(const Session& session, const std::string& option, const std::filesystem::path& path,
                const Json& content);

/// Does the first process see a file of that name?
bool exists(const Session& session, const std::filesystem::path& path);

/// What was run, when, on what: the end of every report.
Json provenance(const Session& session);
/// And how the lattice was spread over processes.
Json provenance(const Session& session, const Lattice& lattice);

/// Remembers the command line for `provenance`.
void set_command_line(int argc, char** argv);

/// "3.2 s", "4 min 10 s", "2 h 05 min".
std::string describe_seconds(double seconds);

}  // namespace kaon::apps
