// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/fields/element_order.hpp"

#include <kaon/core/spinor_field.hpp>

#include <bit>

namespace kaon::detail {

/// Position of the real part of a component among the numbers of a site of a coarse lattice, in packs of `lanes`
/// components. The imaginary part is `lanes` numbers later, on GPUs one.
KOKKOS_FORCEINLINE_FUNCTION constexpr int component_position(int component, [[maybe_unused]] int lanes) {
  if constexpr (on_device) return 2 * component;
  return component / lanes * lanes + component;
}

/// Addresses of the components of single sites, for fields with an even number n of components and any order of storage
/// (layout.hpp, element_order.hpp). An address is a sum of one term for the site and one for the component, which
/// shifts compute:
///   hosts, fine lattice:  place = W index + lane    2n W (place / W) + place mod W    2 W c            re to im: W
///   GPUs, fine lattice:   P complex numbers a word  64 n (place / 32) + 2 P (place mod 32)
///                                                   64 P (c / P) + 2 (c mod P)                         re to im: 1
///   coarse lattice:       L component lanes         2n place    2 L (c / L) + c mod L                  re to im: L
template <class T>
struct SiteComponents {
  /// (number >> shift) * outer + (number mod 2^shift) * inner
  struct Term {
    int shift, outer, inner;
    KOKKOS_FORCEINLINE_FUNCTION std::size_t operator()(int number) const {
      return static_cast<std::size_t>(number >> shift) * static_cast<std::size_t>(outer) +
             static_cast<std::size_t>((number & ((1 << shift) - 1)) * inner);
    }
  };

  T* data[2];  ///< by parity; null if the field does not hold that parity
  std::size_t stride;
  Term of_site, of_component;
  int re_to_im;

  KOKKOS_FORCEINLINE_FUNCTION T* site(int parity, int place, int right_hand_side) const {
    return data[parity] + static_cast<std::size_t>(right_hand_side) * stride + of_site(place);
  }
};

template <class T>
SiteComponents<T> site_components(SpinorField<T>& field) {
  const auto data = [&](Parity parity) { return field.holds(parity) ? field.data(parity) : nullptr; };
  const auto log2 = [](int power) { return std::countr_zero(static_cast<unsigned>(power)); };
  SiteComponents<T> numbers{{data(Parity::even), data(Parity::odd)}, field.right_hand_side_stride(), {}, {}, 1};
  const int reals = 2 * field.components();
  if (field.lattice().is_coarse()) {
    const int lanes = component_lanes<T>(field.components());
    numbers.of_site = {0, reals, 0};
    numbers.of_component = {log2(lanes), 2 * lanes, 1};
    numbers.re_to_im = lanes;
  } else if constexpr (on_device) {
    numbers.of_site = {log2(device_block), reals * device_block, 2 * device_pair<T>};
    numbers.of_component = {log2(device_pair<T>), 2 * device_block * device_pair<T>, 2};
  } else {
    const int lanes = field.lattice().template lane_count<T>();
    numbers.of_site = {log2(lanes), reals * lanes, 1};
    numbers.of_component = {0, 2 * lanes, 0};
    numbers.re_to_im = lanes;
  }
  return numbers;
}
/// For kernels that only load.
template <class T>
SiteComponents<T> site_components(const SpinorField<T>& field) {
  return site_components(const_cast<SpinorField<T>&>(field));
}

}  // namespace kaon::detail
