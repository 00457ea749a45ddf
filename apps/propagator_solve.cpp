// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/propagator_solve.hpp"

#include "apps/output.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/operators/smearing.hpp>
#include <kaon/operators/sources.hpp>
#include <kaon/solvers/bicgstab.hpp>
#include <kaon/solvers/cg.hpp>
#include <kaon/solvers/even_odd_solver.hpp>
#include <kaon/solvers/in_precision.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <memory>

namespace kaon::apps {
namespace {

/// What the inner solves of mixed precision reduce the residual by.
constexpr double inner_tolerance = 1e-4;

void set_source(SpinorField<double>& source, const PropagatorPlan& plan, const GaugeField<double>& links) {
  if (plan.given.source == "wall-z2") {
    set_z2_wall_source(source, {.time = plan.site[3], .key = {.seed = plan.given.seed}});
    return;
  }
  set_point_sources(source, {.site = plan.site});
  if (plan.given.source == "gaussian") {
    gaussian_smear(source, links, {.width = plan.given.smearing_width, .steps = plan.given.smearing_steps});
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

template <class T>
std::unique_ptr<const Solver<T>> make_krylov(const PropagatorPlan& plan, const LinearOperator<T>& matrix,
                                             const SolverParameters& parameters) {
  if (plan.given.solver == "cgnr") return std::make_unique<Cgnr<T>>(matrix, parameters);
  if (plan.given.solver == "cgne") return std::make_unique<Cgne<T>>(matrix, parameters);
  return std::make_unique<BiCgStab<T>>(matrix, parameters);
}

/// Calls `body` with the solver of M x = b that was asked for.
template <class T>
SolveResult with_solver(const PropagatorPlan& plan, const EvenOddOperator<T>& dirac, const SolverParameters& parameters,
                        const std::function<SolveResult(const Solver<T>&)>& body) {
  if (plan.given.schur == "none") return body(*make_krylov<T>(plan, dirac, parameters));
  const Schur<T> schur(dirac, {.form = plan.given.schur == "symmetric" ? SchurForm::symmetric : SchurForm::asymmetric});
  const auto krylov = make_krylov<T>(plan, schur, parameters);
  return body(EvenOddSolver<T>(schur, *krylov, parameters.tolerance));
}

SolveResult solve_in_double(const PropagatorPlan& plan, const EvenOddOperator<double>& dirac,
                            const SolverParameters& parameters, SpinorField<double>& x, const SpinorField<double>& b) {
  return with_solver<double>(plan, dirac, parameters, [&](const Solver<double>& solver) { return solver.solve(x, b); });
}

SolveResult solve_in_mixed(const PropagatorPlan& plan, const EvenOddOperator<double>& dirac,
                           const EvenOddOperator<float>& rounded, SolverParameters parameters, SpinorField<double>& x,
                           const SpinorField<double>& b) {
  parameters.tolerance = inner_tolerance;
  return with_solver<float>(plan, rounded, parameters, [&](const Solver<float>& inner) {
    return InPrecision<double, float>(dirac, inner, {.tolerance = plan.tolerance}).solve(x, b);
  });
}

/// All in single precision, but for the true residuals.
SolveResult solve_in_single(const PropagatorPlan& plan, const EvenOddOperator<double>& dirac,
                            const EvenOddOperator<float>& rounded, const SolverParameters& parameters,
                            SpinorField<double>& x, const SpinorField<double>& b) {
  SpinorField<float> x_float = rounded.make_field(right_hand_sides), b_float = rounded.make_field(right_hand_sides);
  blas::copy(b_float, b);
  SolveResult result = with_solver<float>(plan, rounded, parameters,
                                          [&](const Solver<float>& solver) { return solver.solve(x_float, b_float); });
  blas::copy(x, x_float);
  SpinorField<double> residual = dirac.make_field(right_hand_sides);
  dirac.apply(residual, x);
  const blas::Reals residuals = blas::residual_norm2(residual, b), sources = blas::norm2(b);
  for (std::size_t k = 0; k < residuals.size(); ++k) {
    result.right_hand_sides[k].true_residual = std::sqrt(residuals[k] / sources[k]);
  }
  return result;
}

template <template <class> class Dirac, class Parameters>
SolveResult solve(const Session& session, const PropagatorPlan& plan, const GaugeField<double>& links,
                  const Parameters& physics, SpinorField<double>& propagator) {
  const SolverParameters parameters{
      .tolerance = plan.tolerance, .max_iterations = plan.given.max_iterations, .on_iteration = progress(session)};
  const Dirac<double> dirac(links, physics);
  SpinorField<double> source = dirac.make_field(right_hand_sides);
  set_source(source, plan, links);
  if (plan.given.precision == "double") return solve_in_double(plan, dirac, parameters, propagator, source);
  const Dirac<float> rounded(dirac);
  if (plan.given.precision == "mixed") return solve_in_mixed(plan, dirac, rounded, parameters, propagator, source);
  return solve_in_single(plan, dirac, rounded, parameters, propagator, source);
}

}  // namespace

SolveResult solve_propagator(const Session& session, const PropagatorPlan& plan, const GaugeField<double>& links,
                             SpinorField<double>& propagator) {
  if (plan.clover) return solve<WilsonClover>(session, plan, links, plan.wilson_clover, propagator);
  return solve<Wilson>(session, plan, links, plan.wilson, propagator);
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
  return fmt::format(
      "--tolerance: {} of {} right-hand sides did not reach {} ({}; largest true residual {:.2e} after {} iterations); "
      "nothing is written. Raise --tolerance or --max-iterations, or try --solver {}",
      failed, result.right_hand_sides.size(), plan.tolerance, reasons, result.true_residual(), result.iterations(),
      plan.given.solver == "bicgstab" ? "cgnr" : "bicgstab");
}

}  // namespace kaon::apps
