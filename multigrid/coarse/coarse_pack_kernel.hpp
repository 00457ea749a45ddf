// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/device/team.hpp"
#include "core/lanes/fixed_point.hpp"
#include "multigrid/coarse/coarse_sum.hpp"
#include "multigrid/dense/column_packs.hpp"

#include <cstddef>

namespace kaon::detail {

/// Right-hand sides that share a link in registers.
inline constexpr int pack_right_hand_sides = 4;

/// Where a row of E finds its 12 numbers: behind which face, and at which of its neighbour's numbers in packs of W.
template <int W>
struct OuterPlaces {
  int face[outer_columns][hypercube_components]{};
  int number[outer_columns][hypercube_components]{};

  constexpr OuterPlaces() {
    for (int column = 0; column < outer_columns; ++column) {
      const int mu = column / colors;
      for (int row = 0; row < hypercube_components; ++row) {
        const int y = site_of_component(row), component = first_component(y ^ 1 << mu) + column % colors;
        face[column][row] = 2 * mu + 1 - (y >> mu & 1);
        number[column][row] = component / W * W + component;
      }
    }
  }
};

/// `CoarseSum` on hosts: a thread takes a site, packs of V its rows, with up to four right-hand sides at once. A column
/// of a matrix is then loaded, and widened, once, and each of its packs meets the broadcast numbers of the inputs in
/// 4 x `right_hand_sides` fused multiply-adds.
template <class T, class L, class V>
struct CoarsePackKernel {
  static constexpr int max_team_size = 1;
  static constexpr unsigned min_teams = 1;
  static constexpr int lanes = lane_count<V>;

  CoarseSum<T, L> sum;
  int team_sites;
  int together;    // right-hand sides
  int team_bytes;  // inputs of a site: [right-hand side][term][numbers of a site]

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    T* const inputs = static_cast<T*>(team_memory(team, team_bytes));
    const int first = team.league_rank() * team_sites;
    for (int site = first; site < Kokkos::min(first + team_sites, sum.sites); ++site) {
      for (int rhs = 0; rhs < sum.right_hand_sides; rhs += together) {
        with_count<pack_right_hand_sides>(Kokkos::min(together, sum.right_hand_sides - rhs),
                                          [&]<int taken>() { at_site<taken>(inputs, site, rhs); });
      }
    }
  }

 private:
  // Packs of rows whose sums stay in registers: two for each right-hand side, of 32.
  template <int taken>
  static constexpr int most_packs = taken == 1   ? 5
                                    : taken == 2 ? 5
                                    : taken == 3 ? 4
                                                 : 3;

  template <int taken>
  KOKKOS_FORCEINLINE_FUNCTION void at_site(T* inputs, int site, int rhs) const {
    const int numbers = 2 * sum.components;
    if (sum.outer != nullptr) bring_outer_hops<taken>(inputs, site, rhs);
    for (int k = 0; sum.outer == nullptr && k < taken; ++k) {
      T* to = inputs + k * sum.terms * numbers;
      for (int term = 0; term < sum.terms; ++term, to += numbers) {
        const T* from = sum.input(site, term, rhs + k);
        const V unit(sum.unit(site, term));
        for (int i = 0; i < numbers; i += lanes) store_lanes<V>(to + i, unit * load_lanes<V>(from + i));
      }
    }
    const int packs = sum.components / lanes;
    int blocks = (packs + most_packs<taken> - 1) / most_packs<taken>;
    for (int pack = 0; pack < packs; --blocks) {
      const int count = (packs - pack + blocks - 1) / blocks;
      with_count<most_packs<taken>>(count, [&]<int rows>() { block<taken, rows>(inputs, site, rhs, pack); });
      pack += count;
    }
  }

