// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/dense/dense_elimination.hpp"

#include "core/device/team.hpp"
#include "core/fields/recycled_memory.hpp"
#include "multigrid/dense/panel_elimination.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace kaon::detail {
namespace {

struct LargestOfRow {
  ColumnsOfMatrix a;

  KOKKOS_FUNCTION void operator()(const int row, double& largest) const {
    for (int column = 0; column < a.dimension; ++column) {
      const double size = size_of(a.get(row, column));
      if (size > largest) largest = size;
    }
  }
};

/// Rows that a thread holds in registers at most. On GPUs 64 registers of 32 bits hold two. Hosts, whose teams are one
/// thread, hold the rows of small matrices, for tests.
inline constexpr int most_kept_rows = on_device ? 2 : 64;

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

DenseElimination::DenseElimination(const Lattice& lattice, int dimension)
    : lattice_(lattice),
      dimension_(dimension),
      numbers_(allocate_on<double>(lattice, "kaon::DenseElimination",
                                   2 * static_cast<std::size_t>(dimension) * static_cast<std::size_t>(dimension))),
      stored_column_(allocate_on<int>(lattice, "kaon::DenseElimination columns", static_cast<std::size_t>(dimension))) {
}

double DenseElimination::largest() const {
  double largest = 0.0;
  Kokkos::parallel_reduce("kaon::dense_largest", Kokkos::RangePolicy<Execution>(lattice_.execution(), 0, dimension_),
                          LargestOfRow{columns()}, Kokkos::Max<double>(largest));
  return largest;
}

bool DenseElimination::invert(const Communicator&) {
  const double scale = largest();
  if (!(scale <= largest_double)) return false;
  const auto d = static_cast<std::size_t>(dimension_);
  const Execution& execution = lattice_.execution();
  const auto pivot_rows = allocate_on<int>(lattice_, "kaon::DenseElimination pivots", d);
  const auto singular = allocate_on<int>(lattice_, "kaon::DenseElimination singular", 1);
  Kokkos::deep_copy(execution, singular, 0);
  const auto rows_of_pivots = allocate_on<double>(lattice_, "kaon::DenseElimination rows", 2 * d * panel_columns);
  const auto tiles = [&](int width) { return (dimension_ + width - 1) / width; };
  constexpr int threads = EliminatePanel<0>::max_team_size;
  for (int first = 0; first < dimension_; first += panel_columns) {
    const Panel panel{first, std::min(panel_columns, dimension_ - first)};
    const auto eliminate = [&]<int R>() {
      using Kernel = EliminatePanel<R>;
      launch_teams("kaon::dense_panel", execution, 1, threads,
                   Kernel{columns(), panel, dimension_ * std::numeric_limits<double>::epsilon() * scale,
                          pivot_rows.data(), singular.data(), Kernel::bytes(threads)});
    };
    if (dimension_ <= most_kept_rows * (on_device ? threads : 1)) {
      eliminate.template operator()<most_kept_rows>();
    } else {
      eliminate.template operator()<0>();
    }
    Kokkos::parallel_for("kaon::dense_pivot_rows", Kokkos::RangePolicy<Execution>(execution, 0, dimension_),
                         TakePivotRows{columns(), panel, pivot_rows.data(), rows_of_pivots.data()});
    const int of_rows = tiles(AddProducts::tile_rows);
    launch_teams("kaon::dense_products", execution, of_rows * tiles(AddProducts::tile_columns),
                 AddProducts::max_team_size, AddProducts{columns(), panel, rows_of_pivots.data(), of_rows});
  }
  order_columns(pivot_rows);
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), singular)(0) == 0;
}

void DenseElimination::order_columns(const Kokkos::View<int*, Memory>& pivot_rows) {
  lattice_.execution().fence("kaon::DenseElimination");
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
