// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/quark/propagate.hpp"

#include "apps/cli/command.hpp"
#include "apps/cli/option_values.hpp"
#include "apps/files/gauge_files.hpp"
#include "apps/files/prepared_files.hpp"
#include "apps/files/smeared_files.hpp"
#include "core/base/parts.hpp"
#include "core/tuning/phases.hpp"

#include <kaon/core/error.hpp>
#include <kaon/core/parameter_error.hpp>
#include <kaon/gauge/initial_links.hpp>
#include <kaon/gauge/observables.hpp>
#include <kaon/io/spinors.hpp>
#include <kaon/solvers/eigenvectors.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

namespace kaon::apps {
namespace {

GaugeInput read_field(const Session& session, const PropagatorPlan& plan) {
  GaugeFile file = read_gauge_file(session, "--gauge", plan.given.gauge, plan.given.input);
  report_gauge_file(session, plan.given.gauge, file);
  Json description = to_json(plan.given.gauge, file.header, file.report);
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
  const detail::Phase phase(detail::PhaseName::setup);
  const FermionFamily& family = plan.family();
  if (gauge.smeared) {
    std::vector<double> masses;
    for (const FermionParameters& quark : plan.quarks) masses.push_back(quark.mass);
    return {{make_quark(*gauge.smeared, plan.quarks.front()), masses}};
  }
  const auto make = [&] { return quark_groups(gauge.links, plan.quarks); };
  return family.blamed.empty() ? make() : with_value_of(std::string(family.blamed), make);
}

namespace {

/// Plaquettes that differ by more are of different links; files and sums over many processes have roundings.
constexpr double same_plaquette = 1e-10;

// The file of --multigrid-file.

/// Reads near-null vectors; warns if they belong to links of another plaquette.
std::shared_ptr<const SpinorField<float>> read_near_null_vectors(const Session& session, const std::string& file,
                                                                 const GaugeField<double>& links) {
  return with_option("--multigrid-file", [&] {
    io::SpinorFile read = io::read_spinors(links.lattice(), file);
    require(read.spinors.colors() == colors, [&] {
      return fmt::format("{} holds fields of {} spins and {} colours, not near-null vectors", file,
                         read.spinors.spins(), read.spinors.colors());
    });
    say(session, "near-null vectors {} of {}\n", read.spinors.right_hand_sides(), file);
    const double own = plaquette(links).average;
    if (read.info.plaquette && !(std::abs(*read.info.plaquette - own) <= same_plaquette)) {
      say(session,
          "warning       they belong to links of plaquette {:.10f}, not {:.10f}: improved where they must be\n",
          *read.info.plaquette, own);
    }
    return std::make_shared<const SpinorField<float>>(std::move(read.spinors));
  });
}

void write_near_null_vectors(const Session& session, const std::string& file, const SpinorField<float>& vectors,
                             const GaugeField<double>& links) {
  const detail::Phase phase(detail::PhaseName::write);
  with_option("--multigrid-file", [&] {
    io::write_spinors(file, vectors, {.plaquette = plaquette(links).average, .info = "near-null vectors of multigrid"});
  });
  report_complete_file(file);
  say(session, "written       {}\n", file);
}

/// Prints the largest residual about once a second.
OnIteration progress(const Session& session) {
  using Clock = std::chrono::steady_clock;
  return [&session, last = Clock::now()](int iteration, std::span<const double> residuals) mutable {
    if (Clock::now() - last < std::chrono::seconds(1)) return true;
    last = Clock::now();
    say(session, "iteration {:>5}   largest residual {:.2e}\n", iteration,
        *std::max_element(residuals.begin(), residuals.end()));
    return true;
  };
}

SolveOptions solve_options(const Session& session, const PropagatorPlan& plan) {
  SolveOptions options = plan.given.numbers;
  options.method = value_of(krylov_methods, plan.given.solver);
  if (!plan.given.schur.empty()) options.schur = value_of(schur_forms, plan.given.schur);
  options.outer = plan.precisions().outer;
  options.inner = plan.precisions().inner;
  options.links = static_cast<LinkStorage>(plan.links);
  options.halo = plan.halo;
  options.multigrid.seed = plan.given.seed;
  options.multigrid.on_setup = [&session](const std::string& step) { say(session, "setup         {}\n", step); };
  options.on_iteration = progress(session);
  return options;
}

/// The eigenvectors in the file of --eigenvectors, which are those of all masses.
std::shared_ptr<const Eigenvectors<double>> read_low_modes(const Session& session, const PropagatorOptions& given,
                                                           const Quark<double>& quark) {
  if constexpr (detail::Parts::eigenvectors) {
    const std::string& file = given.eigenvectors;
    Eigenvectors<double> read = with_option(
        "--eigenvectors", [&] { return read_eigenvectors<double>(file, *quark->normal_system(Parity::even)); });
    say(session, "eigenvectors  {} of {}, largest residual {:.1e}\n", read.vectors.size(), file,
        *std::max_element(read.residuals.begin(), read.residuals.end()));
    if (given.eigenvector_bits == 16) read = in_16_bits(std::move(read));
    return std::make_shared<const Eigenvectors<double>>(std::move(read));
  } else {
    detail::refuse_part("eigenvectors");
  }
}

void report_multigrid(const Session& session, const MultigridUse& use) {
  if constexpr (detail::Parts::multigrid) {
    if (use.is_new) say(session, "\n{}\n", to_string(use.report));
    if (use.masses > 1 && use.masses_by_multigrid > 0) {
      say(session, "multigrid     {} of {} masses, the lightest\n", use.masses_by_multigrid, use.masses);
    }
  }
}

}  // namespace

SourceParameters source_of(const PropagatorPlan& plan) {
  const PropagatorOptions& given = plan.given;
  return {.kind = value_of(source_kinds, given.source),
          .site = plan.site,
          .width = given.smearing_width,
          .steps = given.smearing_steps,
          .seed = given.seed};
}

std::vector<QuarkPropagators<double>> propagate(const Session& session, const PropagatorPlan& plan,
                                                const GaugeInput& gauge) {
  const PropagatorOptions& given = plan.given;
  const std::string& file = given.multigrid_file;
  std::vector<QuarkGroup> quarks = quarks_of(plan, gauge);
  PropagateOptions options{.solver = solve_options(session, plan), .keep_history = true, .keep_solvers = false};
  if (!given.eigenvectors.empty()) {
    options.solver.eigenvectors = read_low_modes(session, given, quarks.front().quark);
  }
  if (!file.empty() && exists(session, file)) {
    options.solver.multigrid.near_null_vectors = read_near_null_vectors(session, file, gauge.links);
  }
  options.on_multigrid = [&](const MultigridUse& use) {
    report_multigrid(session, use);
    if (file.empty() || exists(session, file)) return;
    write_near_null_vectors(session, file, use.near_null_vectors(), gauge.links);
  };
  try {
    return QuarkSolvers(std::move(quarks), options).propagate(gauge.links, source_of(plan));
  } catch (const ParameterError& error) {
    const bool of_file = error.parameter() == "near_null_file";
    throw input_error(fmt::format("{}: {}", of_file ? "--multigrid-file" : "--eigenvectors", error.what()));
  }
}

}  // namespace kaon::apps
