// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/blas/blas_operations.hpp"
#include "core/blas/column_products.hpp"

namespace kaon::detail {

/// The columns of a field in a kernel.
template <class T>
struct Columns {
  T* data = nullptr;
  std::size_t stride = 0;
  int count = 0;
};

/// A small matrix in the kernels' memory, [row][column], whose rows are padded with zeros.
template <class T>
struct KernelFactor {
  /// Columns of a product that a thread computes together.
  static constexpr int together = 4;
  const Complex<Arithmetic<T>>* numbers = nullptr;
  int rows = 0, padded = 0;
  Triangle triangle = Triangle::none;

  /// The first row, and the one after the last, with numbers that are not zero in columns [column, column + together).
  KOKKOS_FORCEINLINE_FUNCTION int first(int column) const { return triangle == Triangle::lower ? column : 0; }
  KOKKOS_FORCEINLINE_FUNCTION int last(int column) const {
    const int of_triangle = column + together;
    return triangle == Triangle::upper && of_triangle < rows ? of_triangle : rows;
  }
};

/// Tiles of a Gram matrix: a thread computes the products of 3 columns with 3.
struct GramTiles {
  static constexpr int side = 3, products = side * side;
  int rows, columns;
  bool hermitian;  ///< only tiles with elements on the diagonal or above it

  KOKKOS_FORCEINLINE_FUNCTION static int padded(int count) { return (count + side - 1) / side * side; }
  KOKKOS_FORCEINLINE_FUNCTION int tile_rows() const { return padded(rows) / side; }
  KOKKOS_FORCEINLINE_FUNCTION int count() const {
    const int down = tile_rows(), across = padded(columns) / side;
    return hermitian ? down * (down + 1) / 2 : down * across;
  }
  KOKKOS_FORCEINLINE_FUNCTION int number(int row, int column) const {
    return hermitian ? column * (column + 1) / 2 + row : column * tile_rows() + row;
  }
  /// The row and the column of a tile.
  KOKKOS_FORCEINLINE_FUNCTION void find(int tile, int& row, int& column) const {
    column = 0;
    while (number(0, column + 1) <= tile) ++column;
    row = tile - number(0, column);
  }
  KOKKOS_FORCEINLINE_FUNCTION bool computes(int i, int j) const { return !hermitian || i <= j; }
};

enum class ColumnWork {
  gram,    ///< u^dag v
  update,  ///< out = u a + v b, out^dag out
  step     ///< sum = sum + v p, out = u a + v b
};

/// Works on rows of tall matrices: a row is a chunk of all columns. A team copies the rows of a tile of u and v to its
/// memory, which all products read, so that out may be u or v. On GPUs the threads of a team take rows side by side; a
/// thread has four columns of a product, or a tile of the Gram matrix in some of the rows, in its registers.
/// 8 flops for each complex number and element of a small matrix.
template <class T, class V, class Item, ColumnWork Work>
struct ColumnKernel {
  static constexpr int count = Item::count;
  static constexpr int max_team_size = 256;
  static constexpr unsigned min_teams = 2;
  static constexpr bool has_gram = Work != ColumnWork::step;
  static constexpr int together = KernelFactor<T>::together;
  /// Real numbers of a tile of the Gram matrix.
  static constexpr int tile_numbers = 2 * GramTiles::products;

  struct Row {
    Complex<V> z[count];
  };

  Columns<T> u, v, out, sum;
  KernelFactor<T> a, b, p;
  GramTiles tiles;
  std::size_t chunks, part_length;
  int parts, rows, stride;  ///< rows of a tile; rows from one column to the next
  double* partial;          ///< [part][column][row][re, im]
  int* finished;
  double* results;
  ProcessSums processes;
  int team_bytes;

  /// Columns that lie in the memory of a team.
  int columns_of_tile() const {
    return GramTiles::padded(u.count) + GramTiles::padded(v.count) +
           (Work == ColumnWork::update ? GramTiles::padded(out.count) : 0);
  }
  int bytes_of_tile() const { return columns_of_tile() * stride * static_cast<int>(sizeof(Row)); }
  int numbers_of_gram() const { return 2 * tiles.rows * tiles.columns; }

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    auto* const of_u = static_cast<Row*>(team_memory(team, team_bytes));
    Row* const of_v = of_u + GramTiles::padded(u.count) * stride;
    Row* const of_out = of_v + GramTiles::padded(v.count) * stride;
    const int part = team.league_rank(), rank = team.team_rank(), size = team.team_size();
    const std::size_t begin = static_cast<std::size_t>(part) * part_length;
    const std::size_t end = begin + part_length < chunks ? begin + part_length : chunks;

