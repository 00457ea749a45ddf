// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/blas/shift_updates.hpp"
#include "solvers/contract/solve_state.hpp"
#include "solvers/contract/step_length.hpp"

#include <kaon/core/scalars.hpp>
#include <kaon/operators/normal.hpp>
#include <kaon/solvers/solver.hpp>

#include <concepts>
#include <cstddef>
#include <deque>
#include <span>
#include <vector>

namespace kaon::detail {

/// The numbers of the recurrences of all shifts in multi-shift conjugate gradients: [shift][right-hand side].
struct ShiftCoefficients {
  using Numbers = std::vector<blas::Reals>;
  ShiftCoefficients(std::size_t shifts, std::size_t right_hand_sides)
      : ratio(shifts, blas::Reals(right_hand_sides, 1.0)),
        zeta(ratio),
        alpha(shifts, blas::Reals(right_hand_sides)),
        beta(alpha),
        zeta_of_running(alpha),
        last_alpha(right_hand_sides, 1.0),
        last_beta(right_hand_sides, 0.0) {}

  /// From alpha and beta of the smallest shift sigma_0, those of shift s, `difference` = sigma_s - sigma_0:
  ///   1 / ratio_s = 1 + difference alpha + (1 - last ratio_s) alpha beta' / alpha', a prime for the iteration before,
  ///   zeta_s = ratio_s zeta_s, alpha_s = ratio_s alpha, beta_s = ratio_s^2 beta.
  /// Right-hand sides that have ended get zeros.
  template <class State>
  void advance(std::size_t s, double difference, const blas::Reals& a, const blas::Reals& b, const State& state) {
    for (std::size_t k = 0; k < a.size(); ++k) {
      alpha[s][k] = beta[s][k] = zeta_of_running[s][k] = 0.0;
      if (!state.active(k)) continue;
      ratio[s][k] = 1.0 / (1.0 + difference * a[k] + (1.0 - ratio[s][k]) * a[k] * last_beta[k] / last_alpha[k]);
      zeta[s][k] *= ratio[s][k];
      alpha[s][k] = ratio[s][k] * a[k];
      beta[s][k] = ratio[s][k] * ratio[s][k] * b[k];
      zeta_of_running[s][k] = zeta[s][k];
    }
  }

  /// |r_s|^2 of shift s from that of the smallest.
  blas::Reals norm2_of(std::size_t s, blas::Reals norm2) const {
    for (std::size_t k = 0; k < norm2.size(); ++k) norm2[k] *= zeta[s][k] * zeta[s][k];
    return norm2;
  }

  Numbers ratio, zeta, alpha, beta, zeta_of_running;
  blas::Reals last_alpha, last_beta;
};

// Vectors read and written in an iteration with n shifts running, beside one application of A + sigma_0, with K =
// `steps_put_off` and where A makes the product:
//   r_k = r - alpha A p_0, |r_k|^2                              2, 1
//   x_0 += alpha p_0, p_0 = r_k + beta p_0                      3, 2
// and once in K iterations, for K steps of the other shifts:
//   x_s += alpha_s p_s, p_s = zeta_s r_k + beta_s p_s           2 (n - 1) + K for n <= 5, 2 (n - 1)

/// Multi-shift conjugate gradients of (A + sigma_s) x_s = b in S, from x_s = 0 (Jegerlehner, arXiv:hep-lat/9612014).
/// Steps of all shifts but the smallest are put off and made `steps_put_off` at a time.
///
/// In mixed precision reliable updates in T correct the smallest shift, as in `Cg`; the others follow its residuals,
/// and collect their solutions in T at the same times. Their own residuals in T are not corrected: b - (A + sigma_s)
/// x_s remains above S's rounding of b.
///
/// A shift continues as long as a larger one does, whose residual is a part of the smaller one's, even if its own
/// tolerance is looser: the running shifts are the first ones.
template <class T, class S>
class MultiShiftRecurrence {
 public:
  /// Systems from the smallest shift to the largest, `inner` in S; x and `tolerances`, which replace that of
  /// `parameters`, likewise. Starts all right-hand sides from x_s = 0.
  /// Only the smallest shift reports to the receiver of `request`.
  MultiShiftRecurrence(const std::vector<Shifted<T>>& systems, const std::vector<Shifted<S>>& inner,
                       std::span<SpinorField<T>* const> x, const SpinorField<T>& b,
                       const std::vector<double>& tolerances, const SolverParameters& parameters,
                       const SolveRequest& request);
  /// Continues from the state of `before`, with its residual and search directions rounded to S. `run` does not include
  /// the counts of `before`.
  MultiShiftRecurrence(const std::vector<Shifted<T>>& systems, const std::vector<Shifted<S>>& inner,
                       const SolverParameters& parameters, const SolveRequest& request,
                       MultiShiftRecurrence<T, T>& before) requires(!std::same_as<T, S>);

