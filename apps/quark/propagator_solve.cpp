// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/quark/propagator_solve.hpp"

#include "apps/cli/command.hpp"
#include "apps/cli/output.hpp"
#include "apps/cli/with_option.hpp"
#include "apps/files/multigrid_file.hpp"
#include "apps/quark/domain_wall_options.hpp"
#include "apps/quark/operator_input.hpp"
#include "core/base/parts.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/measure/domain_wall_propagator.hpp>
#include <kaon/measure/smearing.hpp>
#include <kaon/measure/sources.hpp>
#include <kaon/quarks/flavors.hpp>
#include <kaon/quarks/propagator_solver.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kaon::apps {
namespace {

/// Adds residuals to `history`, and tells the largest about every second.
OnIteration progress(ResidualHistory& history, const Session& session) {
  using Clock = std::chrono::steady_clock;
  return [&history, &session, last = Clock::now()](int iteration, std::span<const double> residuals) mutable {
    history.emplace_back(residuals.begin(), residuals.end());
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

std::optional<WallSites> wall_sites(const std::string& source) {
  if (source == "wall") return WallSites::all;
  if (source == "even-wall") return WallSites::even;
  return source == "corner-wall" ? std::optional(WallSites::corners) : std::nullopt;
}

std::optional<SchurForm> schur_form(const std::string& name) {
  if (name == "none") return std::nullopt;
  return name == "symmetric" ? SchurForm::symmetric : SchurForm::asymmetric;
}

}  // namespace

void set_source(SpinorField<double>& source, const PropagatorPlan& plan, const GaugeField<double>& links) {
  if (plan.given.source == "wall-z2") {
    set_z2_wall_source(source, {.time = plan.site[3], .key = {.seed = plan.given.seed}});
    return;
  }
  if (const auto sites = wall_sites(plan.given.source)) {
    set_uniform_wall_sources(source, {.time = plan.site[3], .sites = *sites});
    return;
  }
  set_point_sources(source, {.site = plan.site});
  if (plan.given.source == "gaussian") {
    const double width = plan.given.smearing_width;
    const auto overflow = [&] {
      return usage_error(fmt::format(
          "--smearing-width: smearing to {} in {} steps overflows; it is stable where the width squared is at "
          "most 2/3 of --smearing-steps",
          width, plan.given.smearing_steps));
    };
    if (!std::isfinite(6.0 * width * width)) throw overflow();  // the weights of a step
    gaussian_smear(source, links, {.width = width, .steps = plan.given.smearing_steps});
    for (const double norm : blas::norm2(source)) {
      if (!std::isfinite(norm)) throw overflow();
    }
  }
}

SolveOptions solver_parameters(ResidualHistory& history, const Session& session,
                                             const PropagatorPlan& plan) {
  SolveOptions parameters = plan.given.numbers;
  parameters.method = value_of(krylov_methods, plan.given.solver);
  parameters.schur = schur_form(plan.given.schur);
  if (plan.single()) parameters.outer = OuterPrecision::single;
  if (plan.single()) parameters.outer = OuterPrecision::single;
  parameters.inner = inner_precision(plan.given.precision);
  parameters.links = static_cast<LinkStorage>(plan.links);
  parameters.halo = plan.halo;
  parameters.multigrid.seed = plan.given.seed;
  parameters.multigrid.on_setup = [&session](const std::string& step) { say(session, "setup         {}\n", step); };
  parameters.on_iteration = progress(history, session);
  return parameters;
}

void report_levels(const Session& session, const std::optional<MultigridReport>& levels) {
  if constexpr (detail::Parts::multigrid) {
    if (levels) say(session, "\n{}\n", to_string(*levels));
  }
}

namespace {

/// Solves with `dirac`. With multigrid, it reads the near-null vectors from the file, or writes a new file, and prints
/// the table of levels.
SolveResult solve_by(const Session& session, const PropagatorPlan& plan, const GaugeField<double>& links,
                     const Quark<double>& dirac, SpinorField<double>& x, const SpinorField<double>& b) {
  ResidualHistory history;
  SolveOptions parameters = solver_parameters(history, session, plan);
  const std::string& file = plan.given.multigrid_file;
  const PropagatorSolver<double> solver = make_with_vectors(
      session, file, links, parameters.multigrid, [&] { return PropagatorSolver<double>(dirac, parameters); });
  const bool built = solver.multigrid_report().has_value();
  if (built) report_levels(session, solver.multigrid_report());
  keep_vectors(session, file, links, solver);
  SolveResult result = solver.solve(x, b);
  result.history = std::move(history);
  if (!built) report_levels(session, solver.multigrid_report());
  return result;
}

}  // namespace

SolveResult solve_propagator(const Session& session, const PropagatorPlan& plan, const GaugeField<double>& links,
                             SpinorField<double>& propagator) {
  const Quark<double> dirac = wilson_like_operator(plan, links);
  SpinorField<double> source(links.lattice(), plan.shape());
  set_source(source, plan, links);
  return solve_by(session, plan, links, dirac, propagator, source);
}

namespace {

/// Sources are solved in groups, one after the other: a row of `history` has the residuals of all after so many
/// iterations.
OnIteration of_groups(ResidualHistory& history, OnIteration tell) {
  return [&history, tell = std::move(tell)](int iteration, std::span<const double> residuals) {
    const auto row = static_cast<std::size_t>(std::max(iteration, 1));
    if (history.size() < row) history.resize(row);
    history[row - 1].insert(history[row - 1].end(), residuals.begin(), residuals.end());
    return tell(iteration, residuals);
  };
}

}  // namespace

SolveResult solve_doublet(const Session& session, const PropagatorPlan& plan, const GaugeField<double>& links,
                          std::vector<SpinorField<double>>& propagators) {
  if constexpr (detail::Parts::twisted_mass) {
    const Quark<double> dirac = wilson_like_operator(plan, links);
    ResidualHistory history, of_flavor;
    SolveOptions given = solver_parameters(of_flavor, session, plan);
    given.on_iteration = of_groups(history, given.on_iteration);
    const PropagatorSolver<double> solver(dirac, given);
    SpinorField<double> source(links.lattice(), plan.shape()), b = dirac->make_field(source.right_hand_sides());
    set_source(source, plan, links);
    SolveResult result;
    for (const int from : {0, 1}) {
      SpinorField<double> x = dirac->make_field(source.right_hand_sides());
      set_flavor(b, source, from);
      result.append_right_hand_sides(solver.solve(x, b));
      for (const int to : {0, 1}) take_flavor(propagators[static_cast<std::size_t>(2 * to + from)], x, to);
    }
    result.history = std::move(history);
    return result;
  }
  detail::refuse_part("twisted_mass");
}

SolveResult solve_domain_wall(const Session& session, const PropagatorPlan& plan, const GaugeField<double>& links,
                              SpinorField<double>& propagator, DomainWallOutcome& outcome) {
  if constexpr (detail::Parts::domain_wall) {
    DomainWallParameters parameters = plan.walls;
    parameters.mass = plan.physics.mass;
    parameters.anisotropy = plan.physics.anisotropy;
    parameters.boundary = plan.physics.boundary;
    const auto dirac = with_value_of(domain_wall_numbers, [&] { return DomainWall<double>(links, parameters); });
    ResidualHistory history, of_group;
    SolveOptions given = solver_parameters(of_group, session, plan);
    given.on_iteration = of_groups(history, given.on_iteration);
    SpinorField<double> source(links.lattice(), plan.shape());
    set_source(source, plan, links);
    // Hops along a direction are a part of these.
    constexpr bool has_hops_along = detail::Parts::multigrid || detail::Parts::hmc;
    const bool by_slice = !parameters.b_of_slices.empty() || !parameters.c_of_slices.empty();
    const bool with_current = has_hops_along && !by_slice && parameters.b + parameters.c != 0.0;
    SolveResult result = DomainWallPropagator<double>(dirac, given)
                             .solve(propagator, source, outcome.midpoint ? &*outcome.midpoint : nullptr,
                                    with_current ? &outcome.axial_current : nullptr);
    result.history = std::move(history);
    return result;
  }
  detail::refuse_part("domain_wall");
}

std::string explain_failure(const PropagatorPlan& plan, const SolveResult& result) {
  std::string reasons;
  int failed = 0;
  for (const auto& side : result.right_hand_sides) {
    if (side.status == SolveStatus::converged) continue;
    ++failed;
    const std::string reason = to_string(side.status);
    if (reasons.find(reason) == std::string::npos) reasons += (reasons.empty() ? "" : "; ") + reason;
  }
  std::string advice;  // staggered fermions have one solver
  if (!plan.staggered() && !plan.has_slices()) {
    advice = fmt::format(", or try --solver {}",
                         plan.given.solver.starts_with("cg") || plan.given.solver == "gcr-dd" ? "bicgstab" : "cgnr");
  }
  const std::string mass =
      plan.given.mass.find(',') == std::string::npos ? std::string() : fmt::format("mass {}: ", plan.physics.mass);
  return fmt::format(
      "--tolerance: {}{} of {} right-hand sides did not reach {} ({}; largest true residual {:.2e} after {} "
      "iterations); "
      "no propagator is written. Raise --tolerance or --max-iterations{}",
      mass, failed, result.right_hand_sides.size(), plan.tolerance, reasons, result.true_residual(),
      result.iterations(), advice);
}

}  // namespace kaon::apps
