// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/cli/command.hpp"
#include "apps/cli/option_values.hpp"
#include "apps/cli/with_option.hpp"
#include "apps/files/prepared_files.hpp"
#include "apps/quark/operator_input.hpp"
#include "apps/quark/pion_pairs.hpp"
#include "apps/quark/propagator_report.hpp"
#include "apps/quark/propagator_solve.hpp"
#include "apps/quark/staggered_solve.hpp"
#include "core/base/parts.hpp"
#include "io/spinors/propagator_parts.hpp"
#include "multigrid/staggered/staggered_levels.hpp"

#include <kaon/comm/energy.hpp>
#include <kaon/core/blas.hpp>
#include <kaon/io/propagator.hpp>
#include <kaon/measure/correlator.hpp>
#include <kaon/measure/domain_wall_propagator.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace kaon::apps {
namespace {

/// C(t) and effective masses. A wall of noise stands for all sites of its slice, so the average over them is taken.
void measure(const PropagatorPlan& plan, const SpinorField<double>& propagator, const DomainWallOutcome& domain_wall,
             PropagatorOutcome& outcome) {
  outcome.pion = pion_correlator(propagator, {.source_site = plan.site});
  if constexpr (detail::Parts::domain_wall) {
    if (domain_wall.midpoint) {
      outcome.residual_mass =
          residual_mass(pion_correlator(*domain_wall.midpoint, {.source_site = plan.site}), outcome.pion);
    }
    outcome.axial_current = domain_wall.axial_current;
    if (!outcome.axial_current.empty()) {
      const auto first = outcome.axial_current.begin();
      std::rotate(first, first + plan.site[3], outcome.axial_current.end());
    }
  }
  for (std::vector<double>* correlator : {&outcome.pion, &outcome.axial_current}) {
    for (double& value : *correlator) value /= sources_of(plan, propagator.lattice());
  }
  outcome.effective_masses = effective_mass(outcome.pion);
}

/// The correlators of a doublet, sum |S|^2 of S from flavour to flavour, and of the combinations (0 + 1)/sqrt2, plus,
/// and (0 - 1)/sqrt2, minus, which have the masses m - epsilon and m + epsilon without a twist.
void measure_flavors(const PropagatorPlan& plan, const std::vector<SpinorField<double>>& s,
                     PropagatorOutcome& outcome) {
  const auto put = [&](const char* name, const SpinorField<double>& first, const SpinorField<double>& second) {
    std::vector<double>& values = outcome.flavors[name];
    values = pion_correlator(first, second, {.source_site = plan.site});
    for (double& value : values) value /= sources_of(plan, first.lattice());
  };
  put("0", s[0], s[0]);
  put("1", s[3], s[3]);
  put("1_to_0", s[1], s[1]);
  put("0_to_1", s[2], s[2]);
  const auto combination = [&](double sign) {
    SpinorField<double> sum(s[0].lattice(), s[0].parameters());
    const auto add = [&](std::size_t n, double factor) {
      blas::axpy(sum, s[n], blas::Reals(static_cast<std::size_t>(sum.right_hand_sides()), 0.5 * factor));
    };
    add(0, 1.0);
    add(1, sign);
    add(2, sign);
    add(3, 1.0);
    return sum;
  };
  const SpinorField<double> plus = combination(1.0), minus = combination(-1.0);
  put("plus", plus, plus);
  put("minus", minus, minus);
  put("plus_minus", plus, minus);
}

/// In the format of --output-format; `links` smear the sources that go with it.
std::unique_ptr<io::OutputFile> propagator_file(const PropagatorPlan& plan, const Json& report,
                                                const SpinorField<double>& propagator,
                                                const GaugeField<double>& links) {
  const Json info{{"gauge", report["gauge"]}, {"action", report["action"]}, {"source", report["source"]}};
  io::PropagatorWriteOptions options{.bits = plan.single() ? 32 : 64, .info = to_text(info)};
  std::optional<io::HostPropagator> host_sources;
  if (plan.given.output_format == "usqcd") {
    options.format = io::PropagatorFormat::usqcd_pairs;
    SpinorField<double> sources(propagator.lattice(), propagator.parameters());
    set_source(sources, plan, links);
    host_sources = io::to_host_propagator(sources);
  } else if (plan.given.output_format == "milc") {
    options.format = io::PropagatorFormat::milc;
    options.bits = 32;
  }
  return io::prepare_propagator_parts(plan.given.output, io::part_of(propagator.lattice()),
                                      io::to_host_propagator(propagator), host_sources ? &*host_sources : nullptr,
                                      options);
}

/// Sink and source of the propagators of a doublet, as their files are named.
constexpr std::array flavor_suffixes{"_00", "_01", "_10", "_11"};

void prepare_results(PreparedFiles& files, const Session& session, const PropagatorPlan& plan, const Json& report,
                     std::span<const SpinorField<double>> propagators, const GaugeField<double>& links) {
  if (!plan.given.correlator.empty()) files.add_json(session, "--correlator", plan.given.correlator, report);
  if (plan.given.output.empty()) return;
  for (std::size_t n = 0; n < propagators.size(); ++n) {
    PropagatorPlan one = plan;
    if (plan.doublet()) one.given.output = with_suffix(plan.given.output, flavor_suffixes[n]);
    files.add("--output", [&] { return propagator_file(one, report, propagators[n], links); });
  }
}

void name_files(PreparedFiles& files, const Session& session) {
  const char* line_break = "\n";
  files.commit([&](const std::string& option, const std::filesystem::path& file) {
    const std::string name = file.string();
    say(session, "{}written       {}{}\n", std::exchange(line_break, ""), name,
        option == "--correlator" ? "; a picture: python3 -m kaon plot " + name : "");
  });
}

void drop_unnamed(std::vector<NamedFile>& files) {
  std::erase_if(files, [](const NamedFile& file) { return file.name.empty(); });
}

/// The outputs of all masses and pairs.
std::vector<NamedFile> outputs_of(const PropagatorPlan& plan) {
  std::vector<NamedFile> files;
  for (std::size_t n = 0; n < plan.masses.size(); ++n) {
    const PropagatorOptions of_mass = at_mass(plan, n).given;
    for (const char* suffix : flavor_suffixes) {
      if (plan.doublet() && !of_mass.output.empty()) {
        files.push_back({"--output", with_suffix(of_mass.output, suffix)});
      }
    }
    if (!plan.doublet()) files.push_back({"--output", of_mass.output});
    files.push_back({"--correlator", of_mass.correlator});
  }
  for (std::size_t second = 1; plan.given.pairs && second < plan.masses.size(); ++second) {
    for (std::size_t first = 0; first < second; ++first) {
      files.push_back({"--correlator", file_of_pair(plan, first, second)});
    }
  }
  drop_unnamed(files);
  return files;
}

/// Before long work: no output may replace the gauge file, nor another output, and all can be written.
void require_usable_files(const Session& session, const PropagatorPlan& plan) {
  const PropagatorOptions& given = plan.given;
  const std::vector<NamedFile> outputs = outputs_of(plan);
  const std::string& vectors = given.multigrid_file;
  const bool has_vectors = !vectors.empty() && exists(session, vectors);
  const NamedFile multigrid{"--multigrid-file", vectors, has_vectors};
  std::vector<NamedFile> files{{"--gauge", given.gauge, true},
                               {"--fat", given.fat, true},
                               {"--long", given.long_links, true},
                               {"--eigenvectors", given.eigenvectors, true}};
  if (has_vectors) files.push_back(multigrid);
  files.insert(files.end(), outputs.begin(), outputs.end());
  if (!has_vectors) files.push_back(multigrid);
  drop_unnamed(files);
  require_different_files(session, files);
  require_writable(session, outputs);
  if (!vectors.empty() && !has_vectors) require_writable(session, "--multigrid-file", vectors);
}

std::vector<SolveResult> solve(const Session& session, const PropagatorPlan& plan, const GaugeInput& gauge,
                               std::vector<SpinorField<double>>& propagators, DomainWallOutcome& domain_wall) {
  if constexpr (detail::Parts::staggered) {
    if (plan.staggered()) return solve_staggered(session, plan, gauge, propagators);
  }
  std::vector<SolveResult> results;
  if (plan.doublet()) {
    results.push_back(solve_doublet(session, plan, gauge.links, propagators));
    return results;
  }
  if (plan.domain_wall()) {
    if (plan.given.domain_wall.slices % 2 == 0) domain_wall.midpoint.emplace(gauge.links.lattice(), plan.shape());
    results.push_back(solve_domain_wall(session, plan, gauge.links, propagators.front(), domain_wall));
    return results;
  }
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

/// Before the setup of multigrid: the local lattice has aggregates.
void require_aggregates(const PropagatorPlan& plan, const Lattice& lattice) {
  if constexpr (detail::Parts::multigrid) {
    if (plan.given.solver != "multigrid") return;
    with_value_of("--solver: multigrid", [&] { return detail::choose_levels_of_quarks(lattice, plan.staggered()); });
  }
}

Exit compute_propagator(const Session& session, PropagatorPlan plan) {
  require_usable_files(session, plan);
  const GaugeInput gauge = read_operator_links(session, plan);
  require_site("--source-site", plan.site, gauge.links.lattice().extents());
  require_aggregates(plan, gauge.links.lattice());
  choose_storage(plan, gauge);
  report_plan(session, plan);

  std::vector<SpinorField<double>> propagators;
  const std::size_t count = plan.doublet() ? flavor_suffixes.size() : plan.masses.size();
  for (std::size_t n = 0; n < count; ++n) propagators.emplace_back(gauge.links.lattice(), plan.shape());
  DomainWallOutcome domain_wall;
  const EnergyMeter meter(session.communicator());
  std::vector<SolveResult> results = solve(session, plan, gauge, propagators, domain_wall);
  const std::optional<double> joules = meter.joules();
  for (std::size_t n = 0; n < results.size(); ++n) report_solve(session, at_mass(plan, n), results[n]);
  if (joules) say(session, "energy        {:.0f} J for solves and their setup\n", *joules);
  for (std::size_t n = 0; n < results.size(); ++n) {
    if (results[n].converged()) continue;
    throw Failure(Exit::not_converged, explain_failure(at_mass(plan, n), results[n]));
  }
  PreparedFiles files;
  for (std::size_t n = 0; n < results.size(); ++n) {
    const PropagatorPlan one = at_mass(plan, n);
    PropagatorOutcome outcome{.solve = std::move(results[n]), .joules = joules};
    measure(one, propagators[n], domain_wall, outcome);
    if (plan.doublet()) measure_flavors(one, propagators, outcome);
    report_correlator(session, one, outcome);
    prepare_results(files, session, one, to_json(session, one, gauge, outcome),
                    plan.doublet() ? std::span<const SpinorField<double>>(propagators) : std::span(&propagators[n], 1),
                    gauge.links);
  }
  if (plan.given.pairs) report_pairs(session, plan, gauge, propagators, files);
  name_files(files, session);
  return Exit::success;
}

std::function<Action()> declare_propagator(const Command& command) {
  auto options = std::make_shared<PropagatorOptions>();
  add_propagator_options(command, *options);
  return [options, command]() -> Action {
    options->named = command.named_options();
    const PropagatorPlan plan = check(*options);
    return [plan](const Session& session) { return compute_propagator(session, plan); };
  };
}

const Subcommand propagator_subcommand(40, "propagator", "Quark propagator and pion correlator", declare_propagator);

}  // namespace
}  // namespace kaon::apps
