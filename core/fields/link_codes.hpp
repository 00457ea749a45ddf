// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/lanes/fixed_point.hpp"

#include <kaon/core/gauge_field.hpp>

namespace kaon::detail {

// How links are stored: `components` complex numbers with real and imaginary parts between -1 and 1. `decode`
// makes the link of them, `encode` the reverse. (Those in full of a field with a `scale` are divided by that.) Numbers
// of 16 bits are whole numbers, to be multiplied by `unit`, and so is the link then if the code is `linear`: a sum
// of products with links is multiplied once, by `link_unit`. Round(value) is what storing a number and
// loading it again makes of it: what depends on other numbers is computed from them as they will be read.

/// Row 3 = unit conj(row 1 x row 2). 42 flops.
template <class V>
KOKKOS_FORCEINLINE_FUNCTION void complete_third_row(ColorMatrix<V>& u, const V& unit) {
  KAON_UNROLL
  for (int c = 0; c < 3; ++c) {
    const int a = (c + 1) % 3, b = (c + 2) % 3;
    Complex<V> element = u.e[0][a] * u.e[1][b];
    multiply_add(element, -u.e[0][b], u.e[1][a]);
    u.e[2][c] = conj(unit * element);
  }
}

/// Row 3 = factor conj(row 1 x row 2). 60 flops.
template <class V>
KOKKOS_FORCEINLINE_FUNCTION void complete_third_row(ColorMatrix<V>& u, const Complex<V>& factor) {
  complete_third_row(u, V(1));
  KAON_UNROLL
  for (int c = 0; c < 3; ++c) u.e[2][c] = factor * u.e[2][c];
}

KOKKOS_FORCEINLINE_FUNCTION Complex<double> determinant(const ColorMatrix<double>& u) {
  ColorMatrix<double> completed = u;
  complete_third_row(completed, 1.0);
  Complex<double> sum{0.0, 0.0};
  for (int c = 0; c < 3; ++c) sum += u.e[2][c] * conj(completed.e[2][c]);
  return sum;
}

/// The determinant of a matrix of U(3), as the factor of `complete_third_row` that restores its third row. Zero for
/// zero.
KOKKOS_FORCEINLINE_FUNCTION Complex<double> phase_of_third_row(const ColorMatrix<double>& u) {
  const Complex<double> product = determinant(u);
  const double length = Kokkos::sqrt(norm2(product));
  return (length > 0.0 ? 1.0 / length : 0.0) * product;
}

/// All 18 reals.
struct FullLinks {
  static constexpr LinkStorage storage = LinkStorage::full;
  static constexpr int components = 9;
  static constexpr bool linear = true;

  template <class V>
  KOKKOS_FORCEINLINE_FUNCTION static ColorMatrix<V> decode(const Complex<V> (&stored)[components], const V&) {
    ColorMatrix<V> u;
    KAON_UNROLL
    for (int c = 0; c < 9; ++c) u.e[c / 3][c % 3] = stored[c];
    return u;
  }
  template <class Round>
  KOKKOS_FUNCTION static void encode(Complex<double> (&stored)[components], const ColorMatrix<double>& u,
                                     const Round&) {
    for (int c = 0; c < 9; ++c) stored[c] = u.e[c / 3][c % 3];
  }
};

/// The first two rows, 12 reals.
struct TwoRowLinks {
  static constexpr LinkStorage storage = LinkStorage::two_rows;
  static constexpr int components = 6;
  static constexpr bool linear = true;

  template <class V>
  KOKKOS_FORCEINLINE_FUNCTION static ColorMatrix<V> decode(const Complex<V> (&stored)[components], const V& unit) {
    ColorMatrix<V> u;
    KAON_UNROLL
    for (int c = 0; c < 6; ++c) u.e[c / 3][c % 3] = stored[c];
    complete_third_row(u, unit);
    return u;
  }
  template <class Round>
  KOKKOS_FUNCTION static void encode(Complex<double> (&stored)[components], const ColorMatrix<double>& u,
                                     const Round&) {
    for (int c = 0; c < 6; ++c) stored[c] = u.e[c / 3][c % 3];
  }
};

/// The first two rows and the determinant of a matrix of U(3), 14 reals: row 3 = det conj(row 1 x row 2).
struct TwoRowDeterminantLinks {
  static constexpr LinkStorage storage = LinkStorage::two_rows_and_determinant;
  static constexpr int components = 7;
  static constexpr bool linear = true;

