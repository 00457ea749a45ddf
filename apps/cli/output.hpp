// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/printable.hpp"
#include "core/tuning/phases.hpp"

#include <kaon/comm/session.hpp>
#include <kaon/core/lattice.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <concepts>
#include <exception>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace kaon::apps {

// Standard streams, reports, and the words with which a signal ends the program.

/// Prepares a process for the streams and limits that it has inherited; called first. The numbers of closed streams are
/// reserved, so that no file of the program gets them. Writing to a closed pipe, or beyond the largest size of files,
/// becomes an error of that write instead of a signal that ends the process. The limit of open files becomes the
/// largest that the system allows, up to 65536: the files of many masses are all complete before any of them is
/// renamed.
void prepare_streams();

/// Writes to standard output. If that fails, the work continues, and `standard_output_problem` returns the reason.
void write_to_standard_output(const std::string& text);

/// The reason why a text could not be written to standard output; empty if all texts were written.
std::string standard_output_problem();

/// Writes to standard output, from the first process only; what a terminal would obey is made printable. See
/// `write_to_standard_output`.
template <class... Args>
void say(const Session& session, fmt::format_string<Args...> format, Args&&... args) {
  if (session.communicator().rank() != 0) return;
  write_to_standard_output(detail::printable(fmt::format(format, std::forward<Args>(args)...)));
}

/// The text of a message about an exception that is no `Failure`, with the remedy where memory is lacking.
std::string reason_of(const std::exception& error);

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

/// The wall time of the first process until now: seconds of each phase (core/tuning/phases.hpp), and their sum as
/// "total". With an older result of `phase_times`, the time since then.
Json phases_json(const std::vector<detail::PhaseTime>& since = {});
/// Writes a JSON object with its "phases" to standard output, which then has no other text.
void say_json(const Session& session, Json content);
/// The line of phases with which a subcommand ends. It is empty after `say_json`, and if there was no work: no file was
/// read or written, nothing was solved for and no links were updated.
std::string line_of_phases();

/// Remembers the command line for `provenance`.
void set_command_line(int argc, char** argv);
/// The command line, quoted for a shell, with --resume and without --overwrite.
std::string command_to_resume();

/// "1 step", "2 steps".
std::string counted(std::integral auto number, const char* one, const char* many) {
  return fmt::format("{} {}", number, number == 1 ? one : many);
}
/// "3.2 s", "4 min 10 s", "2 h 05 min".
std::string describe_seconds(double seconds);
/// "3.2 s", "3.2 s and 1.5 kJ" where the energy is measured, that is not 0.
std::string describe_cost(double seconds, double joules);

// The words with which the first process ends when a signal ends it name the files of the run that are complete.

/// `command` is the name of the subcommand, "kaon flow".
void begin_signal_report(const Session& session, const std::string& command);
/// Adds a complete file of this run to the report.
void report_complete_file(const std::filesystem::path& file);
/// Replaces the words: `deferred` when a signal is deferred (`SignalDeferral`), `ended` when one ends the process.
void report_checkpoints(const std::string& deferred, const std::string& ended);

}  // namespace kaon::apps
