// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/blas_at_once.hpp"
#include "solvers/solve_state.hpp"

#include <kaon/core/error.hpp>
#include <kaon/solvers/mr.hpp>

#include <fmt/format.h>

namespace kaon {
namespace {

/// Below this, |<M r, r>| / (|M r| |r|) is rounding: no step along r makes the residual smaller, now or ever.
constexpr double breakdown_cosine = 1e-15;

/// alpha = omega <t, r> / |t|^2
struct StepRule {
  static constexpr int coefficients = 1;
  double omega;

  KOKKOS_INLINE_FUNCTION bool operator()(int, const double* sums, detail::Complex<double>* alpha) const {
    const double t_norm2 = sums[0];
    if (!(t_norm2 > 0.0)) return false;
    alpha[0] = (omega / t_norm2) * detail::Complex<double>{sums[1], sums[2]};
    return Kokkos::isfinite(norm2(alpha[0]));
  }
};

}  // namespace

template <class T>
Mr<T>::Mr(Ref<LinearOperator<T>> matrix, const MrParameters& parameters)
    : matrix_(std::move(matrix)),
      parameters_{.tolerance = parameters.tolerance,
                  .max_iterations = parameters.max_iterations,
                  .max_restarts = parameters.max_restarts,
                  .keep_history = parameters.keep_history,
                  .on_iteration = parameters.on_iteration},
      omega_(parameters.omega),
      steps_(parameters.steps) {
  require(omega_ > 0.0 && omega_ < 2.0,
          [&] { return fmt::format("minimal residuals need a relaxation omega between 0 and 2, got {}", omega_); });
  require(steps_ >= 1, [&] { return fmt::format("minimal residuals need at least one step, got {}", steps_); });
}

// Vectors read and written in an iteration beside one application of M:
//   t = M r, <t, r>, |t|^2               0, 0
//   x += alpha r, r -= alpha t, |r|^2    3, 2   in all 3 read, 2 written
template <class T>
SolveResult Mr<T>::solve(SpinorField<T>& x, const SpinorField<T>& b, std::span<const double> residual_norms) const {
  detail::SolveState<T> state(*matrix_, x, b, parameters_, residual_norms);
  const std::size_t n = state.size();
  const int right_hand_sides = b.right_hand_sides();
  detail::Temporaries<T> fields(b.lattice(), b.parameters(), 2);
  SpinorField<T>&r = fields[0], &t = fields[1];
  blas::Complexes alpha(n);
  blas::Reals r_norm2(n);

  // r = b - M x
  const auto start = [&](int first, int count) {
    SpinorField<T> r_k = r.range(first, count);
    const blas::Reals norm2 = state.residual(r_k, first);
    for (std::size_t k = 0; k < norm2.size(); ++k) r_norm2[static_cast<std::size_t>(first) + k] = norm2[k];
    return norm2;
  };
  state.begin(start(0, right_hand_sides));

  do {
    while (state.any_active()) {
      state.restart(start);

      const blas::Products of_t = matrix_->apply_with_products(t, r, {.with_x = true});  // t = M r
      for (std::size_t k = 0; k < n; ++k) {
        alpha[k] = 0.0;
        if (!detail::is_finite(of_t.y_norm2[k]) || !detail::is_finite(of_t.y_x[k])) {
          state.quarantine(k, {&r, &t});
        } else if (!state.active(k)) {
          continue;
        } else if (std::abs(of_t.y_x[k]) <= breakdown_cosine * std::sqrt(of_t.y_norm2[k] * r_norm2[k])) {
          state.stop(k, SolveStatus::breakdown);
        } else {
          alpha[k] = omega_ * of_t.y_x[k] / of_t.y_norm2[k];  // alpha = omega <t, r> / |t|^2
        }
      }
      r_norm2 = blas::relax_norm2(x, r, t, alpha);  // x = x + alpha r, r = r - alpha t

      state.count_applications(1);
      state.count_blas(6 + 8 + 2);
      state.record(r_norm2);
    }
  } while (state.check_true_residuals(t));
  return state.finish();
}

// Vectors read and written in a step beside one application of M:
//   t = M r, <t, r>, |t|^2       0, 0
//   x += alpha r, r -= alpha t   3, 2   in all 3 read, 2 written; 2 and 1 in the last, which needs no r
template <class T>
void Mr<T>::apply(SpinorField<T>& out, const SpinorField<T>& in) const {
  this->require_domain(out, in);
  if (scratch_.empty() || scratch_.front().right_hand_sides() != in.right_hand_sides()) {
    scratch_.clear();
    for (int field = 0; field < 2; ++field) scratch_.push_back(matrix_->make_field(in.right_hand_sides()));
  }
  SpinorField<T>&r = scratch_[0], &t = scratch_[1];
  blas::set_zero(out);
  blas::copy(r, in);
  const auto n = static_cast<std::size_t>(in.right_hand_sides());
  blas::Complexes alpha(n);
  for (int step = 1; step <= steps_; ++step) {
    detail::AtOnce relax{.enqueue = [&](detail::PartsOfSums& of_t) {
      const detail::ComputedCoefficients<1> computed = of_t.add(StepRule{omega_});
      if (step < steps_) {
        blas::relax(out, r, t, computed);
      } else {
        blas::caxpy(out, r, computed);
      }
    }};
    const bool at_once = detail::may_go_on_at_once(in.lattice(), n);
    const blas::Products of_t =
        matrix_->apply_with_products(t, r, {.with_x = true, .at_once = at_once ? &relax : nullptr});  // t = M r
    bool any = false;
    for (std::size_t k = 0; k < n; ++k) {
      alpha[k] = 0.0;
      if (relax.called() && relax.done[k]) continue;
      if (of_t.y_norm2[k] > 0.0) alpha[k] = omega_ * of_t.y_x[k] / of_t.y_norm2[k];
      any = any || alpha[k] != 0.0;
      if (detail::is_finite(of_t.y_norm2[k]) && detail::is_finite(alpha[k])) continue;
      alpha[k] = 0.0;
      for (SpinorField<T>* field : {&r, &t}) {
        SpinorField<T> of_k = detail::alone(*field, k);
        blas::set_zero(of_k);
      }
    }
    if (!any) continue;
    if (step < steps_) {
      blas::relax(out, r, t, alpha);  // x = x + alpha r, r = r - alpha t
    } else {
      blas::caxpy(out, r, alpha);
    }
  }
}

template class Mr<double>;
template class Mr<float>;
template class Mr<half>;

}  // namespace kaon