  /// Iterates until the residuals of all shifts and right-hand sides that run are at most `factor` times their targets.
  void run_to(double factor);
  /// Iterates until no shift runs; results in the order of the systems, with true residuals in T.
  std::vector<SolveResult> run();
  /// Results so far, without true residuals.
  std::vector<SolveResult> counts();

 private:
  static constexpr bool mixed = SolveState<T, S>::mixed;

  /// alpha and the next |r|^2 of the smallest shift.
  struct BaseStep {
    blas::Reals alpha, norm2;
  };

  SolveState<T, S>& base() { return states_[0]; }
  StepLength alpha_of(std::size_t k) { return {StepLength::y_x, r_norm2_[k], base().runs(k)}; }
  void stop(std::size_t k, SolveStatus status);
  void discard(std::size_t k);
  /// Discards right-hand sides whose |r|^2 is not finite.
  void discard_not_finite(BaseStep& step);
  /// One iteration of the first `running_` shifts.
  void iterate();
  /// Records alpha. Right-hand sides that kernels declined make their step now, or end.
  void take(const blas::Products& of_ap, const blas::Scalars& alpha, BaseStep& step);
  /// The step of the smallest shift for right-hand side k; |r_k|^2.
  double iterate_alone(std::size_t k, double alpha);
  /// Right-hand sides of which the smallest shift has ended end for all: it was not held, or failed.
  void end_with_base();
  /// Records the step of the smallest shift: computes that of each other shift, and which shifts continue.
  void record(const BaseStep& base_step);
  /// Whether a larger shift than s continues for right-hand side k.
  bool is_held(std::size_t s, std::size_t k) const { return s + 1 < states_.size() && states_[s + 1].active(k); }
  void hold(std::size_t s);
  /// Makes the steps that were put off.
  void catch_up();
  /// x_s = x_s + y_s, y_s = 0 of all shifts that run, but the smallest.
  void collect();

  template <class, class>
  friend class MultiShiftRecurrence;

  const std::vector<Shifted<T>>& systems_;
  const std::vector<Shifted<S>>& inner_;
  std::vector<SpinorField<T>*> x_;
  const SpinorField<T>& b_;
  std::vector<double> tolerances_;
  std::deque<SolveState<T, S>> states_;
  std::vector<SpinorField<S>> p_;
  std::vector<SpinorField<S>> r_;  // the last residuals, in order
  SpinorField<S> ap_;
  std::size_t now_ = 0;  // r_[now_] is the residual
  std::size_t running_;
  std::size_t waiting_shifts_ = 0;    // that have steps put off
  std::vector<ShiftedStep> waiting_;  // [step]; its shifts are those but the smallest
  blas::Reals r_norm2_, b_norm_;
  ShiftCoefficients coefficients_;
  std::vector<LanczosMatrix> lanczos_;  // [right-hand side], of the smallest shift
};

}  // namespace kaon::detail
