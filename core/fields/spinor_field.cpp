// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/fields/array_sites.hpp"
#include "core/fields/columns.hpp"
#include "core/fields/convert.hpp"
#include "core/fields/recycled_memory.hpp"
#include "core/fields/shaped_sites.hpp"

#include <kaon/core/array_view.hpp>
#include <kaon/core/error.hpp>
#include <kaon/core/spinor_field.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <limits>

namespace kaon {
namespace {

/// Kernels number the real numbers of a block of sites by `int`.
constexpr int most_components = std::numeric_limits<int>::max() / (2 * detail::device_block);

template <class T>
detail::SiteShape shape_of(const SpinorParameters& parameters) {
  return detail::spinor_shape<T>(parameters.components(), parameters.subset, parameters.slices);
}

template <class T>
void require_coarse_shape(const Lattice& lattice, const SpinorParameters& parameters) {
  require(!std::same_as<T, half>, "a field on a coarse lattice is in double or single precision, not in half");
  require(parameters.spins == 2, [&] {
    return fmt::format("a field on a coarse lattice has 2 spins, one for each chirality, not {}", parameters.spins);
  });
  require(parameters.slices == 1,
          [&] { return fmt::format("a field on a coarse lattice has one slice, not {}", parameters.slices); });
  require(parameters.subset != Subset::odd || lattice.parities() == 2, [&] {
    return fmt::format("coarse lattice {} has one parity, since {}: its fields are full or even",
                       to_string(lattice.extents()), lattice.volume() == 1 ? "it is one site" : "an extent is odd");
  });
}

}  // namespace

template <Precision T>
SpinorField<T>::SpinorField(const Lattice& lattice, const SpinorParameters& parameters)
    : SpinorField(lattice, parameters, Unallocated{}) {
  storage_ = detail::allocate_field<T>(lattice, "kaon::SpinorField",
                                       right_hand_side_stride_ * static_cast<std::size_t>(parameters.right_hand_sides));
}

template <Precision T>
SpinorField<T>::SpinorField(const Lattice& lattice, const SpinorParameters& parameters, Unallocated)
    : lattice_(lattice), parameters_(parameters) {
  require(parameters.spins >= 1 && parameters.colors >= 1 && parameters.right_hand_sides >= 1, [&] {
    return fmt::format("a spinor field needs at least one spin, colour and right-hand side, got {}, {} and {}",
                       parameters.spins, parameters.colors, parameters.right_hand_sides);
  });
  require(parameters.slices >= 1,
          [&] { return fmt::format("a spinor field needs at least one slice, got {}", parameters.slices); });
  require(parameters.colors <= most_components / parameters.spins, [&] {
    return fmt::format("a spinor field of {} spins and {} colours has more than {} numbers at a site", parameters.spins,
                       parameters.colors, most_components);
  });
  require(parameters.slices <= most_components / parameters.components(), [&] {
    return fmt::format("a spinor field of {} slices with {} numbers each has more than {} numbers at a site",
                       parameters.slices, parameters.components(), most_components);
  });
  if (lattice.is_coarse()) require_coarse_shape<T>(lattice, parameters);
  if (std::same_as<T, half> && parameters.components() % 3 == 0 &&
      !detail::has_scaled_object(parameters.components())) {
    detail::refuse_part("staggered");
  }
  require(!std::same_as<T, half> || parameters.components() % 3 == 0, [&] {
    return fmt::format(
        "a spinor field in half precision has 3 numbers or a multiple at a site, which share scales, not {}",
        parameters.components());
  });
  parity_size_ = detail::parity_size<T>(lattice, shape_of<T>(parameters));
  right_hand_side_stride_ = size();
  constexpr std::size_t most_numbers = std::numeric_limits<std::ptrdiff_t>::max() / sizeof(T);
  require(static_cast<std::size_t>(parameters.right_hand_sides) <= most_numbers / right_hand_side_stride_, [&] {
    return fmt::format("a spinor field of {} right-hand sides with {} numbers each is beyond the addresses of memory",
                       parameters.right_hand_sides, right_hand_side_stride_);
  });
}

template <Precision T>
SpinorField<T>::SpinorField(const SpinorField& whole, const SpinorParameters& parameters, std::size_t offset)
    : lattice_(whole.lattice_),
      parameters_(parameters),
      storage_(whole.storage_),
      offset_(whole.offset_ + offset),
      parity_size_(whole.parity_size_),
      right_hand_side_stride_(whole.right_hand_side_stride_) {}

template <Precision T>
bool SpinorField<T>::holds(Parity parity) const {
  if (subset() == Subset::full) return static_cast<int>(parity) < parities();
  return subset() == subset_of(parity);
}

template <Precision T>
std::size_t SpinorField<T>::parity_offset(Parity parity) const {
  require(holds(parity), "the field holds only the other parity");
  return subset() == Subset::full ? static_cast<std::size_t>(parity) * parity_size_ : 0;
}

template <Precision T>
T* SpinorField<T>::data(Parity parity) {
  return data() + parity_offset(parity);
}

template <Precision T>
const T* SpinorField<T>::data(Parity parity) const {
  return data() + parity_offset(parity);
}

template <Precision T>
SpinorField<T> SpinorField<T>::parity(Parity parity) {
  return SpinorField(*this, parameters_.on(subset_of(parity)), parity_offset(parity));
}

template <Precision T>
const SpinorField<T> SpinorField<T>::parity(Parity parity) const {
  return SpinorField(*this, parameters_.on(subset_of(parity)), parity_offset(parity));
}

template <Precision T>
SpinorField<T> SpinorField<T>::range(int first, int count) {
  require(first >= 0 && count >= 1 && count <= right_hand_sides() && first <= right_hand_sides() - count, [&] {
    return fmt::format("right-hand sides [{}, {}) of a field that has {}", first, std::int64_t{first} + count,
                       right_hand_sides());
  });
  return SpinorField(*this, parameters_.with_right_hand_sides(count),
                     static_cast<std::size_t>(first) * right_hand_side_stride_);
}

template <Precision T>
const SpinorField<T> SpinorField<T>::range(int first, int count) const {
  return const_cast<SpinorField*>(this)->range(first, count);
}

template <Precision T>
SpinorField<T> SpinorField<T>::slice(int s) {
  require(s >= 0 && s < slices(), [&] { return fmt::format("slice {} of a field that has {}", s, slices()); });
  require(parities() == 1, "the slices of a field on both parities are not fields: take one parity first");
  SpinorParameters one = parameters_;
  one.slices = 1;
  SpinorField of_all(*this, one, static_cast<std::size_t>(s) * slice_size());
  of_all.parity_size_ = slice_size();
  return of_all;
}

template <Precision T>
const SpinorField<T> SpinorField<T>::slice(int s) const {
  return const_cast<SpinorField*>(this)->slice(s);
}

template <Precision T>
SpinorField<T> SpinorField<T>::slices_as_right_hand_sides() {
  require(slices_are_evenly_spaced(),
          "the slices of several right-hand sides of one parity of a field on both are not evenly spaced");
  SpinorParameters apart = parameters_;
  apart.slices = 1;
  apart.right_hand_sides = slices() * right_hand_sides();
  SpinorField all(*this, apart, 0);
  all.parity_size_ = slice_size();
  all.right_hand_side_stride_ = slice_size();
  return all;
}

template <Precision T>
const SpinorField<T> SpinorField<T>::slices_as_right_hand_sides() const {
  return const_cast<SpinorField*>(this)->slices_as_right_hand_sides();
}

template <Precision T>
SpinorField<T> SpinorField<T>::on(const Lattice& lattice) {
  require(lattice_.same_layout(lattice), "a field can be taken to lattices of the same layout only");
  SpinorField same(*this, parameters_, 0);
  same.lattice_ = lattice;
  return same;
}

template <Precision T>
const SpinorField<T> SpinorField<T>::on(const Lattice& lattice) const {
  return const_cast<SpinorField*>(this)->on(lattice);
}

template <Precision T>
std::vector<std::complex<double>> SpinorField<T>::to_host(int right_hand_side) const {
  auto values = detail::room_for_values(lattice_, parameters_.components_of_all_slices());
  copy_out({.data = values.data(), .memory = ArrayMemory::host}, *this, right_hand_side);
  return values;
}

template <Precision T>
void SpinorField<T>::from_host(std::span<const std::complex<double>> values, int right_hand_side) {
  copy_in(*this, detail::host_values(lattice_, values, parameters_.components_of_all_slices()), right_hand_side);
}

namespace {

using detail::ArrayNumbers;
using detail::ArraySites;
using detail::CopyWay;

/// One site of a slice of the right-hand sides of a spinor field from an array, or into it.
template <class T>
struct SpinorArrayKernel {
  detail::ShapedSites<T> field;  // of the first right-hand side
  ArraySites sites;
  ArrayNumbers array;
  int first;
  int right_hand_sides;
  std::size_t stride;  // of right-hand sides in the field
  int slice, spins, colors;
  bool color_spin;
  CopyWay way;

