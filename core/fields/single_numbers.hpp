// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/fields/layout.hpp"
#include "core/lattice/geometry.hpp"

namespace kaon::detail {

// Single complex numbers of objects with `components` of them on a fine lattice, without a scale: for kernels that are
// not worth whole objects (`ObjectAccess`).

/// Number `component` of the sites in the lanes of V.
template <class V, class T>
KOKKOS_FORCEINLINE_FUNCTION Complex<V> load_number(const T* stream, int index, int components, int component) {
  return {load_lanes<V>(stream + element_offset<T>(index, 0, lane_count<V>, components, component, 0)),
          load_lanes<V>(stream + element_offset<T>(index, 0, lane_count<V>, components, component, 1))};
}
template <class V, class T>
KOKKOS_FORCEINLINE_FUNCTION void store_number(T* stream, const Complex<V>& z, int index, int components,
                                              int component) {
  store_lanes<V>(stream + element_offset<T>(index, 0, lane_count<V>, components, component, 0), z.re);
  store_lanes<V>(stream + element_offset<T>(index, 0, lane_count<V>, components, component, 1), z.im);
}

/// Number `component` of one site in double, on a lattice with so many lanes.
template <class T>
KOKKOS_INLINE_FUNCTION Complex<double> load_number_at(const T* stream, const Place& place, int lanes, int components,
                                                      int component) {
  const std::size_t re = element_offset<T>(place.index, place.lane, lanes, components, component, 0);
  const std::size_t im = element_offset<T>(place.index, place.lane, lanes, components, component, 1);
  return {static_cast<double>(stream[re]), static_cast<double>(stream[im])};
}
template <class T>
KOKKOS_INLINE_FUNCTION void store_number_at(T* stream, const Complex<double>& z, const Place& place, int lanes,
                                            int components, int component) {
  stream[element_offset<T>(place.index, place.lane, lanes, components, component, 0)] = static_cast<T>(z.re);
  stream[element_offset<T>(place.index, place.lane, lanes, components, component, 1)] = static_cast<T>(z.im);
}

}  // namespace kaon::detail
