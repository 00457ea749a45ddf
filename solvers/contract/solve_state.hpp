// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/reductions/pending_sums.hpp"
#include "solvers/contract/best_solution.hpp"
#include "solvers/contract/lanczos_matrix.hpp"
#include "solvers/contract/reliable_updates.hpp"
#include "solvers/contract/solve_report.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/kept_fields.hpp>
#include <kaon/solvers/solver.hpp>

#include <functional>
#include <initializer_list>
#include <optional>

namespace kaon::detail {

/// The operator of which iterations are conjugate gradients.
enum class ConjugateOf {
  matrix,  ///< M
  normal   ///< M^dag M, or M M^dag
};

/// The books that all Krylov methods share: right-hand sides, targets, residuals, restarts, the best x, time and flops.
/// A right-hand side that has stopped is excluded from further iterations, or participates with coefficients zero, so
/// that its x and r do not change. If it fails, it gets the best x whose true residual was computed.
///
/// The recurrences run in the precision S. If that is not T, they collect their part of the solution in a field y of S,
/// which in 16 bits is added to x every few iterations. Reliable updates (`update_due`) correct them: x = x + y in T,
/// y = 0, and r = b - M x computed in T (Sleijpen and van der Vorst, Computing 56 (1996) 141; Clark et al.,
/// arXiv:0911.3191, section 6). The search directions do not change, so the Krylov space is continued.
template <class T, class S = T>
class SolveState {
 public:
  static constexpr bool mixed = !std::is_same_v<T, S>;

  /// Throws `Error` for what `make_targets` refuses, and for fields that do not fit.
  SolveState(const LinearOperator<T>& matrix, SpinorField<T>& x, const SpinorField<T>& b,
             const SolverParameters& parameters, const SolveRequest& request)
      : SolveState(matrix, x, b, parameters, request, make_targets(x, b, parameters.tolerance, request)) {}
  /// With the targets of `make_targets` for these fields.
  SolveState(const LinearOperator<T>& matrix, SpinorField<T>& x, const SpinorField<T>& b,
             const SolverParameters& parameters, const SolveRequest& request, const Targets& targets);

  /// In one precision: the solve goes without the reliable update near its end, which is for the estimate of the error.
  void skip_update() { updates_.skip(); }
  /// The iterations are conjugate gradients: `take_step` gets their coefficients, from which the error is estimated.
  void begin_lanczos(ConjugateOf of) {
    conjugate_of_ = of;
    lanczos_.resize(size());
    if constexpr (!mixed) skip_update();
  }
  /// The iterations are conjugate gradients of all right-hand sides together: `lowest` returns their lowest Ritz value.
  void begin_lanczos(ConjugateOf of, std::function<double()> lowest) {
    begin_lanczos(of);
    lanczos_.clear();
    lowest_ = std::move(lowest);
  }
  /// In one precision: residuals are replaced by true ones as in two, since iterations know theirs from sums alone.
  void replace_residuals() {
    replaces_ = true;
    updates_.replace();
  }
  /// Records alpha and beta = |next r|^2 / |r|^2 of an iteration of conjugate gradients.
  void take_step(std::size_t k, double alpha, double beta) { lanczos_[k].append(alpha, beta); }

  std::size_t size() const { return sides_.size(); }
  bool active(std::size_t k) const { return sides_[k].active; }
  bool any_active() const;
  /// True for right-hand sides that must restart from their true residual.
  bool wants_restart(std::size_t k) const { return sides_[k].restart; }
  bool any_restart() const;
  /// The result so far.
  SolveResult result() const { return report_.result(sides_); }
  SolveStatus status(std::size_t k) const { return sides_[k].result.status; }
  /// True for right-hand sides that participate in an iteration.
  bool runs(std::size_t k) const { return sides_[k].runs(); }

  /// The field that recurrences add their steps to: x itself, or y.
  SpinorField<S>& solution() {
    if constexpr (mixed) {
      return y_[0];
    } else {
      return x_;
    }
  }
  /// r = b - M x with all that has been collected, for right-hand sides [first, first + r.right_hand_sides()); |r|^2.
  blas::Reals residual(SpinorField<S>& r, int first);
  /// For all right-hand sides.
  blas::Reals residual(SpinorField<S>& r) { return residual(r, 0); }
  /// `residual` in T.
  blas::Reals exact_residual(SpinorField<T>& r, int first);
  /// A field for `exact_residual`, which `residual` overwrites in mixed precision.
  SpinorField<T>& residual_field();

  /// Records |r|^2 of the initial guess: right-hand sides that need no iteration stop.
  void begin(std::span<const double> norm2);
  /// True if recurrences with these |r|^2 have gone so far, in their precision, that their residuals should be updated:
  /// half of those that run, or one that has gone much further.
  bool update_due(const blas::Reals& norm2);
  /// True if the next iteration may be enqueued as a whole before the host has seen its reductions: kernels can apply
  /// functions to them (core/reductions/scalar_function.hpp), and no reliable update is expected at its end or was
  /// deferred to it.
  bool can_run_ahead() const;
  /// For the rest of the solve that is false: a function has declined a right-hand side that the host treats like the
  /// others, which is likely to happen again, and waiting costs less than a part of an iteration for it alone.
  void stop_running_ahead() { kernels_apply_functions_ = false; }
  /// True if another iteration is expected after this one, if residuals fall as in the last.
  bool expects_another() const;
  /// `update_due` for an iteration that ran ahead: an update that is due is made at the end of the next.
  void defer_update(const blas::Reals& norm2);