    // On hosts the sums of a part are in memory behind the tile, on GPUs each thread has those of a tile.
    auto* const of_part =
        reinterpret_cast<double*>(of_out + (Work == ColumnWork::update ? GramTiles::padded(out.count) : 0) * stride);
    double mine[on_device ? tile_numbers : 1] = {};
    if constexpr (has_gram) {
      if constexpr (Work == ColumnWork::update) {
        for (int item = out.count * stride + rank; item < GramTiles::padded(out.count) * stride; item += size) {
          of_out[item] = zero();
        }
      }
      if constexpr (!on_device) {
        for (int k = 0; k < tiles.count() * tile_numbers * lane_count<V>; ++k) of_part[k] = 0.0;
      }
    }
    const Row* const left = Work == ColumnWork::update ? of_out : of_u;
    const Row* const right = Work == ColumnWork::update ? of_out : of_v;
    for (std::size_t first = begin; first < end; first += static_cast<std::size_t>(rows)) {
      const int here = end - first < static_cast<std::size_t>(rows) ? static_cast<int>(end - first) : rows;
      team.team_barrier();
      stage(rank, size, of_u, u, first, here);
      stage(rank, size, of_v, v, first, here);
      team.team_barrier();
      if constexpr (Work == ColumnWork::step) {
        for_each_product(rank, size, sum.count, here, [&](int column, int row) {
          Row total[together];
          KAON_UNROLL
          for (int j = 0; j < together; ++j) {
            total[j] = column + j < sum.count ? load(sum, column + j, first, row) : zero();
          }
          multiply(total, of_v + row, p, column);
          KAON_UNROLL
          for (int j = 0; j < together; ++j) {
            if (column + j < sum.count) store(sum, column + j, first, row, total[j]);
          }
        });
      }
      if constexpr (Work != ColumnWork::gram) {
        for_each_product(rank, size, out.count, here, [&](int column, int row) {
          Row total[together];
          KAON_UNROLL
          for (int j = 0; j < together; ++j) total[j] = zero();
          multiply(total, of_u + row, a, column);
          multiply(total, of_v + row, b, column);
          KAON_UNROLL
          for (int j = 0; j < together; ++j) {
            if (column + j >= out.count) continue;
            store(out, column + j, first, row, total[j]);
            if constexpr (Work == ColumnWork::update) of_out[(column + j) * stride + row] = total[j];
          }
        });
      }
      if constexpr (Work == ColumnWork::update) {
        for (int item = rank; item < out.count * (rows - here); item += size) {
          const int column = item / (rows - here);
          of_out[column * stride + here + item - column * (rows - here)] = zero();
        }
        team.team_barrier();
      }
      if constexpr (has_gram) add_products(rank, size, left, right, of_part, mine);
    }
    if constexpr (has_gram) finish(team, part, of_u, of_part, mine);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION static Row zero() {
    Row row;
    KAON_UNROLL
    for (int n = 0; n < count; ++n) row.z[n] = {V(0), V(0)};
    return row;
  }
  KOKKOS_FORCEINLINE_FUNCTION static Row load(const Columns<T>& from, int column, std::size_t first, int row) {
    Row result;
    Item::load(result.z, from.data + static_cast<std::size_t>(column) * from.stride,
               first + static_cast<std::size_t>(row));
    return result;
  }
  KOKKOS_FORCEINLINE_FUNCTION static void store(const Columns<T>& to, int column, std::size_t first, int row,
                                                const Row& value) {
    Item::store(to.data + static_cast<std::size_t>(column) * to.stride, value.z, first + static_cast<std::size_t>(row));
  }
  /// Copies rows to the memory of the team, with zeros in columns and rows that do not exist.
  KOKKOS_FORCEINLINE_FUNCTION void stage(int rank, int size, Row* to, const Columns<T>& from, std::size_t first,
                                         int here) const {
    for (int item = rank; item < GramTiles::padded(from.count) * rows; item += size) {
      const int column = item / rows, row = item - column * rows;
      to[column * stride + row] = column < from.count && row < here ? load(from, column, first, row) : zero();
    }
  }
  template <class Body>
  KOKKOS_FORCEINLINE_FUNCTION static void for_each_product(int rank, int size, int columns, int here,
                                                           const Body& body) {
    for (int item = rank; item < (columns + together - 1) / together * here; item += size) {
      const int number = item / here;
      body(number * together, item - number * here);
    }
  }
  /// total = total + (row of a tall matrix) factor, for four columns.
  KOKKOS_FORCEINLINE_FUNCTION void multiply(Row (&total)[together], const Row* row, const KernelFactor<T>& factor,
                                            int column) const {
    const int last = factor.last(column);
    for (int i = factor.first(column); i < last; ++i) {
      const Row x = row[i * stride];
      const Complex<Arithmetic<T>>* const numbers = factor.numbers + i * factor.padded + column;
      KAON_UNROLL
      for (int j = 0; j < together; ++j) {
        const Complex<V> number = blas::ops::lanes<V>(numbers[j]);
        KAON_UNROLL
        for (int n = 0; n < count; ++n) multiply_add(total[j].z[n], number, x.z[n]);
      }
    }
  }

