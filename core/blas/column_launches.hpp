// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/blas/blas_operations.hpp"
#include "core/blas/column_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace kaon::detail {

/// Factors of a kernel in its memory, for as long as this object lives; kernels that follow may reuse the memory.
template <class T>
class KernelFactors {
 public:
  KernelFactors(const Lattice& lattice, std::initializer_list<const Factor*> factors)
      : lattice_(lattice), factors_(factors.size()) {
    constexpr int together = KernelFactor<T>::together;
    std::vector<Arithmetic<T>> numbers;
    std::vector<std::size_t> first;
    for (const Factor* factor : factors) {
      first.push_back(numbers.size());
      if (factor == nullptr) continue;
      const SmallMatrix& matrix = factor->matrix;
      const std::size_t padded = (matrix.columns() + together - 1) / together * together;
      for (std::size_t i = 0; i < matrix.rows(); ++i) {
        for (std::size_t j = 0; j < padded; ++j) {
          const std::complex<double> z = j < matrix.columns() ? matrix(i, j) : 0.0;
          numbers.push_back(static_cast<Arithmetic<T>>(z.real()));
          numbers.push_back(static_cast<Arithmetic<T>>(z.imag()));
        }
      }
    }
    if (numbers.empty()) return;
    constexpr std::size_t most_factors = 3, columns = most_columns;
    memory_ = lattice.workspace().template take<Arithmetic<T>>(most_factors * columns * columns * 2);
    if constexpr (on_device) {
      // Copies of so few numbers leave the host's memory before the call returns.
      using Host = Kokkos::View<const Arithmetic<T>*, Kokkos::HostSpace>;
      const auto part = Kokkos::subview(memory_, std::pair<std::size_t, std::size_t>(0, numbers.size()));
      Kokkos::deep_copy(lattice.execution(), part, Host(numbers.data(), numbers.size()));
    } else {
      std::copy(numbers.begin(), numbers.end(), memory_.data());
    }
    for (std::size_t n = 0; n < factors.size(); ++n) {
      const Factor* const factor = std::data(factors)[n];
      if (factor == nullptr) continue;
      KernelFactor<T>& result = factors_[n];
      result.numbers = reinterpret_cast<const Complex<Arithmetic<T>>*>(memory_.data() + first[n]);
      result.rows = static_cast<int>(factor->matrix.rows());
      result.padded = (static_cast<int>(factor->matrix.columns()) + together - 1) / together * together;
      result.triangle = factor->triangle;
    }
  }
  KernelFactors(const KernelFactors&) = delete;
  KernelFactors& operator=(const KernelFactors&) = delete;
  ~KernelFactors() {
    if (memory_.extent(0) > 0) lattice_.workspace().give_back(memory_);
  }

  const KernelFactor<T>& operator[](std::size_t n) const { return factors_[n]; }

 private:
  const Lattice& lattice_;
  Kokkos::View<Arithmetic<T>*, Memory> memory_{};
  std::vector<KernelFactor<T>> factors_;
};

/// Fields and factors of a launch. A null one is not used.
template <class T>
struct ColumnOperands {
  SpinorField<T>*u = nullptr, *v = nullptr, *out = nullptr, *sum = nullptr;
  const Factor *a = nullptr, *b = nullptr, *p = nullptr;
  int u_columns = 0, v_columns = 0, out_columns = 0, sum_columns = 0;
};

template <class T>
void require_columns(const SpinorField<T>* field, int columns, const SpinorField<T>& like) {
  if (field == nullptr) return;
  require(field->range(0, 1).parameters() == like.range(0, 1).parameters() && field->lattice() == like.lattice(),
          "the columns of one operation must have the same lattice, sites, spins, colours and slices");
  require(columns <= most_columns && columns <= field->right_hand_sides(), [&] {
    return fmt::format("an operation on {} columns was given a field with {}; {} are possible", columns,
                       field->right_hand_sides(), most_columns);
  });
}

template <class T>
Columns<T> columns_of(SpinorField<T>* field, int count) {
  if (field == nullptr) return {};
  return {field->data(), field->right_hand_side_stride(), count};
}

