// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/quark/propagate_options.hpp"

#include "apps/cli/command.hpp"
#include "apps/cli/option_values.hpp"
#include "apps/cli/output.hpp"
#include "apps/cli/with_option.hpp"
#include "apps/files/multigrid_file.hpp"
#include "core/base/parts.hpp"

#include <kaon/core/parameter_error.hpp>
#include <kaon/solvers/eigenvector_file.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace kaon::apps {
namespace {

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

InnerPrecision inner_precision(const std::string& name) {
  if (name == "double-half" || name == "single-half") return InnerPrecision::half;
  return name == "double-single" ? InnerPrecision::single : InnerPrecision::outer;
}

std::optional<SchurForm> schur_form(const std::string& name) {
  if (name == "none") return std::nullopt;
  return name == "asymmetric" ? SchurForm::asymmetric : SchurForm::symmetric;
}

SolveOptions solve_options(const Session& session, const PropagatorPlan& plan) {
  SolveOptions options = plan.given.numbers;
  options.method = value_of(krylov_methods, plan.given.solver);
  options.schur = schur_form(plan.given.schur);
  if (plan.single()) options.outer = OuterPrecision::single;
  options.inner = inner_precision(plan.given.precision);
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
  const std::vector<QuarkGroup> quarks = quarks_of(plan, gauge);
  PropagateOptions options{.solver = solve_options(session, plan), .keep_history = true};
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
    return kaon::propagate(quarks, gauge.links, source_of(plan), options);
  } catch (const ParameterError& error) {
    if (error.parameter() == "width") {
      throw usage_error(
          fmt::format("--smearing-width: smearing to {} in {} steps overflows; it is stable where the width squared is "
                      "at most 2/3 of --smearing-steps",
                      given.smearing_width, given.smearing_steps));
    }
    const bool of_file = error.parameter() == "near_null_file";
    throw input_error(fmt::format("{}: {}", of_file ? "--multigrid-file" : "--eigenvectors", error.what()));
  }
}

}  // namespace kaon::apps
