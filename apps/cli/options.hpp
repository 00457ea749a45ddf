// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace kaon::apps {

// Options and subcommands as this program uses them. CLI11 does the work; its header takes longer to compile than the
// rest of most files, so that few include it.

/// An empty text if the word will do, otherwise the fault.
using Check = std::function<std::string(const std::string& word)>;

/// Why the word is no number of this type, `double`, `int` or `std::uint64_t`; an empty text if it is one.
template <class Number>
std::string number_fault(const std::string& word);

// Checks whose names do not clutter the help. Numbers must be finite.

Check positive();
Check not_negative();
Check one_of(const std::vector<std::string>& words);

/// An option of a subcommand. Members return the option itself.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option required() const;
  /// Name of the value in the help.
  Option type_name(const std::string& name) const;
  /// The help shows the value that the variable has now.
  Option capture_default_str() const;
  Option check(const Check& check) const;
  Option excludes(const Option& other) const;

 private:
  CLI::Option* option_;
};

/// A subcommand of the program, which owns it.
class Command {
 public:
  Command(CLI::App& program, const std::string& name, const std::string& description);

  /// Returns this subcommand with a heading: the help lists options that are added through the result under it.
  Command in_group(const std::string& name) const;
  /// T is `std::string`, `int`, `std::uint64_t`, `double`, or an optional `int` or `double`.
  template <class T>
  Option add_option(const std::string& name, T& value, const std::string& description) const;
  /// An option whose number, of type `int` if it is an `integer`, is passed to `set`. The help shows `initial`, if any.
  Option add_parameter(const std::string& name, const std::function<void(double)>& set, bool integer,
                       const std::string& initial, const std::string& description) const;
  Option add_flag(const std::string& name, bool& value, const std::string& description) const;
  /// Called when the command line has been read and has this subcommand.
  void callback(const std::function<void()>& function) const;
  /// Words that are no options of the subcommand are not refused.
  void allow_extras() const;
  /// The names of the options that the command line has.
  std::set<std::string> named_options() const;

 private:
  Option in_my_group(CLI::Option* option) const;

  CLI::App* command_;
  std::string group_{};
};

}  // namespace kaon::apps
