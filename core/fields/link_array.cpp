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

/// The four links of a site from an array, or into it. Reduced with, they are read from the array only, and the largest
/// distance from SU(3) is found.
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
  KOKKOS_FUNCTION void operator()(const int site, double& deviation) const {
    for (int mu = 0; mu < 4; ++mu) deviation = Kokkos::fmax(deviation, detail::su3_deviation(given(site, mu)));
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
  const bool sixteen_bits = std::is_same_v<T, half>;
  if (way == CopyWay::in && (links.storage() != LinkStorage::full || sixteen_bits)) {
    double deviation = 0.0;
    detail::for_each_piece(lattice, array, shape, way, [&](const ArrayNumbers& numbers, int first, int count) {
      double largest = 0.0;
      Kokkos::parallel_reduce("kaon::check_links", Kokkos::RangePolicy<Execution>(lattice.execution(), 0, count),
                              kernel(numbers, first), Kokkos::Max<double>(largest));
      deviation = std::max(deviation, largest);
    });
    detail::require_su3(deviation, detail::su3_tolerance, links.storage(), sixteen_bits);
  }
  detail::for_each_piece(lattice, array, shape, way, [&](const ArrayNumbers& numbers, int first, int count) {
    detail::for_each_array_site("kaon::copy_links", lattice, count, kernel(numbers, first));
  });
}

}  // namespace

template <class T>
void copy_in(GaugeField<T>& links, const ConstArrayView& array) {
  copy(links, detail::readable(array), CopyWay::in);
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
