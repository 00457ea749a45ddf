// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/propagator_solve.hpp"

#include "apps/command.hpp"
#include "apps/multigrid_file.hpp"
#include "apps/output.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/operators/staggered.hpp>
#include <kaon/operators/twisted_mass.hpp>
#include <kaon/propagators/propagator_solver.hpp>
#include <kaon/propagators/smearing.hpp>
#include <kaon/propagators/sources.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kaon::apps {
namespace {

void set_source(SpinorField<double>& source, const PropagatorPlan& plan, const GaugeField<double>& links) {
  if (plan.given.source == "wall-z2") {
    set_z2_wall_source(source, {.time = plan.site[3], .key = {.seed = plan.given.seed}});
    return;
  }
  set_point_sources(source, {.site = plan.site});
  if (plan.given.source == "gaussian") {
    gaussian_smear(source, links, {.width = plan.given.smearing_width, .steps = plan.given.smearing_steps});
    for (const double norm : blas::norm2(source)) {
      if (std::isfinite(norm)) continue;
      throw usage_error(fmt::format(
          "--smearing-width: smearing to {} in {} steps overflows; it is stable where the width squared is at "
          "most 2/3 of --smearing-steps",
          plan.given.smearing_width, plan.given.smearing_steps));
    }
  }
}

/// Tells the largest residual, about every second.
std::function<void(int, std::span<const double>)> progress(const Session& session) {
  using Clock = std::chrono::steady_clock;
  return [&session, last = Clock::now()](int iteration, std::span<const double> residuals) mutable {
    if (Clock::now() - last < std::chrono::seconds(1)) return;
    last = Clock::now();
    say(session, "iteration {:>5}   largest residual {:.2e}\n", iteration,
        *std::max_element(residuals.begin(), residuals.end()));
  };
}

InnerPrecision inner_precision(const std::string& name) {
  if (name == "double-half" || name == "single-half") return InnerPrecision::half;
  return name == "double-single" ? InnerPrecision::single : InnerPrecision::outer;
}

KrylovMethod krylov_method(const std::string& name) {
  if (name == "cgnr") return KrylovMethod::cgnr;
  if (name == "cgne") return KrylovMethod::cgne;
  if (name == "cg") return KrylovMethod::cg;
  if (name == "multigrid") return KrylovMethod::multigrid;
  return name == "gcr-dd" ? KrylovMethod::gcr_dd : KrylovMethod::bicgstab;
}

std::optional<SchurForm> schur_form(const std::string& name) {
  if (name == "none") return std::nullopt;
  return name == "symmetric" ? SchurForm::symmetric : SchurForm::asymmetric;
}

PropagatorSolverParameters solver_parameters(const Session& session, const PropagatorPlan& plan) {
  return {.tolerance = plan.tolerance,
          .max_iterations = plan.given.max_iterations,
          .method = krylov_method(plan.given.solver),
          .schur = schur_form(plan.given.schur),
          .inner = inner_precision(plan.given.precision),
          .links = static_cast<LinkStorage>(plan.links),
          .halo = plan.halo,
          .reliable_delta = plan.given.delta,
          .schwarz_steps = plan.given.schwarz_steps,
          .multigrid = {.seed = plan.given.seed,
                        .on_setup = [&session](const std::string& step) { say(session, "setup         {}\n", step); }},
          .on_iteration = progress(session)};
}

/// The solver for `dirac`. With multigrid, it reads the near-null vectors from the file, or writes a new file, and
/// prints the table of levels.
template <class Dirac>
auto make_solver(const Session& session, const PropagatorPlan& plan, const GaugeField<double>& links,
                 const Dirac& dirac, PropagatorSolverParameters parameters) {
  const std::string& file = plan.given.multigrid_file;
  const bool write = !file.empty() && !exists(session, file);
  if (!file.empty() && !write) parameters.multigrid.near_null_vectors = read_near_null_vectors(session, file, links);
  PropagatorSolver solver(dirac, parameters);
  if (solver.multigrid_report()) say(session, "\n{}\n", to_string(*solver.multigrid_report()));
  if (write) write_near_null_vectors(session, file, solver.near_null_vectors(), links);
  return solver;
}

/// Solves in single precision that may follow the first, for residuals that are too large in double.
constexpr int max_corrections = 3;

/// Replaces the true residuals of a solve by those of `dirac`, the operator in double with all of its links.
void recompute_true_residuals(SolveResult& result, const EvenOddOperator<double>& dirac, const SpinorField<double>& x,
                              const SpinorField<double>& b) {
  SpinorField<double> residual = dirac.make_field(b.right_hand_sides());
  dirac.apply(residual, x);
  const blas::Reals residuals = blas::xmy_norm2(residual, b), sources = blas::norm2(b);
  for (std::size_t k = 0; k < residuals.size(); ++k) {
    result.right_hand_sides[k].true_residual = std::sqrt(residuals[k] / sources[k]);
  }
}

/// Takes the counts of earlier solves into those of the last, and their status where that had no target.
void add(SolveResult& last, const SolveResult& earlier, std::span<const double> target) {
  for (std::size_t k = 0; k < earlier.right_hand_sides.size(); ++k) {
    SolveResult::RightHandSide& r = last.right_hand_sides[k];
    const SolveResult::RightHandSide& before = earlier.right_hand_sides[k];
    if (std::isinf(target[k])) r.status = before.status;
    r.iterations += before.iterations;
    r.restarts += before.restarts;
    r.fallbacks += before.fallbacks;
  }
  last.reliable_updates += earlier.reliable_updates;
  last.seconds += earlier.seconds;
  last.flops += earlier.flops;
  last.history.insert(last.history.begin(), earlier.history.begin(), earlier.history.end());
}

/// Lowers the targets of right-hand sides that have converged in single precision alone, and leaves the others alone.
/// False if there are none.
bool aim_lower(std::vector<double>& target, const SolveResult& result, double tolerance) {
  bool any = false;
  for (std::size_t k = 0; k < target.size(); ++k) {
    const SolveResult::RightHandSide& r = result.right_hand_sides[k];
    const bool missed = r.status == SolveStatus::converged && r.true_residual > tolerance;
    target[k] = missed ? 0.9 * target[k] * tolerance / r.true_residual : std::numeric_limits<double>::infinity();
    any = any || missed;
  }
  return any;
}

/// Whether right-hand sides have converged, from their residuals in double.
void decide(SolveResult& result, double tolerance) {
  for (SolveResult::RightHandSide& r : result.right_hand_sides) {
    if (r.status == SolveStatus::converged && !(r.true_residual <= tolerance)) r.status = SolveStatus::stagnated;
  }
}

/// All in single precision or less, but for the true residuals.
template <template <class> class Dirac>
SolveResult solve_in_single(const Session& session, const PropagatorPlan& plan, const GaugeField<double>& links,
                            const Dirac<double>& dirac, const PropagatorSolverParameters& parameters,
                            SpinorField<double>& x, const SpinorField<double>& b) {
  const Dirac<float> rounded(dirac, LinkStorage::full);
  SpinorField<float> x_float(x.lattice(), x.parameters()), b_float(b.lattice(), b.parameters());
  blas::copy(b_float, b);
  PropagatorSolverParameters bounded = parameters;
  bounded.iterations_spent = std::make_shared<std::vector<int>>();  // by all solves together
  const PropagatorSolver solver = make_solver(session, plan, links, rounded, bounded);
  const blas::Reals b_norm2 = blas::norm2(b);
  std::vector<double> target(b_norm2.size());
  for (std::size_t k = 0; k < target.size(); ++k) target[k] = parameters.tolerance * std::sqrt(b_norm2[k]);
  SolveResult result;
  for (int correction = 0;; ++correction) {
    SolveResult solved = solver.solve(x_float, b_float, target);
    add(solved, result, target);
    result = std::move(solved);
    blas::copy(x, x_float);
    recompute_true_residuals(result, dirac, x, b);
    if (!aim_lower(target, result, parameters.tolerance) || correction == max_corrections) break;
  }
  decide(result, parameters.tolerance);
  return result;
}

template <template <class> class Dirac, class Parameters>
SolveResult solve(const Session& session, const PropagatorPlan& plan, const GaugeField<double>& links,
                  const Parameters& physics, SpinorField<double>& propagator) {
  const Dirac<double> dirac(links, physics);
  SpinorField<double> source(links.lattice(), plan.shape());
  set_source(source, plan, links);
  const PropagatorSolverParameters parameters = solver_parameters(session, plan);
  if (plan.single()) return solve_in_single(session, plan, links, dirac, parameters, propagator, source);
  return make_solver(session, plan, links, dirac, parameters).solve(propagator, source);
}

}  // namespace

