// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/fields/array_sites.hpp"
#include "core/fields/convert.hpp"
#include "core/fields/recycled_memory.hpp"

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
  SpinorParameters half = parameters_;
  half.subset = subset_of(parity);
  return SpinorField(*this, half, parity_offset(parity));
}

template <Precision T>
const SpinorField<T> SpinorField<T>::parity(Parity parity) const {
  SpinorParameters half = parameters_;
  half.subset = subset_of(parity);
  return SpinorField(*this, half, parity_offset(parity));
}

template <Precision T>
SpinorField<T> SpinorField<T>::range(int first, int count) {
  require(first >= 0 && count >= 1 && count <= right_hand_sides() && first <= right_hand_sides() - count, [&] {
    return fmt::format("right-hand sides [{}, {}) of a field that has {}", first, std::int64_t{first} + count,
                       right_hand_sides());
  });
  SpinorParameters some = parameters_;
  some.right_hand_sides = count;
  return SpinorField(*this, some, static_cast<std::size_t>(first) * right_hand_side_stride_);
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

template class SpinorField<double>;
template class SpinorField<float>;
template class SpinorField<half>;

}  // namespace kaon
