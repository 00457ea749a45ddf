// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/solvers/solver.hpp>

#include <functional>
#include <optional>
#include <string>

namespace kaon {

struct FallbackParameters {
  double share = 0.5;  ///< of the iterations that a request allows, for the first solver; between 0 and 1
  std::string how{};   ///< what the second solver does, for the notice: "in single precision"
  /// Called on all processes, once for each solve that falls back, with a sentence about it. By default that is a
  /// notice to the message handler of process 0 (`set_message_handler`).
  std::function<void(const std::string& notice)> on_fallback{};
};

namespace detail {

/// Passes a notice to `on_fallback`, or without it to the message handler of process 0.
void tell_fallback(const FallbackParameters& parameters, const Lattice& lattice, const std::string& notice);

/// The part of `request` left to the next solver after `done`: the right-hand sides that have not converged and the
/// iterations that remain; no value if all have converged or the solve was stopped. Reports the fallback and counts
/// it.
std::optional<SolveRequest> taken_over(SolveResult& done, const SolveRequest& request,
                                       const FallbackParameters& parameters, const Lattice& lattice);

/// Continues with `solver` from x, the solution of `done`. If a right-hand side does not converge, its x is the better
/// of both: a solver does not compute the residual of its initial x.
template <class T>
SolveResult go_on(const SolveResult& done, const Solver<T>& solver, SpinorField<T>& x, const SpinorField<T>& b,
                  const SolveRequest& request);

}  // namespace detail

/// Solves with a fast solver of low inner precision and, for right-hand sides that it does not solve, with a slower and
/// more robust one.
///
/// The second solver continues from the best x of each right-hand side that has not converged, also of those out of
/// iterations. If it fails, too, x is the better of both. `SolveResult::RightHandSide::fallbacks` counts.
template <class T>
class Fallback final : public Solver<T> {
 public:
  /// `next` is called once, when its solver is needed: nothing is built for nothing. Both solvers must solve one
  /// operator; they are borrowed, or owned if they are temporaries: see `Ref`, and should have one tolerance. Throws
  /// `Error` for an impossible share.
  Fallback(Ref<Solver<T>> first, std::function<Ref<Solver<T>>()> next, const FallbackParameters& parameters);

  using Solver<T>::solve;
  SolveResult solve(SpinorField<T>& x, const SpinorField<T>& b, const SolveRequest& request) const override;
  const LinearOperator<T>& solved_operator() const override { return first_->solved_operator(); }
  double tolerance() const override { return first_->tolerance(); }

 private:
  Ref<Solver<T>> first_;
  std::function<Ref<Solver<T>>()> make_next_;
  FallbackParameters parameters_;
  mutable std::optional<Ref<Solver<T>>> next_;
};

extern template class Fallback<double>;
extern template class Fallback<float>;

}  // namespace kaon
