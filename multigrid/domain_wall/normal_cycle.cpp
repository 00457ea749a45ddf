// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/domain_wall/normal_cycle.hpp"

#include "core/blas/fused_updates.hpp"
#include "core/reductions/kernel_scalars.hpp"
#include "core/reductions/pending_reductions.hpp"

#include <cmath>
#include <numbers>

namespace kaon::detail {

std::vector<double> chebyshev_weights(int degree, double lowest, double highest) {
  std::vector<double> weights;
  for (int k = 0; k < degree; ++k) {
    const double root = std::cos(std::numbers::pi * (2 * k + 1) / (2 * degree));
    weights.push_back(2.0 / (highest + lowest + (highest - lowest) * root));
  }
  return weights;
}

void NormalCycle::apply(SpinorField<float>& z, const SpinorField<float>& r) const {
  this->require_domain(z, r);
  const int right_hand_sides = r.right_hand_sides();
  const auto fields = this->keep_fields(fields_, 2, right_hand_sides);
  SpinorField<float>&rest = fields[0], &product = fields[1];
  zero_and_scale(z, rest, r, 1.0);
  for (const double weight : weights_) {
    normal_.apply(product, rest);
    scaled_mr_update(z, rest, product, {weight, weight});  // z = z + w rest, rest = rest - w A rest
  }
  const auto coarse = coarse_fields_.provide(transfer_.aggregation().coarse(),
                                             transfer_.coarse_domain().with_right_hand_sides(right_hand_sides), 2);
  transfer_.restrict(coarse[0], rest);
  coarse_.apply(coarse[1], coarse[0]);
  transfer_.prolong(product, coarse[1]);
  blas::add(z, product);
}

double NormalCycle::flops() const {
  const SpinorParameters shape = domain();
  const double sites = static_cast<double>(lattice().volume()) * (shape.subset == Subset::full ? 1.0 : 0.5);
  const double numbers = sites * shape.components_of_all_slices();
  return static_cast<double>(weights_.size()) * (flops_of(normal_) + 8.0 * numbers) + flops_of(coarse_) +
         16.0 * numbers * transfer_.vectors();
}

void iterate_towards_inverse(const LinearOperator<float>& matrix, SpinorField<float>& field, int iterations) {
  const auto n = static_cast<std::size_t>(field.right_hand_sides());
  Temporaries<float> fields(field.lattice(), field.parameters(), 3);
  SpinorField<float>&r = fields[0], &p = fields[1], &w = fields[2], &x = field;
  blas::copy(r, x);
  blas::copy(p, x);
  blas::set_zero(x);
  blas::Reals r_norm2 = blas::norm2(r);
  const blas::Reals first_norm2 = r_norm2;
  for (int iteration = 0; iteration < iterations; ++iteration) {
    auto pending = matrix.apply_and_reduce(w, p, {.norm = false, .x = true});
    const blas::Products& of_w = pending.wait();
    blas::Reals alpha(n, declined), minus_alpha(n, declined), beta(n, declined);
    for (std::size_t k = 0; k < n; ++k) {
      constexpr double end = 1e-10;  // beyond it single precision has no digits
      const double step = r_norm2[k] / of_w.y_x[k].real();
      if (!(r_norm2[k] > end * first_norm2[k]) || !(step > 0.0) || !std::isfinite(step)) continue;
      alpha[k] = step;
      minus_alpha[k] = -step;
    }
    const blas::Reals next = blas::axpy_norm2(r, w, minus_alpha);
    for (std::size_t k = 0; k < n; ++k) {
      if (std::isnan(alpha[k])) continue;
      beta[k] = next[k] / r_norm2[k];
      r_norm2[k] = next[k];
    }
    blas::cg_update(x, p, r, {alpha, beta});
  }
  blas::Reals factor = blas::norm2(x);
  for (double& number : factor) number = 1.0 / std::sqrt(number);
  blas::scale(x, factor);
}

}  // namespace kaon::detail
