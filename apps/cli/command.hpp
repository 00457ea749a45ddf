// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "apps/cli/options.hpp"

#include <kaon/comm/session.hpp>

#include <functional>
#include <stdexcept>
#include <string>

namespace kaon::apps {

/// The exit codes of the program, which `kaon --help` lists.
enum class Exit {
  success = 0,
  failure = 1,        ///< anything else: a mistake in kaon, or a machine that refuses
  usage = 2,          ///< the command line
  input = 3,          ///< a file that cannot be read, is damaged or does not fit, or that cannot be written
  not_converged = 4,  ///< a solver that did not reach its tolerance
  time_limit = 5,     ///< --time-limit stopped the run before its end
};
/// The end of a run that a signal stopped: 128 + signal.
constexpr int after_signal = 128;
constexpr Exit ended_by_signal(int signal) { return static_cast<Exit>(after_signal + signal); }

/// A failure that the user can repair. The message starts with the option or file at fault.
class Failure : public std::runtime_error {
 public:
  Failure(Exit code, const std::string& message) : std::runtime_error(message), code_(code) {}
  Exit code() const { return code_; }

 private:
  Exit code_;
};

inline Failure usage_error(const std::string& message) { return {Exit::usage, message}; }
inline Failure input_error(const std::string& message) { return {Exit::input, message}; }

/// Work of a subcommand after its options have been read and checked: everything that needs a session.
using Action = std::function<Exit(const Session&)>;

/// Declares the options of a subcommand and returns the function that is called when the command line has been read:
/// it checks the options, throwing `Failure`, and returns the work.
using Declaration = std::function<std::function<Action()>(const Command& command)>;

/// A subcommand. Each file of apps/commands/ defines an object of this type, whose constructor registers it.
class Subcommand {
 public:
  /// `place` is the position in the list of the program's help.
  Subcommand(int place, const std::string& name, const std::string& summary, const Declaration& declare);
  /// A subcommand of a part that this build lacks: the help and calls report the part.
  Subcommand(int place, const std::string& name, const std::string& lacking_part);
};

/// Adds all subcommands to the program. The one that the command line names sets `action`.
void add_subcommands(CLI::App& program, Action& action);

}  // namespace kaon::apps
