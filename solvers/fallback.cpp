// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "solvers/solve_state.hpp"

#include <kaon/core/error.hpp>
#include <kaon/core/message.hpp>
#include <kaon/solvers/fallback.hpp>

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>

namespace kaon {
template <class T>
Fallback<T>::Fallback(Ref<Solver<T>> first, std::function<Ref<Solver<T>>()> next, const FallbackParameters& parameters)
    : first_(std::move(first)), make_next_(std::move(next)), parameters_(parameters) {
  require(make_next_ != nullptr, "a fallback needs a solver to fall back to");
  detail::require_tolerance(parameters.tolerance);
}

template <class T>
SolveResult Fallback<T>::solve(SpinorField<T>& x, const SpinorField<T>& b,
                               std::span<const double> residual_norms) const {
  SolveResult total = first_->solve(x, b, residual_norms);
  const std::size_t n = total.right_hand_sides.size();
  std::vector<double> target = detail::make_targets(x, b, parameters_.tolerance, residual_norms).residual_norm;
  std::size_t failed = 0;
  std::string reason;
  for (std::size_t k = 0; k < n; ++k) {
    const auto& r = total.right_hand_sides[k];
    if (r.status != SolveStatus::converged) {
      reason = fmt::format("{} at a residual of {:.1e} after {} iterations", to_string(r.status), r.true_residual,
                           r.iterations);
      ++failed;
    } else {
      target[k] = std::numeric_limits<double>::infinity();  // any x will do: there is nothing left to be done
    }
  }
  if (failed == 0) return total;
  const std::string notice =
      fmt::format("{} of {} right-hand sides did not converge ({}): going on {}", failed, n, reason, parameters_.how);
  if (parameters_.on_fallback) {
    parameters_.on_fallback(notice);
  } else if (this->lattice().communicator().rank() == 0) {
    detail::tell(MessageKind::notice, notice);
  }

  this->lattice().release_memory();  // of the solver that gave up: the next one needs its own
  if (!next_) next_ = make_next_();
  const Solver<T>& next = **next_;
  require(&next.solved_operator() == &first_->solved_operator(), "both solvers of a fallback must solve one operator");
  const SolveResult rest = next.solve(x, b, target);
  for (std::size_t k = 0; k < n; ++k) {
    if (std::isinf(target[k])) continue;
    auto& r = total.right_hand_sides[k];
    const auto& more = rest.right_hand_sides[k];
    r.status = more.status;
    r.iterations += more.iterations;
    r.restarts += more.restarts;
    r.fallbacks += 1 + more.fallbacks;
    r.iterated_residual = more.iterated_residual;
    r.true_residual = more.true_residual;
  }
  total.history.insert(total.history.end(), rest.history.begin(), rest.history.end());
  total.reliable_updates += rest.reliable_updates;
  total.seconds += rest.seconds;
  total.flops += rest.flops;
  return total;
}

template class Fallback<double>;
template class Fallback<float>;

}  // namespace kaon
