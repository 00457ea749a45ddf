// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/blas/blas_engine.hpp"

namespace kaon::blas {
namespace ops {

// Parts of the formulas of vector operations.

using detail::Complex;
using detail::Scalar;
using detail::Wide;

/// sum + |z|^2 in double
template <class V>
KOKKOS_FORCEINLINE_FUNCTION void add_norm2(Wide<V>& sum, const Complex<V>& z) {
  const Wide<V> re = detail::widen(z.re), im = detail::widen(z.im);
  sum = sum + re * re;
  sum = sum + im * im;
}
/// (re, im) + conj(a) b in double
template <class V>
KOKKOS_FORCEINLINE_FUNCTION void add_product(Wide<V>& re, Wide<V>& im, const Complex<V>& a, const Complex<V>& b) {
  const Wide<V> ar = detail::widen(a.re), ai = detail::widen(a.im), br = detail::widen(b.re), bi = detail::widen(b.im);
  re = re + ar * br;
  re = re + ai * bi;
  im = im + ar * bi;
  im = im - ai * br;
}
/// sum + Re conj(a) b in double
template <class V>
KOKKOS_FORCEINLINE_FUNCTION void add_real_product(Wide<V>& sum, const Complex<V>& a, const Complex<V>& b) {
  sum = sum + detail::widen(a.re) * detail::widen(b.re);
  sum = sum + detail::widen(a.im) * detail::widen(b.im);
}
template <class V, class S>
KOKKOS_FORCEINLINE_FUNCTION Complex<V> lanes(const Complex<S>& c) {
  return {V(c.re), V(c.im)};
}

template <int Fields, unsigned Reads, unsigned Writes, int Coefficients, int Sums>
struct Shape {
  static constexpr int fields = Fields, coefficients = Coefficients, sums = Sums;
  static constexpr unsigned reads = Reads, writes = Writes;
};

// In each: z the elements of the fields, c the coefficients, s the sums.

struct Scale : Shape<1, 0b1, 0b1, 1, 0> {  // z0 = a z0
  template <class V, class C, class S>
  KOKKOS_FORCEINLINE_FUNCTION static void apply(Complex<V>* z, const C* c, S&) {
    z[0] = V(c[0].re) * z[0];
  }
};
struct Axpy : Shape<2, 0b11, 0b01, 1, 0> {  // z0 += a z1
  template <class V, class C, class S>
  KOKKOS_FORCEINLINE_FUNCTION static void apply(Complex<V>* z, const C* c, S&) {
    z[0] += V(c[0].re) * z[1];
  }
};
struct Xpay : Shape<2, 0b11, 0b01, 1, 0> {  // z0 = z1 + a z0
  template <class V, class C, class S>
  KOKKOS_FORCEINLINE_FUNCTION static void apply(Complex<V>* z, const C* c, S&) {
    z[0] = z[1] + V(c[0].re) * z[0];
  }
};
struct Caxpy : Shape<2, 0b11, 0b01, 1, 0> {  // z0 += a z1
  template <class V, class C, class S>
  KOKKOS_FORCEINLINE_FUNCTION static void apply(Complex<V>* z, const C* c, S&) {
    detail::multiply_add(z[0], lanes<V>(c[0]), z[1]);
  }
};
struct Norm2 : Shape<1, 0b1, 0, 0, 1> {
  template <class V, class C, class S>
  KOKKOS_FORCEINLINE_FUNCTION static void apply(Complex<V>* z, const C*, S& s) {
    add_norm2(s[0], z[0]);
  }
};
struct InnerProduct : Shape<2, 0b11, 0, 0, 2> {  // <z0, z1>
  template <class V, class C, class S>
  KOKKOS_FORCEINLINE_FUNCTION static void apply(Complex<V>* z, const C*, S& s) {
    add_product(s[0], s[1], z[0], z[1]);
  }
};
struct InnerProductNorm2 : Shape<2, 0b11, 0, 0, 3> {  // <z0, z1>, |z0|^2
  template <class V, class C, class S>
  KOKKOS_FORCEINLINE_FUNCTION static void apply(Complex<V>* z, const C*, S& s) {
    add_product(s[0], s[1], z[0], z[1]);
    add_norm2(s[2], z[0]);
  }
};
struct ProductsWithX : Shape<2, 0b11, 0, 0, 4> {  // |y|^2, <y, x>, |x|^2 of z = y, x
  template <class V, class C, class S>
  KOKKOS_FORCEINLINE_FUNCTION static void apply(Complex<V>* z, const C*, S& s) {
    add_norm2(s[0], z[0]);
    add_product(s[1], s[2], z[0], z[1]);
    add_norm2(s[3], z[1]);
  }
};
struct AllProducts : Shape<3, 0b111, 0, 0, 8> {  // the same, <w, y>, <w, x> of z = y, x, w
  template <class V, class C, class S>
  KOKKOS_FORCEINLINE_FUNCTION static void apply(Complex<V>* z, const C* c, S& s) {
    ProductsWithX::apply<V>(z, c, s);
    add_product(s[4], s[5], z[2], z[0]);
    add_product(s[6], s[7], z[2], z[1]);
  }
};
struct AxpyNorm2 : Shape<2, 0b11, 0b01, 1, 1> {  // z0 += a z1, |z0|^2
  template <class V, class C, class S>
  KOKKOS_FORCEINLINE_FUNCTION static void apply(Complex<V>* z, const C* c, S& s) {
    z[0] += V(c[0].re) * z[1];
    add_norm2(s[0], z[0]);
  }
};
struct AxpyChange : Shape<2, 0b11, 0b01, 1, 2> {  // z0 += a z1, |z0|^2, Re <z0, a z1>
  template <class V, class C, class S>
  KOKKOS_FORCEINLINE_FUNCTION static void apply(Complex<V>* z, const C* c, S& s) {
    const Complex<V> change = V(c[0].re) * z[1];
    z[0] += change;
    add_norm2(s[0], z[0]);
    add_real_product(s[1], z[0], change);
  }
};
struct XmyNorm2 : Shape<2, 0b11, 0b01, 0, 1> {  // z0 = z1 - z0, |z0|^2
  template <class V, class C, class S>
  KOKKOS_FORCEINLINE_FUNCTION static void apply(Complex<V>* z, const C*, S& s) {
    z[0] = z[1] - z[0];
    add_norm2(s[0], z[0]);
  }
};
struct CgUpdate : Shape<3, 0b111, 0b011, 2, 0> {  // x += a p, p = z + b p
  template <class V, class C, class S>
  KOKKOS_FORCEINLINE_FUNCTION static void apply(Complex<V>* z, const C* c, S&) {
    z[0] += V(c[0].re) * z[1];
    z[1] = z[2] + V(c[1].re) * z[1];
  }
};
struct MrUpdateNorm2 : Shape<3, 0b111, 0b011, 1, 1> {  // x += a r, r -= a t, |r|^2
  template <class V, class C, class S>
  KOKKOS_FORCEINLINE_FUNCTION static void apply(Complex<V>* z, const C* c, S& s) {
    const Complex<V> a = lanes<V>(c[0]);
    detail::multiply_add(z[0], a, z[1]);
    detail::multiply_add(z[1], -a, z[2]);
    add_norm2(s[0], z[1]);
  }
};
struct ZeroAndScale : Shape<3, 0b100, 0b011, 1, 0> {  // x = 0, r = a b
  template <class V, class C, class S>
  KOKKOS_FORCEINLINE_FUNCTION static void apply(Complex<V>* z, const C* c, S&) {
    z[0] = {V(0), V(0)};
    z[1] = V(c[0].re) * z[2];
  }
};
struct ScaledMrUpdate : Shape<3, 0b111, 0b011, 2, 0> {  // x += a r, r -= b t
  template <class V, class C, class S>
  KOKKOS_FORCEINLINE_FUNCTION static void apply(Complex<V>* z, const C* c, S&) {
    detail::multiply_add(z[0], lanes<V>(c[0]), z[1]);
    detail::multiply_add(z[1], -lanes<V>(c[1]), z[2]);
  }
};
struct GcrUpdate : Shape<4, 0b1111, 0b0011, 1, 0> {  // x += a p, r -= a z
  template <class V, class C, class S>
  KOKKOS_FORCEINLINE_FUNCTION static void apply(Complex<V>* z, const C* c, S&) {
    const Complex<V> a = lanes<V>(c[0]);
    detail::multiply_add(z[0], a, z[2]);
    detail::multiply_add(z[1], -a, z[3]);
  }
};
struct CaxpyTwice : Shape<3, 0b111, 0b001, 2, 0> {  // y += a p + b q
  template <class V, class C, class S>
  KOKKOS_FORCEINLINE_FUNCTION static void apply(Complex<V>* z, const C* c, S&) {
    detail::multiply_add(z[0], lanes<V>(c[0]), z[1]);
    detail::multiply_add(z[0], lanes<V>(c[1]), z[2]);
  }
};
struct BiCgStabUpdateXR : Shape<5, 0b11111, 0b00011, 2, 3> {  // x += a p + w r, r -= w t; <s, r>, |r|^2
  template <class V, class C, class S>
  KOKKOS_FORCEINLINE_FUNCTION static void apply(Complex<V>* z, const C* c, S& s) {
    const Complex<V> a = lanes<V>(c[0]), w = lanes<V>(c[1]);
    detail::multiply_add(z[0], a, z[2]);
    detail::multiply_add(z[0], w, z[1]);
    detail::multiply_add(z[1], -w, z[3]);
    add_product(s[0], s[1], z[4], z[1]);
    add_norm2(s[2], z[1]);
  }
};
struct BiCgStabUpdate : Shape<5, 0b11111, 0b00111, 3, 0> {  // x += a p + w r, r -= w t, p = r + b (p - w v)
  template <class V, class C, class S>
  KOKKOS_FORCEINLINE_FUNCTION static void apply(Complex<V>* z, const C* c, S&) {
    const Complex<V> w = lanes<V>(c[1]);
    detail::multiply_add(z[0], lanes<V>(c[0]), z[2]);
    detail::multiply_add(z[0], w, z[1]);
    detail::multiply_add(z[1], -w, z[3]);
    Complex<V> p = z[2];
    detail::multiply_add(p, -w, z[4]);
    z[2] = z[1];
    detail::multiply_add(z[2], lanes<V>(c[2]), p);
  }
};
struct BiCgStabUpdateP : Shape<3, 0b111, 0b001, 2, 0> {  // p = r + b (p - w v)
  template <class V, class C, class S>
  KOKKOS_FORCEINLINE_FUNCTION static void apply(Complex<V>* z, const C* c, S&) {
    Complex<V> p = z[0];
    detail::multiply_add(p, -lanes<V>(c[1]), z[2]);
    z[0] = z[1];
    detail::multiply_add(z[0], lanes<V>(c[0]), p);
  }
};

}  // namespace ops

/// The engine takes fields that it may write; which it does write, the operation says.
template <class T>
SpinorField<T>* mutate(const SpinorField<T>& field) {
  return const_cast<SpinorField<T>*>(&field);
}

}  // namespace kaon::blas
