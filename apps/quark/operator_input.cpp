// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/quark/operator_input.hpp"

#include "apps/cli/command.hpp"
#include "apps/cli/option_values.hpp"
#include "apps/cli/with_option.hpp"
#include "apps/files/gauge_input.hpp"
#include "apps/files/smeared_files.hpp"
#include "core/base/parts.hpp"

#include <kaon/core/error.hpp>
#include <kaon/gauge/initial_links.hpp>
#include <kaon/gauge/observables.hpp>
#include <kaon/gauge/unitarity.hpp>

#include <utility>

namespace kaon::apps {
namespace {

GaugeInput read_field(const Session& session, const PropagatorPlan& plan) {
  GaugeFile file = read_gauge_file(session, "--gauge", plan.given.gauge, plan.given.input);
  report_gauge_file(session, plan.given.gauge, file);
  Json description = to_json(plan.given.gauge, file);
  return {std::move(file.links), std::move(description)};
}

GaugeInput make_field(const Session& session, const PropagatorPlan& plan) {
  const Coordinates extents = parse_extents("--size", plan.given.input.extents);
  const Lattice lattice = make_lattice(session, "--size", extents, plan.given.input.layout);
  GaugeField<double> links(lattice);
  set_unit(links);
  std::string name = "unit field";
  if (plan.given.weak) {
    try {
      set_weak(links, *plan.given.weak, {.seed = plan.given.seed});
    } catch (const Error&) {
      throw usage_error(fmt::format("--weak: noise of {} overflows", *plan.given.weak));
    }
    name = fmt::format("weak field, noise {}, seed {}", *plan.given.weak, plan.given.seed);
  }
  const double average = plaquette(links).average;
  say(session, "gauge field   {}, {}\n", to_string(extents), name);
  report_grid(session, lattice);
  say(session, "plaquette     {:.10f}\n", average);
  return {std::move(links), {{"field", name}, {"extents", extents}, {"plaquette", average}}};
}

/// Reads the fat and long links of a plan and reports them.
GaugeInput read_smeared_field(const Session& session, const PropagatorPlan& plan) {
  if constexpr (detail::Parts::staggered) {
    const PropagatorOptions& given = plan.given;
    SmearedInput input = read_smeared_links(session, {.fat = given.fat,
                                                      .long_links = given.long_links,
                                                      .phases = given.phases,
                                                      .time_boundary = plan.quarks.front().boundary[3],
                                                      .input = given.input});
    say(session, "              {:.10g} times {}\n", input.links.third_weight,
        input.links.third_weight == 1.0 ? "links in no group" : "unitary links");
    return {input.links.fat.share(), std::move(input.description), std::move(input.links)};
  } else {
    detail::refuse_part("staggered");
  }
}

}  // namespace

GaugeInput read_operator_links(const Session& session, const PropagatorPlan& plan) {
  if (!plan.given.fat.empty()) return read_smeared_field(session, plan);
  return plan.given.gauge.empty() ? make_field(session, plan) : read_field(session, plan);
}

std::vector<QuarkGroup> quarks_of(const PropagatorPlan& plan, const GaugeInput& gauge) {
  const FermionFamily& family = plan.family();
  if (gauge.smeared) {
    std::vector<double> masses;
    for (const FermionParameters& quark : plan.quarks) masses.push_back(quark.mass);
    return {{make_quark(*gauge.smeared, plan.quarks.front()), masses}};
  }
  // Files round links, often to single precision: they are projected back to SU(3) before they are fattened.
  const bool thin = family.links == FamilyLinks::thin;
  GaugeField<double> links = thin ? gauge.links.share() : gauge.links.clone();
  if (!thin) reunitarize(links);
  const auto make = [&] { return quark_groups(links, plan.quarks); };
  if (family.reads("epsilon")) return with_value_of("--epsilon", make);
  return family.reads("slices") ? with_value_of("--mass, --b and --c", make) : make();
}

}  // namespace kaon::apps
