// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/command.hpp"
#include "apps/operator_input.hpp"
#include "apps/option_values.hpp"
#include "apps/pion_pairs.hpp"
#include "apps/propagator_report.hpp"
#include "apps/propagator_solve.hpp"
#include "apps/staggered_solve.hpp"

#include <kaon/core/error.hpp>
#include <kaon/io/propagator.hpp>
#include <kaon/propagators/correlator.hpp>

namespace kaon::apps {
namespace {

/// C(t) and effective masses. A wall of noise stands for all sites of its slice, so the average over them is taken.
void measure(const PropagatorPlan& plan, const SpinorField<double>& propagator, PropagatorOutcome& outcome) {
  outcome.pion = pion_correlator(propagator, {.source_site = plan.site});
  for (double& value : outcome.pion) value /= sources_of(plan, propagator.lattice());
  outcome.effective_masses = effective_mass(outcome.pion);
}

/// In the format of --output-format; `links` smear the sources that go with it.
void write_propagator_file(const PropagatorPlan& plan, const Json& report, const SpinorField<double>& propagator,
                           const GaugeField<double>& links) {
  const Json info{{"gauge", report["gauge"]}, {"action", report["action"]}, {"source", report["source"]}};
  io::PropagatorWriteOptions options{.bits = plan.single() ? 32 : 64, .info = to_text(info)};
  try {
    if (plan.given.output_format == "usqcd") {
      SpinorField<double> sources(propagator.lattice(), propagator.parameters());
      set_source(sources, plan, links);
      io::write_propagator(plan.given.output, propagator, sources, options);
      return;
    }
    if (plan.given.output_format == "milc") {
      options.format = io::PropagatorFormat::milc;
      options.bits = 32;
    }
    io::write_propagator(plan.given.output, propagator, options);
  } catch (const Error& error) {
    throw input_error(fmt::format("--output: {}", error.what()));
  }
}

void write_results(const Session& session, const PropagatorPlan& plan, const Json& report,
                   const SpinorField<double>& propagator, const GaugeField<double>& links) {
  if (!plan.given.correlator.empty()) {
    write_json(session, "--correlator", plan.given.correlator, report);
    say(session, "\nwritten       {0}; a picture: python3 -m kaon plot {0}\n", plan.given.correlator);
  }
  if (plan.given.output.empty()) return;
  write_propagator_file(plan, report, propagator, links);
  say(session, "written       {}\n", plan.given.output);
}

/// No output may replace the gauge file, nor another output.
void require_different_files(const Session& session, const PropagatorOptions& given) {
  const std::pair<const char*, const std::string&> files[] = {
      {"--gauge", given.gauge},           {"--fat", given.fat},
      {"--long", given.long_links},       {"--output", given.output},
      {"--correlator", given.correlator}, {"--multigrid-file", given.multigrid_file}};
  for (std::size_t k = 1; k < std::size(files); ++k) {
    for (std::size_t before = 0; before < k; ++before) {
      const auto& [option, file] = files[k];
      const auto& [other_option, other] = files[before];
      if (!file.empty() && !other.empty()) require_other_file(session, option, file, other_option, other);
    }
  }
}

/// The files of all masses, before long work.
void require_usable_files(const Session& session, const PropagatorPlan& plan) {
  for (std::size_t n = 0; n < plan.masses.size(); ++n) {
    const PropagatorOptions given = at_mass(plan, n).given;
    require_different_files(session, given);
    if (!given.output.empty()) require_writable(session, "--output", given.output);
    if (!given.correlator.empty()) require_writable(session, "--correlator", given.correlator);
  }
  for (std::size_t second = 1; plan.given.pairs && second < plan.masses.size(); ++second) {
    for (std::size_t first = 0; first < second; ++first) {
      const std::string file = file_of_pair(plan, first, second);
      if (!file.empty()) require_writable(session, "--correlator", file);
    }
  }
  const std::string& vectors = plan.given.multigrid_file;
  if (!vectors.empty() && !exists(session, vectors)) require_writable(session, "--multigrid-file", vectors);
}

std::vector<SolveResult> solve(const Session& session, const PropagatorPlan& plan, const GaugeInput& gauge,
                               std::vector<SpinorField<double>>& propagators) {
  if (plan.staggered()) return solve_staggered(session, plan, gauge, propagators);
  std::vector<SolveResult> results;
  results.push_back(solve_propagator(session, plan, gauge.links, propagators.front()));
  return results;
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

Exit compute_propagator(const Session& session, PropagatorPlan plan) {
  require_usable_files(session, plan);
  const GaugeInput gauge = read_operator_links(session, plan);
  require_site("--source-site", plan.site, gauge.links.lattice().extents());
  choose_storage(plan, gauge);
  report_plan(session, plan);

  std::vector<SpinorField<double>> propagators;
  for (std::size_t n = 0; n < plan.masses.size(); ++n) propagators.emplace_back(gauge.links.lattice(), plan.shape());
  std::vector<SolveResult> results = solve(session, plan, gauge, propagators);
  for (std::size_t n = 0; n < results.size(); ++n) report_solve(session, at_mass(plan, n), results[n]);
  for (std::size_t n = 0; n < results.size(); ++n) {
    if (results[n].converged()) continue;
    throw Failure(Exit::not_converged, explain_failure(at_mass(plan, n), results[n]));
  }
  for (std::size_t n = 0; n < results.size(); ++n) {
    const PropagatorPlan one = at_mass(plan, n);
    PropagatorOutcome outcome{.solve = std::move(results[n])};
    measure(one, propagators[n], outcome);
    report_correlator(session, one, outcome);
    write_results(session, one, to_json(session, one, gauge, outcome), propagators[n], gauge.links);
  }
  if (plan.given.pairs) report_pairs(session, plan, gauge, propagators);
  return Exit::success;
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
