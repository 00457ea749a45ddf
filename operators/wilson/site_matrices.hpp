// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/fields/field_access.hpp"
#include "operators/stencil/host_sum.hpp"
#include "operators/stencil/site_term.hpp"

#include <kaon/core/clover_field.hpp>
#include <kaon/core/spinor_field.hpp>

namespace kaon::detail {

/// A `HermitianBlock` of a host. Its numbers are loaded at their use, since a copy would be stored first.
template <class T, class V>
struct StoredBlock {
  const T* address;

  KOKKOS_FORCEINLINE_FUNCTION V diagonal(int row) const { return load_numbers<V>(address + row * lane_count<V>); }
};
/// Element n below the diagonal, row by row.
template <class T, class V>
KOKKOS_FORCEINLINE_FUNCTION Complex<V> below(const StoredBlock<T, V>& block, int n) {
  const T* const from = block.address + (6 + 2 * n) * lane_count<V>;
  Complex<V> element{load_numbers<V>(from), load_numbers<V>(from + lane_count<V>)};
  hold(element);
  return element;
}
template <class V>
KOKKOS_FORCEINLINE_FUNCTION const Complex<V>& below(const HermitianBlock<V>& block, int n) {
  return block.below[n];
}

/// out = C in for a 6x6 Hermitian block, in on the two spins of a chirality. 276 flops as written here and by QUDA.
template <class Block, class V>
KOKKOS_FORCEINLINE_FUNCTION void multiply_block(ColorVector<V> (&out)[2], const Block& block,
                                                const ColorVector<V> (&in)[2]) {
  KAON_UNROLL
  for (int row = 0; row < 6; ++row) out[row / 3].c[row % 3] = block.diagonal(row) * in[row / 3].c[row % 3];
  KAON_UNROLL
  for (int row = 1; row < 6; ++row) {
    KAON_UNROLL
    for (int column = 0; column < row; ++column) {
      const Complex<V>& element = below(block, row * (row - 1) / 2 + column);
      multiply_add(out[row / 3].c[row % 3], element, in[column / 3].c[column % 3]);
      conj_multiply_add(out[column / 3].c[column % 3], element, in[row / 3].c[row % 3]);
    }
  }
}

/// C psi on one site.
template <class T, class V>
KOKKOS_FORCEINLINE_FUNCTION Spinor<V> multiply_clover(const CloverAccess<const T, V>& clover, const Spinor<V>& psi,
                                                      int index) {
  Spinor<V> result;
  KAON_UNROLL
  for (int chirality = 0; chirality < 2; ++chirality) {
    const ColorVector<V> in[2] = {psi.s[2 * chirality], psi.s[2 * chirality + 1]};
    ColorVector<V> out[2];
    if constexpr (on_device) {
      multiply_block(out, clover.load_raw(index, chirality), in);
    } else {
      using Stored = std::remove_const_t<T>;
      multiply_block(
          out, StoredBlock<Stored, V>{CloverAccess<const T, V>::Object::fetch(clover.stream(chirality), index).address},
          in);
    }
    if constexpr (std::is_same_v<std::remove_const_t<T>, half>) {
      const V scale = clover.load_scale(index, chirality);
      multiply(out[0], scale);
      multiply(out[1], scale);
    }
    result.s[2 * chirality] = out[0];
    result.s[2 * chirality + 1] = out[1];
  }
  return result;
}

// The site matrices of Wilson-like operators, see operators/stencil/site_term.hpp. `label` is that of the matrix alone.

/// C, a clover field: 552 flops, 72 reals a site.
template <class T>
struct CloverMatrix {
  static constexpr const char* name = "clover";
  static constexpr const char* label = "kaon::clover";
  const CloverField<T>& field;

  template <class V>
  struct OnSites {
    CloverAccess<const T, V> clover;

    KOKKOS_FORCEINLINE_FUNCTION Spinor<V> operator()(const Spinor<V>& psi, int index) const {
      return multiply_clover(clover, psi, index);
    }
    KOKKOS_FORCEINLINE_FUNCTION void prefetch(int index) const {
      clover.prefetch(index, 0);
      clover.prefetch(index, 1);
    }
  };
  template <class V>
  OnSites<V> on_sites(Parity parity) const {
    return {access<V>(field, parity)};
  }
};

/// psi += i twist g5 chi, g5 = diag(1, 1, -1, -1). 48 flops a site.
template <class V>
KOKKOS_FORCEINLINE_FUNCTION void add_twist(Spinor<V>& psi, const V& twist, const Spinor<V>& chi) {
  KAON_UNROLL
  for (int spin = 0; spin < 4; ++spin) {
    const V factor = spin < 2 ? twist : -twist;
    KAON_UNROLL
    for (int color = 0; color < 3; ++color) {
      Complex<V>& z = psi.s[spin].c[color];
      const Complex<V>& y = chi.s[spin].c[color];
      z.re = z.re - factor * y.im;
      z.im = z.im + factor * y.re;
    }
  }
}

/// d + i twist g5, numbers: 72 flops a site.
struct TwistMatrix {
  static constexpr const char* name = "twist";
  static constexpr const char* label = "kaon::twist";
  double diagonal, twist;

