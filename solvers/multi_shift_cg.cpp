// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "solvers/solve_state.hpp"

#include <kaon/core/error.hpp>
#include <kaon/solvers/multi_shift_cg.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <numeric>
#include <utility>

namespace kaon {

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

// Vectors read and written in an iteration with n shifts running, beside one application of A + sigma_0:
//   <p_0, A p_0>                                       2, 0
//   r -= alpha A p_0, |r|^2                            2, 1
//   x_s += alpha_s p_s, p_s = zeta_s r + beta_s p_s    2n + 1 for n <= 4, 2n   in all 2n + 5 read, 2n + 1 written
template <class T>
std::vector<SolveResult> MultiShiftCg<T>::solve(std::span<SpinorField<T>> x_given, const SpinorField<T>& b) const {
  require(x_given.size() == shifts_.size(),
          [&] { return fmt::format("{} fields were given for {} shifts", x_given.size(), shifts_.size()); });
  const std::size_t shifts = shifts_.size();
  const int right_hand_sides = b.right_hand_sides();
  const auto n = static_cast<std::size_t>(right_hand_sides);
  SolverParameters silent = parameters_;
  silent.on_iteration = {};
  std::vector<SpinorField<T>> x, p;
  std::deque<detail::SolveState<T>> states;
  for (std::size_t s = 0; s < shifts; ++s) {
    SpinorField<T>& given = x_given[order_[s]];
    states.emplace_back(systems_[s], given, b, s == 0 ? parameters_ : silent, std::span<const double>{});
    x.push_back(given.range(0, right_hand_sides));
    blas::set_zero(x[s]);
  }
  detail::SolveState<T>& base = states.front();

  // r = p_s = b, zeta_s = 1; ratio_s is zeta_s over that of the iteration before.
  SpinorField<T> r = systems_[0].make_field(right_hand_sides), ap = systems_[0].make_field(right_hand_sides);
  blas::copy(r, b);
  blas::Reals r_norm2 = blas::norm2(r);
  for (std::size_t s = 0; s < shifts; ++s) {
    p.push_back(systems_[s].make_field(right_hand_sides));
    blas::copy(p[s], b);
    states[s].begin(r_norm2);
  }
  blas::Reals alpha(n), minus_alpha(n), last_alpha(n, 1.0), beta(n), last_beta(n, 0.0);
  std::vector<blas::Reals> zeta(shifts, blas::Reals(n, 1.0)), ratio = zeta, alpha_s(shifts, blas::Reals(n)),
                                                              beta_s = alpha_s, zeta_s = alpha_s;

  const auto stop = [&](std::size_t k, SolveStatus status) {
    for (detail::SolveState<T>& state : states) {
      if (state.active(k)) state.stop(k, status);
    }
  };
  const auto quarantine = [&](std::size_t k) {
    stop(k, SolveStatus::not_a_number);
    base.quarantine(k, {&r, &ap});
    for (SpinorField<T>& p_s : p) base.quarantine(k, {&p_s});
  };

  // Larger shifts converge first: those that run are the first ones.
  std::size_t running = shifts;
  while (true) {
    while (running > 0 && !states[running - 1].any_active()) --running;
    if (running == 0) break;

    systems_[0].apply(ap, p[0]);  // (A + sigma_0) p_0
    const blas::Complexes p_ap = blas::inner_product(p[0], ap);
    for (std::size_t k = 0; k < n; ++k) {
      alpha[k] = 0.0;
      if (!detail::is_finite(p_ap[k])) {
        quarantine(k);
      } else if (!base.active(k)) {
        continue;
      } else if (p_ap[k].real() <= 0.0) {
        stop(k, SolveStatus::breakdown);  // A + sigma_0 is not positive
      } else {
        alpha[k] = r_norm2[k] / p_ap[k].real();  // alpha = |r|^2 / <p_0, A p_0>
      }
      minus_alpha[k] = -alpha[k];
    }
    const blas::Reals norm2 = blas::axpy_norm2(r, ap, minus_alpha);  // r = r - alpha A p_0
    for (std::size_t k = 0; k < n; ++k) {
      if (!detail::is_finite(norm2[k])) quarantine(k);
      beta[k] = base.active(k) ? norm2[k] / r_norm2[k] : 0.0;  // beta = |r|^2 new / old
    }

    // zeta_s = ratio_s zeta_s, 1 / ratio_s = 1 + (sigma_s - sigma_0) alpha + (1 - last ratio_s) alpha beta' / alpha',
    // a prime for the iteration before; alpha_s = ratio_s alpha, beta_s = ratio_s^2 beta
    for (std::size_t s = 0; s < running; ++s) {
      const double difference = systems_[s].shift() - systems_[0].shift();
      for (std::size_t k = 0; k < n; ++k) {
        alpha_s[s][k] = beta_s[s][k] = zeta_s[s][k] = 0.0;
        if (!states[s].active(k)) continue;
        ratio[s][k] =
            1.0 / (1.0 + difference * alpha[k] + (1.0 - ratio[s][k]) * alpha[k] * last_beta[k] / last_alpha[k]);
        zeta[s][k] *= ratio[s][k];
        alpha_s[s][k] = ratio[s][k] * alpha[k];
        beta_s[s][k] = ratio[s][k] * ratio[s][k] * beta[k];
        zeta_s[s][k] = zeta[s][k];
      }
    }
    // x_s = x_s + alpha_s p_s, p_s = zeta_s r + beta_s p_s
    blas::advance_shifts<T>(std::span(x).first(running), std::span(p).first(running), r,
                            std::span(alpha_s).first(running), std::span(beta_s).first(running),
                            std::span(zeta_s).first(running));

    base.count_applications(1);
    base.count_blas(4 + 4);
    for (std::size_t s = 0; s < running; ++s) {
      states[s].count_blas(5);
      blas::Reals norm2_s(n);
      for (std::size_t k = 0; k < n; ++k) norm2_s[k] = zeta[s][k] * zeta[s][k] * norm2[k];
      states[s].record(norm2_s);
    }
    r_norm2 = norm2;
    last_alpha = alpha;
    last_beta = beta;
  }

  std::vector<SolveResult> results(shifts);
  for (std::size_t s = 0; s < shifts; ++s) {
    states[s].check_true_residuals(ap);
    results[order_[s]] = states[s].finish();
  }
  return results;
}

template class MultiShiftCg<double>;
template class MultiShiftCg<float>;

}  // namespace kaon
