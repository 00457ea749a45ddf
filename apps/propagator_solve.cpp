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
#include <kaon/solvers/fallback.hpp>
#include <kaon/solvers/gcr.hpp>
#include <kaon/solvers/in_precision.hpp>
#include <kaon/solvers/schwarz.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <span>
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

/// Cycles of GCR-DD, each of which brings the residual down by about --delta.
constexpr int max_cycles = 1000;

LinkStorage link_storage(const PropagatorPlan& plan) { return static_cast<LinkStorage>(plan.links); }

/// The solvers and operators of one solve: a Krylov method that works in T with iterations in the precision S, and
/// behind it, should that precision be too coarse, the same in the next one.
template <template <class> class Dirac, class T>
class SolverLadder {
 public:
  /// `dirac` is the operator whose residual counts.
  SolverLadder(const PropagatorPlan& plan, const Dirac<T>& dirac, const SolverParameters& parameters)
      : plan_(plan), parameters_(parameters), dirac_(dirac), matrix_(preconditioned<T>(dirac)) {
    parameters_.iterations_spent = std::make_shared<std::vector<int>>();
  }
  SolverLadder(const SolverLadder&) = delete;
  SolverLadder& operator=(const SolverLadder&) = delete;

  /// `residual_norms`: as in `Solver::solve`. --max-iterations bounds the iterations of all calls together.
  template <class S>
  SolveResult solve(SpinorField<T>& x, const SpinorField<T>& b, std::span<const double> residual_norms = {}) {
    // In one precision the iterations alone may be on compressed links or with rounded halos, too.
    const bool nearby = std::same_as<S, T> && (has_rounded_halos() || plan_.links != reals(LinkStorage::full));
    const Solver<T>& krylov = nearby ? nearby_rung() : rung<S>(plan_.halo);
    if (plan_.given.schur == "none") return krylov.solve(x, b, residual_norms);
    const auto& schur = dynamic_cast<const Schur<T>&>(matrix_);
    return EvenOddSolver<T>(schur, krylov, plan_.tolerance).solve(x, b, residual_norms);
  }

 private:
  template <class Object>
  const Object& keep(std::shared_ptr<const Object> object) {
    kept_.push_back(object);
    return *object;
  }

  template <class S>
  const LinearOperator<S>& preconditioned(const Dirac<S>& dirac) {
    if (plan_.given.schur == "none") return dirac;
    const SchurForm form = plan_.given.schur == "symmetric" ? SchurForm::symmetric : SchurForm::asymmetric;
    return keep(std::make_shared<const Schur<S>>(dirac, SchurParameters{.form = form}));
  }

  /// `share`: the part of --max-iterations after which the next rung takes over.
  template <class S>
  std::shared_ptr<const Solver<T>> krylov(const LinearOperator<S>& inner, double share = 1.0) {
    SolverParameters parameters = parameters_;
    parameters.max_iterations = std::max(1, static_cast<int>(share * parameters_.max_iterations));
    if (plan_.given.solver == "gcr-dd") return gcr_dd<S>(dynamic_cast<const Schur<S>&>(inner), parameters);
    if (plan_.given.solver == "cgnr") return std::make_shared<const Cgnr<T, S>>(matrix_, inner, parameters);
    if (plan_.given.solver == "cgne") return std::make_shared<const Cgne<T, S>>(matrix_, inner, parameters);
    return std::make_shared<const BiCgStab<T, S>>(matrix_, inner, parameters);
  }

  /// Babich et al., arXiv:1109.2935, algorithm 1.
  template <class S>
  std::shared_ptr<const Solver<T>> gcr_dd(const Schur<S>& inner, const SolverParameters& bounds) {
    const auto& schwarz =
        keep(std::make_shared<const Schwarz<S>>(inner, SchwarzParameters{.steps = plan_.given.schwarz_steps}));
    GcrParameters parameters{.tolerance = parameters_.tolerance,
                             .max_iterations = bounds.max_iterations,
                             .iterations_spent = bounds.iterations_spent,
                             .max_restarts = parameters_.max_restarts,
                             .on_iteration = parameters_.on_iteration};
    if constexpr (std::same_as<S, T>) {
      return std::make_shared<const Gcr<T>>(matrix_, schwarz, parameters);
    } else {
      // The inner solves' residuals begin at one in each cycle: nothing to tell users.
      parameters.tolerance = parameters_.reliable_delta;
      parameters.on_iteration = {};
      parameters.iterations_spent = {};
      const auto& gcr = keep(std::make_shared<const Gcr<S>>(inner, schwarz, parameters));
      return std::make_shared<const InPrecision<T, S>>(
          matrix_, gcr,
          InPrecisionParameters{.tolerance = parameters_.tolerance,
                                .max_refinements = max_cycles,
                                .max_iterations = bounds.max_iterations,
                                .iterations_spent = bounds.iterations_spent});
    }
  }

