// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/command.hpp"
#include "apps/gauge_input.hpp"
#include "apps/option_values.hpp"
#include "apps/propagator_report.hpp"
#include "apps/propagator_solve.hpp"

#include <kaon/core/error.hpp>
#include <kaon/gauge/initial_links.hpp>
#include <kaon/gauge/plaquette.hpp>
#include <kaon/gauge/unitarity.hpp>
#include <kaon/io/gauge.hpp>
#include <kaon/io/propagator.hpp>
#include <kaon/propagators/correlator.hpp>

namespace kaon::apps {
namespace {

GaugeInput read_field(const Session& session, const PropagatorPlan& plan) {
  io::ReadOptions reading;
  if (!plan.given.size.empty()) reading.extents = plan.extents;
  GaugeFile file = read_gauge_file(session, "--gauge", plan.given.gauge, plan.given.layout, reading);
  report_gauge_file(session, plan.given.gauge, file);
  Json description = to_json(plan.given.gauge, file);
  return {std::move(file.links), std::move(description)};
}

GaugeInput make_field(const Session& session, const PropagatorPlan& plan) {
  const Lattice lattice = make_lattice(session, "--size", plan.extents, plan.given.layout);
  GaugeField<double> links(lattice);
  set_unit(links);
  std::string name = "unit field";
  if (plan.given.weak) {
    set_weak(links, *plan.given.weak, {.seed = plan.given.seed});
    if (!(deviation_from_su3(links).unitarity.deviation < 1e-10)) {
      throw usage_error(fmt::format("--weak: noise of {} overflows", *plan.given.weak));
    }
    name = fmt::format("weak field, noise {}, seed {}", *plan.given.weak, plan.given.seed);
  }
  const double average = plaquette(links).average;
  say(session, "gauge field   {}, {}\n", to_string(plan.extents), name);
  report_grid(session, lattice);
  say(session, "plaquette     {:.10f}\n", average);
  return {std::move(links), {{"field", name}, {"extents", plan.extents}, {"plaquette", average}}};
}

/// C(t) and effective masses. A wall stands for all sites of its slice, so the average over them is taken.
void measure(const PropagatorPlan& plan, const SpinorField<double>& propagator, PropagatorOutcome& outcome) {
  outcome.pion = pion_correlator(propagator, {.source_site = plan.site});
  if (plan.given.source == "wall-z2") {
    const Coordinates& extents = propagator.lattice().extents();
    for (double& value : outcome.pion) value /= static_cast<double>(extents[0]) * extents[1] * extents[2];
  }
  outcome.effective_masses = effective_mass(outcome.pion);
}

void write_results(const Session& session, const PropagatorPlan& plan, const Json& report,
                   const SpinorField<double>& propagator) {
  if (!plan.given.correlator.empty()) {
    write_json(session, "--correlator", plan.given.correlator, report);
    say(session, "\nwritten       {0}; a picture: python3 -m kaon plot {0}\n", plan.given.correlator);
  }
  if (plan.given.output.empty()) return;
  Json info{{"gauge", report["gauge"]}, {"action", report["action"]}, {"source", report["source"]}};
  try {
    io::write_propagator(plan.given.output, propagator, {.bits = plan.single() ? 32 : 64, .info = to_text(info)});
  } catch (const Error& error) {
    throw input_error(fmt::format("--output: {}", error.what()));
  }
  say(session, "written       {}\n", plan.given.output);
}

/// No output may replace the gauge file, nor another output.
void require_different_files(const Session& session, const PropagatorOptions& given) {
  const std::pair<const char*, const std::string&> files[] = {{"--gauge", given.gauge},
                                                              {"--output", given.output},
                                                              {"--correlator", given.correlator},
                                                              {"--multigrid-file", given.multigrid_file}};
  for (std::size_t k = 1; k < std::size(files); ++k) {
    for (std::size_t before = 0; before < k; ++before) {
      const auto& [option, file] = files[k];
      const auto& [other_option, other] = files[before];
      if (!file.empty() && !other.empty()) require_other_file(session, option, file, other_option, other);
    }
  }
}

Exit compute_propagator(const Session& session, const PropagatorPlan& plan) {
  require_different_files(session, plan.given);
  if (!plan.given.output.empty()) require_writable(session, "--output", plan.given.output);
  if (!plan.given.correlator.empty()) require_writable(session, "--correlator", plan.given.correlator);
  const std::string& vectors = plan.given.multigrid_file;
  if (!vectors.empty() && !exists(session, vectors)) require_writable(session, "--multigrid-file", vectors);
  const GaugeInput gauge = plan.given.gauge.empty() ? make_field(session, plan) : read_field(session, plan);
  require_site("--source-site", plan.site, gauge.links.lattice().extents());
  report_plan(session, plan);

  PropagatorOutcome outcome;
  SpinorField<double> propagator(gauge.links.lattice(), plan.shape());
  outcome.solve = solve_propagator(session, plan, gauge.links, propagator);
  report_solve(session, plan, outcome.solve);
  if (outcome.solve.converged()) {
    measure(plan, propagator, outcome);
    report_correlator(session, outcome);
    write_results(session, plan, to_json(session, plan, gauge, outcome), propagator);
    return Exit::success;
  }
  throw Failure(Exit::not_converged, explain_failure(plan, outcome.solve));
}

}  // namespace

void add_propagator(CLI::App& program, Action& action) {
  const Command command(program, "propagator", "Quark propagator and pion correlator");
  auto options = std::make_shared<PropagatorOptions>();
  add_propagator_options(command, *options);
  command.callback([options, command, &action] {
    options->named = command.named_options();
    const PropagatorPlan plan = check(*options);
    action = [plan](const Session& session) { return compute_propagator(session, plan); };
  });
}

}  // namespace kaon::apps