  template <class V>
  KOKKOS_FORCEINLINE_FUNCTION static ColorMatrix<V> decode(const Complex<V> (&stored)[components], const V& unit) {
    ColorMatrix<V> u;
    KAON_UNROLL
    for (int c = 0; c < 6; ++c) u.e[c / 3][c % 3] = stored[c];
    complete_third_row(u, (unit * unit) * stored[6]);
    return u;
  }
  template <class Round>
  KOKKOS_FUNCTION static void encode(Complex<double> (&stored)[components], const ColorMatrix<double>& u,
                                     const Round&) {
    for (int c = 0; c < 6; ++c) stored[c] = u.e[c / 3][c % 3];
    stored[6] = phase_of_third_row(u);
  }
};

/// Eight reals, as many as SU(3) has dimensions (Bunk and Sommer, Comput. Phys. Commun. 40 (1986) 229, showed that so
/// few will do; their coordinates are singular at the unit matrix, near which the links of smooth fields lie).
///
/// Row 1 is (rho p, a2, a3), |p| = 1, rho = sqrt(1 - |a2|^2 - |a3|^2). With q = 1/(1 + rho) the vectors
///   f2 = (-p a2*, 1 - q |a2|^2, -q a2* a3),  f3 = (-p a3*, -q a3* a2, 1 - q |a3|^2)
/// complete it to an orthonormal basis (Householder's reflection), and row 2 is alpha f2 + beta f3,
/// |alpha|^2 + |beta|^2 = 1. Stored are a2, a3, beta and the phases of a1 and alpha, each as t = tan(theta/4), from
/// which e^{i theta} = ((1 - t^2 + 2 i t) / (1 + t^2))^2 takes no trigonometry. Row 3 is the cross product.
///
/// Nothing is divided by a small number. Rounding errors eps of what is stored enter through the square roots rho and
/// |alpha| as eps/rho and eps/|alpha|, at most sqrt(eps), which rough fields meet on few links and smooth ones nowhere.
struct MinimalLinks {
  static constexpr LinkStorage storage = LinkStorage::minimal;
  static constexpr int components = 4;
  static constexpr bool linear = false;

  template <class V>
  KOKKOS_FORCEINLINE_FUNCTION static V reciprocal(const V& value) {
    if constexpr (std::is_same_v<V, float>) {
      return fast_reciprocal(value);
    } else {
      return V(1) / value;
    }
  }
  /// sqrt(max(value, 0))
  template <class V>
  KOKKOS_FORCEINLINE_FUNCTION static V root(const V& value) {
    const V positive = maximum(value, V(1e-36F));
    if constexpr (lane_count<V> == 1) {
      return fast_square_root(positive);
    } else {
#if defined(KAON_HOST_PACKS)
      return stdx::sqrt(positive);
#endif
    }
  }
  /// e^{i theta} of t = tan(theta/4)
  template <class V>
  KOKKOS_FORCEINLINE_FUNCTION static Complex<V> phase(const V& t) {
    const V square = t * t;
    const V scale = reciprocal(V(1) + square);
    const V cosine = (V(1) - square) * scale, sine = (t + t) * scale;  // of theta/2
    return {V(1) - (sine + sine) * sine, (sine + sine) * cosine};
  }
  /// tan(theta/4) of z = |z| e^{i theta}
  KOKKOS_FUNCTION static double quarter_tangent(const Complex<double>& z) {
    return Kokkos::tan(0.25 * Kokkos::atan2(z.im, z.re));
  }

  /// Row 1 and the numbers that f2 and f3 are made of.
  template <class V>
  struct Frame {
    Complex<V> a[3], p, mixed;  ///< mixed = -q a2* a3
    V d2, d3;                   ///< 1 - q |a2|^2, 1 - q |a3|^2

