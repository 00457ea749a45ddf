// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/blas.hpp>

#include <span>
#include <vector>

namespace kaon::blas {

// Vector operations of solvers alone, as those of include/kaon/core/blas.hpp.

/// x = x + a p, then p = z + b p: the end of a conjugate-gradient step; coefficients a, b (3, 2)
template <class T>
void cg_update(SpinorField<T>& x, SpinorField<T>& p, const SpinorField<T>& z, const Scalars& a_b);

/// x = x + a r, then r = r - a t: a minimal-residual step; returns |r|^2 (3, 2)
template <class T>
Reals mr_update_norm2(SpinorField<T>& x, SpinorField<T>& r, const SpinorField<T>& t, const Scalars& a);

/// x = x + a p + w r, then r = r - w t; returns |r|^2 and <s, r>: the end of a BiCGstab step; coefficients a, w (5, 2)
template <class T>
ProductAndNorm bicgstab_update_xr(SpinorField<T>& x, SpinorField<T>& r, const SpinorField<T>& p,
                                  const SpinorField<T>& t, const SpinorField<T>& s, const Scalars& a_w);
/// p = r + b (p - w v): BiCGstab's next direction; coefficients b, w (3, 1)
template <class T>
void bicgstab_update_p(SpinorField<T>& p, const SpinorField<T>& r, const SpinorField<T>& v, const Scalars& b_w);
/// The last two in one pass: x = x + a p + w r, then r = r - w t, then p = r + b (p - w v); coefficients a, w, b (5, 3)
template <class T>
void bicgstab_update(SpinorField<T>& x, SpinorField<T>& r, SpinorField<T>& p, const SpinorField<T>& t,
                     const SpinorField<T>& v, const Scalars& a_w_b);

/// Inner products of several fields with one, [field][right-hand side], and its squared norm.
struct ProductsAndNorm {
  std::vector<Complexes> products;
  Reals norm2;
};
/// Also computes products with a field that is none of them.
struct ProductsWithResidual : ProductsAndNorm {
  Complexes residual_product;
  Reals residual_norm2;
};

// Operations on n stored fields and one more, which is none of them and is read once for every 8 of them, and once more
// for each power of two of the rest. `a[j]` holds the coefficients of field j.

/// <v_j, w> for all j, and |w|^2, with one sum over processes (n + 1 for n = 8, 0)
template <class T>
ProductsAndNorm block_inner_product(std::span<const SpinorField<T>> v, const SpinorField<T>& w);
/// Also computes <w, r> and |r|^2 in that sum (n + 4 for n = 8, 0)
template <class T>
ProductsWithResidual block_inner_product(std::span<const SpinorField<T>> v, const SpinorField<T>& w,
                                         const SpinorField<T>& r);
/// y = y + sum_j a_j v_j (n + 1 for n = 8, 1)
template <class T>
void block_caxpy(SpinorField<T>& y, std::span<const SpinorField<T>> v, std::span<const Complexes> a);

}  // namespace kaon::blas
