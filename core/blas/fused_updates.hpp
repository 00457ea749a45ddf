// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/blas/blas_operations.hpp"
#include "core/blas/solver_blas.hpp"

namespace kaon::detail {

// Vector operations with sums that do not wait for these (core/reductions/pending_sums.hpp). `function_of(k)` is
// applied to the sums of right-hand side k, and to the scalars `earlier`.

/// y = y + a x; |y|^2
template <class T, class FunctionOf>
PendingSums axpy_norm2(SpinorField<T>& y, const SpinorField<T>& x, const blas::Scalars& a,
                       const FunctionOf& function_of, const blas::Scalars& earlier = {}) {
  return run_blas<blas::ops::AxpyNorm2, T>("kaon::blas::axpy_norm2", {&y, blas::mutate(x)}, a, function_of, earlier);
}

/// y = y + a x, a real; |y|^2 and Re <y, a x>, the product with the change of y
template <class T, class FunctionOf>
PendingSums axpy_change(SpinorField<T>& y, const SpinorField<T>& x, const blas::Scalars& a,
                        const FunctionOf& function_of, const blas::Scalars& earlier = {}) {
  return run_blas<blas::ops::AxpyChange, T>("kaon::blas::axpy_change", {&y, blas::mutate(x)}, a, function_of, earlier);
}

/// x = x + a r, then r = r - a t; |r|^2
template <class T, class FunctionOf>
PendingSums mr_update_norm2(SpinorField<T>& x, SpinorField<T>& r, const SpinorField<T>& t, const blas::Scalars& a,
                            const FunctionOf& function_of) {
  return run_blas<blas::ops::MrUpdateNorm2, T>("kaon::blas::mr_update_norm2", {&x, &r, blas::mutate(t)}, a,
                                               function_of);
}

/// x = 0, then r = a b, a real
template <class T>
void zero_and_scale(SpinorField<T>& x, SpinorField<T>& r, const SpinorField<T>& b, const blas::Scalars& a) {
  run_blas<blas::ops::ZeroAndScale, T>("kaon::blas::zero_and_scale", {&x, &r, blas::mutate(b)}, a);
}

/// x = x + a r, then r = r - b t
template <class T>
void scaled_mr_update(SpinorField<T>& x, SpinorField<T>& r, const SpinorField<T>& t, const blas::Scalars& a_b) {
  run_blas<blas::ops::ScaledMrUpdate, T>("kaon::blas::scaled_mr_update", {&x, &r, blas::mutate(t)}, a_b);
}

/// x = x + a p, then r = r - a z
template <class T>
void gcr_update(SpinorField<T>& x, SpinorField<T>& r, const SpinorField<T>& p, const SpinorField<T>& z,
                const blas::Scalars& a) {
  run_blas<blas::ops::GcrUpdate, T>("kaon::blas::gcr_update", {&x, &r, blas::mutate(p), blas::mutate(z)}, a);
}

/// y = y + a p + b q
template <class T>
void caxpy_twice(SpinorField<T>& y, const SpinorField<T>& p, const SpinorField<T>& q, const blas::Scalars& a_b) {
  run_blas<blas::ops::CaxpyTwice, T>("kaon::blas::caxpy_twice", {&y, blas::mutate(p), blas::mutate(q)}, a_b);
}

/// Scalars of |x|^2 that the host never requests.
template <class T, class FunctionOf>
blas::Scalars unattended_norm2(const SpinorField<T>& x, const FunctionOf& function_of) {
  return run_blas<blas::ops::Norm2, T>("kaon::blas::norm2", {blas::mutate(x)}, {}, function_of, {},
                                       AppliedBy::kernels_unattended)
      .scalars();
}
/// Scalars of |y|^2, <y, x> and |x|^2.
template <class T, class FunctionOf>
blas::Scalars unattended_products(const SpinorField<T>& y, const SpinorField<T>& x, const FunctionOf& function_of) {
  return run_blas<blas::ops::ProductsWithX, T>("kaon::blas::reduce", {blas::mutate(y), blas::mutate(x)}, {},
                                               function_of, {}, AppliedBy::kernels_unattended)
      .scalars();
}
/// Scalars of these, <w, y> and <w, x>.
template <class T, class FunctionOf>
blas::Scalars unattended_products(const SpinorField<T>& y, const SpinorField<T>& x, const SpinorField<T>& w,
                                  const FunctionOf& function_of) {
  return run_blas<blas::ops::AllProducts, T>("kaon::blas::reduce", {blas::mutate(y), blas::mutate(x), blas::mutate(w)},
                                             {}, function_of, {}, AppliedBy::kernels_unattended)
      .scalars();
}

}  // namespace kaon::detail
