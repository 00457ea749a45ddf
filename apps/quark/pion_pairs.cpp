// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/quark/pion_pairs.hpp"

#include "apps/cli/output.hpp"

#include <kaon/measure/correlator.hpp>

#include <filesystem>
#include <vector>

namespace kaon::apps {
namespace {

PropagatorOutcome measure(const PropagatorPlan& plan, const SpinorField<double>& one,
                          const SpinorField<double>& other) {
  PropagatorOutcome outcome;
  outcome.pion = pion_correlator(one, other, {.source_site = plan.site});
  for (double& value : outcome.pion) value /= sources_of(plan, one.lattice());
  outcome.effective_masses = oscillating_effective_mass(outcome.pion);
  return outcome;
}

}  // namespace

std::string file_of_pair(const PropagatorPlan& plan, std::size_t first, std::size_t second) {
  if (plan.given.correlator.empty()) return {};
  return with_suffix(plan.given.correlator, "_m" + plan.mass_words[first] + "_m" + plan.mass_words[second]);
}

void report_pairs(const Session& session, const PropagatorPlan& plan, const GaugeInput& gauge,
                  std::span<const SpinorField<double>> propagators, PreparedFiles& files) {
  for (std::size_t second = 1; second < propagators.size(); ++second) {
    for (std::size_t first = 0; first < second; ++first) {
      const PropagatorOutcome outcome = measure(plan, propagators[first], propagators[second]);
      say(session, "\nmasses {} and {}", plan.masses[first], plan.masses[second]);
      report_table(session, outcome);
      say(session,
          "The effective mass in line t is that between t and t + 1, from six values: a cosh and an oscillating one,\n"
          "(-1)^t cosh, which is taken out. There is none where the six values are not of this form.\n");
      const std::string file = file_of_pair(plan, first, second);
      if (file.empty()) continue;
      files.add_json(session, "--correlator", file,
                     to_json(session, at_mass(plan, first), at_mass(plan, second), gauge, outcome));
    }
  }
}

}  // namespace kaon::apps
