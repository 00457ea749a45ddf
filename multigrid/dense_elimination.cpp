// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/dense_elimination.hpp"

#include "core/device/team.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace kaon::detail {
namespace {

/// Columns that are eliminated before the rest of the matrix follows in one product.
constexpr int panel_columns = 8;
constexpr double largest_double = std::numeric_limits<double>::max();

/// |re| + |im|, infinity where that is not a number.
KOKKOS_FORCEINLINE_FUNCTION double size_of(const Complex<double>& a) {
  const double size = Kokkos::abs(a.re) + Kokkos::abs(a.im);
  return size <= largest_double ? size : Kokkos::Experimental::infinity_v<double>;
}

struct LargestOfRow {
  ColumnsOfMatrix a;

  KOKKOS_FUNCTION void operator()(const int row, double& largest) const {
    for (int column = 0; column < a.dimension; ++column) {
      const double size = size_of(a.get(row, column));
      if (size > largest) largest = size;
    }
  }
};

/// Columns that are eliminated together.
struct Panel {
  int first, columns;
  KOKKOS_FORCEINLINE_FUNCTION bool has(int column) const { return column >= first && column < first + columns; }
};

/// Eliminates the columns of a panel, in these columns alone. They then hold G: the matrix becomes A + G B in other
/// columns, with B the pivots' rows and with zeros in A there. One team.
struct EliminatePanel {
  static constexpr int max_team_size = 512;
  static constexpr unsigned min_teams = 1;
  /// Numbers of a row that are under way from memory together.
  static constexpr int loads_at_once = 8;

  ColumnsOfMatrix a;
  Panel panel;
  double smallest_pivot;
  int* pivot_rows;  ///< [column]: the row that was exchanged with the pivot's
  int* singular;
  int team_bytes;

  /// The memory of the team.
  struct Shared {
    double* size;        ///< [thread]: of the largest candidate for a pivot
    int* row;            ///< [thread]: its row
    double (*pivot)[2];  ///< [column of the panel]: the pivot's row
  };
  static int bytes(int threads) { return threads * 12 + 64 + panel_columns * 16; }

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const Shared shared = memory(team);
    Candidate best = begin(team);
    for (int c = 0; c < panel.columns; ++c) {
      const int k = panel.first + c;
      find_pivot(team, shared, best);
      const int row = shared.row[0];
      if (!(shared.size[0] > smallest_pivot && shared.size[0] <= largest_double) && team.team_rank() == 0)
        *singular = 1;
      exchange(team, shared, k, row);
      scale(team, shared, c);
      best = eliminate(team, shared, c);
    }
  }

 private:
  struct Candidate {
    double size;
    int row;
  };