  /// The products of the columns of a tile of the Gram matrix in rows first, first + step, ...
  KOKKOS_FORCEINLINE_FUNCTION void multiply_tile(const Row* left, const Row* right, int tile, int first, int step,
                                                 Complex<V> (&products)[GramTiles::products]) const {
    int down = 0, across = 0;
    tiles.find(tile, down, across);
    left += down * GramTiles::side * stride;
    right += across * GramTiles::side * stride;
    KAON_UNROLL
    for (int k = 0; k < GramTiles::products; ++k) products[k] = {V(0), V(0)};
    for (int row = first; row < rows; row += step) {
      KAON_UNROLL
      for (int n = 0; n < count; ++n) {
        Complex<V> x[GramTiles::side], y[GramTiles::side];
        KAON_UNROLL
        for (int i = 0; i < GramTiles::side; ++i) {
          x[i] = left[i * stride + row].z[n];
          y[i] = right[i * stride + row].z[n];
        }
        KAON_UNROLL
        for (int k = 0; k < GramTiles::products; ++k) {
          conj_multiply_add(products[k], x[k % GramTiles::side], y[k / GramTiles::side]);
        }
      }
    }
  }
  /// Threads of a team that have the same tile of the Gram matrix, in different rows.
  KOKKOS_FORCEINLINE_FUNCTION int threads_of_tile(int size) const { return size / tiles.count(); }

  /// Sums over the few rows of a tile are in the precision of the fields, all others in double.
  KOKKOS_FORCEINLINE_FUNCTION void add_products(int rank, int size, const Row* left, const Row* right, double* of_part,
                                                double* mine) const {
    Complex<V> products[GramTiles::products];
    if constexpr (on_device) {
      const int threads = threads_of_tile(size), thread = rank / tiles.count();
      if (thread >= threads) return;
      multiply_tile(left, right, rank - thread * tiles.count(), thread, threads, products);
      KAON_UNROLL
      for (int k = 0; k < GramTiles::products; ++k) {
        mine[2 * k] += static_cast<double>(sum_lanes(widen(products[k].re)));
        mine[2 * k + 1] += static_cast<double>(sum_lanes(widen(products[k].im)));
      }
    } else {
      for (int tile = 0; tile < tiles.count(); ++tile) {
        multiply_tile(left, right, tile, 0, 1, products);
        double* const to = of_part + tile * tile_numbers * lane_count<V>;
        for (int k = 0; k < GramTiles::products; ++k) {
          add_lanes(to + 2 * k * lane_count<V>, widen(products[k].re));
          add_lanes(to + (2 * k + 1) * lane_count<V>, widen(products[k].im));
        }
      }
    }
  }
  /// to = to + value, lane by lane.
  KOKKOS_FORCEINLINE_FUNCTION static void add_lanes(double* to, const Wide<V>& value) {
    if constexpr (lane_count<V> == 1) {
      *to += value;
    } else {
#if defined(KAON_HOST_PACKS)
      Wide<V> all(to, stdx::element_aligned);
      all += value;
      all.copy_to(to, stdx::element_aligned);
#endif
    }
  }

  /// The sum of number k of a part.
  KOKKOS_FORCEINLINE_FUNCTION double sum_of_part(const double* numbers, int size, int tile, int number) const {
    double total = 0.0;
    if constexpr (on_device) {
      for (int thread = 0; thread < threads_of_tile(size); ++thread) {
        total += numbers[(thread * tiles.count() + tile) * tile_numbers + number];
      }
    } else {
      for (int lane = 0; lane < lane_count<V>; ++lane) {
        total += numbers[(tile * tile_numbers + number) * lane_count<V> + lane];
      }
    }
    return total;
  }
  /// Writes the sums of a part. The team that finishes last adds up all parts, in their order.
  KOKKOS_FORCEINLINE_FUNCTION void finish(const Team& team, int part, void* memory, const double* of_part,
                                          const double* mine) const {
    const int rank = team.team_rank(), size = team.team_size(), numbers = 2 * tiles.rows * tiles.columns;
    if constexpr (on_device) {
      auto* const of_threads = static_cast<double*>(memory);
      team.team_barrier();
      KAON_UNROLL
      for (int k = 0; k < tile_numbers; ++k) of_threads[rank * tile_numbers + k] = mine[k];
      of_part = of_threads;
      team.team_barrier();
    }
    for (int k = rank; k < numbers; k += size) {
      const int column = k / 2 / tiles.rows, row = k / 2 - column * tiles.rows;
      double total = 0.0;
      if (tiles.computes(row, column)) {
        const int tile = tiles.number(row / GramTiles::side, column / GramTiles::side);
        const int product = column % GramTiles::side * GramTiles::side + row % GramTiles::side;
        total = sum_of_part(of_part, size, tile, 2 * product + k % 2);
      }
      partial[static_cast<std::size_t>(part) * static_cast<std::size_t>(numbers) + static_cast<std::size_t>(k)] = total;
    }
    if (!is_last_team(team, finished, parts)) return;
    volatile double* const to = results;
    for (int k = rank; k < numbers; k += size) {
      double total = 0.0;
      KAON_UNROLL
      for (int p = 0; p < parts; ++p) {
        total += load_of_other_team(partial + static_cast<std::size_t>(p) * static_cast<std::size_t>(numbers) +
                                    static_cast<std::size_t>(k));
      }
      to[k] = processes.add(0, k, total);
    }
  }
};

}  // namespace kaon::detail
