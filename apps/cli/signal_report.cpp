// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/cli/signal_report.hpp"

#include "core/base/ending_signals.hpp"
#include "core/base/printable.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

namespace kaon::apps {
namespace {

std::string reporting_command;  // empty: this process writes no report
std::vector<std::string> complete_files;
bool has_checkpoints = false;

void set_report(const std::string& deferred, const std::string& ended) {
  if (!reporting_command.empty())
    detail::report_ending_signals(reporting_command, detail::printable(deferred), detail::printable(ended));
}

}  // namespace

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
