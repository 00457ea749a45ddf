// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/fields/element_order.hpp"
#include "core/lattice/coarse_lattice.hpp"
#include "multigrid/coarse/coarse_sum.hpp"

#include <kaon/core/spinor_field.hpp>

#include <algorithm>

namespace kaon::detail {

/// Elements of a field whose right-hand sides are the columns of a matrix at each site of one parity.
struct MatrixElements {
  float* data;
  std::size_t stride;
  ElementOrder<float> order;
  int n;

  explicit MatrixElements(const SpinorField<float>& columns)
      : data(const_cast<float*>(columns.data())),
        stride(columns.right_hand_side_stride()),
        order(ElementOrder<float>::of(columns.lattice(), columns.components())),
        n(columns.components()) {}

  KOKKOS_FUNCTION Complex<float> load(const float* field, std::size_t field_stride, int site, int row,
                                      int column) const {
    const float* of_column = field + static_cast<std::size_t>(column) * field_stride;
    return {of_column[order.offset({0, site, 0}, n, row, 0)], of_column[order.offset({0, site, 0}, n, row, 1)]};
  }
  KOKKOS_FUNCTION Complex<float> load(int site, int row, int column) const {
    return load(data, stride, site, row, column);
  }
  KOKKOS_FUNCTION void store(const Complex<float>& value, int site, int row, int column) const {
    float* of_column = data + static_cast<std::size_t>(column) * stride;
    of_column[order.offset({0, site, 0}, n, row, 0)] = value.re;
    of_column[order.offset({0, site, 0}, n, row, 1)] = value.im;
  }
  /// The element of G5 in a row.
  KOKKOS_FUNCTION float chirality(int row) const { return row < n / 2 ? 1.0F : -1.0F; }
};

/// Elements of a field's matrices at the neighbours of sites.
struct NeighborElements {
  MatrixElements elements;
  const int* neighbors;
  int sites;
  CoarseHaloAccess halo;

  KOKKOS_FUNCTION bool exist(int site, int face) const { return neighbors[8 * site + face] >= 0; }
  KOKKOS_FUNCTION Complex<float> load(int site, int face, int row, int column) const {
    const int from = neighbors[8 * site + face];
    if (from < sites) return elements.load(from, row, column);
    halo.flags.wait(face);
    return elements.load(halo.face[face], halo.stride[face], from - halo.first_site[face], row, column);
  }
};

/// Calls body(site, item) for some sites.
template <class Body>
struct ItemsOfSites {
  Body body;
  int first, items_of_site;

  KOKKOS_FUNCTION void operator()(const int item) const {
    const int site = item / items_of_site;
    body(first + site, item - site * items_of_site);
  }
};

/// Runs body(site, item) in launches of some millions of items: the items of a large lattice overflow an int.
template <class Body>
void for_each_item(const char* label, const SpinorField<float>& columns, int items_of_site, const Body& body) {
  constexpr int most_items = 1 << 22;
  const Lattice& lattice = columns.lattice();
  const int sites = static_cast<int>(lattice.local_volume() / lattice.parities());
  const int at_once = std::max(1, most_items / items_of_site);
  for (int first = 0; first < sites; first += at_once) {
    const int items = std::min(at_once, sites - first) * items_of_site;
    Kokkos::parallel_for(label, Kokkos::RangePolicy<Execution>(lattice.execution(), 0, items),
                         ItemsOfSites<Body>{body, first, items_of_site});
  }
}

// Fields whose n right-hand sides are the columns of an n x n matrix at each site of one parity.

/// columns(a) = Y_{-mu}(a) = G5 Y_{+mu}(a-mu)^dag G5, from `forward` = Y_{+mu} on the parity of a-mu and its halos.
void backward_hops(SpinorField<float>& columns, const SpinorField<float>& forward, const CoarseSites& sites, int mu,
                   const CoarseHaloAccess& halo);

/// columns -= W + G5 W^dag G5 of `hops` = W.
void subtract_hops(SpinorField<float>& columns, const SpinorField<float>& hops);

/// Column k becomes the unit vector of component first + k, at each site. There may be fewer columns than n.
void set_units(SpinorField<float>& columns, int first);

}  // namespace kaon::detail
