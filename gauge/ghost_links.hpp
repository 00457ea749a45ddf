// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/fields/field_access.hpp"
#include "core/fields/ghost_box.hpp"

namespace kaon::detail {

/// Reals of the links of a site: [mu][row][column][re, im].
inline constexpr int link_reals = 4 * 18;

/// Copies the links into the virtual nodes of a box of `link_reals`; its layers remain to be exchanged.
template <class T>
void fill_box(const GhostBox<T>& box, const GaugeField<T>& links);

/// The way back.
template <class T>
void take_from_box(GaugeField<T>& links, const GhostBox<T>& box);

/// A link of a box, in the lanes of V, or in one lane.
template <class V, class T>
KOKKOS_FORCEINLINE_FUNCTION ColorMatrix<V> load_link(const BoxShape& box, const T* data, int site, int mu,
                                                     int lane = 0) {
  ColorMatrix<V> u;
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) {
      const int real = 18 * mu + 2 * (3 * row + column);
      if constexpr (lane_count<V> == 1) {
        u.e[row][column] = {static_cast<V>(data[box.offset(site, real, lane)]),
                            static_cast<V>(data[box.offset(site, real + 1, lane)])};
      } else {
        u.e[row][column] = {load_lanes<V>(data + box.offset(site, real, 0)),
                            load_lanes<V>(data + box.offset(site, real + 1, 0))};
      }
    }
  }
  return u;
}

template <class V, class T>
KOKKOS_FORCEINLINE_FUNCTION void store_link(const ColorMatrix<V>& u, const BoxShape& box, T* data, int site, int mu,
                                            int lane = 0) {
  for (int c = 0; c < 9; ++c) {
    const Complex<V>& element = u.e[c / 3][c % 3];
    T* const re = data + box.offset(site, 18 * mu + 2 * c, lane);
    T* const im = data + box.offset(site, 18 * mu + 2 * c + 1, lane);
    if constexpr (lane_count<V> == 1) {
      *re = static_cast<T>(element.re);
      *im = static_cast<T>(element.im);
    } else {
      store_lanes<V>(re, element.re);
      store_lanes<V>(im, element.im);
    }
  }
}

/// Links of a box with one lane, at local coordinates: to kernels what `SiteGauge` is where nothing is partitioned.
template <class T>
struct GhostLinks {
  BoxShape map;
  const T* data;

  KOKKOS_INLINE_FUNCTION ColorMatrix<double> load(const int (&x)[4], int mu) const {
    return load_link<double>(map, data, map.number(x), mu);
  }
};

/// Calls `body(access)`: the access object's `load` has links up to one step in each direction from every local site.
template <class T, class Body>
void with_near_links(const GaugeField<T>& links, const Body& body) {
  if (!links.lattice().is_partitioned()) return body(site_access(links));
  GhostBox<T> box(links.lattice(), {1, 1, 1, 1}, {1, 1, 1, 1}, link_reals);
  fill_box(box, links);
  box.exchange();
  body(GhostLinks<T>{box.shape(), box.data()});
}

}  // namespace kaon::detail
