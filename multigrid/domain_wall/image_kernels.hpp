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

/// Copies the parts of images whose columns have a colour from the columns of a field to rows, [position][slice]
/// [component]. An item is an aggregate and position, and on devices a row of the site: its number has 32 bits.
struct GatherImages {
  FieldOfAggregates field;
  AggregateColumns rows;
  ImageParts parts;
  CornerNeighbors neighbors;
  const int* colors;  ///< [aggregate]
  int color;
  int columns, to_column;  ///< of the field; the first of `rows`
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
    for (int column = 0; column < columns; ++column) {
      float* const to = rows.column(aggregate, to_column + column) + position * rows_of_site;
      if constexpr (on_device) {
        copy(aggregate, column, number, part[0], to);
      } else {
        for (number = 0; number < numbers(); ++number) copy(aggregate, column, number, part[0], to);
      }
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void copy(int aggregate, int column, int number, int x, float* to) const {
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

/// Columns p_j and p_k whose products are parts of the matrices:
///   A_d(a)_jk = sum over pairs (e', e) with e - e' = d and sites x of a - e' of (M p_j)_{e'}(x)^dag (M p_k)_e(x)
struct ImageFactors {
  AggregateColumns left, right;
  CornerMatrices out;
  ImagePairs pairs;
  CornerNeighbors neighbors;
  const int* wanted;  ///< displacements
  int displacements;
  int first_row, first_column;  ///< of the matrices
  int left_columns, right_columns;
  int rows_of_site;
  int steps_of_sum;  ///< packs of a thread whose sums are in single precision, the others in double

  /// The part of a team: some columns for one matrix of a site.
  struct Task {
    int tile, group, d, site;
  };
  KOKKOS_FORCEINLINE_FUNCTION Task task(int rank, int tiles, int groups) const {
    const int group = rank % groups, tile = rank / groups % tiles;
    return {tile, group, wanted[rank / groups / tiles % displacements], rank / groups / tiles / displacements};
  }
  /// Calls body(aggregate, entries, number of entries) for each pair of a matrix.
  template <class Body>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_pair(const Task& task, const Body& body) const {
    for (int pair = pairs.first[task.d]; pair < pairs.first[task.d + 1]; ++pair) {
      const int* const of_pair = pairs.pairs + ImagePairs::numbers * pair;
      const int aggregate = neighbors(task.site, of_pair[0]), kind = pairs.kinds[aggregate];
      body(aggregate, pairs.entries + 2 * of_pair[1 + 2 * kind], of_pair[2 + 2 * kind]);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void put(const Task& task, int j, int k, int part, double value) const {
    if (j >= left_columns || k >= right_columns) return;
    float* const element = out.element(task.site, task.d, first_row + j, first_column + k);
    element[part * CornerMatrices::pack] = static_cast<float>(value);
  }
};

/// The products on hosts: a team has 4 columns p_j and K columns p_k of a matrix.
template <int K>
struct ImageProducts {
  static constexpr int max_team_size = aggregate_team_size;
  static constexpr unsigned min_teams = 2;
  static constexpr int J = 4, sums = 2 * J * K;
  using V = AggregateColumns::V;

  ImageFactors factors;
  int tiles, groups;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const ImageFactors::Task task = factors.task(team.league_rank(), tiles, groups);
    WidenedSums<V, J, K> of_thread;
    factors.for_each_pair(task, [&](int aggregate, const int* entries, int count) {
      add_sites(of_thread, aggregate, task, entries, count);
    });
    of_thread.widen_parts();
    for (int number = 0; number < sums; ++number) {
      factors.put(task, task.tile * J + number / 2 / K, task.group * K + number / 2 % K, number % 2,
                  of_thread.total[number]);
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void add_sites(WidenedSums<V, J, K>& of_thread, int aggregate,
                                             const ImageFactors::Task& task, const int* entries, int count) const {
    constexpr int lanes = lane_count<V>;
    const AggregateColumns &left = factors.left, &right = factors.right;
    const float *of_left[J], *of_right[K];
    KAON_UNROLL
    for (int j = 0; j < J; ++j) {
      of_left[j] = left.column(aggregate, Kokkos::min(task.tile * J + j, factors.left_columns - 1));
    }
    KAON_UNROLL
    for (int k = 0; k < K; ++k) {
      of_right[k] = right.column(aggregate, Kokkos::min(task.group * K + k, factors.right_columns - 1));
    }
    const int rows = factors.rows_of_site;
    for (int entry = 0; entry < count; ++entry) {
      for (int row = 0; row < rows; row += lanes) {
        Complex<V> left_j[J], right_k[K];
        KAON_UNROLL
        for (int j = 0; j < J; ++j) left_j[j] = left.load(of_left[j], entries[2 * entry] * rows + row);
        KAON_UNROLL
        for (int k = 0; k < K; ++k) right_k[k] = right.load(of_right[k], entries[2 * entry + 1] * rows + row);
        of_thread.add(left_j, right_k);
        if (++of_thread.steps == factors.steps_of_sum) of_thread.widen_parts();
      }
    }
  }
};

/// The products on devices: a team has 8 J columns p_j and 8 K columns p_k of a matrix, and brings some rows of them at
/// a time to its memory. A thread has J by K of the products, in a part of the rows. 8 flops and (1 / J + 1 / K) bytes
/// of the device's memory a row, j and k.
template <int J, int K>
struct ImageTiles {
  static constexpr int max_team_size = aggregate_team_size;
  static constexpr unsigned min_teams = 2;
  static constexpr int side = 8, positions = side * side, parts = max_team_size / positions;
  static constexpr int rows_at_once = 48, columns = side * (J + K), sums = 2 * J * K;
  using Number = Complex<float>;

  ImageFactors factors;
  int tiles, groups;
  int team_bytes;

  /// [row][column] with a column of padding; at the end [sum][position].
  static int bytes() { return rows_at_once * (columns + 1) * static_cast<int>(sizeof(Number)); }

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    static_assert(positions * sums * sizeof(double) <= rows_at_once * (columns + 1) * sizeof(Number));
    const ImageFactors::Task task = factors.task(team.league_rank(), tiles, groups);
    auto* const memory = static_cast<Number*>(team_memory(team, team_bytes));
    const int part = team.team_rank() / positions, j = team.team_rank() % side, k = team.team_rank() / side % side;
    WidenedSums<float, J, K> of_thread;
    factors.for_each_pair(task, [&](int aggregate, const int* entries, int count) {
      for (int entry = 0; entry < count; ++entry) {
        for (int row = 0; row < factors.rows_of_site; row += rows_at_once) {
          team.team_barrier();
          bring_rows(team, memory, task, aggregate, entries + 2 * entry, row);
          team.team_barrier();
          add_rows(of_thread, memory, part, j, k);
        }
      }
    });
    of_thread.widen_parts();
    add_parts(team, of_thread.total, static_cast<double*>(static_cast<void*>(memory)), part);
    for (int number = 0; part == 0 && number < sums; ++number) {
      const int r = number / 2 / K, c = number / 2 % K;
      factors.put(task, side * (task.tile * J + r) + j, side * (task.group * K + c) + k, number % 2,
                  of_thread.total[number]);
    }
  }

 private:
  /// Rows from `first` on of the sites of an entry, and zeros behind the last.
  KOKKOS_FORCEINLINE_FUNCTION void bring_rows(const Team& team, Number* memory, const ImageFactors::Task& task,
                                              int aggregate, const int* entry, int first) const {
    const int rows = factors.rows_of_site - first;
    KAON_UNROLL
    for (int done = 0; done < columns * rows_at_once; done += max_team_size) {
      const int item = done + team.team_rank(), row = item % rows_at_once, column = item / rows_at_once;
      if (columns * rows_at_once % max_team_size != 0 && column >= columns) continue;
      const bool is_left = column < side * J;
      const AggregateColumns& from = is_left ? factors.left : factors.right;
      const int number = is_left ? Kokkos::min(task.tile * side * J + column, factors.left_columns - 1)
                                 : Kokkos::min(task.group * side * K + column - side * J, factors.right_columns - 1);
      const float* const at =
          from.column(aggregate, number) + entry[is_left ? 0 : 1] * factors.rows_of_site + first + row;
      memory[row * (columns + 1) + column] = row < rows ? Number{at[0], at[from.rows]} : Number{0.0F, 0.0F};
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void add_rows(WidenedSums<float, J, K>& of_thread, const Number* memory, int part, int j,
                                            int k) const {
    constexpr int steps = rows_at_once / parts;
    KAON_UNROLL
    for (int step = 0; step < steps; ++step) {
      const Number* const row = memory + (step * parts + part) * (columns + 1);
      Number left[J], right[K];
      KAON_UNROLL
      for (int r = 0; r < J; ++r) left[r] = load_number(&row[side * r + j].re);
      KAON_UNROLL
      for (int c = 0; c < K; ++c) right[c] = load_number(&row[side * (J + c) + k].re);
      of_thread.add(left, right);
    }
    of_thread.steps += steps;
    if (of_thread.steps >= factors.steps_of_sum) of_thread.widen_parts();
  }
  /// Adds the sums of the other parts to those of part 0.
  KOKKOS_FORCEINLINE_FUNCTION static void add_parts(const Team& team, double (&total)[sums], double* memory, int part) {
    const int position = team.team_rank() % positions;
    for (int other = 1; other < parts; ++other) {
      team.team_barrier();
      for (int number = 0; part == other && number < sums; ++number) {
        memory[number * positions + position] = total[number];
      }
      team.team_barrier();
      for (int number = 0; part == 0 && number < sums; ++number) {
        total[number] += memory[number * positions + position];
      }
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
