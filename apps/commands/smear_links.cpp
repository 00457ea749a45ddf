// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/cli/command.hpp"
#include "apps/cli/option_values.hpp"
#include "apps/files/gauge_files.hpp"
#include "apps/files/prepared_files.hpp"
#include "apps/files/smeared_files.hpp"
#include "apps/quark/quark_options.hpp"
#include "core/tuning/phases.hpp"

#include <kaon/gauge/improved_links.hpp>
#include <kaon/gauge/unitarity.hpp>
#include <kaon/quarks/make_quark.hpp>

#include <fmt/format.h>

#include <string>

namespace kaon::apps {
namespace {

struct ImprovedLinksOptions {
  std::string gauge;
  GaugeInputOptions input{.layout = {.grid = {}, .reach = 3}};
  QuarkOptions quark{.action = "hisq"};
  std::string fat, long_links;
  std::string phases = "milc";
  std::string boundary = "antiperiodic";
  std::string precision = "double";

  FermionParameters physics{};  ///< what the options mean
};

const QuarkActions& smeared_actions() {
  static const QuarkActions actions([](const FermionFamily& family) { return family.links == FamilyLinks::smeared; });
  return actions;
}

void check_smear_links(ImprovedLinksOptions& options, const std::set<std::string>& named) {
  options.quark.named = named;
  if (options.phases == "none") {
    refuse_named(named, {"--boundary"}, "with --phases none: it is folded in with MILC's phases");
  }
  check(options.input);
  const FermionFamily& family = smeared_actions().family_of(options.quark);
  options.physics = fermion_parameters(options.quark, family);
  options.physics.naik_epsilon = numbers_of_masses("--naik-epsilon", options.quark.naik_epsilon, 1, 0.0).front();
  require_range("--naik-epsilon", options.physics.naik_epsilon);
}

Exit improve_links(const Session& session, const ImprovedLinksOptions& options) {
  const FermionParameters& physics = options.physics;
  require_usable_files(session,
                       {{"--gauge", options.gauge, true}, {"--fat", options.fat}, {"--long", options.long_links}});
  GaugeFile file = read_gauge_file(session, "--gauge", options.gauge, options.input);
  report_gauge_file(session, options.gauge, file);
  const Json gauge = to_json(options.gauge, file.header, file.report);

  // Links of files were rounded, to single precision often.
  reunitarize(file.links);
  const ImprovedLinks links = [&] {
    const detail::Phase phase(detail::PhaseName::update);
    return smeared_links(file.links, physics);
  }();
  const FermionFamily& family = family_of(physics.action);
  std::string action(family.title.substr(0, family.title.find(',')));
  Json info{{"action", options.quark.action}, {"third_weight", links.third_weight}, {"gauge", gauge}};
  for (const FermionParameter& row : family_parameters) {
    if (row.phrase.empty() || !family.reads(row.name)) continue;
    action += ", " + fmt::format(fmt::runtime(row.phrase), row.get(physics));
    info[std::string(row.name)] = row.get(physics);
  }
  say(session, "action        {}, long links with weight {:.10g}\n", action, links.third_weight);

  const bool milc = options.phases == "milc";
  const FoldedPhases phases{.milc = milc, .antiperiodic = milc && options.boundary == "antiperiodic"};
  say(session, "phases        {}\n", describe(phases));
  const int bits = options.precision == "double" ? 64 : 32;
  write_smeared_links({.fat = options.fat, .long_links = options.long_links, .phases = phases, .bits = bits}, links,
                      info,
                      [&](const std::filesystem::path& file) { say(session, "written       {}\n", file.string()); });
  return Exit::success;
}

void declare_smear_links(const Command& command, ImprovedLinksOptions& options) {
  command.add_option("--gauge", options.gauge, "Gauge file; its format is recognised from its content")
      ->required()
      ->type_name("FILE");
  add_gauge_input_options(command, options.input);
  command.add_choice("--action", options.quark.action, smeared_actions().words(), "Whose links");
  add_quark_options(command, options.quark,
                    {{"u0", "Tadpole factor of asqtad"}, {"naik_epsilon", "Of hisq; default 0"}});
  command.add_option("--fat", options.fat, "File of fat links to write")->required()->type_name("FILE");
  command.add_option("--long", options.long_links, "File of long links to write")->required()->type_name("FILE");
  command.add_choice("--phases", options.phases, {"milc", "none"}, "What is folded into links that are written");
  command.add_choice("--boundary", options.boundary, {"antiperiodic", "periodic"},
                     "In time, folded in with MILC's phases");
  command.add_choice("--precision", options.precision, {"double", "single"}, "Of what is written");
}

const Subcommand smear_links_subcommand(130, "smear-links", "Write fat and long links of asqtad and HISQ fermions",
                                        declare_smear_links, improve_links, check_smear_links);

}  // namespace
}  // namespace kaon::apps
