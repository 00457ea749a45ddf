// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/coarse/site_matrix_fields.hpp"

#include "core/fields/element_order.hpp"
#include "multigrid/staggered/hypercube_sites.hpp"

#include <algorithm>

namespace kaon::detail {
namespace {

/// Elements of the matrices, [site][row][column] in the numbering of kernels.
template <class T>
struct Elements {
  T* data;
  std::size_t stride;
  ElementOrder<T> order;
  int n;

  explicit Elements(const SpinorField<T>& columns)
      : data(const_cast<T*>(columns.data())),
        stride(columns.right_hand_side_stride()),
        order(ElementOrder<T>::of(columns.lattice(), columns.components())),
        n(columns.components()) {}

  KOKKOS_FUNCTION Complex<T> load(const T* field, std::size_t field_stride, int site, int row, int column) const {
    const T* of_column = field + static_cast<std::size_t>(column) * field_stride;
    return {of_column[order.offset({0, site, 0}, n, row, 0)], of_column[order.offset({0, site, 0}, n, row, 1)]};
  }
  KOKKOS_FUNCTION Complex<T> load(int site, int row, int column) const { return load(data, stride, site, row, column); }
  KOKKOS_FUNCTION void store(const Complex<T>& value, int site, int row, int column) const {
    T* of_column = data + static_cast<std::size_t>(column) * stride;
    of_column[order.offset({0, site, 0}, n, row, 0)] = value.re;
    of_column[order.offset({0, site, 0}, n, row, 1)] = value.im;
  }
  /// The element of G5 in a row.
  KOKKOS_FUNCTION T chirality(int row) const { return row < n / 2 ? T(1) : T(-1); }
};

/// Elements of a field's matrices at the neighbours of sites.
template <class T>
struct NeighborElements {
  Elements<T> elements;
  const int* neighbors;
  int sites;
  CoarseHaloAccess<T> halo;

  KOKKOS_FUNCTION bool exist(int site, int face) const { return neighbors[8 * site + face] >= 0; }
  KOKKOS_FUNCTION Complex<T> load(int site, int face, int row, int column) const {
    const int from = neighbors[8 * site + face];
    if (from < sites) return elements.load(from, row, column);
    halo.flags.wait(face);
    return elements.load(halo.face[face], halo.stride[face], from - halo.first_site[face], row, column);
  }
};

template <class T>
struct BackwardHops {
  Elements<T> columns;
  NeighborElements<T> forward;
  int face;

  KOKKOS_FUNCTION void operator()(const int site, const int item) const {
    const int column = item / columns.n, row = item - column * columns.n;
    const Complex<T> element = forward.load(site, face, column, row);
    columns.store((columns.chirality(row) * columns.chirality(column)) * conj(element), site, row, column);
  }
};

template <class T>
struct BackwardOuterHops {
  Elements<T> outer;
  NeighborElements<T> behind;

  KOKKOS_FUNCTION void operator()(const int site, const int item) const {
    const int column = item / outer.n, row = item - column * outer.n;
    const int mu = column / colors, b = column % colors;
    const int y = site_of_component(row), a = row % colors;  // colours are fastest
    const int face = 2 * mu + 1;
    if ((y >> mu & 1) == 1 || !behind.exist(site, face)) return;
    const Complex<T> element = behind.load(site, face, first_component(y ^ 1 << mu) + b, colors * mu + a);
    outer.store(-conj(element), site, row, column);
  }
};

template <class T>
struct SubtractHops {
  Elements<T> columns, hops;

  KOKKOS_FUNCTION void operator()(const int site, const int item) const {
    const int column = item / columns.n, row = item - column * columns.n;
    const T sign = columns.chirality(row) * columns.chirality(column);
    const Complex<T> both = hops.load(site, row, column) + sign * conj(hops.load(site, column, row));
    columns.store(columns.load(site, row, column) - both, site, row, column);
  }
};

template <class T>
struct SetUnits {
  Elements<T> columns;
  int first;

  KOKKOS_FUNCTION void operator()(const int site, const int item) const {
    const int column = item / columns.n, row = item - column * columns.n;
    columns.store({row == first + column ? T(1) : T(0), T(0)}, site, row, column);
  }
};

/// body(site, item) of some sites.
template <class Body>
struct ItemsOfSites {
  Body body;
  int first, items_of_site;

  KOKKOS_FUNCTION void operator()(const int item) const {
    const int site = item / items_of_site;
    body(first + site, item - site * items_of_site);
  }
};

/// In launches of some millions of items: all those of a large lattice are more than an int counts.
template <class T, class Body>
void for_each_item(const char* label, const SpinorField<T>& columns, int items_of_site, const Body& body) {
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

}  // namespace

template <class T>
void backward_hops(SpinorField<T>& columns, const SpinorField<T>& forward, const CoarseSites& sites, int mu,
                   const CoarseHaloAccess<T>& halo) {
  const int n = columns.components();
  const Parity parity = parity_of(columns.subset());
  for_each_item(
      "kaon::coarse_backward_hops", columns, n * n,
      BackwardHops<T>{
          Elements<T>(columns), {Elements<T>(forward), sites.neighbors(parity), sites.sites(), halo}, 2 * mu + 1});
}

template <class T>
void backward_outer_hops(SpinorField<T>& outer, const SpinorField<T>& behind, const CoarseSites& sites,
                         const CoarseHaloAccess<T>& halo) {
  for_each_item(
      "kaon::hypercube_backward_hops", outer, outer_columns * outer.components(),
      BackwardOuterHops<T>{Elements<T>(outer),
                           {Elements<T>(behind), sites.neighbors(parity_of(outer.subset())), sites.sites(), halo}});
}

template <class T>
void subtract_hops(SpinorField<T>& columns, const SpinorField<T>& hops) {
  const int n = columns.components();
  for_each_item("kaon::coarse_subtract_hops", columns, n * n, SubtractHops<T>{Elements<T>(columns), Elements<T>(hops)});
}

template <class T>
void set_units(SpinorField<T>& columns, int first) {
  const int count = columns.right_hand_sides();
  for_each_item("kaon::coarse_units", columns, count * columns.components(), SetUnits<T>{Elements<T>(columns), first});
}

#define KAON_INSTANTIATE(T)                                                                     \
  template void backward_hops(SpinorField<T>&, const SpinorField<T>&, const CoarseSites&, int,  \
                              const CoarseHaloAccess<T>&);                                      \
  template void backward_outer_hops(SpinorField<T>&, const SpinorField<T>&, const CoarseSites&, \
                                    const CoarseHaloAccess<T>&);                                \
  template void subtract_hops(SpinorField<T>&, const SpinorField<T>&);                          \
  template void set_units(SpinorField<T>&, int);
KAON_INSTANTIATE(double)
KAON_INSTANTIATE(float)
#undef KAON_INSTANTIATE

}  // namespace kaon::detail
