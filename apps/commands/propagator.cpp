// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/cli/command.hpp"
#include "apps/cli/option_values.hpp"
#include "apps/files/prepared_files.hpp"
#include "apps/quark/propagate.hpp"
#include "apps/quark/propagator_output.hpp"
#include "core/base/parts.hpp"
#include "multigrid/domain_wall/domain_wall_levels.hpp"
#include "multigrid/staggered/staggered_levels.hpp"

#include <kaon/comm/energy.hpp>
#include <kaon/measure/quark_correlators.hpp>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kaon::apps {
namespace {

void name_files(PreparedFiles& files, const Session& session) {
  const char* line_break = "\n";
  files.commit([&](const std::string& option, const std::filesystem::path& file) {
    const std::string name = file.string();
    say(session, "{}written       {}{}\n", std::exchange(line_break, ""), name,
        option == "--correlator" ? "; a picture: python3 -m kaon plot " + name : "");
  });
}

/// Third links in no group cannot be compressed.
void choose_storage(PropagatorPlan& plan, const GaugeInput& gauge) {
  if (!gauge.smeared || gauge.smeared->third_weight != 1.0) return;
  const int full = reals(LinkStorage::full);
  if (plan.given.links.value_or(full) != full) {
    throw usage_error(
        fmt::format("--links: {} reals are for third links that are unitary, and those of {} are not: give {}",
                    *plan.given.links, plan.given.long_links, full));
  }
  plan.links = full;
}

/// Before the setup of multigrid: the local lattice has aggregates.
void require_aggregates(const PropagatorPlan& plan, const Lattice& lattice) {
  if constexpr (detail::Parts::multigrid) {
    if (plan.given.solver != "multigrid") return;
    with_value_of("--solver: multigrid", [&] {
      if (plan.family().kind == OperatorKind::indefinite) {
        detail::choose_sliced_aggregates(lattice);
      } else {
        detail::choose_levels_of_quarks(lattice, plan.family().several_masses);
      }
    });
  }
}

Exit compute_propagator(const Session& session, PropagatorPlan plan) {
  require_usable_files(session, plan);
  const GaugeInput gauge = read_operator_links(session, plan);
  require_site("--source-site", plan.site, gauge.links.lattice().extents());
  require_space(session, plan, gauge.links.lattice());
  require_aggregates(plan, gauge.links.lattice());
  choose_storage(plan, gauge);
  report_plan(session, plan);

  const EnergyMeter meter(session.communicator());
  const std::vector<QuarkPropagators<double>> quarks = propagate(session, plan, gauge);
  const std::optional<double> joules = meter.joules();
  for (std::size_t n = 0; n < quarks.size(); ++n) report_solve(session, at_mass(plan, n), quarks[n].solve);
  if (joules) say(session, "energy        {:.0f} J for solves and their setup\n", *joules);
  for (std::size_t n = 0; n < quarks.size(); ++n) {
    if (quarks[n].solve.converged()) continue;
    throw Failure(Exit::not_converged, explain_failure(at_mass(plan, n), quarks[n].solve));
  }
  PreparedFiles files;
  const SourceParameters source = source_of(plan);
  for (std::size_t n = 0; n < quarks.size(); ++n) {
    const PropagatorPlan one = at_mass(plan, n);
    const PropagatorOutcome outcome{quarks[n].solve, joules, quark_correlators(quarks[n], source)};
    report_correlators(session, one, outcome.correlators);
    add_files(files, session, one, to_json(session, one, gauge, outcome), quarks[n], gauge.links);
  }
  for (std::size_t second = 1; plan.given.pairs && second < quarks.size(); ++second) {
    for (std::size_t first = 0; first < second; ++first) {
      const Correlator pion = pion_of_pair(quarks[first], quarks[second], source);
      report_pair(session, plan, first, second, pion);
      add_file_of_pair(files, session, plan, first, second,
                       to_json(session, at_mass(plan, first), at_mass(plan, second), gauge, pion));
    }
  }
  name_files(files, session);
  return Exit::success;
}

std::function<Action()> declare_propagator(const Command& command) {
  auto options = std::make_shared<PropagatorOptions>();
  add_propagator_options(command, *options);
  return [options, command]() -> Action {
    options->quark.named = command.named_options();
    const PropagatorPlan plan = check(*options);
    return [plan](const Session& session) { return compute_propagator(session, plan); };
  };
}

const Subcommand propagator_subcommand(40, "propagator", "Quark propagator and pion correlator", declare_propagator);

}  // namespace
}  // namespace kaon::apps
