// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/allocate.hpp"
#include "core/convert.hpp"

#include <kaon/core/gauge_field.hpp>

#include <utility>

namespace kaon {
namespace {

constexpr detail::SiteShape link_shape{.objects = 4, .components = 9, .subset = Subset::full};

template <class T>
Kokkos::View<T*, Memory> allocate(const Lattice& lattice) {
  return detail::allocate_zeros<T>(lattice.execution(), "kaon::GaugeField",
                                   2 * detail::parity_size<T>(lattice, link_shape));
}

}  // namespace

template <class T>
GaugeField<T>::GaugeField(const Lattice& lattice) : GaugeField(lattice, allocate<T>(lattice)) {}

template <class T>
GaugeField<T>::GaugeField(const Lattice& lattice, Kokkos::View<T*, Memory> storage)
    : lattice_(lattice), storage_(std::move(storage)) {}

template <class T>
template <class S>
GaugeField<T>::GaugeField(const GaugeField<S>& other) : GaugeField(other.lattice()) {
  detail::convert_sites(lattice_, link_shape, data(), other.data());
}

template <class T>
GaugeField<T> GaugeField<T>::share() const {
  return GaugeField(lattice_, storage_);
}

template <class T>
GaugeField<T> GaugeField<T>::clone() const {
  GaugeField copy(lattice_);
  Kokkos::deep_copy(lattice_.execution(), copy.storage_, storage_);
  return copy;
}

template <class T>
std::vector<std::complex<double>> GaugeField<T>::to_host() const {
  return detail::sites_to_host(lattice_, link_shape, data());
}

template <class T>
void GaugeField<T>::from_host(std::span<const std::complex<double>> values) {
  detail::sites_from_host(lattice_, link_shape, data(), values);
}

template class GaugeField<double>;
template class GaugeField<float>;
template GaugeField<double>::GaugeField(const GaugeField<float>&);
template GaugeField<float>::GaugeField(const GaugeField<double>&);

}  // namespace kaon
