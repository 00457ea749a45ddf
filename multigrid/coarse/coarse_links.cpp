// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/coarse/coarse_links.hpp"

#include "core/device/primitives.hpp"
#include "core/fields/recycled_memory.hpp"
#include "core/lattice/workspace.hpp"

#include <cstdint>

namespace kaon::detail {
namespace {

/// Addresses of column c of a site's matrix, in a field and among the matrices.
template <class L>
struct ColumnPlaces {
  float* field;
  std::size_t field_stride;  // between columns
  L* matrices;
  std::size_t site_stride;
  int numbers;  // of a column, real and imaginary parts
  int columns;

  KOKKOS_FUNCTION float* in_field(int site, int column) const {
    return field + static_cast<std::size_t>(column) * field_stride +
           static_cast<std::size_t>(site) * static_cast<std::size_t>(numbers);
  }
  KOKKOS_FUNCTION L* in_matrix(int site, int column) const {
    return matrices + static_cast<std::size_t>(site) * site_stride +
           static_cast<std::size_t>(column) * static_cast<std::size_t>(numbers);
  }
};

/// The largest number of each column: [site][column].
template <class L>
struct LargestOfColumn {
  ColumnPlaces<L> places;
  float* largest;

  KOKKOS_FUNCTION void operator()(const int item) const {
    const float* from = places.in_field(item / places.columns, item % places.columns);
    float most = 0.0F;
    for (int k = 0; k < places.numbers; ++k) most = greater_or_nan(most, Kokkos::abs(from[k]));
    largest[item] = most;
  }
};

/// The largest number of a matrix: [site].
struct LargestOfMatrix {
  const float* of_columns;
  int columns;
  float* largest;

  KOKKOS_FUNCTION void operator()(const int site) const {
    float most = 1e-30F;  // avoids a division by zero for a matrix of zeros
    for (int c = 0; c < columns; ++c) most = greater_or_nan(most, of_columns[site * columns + c]);
    largest[site] = most;
  }
};

/// Numbers of a column that one thread of a GPU stores, so that neighbouring threads store neighbouring numbers. A host
/// thread stores all of them.
constexpr int stored_together = 4;

template <class L>
struct StoreNumbers {
  ColumnPlaces<L> places;
  int parts;             // of a column
  const float* largest;  // [site]
  float* scales;         // of this matrix at site 0
  int scales_stride;

  KOKKOS_FUNCTION void operator()(const std::int64_t item) const {
    const int part = static_cast<int>(item % parts), of_sites = static_cast<int>(item / parts);
    const int site = of_sites / places.columns, column = of_sites % places.columns;
    const int first = part * stored_together;
    const int last = part + 1 < parts ? first + stored_together : places.numbers;
    const float* from = places.in_field(site, column);
    L* to = places.in_matrix(site, column);
    if constexpr (std::is_same_v<L, half>) {
      const float to_raw = half_one / largest[site];
      for (int k = first; k < last; ++k) to[k].bits = static_cast<std::int16_t>(Kokkos::round(from[k] * to_raw));
      if (column == 0 && part == 0) scales[site * scales_stride] = largest[site] / half_one;
    } else {
      for (int k = first; k < last; ++k) to[k] = static_cast<L>(from[k]);
    }
  }
};

template <class Body>
void for_each(const char* label, const Execution& execution, std::int64_t items, const Body& body) {
  using Policy = Kokkos::RangePolicy<Execution, Kokkos::IndexType<std::int64_t>>;
  Kokkos::parallel_for(label, Policy(execution, 0, items), body);
}

template <class L>
ColumnPlaces<L> places_of(const SpinorField<float>& columns, const CoarseMatrices<L>& matrices, int number) {
  const int n = columns.components();
  const int count = columns.right_hand_sides();
  const auto matrix = 2 * static_cast<std::size_t>(n) * static_cast<std::size_t>(count);
  return {const_cast<float*>(columns.data()),
          columns.right_hand_side_stride(),
          matrices.data(parity_of(columns.subset())) + static_cast<std::size_t>(number) * matrix,
          static_cast<std::size_t>(matrices.count()) * matrix,
          2 * n,
          count};
}

int sites_of(const Lattice& lattice) { return static_cast<int>(lattice.local_volume() / lattice.parities()); }

}  // namespace

template <class L>
CoarseMatrices<L>::CoarseMatrices(const Lattice& lattice, int components, int count, int columns)
    : components_(components), columns_(columns == 0 ? components : columns), count_(count) {
  const auto matrices = static_cast<std::size_t>(sites_of(lattice)) * static_cast<std::size_t>(count);
  parity_size_ = matrices * 2 * static_cast<std::size_t>(components_) * static_cast<std::size_t>(columns_);
  scales_parity_size_ = matrices;
  const auto parities = static_cast<std::size_t>(lattice.parities());
  numbers_ = allocate_on<L>(lattice, "kaon::CoarseMatrices", parities * parity_size_);
  Kokkos::deep_copy(lattice.execution(), numbers_, L{});
  if constexpr (std::is_same_v<L, half>) {
    scales_ = allocate_on<float>(lattice, "kaon::CoarseMatrices scales", parities * matrices);
    Kokkos::deep_copy(lattice.execution(), scales_, 0.0F);
  }
}

template <class L>
void CoarseMatrices<L>::store(const SpinorField<float>& columns, int number) {
  const Execution& execution = columns.lattice().execution();
  const ColumnPlaces<L> places = places_of(columns, *this, number);
  const int sites = sites_of(columns.lattice()), items = sites * columns_;
  Workspace& workspace = columns.lattice().workspace();
  Kokkos::View<float*, Memory> largest;
  StoreNumbers<L> store{places, on_device ? (places.numbers + stored_together - 1) / stored_together : 1, nullptr,
                        nullptr, count_};
  if constexpr (std::is_same_v<L, half>) {
    largest = workspace.template take<float>(static_cast<std::size_t>(items) + static_cast<std::size_t>(sites));
    float* const of_matrices = largest.data() + items;
    for_each("kaon::coarse_links_largest", execution, items, LargestOfColumn<L>{places, largest.data()});
    for_each("kaon::coarse_links_largest_of_matrix", execution, sites,
             LargestOfMatrix{largest.data(), columns_, of_matrices});
    store.largest = of_matrices;
    store.scales = scales(parity_of(columns.subset())) + number;
  }
  for_each("kaon::coarse_links_store", execution, static_cast<std::int64_t>(items) * store.parts, store);
  if constexpr (std::is_same_v<L, half>) workspace.give_back(largest);
}

CoarseLinks make_coarse_links(const Lattice& lattice, int components, int count, MultigridPrecision precision,
                              int columns) {
  if (precision == MultigridPrecision::half) return CoarseMatrices<half>(lattice, components, count, columns);
  return CoarseMatrices<float>(lattice, components, count, columns);
}

template class CoarseMatrices<float>;
template class CoarseMatrices<half>;

}  // namespace kaon::detail
