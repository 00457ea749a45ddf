// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "propagators/automatic_solver.hpp"

#include <kaon/core/error.hpp>
#include <kaon/core/message.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kaon::detail {

template <class T>
AutomaticSolver<T>::AutomaticSolver(Methods methods, int max_iterations, std::shared_ptr<std::vector<int>> spent,
                                    const FallbackParameters& fallback)
    : methods_(std::move(methods)), max_iterations_(max_iterations), spent_(std::move(spent)), fallback_(fallback) {}

template <class T>
SolveResult AutomaticSolver<T>::solve(SpinorField<T>& x, const SpinorField<T>& b,
                                      std::span<const double> residual_norms) const {
  if (multigrid_ || (pays() && build())) return (*multigrid_)->solve(x, b, residual_norms);
  const int n = b.right_hand_sides();
  spent_->resize(static_cast<std::size_t>(n));
  const int before = n > 0 ? *std::max_element(spent_->begin(), spent_->end()) : 0;
  const int allowed = std::max(1, max_iterations_ - before);
  const int until_it_pays = iterations_of_solve + (iterations_of_setup - lost_ + n - 1) / std::max(1, n);
  const int half_of_allowed = (allowed + 1) / 2;  // the rest is for the next one
  const int bound = possible_ ? std::min(half_of_allowed, until_it_pays) : half_of_allowed;
  const int begin = most_iterations - bound;
  methods_.krylov_iterations->assign(static_cast<std::size_t>(n), begin);

  bool counted = false;
  const auto next = [&] {
    count(begin);
    counted = true;
    return pays() && build() ? *multigrid_ : methods_.next();
  };
  const SolveResult result = Fallback<T>(methods_.krylov, next, fallback_).solve(x, b, residual_norms);
  if (!counted) count(begin);
  return result;
}

template <class T>
bool AutomaticSolver<T>::build() const {
  tell("iterations have cost as much as the setup of multigrid, which is made now");
  try {
    multigrid_ = methods_.multigrid();
  } catch (const Error& error) {  // on all processes
    possible_ = false;
    tell(fmt::format("multigrid is not possible here, and iterations go on without: {}", error.what()));
  }
  return multigrid_.has_value();
}

template <class T>
void AutomaticSolver<T>::count(int begin) const {
  for (std::size_t k = 0; k < spent_->size(); ++k) {
    const int iterations = (*methods_.krylov_iterations)[k] - begin;
    (*spent_)[k] += iterations;
    lost_ += std::max(0, iterations - iterations_of_solve);
  }
}

template <class T>
void AutomaticSolver<T>::tell(const std::string& notice) const {
  if (fallback_.on_fallback) return fallback_.on_fallback(notice);
  if (this->lattice().communicator().rank() == 0) detail::tell(MessageKind::notice, notice);
}

template class AutomaticSolver<double>;
template class AutomaticSolver<float>;

}  // namespace kaon::detail
