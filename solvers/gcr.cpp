// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "solvers/solve_state.hpp"

#include <kaon/core/error.hpp>
#include <kaon/solvers/gcr.hpp>

#include <fmt/format.h>

#include <limits>
#include <utility>

namespace kaon {
namespace {

using Columns = std::vector<blas::Complexes>;  // [direction][right-hand side]

/// Classical Gram-Schmidt leaves z with parts of the other directions that are a rounding of M p. Where z has less than
/// this of |M p|^2, they are more than ten roundings of z, and it is orthogonalised again.
constexpr double reorthogonalise_below = 0.01;
/// Where z has less than this of |M p|, M p lies in the space of the other directions, and z is rounding.
template <class T>
constexpr double dependent_below = 32.0 * detail::spacing<T>();

/// The coefficients chi of x += sum_m chi_m p_m by which r has lost sum_m alpha_m z_m, from
///   M p_m = z_m + sum_{j<m} beta_mj z_j,  so that  chi_j = alpha_j - sum_{m>j} beta_mj chi_m.
Columns substitute_back(const Columns& alpha, const std::vector<Columns>& beta) {
  Columns chi = alpha;
  for (std::size_t j = chi.size(); j-- > 0;) {
    for (std::size_t m = j + 1; m < chi.size(); ++m) {
      for (std::size_t k = 0; k < chi[j].size(); ++k) chi[j][k] -= beta[m][j][k] * chi[m][k];
    }
  }
  return chi;
}

}  // namespace

template <class T>
Gcr<T>::Gcr(Ref<LinearOperator<T>> matrix, const GcrParameters& parameters)
    : matrix_(std::move(matrix)),
      parameters_{.tolerance = parameters.tolerance,
                  .max_iterations = parameters.max_iterations,
                  .max_restarts = parameters.max_restarts,
                  .keep_history = parameters.keep_history,
                  .on_iteration = parameters.on_iteration},
      krylov_space_(static_cast<std::size_t>(parameters.krylov_space)) {
  require(parameters.krylov_space >= 1, [&] {
    return fmt::format("GCR needs a Krylov space of at least one direction, got {}", parameters.krylov_space);
  });
}

template <class T>
Gcr<T>::Gcr(Ref<LinearOperator<T>> matrix, Ref<LinearOperator<T>> preconditioner, const GcrParameters& parameters)
    : Gcr(std::move(matrix), parameters) {
  require(matrix_->domain() == preconditioner->domain(), "the preconditioner acts on fields of another shape");
  preconditioner_ = std::move(preconditioner);
}

template <class T>
void Gcr<T>::provide_directions(std::size_t count, int right_hand_sides) const {
  if (!p_.empty() && p_.front().right_hand_sides() != right_hand_sides) {
    p_.clear();
    z_.clear();
  }
  while (p_.size() < count) {
    p_.push_back(matrix_->make_field(right_hand_sides));
    z_.push_back(matrix_->make_field(right_hand_sides));
  }
}

// Vectors read and written in an iteration with m directions in the space already, beside one application each of M and
// K (without K, p = r: 1, 1):
//   <z_j, M p>, |M p|^2            m + 1, 0
//   z -= sum_j beta_j z_j          m + 1, 1
//   <z, r>, |z|^2                      2, 0
//   r -= alpha z, |r|^2                2, 1   in all 2m + 6 read, 2 written
// and at a restart, beside an application of M:
//   x += sum_m chi_m p_m           m + 1, 1
//   r = b - M x                        2, 1
template <class T>
SolveResult Gcr<T>::solve(SpinorField<T>& x, const SpinorField<T>& b, std::span<const double> residual_norms) const {
  detail::SolveState<T> state(*matrix_, x, b, parameters_, residual_norms);
  const std::size_t n = state.size();
  const int right_hand_sides = b.right_hand_sides();
  detail::Temporaries<T> fields(b.lattice(), b.parameters(), 1);
  SpinorField<T>& r = fields[0];
  // What has stopped has no residual from then on: it costs a preconditioner that is a solver no iterations.
  std::vector<bool> retired(n);
  const auto retire = [&] {
    for (std::size_t k = 0; k < n; ++k) {
      if (state.active(k) || retired[k]) continue;
      SpinorField<T> r_k = detail::alone(r, k);
      blas::set_zero(r_k);
      retired[k] = true;
    }
  };

  // r = b - M x
  const auto start = [&](int first, int count) {
    SpinorField<T> r_k = r.range(first, count);
    return state.residual(r_k, first);
  };
  state.begin(start(0, right_hand_sides));

  do {
    while (state.any_active()) {
      state.restart(start);
      retired.assign(n, false);  // r is new
      retire();

      Columns alpha;
      std::vector<Columns> beta;
      std::vector<blas::Reals> z_norm2;
      while (alpha.size() < krylov_space_ && state.any_active() && !state.any_restart()) {
        const std::size_t m = alpha.size();
        provide_directions(m + 1, right_hand_sides);
        const auto others = std::span<const SpinorField<T>>(z_).first(m);
        SpinorField<T>&p = p_[m], &z = z_[m];

        if (preconditioner_) {
          (*preconditioner_)->apply(p, r);  // p = K r
        } else {
          blas::copy(p, r);
        }
        matrix_->apply(z, p);  // z = M p

        // z = z - sum_j beta_j z_j, beta_j = <z_j, z> / |z_j|^2
        beta.emplace_back(m, blas::Complexes(n));
        std::vector<bool> again(n, true);
        blas::Reals mp_norm2;
        blas::ProductAndNorm z_r;
        for (int pass = 0; pass < 2; ++pass) {
          if (m > 0) {
            const auto overlap = blas::block_inner_product<T>(others, z);
            Columns minus_beta(m, blas::Complexes(n));
            for (std::size_t k = 0; k < n; ++k) {
              if (!detail::is_finite(overlap.norm2[k])) state.quarantine(k, {&p, &z, &r});
              for (std::size_t j = 0; j < m; ++j) {
                if (!state.active(k) || !again[k]) continue;
                minus_beta[j][k] = -overlap.products[j][k] / z_norm2[j][k];
                beta[m][j][k] -= minus_beta[j][k];
              }
            }
            blas::block_caxpy<T>(z, others, minus_beta);
            if (pass == 0) mp_norm2 = overlap.norm2;
          }
          z_r = blas::inner_product_norm2(z, r);  // <z, r>, |z|^2
          if (m == 0) mp_norm2 = z_r.norm2;
          state.count_blas(8.0 * static_cast<double>(m) + 8);
          bool any_again = false;
          for (std::size_t k = 0; k < n; ++k) {
            again[k] = state.active(k) && z_r.norm2[k] < reorthogonalise_below * mp_norm2[k];
            any_again = any_again || again[k];
          }
          if (!any_again) break;
        }

        // r = r - alpha z, alpha = <z, r> / |z|^2
        alpha.emplace_back(n);
        blas::Complexes minus_alpha(n);
        for (std::size_t k = 0; k < n; ++k) {
          if (!detail::is_finite(z_r.norm2[k]) || !detail::is_finite(z_r.product[k])) {
            state.quarantine(k, {&p, &z, &r});
          } else if (!state.active(k)) {
            continue;
          } else if (std::sqrt(z_r.norm2[k]) <= dependent_below<T> * std::sqrt(mp_norm2[k])) {
            state.break_down(k);
          } else {
            alpha[m][k] = z_r.product[k] / z_r.norm2[k];
          }
          minus_alpha[k] = -alpha[m][k];
        }
        const blas::Reals r_norm2 = blas::caxpy_norm2(r, z, minus_alpha);
        z_norm2.push_back(z_r.norm2);

        state.count_applications(1);
        if (preconditioner_) state.count_flops((*preconditioner_)->flops() * right_hand_sides);
        state.count_blas(6);
        state.record(r_norm2);
        retire();
      }

      // x = x + sum_m chi_m p_m
      blas::block_caxpy<T>(x, std::span<const SpinorField<T>>(p_).first(alpha.size()), substitute_back(alpha, beta));
      state.count_blas(4.0 * static_cast<double>(alpha.size()));
      if (!state.any_active()) break;
      state.resume(start(0, right_hand_sides));
    }
  } while (state.check_true_residuals(r));
  return state.finish();
}

template class Gcr<double>;
template class Gcr<float>;
template class Gcr<half>;

}  // namespace kaon
