// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/fields/array_sites.hpp"
#include "core/fields/convert.hpp"
#include "core/fields/recycled_memory.hpp"
#include "core/lattice/coarse_lattice.hpp"

#include <kaon/core/array_view.hpp>
#include <kaon/core/clover_field.hpp>
#include <kaon/core/error.hpp>

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

template class CloverField<double>;
template class CloverField<float>;
template class CloverField<half>;
template CloverField<double>::CloverField(const CloverField<float>&);
template CloverField<double>::CloverField(const CloverField<half>&);
template CloverField<float>::CloverField(const CloverField<double>&);
template CloverField<float>::CloverField(const CloverField<half>&);
template CloverField<half>::CloverField(const CloverField<double>&);
template CloverField<half>::CloverField(const CloverField<float>&);

}  // namespace kaon