/// Launches a kernel; with the sums of a Gram matrix of `tiles`, if it has one.
template <ColumnWork Work, class T>
std::optional<PendingSums> launch_columns(const char* label, const ColumnOperands<T>& of, const GramTiles& tiles) {
  const SpinorField<T>& like = of.u != nullptr ? *of.u : *of.v;
  require_columns(of.u, of.u_columns, like);
  require_columns(of.v, of.v_columns, like);
  require_columns(of.out, of.out_columns, like);
  require_columns(of.sum, of.sum_columns, like);
  const Lattice& lattice = like.lattice();
  Workspace& workspace = lattice.workspace();
  const KernelFactors<T> factors(lattice, {of.a, of.b, of.p});
  std::optional<PendingSums> pending;
  if (Work != ColumnWork::step) {
    workspace.partial_sums(0);  // as in `launch_blas`
    pending.emplace(lattice, 1, 2 * tiles.rows * tiles.columns, 0, AppliedBy::host);
  }
  const int components = like.components();
  with_chunk<T>(ElementOrder<T>::of(lattice, components).lanes, components, [&]<class V, class Item>() {
    using Kernel = ColumnKernel<T, V, Item, Work>;
    Kernel kernel{};
    kernel.u = columns_of(of.u, of.u_columns);
    kernel.v = columns_of(of.v, of.v_columns);
    kernel.out = columns_of(of.out, of.out_columns);
    kernel.sum = columns_of(of.sum, of.sum_columns);
    kernel.a = factors[0];
    kernel.b = factors[1];
    kernel.p = factors[2];
    kernel.tiles = tiles;
    kernel.chunks = like.size() / Item::numbers;
    // A column of rows follows the last one in other banks of a GPU's shared memory.
    constexpr int most_rows = on_device ? 64 : 16, gap = on_device ? 1 : 0;
    constexpr int most_bytes = std::min(most_team_bytes, on_device ? 48 * 1024 - 128 : most_team_bytes);
    for (kernel.rows = most_rows; kernel.rows > 1; kernel.rows /= 2) {
      kernel.stride = kernel.rows + gap;
      if (kernel.bytes_of_tile() <= most_bytes) break;
    }
    const int tile_count = Kernel::has_gram ? tiles.count() : 0;
    const int products = (std::max(of.out_columns, of.sum_columns) + Kernel::together - 1) / Kernel::together;
    const int threads = std::clamp((kernel.rows * std::max(products, 2) + 31) / 32 * 32, 64, Kernel::max_team_size);
    const int bytes_of_sums = static_cast<int>(sizeof(double)) * Kernel::tile_numbers;
    kernel.team_bytes = on_device ? std::max(kernel.bytes_of_tile(), Kernel::has_gram ? threads * bytes_of_sums : 0)
                                  : kernel.bytes_of_tile() + tile_count * bytes_of_sums * lane_count<V>;
    const std::size_t shortest = static_cast<std::size_t>(kernel.rows) * (on_device ? 1 : 4);
    const std::size_t most_parts = on_device ? (Kernel::has_gram ? 512 : 8192) : 1024;
    const std::size_t longest = (kernel.chunks + most_parts - 1) / most_parts;
    kernel.part_length = std::max<std::size_t>(1, (longest + shortest - 1) / shortest) * shortest;
    kernel.parts = static_cast<int>((kernel.chunks + kernel.part_length - 1) / kernel.part_length);
    if (pending) {
      kernel.partial = workspace.partial_sums(static_cast<std::size_t>(kernel.parts) *
                                              static_cast<std::size_t>(kernel.numbers_of_gram()));
      kernel.finished = workspace.finished_parts(blas_batch);
      kernel.results = pending->results();
      kernel.processes = pending->processes();
    }
    launch_teams(label, lattice.execution(), kernel.parts, threads, kernel);
  });
  return pending;
}

inline int rows_of(const Factor& factor) { return static_cast<int>(factor.matrix.rows()); }
inline int columns_of(const Factor& factor) { return static_cast<int>(factor.matrix.columns()); }

