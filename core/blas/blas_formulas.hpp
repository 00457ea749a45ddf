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

}  // namespace ops

/// The engine takes fields that it may write; which it does write, the operation says.
template <class T>
SpinorField<T>* mutate(const SpinorField<T>& field) {
  return const_cast<SpinorField<T>*>(&field);
}

}  // namespace kaon::blas
