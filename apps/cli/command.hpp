// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/comm/session.hpp>
#include <kaon/core/error.hpp>

#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include <functional>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

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

/// Returns the result of `action`. Its `Error` becomes a `Failure` of input that names the option at fault.
template <class Action>
auto with_option(const std::string& option, const Action& action) {
  try {
    return action();
  } catch (const Error& error) {
    throw input_error(fmt::format("{}: {}", option, error.what()));
  }
}

/// Returns the result of `action`. Its `Error` becomes a `Failure` of usage: the value of the option is wrong.
template <class Action>
auto with_value_of(const std::string& option, const Action& action) {
  try {
    return action();
  } catch (const Error& error) {
    throw usage_error(fmt::format("{}: {}", option, error.what()));
  }
}

/// Returns an empty text if the word is valid, otherwise the fault.
using Check = std::function<std::string(const std::string& word)>;

/// Returns why the word is no number of this type, `double`, `int` or `std::uint64_t`; an empty text if it is one.
template <class Number>
std::string number_fault(const std::string& word);

// Checks whose names do not clutter the help. Numbers must be finite.

Check positive();
Check not_negative();
Check one_of(const std::vector<std::string>& words);

/// A subcommand of the program, which owns it. CLI11 reads the words; this class checks numbers, and groups options.
class Command {
 public:
  Command(CLI::App& program, const std::string& name, const std::string& description)
      : app(program.add_subcommand(name, description)) {}

  /// Returns this subcommand with a heading: the help lists options that are added through the result under it.
  Command in_group(const std::string& name) const;
  /// T is `std::string`, `int`, `std::uint64_t`, `double`, or an optional `int` or `double`. The help shows the value
  /// that the variable has now, if it is not empty.
  template <class T>
  CLI::Option* add_option(const std::string& name, T& value, const std::string& description,
                          const Check& check = {}) const;
  /// An option whose number, of type `int` if it is an `integer`, is passed to `set`. The help shows `initial`, if any.
  CLI::Option* add_parameter(const std::string& name, const std::function<void(double)>& set, bool integer,
                             const std::string& initial, const std::string& description) const;
  /// An option with one of a few words as its value.
  CLI::Option* add_choice(const std::string& name, std::string& value, const std::vector<std::string>& words,
                          const std::string& description) const;
  CLI::Option* add_flag(const std::string& name, bool& value, const std::string& description) const;
  /// The names of the options that the command line has.
  std::set<std::string> named_options() const;

  CLI::App* app;

 private:
  CLI::Option* in_my_group(CLI::Option* option) const { return group_.empty() ? option : option->group(group_); }

  std::string group_{};
};

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
  /// A subcommand with one object of `Options`, in which the command line stores values. `declare` adds the options,
  /// `run` does the work, and `check`, if any, throws `Failure`; `named` are the options that the command line has.
  template <class Options>
  Subcommand(int place, const std::string& name, const std::string& summary,
             void (*declare)(const Command& command, Options& options),
             Exit (*run)(const Session& session, const Options& options),
             void (*check)(Options& options, const std::set<std::string>& named) = nullptr)
      : Subcommand(place, name, summary, [=](const Command& command) {
          const auto options = std::make_shared<Options>();
          declare(command, *options);
          return [=]() -> Action {
            if (check) check(*options, command.named_options());
            return [=](const Session& session) { return run(session, *options); };
          };
        }) {}
  /// A subcommand of a part that this build lacks: the help and calls report the part.
  Subcommand(int place, const std::string& name, const std::string& lacking_part);
};

/// Adds all subcommands to the program. The one that the command line names sets `action`.
void add_subcommands(CLI::App& program, Action& action);

}  // namespace kaon::apps
