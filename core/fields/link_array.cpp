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

/// The four links of a site from an array, or into it.
template <class T>
struct LinkArrayKernel {
  detail::StoredLinks<T> links;
  ArraySites sites;
  ArrayNumbers array;
  int first;
  bool by_direction, column_row;
  CopyWay way;

  KOKKOS_FUNCTION void operator()(const int site) const {
    int x[4];
    sites.coordinates(first + site, x);
    const detail::Place place = links.map.place(x);
    for (int mu = 0; mu < 4; ++mu) {
      if (way == CopyWay::in) {
        links.store(given(site, mu), place, mu);
        continue;
      }
      const ColorMatrix<double> u = links.load(place, mu);
      for (int c = 0; c < 9; ++c) {
        array.store(u.e[c / 3][c % 3].re, site, number(mu, c), part(mu));
        array.store(u.e[c / 3][c % 3].im, site, number(mu, c) + 1, part(mu));
      }
    }
  }

 private:
  KOKKOS_FUNCTION int part(int mu) const { return by_direction ? mu : 0; }
  /// Place in the array of the real part of an element.
  KOKKOS_FUNCTION int number(int mu, int element) const {
    return 2 * ((by_direction ? 0 : 9 * mu) + (column_row ? element % 3 * 3 + element / 3 : element));
  }
  KOKKOS_FUNCTION ColorMatrix<double> given(int site, int mu) const {
    ColorMatrix<double> u;
    for (int c = 0; c < 9; ++c) {
      u.e[c / 3][c % 3] = {array.load(site, number(mu, c), part(mu)), array.load(site, number(mu, c) + 1, part(mu))};
    }
    return u;
  }
};

template <class T>
void copy(GaugeField<T>& links, const ArrayView& array, CopyWay way) {
  const Lattice& lattice = links.lattice();
  const bool column_row =
      detail::in_second_order(array.inside, InsideOrder::row_column, InsideOrder::column_row, "links");
  const bool by_direction = std::any_of(array.parts.begin(), array.parts.end(), [](void* p) { return p != nullptr; });
  require(!by_direction || array.data == nullptr,
          "an array of links has both one pointer for all directions and pointers for each: set one of them");
  const ArraySites sites = ArraySites::of(lattice, array.sites, Subset::full);
  const detail::ArrayShape shape{sites.count, by_direction ? 18 : 72, by_direction};
  const auto kernel = [&](const ArrayNumbers& numbers, int first) {
    return LinkArrayKernel<T>{detail::stored_links(links), sites, numbers, first, by_direction, column_row, way};
  };
  detail::for_each_piece(lattice, array, shape, way, [&](const ArrayNumbers& numbers, int first, int count) {
    detail::for_each_array_site("kaon::copy_links", lattice, count, kernel(numbers, first));
  });
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
