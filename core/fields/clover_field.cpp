// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/fields/array_sites.hpp"
#include "core/fields/convert.hpp"
#include "core/fields/recycled_memory.hpp"
#include "core/fields/shaped_sites.hpp"
#include "core/lattice/coarse_lattice.hpp"
#include "core/lattice/first_entry.hpp"
#include "core/lattice/single_sites.hpp"

#include <kaon/core/array_view.hpp>
#include <kaon/core/clover_field.hpp>
#include <kaon/core/error.hpp>

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string>
#include <utility>

namespace kaon {
namespace {

detail::SiteShape clover_shape(Subset subset) { return {.objects = 2, .components = 18, .subset = subset}; }

template <Precision T>
Kokkos::View<T*, Memory> allocate(const Lattice& lattice, Subset subset) {
  detail::require_fine(lattice, "a clover field");
  return detail::allocate_field<T>(
      lattice, "kaon::CloverField",
      static_cast<std::size_t>(lattice.parities(subset)) * detail::parity_size<T>(lattice, clover_shape(subset)));
}

}  // namespace

template <Precision T>
CloverField<T>::CloverField(const Lattice& lattice, Subset subset)
    : CloverField(lattice, subset, allocate<T>(lattice, subset)) {}

template <Precision T>
CloverField<T>::CloverField(const Lattice& lattice, Subset subset, Kokkos::View<T*, Memory> storage)
    : lattice_(lattice), subset_(subset), storage_(std::move(storage)) {}

template <Precision T>
template <Precision S>
CloverField<T>::CloverField(const CloverField<S>& other) : CloverField(other.lattice(), other.subset()) {
  const detail::SiteShape shape = clover_shape(subset_);
  detail::convert_sites(lattice_, data(), shape, other.data(), shape);
}

template <Precision T>
CloverField<T> CloverField<T>::share() const {
  return CloverField(lattice_, subset_, storage_);
}

template <Precision T>
CloverField<T> CloverField<T>::on(const Lattice& lattice) const {
  require(lattice_.same_layout(lattice), "a clover field can be taken to lattices of the same layout only");
  return CloverField(lattice, subset_, storage_);
}

template <Precision T>
std::size_t CloverField<T>::parity_offset(Parity parity) const {
  if (subset_ == Subset::full) return static_cast<std::size_t>(parity) * (size() / 2);
  require(subset_ == subset_of(parity), "the clover field holds only the other parity");
  return 0;
}

template <Precision T>
T* CloverField<T>::data(Parity parity) {
  return data() + parity_offset(parity);
}

template <Precision T>
const T* CloverField<T>::data(Parity parity) const {
  return data() + parity_offset(parity);
}

template <Precision T>
std::vector<std::complex<double>> CloverField<T>::to_host() const {
  auto values = detail::room_for_values(lattice_, 72);
  copy_out({.data = values.data(), .memory = ArrayMemory::host}, *this);
  return values;
}

namespace {

using detail::ArrayNumbers;
using detail::ArraySites;
using detail::CopyWay;

/// The two blocks of a site from an array, or into it. A stored block is 6 reals of the diagonal, then the 15 complex
/// elements below it, row by row.
template <class T>
struct CloverArrayKernel {
  detail::ShapedSites<T> field;
  ArraySites sites;
  ArrayNumbers array;
  int first;
  bool packed;
  CopyWay way;

  KOKKOS_FUNCTION void operator()(const int site) const {
    int x[4];
    sites.coordinates(first + site, x);
    const detail::Place place = field.map.place(x);
    const int slot = detail::parity_slot(field.shape.subset, place.parity);
    const int reals = packed ? 36 : 72;  // of a block in the array
    if (slot < 0) {
      if (way == CopyWay::out) {
        for (int k = 0; k < 2 * reals; ++k) array.store(0.0, site, k);
      }
      return;
    }
    for (int chirality = 0; chirality < 2; ++chirality) {
      detail::ObjectNumbers<T> block(field, place, slot, 18 * chirality);
      const int begin = reals * chirality;
      if (way == CopyWay::in) {
        block.store_all(36, [&](int k) { return array.load(site, begin + number(k)); });
        continue;
      }
      for (int k = 0; k < 36; ++k) array.store(block.load(k / 2, k % 2), site, begin + number(k));
      if (!packed) fill(block, site, begin);
    }
  }

