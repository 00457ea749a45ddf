// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/cli/command_line.hpp"

#include "apps/cli/suggestion.hpp"

#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include <list>
#include <sstream>
#include <string_view>

namespace kaon::apps {
namespace {

/// The subcommand that was named, or the program itself.
const CLI::App& chosen(const CLI::App& program) {
  const auto commands = program.get_subcommands();
  return commands.empty() ? program : *commands.front();
}

/// Words that could have stood for `word`: names of options, or of subcommands.
std::vector<std::string> known_words(const CLI::App& program, const std::string& word) {
  std::vector<std::string> known;
  if (word.starts_with("-")) {
    for (const CLI::Option* option : chosen(program).get_options()) {
      for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    }
  } else if (&chosen(program) == &program) {
    for (const CLI::App* command : program.get_subcommands({})) known.push_back(command->get_name());
  }
  return known;
}

/// The error of the command line, which starts with the option at fault.
std::string explain(const CLI::App& program, const CLI::ParseError& error) {
  std::vector<std::string> extras = chosen(program).remaining();
  if (extras.empty()) extras = program.remaining();
  if (!extras.empty()) {
    const std::string word = extras.front().substr(0, extras.front().find('='));
    const bool no_command = program.get_subcommands().empty();
    const char* what = word.starts_with("-") ? "unknown option" : no_command ? "unknown subcommand" : "not expected";
    return word + ": " + what + suggestion(word, known_words(program, word));
  }
  return error.what();
}

Request usage_request(const CLI::App& program, const std::string& message) {
  return {.action = {},
          .code = Exit::usage,
          .output = {},
          .error = error_line(program, fmt::format("{}\nTry: {} --help", message, name_of(program)))};
}

}  // namespace

std::string name_of(const CLI::App& program) {
  const CLI::App& command = chosen(program);
  return &command == &program ? "kaon" : "kaon " + command.get_name();
}

std::string error_line(const CLI::App& program, const std::string& message) {
  return fmt::format("{}: error: {}", name_of(program), message);
}

Request read_command_line(CLI::App& program, const Action& action, const std::vector<char*>& given) {
  // CLI11 alone takes the word behind "--output=" for its value.
  std::list<std::string> options;
  std::vector<const char*> words;
  for (const char* const word : given) {
    const std::string_view text = word;
    words.push_back(word);
    if (!text.starts_with("--") || text.find('=') != text.size() - 1) continue;
    words.back() = options.emplace_back(text.substr(0, text.size() - 1)).c_str();
    words.push_back("");
  }
  try {
    program.parse(static_cast<int>(words.size()), words.data());
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) return usage_request(program, explain(program, error));
    std::ostringstream text;  // --help, --version
    program.exit(error, text, text);
    return {.action = {}, .code = Exit::success, .output = text.str(), .error = {}};
  } catch (const Failure& failure) {
    if (failure.code() == Exit::usage) return usage_request(program, failure.what());
    return {.action = {}, .code = failure.code(), .output = {}, .error = error_line(program, failure.what())};
  }
  return {.action = action, .code = Exit::success, .output = {}, .error = {}};
}

}  // namespace kaon::apps
