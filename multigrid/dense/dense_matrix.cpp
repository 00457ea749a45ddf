// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/dense/dense_matrix.hpp"

#include "core/device/allocate.hpp"
#include "core/lanes/lanes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace kaon::detail {
namespace {

constexpr int block_columns = DenseMatrix::block_columns;
constexpr std::size_t row_doubles = DenseMatrix::row_doubles;

/// Columns that are eliminated before the rest of the matrix follows in one product.
constexpr int host_panel_columns = 64;
constexpr int panel_blocks = host_panel_columns / block_columns;
/// Rows of a tile: with 16 columns, its complex numbers fit into 16 registers of 64 bytes.
constexpr int tile_rows = 4;

/// A register, or several: compilers of devices' code have these, but not the packs of core/lanes.
#if defined(__AVX512F__)
using Numbers [[gnu::vector_size(64)]] = double;
#elif defined(__AVX__)
using Numbers [[gnu::vector_size(32)]] = double;
#else
using Numbers [[gnu::vector_size(16)]] = double;
#endif
constexpr int width = sizeof(Numbers) / sizeof(double);
/// Registers with real parts, or imaginary parts, of a row that are computed together.
constexpr int vectors = 2;
static_assert(block_columns % (vectors * width) == 0);

Numbers load(const double* from) {
  Numbers result;
  __builtin_memcpy(&result, from, sizeof(result));
  return result;
}
void store(double* to, const Numbers& value) { __builtin_memcpy(to, &value, sizeof(value)); }
Numbers all(double value) { return Numbers{} + value; }

/// c += g b. c: [4 rows][re, im][16 columns], g: [pivot][re, im][4 rows], b: [pivot][re, im][16 columns].
void add_tile(double* c, const double* g, const double* b, int pivots) {
  for (int first = 0; first < block_columns; first += vectors * width) {
    Numbers re[tile_rows][vectors], im[tile_rows][vectors];
    KAON_UNROLL
    for (int row = 0; row < tile_rows; ++row) {
      KAON_UNROLL
      for (int v = 0; v < vectors; ++v) {
        const double* at = c + static_cast<std::size_t>(row) * row_doubles + first + v * width;
        re[row][v] = load(at);
        im[row][v] = load(at + block_columns);
      }
    }
    const double* of_g = g;
    const double* of_b = b + first;
    for (int pivot = 0; pivot < pivots; ++pivot, of_g += 2 * tile_rows, of_b += row_doubles) {
      KAON_UNROLL
      for (int v = 0; v < vectors; ++v) {
        const Numbers b_re = load(of_b + v * width), b_im = load(of_b + block_columns + v * width);
        KAON_UNROLL
        for (int row = 0; row < tile_rows; ++row) {
          const Numbers g_re = all(of_g[row]), g_im = all(of_g[tile_rows + row]);
          re[row][v] += g_re * b_re;
          im[row][v] += g_re * b_im;
          re[row][v] -= g_im * b_im;
          im[row][v] += g_im * b_re;
        }
      }
    }
    KAON_UNROLL
    for (int row = 0; row < tile_rows; ++row) {
      KAON_UNROLL
      for (int v = 0; v < vectors; ++v) {
        double* at = c + static_cast<std::size_t>(row) * row_doubles + first + v * width;
        store(at, re[row][v]);
        store(at + block_columns, im[row][v]);
      }
    }
  }
}

/// row += factor * other, of one block.
void add_row(double* row, const double* other, std::complex<double> factor) {
  const Numbers re = all(factor.real()), im = all(factor.imag());
  for (int first = 0; first < block_columns; first += width) {
    const Numbers b_re = load(other + first), b_im = load(other + block_columns + first);
    store(row + first, load(row + first) + re * b_re - im * b_im);
    store(row + block_columns + first, load(row + block_columns + first) + re * b_im + im * b_re);
  }
}

template <class Body>
void for_each_on_host(const char* label, int items, const Body& body) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  Kokkos::parallel_for(
      label, Kokkos::RangePolicy<Host, Kokkos::Schedule<Kokkos::Dynamic>>(0, items, Kokkos::ChunkSize(1)), body);
  Host().fence(label);
}

}  // namespace

DenseMatrix::DenseMatrix(int dimension)
    : dimension_(dimension), rows_((dimension + block_columns - 1) / block_columns * block_columns) {
  const std::size_t size = static_cast<std::size_t>(blocks()) * block_doubles();
  numbers_ = Kokkos::View<double*, Kokkos::HostSpace>(
      Kokkos::view_alloc(Kokkos::WithoutInitializing, "kaon::DenseMatrix"), size);
  advise_large_pages(numbers_.data(), size * sizeof(double));
  for_each_on_host("kaon::DenseMatrix", blocks(),
                   [&](const int number) { std::fill_n(block(number), block_doubles(), 0.0); });
}

