// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/comm/session.hpp>

#include <filesystem>
#include <string>

namespace kaon::apps {

// The words with which the first process ends when a signal ends it: which files of the run are complete, and that the
// rest is lost.

/// `command` is the name of the subcommand, "kaon flow".
void begin_signal_report(const Session& session, const std::string& command);
/// Adds a file of this run to those that are complete.
void report_complete_file(const std::filesystem::path& file);
/// Replaces the words: `deferred` when a signal is deferred (`SignalDeferral`), `ended` when one ends the process.
void report_checkpoints(const std::string& deferred, const std::string& ended);

}  // namespace kaon::apps
