// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/reductions.hpp>
#include <kaon/core/scalars.hpp>
#include <kaon/core/spinor_field.hpp>

/// Vector operations on spinor fields, batched over right-hand sides: coefficient k belongs to right-hand side k, and
/// so does result k. A right-hand side whose coefficient is NaN is left as it is, and its sums are NaN. Operations on
/// real coefficients take real parts. Fields of one call have one shape. Sums are used in double, in an order that
/// depends on the field's size alone (not on the number of threads), and over all processes. Calls that return sums
/// wait for them; the others return at once. In the formulas <a, b> = sum conj(a) b; each comment ends with the vectors
/// read and written.
namespace kaon::blas {

template <class T>
void set_zero(SpinorField<T>& x);
/// out = in, rounded where the precisions differ (read 1, write 1).
template <class To, class From>
void copy(SpinorField<To>& out, const SpinorField<From>& in);
/// Both take parts of fields that have no name, too, such as `x.right_hand_side(k)`.
template <class T>
void set_zero(SpinorField<T>&& x) {
  set_zero(x);
}
template <class To, class From>
void copy(SpinorField<To>&& out, const SpinorField<From>& in) {
  copy(out, in);
}
/// A new field with the numbers of another (read 1, write 1).
template <class T>
SpinorField<T> clone(const SpinorField<T>& x) {
  SpinorField<T> result(x.lattice(), x.parameters());
  copy(result, x);
  return result;
}
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
/// y = x - y; returns |y|^2: a residual b - M x where y holds M x (2, 1)
template <class T>
Reals xmy_norm2(SpinorField<T>& y, const SpinorField<T>& x);

}  // namespace kaon::blas
