// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/error.hpp>
#include <kaon/core/ref.hpp>
#include <kaon/core/spinor_field.hpp>
#include <kaon/operators/linear_operator.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <source_location>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace kaon {

/// Called after each iteration with its number and the relative iterated residuals of all right-hand sides; returns
/// whether the solve continues. If it returns false, right-hand sides that have not converged are `stopped`, and their
/// x is the best one so far, as for all right-hand sides that fail. All processes have a receiver, or none has. False
/// on any process ends the solve on all of them, after at most seven more iterations, which that process does not
/// report. No process may leave a receiver by an exception alone.
using OnIteration = std::function<bool(int iteration, std::span<const double> residuals)>;

/// Reports the iterations of a solve to a receiver. Solvers pass it on to the solvers within them, adapted by the
/// functions below, so that the receiver sees the iterations and residuals of the outermost solve.
class Progress {
 public:
  /// No receiver.
  Progress() = default;
  template <std::convertible_to<OnIteration> Receiver>
  Progress(Receiver receiver) : receiver_(std::move(receiver)) {}
  /// Ends a solve after its first iteration.
  static Progress ending() {
    return [](int, std::span<const double>) { return false; };
  }

  explicit operator bool() const { return receiver_ != nullptr; }
  /// Calls the receiver, with residuals of the outermost solve.
  bool report(int iteration, std::span<const double> residuals) const {
    return receiver_(count_ ? ++*count_ : iteration, residuals);
  }
  /// Residuals of the outermost solve from those of the solve that this object was passed to.
  std::vector<double> of_whole(std::span<const double> residuals) const;

  /// Numbers the iterations of several solves 1, 2, ... through all of them.
  Progress counted() const;
  /// For a solve of corrections: right-hand side k has the length `norm[k]`, while it has `source_norm[k]` in this
  /// solve. The residuals of right-hand sides that are not `active` are 1; empty: all are active.
  Progress narrowed(std::vector<double> norm, std::vector<double> source_norm, std::vector<bool> active = {}) const;
  /// For right-hand sides [first, first + count).
  Progress range(int first, int count) const;

 private:
  struct Part {
    std::vector<double> norm, source_norm;
    std::vector<bool> active;
  };

  OnIteration receiver_{};
  std::shared_ptr<int> count_{};
  std::vector<Part> parts_{};  // from the outermost solve inwards
};

/// How the solve of one right-hand side ended.
enum class SolveStatus {
  converged,       ///< the true residual reached the tolerance
  max_iterations,  ///< it ran out of iterations
  stagnated,       ///< the true residual stopped improving above the tolerance
  breakdown,       ///< the method's recurrence divided by zero, also after restarts; or the operator is not positive
  not_a_number,    ///< NaN or infinity appeared
  stopped          ///< `on_iteration` ended the solve
};

/// "converged", "ran out of iterations", ...
std::string to_string(SolveStatus status);

/// Constructors of solvers refuse values outside the ranges that are stated here.
struct SolverParameters {
  /// Between 0 and 1: on the relative residual |b - M x| / |b|, in the operator's precision.
  double tolerance = 1e-10;
  int max_iterations = 10000;  ///< for each right-hand side, at least 1
  /// From the true residual, after breakdowns or where it lags behind the iterated one; not negative.
  int max_restarts = 10;
  /// Mixed precision: the true residual is computed, and the solution collected, in the outer precision when the
  /// iterated residual has fallen by this factor, between 0 and 1 (Clark et al., arXiv:0911.3191, section 6). See
  /// docs/precision.md.
  double reliable_delta = 0.1;
  /// Mixed precision: iterations without a lower true residual, at least 1, after which it has stagnated.
  int max_iterations_without_progress = 2000;
};

struct SolveResult;

/// Requests for one solve, for each right-hand side. Solvers pass it to their inner solvers, restricted to the
/// right-hand sides and iterations that remain.
struct SolveRequest {
  std::vector<double> residual_norms{};  ///< |b - M x| that is small enough; empty: `Solver::tolerance` times |b|
  std::vector<bool> active{};     ///< false: x is not changed, and the status is `converged`; empty: all are active
  std::vector<int> iterations{};  ///< that are allowed below the solver's `max_iterations`; empty: those
  Progress progress{};
  bool keep_history = false;  ///< fill `SolveResult::history`

  /// Throws `Error` unless each list is empty or has n entries, one for each right-hand side.
  void require_length(std::size_t n) const;
  bool is_active(std::size_t k) const { return active.empty() || active[k]; }
  /// The iterations that right-hand side k may take, of a solver that allows `most`.
  int allowed(std::size_t k, int most) const { return iterations.empty() ? most : std::min(most, iterations[k]); }
  /// The request of right-hand sides [first, first + count).
  SolveRequest range(int first, int count) const;
  /// The request with a bound on the iterations of each of n right-hand sides. Throws as `require_length`.
  SolveRequest bounded(std::size_t n, int most) const;
  /// The request with the iterations left after `done`.
  SolveRequest after(const SolveResult& done) const;
};

