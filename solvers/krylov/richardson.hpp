// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/kept_fields.hpp>
#include <kaon/core/ref.hpp>
#include <kaon/operators/linear_operator.hpp>

#include <complex>
#include <vector>

namespace kaon::detail {

/// Weights w_k of Richardson's method.
using Weights = std::vector<std::complex<double>>;

/// Richardson's method with given weights, a polynomial of M: from x = 0, r = b,
///
///   x = x + w_k r,  r = r - w_k M r     for each k; the last needs no r.
///
/// It has no sums over processes, one application of M less than it has weights, and is a linear operation.
template <class T>
class Richardson final : public LinearOperator<T>, public Counted {
 public:
  Richardson(Ref<LinearOperator<T>> matrix, Weights weights);

  void apply(SpinorField<T>& out, const SpinorField<T>& in) const override;
  const Lattice& lattice() const override { return matrix_->lattice(); }
  SpinorParameters domain() const override { return matrix_->domain(); }
  double flops() const override { return static_cast<double>(weights_.size() - 1) * flops_of(*matrix_); }

 private:
  Ref<LinearOperator<T>> matrix_;
  Weights weights_;
  mutable KeptFields<T> scratch_;  // r and M r
};

/// The `degree` weights with which Richardson's method leaves least of the fields r, all right-hand sides alike: the
/// residual polynomial of GMRES, which minimises sum_k |p(M) r_k|^2 / |r_k|^2. `r` becomes the residual p(M) r. No
/// weights if no such polynomial exists, as for r = 0. Uses Arnoldi's method and stores all of its vectors: degrees are
/// small. Collective.
template <class T>
Weights richardson_weights(const LinearOperator<T>& matrix, SpinorField<T>& r, int degree);

}  // namespace kaon::detail
