// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/cli/command.hpp"

#include "apps/cli/option_values.hpp"

#include <fmt/format.h>

#include <map>

namespace kaon::apps {
namespace {

struct Registered {
  std::string name, summary;
  Declaration declare;
};

/// The subcommands by their places. A function holds them because objects of other files register before main.
std::multimap<int, Registered>& registered() {
  static std::multimap<int, Registered> subcommands;
  return subcommands;
}

}  // namespace

Subcommand::Subcommand(int place, const std::string& name, const std::string& summary, const Declaration& declare) {
  registered().emplace(place, Registered{name, summary, declare});
}

Subcommand::Subcommand(int place, const std::string& name, const std::string& lacking_part)
    : Subcommand(place, name, fmt::format("Not in this build, needs kaon's part '{}'", lacking_part),
                 [name, lacking_part](const Command& command) {
                   command.allow_extras();
                   return [name, lacking_part]() -> Action {
                     require_part(false, lacking_part, name, "it");
                     return {};
                   };
                 }) {}

void add_subcommands(CLI::App& program, Action& action) {
  for (const auto& [place, subcommand] : registered()) {
    const Command command(program, subcommand.name, subcommand.summary);
    command.callback([plan = subcommand.declare(command), &action] { action = plan(); });
  }
}

}  // namespace kaon::apps
