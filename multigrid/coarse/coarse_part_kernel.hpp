// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/device/primitives.hpp"
#include "core/device/team.hpp"
#include "core/fields/layout.hpp"
#include "multigrid/coarse/coarse_team_sum.hpp"
#include "multigrid/dense/column_packs.hpp"

namespace kaon::detail {

/// Rows of a column that a thread reads as one word, of 16 bytes where n allows it.
template <class L>
constexpr int word_rows(int components) {
  return std::is_same_v<L, half> ? (components % 4 == 0 ? 4 : 2) : 8 / static_cast<int>(sizeof(L));
}

/// `CoarseSum` with the parallelism of arXiv:1612.07873: sites, rows, and the sum over directions and columns are split
/// among threads, and right-hand sides share the links of a thread.
///
/// A team computes some sites for `taken` right-hand sides. Its threads first copy the inputs to the team's memory.
/// Thread (part, word) of a site then sums columns part, part + parts, ... of the long matrix, in the rows of its word:
/// consecutive threads read consecutive words of the links. Finally, the partial sums are added in a fixed order.
template <class Sum, int rows, int taken>
struct CoarsePartKernel : CoarseTeamSum<Sum> {
  using Base = CoarseTeamSum<Sum>;
  using Base::sum, Base::by_components;
  using typename Base::L;
  using typename Base::Number;

  static constexpr int max_team_size = 512;
  static constexpr unsigned min_teams = taken < 4 ? 2 : 1;

  int team_sites;
  int parts;
  int groups;  // of right-hand sides
  int team_bytes;
  Divisor by_groups, by_words, by_parts;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    sum.halo.pack(team);
    int group;
    const int tile = by_groups.divide(team.league_rank(), group);
    const int first = tile * team_sites, first_rhs = group * taken;
    const int sites = Kokkos::min(team_sites, sum.sites - first);
    Number* const inputs = static_cast<Number*>(team_memory(team, team_bytes));
    Number* const sums = inputs + team_sites * columns() * taken;
    this->template bring_inputs<taken, taken>(team, inputs, first, sites, first_rhs, 0);
    team.team_barrier();
    const int threads = parts * by_words.divisor();
    for (int item = team.team_rank(); item < sites * threads; item += team.team_size()) {
      int word, part;
      const int site = by_parts.divide(by_words.divide(item, word), part);
      add_part(inputs, sums, first, site, part, word);
    }
    team.team_barrier();
    add_parts(team, sums, first, sites, first_rhs);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION int columns() const { return sum.terms * sum.components; }

  /// `rows` numbers of a column, from row `row` on.
  KOKKOS_FORCEINLINE_FUNCTION void load_rows(Number (&link)[rows], const L* column, int row) const {
    if constexpr (!on_device) {
      for (int r = 0; r < rows; ++r) link[r] = sum.load_link(column + sum.position(row + r));
    } else {
      load_word_of_numbers(link, column + 2 * row);
    }
  }

  /// The part of a sum in the rows of a word.
  KOKKOS_FORCEINLINE_FUNCTION void add_part(const Number* inputs, Number* sums, int first, int site, int part,
                                            int word) const {
    const int n = sum.components, row = word * rows;
    const L* const matrix = sum.matrix(first + site);
    Number mine[taken][rows] = {};
    const auto add_column = [&](const Number(&link)[rows], int column) {
      KAON_UNROLL
      for (int k = 0; k < taken; ++k) {
        const Number factor = inputs[(site * columns() + column) * taken + k];
        KAON_UNROLL
        for (int r = 0; r < rows; ++r) multiply_add(mine[k][r], link[r], factor);
      }
    };
    const auto column_at = [&](int column) {
      return matrix + static_cast<std::size_t>(column) * static_cast<std::size_t>(2 * n);
    };
    constexpr int ahead = 4;  // pending loads
    int column = part;
    for (; column + (ahead - 1) * parts < columns(); column += ahead * parts) {
      Number link[ahead][rows];
      KAON_UNROLL
      for (int a = 0; a < ahead; ++a) load_rows(link[a], column_at(column + a * parts), row);
      KAON_UNROLL
      for (int a = 0; a < ahead; ++a) add_column(link[a], column + a * parts);
    }
    for (; column < columns(); column += parts) {
      Number link[rows];
      load_rows(link, column_at(column), row);
      add_column(link, column);
    }
    KAON_UNROLL
    for (int k = 0; k < taken; ++k) {
      KAON_UNROLL
      for (int r = 0; r < rows; ++r) {
        sums[((site * parts + part) * taken + k) * n + row + r] = mine[k][r];
      }
    }
  }

  /// sums: [site][part][right-hand side][row]
  KOKKOS_FORCEINLINE_FUNCTION void add_parts(const Team& team, const Number* sums, int first, int sites,
                                             int first_rhs) const {
    const int n = sum.components;
    for (int item = team.team_rank(); item < sites * taken * n; item += team.team_size()) {
      int row;
      const int rest = by_components.divide(item, row);
      const int k = rest % taken, site = rest / taken;
      if (first_rhs + k >= sum.right_hand_sides) continue;
      Number total{0.0F, 0.0F};
      for (int part = 0; part < parts; ++part) total += sums[((site * parts + part) * taken + k) * n + row];
      this->store(total, first + site, row, first_rhs + k);
    }
  }
};

}  // namespace kaon::detail
