// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "apps/cli/standard_streams.hpp"
#include "core/base/printable.hpp"

#include <kaon/comm/session.hpp>
#include <kaon/core/lattice.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <utility>

namespace kaon::apps {

/// Writes to standard output, from the first process only; what a terminal would obey is made printable. See
/// `write_to_standard_output`.
template <class... Args>
void say(const Session& session, fmt::format_string<Args...> format, Args&&... args) {
  if (session.communicator().rank() != 0) return;
  write_to_standard_output(detail::printable(fmt::format(format, std::forward<Args>(args)...)));
}

/// Members remain in the order in which they were added.
using Json = nlohmann::ordered_json;

/// Indented text in ASCII. Invalid UTF-8 in names of files is replaced.
std::string to_text(const Json& content);

/// JSON of a file. Throws `std::exception` for what is none, and for texts whose nesting would exhaust the stack when
/// they are compared or written again.
Json parse_json(const std::string& text);

/// "2026-03-01T14:05:00Z": now.
std::string time_stamp();

/// Program, time and machine: the end of every report.
Json provenance(const Session& session);
/// And how the lattice was spread over processes.
Json provenance(const Session& session, const Lattice& lattice);

/// Remembers the command line for `provenance`.
void set_command_line(int argc, char** argv);
/// The command line, quoted for a shell, with --resume and without --overwrite.
std::string command_to_resume();

/// "3.2 s", "4 min 10 s", "2 h 05 min".
std::string describe_seconds(double seconds);

}  // namespace kaon::apps
