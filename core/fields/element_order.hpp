// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/fields/layout.hpp"
#include "core/lattice/geometry.hpp"

#include <kaon/core/lattice.hpp>

namespace kaon::detail {

/// W of coarse fields of T with n components a site: a register's width where it divides n, else 1; 1 on a device.
template <class T>
constexpr int component_lanes(int components) {
  return components % native_lanes<T> == 0 ? native_lanes<T> : 1;
}

/// The places of the numbers of an object in the stream of a field of T, which a field requests of its lattice.
///   fine lattice:    as layout.hpp says
///   coarse lattice:  [site][component / W][re, im][W]. W components of one site fill a register, however few sites
///                    there are. On a device sites follow one another without blocks of 32, which would be mostly
///                    empty.
template <class T>
struct ElementOrder {
  int lanes;    ///< W
  bool coarse;  ///< lanes are components, not virtual nodes

  static ElementOrder of(const Lattice& lattice, int components) {
    if (lattice.is_coarse()) return {component_lanes<T>(components), true};
    return {lattice.lane_count<T>(), false};
  }

  /// Position of one number of an object of `components`.
  KOKKOS_INLINE_FUNCTION std::size_t offset(const Place& place, int components, int component, int re_im,
                                            bool scaled = false) const {
    if (!coarse) return element_offset<T>(place.index, place.lane, lanes, components, component, re_im, scaled);
    const int pack = component / lanes, lane = component - pack * lanes;
    return static_cast<std::size_t>(place.index) * static_cast<std::size_t>(2 * components) +
           static_cast<std::size_t>((2 * pack + re_im) * lanes + lane);
  }
};

}  // namespace kaon::detail
