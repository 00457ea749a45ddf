// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "comm/halo_exchange.hpp"
#include "core/lanes/algebra.hpp"

#include <kaon/core/precision.hpp>

#include <cstddef>
#include <type_traits>

namespace kaon::detail {

/// Halos of a field on a coarse lattice: for each face [right-hand side][halo site][numbers of a site].
template <class T>
struct CoarseHaloAccess {
  const T* face[faces] = {};
  std::size_t stride[faces] = {};  ///< between right-hand sides
  int first_site[faces] = {};      ///< number of a face's first halo site
  HaloFlags flags;
};

/// Formula of kernels of coarse operators, for the sites a of one parity and some right-hand sides:
///
///   out(a) = x_scale x(a) + scale sum_d L_d(a) in(a + d),     d over `terms` of the matrices that a site has.
///
/// The matrices are numbers of L in the order of `CoarseMatrices`. To each site the terms are one matrix of n rows and
/// terms n columns, times one long vector: the inputs of the terms, one behind the other.
/// Flops a site and right-hand side: 8 terms n^2 - 2 n, with x 4 n more. Source: arXiv:1612.07873, section 4.
template <class T, class L>
struct CoarseSum {
  int components;  ///< n
  int lanes;       ///< W of the fields
  int sites;
  int right_hand_sides;

  int terms;                 ///< d, that follow each other among the matrices of a site
  int matrices;              ///< of a site
  const L* links;            ///< matrix of the first term at site 0
  const float* link_scales;  ///< likewise; null unless L is `half`

  int face[faces];       ///< of each term: behind which its neighbour lies
  const int* neighbors;  ///< [site][8]; null: the site itself
  CoarseHaloAccess<T> halo;

  const T* in;
  std::size_t in_stride;
  T* out;
  std::size_t out_stride;
  const T* x;  ///< null: none; may be `out`, and so may `in` where there are no neighbours
  std::size_t x_stride;
  T scale, x_scale;

  /// Where the numbers of term d's input begin.
  KOKKOS_FORCEINLINE_FUNCTION const T* input(int site, int term, int right_hand_side) const {
    const std::size_t numbers = 2 * static_cast<std::size_t>(components);
    int from = site;
    if (neighbors != nullptr) {
      const int which = face[term];
      from = neighbors[8 * site + which];
      if (from >= sites) {
        halo.flags.wait(which);
        return halo.face[which] + static_cast<std::size_t>(right_hand_side) * halo.stride[which] +
               static_cast<std::size_t>(from - halo.first_site[which]) * numbers;
      }
    }
    return in + static_cast<std::size_t>(right_hand_side) * in_stride + static_cast<std::size_t>(from) * numbers;
  }
  /// Factor of the input of a term: the unit of its matrix.
  KOKKOS_FORCEINLINE_FUNCTION T unit([[maybe_unused]] int site, [[maybe_unused]] int term) const {
    if constexpr (std::is_same_v<L, half>) {
      return static_cast<T>(link_scales[static_cast<std::size_t>(site) * static_cast<std::size_t>(matrices) +
                                        static_cast<std::size_t>(term)]);
    } else {
      return T(1);
    }
  }
  /// The first number of the terms' matrix at a site.
  KOKKOS_FORCEINLINE_FUNCTION const L* matrix(int site) const {
    const auto n = static_cast<std::size_t>(components);
    return links + static_cast<std::size_t>(site) * static_cast<std::size_t>(matrices) * 2 * n * n;
  }
  /// Position of a component of a site's numbers: its real part, and `lanes` behind it the imaginary one.
  KOKKOS_FORCEINLINE_FUNCTION std::size_t position(int component) const {
    if constexpr (on_device) return 2 * static_cast<std::size_t>(component);
    const int pack = component / lanes;
    return static_cast<std::size_t>(pack * lanes + component);  // 2 W pack + lane
  }
};

}  // namespace kaon::detail
