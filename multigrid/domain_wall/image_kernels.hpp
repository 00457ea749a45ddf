// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "multigrid/domain_wall/corner_kernels.hpp"

namespace kaon::detail {

/// The parts of an image at the sites of an aggregate, [kind][position][site, displacement of the columns].
struct ImageParts {
  const int* table;
  int positions;

  KOKKOS_FORCEINLINE_FUNCTION const int* part(int kind, int position) const {
    return table + 2 * (kind * positions + position);
  }
};

/// Numbers of the coarse sites a + d, [site a][d].
struct CornerNeighbors {
  const int* table;
  int displacements;

  KOKKOS_FORCEINLINE_FUNCTION int operator()(int site, int d) const { return table[site * displacements + d]; }
};

/// Copies the parts of an image whose columns have a colour from a column of a field to rows, [position][slice]
/// [component]. An item is an aggregate and position, and on devices a row of the site: its number has 32 bits.
struct GatherImages {
  FieldOfAggregates field;
  AggregateColumns rows;
  ImageParts parts;
  CornerNeighbors neighbors;
  const int* colors;  ///< [aggregate]
  int color;
  int column, to_column;  ///< of the field and of `rows`
  int rows_of_site;
  int aggregates;

  KOKKOS_FORCEINLINE_FUNCTION int numbers() const { return field.slices * field.components; }
  int items() const { return aggregates * parts.positions * (on_device ? numbers() : 1); }
  KOKKOS_FUNCTION void operator()(int item) const {
    int number = 0;
    if constexpr (on_device) {
      number = item % numbers();
      item /= numbers();
    }
    const int position = item % parts.positions, aggregate = item / parts.positions;
    const int* const part = parts.part(field.sites.kinds[aggregate], position);
    if (part[0] < 0 || colors[neighbors(aggregate, part[1])] != color) return;
    float* const to = rows.column(aggregate, to_column) + position * rows_of_site;
    if constexpr (on_device) {
      copy(aggregate, number, part[0], to);
    } else {
      for (; number < numbers(); ++number) copy(aggregate, number, part[0], to);
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void copy(int aggregate, int number, int x, float* to) const {
    const int slice = number / field.components;
    const float* const from = field.number(aggregate, column, slice, number - slice * field.components, x);
    to[number] = from[0];
    to[rows.rows + number] = from[field.field.re_to_im];
  }
};

/// The pairs (e', e) with e - e' = d, and the positions of both parts at the sites that have them.
struct ImagePairs {
  /// A pair has the displacement -e', and the first entry and the number of entries for each kind.
  static constexpr int numbers = 5;

  const int* first;    ///< [d]
  const int* pairs;    ///< [pair][numbers]
  const int* entries;  ///< [entry][position of e', position of e]
  const int* kinds;    ///< [aggregate]
};

/// A_d(a)_jk = sum over pairs (e', e) with e - e' = d and sites x of a - e' of (M p_j)_{e'}(x)^dag (M p_k)_e(x). A team
/// has 4 columns p_j and K columns p_k of a matrix. Sums over `steps_of_sum` packs of a thread are in single precision,
/// the others in double. 8 flops and 8 (1/K + 1/4) bytes a row, j and k.
template <int K>
struct ImageProducts {
  static constexpr int max_team_size = aggregate_team_size;
  static constexpr unsigned min_teams = 2;
  static constexpr int J = 4, sums = 2 * J * K;
  using V = AggregateColumns::V;

  AggregateColumns left, right;
  CornerMatrices out;
  ImagePairs pairs;
  CornerNeighbors neighbors;
  const int* wanted;  ///< displacements
  int displacements, tiles, groups;
  int first_row, first_column;  ///< of the matrices
  int left_columns, right_columns;
  int rows_of_site;
  int steps_of_sum;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const int rank = team.league_rank(), group = rank % groups, tile = rank / groups % tiles;
    const int d = wanted[rank / groups / tiles % displacements], site = rank / groups / tiles / displacements;
    Sums of_thread;
    for (int pair = pairs.first[d]; pair < pairs.first[d + 1]; ++pair) {
      const int* const of_pair = pairs.pairs + ImagePairs::numbers * pair;
      const int aggregate = neighbors(site, of_pair[0]), kind = pairs.kinds[aggregate];
      add_sites(team, of_thread, aggregate, tile, group, pairs.entries + 2 * of_pair[1 + 2 * kind],
                of_pair[2 + 2 * kind]);
    }
    of_thread.widen_parts();
    auto of_team = sum_over_team(team, of_thread.total);
    for (int number = team.team_rank(); number < sums; number += team.team_size()) {
      const int j = tile * J + number / 2 / K, k = group * K + number / 2 % K;
      if (j >= left_columns || k >= right_columns) continue;
      float* const element = out.element(site, d, first_row + j, first_column + k);
      element[number % 2 * CornerMatrices::pack] = static_cast<float>(of_team[number]);
    }
  }

 private:
  /// Sums of a thread: of some packs in single precision, of all before them in double.
  struct Sums {
    Complex<V> part[J][K];
    double total[sums] = {};
    int steps = 0;

    KOKKOS_FORCEINLINE_FUNCTION Sums() { clear(); }
    KOKKOS_FORCEINLINE_FUNCTION void clear() {
      KAON_UNROLL
      for (int j = 0; j < J; ++j) {
        KAON_UNROLL
        for (int k = 0; k < K; ++k) part[j][k] = {V(0), V(0)};
      }
      steps = 0;
    }
    KOKKOS_FORCEINLINE_FUNCTION void widen_parts() {
      KAON_UNROLL
      for (int j = 0; j < J; ++j) {
        KAON_UNROLL
        for (int k = 0; k < K; ++k) {
          total[2 * (j * K + k)] += sum_lanes(widen(part[j][k].re));
          total[2 * (j * K + k) + 1] += sum_lanes(widen(part[j][k].im));
        }
      }
      clear();
    }
  };

  KOKKOS_FORCEINLINE_FUNCTION void add_sites(const Team& team, Sums& of_thread, int aggregate, int tile, int group,
                                             const int* entries, int count) const {
    constexpr int lanes = lane_count<V>;
    const float *of_left[J], *of_right[K];
    KAON_UNROLL
    for (int j = 0; j < J; ++j) of_left[j] = left.column(aggregate, Kokkos::min(tile * J + j, left_columns - 1));
    KAON_UNROLL
    for (int k = 0; k < K; ++k) of_right[k] = right.column(aggregate, Kokkos::min(group * K + k, right_columns - 1));
    const int packs = rows_of_site / lanes, items = count * packs;
    for (int item = team.team_rank(); item < items; item += team.team_size()) {
      const int entry = item / packs, row = (item - entry * packs) * lanes;
      const int row_of_left = entries[2 * entry] * rows_of_site + row;
      const int row_of_right = entries[2 * entry + 1] * rows_of_site + row;
      Complex<V> right_k[K];
      KAON_UNROLL
      for (int k = 0; k < K; ++k) right_k[k] = right.load(of_right[k], row_of_right);
      KAON_UNROLL
      for (int j = 0; j < J; ++j) {
        const Complex<V> left_j = left.load(of_left[j], row_of_left);
        KAON_UNROLL
        for (int k = 0; k < K; ++k) conj_multiply_add(of_thread.part[j][k], left_j, right_k[k]);
      }
      if (++of_thread.steps == steps_of_sum) of_thread.widen_parts();
    }
  }
};

/// A_{-d}(a + d) = A_d(a)^dag for some rows and columns of A_d(a) and some d. Matrices on the diagonal of rows and
/// columns with d = -d remain as they are.
struct AdjointCorners {
  CornerMatrices matrices;
  CornerNeighbors neighbors;
  const int *wanted, *opposites;
  int displacements;
  int first_row, first_column, rows, columns;

  std::size_t items(int aggregates) const {
    return static_cast<std::size_t>(aggregates) * static_cast<std::size_t>(displacements) *
           static_cast<std::size_t>(rows * columns);
  }
  KOKKOS_FUNCTION void operator()(std::size_t item) const {
    const int row = first_row + static_cast<int>(item % static_cast<std::size_t>(rows));
    item /= static_cast<std::size_t>(rows);
    const int column = first_column + static_cast<int>(item % static_cast<std::size_t>(columns));
    item /= static_cast<std::size_t>(columns);
    const int d = wanted[item % static_cast<std::size_t>(displacements)], to = opposites[d];
    if (to == d && first_row == first_column) return;
    const int site = static_cast<int>(item / static_cast<std::size_t>(displacements));
    const float* const element = matrices.element(site, d, row, column);
    float* const adjoint = matrices.element(neighbors(site, d), to, column, row);
    adjoint[0] = element[0];
    adjoint[CornerMatrices::pack] = -element[CornerMatrices::pack];
  }
};

}  // namespace kaon::detail
