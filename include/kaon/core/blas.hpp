// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/reductions.hpp>
#include <kaon/core/scalars.hpp>
#include <kaon/core/spinor_field.hpp>

#include <span>
#include <vector>

/// Vector operations on spinor fields, batched over right-hand sides: coefficient k belongs to right-hand side k, and
/// so does result k. A right-hand side whose coefficient is NaN is left as it is, and its sums are NaN. Operations on
/// real coefficients take real parts. Fields of one call have one shape. Sums are taken in double, in an order that
/// depends on the field's size alone (not on the number of threads), and over all processes. Calls that return sums
/// wait for them; the others return at once. In the formulas <a, b> = sum conj(a) b; each comment ends with the vectors
/// read and written.
namespace kaon::blas {

template <class T>
void set_zero(SpinorField<T>& x);
/// out = in, rounded where the precisions differ (read 1, write 1).
template <class To, class From>
void copy(SpinorField<To>& out, const SpinorField<From>& in);
/// y = y + x, which may be of another precision (2, 1)
template <class To, class From>
void add(SpinorField<To>& y, const SpinorField<From>& x);
/// x = a x (1, 1)
template <class T>
void scale(SpinorField<T>& x, const Scalars& a);
/// y = y + a x (2, 1)
template <class T>
void axpy(SpinorField<T>& y, const SpinorField<T>& x, const Scalars& a);
/// y = x + a y (2, 1)
template <class T>
void xpay(SpinorField<T>& y, const SpinorField<T>& x, const Scalars& a);
/// y = y + a x, a complex (2, 1)
template <class T>
void caxpy(SpinorField<T>& y, const SpinorField<T>& x, const Scalars& a);
/// |x|^2 (1, 0)
template <class T>
Reals norm2(const SpinorField<T>& x);
/// <x, y> (2, 0)
template <class T>
Complexes inner_product(const SpinorField<T>& x, const SpinorField<T>& y);
/// An inner product and a squared norm taken in one pass.
struct ProductAndNorm {
  Complexes product;
  Reals norm2;
};
/// <x, y> and |x|^2 (2, 0)
template <class T>
ProductAndNorm inner_product_norm2(const SpinorField<T>& x, const SpinorField<T>& y);

/// y = y + a x; returns |y|^2 (2, 1)
template <class T>
Reals axpy_norm2(SpinorField<T>& y, const SpinorField<T>& x, const Scalars& a);
/// y = y + a x, a complex; returns |y|^2 (2, 1)
template <class T>
Reals caxpy_norm2(SpinorField<T>& y, const SpinorField<T>& x, const Scalars& a);
/// y = x - y; returns |y|^2: a residual b - M x where y holds M x (2, 1)
template <class T>
Reals xmy_norm2(SpinorField<T>& y, const SpinorField<T>& x);

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

/// Inner products of several fields with one, [field][right-hand side], and a squared norm, taken in one pass.
struct ProductsAndNorm {
  std::vector<Complexes> products;
  Reals norm2;
};

// Operations on n stored fields and one more, which is none of them and is read once for every 8 of them, and once more
// for each power of two of the rest.
// `a[j]` holds the coefficients of field j.

/// <v_j, w> for all j, and |w|^2 (n + 1 for n = 8, 0)
template <class T>
ProductsAndNorm block_inner_product(std::span<const SpinorField<T>> v, const SpinorField<T>& w);
/// y = y + sum_j a_j v_j (n + 1 for n = 8, 1)
template <class T>
void block_caxpy(SpinorField<T>& y, std::span<const SpinorField<T>> v, std::span<const Complexes> a);

}  // namespace kaon::blas