template <class T>
PendingGram gram(const SpinorField<T>& u, const SpinorField<T>& v, bool hermitian) {
  const int rows = u.right_hand_sides(), columns = v.right_hand_sides();
  require(!hermitian || rows == columns, [&] {
    return fmt::format("a Hermitian Gram matrix needs as many columns on both sides: {} and {} were given", rows,
                       columns);
  });
  ColumnOperands<T> of{.u = blas::mutate(u), .v = blas::mutate(v), .u_columns = rows, .v_columns = columns};
  return {*launch_columns<ColumnWork::gram>("kaon::blas::gram", of, {rows, columns, hermitian}), rows, columns,
          hermitian};
}

template <class T>
PendingGram update_columns(SpinorField<T>& w, const Factor& a, const SpinorField<T>& z, const Factor& b) {
  const int columns = columns_of(a);
  ColumnOperands<T> of{.u = &w, .v = blas::mutate(z), .out = &w, .a = &a, .b = &b};
  of.u_columns = rows_of(a);
  of.v_columns = rows_of(b);
  of.out_columns = columns;
  return {*launch_columns<ColumnWork::update>("kaon::blas::update_columns", of, {columns, columns, true}), columns,
          columns, true};
}

template <class T>
PendingGram update_columns(SpinorField<T>& w, const Factor& a) {
  const int columns = columns_of(a);
  ColumnOperands<T> of{.u = &w, .out = &w, .a = &a, .u_columns = rows_of(a), .out_columns = columns};
  return {*launch_columns<ColumnWork::update>("kaon::blas::update_columns", of, {columns, columns, true}), columns,
          columns, true};
}

template <class T>
void step_columns(SpinorField<T>& x, const SmallMatrix& p, SpinorField<T>& d, const SpinorField<T>& w, const Factor& a,
                  const Factor& b) {
  const Factor of_x{p};
  ColumnOperands<T> of{.u = blas::mutate(w), .v = &d, .out = &d, .sum = &x, .a = &a, .b = &b, .p = &of_x};
  of.u_columns = rows_of(a);
  of.v_columns = rows_of(b);
  of.out_columns = columns_of(a);
  of.sum_columns = columns_of(of_x);
  launch_columns<ColumnWork::step>("kaon::blas::step_columns", of, {});
}

template <class T>
void add_columns(SpinorField<T>& x, const SpinorField<T>& d, const SmallMatrix& p) {
  const Factor of_x{p};
  ColumnOperands<T> of{.v = blas::mutate(d), .sum = &x, .p = &of_x};
  of.v_columns = rows_of(of_x);
  of.sum_columns = columns_of(of_x);
  launch_columns<ColumnWork::step>("kaon::blas::add_columns", of, {});
}

template <class T>
void turn_columns(SpinorField<T>& d, const SpinorField<T>& w, const Factor& a, const Factor& b) {
  ColumnOperands<T> of{.u = blas::mutate(w), .v = &d, .out = &d, .a = &a, .b = &b};
  of.u_columns = rows_of(a);
  of.v_columns = rows_of(b);
  of.out_columns = columns_of(a);
  launch_columns<ColumnWork::step>("kaon::blas::turn_columns", of, {});
}

}  // namespace kaon::detail

/// Everything above for fields of T, in one translation unit.
#define KAON_INSTANTIATE_COLUMN_PRODUCTS(T)                                                                  \
  template PendingGram gram(const SpinorField<T>&, const SpinorField<T>&, bool);                             \
  template PendingGram update_columns(SpinorField<T>&, const Factor&, const SpinorField<T>&, const Factor&); \
  template PendingGram update_columns(SpinorField<T>&, const Factor&);                                       \
  template void step_columns(SpinorField<T>&, const SmallMatrix&, SpinorField<T>&, const SpinorField<T>&,    \
                             const Factor&, const Factor&);                                                  \
  template void add_columns(SpinorField<T>&, const SpinorField<T>&, const SmallMatrix&);                     \
  template void turn_columns(SpinorField<T>&, const SpinorField<T>&, const Factor&, const Factor&);
