// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "apps/cli/command.hpp"

#include <string>
#include <vector>

namespace kaon::apps {

/// Demand of the command line: an action, or to end at once with a text for one of the standard streams.
struct Request {
  Action action;
  Exit code = Exit::success;
  std::string output;
  std::string error;
};

/// Parses the `given` words, the first of them the program's name. `action` is the variable that subcommands set.
Request read_command_line(CLI::App& program, const Action& action, const std::vector<char*>& given);

/// "kaon", or "kaon propagator" with the subcommand that was named.
std::string name_of(const CLI::App& program);

/// "kaon propagator: error: MESSAGE", with the subcommand that was named.
std::string error_line(const CLI::App& program, const std::string& message);

}  // namespace kaon::apps
