// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "propagators/automatic_solver.hpp"

#include <kaon/core/error.hpp>
#include <kaon/core/message.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kaon::detail {
namespace {

constexpr const char* paid = "iterations have cost as much as the setup of multigrid, which is made now";
constexpr const char* failed = "iterations have failed in all precisions: multigrid is made now";

}  // namespace

template <class T>
AutomaticSolver<T>::AutomaticSolver(Methods methods, int max_iterations, std::shared_ptr<std::vector<int>> spent,
                                    const FallbackParameters& fallback)
    : methods_(std::move(methods)),
      max_iterations_(max_iterations),
      spent_(std::move(spent)),
      fallback_(fallback),
      krylov_(methods_.krylov.size()) {
  (void)krylov(0);  // what it refuses is refused at once
}

template <class T>
SolveResult AutomaticSolver<T>::solve(SpinorField<T>& x, const SpinorField<T>& b,
                                      std::span<const double> residual_norms) const {
  if (multigrid_ || (pays() && build(paid))) return (*multigrid_)->solve(x, b, residual_norms);
  const int n = b.right_hand_sides();
  spent_->resize(static_cast<std::size_t>(n));
  const SolveResult result = rung(0, n)->solve(x, b, residual_norms);
  count();
  return result;
}

template <class T>
const Solver<T>& AutomaticSolver<T>::krylov(std::size_t i) const {
  if (!krylov_[i]) krylov_[i] = methods_.krylov[i]();
  return **krylov_[i];
}

template <class T>
Ref<Solver<T>> AutomaticSolver<T>::rung(std::size_t i, int n) const {
  (void)krylov(i);
  const Ref<Solver<T>> solver = *krylov_[i];
  const bool highest = i + 1 == krylov_.size();
  const bool affordable = possible_ && max_iterations_ >= iterations_of_setup;
  const int share = highest ? left() : (left() + 1) / 2;  // the rest is for the next one
  const int until_it_pays = iterations_of_solve + (std::max(0, iterations_of_setup - lost_) + n - 1) / std::max(1, n);
  begin(n, possible_ ? std::min(share, until_it_pays) : share);
  if (highest && !affordable) return solver;
  const auto next = [this, i, n, highest] {
    count();
    if (pays() ? build(paid) : highest && build(failed)) return *multigrid_;
    return rung(highest ? i : i + 1, n);
  };
  return Fallback<T>(solver, next, fallback_);
}

template <class T>
bool AutomaticSolver<T>::build(const char* why) const {
  tell(why);
  try {
    multigrid_ = methods_.multigrid();
  } catch (const Error& error) {  // on all processes
    possible_ = false;
    tell(fmt::format("multigrid is not possible here, and iterations go on without: {}", error.what()));
  }
  return multigrid_.has_value();
}

template <class T>
int AutomaticSolver<T>::left() const {
  const int most = spent_->empty() ? 0 : *std::max_element(spent_->begin(), spent_->end());
  return std::max(1, max_iterations_ - most);
}

template <class T>
void AutomaticSolver<T>::begin(int n, int bound) const {
  begin_ = most_iterations - bound;
  methods_.krylov_iterations->assign(static_cast<std::size_t>(n), begin_);
}

template <class T>
void AutomaticSolver<T>::count() const {
  for (std::size_t k = 0; k < spent_->size(); ++k) {
    int& iterations = (*methods_.krylov_iterations)[k];
    const int taken = iterations - begin_;
    (*spent_)[k] += taken;
    lost_ += std::max(0, taken - iterations_of_solve);
    iterations = begin_;  // counted
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
