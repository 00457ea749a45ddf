// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/fields/array_sites.hpp"
#include "core/fields/convert.hpp"
#include "core/fields/convert_links.hpp"
#include "core/fields/link_codes.hpp"
#include "core/fields/recycled_memory.hpp"
#include "core/lattice/coarse_lattice.hpp"

#include <kaon/core/array_view.hpp>
#include <kaon/core/error.hpp>
#include <kaon/core/gauge_field.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace kaon {
namespace detail {

void require_storage(LinkStorage storage, LinkStorage wanted) {
  require(storage == wanted, [&] {
    return fmt::format(
        "links stored in {} reals were given where {} are wanted: convert them with GaugeField(links, LinkStorage)",
        reals(storage), reals(wanted));
  });
}

}  // namespace detail

namespace {

detail::SiteShape link_shape(LinkStorage storage) {
  return {.objects = 4, .components = reals(storage) / 2, .subset = Subset::full, .scaled = false};
}

template <Precision T>
Kokkos::View<T*, Memory> allocate(const Lattice& lattice, LinkStorage storage) {
  detail::require_fine(lattice, "a gauge field");
  constexpr std::array storages{LinkStorage::full, LinkStorage::two_rows_and_determinant, LinkStorage::two_rows,
                                LinkStorage::minimal_and_determinant, LinkStorage::minimal};
  require(std::find(storages.begin(), storages.end(), storage) != storages.end(), [&] {
    return fmt::format("links cannot be stored in {} reals: take 18, 14, 12, 10 or 8 (`LinkStorage`)", reals(storage));
  });
  return detail::allocate_field<T>(lattice, "kaon::GaugeField",
                                   2 * detail::parity_size<T>(lattice, link_shape(storage)));
}

}  // namespace

template <Precision T>
GaugeField<T>::GaugeField(const Lattice& lattice)
    : GaugeField(lattice, LinkStorage::full, allocate<T>(lattice, LinkStorage::full), std::make_shared<double>(1.0)) {}

template <Precision T>
GaugeField<T>::GaugeField(const Lattice& lattice, LinkStorage storage, Kokkos::View<T*, Memory> values,
                          std::shared_ptr<double> scale)
    : lattice_(lattice), link_storage_(storage), storage_(std::move(values)), scale_(std::move(scale)) {}

template <Precision T>
template <Precision S>
GaugeField<T>::GaugeField(const GaugeField<S>& other, LinkStorage storage)
    : GaugeField(other.lattice(), storage, allocate<T>(other.lattice(), storage), std::make_shared<double>(1.0)) {
  *scale_ = detail::convert_links(*this, other);
}

template <Precision T>
GaugeField<T> GaugeField<T>::share() const {
  return GaugeField(lattice_, link_storage_, storage_, scale_);
}

template <Precision T>
GaugeField<T> GaugeField<T>::on(const Lattice& lattice) const {
  require(lattice_.same_layout(lattice), "links can be taken to lattices of the same layout only");
  return GaugeField(lattice, link_storage_, storage_, scale_);
}

template <Precision T>
GaugeField<T> GaugeField<T>::clone() const {
  GaugeField copy(lattice_, link_storage_, allocate<T>(lattice_, link_storage_), std::make_shared<double>(scale()));
  Kokkos::deep_copy(lattice_.execution(), copy.storage_, storage_);
  return copy;
}

template <Precision T>
std::vector<std::complex<double>> GaugeField<T>::to_host() const {
  auto values = detail::room_for_values(lattice_, 36);
  copy_out({.data = values.data(), .memory = ArrayMemory::host}, *this);
  return values;
}

template <Precision T>
void GaugeField<T>::from_host(std::span<const std::complex<double>> values) {
  copy_in(*this, detail::host_values(lattice_, values, 36));
}

template <Precision T>
void GaugeField<T>::assign(const GaugeField<double>& other) {
  require(lattice_.same_layout(other.lattice()), "links can be taken from fields of the same layout only");
  const GaugeField<T> converted(other, link_storage_);  // refuses before anything of this field is lost
  Kokkos::deep_copy(lattice_.execution(), storage_, converted.storage_);
  *scale_ = converted.scale();
}

template class GaugeField<double>;
template class GaugeField<float>;
template class GaugeField<half>;
template GaugeField<double>::GaugeField(const GaugeField<double>&, LinkStorage);
template GaugeField<double>::GaugeField(const GaugeField<float>&, LinkStorage);
template GaugeField<double>::GaugeField(const GaugeField<half>&, LinkStorage);
template GaugeField<float>::GaugeField(const GaugeField<double>&, LinkStorage);
template GaugeField<float>::GaugeField(const GaugeField<float>&, LinkStorage);
template GaugeField<float>::GaugeField(const GaugeField<half>&, LinkStorage);
template GaugeField<half>::GaugeField(const GaugeField<double>&, LinkStorage);
template GaugeField<half>::GaugeField(const GaugeField<float>&, LinkStorage);
template GaugeField<half>::GaugeField(const GaugeField<half>&, LinkStorage);

}  // namespace kaon