SolveResult solve_propagator(const Session& session, const PropagatorPlan& plan, const GaugeField<double>& links,
                             SpinorField<double>& propagator) {
  const auto& [mass, mu, csw, csw_temporal, anisotropy, boundary] = plan.physics;
  if (plan.staggered()) {
    return solve<Staggered>(session, plan, links, StaggeredParameters{mass, boundary}, propagator);
  }
  if (plan.twisted() && plan.clover) return solve<TwistedClover>(session, plan, links, plan.physics, propagator);
  if (plan.twisted()) {
    const TwistedMassParameters physics{mass, mu, anisotropy, boundary};
    return solve<TwistedMass>(session, plan, links, physics, propagator);
  }
  if (plan.clover) return solve<WilsonClover>(session, plan, links, plan.physics.untwisted(), propagator);
  return solve<Wilson>(session, plan, links, WilsonParameters{mass, anisotropy, boundary}, propagator);
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
  if (!plan.staggered()) {
    advice = fmt::format(", or try --solver {}",
                         plan.given.solver == "bicgstab" || plan.given.solver == "multigrid" ? "cgnr" : "bicgstab");
  }
  return fmt::format(
      "--tolerance: {} of {} right-hand sides did not reach {} ({}; largest true residual {:.2e} after {} iterations); "
      "nothing is written. Raise --tolerance or --max-iterations{}",
      failed, result.right_hand_sides.size(), plan.tolerance, reasons, result.true_residual(), result.iterations(),
      advice);
}

}  // namespace kaon::apps
