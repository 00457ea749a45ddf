// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/device/team.hpp"
#include "multigrid/dense/column_packs.hpp"
#include "multigrid/dense/dense_elimination.hpp"
#include "multigrid/dense/pivot_search.hpp"

#include <limits>

namespace kaon::detail {

/// Columns that are eliminated before the rest of the matrix follows in one product.
inline constexpr int panel_columns = 8;
inline constexpr double largest_double = std::numeric_limits<double>::max();

/// |re| + |im|; infinity if that is not a number.
KOKKOS_FORCEINLINE_FUNCTION double size_of(const Complex<double>& a) {
  const double size = Kokkos::abs(a.re) + Kokkos::abs(a.im);
  return size <= largest_double ? size : Kokkos::Experimental::infinity_v<double>;
}

/// Columns that are eliminated together.
struct Panel {
  int first, columns;
  KOKKOS_FORCEINLINE_FUNCTION bool has(int column) const { return column >= first && column < first + columns; }
};

/// Numbers of a row in the columns of a panel; zeros beyond its last column.
struct PanelRow {
  Complex<double> number[panel_columns];

  KOKKOS_FORCEINLINE_FUNCTION void load(const ColumnsOfMatrix& a, const Panel& panel, int row) {
    KAON_UNROLL
    for (int j = 0; j < panel_columns; ++j) {
      number[j] = j < panel.columns ? a.get(row, panel.first + j) : Complex<double>{0.0, 0.0};
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void store(const ColumnsOfMatrix& a, const Panel& panel, int row) const {
    KAON_UNROLL
    for (int j = 0; j < panel_columns; ++j) {
      if (j < panel.columns) a.set(row, panel.first + j, number[j]);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void load(const double* from) {
    KAON_UNROLL
    for (int j = 0; j < panel_columns; ++j) number[j] = load_number(from + 2 * j);
  }
  KOKKOS_FORCEINLINE_FUNCTION void store(double* to) const {
    KAON_UNROLL
    for (int j = 0; j < panel_columns; ++j)
      *reinterpret_cast<Word<double, 1>*>(to + 2 * j) = {{number[j].re, number[j].im}};
  }
};

/// The rows of a thread in a panel: number `rank`, rank + threads, ... of the matrix. At most R of them are in its
/// registers from step to step.
template <int R>
class PanelRows {
 public:
  KOKKOS_FORCEINLINE_FUNCTION PanelRows(const Team& team, const ColumnsOfMatrix& a, const Panel& panel)
      : a_(a), panel_(panel), rank_(team.team_rank()), threads_(team.team_size()) {
    for_each([&](int row, PanelRow& numbers) { numbers.load(a_, panel_, row); });
  }
  /// body(row, numbers), which may change them.
  template <class Body>
  KOKKOS_FORCEINLINE_FUNCTION void for_each(const Body& body) {
    KAON_UNROLL
    for (int r = 0; r < R; ++r) {
      const int row = rank_ + r * threads_;
      if (row < a_.dimension) body(row, rows_[r]);
    }
  }
  /// Writes a row to the team's memory, if it is this thread's.
  KOKKOS_FORCEINLINE_FUNCTION void show(int row, double* to) const {
    KAON_UNROLL
    for (int r = 0; r < R; ++r) {
      if (row == rank_ + r * threads_) rows_[r].store(to);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void store() {
    for_each([&](int row, const PanelRow& numbers) { numbers.store(a_, panel_, row); });
  }

 private:
  const ColumnsOfMatrix& a_;
  const Panel& panel_;
  int rank_, threads_;
  PanelRow rows_[R];
};

/// Any number of rows, which remain in the matrix.
template <>
class PanelRows<0> {
 public:
  KOKKOS_FORCEINLINE_FUNCTION PanelRows(const Team& team, const ColumnsOfMatrix& a, const Panel& panel)
      : a_(a), panel_(panel), rank_(team.team_rank()), threads_(team.team_size()) {}
  template <class Body>
  KOKKOS_FORCEINLINE_FUNCTION void for_each(const Body& body) {
    for (int row = rank_; row < a_.dimension; row += threads_) {
      PanelRow numbers;
      numbers.load(a_, panel_, row);
      body(row, numbers);
      numbers.store(a_, panel_, row);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void show(int row, double* to) const {
    if (row % threads_ != rank_) return;
    PanelRow numbers;
    numbers.load(a_, panel_, row);
    numbers.store(to);
  }
  KOKKOS_FORCEINLINE_FUNCTION void store() const {}

 private:
  const ColumnsOfMatrix& a_;
  const Panel& panel_;
  int rank_, threads_;
};

/// Eliminates the columns of a panel, in these columns alone. They then hold G: the matrix becomes A + G B in other
/// columns, with B the pivots' rows and with zeros in A there. One team, whose threads hold up to R rows in registers
/// each; R = 0: in memory.
template <int R>
struct EliminatePanel {
  static constexpr int max_team_size = 512;
  static constexpr unsigned min_teams = 1;

  ColumnsOfMatrix a;
  Panel panel;
  double smallest_pivot;
  int* pivot_rows;  ///< [column]: the row that was exchanged with the pivot's
  int* singular;
  int team_bytes;

  /// The memory of the team. Rows are [column of the panel][re, im].
  struct Shared {
    double* pivot;      ///< the pivot's row
    double* displaced;  ///< the row in whose place it comes
    double* scaled;     ///< the pivot's row divided by the pivot, which itself becomes its inverse
    PivotSearch search;
  };
  static int bytes(int threads) { return 3 * row_bytes + PivotSearch::bytes(threads); }

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const Shared shared = memory(team);
    PanelRows<R> rows(team, a, panel);
    PivotCandidate best{-1.0, panel.first};
    rows.for_each([&](int row, const PanelRow& numbers) {
      if (row >= panel.first) best.take({size_of(numbers.number[0]), row});
    });
    KAON_UNROLL
    for (int c = 0; c < panel_columns; ++c) {
      if (c < panel.columns) best = step(team, shared, rows, c, best);
    }
    rows.store();
  }

 private:
  static constexpr int row_bytes = panel_columns * 2 * static_cast<int>(sizeof(double));

  KOKKOS_FUNCTION Shared memory(const Team& team) const {
    auto* const numbers = static_cast<double*>(team_memory(team, team_bytes));
    constexpr int row = 2 * panel_columns;
    double* const size = numbers + 3 * row;
    return {numbers, numbers + row, numbers + 2 * row, {size, reinterpret_cast<int*>(size + team.team_size())}};
  }

  /// Eliminates column c. Takes and returns the thread's candidate for the pivot of a column, the next one.
  KOKKOS_FORCEINLINE_FUNCTION PivotCandidate step(const Team& team, const Shared& shared, PanelRows<R>& rows, int c,
                                                  const PivotCandidate& mine) const {
    const int k = panel.first + c;
    const PivotCandidate pivot = shared.search.largest(team, mine);
    if (team.team_rank() == 0) {
      pivot_rows[k] = pivot.row;
      if (!(pivot.size > smallest_pivot && pivot.size <= largest_double)) *singular = 1;
    }
    rows.show(pivot.row, shared.pivot);
    rows.show(k, shared.displaced);
    team.team_barrier();
    scale(team, shared, c);
    team.team_barrier();
    PivotCandidate best{-1.0, k};
    rows.for_each([&](int row, PanelRow& numbers) {
      if (row == pivot.row) numbers.load(shared.displaced);
      Complex<double> factor = -numbers.number[c];
      numbers.number[c] = {0.0, 0.0};
      if (row == k) {  // becomes the pivot's row
        numbers = {};
        factor = {1.0, 0.0};
      }
      KAON_UNROLL
      for (int j = 0; j < panel_columns; ++j)
        multiply_add(numbers.number[j], factor, load_number(shared.scaled + 2 * j));
      if (c + 1 < panel_columns && row > k) best.take({size_of(numbers.number[c + 1]), row});
    });
    return best;
  }
  KOKKOS_FORCEINLINE_FUNCTION static void scale(const Team& team, const Shared& shared, int c) {
    for (int j = team.team_rank(); j < panel_columns; j += team.team_size()) {
      const Complex<double> pivot = load_number(shared.pivot + 2 * c);
      const double norm = pivot.re * pivot.re + pivot.im * pivot.im;
      const Complex<double> inverse = (1.0 / norm) * conj(pivot);
      const Complex<double> scaled = j == c ? inverse : inverse * load_number(shared.pivot + 2 * j);
      shared.scaled[2 * j] = scaled.re;
      shared.scaled[2 * j + 1] = scaled.im;
    }
  }
};

}  // namespace kaon::detail
