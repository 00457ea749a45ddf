// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/fields/array_sites.hpp"
#include "core/fields/stored_links.hpp"

#include <kaon/core/error.hpp>

#include <algorithm>

namespace kaon {
namespace {

using detail::ArrayNumbers;
using detail::ArraySites;
using detail::ColorMatrix;
using detail::CopyWay;

/// All elements of a matrix.
struct MatrixOrder {
  static constexpr int reals = 18;
  bool column_row;

  KOKKOS_FUNCTION ColorMatrix<double> load(const ArrayNumbers& array, int site, int part, int first) const {
    ColorMatrix<double> u;
    for (int c = 0; c < 9; ++c) {
      const int number = first + component(c);
      u.e[c / 3][c % 3] = {array.load(site, number, part), array.load(site, number + 1, part)};
    }
    return u;
  }
  KOKKOS_FUNCTION void store(const ColorMatrix<double>& u, const ArrayNumbers& array, int site, int part,
                             int first) const {
    for (int c = 0; c < 9; ++c) {
      array.store(u.e[c / 3][c % 3].re, site, first + component(c), part);
      array.store(u.e[c / 3][c % 3].im, site, first + component(c) + 1, part);
    }
  }

 private:
  KOKKOS_FUNCTION int component(int element) const {
    return 2 * (column_row ? element % 3 * 3 + element / 3 : element);
  }
};

/// `InsideOrder::anti_hermitian`: the elements above the diagonal and on it, which determine the others.
struct AntiHermitianOrder {
  static constexpr int reals = 10;

  KOKKOS_FUNCTION static ColorMatrix<double> load(const ArrayNumbers& array, int site, int part, int first) {
    ColorMatrix<double> p;
    for (int k = 0; k < 3; ++k) {
      const int row = k / 2, column = k == 0 ? 1 : 2;
      p.e[row][column] = {array.load(site, first + 2 * k, part), array.load(site, first + 2 * k + 1, part)};
      p.e[column][row] = {-p.e[row][column].re, p.e[row][column].im};
      p.e[k][k] = {0.0, array.load(site, first + 6 + k, part)};
    }
    return p;
  }
  KOKKOS_FUNCTION static void store(const ColorMatrix<double>& p, const ArrayNumbers& array, int site, int part,
                                    int first) {
    for (int k = 0; k < 3; ++k) {
      const int row = k / 2, column = k == 0 ? 1 : 2;
      array.store(p.e[row][column].re, site, first + 2 * k, part);
      array.store(p.e[row][column].im, site, first + 2 * k + 1, part);
      array.store(p.e[k][k].im, site, first + 6 + k, part);
    }
    array.store(0.0, site, first + 9, part);
  }
};

/// The four links of a site from an array, or into it.
template <class T, class Order>
struct LinkArrayKernel {
  detail::StoredLinks<T> links;
  ArraySites sites;
  ArrayNumbers array;
  int first;
  bool by_direction;
  Order order;
  CopyWay way;

  KOKKOS_FUNCTION void operator()(const int site) const {
    int x[4];
    sites.coordinates(first + site, x);
    const detail::Place place = links.map.place(x);
    for (int mu = 0; mu < 4; ++mu) {
      const int part = by_direction ? mu : 0, number = by_direction ? 0 : Order::reals * mu;
      if (way == CopyWay::in) {
        links.store(order.load(array, site, part, number), place, mu);
      } else {
        order.store(links.load(place, mu), array, site, part, number);
      }
    }
  }
};

template <class T, class Order>
void copy_in_order(GaugeField<T>& links, const ArrayView& array, CopyWay way, const Order& order) {
  const Lattice& lattice = links.lattice();
  const bool by_direction = std::any_of(array.parts.begin(), array.parts.end(), [](void* p) { return p != nullptr; });
  require(!by_direction || array.data == nullptr,
          "an array of links has both one pointer for all directions and pointers for each: set one of them");
  require(!array.planes || by_direction, "links in planes need an array for each direction");
  const ArraySites sites = ArraySites::of(lattice, array.sites, Subset::full);
  const detail::ArrayShape shape{sites.count, (by_direction ? 1 : 4) * Order::reals, by_direction,
                                 sites.first_of_planes()};
  detail::for_each_piece(lattice, array, shape, way, [&](const ArrayNumbers& numbers, int first, int count) {
    const LinkArrayKernel<T, Order> kernel{
        detail::stored_links(links), sites, numbers, first, by_direction, order, way};
    detail::for_each_array_site("kaon::copy_links", lattice, count, kernel);
  });
}

template <class T>
void copy(GaugeField<T>& links, const ArrayView& array, CopyWay way) {
  if (array.inside == InsideOrder::anti_hermitian) return copy_in_order(links, array, way, AntiHermitianOrder{});
  const bool column_row =
      detail::in_second_order(array.inside, InsideOrder::row_column, InsideOrder::column_row, "links");
  copy_in_order(links, array, way, MatrixOrder{column_row});
}

}  // namespace

template <class T>
void copy_in(GaugeField<T>& links, const ConstArrayView& array) {
  if (links.storage() == LinkStorage::full && !std::is_same_v<T, half>) {
    copy(links, detail::readable(array), CopyWay::in);
  } else {
    GaugeField<double> full(links.lattice());
    copy(full, detail::readable(array), CopyWay::in);
    links.assign(full);
  }
}

template <class T>
void copy_out(const ArrayView& array, const GaugeField<T>& links) {
  GaugeField<T> same = links.share();
  copy(same, array, CopyWay::out);
}

template void copy_in(GaugeField<double>&, const ConstArrayView&);
template void copy_in(GaugeField<float>&, const ConstArrayView&);
template void copy_in(GaugeField<half>&, const ConstArrayView&);
template void copy_out(const ArrayView&, const GaugeField<double>&);
template void copy_out(const ArrayView&, const GaugeField<float>&);
template void copy_out(const ArrayView&, const GaugeField<half>&);

}  // namespace kaon
