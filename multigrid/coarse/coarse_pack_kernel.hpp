// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "multigrid/coarse/coarse_sum.hpp"
#include "multigrid/dense/column_packs.hpp"

#include <cstddef>

namespace kaon::detail {

/// Right-hand sides that share a link in registers.
inline constexpr int pack_right_hand_sides = 4;

/// `CoarseSum` on hosts: a thread computes a site for up to four right-hand sides at once, its rows in packs of V. Each
/// column of a matrix is loaded and widened once. Each of its packs is multiplied by the broadcast numbers of the
/// inputs in 4 x `right_hand_sides` fused multiply-adds.
template <class Sum, class V>
struct CoarsePackKernel {
  using L = typename Sum::Stored;
  static constexpr int max_team_size = 1;
  static constexpr unsigned min_teams = 1;
  static constexpr int lanes = lane_count<V>;

  Sum sum;
  int team_sites;
  int together;    // right-hand sides
  int team_bytes;  // inputs of a site: [right-hand side][term][numbers of a site]

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    float* const inputs = static_cast<float*>(team_memory(team, team_bytes));
    const int first = team.league_rank() * team_sites;
    for (int site = first; site < Kokkos::min(first + team_sites, sum.sites); ++site) {
      for (int rhs = 0; rhs < sum.right_hand_sides; rhs += together) {
        with_count<pack_right_hand_sides>(Kokkos::min(together, sum.right_hand_sides - rhs),
                                          [&]<int taken>() { at_site<taken>(inputs, site, rhs); });
      }
    }
  }

 private:
  // Packs of rows whose sums fit into the 32 registers: a sum has two for each right-hand side.
  template <int taken>
  static constexpr int most_packs = taken == 1   ? 5
                                    : taken == 2 ? 5
                                    : taken == 3 ? 4
                                                 : 3;

  template <int taken>
  KOKKOS_FORCEINLINE_FUNCTION void at_site(float* inputs, int site, int rhs) const {
    const int numbers = 2 * sum.components;
    if constexpr (Sum::InputsOf::computed) {
      sum.inputs.template compute_packs<V, taken>(inputs, sum, site, rhs);
    } else {
      for (int k = 0; k < taken; ++k) {
        float* to = inputs + k * sum.terms * numbers;
        for (int term = 0; term < sum.terms; ++term, to += numbers) {
          const float* from = sum.input(site, term, rhs + k);
          const V unit(sum.unit(site, term));
          for (int i = 0; i < numbers; i += lanes) store_lanes<V>(to + i, unit * load_lanes<V>(from + i));
        }
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

  /// Rows [first_pack, first_pack + packs) of W.
  template <int taken, int packs>
  KAON_KERNEL_PART void block(const float* inputs, int site, int rhs, int first_pack) const {
    Complex<V> sums[taken][packs];
    KAON_UNROLL
    for (int k = 0; k < taken; ++k) {
      KAON_UNROLL
      for (int r = 0; r < packs; ++r) sums[k][r] = {V(0), V(0)};
    }
    const int numbers = 2 * sum.components;
    const int stride = sum.terms * numbers;
    const L* column = sum.matrix(site) + 2 * lanes * first_pack;
    // With its last right-hand sides, a thread prefetches the links of the next site.
    const bool is_last = rhs + taken == sum.right_hand_sides;
    const std::ptrdiff_t ahead = sum.matrix(1) - sum.matrix(0);
    constexpr int line_numbers = 64 / static_cast<int>(sizeof(L));
    constexpr int lines = (2 * lanes * packs + line_numbers - 1) / line_numbers;
    for (const float* input = inputs; input != inputs + stride; input += 2 * lanes) {
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
          const float* number = input + k * stride + lane;
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
      float* to = sum.out + number * sum.out_stride + offset;
      const float* x = sum.x == nullptr ? nullptr : sum.x + number * sum.x_stride + offset;
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
