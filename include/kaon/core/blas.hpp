// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/spinor_field.hpp>

#include <complex>
#include <span>
#include <vector>

namespace kaon::detail {
struct AtOnce;
}

/// Vector operations on spinor fields, batched over right-hand sides: coefficient k belongs to right-hand side k, and
/// so does result k. Fields of one call have one shape. Sums are taken in double, in an order that depends on the
/// field's size alone (not on the number of threads), and over all processes. Calls that return sums wait for them; the
/// others return at once. In the formulas <a, b> = sum conj(a) b; each comment ends with the vectors read and written.
namespace kaon::blas {

using Reals = std::vector<double>;
using Complexes = std::vector<std::complex<double>>;

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
void scale(SpinorField<T>& x, std::span<const double> a);
/// y = y + a x (2, 1)
template <class T>
void axpy(SpinorField<T>& y, const SpinorField<T>& x, std::span<const double> a);
/// y = x + a y (2, 1)
template <class T>
void xpay(SpinorField<T>& y, const SpinorField<T>& x, std::span<const double> a);
/// y = y + a x, a complex (2, 1)
template <class T>
void caxpy(SpinorField<T>& y, const SpinorField<T>& x, std::span<const std::complex<double>> a);
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

/// Inner products of y with itself, x and w that are taken in one pass. What was not asked for is empty.
struct Products {
  Reals y_norm2 = {};  ///< |y|^2
  Complexes y_x = {};  ///< <y, x>
  Reals x_norm2 = {};  ///< |x|^2
  Complexes w_y = {};  ///< <w, y>
  Complexes w_x = {};  ///< <w, x>
};
/// Which of them are asked for beside |y|^2.
template <class T>
struct ProductsWanted {
  bool with_x = false;
  const SpinorField<T>* w = nullptr;  ///< none: no products with w
  bool y_norm2 = true;                ///< false: |y|^2 may be left out where that saves something
  /// What solvers have done with y and its products before the host knows these. An operator may leave it to them, and
  /// must, by handing on null, if what it calls to apply itself does not make the final y and products.
  detail::AtOnce* at_once = nullptr;
};
/// The products of y, x (needed if it is wanted) and w. (1 to 3, 0)
template <class T>
Products products(const SpinorField<T>& y, const SpinorField<T>* x, const ProductsWanted<T>& wanted);

/// y = y + a x; returns |y|^2 (2, 1)
template <class T>
Reals axpy_norm2(SpinorField<T>& y, const SpinorField<T>& x, std::span<const double> a);
/// y = y + a x, a complex; returns |y|^2 (2, 1)
template <class T>
Reals caxpy_norm2(SpinorField<T>& y, const SpinorField<T>& x, std::span<const std::complex<double>> a);
/// y = x - y; returns |y|^2: a residual b - M x where y holds M x (2, 1)
template <class T>
Reals residual_norm2(SpinorField<T>& y, const SpinorField<T>& x);

/// x = x + a p, then p = z + b p: the end of a conjugate-gradient step (3, 2)
template <class T>
void advance(SpinorField<T>& x, SpinorField<T>& p, const SpinorField<T>& z, std::span<const double> a,
             std::span<const double> b);

/// x = x + a r, then r = r - a t: a minimal-residual step (3, 2)
template <class T>
void relax(SpinorField<T>& x, SpinorField<T>& r, const SpinorField<T>& t, std::span<const std::complex<double>> a);
/// The same; returns |r|^2 (3, 2)
template <class T>
Reals relax_norm2(SpinorField<T>& x, SpinorField<T>& r, const SpinorField<T>& t,
                  std::span<const std::complex<double>> a);

/// x = x + a p + w r, then r = r - w t; returns |r|^2 and <s, r>: the end of a BiCGstab step (5, 2)
template <class T>
ProductAndNorm stabilise(SpinorField<T>& x, SpinorField<T>& r, const SpinorField<T>& p, const SpinorField<T>& t,
                         const SpinorField<T>& s, std::span<const std::complex<double>> a,
                         std::span<const std::complex<double>> w);
/// p = r + b (p - w v): BiCGstab's next direction (3, 1)
template <class T>
void redirect(SpinorField<T>& p, const SpinorField<T>& r, const SpinorField<T>& v,
              std::span<const std::complex<double>> b, std::span<const std::complex<double>> w);

/// Both at once: x = x + a p + w r, then r = r - w t, then p = r + b (p - w v) (5, 3)
template <class T>
void stabilise_redirect(SpinorField<T>& x, SpinorField<T>& r, SpinorField<T>& p, const SpinorField<T>& t,
                        const SpinorField<T>& v, std::span<const std::complex<double>> a,
                        std::span<const std::complex<double>> w, std::span<const std::complex<double>> b);

/// Inner products of several fields with one, [field][right-hand side], and a squared norm, taken in one pass.
struct ProductsAndNorm {
  std::vector<Complexes> products;
  Reals norm2;
};

// Operations on n stored fields and one more, which is none of them and is read once for every 8 of them (4 shifts).
// `a[j]` holds the coefficients of field j.

/// <v_j, w> for all j, and |w|^2 (n + 1 for n <= 8, 0)
template <class T>
ProductsAndNorm block_inner_product(std::span<const SpinorField<T>> v, const SpinorField<T>& w);
/// y = y + sum_j a_j v_j (n + 1 for n <= 8, 1)
template <class T>
void block_caxpy(SpinorField<T>& y, std::span<const SpinorField<T>> v, std::span<const Complexes> a);
/// y = y + sum_j a_j v_j; returns |y|^2 (n + 1 for n <= 8, 1)
template <class T>
Reals block_caxpy_norm2(SpinorField<T>& y, std::span<const SpinorField<T>> v, std::span<const Complexes> a);

/// x_s = x_s + a_s p_s, then p_s = c_s r + b_s p_s for n shifts s: the end of a multi-shift conjugate-gradient step
/// (2n + 1 for n <= 4, 2n)
template <class T>
void advance_shifts(std::span<SpinorField<T>> x, std::span<SpinorField<T>> p, const SpinorField<T>& r,
                    std::span<const Reals> a, std::span<const Reals> b, std::span<const Reals> c);

}  // namespace kaon::blas