    KOKKOS_FORCEINLINE_FUNCTION Frame(const V& t, const Complex<V>& a2, const Complex<V>& a3) : a{{}, a2, a3} {
      const V square2 = norm2(a2), square3 = norm2(a3);
      const V rho = root(V(1) - square2 - square3);
      const V q = reciprocal(V(1) + rho);
      p = phase(t);
      a[0] = rho * p;
      d2 = V(1) - q * square2;
      d3 = V(1) - q * square3;
      mixed = (-q) * (conj(a2) * a3);
    }
  };

  /// The first two rows, of four numbers.
  template <class V>
  KOKKOS_FORCEINLINE_FUNCTION static ColorMatrix<V> decode_rows(const Complex<V>* stored, const V& unit) {
    const Frame<V> f(unit * stored[0].re, unit * stored[1], unit * stored[2]);
    const Complex<V> beta = unit * stored[3];
    const Complex<V> alpha = root(V(1) - norm2(beta)) * phase(unit * stored[0].im);
    ColorMatrix<V> u;
    KAON_UNROLL
    for (int c = 0; c < 3; ++c) u.e[0][c] = f.a[c];
    Complex<V> first = alpha * conj(f.a[1]);
    multiply_add(first, beta, conj(f.a[2]));
    u.e[1][0] = -(f.p * first);
    u.e[1][1] = f.d2 * alpha;
    conj_multiply_add(u.e[1][1], f.mixed, beta);
    u.e[1][2] = f.d3 * beta;
    multiply_add(u.e[1][2], f.mixed, alpha);
    return u;
  }
  template <class Round>
  KOKKOS_FUNCTION static void encode_rows(Complex<double>* stored, const ColorMatrix<double>& u, const Round& round) {
    const auto rounded = [&](const Complex<double>& z) { return Complex<double>{round(z.re), round(z.im)}; };
    stored[0].re = quarter_tangent(u.e[0][0]);
    stored[1] = u.e[0][1];
    stored[2] = u.e[0][2];
    const Frame<double> f(round(stored[0].re), rounded(stored[1]), rounded(stored[2]));
    const Complex<double> first = conj(f.p) * u.e[1][0];
    Complex<double> alpha = f.d2 * u.e[1][1] - f.a[1] * first;
    multiply_add(alpha, conj(f.mixed), u.e[1][2]);
    Complex<double> beta = f.d3 * u.e[1][2] - f.a[2] * first;
    multiply_add(beta, f.mixed, u.e[1][1]);
    const double length = Kokkos::sqrt(norm2(alpha) + norm2(beta));
    stored[0].im = quarter_tangent(alpha);
    stored[3] = (length > 0.0 ? 1.0 / length : 0.0) * beta;
  }

  template <class V>
  KOKKOS_FORCEINLINE_FUNCTION static ColorMatrix<V> decode(const Complex<V> (&stored)[components], const V& unit) {
    ColorMatrix<V> u = decode_rows(stored, unit);
    complete_third_row(u, V(1));
    return u;
  }
  template <class Round>
  KOKKOS_FUNCTION static void encode(Complex<double> (&stored)[components], const ColorMatrix<double>& u,
                                     const Round& round) {
    encode_rows(stored, u, round);
  }
};

/// The eight reals of the first two rows and the determinant of a matrix of U(3), 10 reals. The rows of `MinimalLinks`
/// hold for all unitary matrices: only its third row is that of SU(3).
struct MinimalDeterminantLinks {
  static constexpr LinkStorage storage = LinkStorage::minimal_and_determinant;
  static constexpr int components = 5;
  static constexpr bool linear = false;

  template <class V>
  KOKKOS_FORCEINLINE_FUNCTION static ColorMatrix<V> decode(const Complex<V> (&stored)[components], const V& unit) {
    ColorMatrix<V> u = MinimalLinks::decode_rows(stored, unit);
    complete_third_row(u, unit * stored[4]);
    return u;
  }
  template <class Round>
  KOKKOS_FUNCTION static void encode(Complex<double> (&stored)[components], const ColorMatrix<double>& u,
                                     const Round& round) {
    MinimalLinks::encode_rows(stored, u, round);
    stored[4] = phase_of_third_row(u);
  }
};

/// Throws `Error` where links are stored in another way than a kernel wants.
void require_storage(LinkStorage storage, LinkStorage wanted);

}  // namespace kaon::detail
