// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/blas/solver_blas.hpp"
#include "solvers/contract/solve_state.hpp"

#include <kaon/core/kept_fields.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace kaon::detail {

/// Classical Gram-Schmidt leaves z with parts of the other directions that are a rounding of M p. If |z|^2 is less than
/// this part of |M p|^2, they are more than ten roundings of z, and z is orthogonalized again.
inline constexpr double reorthogonalize_below = 0.01;
/// If |z| is less than this part of |M p|, M p lies in the space of the other directions, and z is rounding.
template <class T>
constexpr double dependent_below = 32.0 * spacing<T>();

/// If an update leaves less than this part of |r|^2, the difference of norms is mostly their rounding.
template <class T>
constexpr double derived_above = 1024.0 * spacing<T>();

/// The directions p_m of GCR since its last restart, and the vectors z_m, orthogonal to each other, with
///
///   M p_m = z_m + sum_{j<m} beta_mj z_j
template <class T>
class KrylovSpace {
 public:
  /// Refers to all three. p[size()] is the next direction, and z[size()] is M p before it is orthogonalized.
  KrylovSpace(SolveState<T>& state, KeptFields<T>& p, KeptFields<T>& z) : state_(state), p_(p), z_(z) {}

  std::size_t size() const { return alpha_.size(); }

  /// Takes in the next direction: z = z - sum_j beta_j z_j, beta_j = <z_j, z> / |z_j|^2. Returns
  /// alpha = <z, r> / |z|^2, zero for right-hand sides that do not run or break down. All products are of M p, in one
  /// sum over processes, since r is orthogonal to the z_j: <z, r> = <M p, r>, |z|^2 = |M p|^2 - sum_j |beta_j z_j|^2.
  blas::Complexes take(SpinorField<T>& r) {
    const std::size_t m = size(), n = state_.size();
    SpinorField<T>&p = p_[m], &z = z_[m];
    const auto others = z_.first(m);
    beta_.emplace_back(m, blas::Complexes(n));
    std::vector<bool> again(n, true);
    blas::Reals mp_norm2, z_norm2(n);
    blas::Complexes z_r(n);
    for (int pass = 0; pass < 2; ++pass) {
      const blas::ProductsWithResidual of_z = blas::block_inner_product<T>(others, z, r);
      if (pass == 0) mp_norm2 = of_z.norm2;
      r_norm2_ = of_z.residual_norm2;
      const Columns minus = minus_beta(of_z, again, {&p, &z, &r});
      if (m > 0) blas::block_caxpy<T>(z, others, minus);
      state_.count_blas(8.0 * static_cast<double>(m) + 8);
      bool any_again = false;
      for (std::size_t k = 0; k < n; ++k) {
        if (again[k]) {
          z_r[k] = of_z.residual_product[k];
          z_norm2[k] = of_z.norm2[k];
          for (std::size_t j = 0; j < m; ++j) z_norm2[k] -= std::norm(minus[j][k]) * z_norm2_[j][k];
        }
        again[k] = state_.active(k) && z_norm2[k] < reorthogonalize_below * mp_norm2[k];
        any_again = any_again || again[k];
      }
      if (m == 0 || !any_again) break;
    }
    blas::Complexes& alpha = alpha_.emplace_back(n);
    for (std::size_t k = 0; k < n; ++k) {
      if (!is_finite(z_norm2[k]) || !is_finite(z_r[k])) {
        state_.discard(k, {&p, &z, &r});
      } else if (!state_.active(k)) {
        continue;
      } else if (std::sqrt(std::max(z_norm2[k], 0.0)) <= dependent_below<T> * std::sqrt(mp_norm2[k])) {
        state_.break_down(k);
      } else {
        alpha[k] = z_r[k] / z_norm2[k];
      }
    }
    z_norm2_.push_back(z_norm2);
    return alpha;
  }

  /// |r - alpha z|^2 of the last direction; none where so little is left of |r|^2 that it is rounding.
  std::optional<blas::Reals> norm2_of_rest() const {
    blas::Reals rest(r_norm2_.size());
    for (std::size_t k = 0; k < rest.size(); ++k) {
      rest[k] = r_norm2_[k] - std::norm(alpha_.back()[k]) * z_norm2_.back()[k];
      if (state_.active(k) && !(rest[k] > derived_above<T> * r_norm2_[k])) return {};
    }
    return rest;
  }

  /// x = x + sum_m chi_m p_m, by which r has lost sum_m alpha_m z_m: chi_j = alpha_j - sum_{m>j} beta_mj chi_m.
  void add_to(SpinorField<T>& x) const { add_to(x, alpha_); }
  /// Adds only the directions first[k], first[k] + 1, ... of right-hand side k.
  void add_to(SpinorField<T>& x, const std::vector<std::size_t>& first) const {
    Columns alpha = alpha_;
    for (std::size_t m = 0; m < alpha.size(); ++m) {
      for (std::size_t k = 0; k < first.size(); ++k) {
        if (m < first[k]) alpha[m][k] = 0.0;
      }
    }
    add_to(x, std::move(alpha));
  }

 private:
  using Columns = std::vector<blas::Complexes>;  // [direction][right-hand side]

  void add_to(SpinorField<T>& x, Columns chi) const {
    for (std::size_t j = chi.size(); j-- > 0;) {
      for (std::size_t m = j + 1; m < chi.size(); ++m) {
        for (std::size_t k = 0; k < chi[j].size(); ++k) chi[j][k] -= beta_[m][j][k] * chi[m][k];
      }
    }
    blas::block_caxpy<T>(x, p_.first(size()), chi);
    state_.count_blas(4.0 * static_cast<double>(size()));
  }

  /// -beta_j of the last direction for right-hand sides that are orthogonalized now, which is noted.
  Columns minus_beta(const blas::ProductsAndNorm& overlap, const std::vector<bool>& now,
                     std::initializer_list<SpinorField<T>*> fields) {
    const std::size_t m = size();
    Columns result(m, blas::Complexes(state_.size()));
    for (std::size_t k = 0; k < state_.size(); ++k) {
      if (!is_finite(overlap.norm2[k])) state_.discard(k, fields);
      for (std::size_t j = 0; j < m; ++j) {
        if (!state_.active(k) || !now[k]) continue;
        result[j][k] = -overlap.products[j][k] / z_norm2_[j][k];
        beta_[m][j][k] -= result[j][k];
      }
    }
    return result;
  }

  SolveState<T>& state_;
  KeptFields<T>&p_, &z_;
  Columns alpha_;
  std::vector<Columns> beta_;
  std::vector<blas::Reals> z_norm2_;
  blas::Reals r_norm2_;  // before the last direction
};

}  // namespace kaon::detail
