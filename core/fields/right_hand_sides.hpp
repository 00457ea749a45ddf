// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/fields/layout.hpp"

#include <kaon/core/spinor_field.hpp>

namespace kaon::detail {

/// Single complex numbers of all right-hand sides of a spinor field on both parities, without scales, in lanes that are
/// chosen by the caller.
template <class T>
struct RightHandSides {
  const T* data[2];
  std::size_t stride;  ///< between right-hand sides
  int components;

  static RightHandSides of(const SpinorField<T>& field) {
    return {{field.data(Parity::even), field.data(Parity::odd)}, field.right_hand_side_stride(), field.components()};
  }

  /// The address of the real part of a number in a field of one lane. On devices the imaginary part follows.
  KOKKOS_FORCEINLINE_FUNCTION const T* place(int parity, int index, int component, int right_hand_side) const {
    return data[parity] + static_cast<std::size_t>(right_hand_side) * stride +
           element_offset<T>(index, 0, 1, components, component, 0);
  }

  /// The number in the lanes `lane`, .. of a site, converted to V: packs read fields of native lanes, scalars those of
  /// one lane.
  template <class V>
  KOKKOS_FORCEINLINE_FUNCTION Complex<V> load(int parity, int index, int lane, int component,
                                              int right_hand_side) const {
    using Stored = LanesIn<T, V>;
    constexpr int lanes = is_pack<V> ? native_lanes<T> : 1;
    const T* from = data[parity] + static_cast<std::size_t>(right_hand_side) * stride;
    const std::size_t re = element_offset<T>(index, lane, lanes, components, component, 0),
                      im = element_offset<T>(index, lane, lanes, components, component, 1);
    return {convert_lanes<V>(load_lanes<Stored>(from + re)), convert_lanes<V>(load_lanes<Stored>(from + im))};
  }

  /// Prefetches the numbers of some sites in sequence into the second cache of a host. Any index will do.
  template <class V>
  KOKKOS_FORCEINLINE_FUNCTION void prefetch(int parity, int index, int sites, int right_hand_side) const {
    if constexpr (!on_device && is_pack<V>) {
      const auto site = static_cast<std::ptrdiff_t>(element_offset<T>(1, 0, native_lanes<T>, components, 0, 0));
      const T* from = data[parity] + static_cast<std::size_t>(right_hand_side) * stride;
      constexpr std::ptrdiff_t line = 64 / sizeof(T);
      for (std::ptrdiff_t n = index * site; n < (index + sites) * site; n += line) __builtin_prefetch(from + n, 0, 2);
    }
  }
};

}  // namespace kaon::detail
