// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
//
// The program kaon: reads the command line, starts the session and runs one subcommand.
#include "apps/cli/command.hpp"
#include "apps/cli/output.hpp"
#include "comm/processes.hpp"
#include "core/base/ending_signals.hpp"
#include "core/base/nearest_word.hpp"
#include "core/base/printable.hpp"
#include "core/lattice/agreement.hpp"
#include "core/tuning/phases.hpp"

#include <kaon/core/message.hpp>

#include <exception>
#include <list>
#include <optional>
#include <regex>
#include <sstream>
#include <string_view>
#include <vector>

namespace {

using namespace kaon::apps;

constexpr const char* description =
    "kaon: lattice QCD on hosts and GPUs.\n"
    "Each subcommand has its own help: kaon propagator --help";

constexpr const char* footer =
    "Exit codes: 0 success; 2 the command line is wrong; 3 a file cannot be read, is damaged or cannot be\n"
    "written; 4 a solver did not reach its tolerance; 5 --time-limit stopped a run; 128 + n signal n ended it;\n"
    "1 anything else.\n"
    "Host threads: OMP_NUM_THREADS, default all cores. GPU: the one of the process' rank in its node, or\n"
    "--kokkos-device-id=N. Options that begin with --kokkos- go to Kokkos.";

/// Demand of the command line: an action, or to end at once with a text for one of the standard streams.
struct Request {
  Action action;
  Exit code = Exit::success;
  std::string output;
  std::string error;
};

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
    return word + ": " + what + kaon::detail::suggestion(word, known_words(program, word));
  }
  static const std::regex missing("(.*): 1 required (.*) missing"),
      several("(.*): At [Mm]ost 1 required but received (.*)");
  return std::regex_replace(std::regex_replace(error.what(), missing, "$1: $2 is missing"), several,
                            "$1: it is given $2 times");
}

/// "kaon", or "kaon propagator" with the subcommand that was named.
std::string name_of(const CLI::App& program) {
  const CLI::App& command = chosen(program);
  return &command == &program ? "kaon" : "kaon " + command.get_name();
}

/// "kaon propagator: error: MESSAGE", with the subcommand that was named.
std::string error_line(const CLI::App& program, const std::string& message) {
  return fmt::format("{}: error: {}", name_of(program), message);
}

Request usage_request(const CLI::App& program, const std::string& message) {
  return {.action = {},
          .code = Exit::usage,
          .output = {},
          .error = error_line(program, fmt::format("{}\nTry: {} --help", message, name_of(program)))};
}

/// Parses the `given` words, the first of them the program's name. `action` is the variable that subcommands set.
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

/// Carries out what needs no session.
int end(const CLI::App& program, const Request& request) {
  if (!request.error.empty()) kaon::detail::write_to_standard_error(request.error + "\n");
  if (!request.output.empty()) write_to_standard_output(request.output);
  if (request.code != Exit::success || standard_output_problem().empty()) return static_cast<int>(request.code);
  kaon::detail::write_to_standard_error(error_line(program, standard_output_problem()) + "\n");
  return static_cast<int>(Exit::input);
}

/// Throws `Failure` in all processes where the words differ. One that solves another system, or ends before the others,
/// would spoil the result or leave them waiting.
void require_one_command_line(const kaon::Session& session, const std::vector<char*>& words) {
  std::string line;
  for (std::size_t i = 1; i < words.size(); ++i) line += (i == 1 ? "" : " ") + std::string(words[i]);
  if (const auto differing = kaon::detail::find_disagreement(session.communicator(), line)) {
    throw usage_error(
        fmt::format("processes were given different command lines, '{}' (process 0) and '{}' (process {})",
                    differing->first, differing->other, differing->process));
  }
}

/// `has_worked`: whether an action came to its end.
Exit carry_out(const kaon::Session& session, const Request& request, bool& has_worked) {
  Exit code = request.code;
  if (request.action) {
    const kaon::detail::Phase phase(kaon::detail::PhaseName::other);
    code = request.action(session);
    has_worked = true;
  }
  if (!request.output.empty()) say(session, "{}", request.output);
  if (code == Exit::success && session.communicator().any(!standard_output_problem().empty())) {
    throw input_error(standard_output_problem());
  }
  return code;
}

int run(const CLI::App& program, const kaon::Session& session, const Request& request, const std::vector<char*>& words,
        bool& has_worked) {
  const auto fail = [&](const std::string& message, Exit code) {
    return session.fail(error_line(program, kaon::detail::printable(message)), static_cast<int>(code));
  };
  begin_signal_report(session, name_of(program));
  try {
    require_one_command_line(session, words);
    if (!request.error.empty()) return session.fail(request.error, static_cast<int>(request.code));
    return static_cast<int>(carry_out(session, request, has_worked));
  } catch (const Failure& failure) {
    return fail(failure.what(), failure.code());
  } catch (const std::exception& error) {
    return fail(reason_of(error), Exit::failure);
  }
}

}  // namespace

int main(int argc, char** argv) {
  kaon::detail::count_from_start_of_process();
  kaon::detail::handle_ending_signals();
  prepare_streams();
  set_command_line(argc, argv);
  std::vector<char*> ours{argv[0]}, for_kokkos{argv[0]};
  for (int i = 1; i < argc; ++i) {
    (std::string_view(argv[i]).starts_with("--kokkos-") ? for_kokkos : ours).push_back(argv[i]);
  }

  CLI::App program(description, "kaon");
  Action action;
  program.get_formatter()->column_width(46);
  program.footer(footer);
  program.require_subcommand(1);
  program.set_version_flag("--version", KAON_VERSION);
  add_subcommands(program, action);
  for (CLI::App* command : program.get_subcommands({})) command->footer(footer);

  const Request request = read_command_line(program, action, ours);
  for_kokkos.push_back(nullptr);
  int count = static_cast<int>(for_kokkos.size()) - 1;
  std::optional<kaon::Session> session;
  try {
    // Under a launcher the others need not have been given the same command line: all must see what is wrong.
    if (!request.action && !kaon::detail::is_launched()) return end(program, request);
    session.emplace(count, for_kokkos.data());
  } catch (const std::exception& error) {
    if (kaon::detail::node_share().rank == 0) {
      kaon::detail::write_to_standard_error(error_line(program, error.what()) + "\n");
    }
    return static_cast<int>(Exit::failure);
  }
  bool has_worked = false;
  const int code = run(program, *session, request, ours, has_worked);
  const bool speaks = has_worked && session->communicator().rank() == 0;
  kaon::detail::begin_to_leave();
  session.reset();
  if (speaks) {
    const bool was_writable = standard_output_problem().empty();
    write_to_standard_output(line_of_phases());
    if (was_writable && code == 0)
      return end(program, {.action = {}, .code = Exit::success, .output = {}, .error = {}});
  }
  if (code > after_signal) kaon::detail::end_by_signal_at_exit(code - after_signal);
  return code;
}