  KOKKOS_FUNCTION Shared memory(const Team& team) const {
    auto* const pivot = static_cast<double(*)[2]>(team_memory(team, team_bytes));
    auto* const size = reinterpret_cast<double*>(pivot + panel_columns);
    return {size, reinterpret_cast<int*>(size + team.team_size()), pivot};
  }
  KOKKOS_FORCEINLINE_FUNCTION static void take(Candidate& best, double size, int row) {
    if (size > best.size) best = {size, row};
  }
  KOKKOS_FUNCTION Candidate begin(const Team& team) const {
    Candidate best{-1.0, panel.first};
    for (int row = panel.first + team.team_rank(); row < a.dimension; row += team.team_size()) {
      take(best, size_of(a.get(row, panel.first)), row);
    }
    return best;
  }
  /// The largest of all threads' candidates becomes that of thread 0, the first row of equal ones.
  KOKKOS_FUNCTION void find_pivot(const Team& team, const Shared& shared, const Candidate& best) const {
    const int rank = team.team_rank();
    team.team_barrier();
    shared.size[rank] = best.size;
    shared.row[rank] = best.row;
    int others = team.team_size();
    team.team_barrier();
    while (others > 1) {
      const int half = (others + 1) / 2;
      if (rank + half < others) {
        const double size = shared.size[rank + half];
        const int row = shared.row[rank + half];
        if (size > shared.size[rank] || (size == shared.size[rank] && row < shared.row[rank])) {
          shared.size[rank] = size;
          shared.row[rank] = row;
        }
      }
      others = half;
      team.team_barrier();
    }
  }
  /// Exchanges rows k and `row`, and shows what row k becomes.
  KOKKOS_FUNCTION void exchange(const Team& team, const Shared& shared, int k, int row) const {
    if (team.team_rank() == 0) pivot_rows[k] = row;
    for (int j = team.team_rank(); j < panel.columns; j += team.team_size()) {
      const Complex<double> pivot = a.get(row, panel.first + j);
      if (row != k) a.set(row, panel.first + j, a.get(k, panel.first + j));
      shared.pivot[j][0] = pivot.re;
      shared.pivot[j][1] = pivot.im;
    }
    team.team_barrier();
  }
  /// Divides the pivot's row by the pivot, which itself becomes its inverse.
  KOKKOS_FUNCTION void scale(const Team& team, const Shared& shared, int c) const {
    const Complex<double> pivot = {shared.pivot[c][0], shared.pivot[c][1]};
    const double norm = pivot.re * pivot.re + pivot.im * pivot.im;
    const Complex<double> inverse = (1.0 / norm) * conj(pivot);
    team.team_barrier();
    for (int j = team.team_rank(); j < panel.columns; j += team.team_size()) {
      const Complex<double> of_row = {shared.pivot[j][0], shared.pivot[j][1]};
      const Complex<double> scaled = j == c ? inverse : inverse * of_row;
      a.set(panel.first + c, panel.first + j, scaled);
      shared.pivot[j][0] = scaled.re;
      shared.pivot[j][1] = scaled.im;
    }
    team.team_barrier();
  }
  /// All other rows; the largest numbers of the next column are the candidates for its pivot.
  KOKKOS_FUNCTION Candidate eliminate(const Team& team, const Shared& shared, int c) const {
    const int k = panel.first + c;
    Candidate best{-1.0, k};
    for (int row = team.team_rank(); row < a.dimension; row += team.team_size()) {
      if (row == k) continue;
      const Complex<double> factor = -a.get(row, k);
      for (int first = 0; first < panel.columns; first += loads_at_once) {
        Complex<double> number[loads_at_once];
        KAON_UNROLL
        for (int j = 0; j < loads_at_once; ++j) {
          const bool there = first + j < panel.columns && first + j != c;
          number[j] = there ? a.get(row, panel.first + first + j) : Complex<double>{0.0, 0.0};
        }
        KAON_UNROLL
        for (int j = 0; j < loads_at_once; ++j) {
          if (first + j >= panel.columns) break;
          multiply_add(number[j], factor, {shared.pivot[first + j][0], shared.pivot[first + j][1]});
          a.set(row, panel.first + first + j, number[j]);
          if (first + j == c + 1 && row > k) take(best, size_of(number[j]), row);
        }
      }
    }
    return best;
  }
};

/// Exchanges the rows of a panel's pivots in one other column, and moves what they then hold to B.
struct TakePivotRows {
  ColumnsOfMatrix a;
  Panel panel;
  const int* pivot_rows;
  double* b;  ///< [pivot][column][re, im]

  KOKKOS_FUNCTION void operator()(const int column) const {
    if (panel.has(column)) return;
    for (int k = panel.first; k < panel.first + panel.columns; ++k) {
      const int row = pivot_rows[k];
      if (row == k) continue;
      const Complex<double> of_pivot = a.get(row, column);
      a.set(row, column, a.get(k, column));
      a.set(k, column, of_pivot);
    }
    const ColumnsOfMatrix rows{b, a.dimension};
    for (int k = 0; k < panel.columns; ++k) {
      rows.set(column, k, a.get(panel.first + k, column));
      a.set(panel.first + k, column, {0.0, 0.0});
    }
  }
};

/// A += G B in the columns outside a panel. A team makes a tile of rows and columns.
struct AddProducts {
  static constexpr int max_team_size = 256;
  static constexpr unsigned min_teams = 2;
  static constexpr int tile_rows = 64, tile_columns = 32, columns_of_thread = tile_columns * tile_rows / max_team_size;

