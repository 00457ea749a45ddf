// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
//
// The program kaon: reads the command line, starts the session and runs one subcommand.
#include "apps/command.hpp"
#include "apps/output.hpp"
#include "apps/suggestion.hpp"
#include "core/partial_file.hpp"
#include "core/printable.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>
#include <vector>

namespace {

using namespace kaon::apps;

constexpr const char* description =
    "kaon: lattice QCD on hosts and GPUs.\n"
    "Each subcommand has its own help: kaon propagator --help";

constexpr const char* footer =
    "Exit codes: 0 success; 2 the command line is wrong; 3 a file cannot be read, is damaged or cannot be\n"
    "written; 4 a solver did not reach its tolerance; 1 anything else.\n"
    "Host threads: OMP_NUM_THREADS, default all cores. GPU: the one of the process' rank in its node, or\n"
    "--kokkos-device-id=N. Options that begin with --kokkos- go to Kokkos.";

/// Rank of this process if a launcher of parallel programs tells it, before MPI is started.
int launched_rank() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"}) {
    if (const char* rank = std::getenv(name)) return std::atoi(rank);
  }
  return 0;
}

/// The subcommand that was named, or the program itself.
const CLI::App& chosen(const CLI::App& program) {
  const auto commands = program.get_subcommands();
  return commands.empty() ? program : *commands.front();
}

/// "kaon" or "kaon propagator".
std::string name_of(const CLI::App& program) {
  const CLI::App& command = chosen(program);
  return &command == &program ? "kaon" : "kaon " + command.get_name();
}

/// What could have stood for `word`: names of options, or of subcommands.
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

/// What is wrong with the command line, beginning with the option at fault.
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

int refuse(const CLI::App& program, const std::string& message) {
  if (launched_rank() == 0) {
    fmt::print(stderr, "{}: error: {}\nTry: {} --help\n", name_of(program), message, name_of(program));
  }
  return static_cast<int>(Exit::usage);
}

int run(const CLI::App& program, const Action& action, int& argc, char** argv) {
  const kaon::Session session(argc, argv);
  const auto fail = [&](const std::string& message, Exit code) {
    const std::string text = fmt::format("{}: error: {}", name_of(program), kaon::detail::printable(message));
    return session.fail(text, static_cast<int>(code));
  };
  try {
    return static_cast<int>(action(session));
  } catch (const Failure& failure) {
    return fail(failure.what(), failure.code());
  } catch (const std::bad_alloc&) {
    return fail("not enough memory for a lattice of this size", Exit::failure);
  } catch (const std::exception& error) {
    return fail(error.what(), Exit::failure);
  }
}

}  // namespace

int main(int argc, char** argv) {
  kaon::detail::remove_partial_files_on_signals();
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
  add_info(program, action);
  add_plaquette(program, action);
  add_generate(program, action);
  add_convert(program, action);
  add_propagator(program, action);
  add_tune(program, action);
  for (CLI::App* command : program.get_subcommands({})) command->footer(footer);

  try {
    program.parse(static_cast<int>(ours.size()), ours.data());
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return launched_rank() == 0 ? program.exit(error) : 0;  // --help, --version
    return refuse(program, explain(program, error));
  } catch (const Failure& failure) {
    if (failure.code() == Exit::usage) return refuse(program, failure.what());
    if (launched_rank() == 0) fmt::print(stderr, "{}: error: {}\n", name_of(program), failure.what());
    return static_cast<int>(failure.code());
  }
  for_kokkos.push_back(nullptr);
  int count = static_cast<int>(for_kokkos.size()) - 1;
  return run(program, action, count, for_kokkos.data());
}