double DenseMatrix::largest() const {
  double largest = 0.0;
  for (int number = 0; number < blocks(); ++number) {
    const double* numbers = block(number);
    for (int row = 0; row < dimension_; ++row) {
      for (std::size_t k = 0; k < row_doubles; ++k) {
        const double size = std::abs(numbers[static_cast<std::size_t>(row) * row_doubles + k]);
        if (!(size <= std::numeric_limits<double>::max())) return std::numeric_limits<double>::infinity();
        largest = std::max(largest, size);
      }
    }
  }
  return largest;
}

DenseMatrix::Blocks DenseMatrix::panel(int number) const {
  return {number * panel_blocks, std::min((number + 1) * panel_blocks, blocks())};
}

DenseMatrix::Blocks DenseMatrix::share(int rank, int processes) const {
  const int panels = (blocks() + panel_blocks - 1) / panel_blocks;
  const auto first = [&](int of) { return std::min(of * panels / processes * panel_blocks, blocks()); };
  return {first(rank), first(rank + 1)};
}

void DenseMatrix::broadcast(const Communicator& communicator, Blocks part, int root) {
  if (part.begin == part.end) return;
  communicator.broadcast(block(part.begin),
                         static_cast<std::size_t>(part.end - part.begin) * block_doubles() * sizeof(double), root);
}

/// Rows of this process' columns.
void DenseMatrix::exchange_rows(int a, int b) {
  if (a == b) return;
  for (int number = mine_.begin; number < mine_.end; ++number) {
    double* row_a = block(number) + static_cast<std::size_t>(a) * row_doubles;
    std::swap_ranges(row_a, row_a + row_doubles, block(number) + static_cast<std::size_t>(b) * row_doubles);
  }
  std::swap(row_of_matrix_[static_cast<std::size_t>(a)], row_of_matrix_[static_cast<std::size_t>(b)]);
}

/// Eliminates the columns of one block, in these columns alone. Their rows then hold G: the matrix becomes A + G B in
/// other columns, with B the pivots' rows and with zeros in A there.
bool DenseMatrix::eliminate_block(int number, double smallest_pivot) {
  double* const numbers = block(number);
  const auto row_at = [&](int row) { return numbers + static_cast<std::size_t>(row) * row_doubles; };
  for (int c = 0; c < block_columns; ++c) {
    const int k = number * block_columns + c;
    int pivot_row = k;
    double pivot_size = -1.0;
    for (int row = k; row < rows_; ++row) {
      const double size = std::abs(row_at(row)[c]) + std::abs(row_at(row)[block_columns + c]);
      if (!(size <= pivot_size)) {
        pivot_row = row;
        pivot_size = size;
      }
    }
    if (!(pivot_size > smallest_pivot && pivot_size <= std::numeric_limits<double>::max())) return false;
    exchange_rows(k, pivot_row);
    pivot_rows_.push_back(pivot_row);

    double* const pivot = row_at(k);
    const std::complex<double> inverse = 1.0 / std::complex<double>(pivot[c], pivot[block_columns + c]);
    pivot[c] = 1.0;
    pivot[block_columns + c] = 0.0;
    for (int j = 0; j < block_columns; ++j) {
      const std::complex<double> scaled = inverse * std::complex<double>(pivot[j], pivot[block_columns + j]);
      pivot[j] = scaled.real();
      pivot[block_columns + j] = scaled.imag();
    }
    for (int row = 0; row < rows_; ++row) {
      if (row == k) continue;
      double* const at = row_at(row);
      const std::complex<double> factor(-at[c], -at[block_columns + c]);
      at[c] = 0.0;
      at[block_columns + c] = 0.0;
      add_row(at, pivot, factor);
    }
  }
  return true;
}

/// Copies columns that have been eliminated, for `add_products`.
void DenseMatrix::gather_pivot_columns(int first_pivot, int pivots) {
  double* to = pivot_columns_.data();
  for (int first_row = 0; first_row < rows_; first_row += tile_rows) {
    for (int k = first_pivot; k < first_pivot + pivots; ++k) {
      const double* from = block(k / block_columns) + static_cast<std::size_t>(first_row) * row_doubles;
      for (const int part : {0, block_columns}) {
        for (std::size_t row = 0; row < tile_rows; ++row) {
          *to++ = from[row * row_doubles + static_cast<std::size_t>(part + k % block_columns)];
        }
      }
    }
  }
}

