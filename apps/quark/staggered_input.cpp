// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/quark/staggered_input.hpp"

#include "apps/cli/command.hpp"
#include "apps/files/smeared_files.hpp"

#include <kaon/gauge/unitarity.hpp>
#include <kaon/operators/improved_staggered.hpp>
#include <kaon/operators/staggered.hpp>

#include <algorithm>
#include <memory>
#include <utility>

namespace kaon::apps {
namespace {

std::vector<std::size_t> all_places(const PropagatorPlan& plan) {
  std::vector<std::size_t> places;
  for (std::size_t n = 0; n < plan.masses.size(); ++n) places.push_back(n);
  return places;
}

MakeOperator improved_operator(ImprovedLinks&& links, const PropagatorPlan& plan) {
  return
      [links = std::make_shared<const ImprovedLinks>(std::move(links)), boundary = plan.physics.boundary](double mass) {
        return ImprovedStaggered<double>(links->fat, links->third,
                                         {.mass = mass, .third_weight = links->third_weight, .boundary = boundary});
      };
}

/// Links of files were rounded, to single precision often: back to SU(3) before they are fattened.
GaugeField<double> reunitarized(const GaugeField<double>& links) {
  GaugeField<double> thin = links.clone();
  reunitarize(thin);
  return thin;
}

std::vector<MassGroup> hisq_groups(const GaugeField<double>& thin, const PropagatorPlan& plan) {
  std::vector<double> epsilons;
  std::vector<MassGroup> groups;
  for (std::size_t n = 0; n < plan.masses.size(); ++n) {
    const auto found = std::find(epsilons.begin(), epsilons.end(), plan.naik_epsilons[n]);
    const auto group = static_cast<std::size_t>(found - epsilons.begin());
    if (found == epsilons.end()) {
      epsilons.push_back(plan.naik_epsilons[n]);
      groups.emplace_back();
    }
    groups[group].places.push_back(n);
  }
  std::vector<ImprovedLinks> links = hisq_links(thin, epsilons);
  for (std::size_t k = 0; k < groups.size(); ++k) groups[k].dirac_of = improved_operator(std::move(links[k]), plan);
  return groups;
}

}  // namespace

GaugeInput read_smeared_field(const Session& session, const PropagatorPlan& plan) {
  const PropagatorOptions& given = plan.given;
  SmearedInput input = read_smeared_links(session, {.fat = given.fat,
                                                    .long_links = given.long_links,
                                                    .phases = given.phases,
                                                    .time_boundary = plan.physics.boundary[3],
                                                    .input = given.input});
  say(session, "              {:.10g} times {}\n", input.links.third_weight,
      input.links.third_weight == 1.0 ? "links in no group" : "unitary links");
  return {input.links.fat.share(), std::move(input.description), std::move(input.links)};
}

std::vector<MassGroup> mass_groups(const GaugeInput& gauge, const PropagatorPlan& plan) {
  const GaugeField<double>& links = gauge.links;
  if (gauge.smeared) {
    const ImprovedLinks& given = *gauge.smeared;
    return {{all_places(plan), improved_operator({given.fat.share(), given.third.share(), given.third_weight}, plan)}};
  }
  if (plan.action == "hisq") return hisq_groups(reunitarized(links), plan);
  if (plan.action == "asqtad") {
    return {{all_places(plan), improved_operator(asqtad_links(reunitarized(links), *plan.given.u0), plan)}};
  }
  const auto shared = std::make_shared<const GaugeField<double>>(links.share());
  return {{all_places(plan), [shared, boundary = plan.physics.boundary](double mass) {
             return Staggered<double>(*shared, {.mass = mass, .boundary = boundary});
           }}};
}

}  // namespace kaon::apps
