// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/lanes/algebra.hpp"

#include <kaon/measure/contractions.hpp>

#include <vector>

// Wick contractions of baryons, and their products of colours.

namespace kaon::detail {

/// The colours of a pair of spins, [sink][source].
template <class V>
struct Colors {
  Complex<V> e[3][3];
};

template <class V>
KOKKOS_FORCEINLINE_FUNCTION Complex<V> dot(const Colors<V>& a, const Colors<V>& b) {
  Complex<V> sum = {V(0.0), V(0.0)};
  for (int c = 0; c < 9; ++c) detail::multiply_add(sum, a.e[c / 3][c % 3], b.e[c / 3][c % 3]);
  return sum;
}

template <class V>
KOKKOS_FORCEINLINE_FUNCTION void clear(Colors<V>& colors) {
  for (auto& row : colors.e) {
    for (auto& entry : row) entry = {V(0.0), V(0.0)};
  }
}

/// sum += sum_{ab a'b'} eps_abc eps_a'b'c' A_aa' B_bb', in c and c'.
template <class V>
KOKKOS_FORCEINLINE_FUNCTION void add_cross(Colors<V>& sum, const Colors<V>& a, const Colors<V>& b) {
  KAON_UNROLL
  for (int n = 0; n < 9; ++n) {
    const int c = n / 3, c1 = (c + 1) % 3, c2 = (c + 2) % 3;
    const int d = n % 3, d1 = (d + 1) % 3, d2 = (d + 2) % 3;
    detail::multiply_add(sum.e[c][d], a.e[c1][d1], b.e[c2][d2]);
    detail::multiply_add(sum.e[c][d], a.e[c2][d2], b.e[c1][d1]);
    detail::multiply_add(sum.e[c][d], -a.e[c1][d2], b.e[c2][d1]);
    detail::multiply_add(sum.e[c][d], -a.e[c2][d1], b.e[c1][d2]);
  }
}

/// `add_cross` to zero.
template <class V>
KOKKOS_FORCEINLINE_FUNCTION Colors<V> cross(const Colors<V>& a, const Colors<V>& b) {
  Colors<V> result;
  clear(result);
  add_cross(result, a, b);
  return result;
}

/// One Wick contraction: the propagators of the sink's quarks, and the place in the source's operator, 0 to 2, to which
/// each is joined.
struct Contraction {
  int quark[3];
  int place[3];
  double factor;
};

/// All contractions of the quarks of a sink with those of a source.
std::vector<Contraction> wick_contractions(const BaryonOperator& sink, const BaryonOperator& source);

/// G' = g_t G^* g_t^T, the diquark of Bbar.
SpinMatrix source_diquark(const BaryonOperator& source);

}  // namespace kaon::detail