  KOKKOS_FUNCTION void operator()(const int site) const {
    int x[4];
    sites.coordinates(first + site, x);
    const detail::Place place = field.map.place(x);
    const int slot = detail::parity_slot(field.shape.subset, place.parity);
    detail::ShapedSites<T> one = field;
    ArrayNumbers numbers = array;
    for (int rhs = 0; rhs < right_hand_sides; ++rhs) {
      copy(one, place, slot, numbers, site);
      one.data += stride;
      numbers.parts[0] += 2 * (array.wide ? sizeof(double) : sizeof(float));
    }
  }

 private:
  KOKKOS_FUNCTION void copy(const detail::ShapedSites<T>& one, const detail::Place& place, int slot,
                            const ArrayNumbers& numbers, int site) const {
    if (slot < 0) {
      if (way == CopyWay::out) {
        for (int k = 0; k < 2 * spins * colors; ++k) numbers.store(0.0, site, k);
      }
      return;
    }
    const int count = one.shape.components;
    for (int component = 0; component < spins * colors; component += count) {
      detail::ObjectNumbers<T> object(one, place, slot, slice * spins * colors + component);
      if (way == CopyWay::in) {
        object.store_all(2 * count, [&](int k) { return numbers.load(site, number(component, k)); });
      } else {
        for (int k = 0; k < 2 * count; ++k) numbers.store(object.load(k / 2, k % 2), site, number(component, k));
      }
    }
  }