  /// (d + i twist g5)^-1 = (d - i twist g5) / (d^2 + twist^2)
  TwistMatrix inverse() const {
    const double norm2 = diagonal * diagonal + twist * twist;
    return {diagonal / norm2, -twist / norm2};
  }

  template <class V>
  struct OnSites {
    Scalar<V> diagonal, twist;

    KOKKOS_FORCEINLINE_FUNCTION Spinor<V> operator()(const Spinor<V>& psi, int) const {
      Spinor<V> result = psi;
      multiply(result, V(diagonal));
      add_twist(result, V(twist), psi);
      return result;
    }
    KOKKOS_FORCEINLINE_FUNCTION void prefetch(int) const {}
  };
  template <class V>
  OnSites<V> on_sites(Parity) const {
    return {static_cast<Scalar<V>>(diagonal), static_cast<Scalar<V>>(twist)};
  }
};

/// Twists of even and of odd sites.
struct Twists {
  double even, odd;

  double on(Parity parity) const { return parity == Parity::even ? even : odd; }
  Twists operator-() const { return {-even, -odd}; }
};

/// C + i twist g5, C a clover field: 600 flops, 72 reals a site.
template <class T>
struct TwistedCloverMatrix {
  static constexpr const char* name = "twisted_clover";
  static constexpr const char* label = "kaon::twisted_clover";
  const CloverField<T>& field;
  Twists twist;

  template <class V>
  struct OnSites {
    typename CloverMatrix<T>::template OnSites<V> clover;
    Scalar<V> twist;

    KOKKOS_FORCEINLINE_FUNCTION Spinor<V> operator()(const Spinor<V>& psi, int index) const {
      Spinor<V> result = clover(psi, index);
      add_twist(result, V(twist), psi);
      return result;
    }
    KOKKOS_FORCEINLINE_FUNCTION void prefetch(int index) const { clover.prefetch(index); }
  };
  template <class V>
  OnSites<V> on_sites(Parity parity) const {
    return {CloverMatrix<T>{field}.template on_sites<V>(parity), static_cast<Scalar<V>>(twist.on(parity))};
  }
};

/// (C + i twist g5)^-1 = (C - i twist g5) R, R = (C^2 + twist^2)^-1: two Hermitian factors, which commute with each
/// other and with g5. 1152 flops, 144 reals a site.
template <class T>
struct TwistedCloverInverse {
  static constexpr const char* name = "twisted_clover";
  static constexpr const char* label = "kaon::inverse_twisted_clover";
  const CloverField<T>& field;         ///< C
  const CloverField<T>& norm_inverse;  ///< R
  Twists twist;

  template <class V>
  struct OnSites {
    typename TwistedCloverMatrix<T>::template OnSites<V> numerator;
    typename CloverMatrix<T>::template OnSites<V> norm_inverse;

    KOKKOS_FORCEINLINE_FUNCTION Spinor<V> operator()(const Spinor<V>& psi, int index) const {
      return numerator(norm_inverse(psi, index), index);
    }
    KOKKOS_FORCEINLINE_FUNCTION void prefetch(int index) const {
      norm_inverse.prefetch(index);
      numerator.prefetch(index);
    }
  };
  template <class V>
  OnSites<V> on_sites(Parity parity) const {
    return {TwistedCloverMatrix<T>{field, -twist}.template on_sites<V>(parity),
            CloverMatrix<T>{norm_inverse}.template on_sites<V>(parity)};
  }
};

/// out = B in on one parity. `out` may be `in`.
template <class T, class Matrix>
void apply_site_matrix(SpinorField<T>& out, const SpinorField<T>& in, const Matrix& matrix);

/// A matrix on the two flavours of a site, tau3 and tau1 between them:
///   B = (C + i twist g5 tau3 + mix tau1) R,   C a clover field or the number `diagonal`, R a clover field or 1.
/// 120 flops a site and flavour, 648 with a clover field, 1200 with R.
template <class T>
struct DoubletMatrix {
  const CloverField<T>* clover;  ///< null: `diagonal`
  const CloverField<T>* norm_inverse;
  double diagonal, twist, mix;
};

/// out = B in + x_scale x on one parity, of fields with two slices; x may be null. `out` may be `in` or x.
template <class T>
void apply_doublet_matrix(SpinorField<T>& out, const SpinorField<T>& in, const DoubletMatrix<T>& matrix,
                          const SpinorField<T>* x, double x_scale);

}  // namespace kaon::detail
