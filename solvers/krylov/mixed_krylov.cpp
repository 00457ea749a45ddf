// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "solvers/contract/solve_state.hpp"
#include "solvers/contract/source_scale.hpp"

#include <kaon/solvers/krylov.hpp>

#include <utility>

namespace kaon {

template <class T, class S>
SolveResult MixedKrylov<T, S>::solve(SpinorField<T>& x, const SpinorField<T>& b, const SolveRequest& request) const {
  const detail::Targets targets = detail::make_targets(x, b, parameters_.tolerance, request);
  if (auto result = detail::solve_scaled<T, S>(*this, x, b, targets, request)) return std::move(*result);
  detail::SolveState<T, S> state(*matrix_, x, b, parameters_, request, targets);
  return run(state);
}

template class MixedKrylov<double, double>;
template class MixedKrylov<float, float>;
template class MixedKrylov<half, half>;
template class MixedKrylov<double, float>;
template class MixedKrylov<double, half>;
template class MixedKrylov<float, half>;

}  // namespace kaon
