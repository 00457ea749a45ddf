// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "solvers/adapters/forecast.hpp"

#include "core/blas/small_matrix.hpp"
#include "core/blas/solver_blas.hpp"

#include <kaon/core/blas.hpp>

#include <vector>

namespace kaon::detail {
namespace {

/// A solution of whose image a smaller part of the squared length is independent of the others is left out: products
/// in double show no less.
constexpr double smallest_share = 1e-13;

}  // namespace

void forecast(SpinorField<double>& x, const SpinorField<double>& b, std::span<const SpinorField<double>> earlier,
              ForecastNorm norm,
              const std::function<void(SpinorField<double>& out, const SpinorField<double>& in)>& apply) {
  const std::size_t n = earlier.size();
  const SpinorParameters shape = x.parameters().with_right_hand_sides(static_cast<int>(n));
  SpinorField<double> solutions(x.lattice(), shape), images(x.lattice(), shape);
  std::vector<SpinorField<double>> p, q;
  for (std::size_t i = 0; i < n; ++i) {
    blas::copy(p.emplace_back(solutions.right_hand_side(i)), earlier[i]);
    q.push_back(images.right_hand_side(i));
  }
  apply(images, solutions);
  // The sum has G a = c, G_ij = <t_i, q_j> and c_i = <t_i, b>, t = q or p.
  const std::span<const SpinorField<double>> t = norm == ForecastNorm::error ? p : q;
  SmallMatrix gram(n, n), of_source(n, 1);
  for (std::size_t j = 0; j < n; ++j) {
    const auto products = blas::block_inner_product(t.first(j + 1), q[j]).products;
    for (std::size_t i = 0; i <= j; ++i) {
      gram(i, j) = products[i][0];
      gram(j, i) = std::conj(products[i][0]);
    }
  }
  const auto products = blas::block_inner_product(t, b).products;
  for (std::size_t i = 0; i < n; ++i) of_source(i, 0) = products[i][0];
  const SmallMatrix to_q = thin_qr(gram, smallest_share).to_q;  // G^-1 = A A^dag
  const SmallMatrix a = to_q * (to_q.adjoint() * of_source);
  std::vector<blas::Complexes> factors;
  for (std::size_t i = 0; i < n; ++i) factors.push_back({a(i, 0)});
  blas::set_zero(x);
  blas::block_caxpy<double>(x, p, factors);
}

}  // namespace kaon::detail
