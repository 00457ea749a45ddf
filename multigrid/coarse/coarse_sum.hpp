// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "comm/halo_exchange.hpp"
#include "core/lanes/algebra.hpp"
#include "multigrid/coarse/coarse_halo_pack.hpp"
#include "multigrid/dense/column_packs.hpp"
#include "multigrid/staggered/hypercube_sites.hpp"

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
  CoarseHaloPack<T> pack;  ///< of the neighbours' halos, by the first teams of the kernel that reads this one
};

/// Formula of kernels of coarse operators, for the sites a of one parity and some right-hand sides:
///
///   out(a) = x_scale x(a) + scale sum_d L_d(a) in(a + d),     d over `terms` of the matrices that a site has,
///
/// or, on hypercubes, with one term and hops E between them (`hypercube_factors`),
///
///   out(h) = x_scale x(h) + scale L(h) (E in)(h).
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

  const L* outer;             ///< E, [site][12 columns][numbers of a site]; null: none
  const float* outer_scales;  ///< [site]; null unless L is `half`
  unsigned outer_faces;       ///< bit d: E in is taken with neighbours behind face d

  CoarseHaloAccess<T> halo;

  const T* in;
  std::size_t in_stride;
  T* out;
  std::size_t out_stride;
  const T* x;  ///< null: none; may be `out`, and so may `in` where there are no neighbours
  std::size_t x_stride;
  T scale, x_scale;

  /// Numbers of a site, and how far those of the next right-hand side lie behind them.
  struct Numbers {
    const T* data;
    std::size_t stride;
  };
  /// Of the neighbour behind a face.
  KOKKOS_FORCEINLINE_FUNCTION Numbers neighbor(int site, int which) const {
    const std::size_t numbers = 2 * static_cast<std::size_t>(components);
    const int from = neighbors[8 * site + which];
    if (from < sites) return {in + static_cast<std::size_t>(from) * numbers, in_stride};
    halo.flags.wait(which);
    return {halo.face[which] + static_cast<std::size_t>(from - halo.first_site[which]) * numbers, halo.stride[which]};
  }
  /// Where the numbers of term d's input begin.
  KOKKOS_FORCEINLINE_FUNCTION const T* input(int site, int term, int right_hand_side) const {
    const auto k = static_cast<std::size_t>(right_hand_side);
    if (neighbors == nullptr) {
      return in + k * in_stride + static_cast<std::size_t>(site) * 2 * static_cast<std::size_t>(components);
    }
    const Numbers from = neighbor(site, face[term]);
    return from.data + k * from.stride;
  }
  /// total_k = (E in)(h) in a row, of `count` right-hand sides from `first` on, zero for others.
  template <int taken>
  KOKKOS_FORCEINLINE_FUNCTION void outer_hops(Complex<T> (&total)[taken], int site, int row, int first,
                                              int count) const {
    const std::size_t numbers = 2 * static_cast<std::size_t>(components);
    const int y = site_of_component(row), im = on_device ? 1 : lanes;
    KAON_UNROLL
    for (int k = 0; k < taken; ++k) total[k] = {T(0), T(0)};
    KAON_UNROLL
    for (int mu = 0; mu < directions; ++mu) {
      const int which = 2 * mu + 1 - (y >> mu & 1);
      if ((outer_faces >> which & 1) == 0) continue;
      const Numbers from = neighbor(site, which);
      const L* link =
          outer + (static_cast<std::size_t>(site) * outer_columns + static_cast<std::size_t>(colors * mu)) * numbers +
          position(row);
      const int partner = first_component(y ^ 1 << mu);
      KAON_UNROLL
      for (int b = 0; b < colors; ++b) {
        const Complex<T> factor = load_link(link + static_cast<std::size_t>(b) * numbers, im);
        const T* number = from.data + static_cast<std::size_t>(first) * from.stride + position(partner + b);
        KAON_UNROLL
        for (int k = 0; k < taken; ++k) {
          if (k < count) multiply_add(total[k], factor, load_pair(number + static_cast<std::size_t>(k) * from.stride));
        }
      }
    }
    if constexpr (std::is_same_v<L, half>) {
      KAON_UNROLL
      for (int k = 0; k < taken; ++k) total[k] = static_cast<T>(outer_scales[site]) * total[k];
    }
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

  /// A number of a field, whose real part is at `from`.
  KOKKOS_FORCEINLINE_FUNCTION Complex<T> load_pair(const T* from) const {
    if constexpr (on_device) return load_number(from);
    return {from[0], from[lanes]};
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION static Complex<T> load_link(const L* from, int im) {
    if constexpr (on_device) {
      Complex<T> link[1];
      load_word_of_numbers(link, from);
      return link[0];
    } else if constexpr (std::is_same_v<L, half>) {
      return {static_cast<T>(from[0].bits), static_cast<T>(from[im].bits)};
    } else {
      return {static_cast<T>(from[0]), static_cast<T>(from[im])};
    }
  }
};

}  // namespace kaon::detail