  /// E in, in the place of inputs.
  template <int taken>
  KAON_KERNEL_PART void bring_outer_hops(T* inputs, int site, int rhs) const {
    static constexpr OuterPlaces<lanes> places;
    constexpr int numbers = 2 * hypercube_components;
    const T nothing[numbers] = {};
    typename CoarseSum<T, L>::Numbers from[faces];
    for (int face = 0; face < faces; ++face) {
      from[face] =
          (sum.outer_faces >> face & 1) != 0 ? sum.neighbor(site, face) : typename CoarseSum<T, L>::Numbers{nothing, 0};
    }
    V unit(sum.unit(site, 0));
    if constexpr (std::is_same_v<L, half>) unit = unit * V(static_cast<T>(sum.outer_scales[site]));
    const L* const links = sum.outer + static_cast<std::size_t>(site) * outer_columns * numbers;
    for (int first = 0; first < hypercube_components; first += lanes) {
      Complex<V> total[taken];
      for (int k = 0; k < taken; ++k) total[k] = {V(0), V(0)};
      for (int column = 0; column < outer_columns; ++column) {
        Complex<V> link[1];
        load_packs(link, links + column * numbers + 2 * first);
        for (int k = 0; k < taken; ++k) {
          const auto gathered = [&](int part) {
            return in_lanes([&](int lane) {
              const auto& numbers_of = from[places.face[column][first + lane]];
              return numbers_of.data[static_cast<std::size_t>(rhs + k) * numbers_of.stride +
                                     static_cast<std::size_t>(places.number[column][first + lane] + part * lanes)];
            });
          };
          multiply_add(total[k], link[0], Complex<V>{gathered(0), gathered(1)});
        }
      }
      for (int k = 0; k < taken; ++k) {
        T* const to = inputs + k * numbers + 2 * first;
        store_lanes<V>(to, unit * total[k].re);
        store_lanes<V>(to + lanes, unit * total[k].im);
      }
    }
  }
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION static V in_lanes(const F& f) {
    if constexpr (is_pack<V>) {
      return V([&f](auto lane) { return f(static_cast<int>(lane)); });
    } else {
      return f(0);
    }
  }

  /// Rows [first_pack, first_pack + packs) of W.
  template <int taken, int packs>
  KAON_KERNEL_PART void block(const T* inputs, int site, int rhs, int first_pack) const {
    Complex<V> sums[taken][packs];
    KAON_UNROLL
    for (int k = 0; k < taken; ++k) {
      KAON_UNROLL
      for (int r = 0; r < packs; ++r) sums[k][r] = {V(0), V(0)};
    }
    const int numbers = 2 * sum.components;
    const int stride = sum.terms * numbers;
    const L* column = sum.matrix(site) + 2 * lanes * first_pack;
    // With its last right-hand sides, a thread asks for the links of the next site: they come while it works on these.
    const bool is_last = rhs + taken == sum.right_hand_sides;
    const std::ptrdiff_t ahead = sum.matrix(1) - sum.matrix(0);
    constexpr int line_numbers = 64 / static_cast<int>(sizeof(L));
    constexpr int lines = (2 * lanes * packs + line_numbers - 1) / line_numbers;
    for (const T* input = inputs; input != inputs + stride; input += 2 * lanes) {
      for (int lane = 0; lane < lanes; ++lane, column += numbers) {
        if (is_last) {
          constexpr int second_cache = 2;
          KAON_UNROLL
          for (int line = 0; line < lines; ++line) {
            __builtin_prefetch(column + ahead + line * line_numbers, 0, second_cache);
          }
        }
        Complex<V> link[packs];
        load_packs(link, column);
        KAON_UNROLL
        for (int k = 0; k < taken; ++k) {
          const T* number = input + k * stride + lane;
          const Complex<V> factor{V(number[0]), V(number[lanes])};
          KAON_UNROLL
          for (int r = 0; r < packs; ++r) multiply_add(sums[k][r], link[r], factor);
        }
      }
    }
    const std::size_t offset = static_cast<std::size_t>(site) * static_cast<std::size_t>(numbers) +
                               static_cast<std::size_t>(2 * lanes * first_pack);
    KAON_UNROLL
    for (int k = 0; k < taken; ++k) {
      const auto number = static_cast<std::size_t>(rhs + k);
      T* to = sum.out + number * sum.out_stride + offset;
      const T* x = sum.x == nullptr ? nullptr : sum.x + number * sum.x_stride + offset;
      KAON_UNROLL
      for (int r = 0; r < packs; ++r, to += 2 * lanes) {
        V re = V(sum.scale) * sums[k][r].re, im = V(sum.scale) * sums[k][r].im;
        if (x != nullptr) {
          re = re + V(sum.x_scale) * load_lanes<V>(x + 2 * r * lanes);
          im = im + V(sum.x_scale) * load_lanes<V>(x + (2 * r + 1) * lanes);
        }
        store_lanes<V>(to, re);
        store_lanes<V>(to + lanes, im);
      }
    }
  }
};

}  // namespace kaon::detail
