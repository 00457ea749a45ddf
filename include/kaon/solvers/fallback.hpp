// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/solvers/solver.hpp>

#include <functional>
#include <optional>
#include <string>

namespace kaon {

struct FallbackParameters {
  double tolerance = 1e-10;  ///< that of both solvers, on |b - M x| / |b|; between 0 and 1
  std::string how{};         ///< what the second solver does, for the notice: "in single precision"
  /// Called on all processes, once for each solve that falls back, with a sentence about it. By default that is a
  /// notice to the message handler of process 0 (`set_message_handler`).
  std::function<void(const std::string& notice)> on_fallback{};
};

/// Solves with one solver and, where that gives up, goes on with the next: a fast one of low inner precision and a
/// slower one that can do more.
///
/// Right-hand sides that have not converged are taken over, from the best x that was reached. Those out of iterations
/// are too: solvers that share `SolverParameters::iterations_spent` bound the sum, and the first should have a lower
/// `max_iterations` than the next. `SolveResult::RightHandSide::fallbacks` counts.
template <class T>
class Fallback final : public Solver<T> {
 public:
  /// `next` is called once, when its solver is needed: nothing is built for nothing. Both solvers must solve one
  /// operator; they are borrowed, or owned if they are temporaries: see `Ref`. Throws `Error` for an impossible
  /// tolerance.
  Fallback(Ref<Solver<T>> first, std::function<Ref<Solver<T>>()> next, const FallbackParameters& parameters);

  using Solver<T>::solve;
  SolveResult solve(SpinorField<T>& x, const SpinorField<T>& b, std::span<const double> residual_norms) const override;
  const LinearOperator<T>& solved_operator() const override { return first_->solved_operator(); }

 private:
  Ref<Solver<T>> first_;
  std::function<Ref<Solver<T>>()> make_next_;
  FallbackParameters parameters_;
  mutable std::optional<Ref<Solver<T>>> next_;
};

extern template class Fallback<double>;
extern template class Fallback<float>;

}  // namespace kaon