 private:
  KOKKOS_FUNCTION static int row_of(int below) {
    int row = 1;
    while ((row + 1) * row / 2 <= below) ++row;
    return row;
  }
  /// Place in a block of the array of real number k of a stored block.
  KOKKOS_FUNCTION int number(int k) const {
    if (k < 6) return packed ? k : 2 * 7 * k;
    const int below = (k - 6) / 2, row = row_of(below), column = below - row * (row - 1) / 2;
    return (packed ? 6 + 2 * (5 * column - column * (column - 1) / 2 + row - column - 1) : 2 * (6 * row + column)) +
           k % 2;
  }
  /// The numbers of a full block in the array that are not stored.
  KOKKOS_FUNCTION void fill(const detail::ObjectNumbers<T>& block, int site, int begin) const {
    for (int row = 0; row < 6; ++row) array.store(0.0, site, begin + 2 * 7 * row + 1);
    for (int below = 0; below < 15; ++below) {
      const int row = row_of(below), column = below - row * (row - 1) / 2;
      array.store(block.load(3 + below, 0), site, begin + 2 * (6 * column + row));
      array.store(-block.load(3 + below, 1), site, begin + 2 * (6 * column + row) + 1);
    }
  }
};

/// The elements below the diagonal of all blocks, or those on it, from planes or into them.
template <class T>
struct CloverPlanesKernel {
  detail::ShapedSites<T> field;
  ArraySites sites;
  ArrayNumbers array;
  bool diagonal;
  CopyWay way;

  KOKKOS_FUNCTION void operator()(const int site) const {
    int x[4];
    sites.coordinates(site, x);
    const detail::Place place = field.map.place(x);
    const int slot = detail::parity_slot(field.shape.subset, place.parity);
    if (slot < 0) return;
    for (int chirality = 0; chirality < 2; ++chirality) {
      detail::ObjectNumbers<T> block(field, place, slot, 18 * chirality);
      for (int k = diagonal ? 0 : 6; k < (diagonal ? 6 : 36); ++k) {
        const int plane = 2 * (diagonal ? k : (k - 6) / 2) + chirality;
        const int number = diagonal ? plane % 6 * 2 + plane / 6 : 2 * plane + k % 2;
        if (way == CopyWay::in) {
          block.store(array.load(site, number), k / 2, k % 2);
        } else {
          array.store(block.load(k / 2, k % 2), site, number);
        }
      }
    }
  }
};

template <class T>
void copy_planes(CloverField<T>& clover, const ArrayView& array, CopyWay way) {
  if constexpr (std::is_same_v<T, half>) {
    throw Error("clover terms of 16 bits are not copied from planes or into them: take double or float");
  } else {
    const Lattice& lattice = clover.lattice();
    const ArraySites sites = ArraySites::of(lattice, array.sites, clover.subset());
    const detail::ShapedSites<T> shaped(lattice, clover.data(),
                                        {.objects = 2, .components = 18, .subset = clover.subset()});
    for (const bool diagonal : {false, true}) {
      ArrayView part = array;
      part.data = array.parts[diagonal ? 1 : 0];
      const detail::ArrayShape shape{
          .sites = sites.count, .reals = diagonal ? 12 : 60, .first = sites.first_of_planes()};
      detail::for_each_piece(lattice, part, shape, way, [&](const ArrayNumbers& numbers, int, int count) {
        detail::for_each_array_site("kaon::copy_clover", lattice, sites, count, shaped.map,
                                    CloverPlanesKernel<T>{shaped, sites, numbers, diagonal, way});
      });
    }
  }
}

/// |B - B^dag| of full blocks over their largest number, by the block with the largest value: infinity of a block with
/// NaN or infinity.
struct HermitianKernel {
  using Largest = Kokkos::MaxLoc<double, int>;
  detail::SiteMap map;
  ArraySites sites;
  ArrayNumbers array;
  int first;
  Subset subset;

