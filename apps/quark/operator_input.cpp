// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/quark/operator_input.hpp"

#include "apps/cli/command.hpp"
#include "apps/cli/option_values.hpp"
#include "apps/cli/with_option.hpp"
#include "apps/files/gauge_input.hpp"
#include "apps/quark/domain_wall_options.hpp"
#include "apps/quark/staggered_input.hpp"
#include "core/base/parts.hpp"

#include <kaon/core/error.hpp>
#include <kaon/gauge/initial_links.hpp>
#include <kaon/gauge/observables.hpp>

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

}  // namespace

GaugeInput read_operator_links(const Session& session, const PropagatorPlan& plan) {
  if constexpr (detail::Parts::staggered) {
    if (!plan.given.fat.empty()) return read_smeared_field(session, plan);
  }
  return plan.given.gauge.empty() ? make_field(session, plan) : read_field(session, plan);
}

namespace {

Quark<double> operator_of(const PropagatorPlan& plan, const GaugeField<double>& links) {
  const TwistedCloverParameters& physics = plan.physics;
  return make_quark(links, {.action = *plan.family,
                            .mass = physics.mass,
                            .mu = physics.mu,
                            .csw = physics.csw,
                            .csw_temporal = physics.csw_temporal,
                            .anisotropy = physics.anisotropy,
                            .boundary = physics.boundary,
                            .m5 = plan.walls.m5,
                            .slices = plan.walls.slices,
                            .b = plan.walls.b,
                            .c = plan.walls.c,
                            .b_of_slices = plan.walls.b_of_slices,
                            .c_of_slices = plan.walls.c_of_slices,
                            .epsilon = plan.given.epsilon.value_or(0.0)});
}

}  // namespace

Quark<double> wilson_like_operator(const PropagatorPlan& plan, const GaugeField<double>& links) {
  const auto make = [&] { return operator_of(plan, links); };
  if (plan.doublet()) return with_value_of("--epsilon", make);
  return plan.domain_wall() ? with_value_of(domain_wall_numbers, make) : make();
}

Quark<double> make_operator(const GaugeInput& gauge, const PropagatorPlan& plan) {
  if constexpr (detail::Parts::staggered) {
    if (plan.staggered()) return mass_groups(gauge, plan).front().dirac_of(plan.masses.front());
  }
  return wilson_like_operator(plan, gauge.links);
}

}  // namespace kaon::apps
