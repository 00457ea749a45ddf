// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quarks/automatic_solver.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kaon::detail {
namespace {

constexpr const char* paid = "iterations have cost as much as the setup of multigrid, which is made now";
constexpr const char* failed = "iterations have failed in all precisions: multigrid is made now";

}  // namespace

template <class T>
AutomaticSolver<T>::AutomaticSolver(Methods methods, const MultigridPrice& price, int max_iterations,
                                    const FallbackParameters& fallback)
    : methods_(std::move(methods)),
      price_(price),
      max_iterations_(max_iterations),
      fallback_(fallback),
      krylov_(methods_.krylov.size()) {
  (void)krylov(0);  // what it refuses is refused at once
}

template <class T>
SolveResult AutomaticSolver<T>::solve(SpinorField<T>& x, const SpinorField<T>& b, const SolveRequest& request) const {
  if (multigrid_ || (pays() && build(paid))) return (*multigrid_)->solve(x, b, request);
  const int n = std::max(1, b.right_hand_sides());
  const SolveRequest whole = request.bounded(static_cast<std::size_t>(n), max_iterations_);
  SolveResult total;
  SolveRequest rest = whole;
  for (std::size_t i = 0, last = krylov_.size() - 1;; i = std::min(i + 1, last)) {
    const int until_it_pays = price_.until_it_pays(price_.iterations_of_setup - lost_, n);
    SolveRequest now = rest;
    for (int& bound : now.iterations) {
      if (i < last) bound = (bound + 1) / 2;  // the rest is for the next precision
      if (possible_) bound = std::min(bound, until_it_pays);
    }
    const SolveResult done = go_on(total, krylov(i), x, b, now);
    total.append(done, now);
    lost_ += price_.lost(done);
    const bool builds = pays() || (possible_ && i == last && max_iterations_ >= price_.iterations_of_setup);
    if (total.converged() || total.stopped || (i == last && !builds)) return total;
    rest = *taken_over(total, whole, fallback_, this->lattice());
    if (builds && build(pays() ? paid : failed)) {
      rest.iterations = request.iterations;  // those of multigrid are others
      total.append(go_on<T>(total, **multigrid_, x, b, rest), rest);
      return total;
    }
  }
}

template <class T>
const Solver<T>& AutomaticSolver<T>::krylov(std::size_t i) const {
  if (!krylov_[i]) krylov_[i] = methods_.krylov[i]();
  return **krylov_[i];
}

template <class T>
bool AutomaticSolver<T>::build(const char* why) const {
  tell_fallback(fallback_, this->lattice(), why);
  try {
    multigrid_ = methods_.multigrid();
  } catch (const Error& error) {  // on all processes
    possible_ = false;
    tell_fallback(fallback_, this->lattice(),
                  fmt::format("multigrid is not possible here, and iterations go on without: {}", error.what()));
  }
  return multigrid_.has_value();
}

template class AutomaticSolver<double>;
template class AutomaticSolver<float>;

}  // namespace kaon::detail