  KOKKOS_FUNCTION void operator()(const int site, Largest::value_type& largest) const {
    int x[4];
    sites.coordinates(first + site, x);
    if (detail::parity_slot(subset, map.place(x).parity) < 0) return;
    for (int chirality = 0; chirality < 2; ++chirality) {
      double size = 0.0, difference = 0.0;
      for (int row = 0; row < 6; ++row) {
        for (int column = 0; column <= row; ++column) {
          for (int part = 0; part < 2; ++part) {
            const double here = array.load(site, 72 * chirality + 2 * (6 * row + column) + part);
            const double there = array.load(site, 72 * chirality + 2 * (6 * column + row) + part);
            size = detail::larger(size, detail::larger(Kokkos::abs(here), Kokkos::abs(there)));
            difference = detail::larger(difference, Kokkos::abs(part == 0 ? here - there : here + there));
          }
        }
      }
      const double relative = difference > 0.0 ? detail::larger(0.0, difference / size) : 0.0;
      if (relative > largest.val) {
        largest.val = relative;
        largest.loc = 2 * detail::local_number(map, x) + chirality;
      }
    }
  }
};

/// Throws `Error` for full blocks that are not Hermitian. Collective.
void require_hermitian(const Lattice& lattice, const ArrayView& array, Subset subset) {
  constexpr double tolerance = 1e-5;  // numbers of other codes may come from single precision
  const ArraySites sites = ArraySites::of(lattice, array.sites, subset);
  HermitianKernel::Largest::value_type worst{};
  detail::for_each_piece(lattice, array, {.sites = sites.count, .reals = 144}, CopyWay::in,
                         [&](const ArrayNumbers& numbers, int first, int count) {
                           HermitianKernel::Largest::value_type of_piece;
                           Kokkos::parallel_reduce(
                               "kaon::hermitian_clover", Kokkos::RangePolicy<Execution>(lattice.execution(), 0, count),
                               HermitianKernel{detail::SiteMap::of<double>(lattice), sites, numbers, first, subset},
                               HermitianKernel::Largest(of_piece));
                           if (of_piece.val > worst.val) worst = of_piece;
                         });
  const double largest = lattice.communicator().maximum(worst.val);
  if (!(largest > tolerance)) return;
  const int found = worst.val == largest ? worst.loc : detail::no_entry;
  const std::optional<detail::SiteEntry> block = detail::first_entry(lattice, found, 2);
  const Coordinates& x = block->site;
  const std::string problem =
      std::isfinite(largest)
          ? fmt::format(
                "is not Hermitian: numbers that must be each other's conjugates differ by {:.2g} of the block's "
                "largest number; give a Hermitian term",
                largest)
          : "holds NaN or infinity";
  throw Error(fmt::format("the {} clover block at site ({}, {}, {}, {}) {}", block->part == 0 ? "upper" : "lower", x[0],
                          x[1], x[2], x[3], problem));
}

template <class T>
void copy(CloverField<T>& clover, const ArrayView& array, CopyWay way) {
  if (array.planes) return copy_planes(clover, array, way);
  const Lattice& lattice = clover.lattice();
  const bool packed =
      detail::in_second_order(array.inside, InsideOrder::full_clover, InsideOrder::packed_clover, "clover terms");
  if (way == CopyWay::in && !packed) require_hermitian(lattice, array, clover.subset());
  const ArraySites sites = ArraySites::of(lattice, array.sites, clover.subset());
  const detail::ShapedSites<T> shaped(lattice, clover.data(),
                                      {.objects = 2, .components = 18, .subset = clover.subset()});
  detail::for_each_piece(lattice, array, {.sites = sites.count, .reals = packed ? 72 : 144}, way,
                         [&](const ArrayNumbers& numbers, int first, int count) {
                           detail::for_each_array_site(
                               "kaon::copy_clover", lattice, sites, count, shaped.map,
                               CloverArrayKernel<T>{shaped, sites, numbers, first, packed, way});
                         });
}

}  // namespace

template <class T>
void copy_in(CloverField<T>& clover, const ConstArrayView& array) {
  copy(clover, detail::readable(array), CopyWay::in);
}

template <class T>
void copy_out(const ArrayView& array, const CloverField<T>& clover) {
  CloverField<T> same = clover.share();
  copy(same, array, CopyWay::out);
}

#define KAON_INSTANTIATE(T, S, Other)                              \
  template class CloverField<T>;                                   \
  template CloverField<T>::CloverField(const CloverField<S>&);     \
  template CloverField<T>::CloverField(const CloverField<Other>&); \
  template void copy_in(CloverField<T>&, const ConstArrayView&);   \
  template void copy_out(const ArrayView&, const CloverField<T>&);
KAON_INSTANTIATE(double, float, half)
KAON_INSTANTIATE(float, double, half)
KAON_INSTANTIATE(half, double, float)
#undef KAON_INSTANTIATE

}  // namespace kaon
