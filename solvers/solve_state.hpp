// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/fields/temporaries.hpp"
#include "core/reductions/pending_sums.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/solvers/solver.hpp>

#include <cmath>
#include <complex>
#include <initializer_list>
#include <optional>

namespace kaon::detail {

inline bool is_finite(double value) { return std::isfinite(value); }
inline bool is_finite(const std::complex<double>& value) {
  return std::isfinite(value.real()) && std::isfinite(value.imag());
}

/// Aims of a solve, for every right-hand side.
struct Targets {
  std::vector<double> source_norm;    ///< |b|; 1 where b is zero, to divide by
  std::vector<double> residual_norm;  ///< |b - M x| that is small enough
  std::vector<bool> active;           ///< false: x stays as it is
};

/// |b|^2 of each right-hand side. Throws `Error` for one that is not finite.
template <class T>
blas::Reals finite_norm2(const SpinorField<T>& b);

/// The norms of `request`, or `tolerance` * |b| where it has none. Sets x to zero where b is, unless it is to stay.
/// Throws `Error` for a right-hand side that is not finite, for lists of another length and negative norms, and for x
/// that is b.
template <class T>
Targets make_targets(SpinorField<T>& x, const SpinorField<T>& b, double tolerance, const SolveRequest& request);

/// Calls `on_iteration`; whether all processes of the lattice are to go on. Collective.
bool goes_on(const Lattice& lattice, const OnIteration& on_iteration, int iteration, std::span<const double> residuals);

/// Throws `Error` on all processes of the lattice where some have an `on_iteration` and others have none. Collective.
void require_same_receivers(const Lattice& lattice, const OnIteration& on_iteration);

/// The bookkeeping that all Krylov methods share: which right-hand sides still run, their residuals, restarts, time and
/// flops. A right-hand side that has stopped is left out of further iterations, or takes part with coefficients zero,
/// so that its x and r stay as they are. One that fails gets the best x of which the true residual was computed.
///
/// The recurrences run in the precision S. Where that is not T they collect their part of the solution in a field y of
/// S, which in 16 bits goes into x every few iterations, and now and then (`update_due`) a reliable update brings them
/// back to the truth: x = x + y in T, y = 0, and r = b - M x computed in T (Sleijpen and van der Vorst, Computing 56
/// (1996) 141; Clark et al., arXiv:0911.3191, section 6). The search directions stay, so the Krylov space goes on.
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
             const SolverParameters& parameters, const SolveRequest& request, Targets targets);

  std::size_t size() const { return active_.size(); }
  bool active(std::size_t k) const { return active_[k]; }
  bool any_active() const;
  /// True for right-hand sides that want a fresh start from their true residual.
  bool wants_restart(std::size_t k) const { return restart_[k]; }
  bool any_restart() const;
  /// As it is so far, without seconds.
  SolveResult result() const {
    SolveResult result = result_;
    result.flops = flops_;
    return result;
  }
  SolveStatus status(std::size_t k) const { return result_.right_hand_sides[k].status; }
  /// True for right-hand sides that take part in an iteration.
  bool runs(std::size_t k) const { return active_[k] && !restart_[k]; }

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
  /// The same for all.
  blas::Reals residual(SpinorField<S>& r) { return residual(r, 0); }

  /// Takes in |r|^2 of the initial guess: those that need no iteration stop.
  void begin(std::span<const double> norm2);
  /// True if recurrences with these |r|^2 have gone so far, in their precision, that their residuals should be updated:
  /// half of those that run, or one that has gone much further.
  bool update_due(std::span<const double> norm2);
  /// True if the next iteration may be enqueued as a whole before the host has seen its reductions: kernels can apply
  /// functions to them (core/reductions/scalar_function.hpp), and no reliable update is expected at its end or was
  /// deferred to it.
  bool can_run_ahead() const;
  /// For the rest of the solve that is false: a function has declined a right-hand side that the host treats like the
  /// others, which is likely to happen again, and waiting costs less than a part of an iteration for it alone.
  void stop_running_ahead() { kernels_apply_functions_ = false; }
  /// `update_due` for an iteration that ran ahead: an update that is due is made at the end of the next.
  void defer_update(std::span<const double> norm2);

  /// A reliable update: r = b - M x, and its |r|^2 in place of the `norm2` that the recurrences had.
  /// Recurrences that ran away from the truth restart, and right-hand sides whose residual no longer falls stop.
  void reliable_update(SpinorField<S>& r, blas::Reals& norm2);
  /// Takes in |b - M x|^2 where a method computes r anew in its course: those that have reached their target stop, and
  /// those whose recurrence had run away from a truth that no longer improves.
  void take_true_residual(std::span<const double> norm2);
  /// Takes in |r|^2 after an iteration. Right-hand sides that have reached their target or are out of iterations stop;
  /// all stop where `on_iteration` ends the solve.
  void record(std::span<const double> norm2);
  /// The recurrence of k divides by zero: restart it, or stop it where it has been restarted too often.
  void break_down(std::size_t k);
  void stop(std::size_t k, SolveStatus status);

  /// k met NaN: stops it, if it still runs, and sets its part of `fields` and of y to zero, because zero times NaN is
  /// NaN and must not reach x.
  void discard(std::size_t k, std::initializer_list<SpinorField<S>*> fields = {});

  /// After all have stopped: the true residuals are noted, with `r` as scratch, and those right-hand sides of which
  /// more may be had are set going again (`wants_restart`). True if there are any.
  bool check_true_residuals(SpinorField<S>& r);
  /// Calls `start(k, 1)`, which begins the recurrence of right-hand side k anew from x, for each that wants it.
  template <class Start>
  void restart(const Start& start) {
    for (std::size_t k = 0; k < size(); ++k) {
      if (!restart_[k]) continue;
      const blas::Reals norm2 = start(static_cast<int>(k), 1);
      largest_norm_[k] = std::sqrt(norm2[0]);
      ++result_.right_hand_sides[k].restarts;
      restart_[k] = false;
      if (!is_finite(norm2[0])) stop(k, SolveStatus::not_a_number);
    }
  }

  void count_flops(double flops) { flops_ += flops; }
  void count_applications(int count) { flops_ += count * matrix_.flops() * static_cast<double>(size()); }
  /// `per_real` flops for each real of a vector of all right-hand sides.
  void count_blas(double per_real) { flops_ += per_real * reals_ * static_cast<double>(size()); }

  SolveResult finish();

 private:
  /// Whether an update is due with residuals `norm_of(k)`, and which right-hand sides ask for it.
  template <class NormOf>
  bool is_due(const NormOf& norm_of, std::vector<bool>& due) const;
  bool out_of_iterations(std::size_t k) const {
    return result_.right_hand_sides[k].iterations >= allowed_iterations_[k];
  }
  /// x = x + y, y = 0 of right-hand sides [first, first + count), in mixed precision.
  void collect(int first, int count);
  /// Takes in |b - M x|^2 of right-hand sides first, ...: keeps the x that are better than all before.
  void keep_best(const SpinorField<T>& x, int first, std::span<const double> norm2);
  /// Sets x of right-hand side k to the best, if that is better than the x whose residual was last computed.
  void return_to_best(std::size_t k);
  /// Iterations of k since its true residual was last seen to fall.
  int waiting(std::size_t k) const { return result_.right_hand_sides[k].iterations - last_update_[k]; }

  const LinearOperator<T>& matrix_;
  SpinorField<T>& x_;
  const SpinorField<T>& b_;
  const SolverParameters& parameters_;
  Temporaries<S> y_;                        // y, in mixed precision
  std::optional<Temporaries<T>> residual_;  // r in T, in mixed precision
  std::optional<Temporaries<T>> best_;      // x, unless zero is the best
  Kokkos::Timer timer_;
  double flops_ = 0.0;
  double reals_ = 0.0;
  int iteration_ = 0;
  Targets targets_;
  std::vector<int> allowed_iterations_;
  std::vector<double> last_true_norm_;  // at the last restart or update
  std::vector<double> largest_norm_;    // |r| since then
  std::vector<double> known_norm_;      // |b - M x| of the x of which it was last computed
  std::vector<double> best_norm_;       // the smallest of these, and |b|
  std::vector<bool> zero_is_best_;
  std::vector<int> last_update_;     // its iteration
  std::vector<int> failed_updates_;  // in a row
  std::vector<double> last_taken_norm_;
  std::vector<bool> active_, restart_, due_;
  bool kernels_apply_functions_;
  bool update_pending_ = false;
  std::vector<double> reduction_;  // of |r| in the last iteration: at most 1, 0 before there was one
  bool updated_ = false;           // the last |r|^2 are those of a reliable update
  SolveResult result_;
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

extern template blas::Reals finite_norm2(const SpinorField<double>&);
extern template blas::Reals finite_norm2(const SpinorField<float>&);
extern template blas::Reals finite_norm2(const SpinorField<half>&);
extern template Targets make_targets(SpinorField<double>&, const SpinorField<double>&, double, const SolveRequest&);
extern template Targets make_targets(SpinorField<float>&, const SpinorField<float>&, double, const SolveRequest&);
extern template Targets make_targets(SpinorField<half>&, const SpinorField<half>&, double, const SolveRequest&);
extern template class SolveState<double>;
extern template class SolveState<float>;
extern template class SolveState<half>;
extern template class SolveState<double, float>;
extern template class SolveState<double, half>;
extern template class SolveState<float, half>;

}  // namespace kaon::detail