  /// A reliable update: r = b - M x, and its |r|^2 in place of the `norm2` that the recurrences had.
  /// Recurrences that ran away from the truth restart, and right-hand sides whose residual no longer falls stop.
  void reliable_update(SpinorField<S>& r, blas::Reals& norm2) { take_update(residual(r), norm2); }
  /// `reliable_update` with |b - M x|^2.
  void take_update(blas::Reals true_norm2, blas::Reals& norm2);
  /// Records |b - M x|^2 of methods that recompute r between iterations. Right-hand sides that have reached their
  /// target stop, and those whose recurrence had run away from a true residual that no longer improves.
  void take_true_residual(std::span<const double> norm2);
  /// Records |r|^2 after an iteration. Right-hand sides that have reached their target or are out of iterations stop;
  /// all stop if the receiver ends the solve.
  void record(std::span<const double> norm2);
  /// Called when iterations end, or continue in another solver: stops all right-hand sides if a receiver has ended the
  /// solve since the last agreement of processes. Collective.
  void interrupt();
  /// The recurrence of k divides by zero: restarts it, or stops it after too many restarts.
  void break_down(std::size_t k);
  void stop(std::size_t k, SolveStatus status) { sides_[k].stop(status); }
  /// Sets whether k continues although its residual is small enough.
  void hold(std::size_t k, bool held) { sides_[k].held = held; }

  /// k met NaN: stops it, if it still runs, and sets its part of `fields` and of y to zero, because zero times NaN is
  /// NaN and must not reach x.
  void discard(std::size_t k, std::initializer_list<SpinorField<S>*> fields = {});

  /// Discards those that are active and not finite.
  void discard_not_finite(std::span<const double> norm2);

  /// After all have stopped: the true residuals are noted, with `r` as scratch, and those right-hand sides of which
  /// more may be had are set going again (`wants_restart`). True if there are any.
  bool check_true_residuals(SpinorField<S>& r);
  /// Calls `start(k, 1)`, which restarts the recurrence of right-hand side k from x, for each that requires it.
  template <class Start>
  void restart(const Start& start) {
    for (std::size_t k = 0; k < size(); ++k) {
      if (!wants_restart(k)) continue;
      const blas::Reals norm2 = start(static_cast<int>(k), 1);
      updates_.begin(k, std::sqrt(norm2[0]));
      if (!lanczos_.empty()) lanczos_[k].restart();
      ++sides_[k].result.restarts;
      sides_[k].restart = false;
      if (!is_finite(norm2[0])) stop(k, SolveStatus::not_a_number);
    }
  }

  /// Solves with a method that starts by `start(first, count)`, which returns |r|^2, and iterates by `iterate()`, which
  /// returns |r|^2 of all right-hand sides. `scratch` is a field that is free between iterations.
  template <class Start, class Iterate>
  SolveResult run(const Start& start, const Iterate& iterate, SpinorField<S>& scratch) {
    begin(start(0, b_.right_hand_sides()));
    do {
      while (any_active()) {
        restart(start);
        record(iterate());
      }
    } while (check_true_residuals(scratch));
    return finish();
  }

  void count_flops(double flops) { report_.flops += flops; }
  void count_applications(int count) { count_flops(count * flops_of(matrix_) * static_cast<double>(size())); }
  /// `per_real` flops for each real of a vector of all right-hand sides.
  void count_blas(double per_real) { count_flops(per_real * reals_ * static_cast<double>(size())); }

  /// `BestSolution::take_step`
  void take_step(std::size_t k, double step, double before, double after) { best_.take_step(k, step, before, after); }
  double near_target(std::size_t k) const { return sides_[k].near_target(); }

  SolveResult finish();

 private:
  void stop_all();
  /// x = x + y, y = 0 of right-hand sides [first, first + count), in mixed precision.
  void collect(int first, int count);
  /// `SolveResult::RightHandSide::error_per_residual` and `error_at_least`
  void estimate_error(std::size_t k);
  /// Stores each x of right-hand sides first, ... that is better than all earlier ones, by its |b - M x|^2.
  void keep_best(int first, const blas::Reals& norm2);

  const LinearOperator<T>& matrix_;
  SpinorField<T>& x_;
  const SpinorField<T>& b_;
  int max_restarts_;
  Temporaries<S> y_;                        // y, in mixed precision
  std::optional<Temporaries<T>> residual_;  // r in T, in mixed precision
  BestSolution<T> best_;
  ConjugateOf conjugate_of_{};
  std::vector<LanczosMatrix> lanczos_{};  // [right-hand side], of conjugate gradients
  std::function<double()> lowest_{};      // of conjugate gradients of all together
  double lowest_of_all_ = 0.0;            // at the end
  bool replaces_ = mixed;                 // residuals, in reliable updates
  std::vector<RightHandSide> sides_;
  ReliableUpdates updates_;
  SolveReport report_;
  double reals_;  // of a vector of one right-hand side
  bool kernels_apply_functions_;
};

/// p = p - (<r, p> / |r|^2) r: what a replaced residual r is no longer orthogonal to, although the recurrences count on
/// it.
template <class S>
void make_orthogonal(SpinorField<S>& p, const SpinorField<S>& r, std::span<const double> r_norm2) {
  blas::Complexes factor = blas::inner_product(r, p);
  for (std::size_t k = 0; k < factor.size(); ++k) {
    factor[k] = r_norm2[k] > 0.0 && is_finite(factor[k]) ? -factor[k] / r_norm2[k] : 0.0;
  }
  blas::caxpy(p, r, factor);
}

}  // namespace kaon::detail
