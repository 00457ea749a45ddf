// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/operators/normal.hpp>
#include <kaon/solvers/solver.hpp>

#include <concepts>
#include <span>
#include <utility>
#include <vector>

namespace kaon {

/// The precision of the residual that all shifts share in the sweep of a `MultiShiftCg` in several precisions.
enum class ShiftSweep {
  falling,   ///< the outer one first; `reliable` when the rounding of S can no longer be seen in the answers
  reliable,  ///< that of the smallest shift is computed in the outer precision now and then, as in `Cg`
  inner      ///< the inner one alone, as far as `inner_tolerance`
};

struct MultiShiftParameters {
  double tolerance = 1e-10;       ///< on |b - (A + sigma_s) x_s| / |b| of every shift, in T; between 0 and 1
  double inner_tolerance = 1e-5;  ///< of the sweep in S with `ShiftSweep::inner`; between 0 and 1
  int max_iterations = 10000;     ///< of each right-hand side and shift, in the sweep and in refining; at least 1
  double reliable_delta = 0.1;    ///< of the sweep and of the solves that refine, see `SolverParameters`
  ShiftSweep sweep = ShiftSweep::falling;
  std::vector<double> tolerances{};  ///< of each shift, instead of `tolerance`; empty: that one for all
};

/// Solves (A + sigma_s) x_s = b for all shifts sigma_s >= 0 of a Hermitian positive operator A in one Krylov space: one
/// application of A an iteration (Jegerlehner, arXiv:hep-lat/9612014).
///
/// The smallest shift is the base system, whose residual r yields those of the others, zeta_s r with 0 < zeta_s <= 1. A
/// shift that has converged is no longer updated.
///
/// If S or R is a lower precision than T (Babich et al., arXiv:1109.2935, section 8.2):
///
///   1. A sweep iterates all shifts together in S. Restarts would make their residuals differ, so only the smallest
///      shift is corrected during the sweep; the rounding of S limits the residuals of the others. `falling` therefore
///      starts in T and continues in S when its rounding is below the tolerance, which usually saves step 2.
///   2. CG with iterations in R and reliable updates in T refines each shift alone, after `reliable` and `inner` from
///      about 1e-6 |b| (single). Iterations in S follow if R is too coarse.
///
/// A single shift is solved by `Cg` in T and S.
///
/// A shift ends when |b - (A + sigma_s) x_s| <= tolerance |b|. QUDA's `tol` is this tolerance; MILC compares squares,
/// |r|^2 <= resid^2 |b|^2, with the same number, and counts one iteration more.
template <class T, class S = T, class R = S>
class MultiShiftCg {
 public:
  /// Borrows `matrix`, A in T, or owns it if it is a temporary: see `Ref`. A shift continues as long as a larger one
  /// does. Throws `Error` if there is no shift, for a shift that is negative or not a number, and for impossible
  /// parameters.
  MultiShiftCg(Ref<LinearOperator<T>> matrix, std::vector<double> shifts,
               const MultiShiftParameters& parameters) requires std::same_as<T, S> && std::same_as<S, R>
      : MultiShiftCg(matrix, matrix, matrix, std::move(shifts), parameters) {}
  /// With `inner_matrix`, A in S. Throws `Error` for operators that do not act on the same fields, too.
  MultiShiftCg(Ref<LinearOperator<T>> matrix, Ref<LinearOperator<S>> inner_matrix, std::vector<double> shifts,
               const MultiShiftParameters& parameters) requires std::same_as<S, R>
      : MultiShiftCg(matrix, inner_matrix, inner_matrix, std::move(shifts), parameters) {}
  /// With `refining_matrix`, A in R.
  MultiShiftCg(Ref<LinearOperator<T>> matrix, Ref<LinearOperator<S>> inner_matrix,
               Ref<LinearOperator<R>> refining_matrix, std::vector<double> shifts,
               const MultiShiftParameters& parameters);

  /// x[s] = (A + sigma_s)^-1 b, in the order in which the shifts were given. Earlier values of `x` are ignored. A
  /// right-hand side that is zero has the solutions zero.
  ///
  /// Returns the results in the same order, with true residuals in T; `seconds` is the time of all shifts, and the
  /// `flops` of the smallest shift include the common ones. A shift whose true residual is above the tolerance although
  /// its iterated one is not continues alone, by `Cg` from its x. A right-hand side that fails in the sweep for another
  /// reason than rounding is not refined, unless the sweep is `inner`. The receiver of `request` gets the iterations of
  /// the sweep and of the solves after it, numbered through.
  ///
  /// Throws `Error` unless there is a field for each shift, for fields that do not fit, for a right-hand side that is
  /// not finite, and for a `request` of more than `progress`, `keep_history` and `iterations`, whose smallest number
  /// bounds all shifts.
  std::vector<SolveResult> solve(std::span<SpinorField<T>> x, const SpinorField<T>& b,
                                 const SolveRequest& request = {}) const;

  const std::vector<double>& shifts() const { return shifts_; }

 private:
  static constexpr bool mixed = !std::same_as<T, S>;

  std::vector<SolveResult> sweep(std::span<SpinorField<T>> x, const SpinorField<T>& b,
                                 const SolveRequest& request) const;
  /// Solves (A + sigma_s) x = b in T, starting from x, for the active right-hand sides.
  SolveResult refine(std::size_t s, SpinorField<T>& x, const SpinorField<T>& b, const SolveRequest& request) const;
  SolverParameters of_refinement(std::size_t s) const;

  std::vector<double> shifts_;       // as they were given
  std::vector<std::size_t> order_;   // order_[i]: the number of the i-th smallest
  std::vector<Shifted<T>> systems_;  // from the smallest shift to the largest
  std::vector<Shifted<S>> inner_systems_;
  std::vector<Shifted<R>> refining_systems_;
  std::vector<double> tolerances_;
  MultiShiftParameters parameters_;
};

}  // namespace kaon