/// One or two blocks of other columns, after the columns that have been gathered were eliminated. The blocks share what
/// is gathered, and their pivots' rows remain in the first cache.
void DenseMatrix::add_products(std::span<const int> numbers, int first_pivot, int pivots) {
  const std::size_t size = static_cast<std::size_t>(pivots) * row_doubles;
  alignas(64) double pivot_rows[2][host_panel_columns * row_doubles];
  for (std::size_t n = 0; n < numbers.size(); ++n) {
    double* from = block(numbers[n]) + static_cast<std::size_t>(first_pivot) * row_doubles;
    std::copy_n(from, size, pivot_rows[n]);
    std::fill_n(from, size, 0.0);
  }
  const double* g = pivot_columns_.data();
  for (int row = 0; row < rows_; row += tile_rows, g += 2 * tile_rows * pivots) {
    for (std::size_t n = 0; n < numbers.size(); ++n) {
      add_tile(block(numbers[n]) + static_cast<std::size_t>(row) * row_doubles, g, pivot_rows[n], pivots);
    }
  }
}

bool DenseMatrix::eliminate_panel(Blocks panel, double smallest_pivot) {
  for (int number = panel.begin; number < panel.end; ++number) {
    if (!eliminate_block(number, smallest_pivot)) return false;
    gather_pivot_columns(number * block_columns, block_columns);
    for (int other = panel.begin; other < panel.end; ++other) {
      if (other != number) add_products({&other, 1}, number * block_columns, block_columns);
    }
  }
  return true;
}

bool DenseMatrix::invert(const Communicator& communicator) {
  const double scale = largest();
  if (!(scale <= std::numeric_limits<double>::max())) return false;
  const double smallest_pivot = dimension_ * std::numeric_limits<double>::epsilon() * scale;
  double* last = block(blocks() - 1);
  for (int row = dimension_; row < rows_; ++row) {
    last[static_cast<std::size_t>(row) * row_doubles + static_cast<std::size_t>(row % block_columns)] = scale;
  }
  row_of_matrix_.resize(static_cast<std::size_t>(rows_));
  std::iota(row_of_matrix_.begin(), row_of_matrix_.end(), 0);
  pivot_columns_.resize(static_cast<std::size_t>(2 * rows_) * host_panel_columns);

  const int rank = communicator.rank(), processes = communicator.size();
  mine_ = share(rank, processes);
  int root = 0;
  for (int number = 0; panel(number).begin < blocks(); ++number) {
    const Blocks panel = this->panel(number);
    while (!share(root, processes).has(panel.begin)) ++root;
    const int pivots = (panel.end - panel.begin) * block_columns;
    pivot_rows_.clear();
    if (rank == root && !eliminate_panel(panel, smallest_pivot)) pivot_rows_.clear();
    // A row for each pivot, and none where the matrix is singular.
    pivot_rows_.resize(static_cast<std::size_t>(pivots), -1);
    communicator.broadcast(pivot_rows_.data(), pivot_rows_.size() * sizeof(int), root);
    if (pivot_rows_.back() < 0) return false;
    broadcast(communicator, panel, root);
    for (int k = 0; rank != root && k < pivots; ++k) {
      exchange_rows(panel.begin * block_columns + k, pivot_rows_[static_cast<std::size_t>(k)]);
    }

    gather_pivot_columns(panel.begin * block_columns, pivots);
    std::vector<int> others;
    for (int other = mine_.begin; other < mine_.end; ++other) {
      if (!panel.has(other)) others.push_back(other);
    }
    const int pairs = static_cast<int>(others.size() + 1) / 2;
    for_each_on_host("kaon::DenseMatrix products", pairs, [&](const int pair) {
      const auto first = static_cast<std::size_t>(2 * pair);
      const std::size_t count = std::min<std::size_t>(2, others.size() - first);
      add_products(std::span(others).subspan(first, count), panel.begin * block_columns, pivots);
    });
  }
  for (int process = 0; process < processes; ++process) broadcast(communicator, share(process, processes), process);

  // The inverse of the matrix with exchanged rows has exchanged columns.
  stored_column_.resize(static_cast<std::size_t>(rows_));
  for (int k = 0; k < rows_; ++k) {
    stored_column_[static_cast<std::size_t>(row_of_matrix_[static_cast<std::size_t>(k)])] = k;
  }
  return true;
}

}  // namespace kaon::detail
