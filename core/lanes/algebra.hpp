// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/lanes/lanes.hpp"

namespace kaon::detail {

// Complex, colour and spin algebra on lane values. Everything is an aggregate of V and inlined: a kernel on packs reads
// like one on scalars.

/// The larger number, and infinity for a NaN, which a maximum of numbers would lose.
KOKKOS_FORCEINLINE_FUNCTION double larger(double a, double b) {
  return b <= a ? a : (b > a ? b : Kokkos::Experimental::infinity_v<double>);
}

template <class V>
struct Complex {
  V re, im;

  friend KOKKOS_FORCEINLINE_FUNCTION Complex operator+(const Complex& a, const Complex& b) {
    return {a.re + b.re, a.im + b.im};
  }
  friend KOKKOS_FORCEINLINE_FUNCTION Complex operator-(const Complex& a, const Complex& b) {
    return {a.re - b.re, a.im - b.im};
  }
  friend KOKKOS_FORCEINLINE_FUNCTION Complex operator-(const Complex& a) { return {-a.re, -a.im}; }
  friend KOKKOS_FORCEINLINE_FUNCTION Complex operator*(const Complex& a, const Complex& b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
  friend KOKKOS_FORCEINLINE_FUNCTION Complex operator*(const V& a, const Complex& b) { return {a * b.re, a * b.im}; }
  KOKKOS_FORCEINLINE_FUNCTION Complex& operator+=(const Complex& b) { return *this = *this + b; }
  KOKKOS_FORCEINLINE_FUNCTION Complex& operator-=(const Complex& b) { return *this = *this - b; }
};

template <class V>
KOKKOS_FORCEINLINE_FUNCTION Complex<V> conj(const Complex<V>& a) {
  return {a.re, -a.im};
}
/// i a
template <class V>
KOKKOS_FORCEINLINE_FUNCTION Complex<V> times_i(const Complex<V>& a) {
  return {-a.im, a.re};
}
template <class V>
KOKKOS_FORCEINLINE_FUNCTION V norm2(const Complex<V>& a) {
  return a.re * a.re + a.im * a.im;
}
/// c + a b
template <class V>
KOKKOS_FORCEINLINE_FUNCTION void multiply_add(Complex<V>& c, const Complex<V>& a, const Complex<V>& b) {
  c.re = c.re + a.re * b.re;
  c.re = c.re - a.im * b.im;
  c.im = c.im + a.re * b.im;
  c.im = c.im + a.im * b.re;
}
/// c + conj(a) b
template <class V>
KOKKOS_FORCEINLINE_FUNCTION void conj_multiply_add(Complex<V>& c, const Complex<V>& a, const Complex<V>& b) {
  c.re = c.re + a.re * b.re;
  c.re = c.re + a.im * b.im;
  c.im = c.im + a.re * b.im;
  c.im = c.im - a.im * b.re;
}

template <class V>
struct ColorVector {
  using Value = V;
  Complex<V> c[3];
};

template <class V>
struct ColorMatrix {
  Complex<V> e[3][3];  ///< [row][column]
};

/// Two spin components: what a Wilson projector leaves of a spinor.
template <class V>
struct HalfSpinor {
  using Value = V;
  ColorVector<V> s[2];
};

template <class V>
struct Spinor {
  using Value = V;
  ColorVector<V> s[4];
};

// Objects of a site - ColorVector, HalfSpinor, Spinor - as arrays of complex numbers, and of colour vectors.

template <class Vector>
inline constexpr int components = static_cast<int>(sizeof(Vector) / sizeof(Complex<typename Vector::Value>));
template <class Vector>
KOKKOS_FORCEINLINE_FUNCTION Complex<typename Vector::Value>* elements(Vector& vector) {
  return reinterpret_cast<Complex<typename Vector::Value>*>(&vector);
}
template <class Vector>
KOKKOS_FORCEINLINE_FUNCTION const Complex<typename Vector::Value>* elements(const Vector& vector) {
  return reinterpret_cast<const Complex<typename Vector::Value>*>(&vector);
}
template <class Vector>
inline constexpr int color_vectors = components<Vector> / 3;
template <class Vector>
KOKKOS_FORCEINLINE_FUNCTION ColorVector<typename Vector::Value>& color_vector(Vector& vector, int spin) {
  if constexpr (color_vectors<Vector> == 1) {
    return vector;
  } else {
    return vector.s[spin];
  }
}
template <class Vector>
KOKKOS_FORCEINLINE_FUNCTION Vector zero_vector() {
  Vector zero;
  KAON_UNROLL
  for (int n = 0; n < components<Vector>; ++n)
    elements(zero)[n] = {typename Vector::Value(0), typename Vector::Value(0)};
  return zero;
}
/// v = factor v
template <class Vector, class V>
KOKKOS_FORCEINLINE_FUNCTION void multiply(Vector& vector, const V& factor) {
  KAON_UNROLL
  for (int n = 0; n < components<Vector>; ++n) elements(vector)[n] = factor * elements(vector)[n];
}
/// a x + c y
template <class Vector, class V>
KOKKOS_FORCEINLINE_FUNCTION Vector combine(const V& a, const Vector& x, const V& c, const Vector& y) {
  Vector result;
  KAON_UNROLL
  for (int n = 0; n < components<Vector>; ++n) elements(result)[n] = a * elements(x)[n] + c * elements(y)[n];
  return result;
}

/// U v
template <class V>
KOKKOS_FORCEINLINE_FUNCTION ColorVector<V> operator*(const ColorMatrix<V>& u, const ColorVector<V>& v) {
  ColorVector<V> result;
  KAON_UNROLL
  for (int row = 0; row < 3; ++row) {
    result.c[row] = u.e[row][0] * v.c[0];
    multiply_add(result.c[row], u.e[row][1], v.c[1]);
    multiply_add(result.c[row], u.e[row][2], v.c[2]);
  }
  return result;
}

/// U^dag v
template <class V>
KOKKOS_FORCEINLINE_FUNCTION ColorVector<V> adjoint_multiply(const ColorMatrix<V>& u, const ColorVector<V>& v) {
  ColorVector<V> result;
  KAON_UNROLL
  for (int row = 0; row < 3; ++row) {
    result.c[row] = conj(u.e[0][row]) * v.c[0];
    conj_multiply_add(result.c[row], u.e[1][row], v.c[1]);
    conj_multiply_add(result.c[row], u.e[2][row], v.c[2]);
  }
  return result;
}

/// A B
template <class V>
KOKKOS_INLINE_FUNCTION ColorMatrix<V> operator*(const ColorMatrix<V>& a, const ColorMatrix<V>& b) {
  ColorMatrix<V> result;
  KAON_UNROLL
  for (int row = 0; row < 3; ++row) {
    KAON_UNROLL
    for (int column = 0; column < 3; ++column) {
      Complex<V> sum = a.e[row][0] * b.e[0][column];
      multiply_add(sum, a.e[row][1], b.e[1][column]);
      multiply_add(sum, a.e[row][2], b.e[2][column]);
      result.e[row][column] = sum;
    }
  }
  return result;
}

template <class V>
KOKKOS_INLINE_FUNCTION ColorMatrix<V> operator+(const ColorMatrix<V>& a, const ColorMatrix<V>& b) {
  ColorMatrix<V> result;
  KAON_UNROLL
  for (int row = 0; row < 3; ++row) {
    KAON_UNROLL
    for (int column = 0; column < 3; ++column) result.e[row][column] = a.e[row][column] + b.e[row][column];
  }
  return result;
}

template <class V>
KOKKOS_INLINE_FUNCTION ColorMatrix<V> operator-(const ColorMatrix<V>& a, const ColorMatrix<V>& b) {
  ColorMatrix<V> result;
  KAON_UNROLL
  for (int row = 0; row < 3; ++row) {
    KAON_UNROLL
    for (int column = 0; column < 3; ++column) result.e[row][column] = a.e[row][column] - b.e[row][column];
  }
  return result;
}

template <class V>
KOKKOS_INLINE_FUNCTION ColorMatrix<V> adjoint(const ColorMatrix<V>& a) {
  ColorMatrix<V> result;
  KAON_UNROLL
  for (int row = 0; row < 3; ++row) {
    KAON_UNROLL
    for (int column = 0; column < 3; ++column) result.e[row][column] = conj(a.e[column][row]);
  }
  return result;
}

template <class V>
KOKKOS_INLINE_FUNCTION Complex<V> trace(const ColorMatrix<V>& a) {
  return a.e[0][0] + a.e[1][1] + a.e[2][2];
}

/// Re Tr(A B), without the product's other elements.
template <class V>
KOKKOS_INLINE_FUNCTION V real_trace_of_product(const ColorMatrix<V>& a, const ColorMatrix<V>& b) {
  V sum = V(0);
  KAON_UNROLL
  for (int row = 0; row < 3; ++row) {
    KAON_UNROLL
    for (int column = 0; column < 3; ++column) {
      sum = sum + a.e[row][column].re * b.e[column][row].re - a.e[row][column].im * b.e[column][row].im;
    }
  }
  return sum;
}

template <class V>
KOKKOS_INLINE_FUNCTION ColorMatrix<V> zero_matrix() {
  ColorMatrix<V> result;
  for (auto& row : result.e) {
    for (auto& element : row) element = {V(0), V(0)};
  }
  return result;
}

template <class V>
KOKKOS_INLINE_FUNCTION ColorMatrix<V> identity_matrix() {
  ColorMatrix<V> result = zero_matrix<V>();
  for (int color = 0; color < 3; ++color) result.e[color][color].re = V(1);
  return result;
}

}  // namespace kaon::detail
