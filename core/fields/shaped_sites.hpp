// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/fields/convert.hpp"

#include <cstdint>

namespace kaon::detail {

// Single numbers of fields of any shape, precision and order, for kernels that copy.

/// The place of a site's parity in storage of `subset`, in units of a parity: -1 if it is not held.
KOKKOS_INLINE_FUNCTION int parity_slot(Subset subset, int parity) {
  if (subset == Subset::full) return parity;
  return static_cast<int>(subset) == parity ? 0 : -1;
}

/// Storage of one shape.
template <class T>
struct ShapedSites {
  SiteMap map;
  SiteShape shape;
  int lanes;  // virtual nodes
  ElementOrder<std::remove_const_t<T>> order;
  std::size_t parity;  // numbers
  T* data;

  ShapedSites(const Lattice& lattice, T* numbers, const SiteShape& site_shape)
      : map(SiteMap::of<std::remove_const_t<T>>(lattice)),
        shape(site_shape),
        lanes(lattice.lane_count<std::remove_const_t<T>>()),
        order(ElementOrder<std::remove_const_t<T>>::of(lattice, site_shape.components)),
        parity(parity_size<std::remove_const_t<T>>(lattice, site_shape)),
        data(numbers) {}

  KOKKOS_INLINE_FUNCTION T* stream(int slot, int object) const {
    const auto objects = static_cast<std::size_t>(shape.objects);
    return data + static_cast<std::size_t>(slot * shape.objects + object) * (parity / objects);
  }
};

/// The numbers of a site from `first` on, as far as their object goes.
template <class T>
struct ObjectNumbers {
  T* stream;
  Place place;
  ElementOrder<std::remove_const_t<T>> order;
  int components;
  int first;  // of the object
  bool scaled;
  double scale;  // of 16-bit numbers

  KOKKOS_INLINE_FUNCTION ObjectNumbers(const ShapedSites<T>& sites, const Place& at, int slot, int first_of_site)
      : stream(sites.stream(slot, first_of_site / sites.shape.components)),
        place(at),
        order(sites.order),
        components(sites.shape.components),
        first(first_of_site % sites.shape.components),
        scaled(false),
        scale(1.0) {
    if constexpr (std::is_same_v<std::remove_const_t<T>, half>) {
      scaled = sites.shape.scaled;
      scale = scaled ? static_cast<double>(*scale_address()) : 1.0 / static_cast<double>(half_one);
    }
  }
  KOKKOS_INLINE_FUNCTION double load(int component, int part) const {
    const T& number = stream[offset(component, part)];
    if constexpr (std::is_same_v<std::remove_const_t<T>, half>) {
      return scale * static_cast<double>(number.bits);
    } else {
      return static_cast<double>(number);
    }
  }
  /// Stores the `reals` numbers value(0), value(1), ..., with the scale that they need.
  template <class Value>
  KOKKOS_INLINE_FUNCTION void store_all(int reals, const Value& value) {
    if (scaled) {
      double largest = 0.0;
      for (int k = 0; k < reals; ++k) {
        const double size = Kokkos::abs(value(k));
        if (!(size <= largest)) largest = size;  // a NaN remains
        if (size != size) break;
      }
      *scale_address() = static_cast<float>(largest / static_cast<double>(half_one));
      scale = static_cast<double>(*scale_address());
    }
    for (int k = 0; k < reals; ++k) store(value(k), k / 2, k % 2);
  }
  KOKKOS_INLINE_FUNCTION void store(double value, int component, int part) const {
    T& number = stream[offset(component, part)];
    if constexpr (std::is_same_v<T, half>) {
      const double raw = scale > 0.0 ? value / scale : 0.0;
      const double one = static_cast<double>(half_one);
      number.bits = static_cast<std::int16_t>(Kokkos::round(Kokkos::fmax(-one, Kokkos::fmin(one, raw))));
    } else {
      number = static_cast<T>(value);
    }
  }

 private:
  KOKKOS_INLINE_FUNCTION std::size_t offset(int component, int part) const {
    return order.offset(place, components, first + component, part, scaled);
  }
  KOKKOS_INLINE_FUNCTION auto scale_address() const {
    using Float = std::conditional_t<std::is_const_v<T>, const float, float>;
    return reinterpret_cast<Float*>(stream + scale_offset(place.index, place.lane, order.lanes, components));
  }
};

}  // namespace kaon::detail