  ColumnsOfMatrix a;
  Panel panel;
  const double* b;
  int tiles;  ///< of rows
  int team_bytes = panel_columns * (tile_rows + tile_columns) * 2 * static_cast<int>(sizeof(double));

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const int first_row = team.league_rank() % tiles * tile_rows;
    const int first_column = team.league_rank() / tiles * tile_columns;
    auto* const g = static_cast<double*>(team_memory(team, team_bytes));  // [pivot][row]
    double* const of_b = g + panel_columns * tile_rows * 2;               // [pivot][column]
    const ColumnsOfMatrix rows{const_cast<double*>(b), a.dimension};
    for (int item = team.team_rank(); item < panel.columns * tile_rows; item += team.team_size()) {
      const int row = first_row + item % tile_rows;
      const bool there = row < a.dimension;
      put(g, item, there ? a.get(row, panel.first + item / tile_rows) : Complex<double>{0.0, 0.0});
    }
    for (int item = team.team_rank(); item < panel.columns * tile_columns; item += team.team_size()) {
      const int column = first_column + item % tile_columns;
      const bool there = column < a.dimension && !panel.has(column);
      put(of_b, item, there ? rows.get(column, item / tile_columns) : Complex<double>{0.0, 0.0});
    }
    team.team_barrier();
    for_each_item(team, max_team_size, [&](const int item) {
      const int of_tile = item % tile_rows, row = first_row + of_tile;
      if (row < a.dimension) add(g + 2 * of_tile, of_b, row, first_column, item / tile_rows * columns_of_thread);
    });
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION static void put(double* to, int item, const Complex<double>& value) {
    *reinterpret_cast<Word<double, 1>*>(to + 2 * item) = {{value.re, value.im}};
  }
  /// Some columns of one row, from number `begin` of the tile on.
  KOKKOS_FORCEINLINE_FUNCTION void add(const double* g, const double* of_b, int row, int first_column,
                                       int begin) const {
    Complex<double> sum[columns_of_thread];
    for (int j = 0; j < columns_of_thread; ++j) sum[j] = {0.0, 0.0};
    for (int k = 0; k < panel.columns; ++k) {
      const Complex<double> of_row = load_number(g + 2 * k * tile_rows);
      KAON_UNROLL
      for (int j = 0; j < columns_of_thread; ++j) {
        multiply_add(sum[j], of_row, load_number(of_b + 2 * (k * tile_columns + begin + j)));
      }
    }
    for (int j = 0; j < columns_of_thread; ++j) {
      const int column = first_column + begin + j;
      if (column < a.dimension && !panel.has(column)) a.set(row, column, a.get(row, column) + sum[j]);
    }
  }
};

}  // namespace

DenseElimination::DenseElimination(const Execution& execution, int dimension)
    : execution_(execution),
      dimension_(dimension),
      numbers_(allocate<double>("kaon::DenseElimination",
                                2 * static_cast<std::size_t>(dimension) * static_cast<std::size_t>(dimension))),
      stored_column_(allocate<int>("kaon::DenseElimination columns", static_cast<std::size_t>(dimension))) {}

double DenseElimination::largest() const {
  double largest = 0.0;
  Kokkos::parallel_reduce("kaon::dense_largest", Kokkos::RangePolicy<Execution>(execution_, 0, dimension_),
                          LargestOfRow{columns()}, Kokkos::Max<double>(largest));
  return largest;
}

bool DenseElimination::invert() {
  const double scale = largest();
  if (!(scale <= largest_double)) return false;
  const auto d = static_cast<std::size_t>(dimension_);
  const auto pivot_rows = allocate<int>("kaon::DenseElimination pivots", d);
  const auto singular = allocate_zeros<int>(execution_, "kaon::DenseElimination singular", 1);
  const auto rows_of_pivots = allocate<double>("kaon::DenseElimination rows", 2 * d * panel_columns);
  const auto tiles = [&](int width) { return (dimension_ + width - 1) / width; };
  for (int first = 0; first < dimension_; first += panel_columns) {
    const Panel panel{first, std::min(panel_columns, dimension_ - first)};
    constexpr int threads = EliminatePanel::max_team_size;
    launch_teams("kaon::dense_panel", execution_, 1, threads,
                 EliminatePanel{columns(), panel, dimension_ * std::numeric_limits<double>::epsilon() * scale,
                                pivot_rows.data(), singular.data(), EliminatePanel::bytes(threads)});
    Kokkos::parallel_for("kaon::dense_pivot_rows", Kokkos::RangePolicy<Execution>(execution_, 0, dimension_),
                         TakePivotRows{columns(), panel, pivot_rows.data(), rows_of_pivots.data()});
    const int of_rows = tiles(AddProducts::tile_rows);
    launch_teams("kaon::dense_products", execution_, of_rows * tiles(AddProducts::tile_columns),
                 AddProducts::max_team_size, AddProducts{columns(), panel, rows_of_pivots.data(), of_rows});
  }
  order_columns(pivot_rows);
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), singular)(0) == 0;
}

void DenseElimination::order_columns(const Kokkos::View<int*, Memory>& pivot_rows) {
  execution_.fence("kaon::DenseElimination");
  const auto exchanged = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), pivot_rows);
  std::vector<int> row_of_matrix(static_cast<std::size_t>(dimension_));
  std::iota(row_of_matrix.begin(), row_of_matrix.end(), 0);
  for (int k = 0; k < dimension_; ++k) {
    std::swap(row_of_matrix[static_cast<std::size_t>(k)], row_of_matrix[static_cast<std::size_t>(exchanged(k))]);
  }
  const auto host = Kokkos::create_mirror_view(Kokkos::HostSpace(), stored_column_);
  for (int k = 0; k < dimension_; ++k) host(row_of_matrix[static_cast<std::size_t>(k)]) = k;
  Kokkos::deep_copy(stored_column_, host);
}

}  // namespace kaon::detail
