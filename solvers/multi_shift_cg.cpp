// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "solvers/shift_numbers.hpp"
#include "solvers/solve_state.hpp"

#include <kaon/core/error.hpp>
#include <kaon/solvers/multi_shift_cg.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <numeric>
#include <tuple>
#include <utility>

namespace kaon {
namespace {

// Vectors read and written in an iteration with n shifts running, beside one application of A + sigma_0:
//   <p_0, A p_0>                                       2, 0
//   r -= alpha A p_0, |r|^2                            2, 1
//   x_s += alpha_s p_s, p_s = zeta_s r + beta_s p_s    2n + 1 for n <= 4, 2n   in all 2n + 5 read, 2n + 1 written
template <class T>
struct ShiftedSolve {
  const std::vector<Shifted<T>>& systems;  // from the smallest shift to the largest
  std::vector<SpinorField<T>> x, p;
  std::deque<detail::SolveState<T>> states;
  detail::SolveState<T>& base;
  SpinorField<T> r, ap;
  blas::Reals r_norm2;
  detail::ShiftNumbers numbers;

  /// r = p_s = b, x_s = 0
  ShiftedSolve(const std::vector<Shifted<T>>& of, std::span<SpinorField<T>* const> given, const SpinorField<T>& b,
               const SolverParameters& parameters, const SolverParameters& silent)
      : systems(of),
        base(states.emplace_back(of[0], *given[0], b, parameters, std::span<const double>{})),
        r(of[0].make_field(b.right_hand_sides())),
        ap(of[0].make_field(b.right_hand_sides())),
        numbers(of.size(), static_cast<std::size_t>(b.right_hand_sides())) {
    blas::copy(r, b);
    r_norm2 = blas::norm2(r);
    for (std::size_t s = 0; s < of.size(); ++s) {
      if (s > 0) states.emplace_back(of[s], *given[s], b, silent, std::span<const double>{});
      x.push_back(given[s]->range(0, b.right_hand_sides()));
      blas::set_zero(x[s]);
      p.push_back(of[s].make_field(b.right_hand_sides()));
      blas::copy(p[s], b);
      states[s].begin(r_norm2);
    }
  }
  void stop(std::size_t k, SolveStatus status) {
    for (detail::SolveState<T>& state : states) {
      if (state.active(k)) state.stop(k, status);
    }
  }
  void discard(std::size_t k) {
    stop(k, SolveStatus::not_a_number);
    base.discard(k, {&r, &ap});
    for (SpinorField<T>& p_s : p) base.discard(k, {&p_s});
  }
  /// One iteration of the first `running` shifts.
  void iterate(std::size_t running) {
    const std::size_t n = r_norm2.size();
    blas::Reals alpha(n), beta(n);
    systems[0].apply(ap, p[0]);  // (A + sigma_0) p_0
    const blas::Complexes p_ap = blas::inner_product(p[0], ap);
    for (std::size_t k = 0; k < n; ++k) {
      if (!detail::is_finite(p_ap[k])) {
        discard(k);
      } else if (base.active(k) && p_ap[k].real() <= 0.0) {
        stop(k, SolveStatus::breakdown);  // A + sigma_0 is not positive
      } else if (base.active(k)) {
        alpha[k] = r_norm2[k] / p_ap[k].real();  // alpha = |r|^2 / <p_0, A p_0>
      }
    }
    const blas::Reals norm2 = blas::axpy_norm2(r, ap, -blas::Scalars(alpha));  // r = r - alpha A p_0
    for (std::size_t k = 0; k < n; ++k) {
      if (!detail::is_finite(norm2[k])) discard(k);
      beta[k] = base.active(k) ? norm2[k] / r_norm2[k] : 0.0;  // beta = |r|^2 new / old
    }
    for (std::size_t s = 0; s < running; ++s) {
      numbers.advance(s, systems[s].shift() - systems[0].shift(), alpha, beta, states[s]);
    }
    blas::multi_shift_cg_update<T>(std::span(x).first(running), std::span(p).first(running), r,
                                   std::span(numbers.alpha).first(running), std::span(numbers.beta).first(running),
                                   std::span(numbers.zeta_of_running).first(running));
    base.count_applications(1);
    base.count_blas(4 + 4);
    for (std::size_t s = 0; s < running; ++s) {
      states[s].count_blas(5);
      states[s].record(numbers.norm2_of(s, norm2));
    }
    r_norm2 = norm2;
    std::tie(numbers.last_alpha, numbers.last_beta) = std::tie(alpha, beta);
  }
};

}  // namespace

template <class T>
MultiShiftCg<T>::MultiShiftCg(Ref<LinearOperator<T>> matrix, std::vector<double> shifts,
                              const SolverParameters& parameters)
    : shifts_(std::move(shifts)), order_(shifts_.size()), parameters_(parameters) {
  require(!shifts_.empty(), "a multi-shift solver needs at least one shift");
  for (std::size_t s = 0; s < shifts_.size(); ++s) {
    require(shifts_[s] >= 0.0 && detail::is_finite(shifts_[s]), [&] {
      return fmt::format(
          "shift {} is {}: it must be a number that is not negative, or A + sigma need not be positive: shift the "
          "operator first",
          s, shifts_[s]);
    });
  }
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::stable_sort(order_.begin(), order_.end(), [&](auto a, auto b) { return shifts_[a] < shifts_[b]; });
  for (const std::size_t s : order_) systems_.emplace_back(matrix, shifts_[s]);
  parameters_.max_restarts = 0;
}

template <class T>
std::vector<SolveResult> MultiShiftCg<T>::solve(std::span<SpinorField<T>> x, const SpinorField<T>& b) const {
  require(x.size() == shifts_.size(),
          [&] { return fmt::format("{} fields were given for {} shifts", x.size(), shifts_.size()); });
  SolverParameters silent = parameters_;
  silent.on_iteration = {};
  std::vector<SpinorField<T>*> ordered;
  for (const std::size_t s : order_) ordered.push_back(&x[s]);
  ShiftedSolve<T> solve(systems_, ordered, b, parameters_, silent);

  // Larger shifts converge first: those that run are the first ones.
  for (std::size_t running = shifts_.size(); running > 0;) {
    if (solve.states[running - 1].any_active()) {
      solve.iterate(running);
    } else {
      --running;
    }
  }
  std::vector<SolveResult> results(shifts_.size());
  for (std::size_t s = 0; s < shifts_.size(); ++s) {
    solve.states[s].check_true_residuals(solve.ap);
    results[order_[s]] = solve.states[s].finish();
  }
  return results;
}

template class MultiShiftCg<double>;
template class MultiShiftCg<float>;

}  // namespace kaon