  /// The operator of the iterations, in S and on links as they were asked for.
  template <class S>
  const LinearOperator<S>& inner(HaloPrecision halo) {
    return preconditioned<S>(keep(std::make_shared<const Dirac<S>>(dirac_, link_storage(plan_), halo)));
  }

  bool has_rounded_halos() const { return plan_.halo != HaloPrecision::field && dirac_.lattice().is_partitioned(); }

  /// In one precision, with iterations on an operator beside the one whose residual counts.
  const Solver<T>& nearby_rung() {
    if (!has_rounded_halos()) return keep(krylov<T>(inner<T>(plan_.halo)));
    const Solver<T>& first = keep(krylov<T>(inner<T>(plan_.halo), 0.75));
    const auto next = [this]() -> const Solver<T>& { return keep(krylov<T>(inner<T>(HaloPrecision::field))); };
    return keep(std::make_shared<const Fallback<T>>(first, next, plan_.tolerance, "with exact halos"));
  }

  template <class S>
  const Solver<T>& rung(HaloPrecision halo) {
    if constexpr (std::same_as<S, T>) {
      return keep(krylov<T>(matrix_));
    } else {
      using Next = std::conditional_t<std::same_as<S, half>, float, T>;
      const Solver<T>& first = keep(krylov<S>(inner<S>(halo), std::same_as<Next, T> ? 0.75 : 0.5));
      // Rounded halos may be what was too coarse.
      const auto next = [this]() -> const Solver<T>& { return rung<Next>(HaloPrecision::field); };
      return keep(std::make_shared<const Fallback<T>>(first, next, plan_.tolerance,
                                                      fmt::format("in {} precision", precision_name<Next>())));
    }
  }

  const PropagatorPlan& plan_;
  SolverParameters parameters_;
  std::vector<std::shared_ptr<const void>> kept_;
  const Dirac<T>& dirac_;
  const LinearOperator<T>& matrix_;
};

/// Solves in single precision that may follow the first, for residuals that are too large in double.
constexpr int max_corrections = 3;

/// Replaces the true residuals of a solve by those of `dirac`, the operator in double with all of its links.
void recompute_true_residuals(SolveResult& result, const EvenOddOperator<double>& dirac, const SpinorField<double>& x,
                              const SpinorField<double>& b) {
  SpinorField<double> residual = dirac.make_field(right_hand_sides);
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

template <template <class> class Dirac>
SolveResult solve_in_double(const PropagatorPlan& plan, const Dirac<double>& dirac, const SolverParameters& parameters,
                            SpinorField<double>& x, const SpinorField<double>& b) {
  SolverLadder<Dirac, double> ladder(plan, dirac, parameters);
  if (plan.given.precision == "double-single") return ladder.template solve<float>(x, b);
  if (plan.given.precision == "double-half") return ladder.template solve<half>(x, b);
  return ladder.template solve<double>(x, b);
}

/// All in single precision or less, but for the true residuals.
template <template <class> class Dirac>
SolveResult solve_in_single(const PropagatorPlan& plan, const Dirac<double>& dirac, const SolverParameters& parameters,
                            SpinorField<double>& x, const SpinorField<double>& b) {
  const bool pure = plan.given.precision == "single";
  const Dirac<float> rounded(dirac, LinkStorage::full);
  SpinorField<float> x_float = rounded.make_field(right_hand_sides), b_float = rounded.make_field(right_hand_sides);
  blas::copy(b_float, b);
  SolverLadder<Dirac, float> ladder(plan, rounded, parameters);
  const blas::Reals b_norm2 = blas::norm2(b);
  std::vector<double> target(b_norm2.size());
  for (std::size_t k = 0; k < target.size(); ++k) target[k] = plan.tolerance * std::sqrt(b_norm2[k]);
  SolveResult result;
  for (int correction = 0;; ++correction) {
    SolveResult solved = pure ? ladder.template solve<float>(x_float, b_float, target)
                              : ladder.template solve<half>(x_float, b_float, target);
    add(solved, result, target);
    result = std::move(solved);
    blas::copy(x, x_float);
    recompute_true_residuals(result, dirac, x, b);
    if (!aim_lower(target, result, plan.tolerance) || correction == max_corrections) break;
  }
  decide(result, plan.tolerance);
  return result;
}

template <template <class> class Dirac, class Parameters>
SolveResult solve(const Session& session, const PropagatorPlan& plan, const GaugeField<double>& links,
                  const Parameters& physics, SpinorField<double>& propagator) {
  const SolverParameters parameters{.tolerance = plan.tolerance,
                                    .max_iterations = plan.given.max_iterations,
                                    .reliable_delta = plan.given.delta,
                                    .on_iteration = progress(session)};
  const Dirac<double> dirac(links, physics);
  SpinorField<double> source = dirac.make_field(right_hand_sides);
  set_source(source, plan, links);
  if (plan.single()) return solve_in_single<Dirac>(plan, dirac, parameters, propagator, source);
  return solve_in_double<Dirac>(plan, dirac, parameters, propagator, source);
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