/// Result of a solve, for each right-hand side.
struct SolveResult {
  struct RightHandSide {
    SolveStatus status = SolveStatus::max_iterations;
    int iterations = 0;
    int restarts = 0;
    int fallbacks = 0;                ///< times that a solver of higher precision had to continue (`Fallback`)
    double iterated_residual = 0.0;   ///< |r| / |b| of the method's recurrence
    double true_residual = 0.0;       ///< |b - M x| / |b|, from x at the end, with the solved operator in its precision
    double error_per_residual = 0.0;  ///< estimate of |x - M^-1 b| / |b - M x|; 0: there is none
    double error = 0.0;               ///< estimate of |x - M^-1 b| / |x|, see docs/precision.md
    /// The solve was too short for an estimate that covers: the error may be larger than `error`.
    bool error_at_least = true;
  };
  std::vector<RightHandSide> right_hand_sides;
  std::vector<std::vector<double>> history;  ///< [iteration][right-hand side], relative iterated residuals
  bool stopped = false;  ///< by `on_iteration`; right-hand sides that have converged are not `SolveStatus::stopped`
  int reliable_updates = 0;
  double seconds = 0.0;
  double flops = 0.0;  ///< of operators and vector operations

  /// Adds a solve that continued from the end of this one, or restarted, for the right-hand sides that are active in
  /// `request`: counts are summed, status and residuals are those of `more`.
  void append(const SolveResult& more, const SolveRequest& request);
  /// Adds a solve of another part of the same systems, on the other parity, say: counts are summed, residuals are the
  /// larger ones, and a failure of either is recorded, as is the lack of an estimate of the error.
  void append_part(const SolveResult& more);
  /// Adds a solve of further right-hand sides.
  void append_right_hand_sides(const SolveResult& more);

  bool converged() const;
  int iterations() const;        ///< the most of any right-hand side
  double true_residual() const;  ///< the largest
  double error() const;          ///< the largest estimate; 0 where a right-hand side has none
  double gflops() const { return seconds > 0.0 ? flops * 1e-9 / seconds : 0.0; }
};

/// A solve that did not reach its tolerance, or that cannot, since its parameters are for other eigenvalues.
class SolveError : public Error {
 public:
  explicit SolveError(const std::string& message, std::source_location where = std::source_location::current())
      : Error(message, where) {}
};

/// Throws `SolveError`, naming the right-hand sides, their status and residuals, unless all have converged.
void require_converged(const SolveResult& result);

namespace detail {

/// Throws `Error` unless the tolerance on |b - M x| / |b| lies between 0 and 1. At 1 a solution of zero would do.
void require_tolerance(double tolerance);
/// Throws `Error` unless reliable updates can follow a fall of the residual by this factor.
void require_reliable_delta(double delta);
/// Throws `Error` for a tolerance or bounds outside the ranges of `SolverParameters`.
void require_bounds(const SolverParameters& parameters);

/// Throws `Error` unless the two operators act on fields of one shape and one lattice.
template <class T, class S>
void require_same_domain(const LinearOperator<T>& matrix, const LinearOperator<S>& inner) {
  require(matrix.domain() == inner.domain() && matrix.lattice() == inner.lattice(),
          "the operators of a mixed-precision solver must act on fields of the same shape and lattice");
}

}  // namespace detail

/// x = M^-1 b for an operator M; itself an operator, so that solvers nest.
template <class T>
class Solver : public LinearOperator<T> {
 public:
  /// Solves M x = b, starting from the values in `x`. Not converging is a result, not an exception: x is then the best
  /// of zero and of those of which the solver has computed the true residual.
  /// A right-hand side that is zero has the solution zero, with residual 0 and no iteration, and a notice.
  /// Throws `Error` for a right-hand side that is not finite, and for fields that do not fit the operator.
  SolveResult solve(SpinorField<T>& x, const SpinorField<T>& b) const;

  /// Solves with the demands of `request`: for solvers within solvers. Throws `Error` for |b| that is neither zero nor
  /// within 1e-140 and 1e140, to which the other `solve` scales, and for lists of another length, unless empty.
  virtual SolveResult solve(SpinorField<T>& x, const SpinorField<T>& b, const SolveRequest& request) const = 0;

  virtual const LinearOperator<T>& solved_operator() const = 0;
  /// On |b - M x| / |b|, where a request names no residual norms.
  virtual double tolerance() const = 0;
  /// Whether right-hand sides need less work together than each by itself: then only the memory is a reason to split
  /// them.
  virtual bool shares_work() const { return false; }

  /// out = M^-1 in, from zero, as far as the solver gets: `solve` reports how far.
  void apply(SpinorField<T>& out, const SpinorField<T>& in) const override;
  const Lattice& lattice() const override { return solved_operator().lattice(); }
  SpinorParameters domain() const override { return solved_operator().domain(); }
};

/// sqrt(mean_x |r(x)|^2 / |x(x)|^2) over the sites that the fields hold, for each right-hand side; r is the residual
/// b - M x of a solution x. Heavy quarks, whose solutions fall by many orders of magnitude from the source on, are
/// solved for everywhere if it is small, not only where |x| is large. A site with x(x) = 0 counts as 1, as in MILC and
/// QUDA. Collective; the digits do not depend on lanes and threads. Throws `Error` for fields of different shapes.
template <class T>
std::vector<double> heavy_quark_residual(const SpinorField<T>& residual, const SpinorField<T>& solution);

}  // namespace kaon