  /// Place in the array of real number k after the complex number `component` of the field.
  KOKKOS_FUNCTION int number(int component, int k) const {
    const int c = component + k / 2;
    return 2 * (color_spin ? c % colors * spins + c / colors : c) + k % 2;
  }
};

/// The array's numbers of slice s: slices are stored in sequence.
ArrayView slice_of(ArrayView array, int s, const detail::ArrayShape& shape) {
  if (s == 0) return array;
  const std::ptrdiff_t number = array.element == ArrayElement::complex128 ? sizeof(double) : sizeof(float);
  const std::ptrdiff_t site = array.site_bytes == 0 ? shape.reals * number : array.site_bytes;
  array.data = static_cast<char*>(array.data) + s * shape.sites * site;
  return array;
}

/// Copies right-hand sides, whose numbers take turns in the array: [site][component][right-hand side]. `field` may be
/// written if the numbers go in.
template <class T>
void copy(const SpinorField<T>& field, const ArrayView& array, CopyWay way) {
  const Lattice& lattice = field.lattice();
  const int columns = field.right_hand_sides();
  require(!array.planes || field.slices() == 1, "planes have one slice, but this field of spinors has several");
  const bool color_spin =
      detail::in_second_order(array.inside, InsideOrder::spin_color, InsideOrder::color_spin, "spinors");
  const ArraySites sites = ArraySites::of(lattice, array.sites, field.subset());
  const detail::ShapedSites<T> shaped(lattice, const_cast<T*>(field.data()),
                                      detail::spinor_shape<T>(field.components(), field.subset(), field.slices()));
  const detail::ArrayShape shape{
      .sites = sites.count, .reals = 2 * field.components() * columns, .first = sites.first_of_planes()};
  for (int s = 0; s < field.slices(); ++s) {
    detail::for_each_piece(
        lattice, slice_of(array, s, shape), shape, way, [&](ArrayNumbers numbers, int first, int count) {
          numbers.complex_step *= columns;
          detail::for_each_array_site(
              "kaon::copy_spinors", lattice, sites, count, shaped.map,
              SpinorArrayKernel<T>{shaped, sites, numbers, first, columns, field.right_hand_side_stride(), s,
                                   field.spins(), field.colors(), color_spin, way});
        });
  }
}

}  // namespace

template <class T>
void copy_in(SpinorField<T>& field, const ConstArrayView& array, int right_hand_side) {
  copy<T>(field.range(right_hand_side, 1), detail::readable(array), CopyWay::in);
}

template <class T>
void copy_out(const ArrayView& array, const SpinorField<T>& field, int right_hand_side) {
  copy(field.range(right_hand_side, 1), array, CopyWay::out);
}

template <class T>
void detail::columns_from_host(SpinorField<T>& field, std::span<const std::complex<double>> values) {
  copy(field, readable(host_values(field.lattice(), values, field.components() * field.right_hand_sides())),
       CopyWay::in);
}

template <class T>
void detail::columns_to_host(std::span<std::complex<double>> values, const SpinorField<T>& field) {
  copy(field, readable(host_values(field.lattice(), values, field.components() * field.right_hand_sides())),
       CopyWay::out);
}

#define KAON_INSTANTIATE(T)                                                                        \
  template class SpinorField<T>;                                                                   \
  template void copy_in(SpinorField<T>&, const ConstArrayView&, int);                              \
  template void copy_out(const ArrayView&, const SpinorField<T>&, int);                            \
  template void detail::columns_from_host(SpinorField<T>&, std::span<const std::complex<double>>); \
  template void detail::columns_to_host(std::span<std::complex<double>>, const SpinorField<T>&);
KAON_INSTANTIATE(double)
KAON_INSTANTIATE(float)
KAON_INSTANTIATE(half)
#undef KAON_INSTANTIATE

}  // namespace kaon
