// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/fields/array_sites.hpp"
#include "core/fields/convert.hpp"
#include "core/fields/link_codes.hpp"
#include "core/fields/recycled_memory.hpp"
#include "core/fields/stored_links.hpp"
#include "core/lattice/coarse_lattice.hpp"

#include <kaon/core/array_view.hpp>
#include <kaon/core/error.hpp>
#include <kaon/core/gauge_field.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace kaon {
namespace detail {

void require_storage(LinkStorage storage, LinkStorage wanted) {
  require(storage == wanted, [&] {
    return fmt::format(
        "links stored in {} reals were given where {} are wanted: convert them with GaugeField(links, LinkStorage)",
        reals(storage), reals(wanted));
  });
}

}  // namespace detail

namespace {

detail::SiteShape link_shape(LinkStorage storage) {
  return {.objects = 4, .components = reals(storage) / 2, .subset = Subset::full, .scaled = false};
}

template <Precision T>
Kokkos::View<T*, Memory> allocate(const Lattice& lattice, LinkStorage storage) {
  detail::require_fine(lattice, "a gauge field");
  constexpr std::array storages{LinkStorage::full, LinkStorage::two_rows_and_determinant, LinkStorage::two_rows,
                                LinkStorage::minimal_and_determinant, LinkStorage::minimal};
  require(std::find(storages.begin(), storages.end(), storage) != storages.end(), [&] {
    return fmt::format("links cannot be stored in {} reals: take 18, 14, 12, 10 or 8 (`LinkStorage`)", reals(storage));
  });
  return detail::allocate_field<T>(lattice, "kaon::GaugeField",
                                   2 * detail::parity_size<T>(lattice, link_shape(storage)));
}

}  // namespace

template <Precision T>
GaugeField<T>::GaugeField(const Lattice& lattice)
    : GaugeField(lattice, LinkStorage::full, allocate<T>(lattice, LinkStorage::full), std::make_shared<double>(1.0)) {}

template <Precision T>
GaugeField<T>::GaugeField(const Lattice& lattice, LinkStorage storage, Kokkos::View<T*, Memory> values,
                          std::shared_ptr<double> scale)
    : lattice_(lattice), link_storage_(storage), storage_(std::move(values)), scale_(std::move(scale)) {}

template <Precision T>
template <Precision S>
GaugeField<T>::GaugeField(const GaugeField<S>& other, LinkStorage storage)
    : GaugeField(other.lattice(), storage, allocate<T>(other.lattice(), storage), std::make_shared<double>(1.0)) {
  *scale_ = detail::convert_links(*this, other);
}

template <Precision T>
GaugeField<T> GaugeField<T>::share() const {
  return GaugeField(lattice_, link_storage_, storage_, scale_);
}

template <Precision T>
GaugeField<T> GaugeField<T>::on(const Lattice& lattice) const {
  require(lattice_.same_layout(lattice), "links can be taken to lattices of the same layout only");
  return GaugeField(lattice, link_storage_, storage_, scale_);
}

template <Precision T>
GaugeField<T> GaugeField<T>::clone() const {
  GaugeField copy(lattice_, link_storage_, allocate<T>(lattice_, link_storage_), std::make_shared<double>(scale()));
  Kokkos::deep_copy(lattice_.execution(), copy.storage_, storage_);
  return copy;
}

template <Precision T>
std::vector<std::complex<double>> GaugeField<T>::to_host() const {
  auto values = detail::room_for_values(lattice_, 36);
  copy_out({.data = values.data(), .memory = ArrayMemory::host}, *this);
  return values;
}

template <Precision T>
void GaugeField<T>::from_host(std::span<const std::complex<double>> values) {
  copy_in(*this, detail::host_values(lattice_, values, 36));
}

template <Precision T>
void GaugeField<T>::assign(const GaugeField<double>& other) {
  require(lattice_.same_layout(other.lattice()), "links can be taken from fields of the same layout only");
  const GaugeField<T> converted(other, link_storage_);  // refuses before anything of this field is lost
  Kokkos::deep_copy(lattice_.execution(), storage_, converted.storage_);
  *scale_ = converted.scale();
}

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
    detail::for_each_array_site("kaon::copy_links", lattice, sites, count, kernel.links.map, kernel);
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

#define KAON_INSTANTIATE(T)                                                   \
  template class GaugeField<T>;                                               \
  template GaugeField<T>::GaugeField(const GaugeField<double>&, LinkStorage); \
  template GaugeField<T>::GaugeField(const GaugeField<float>&, LinkStorage);  \
  template GaugeField<T>::GaugeField(const GaugeField<half>&, LinkStorage);   \
  template void copy_in(GaugeField<T>&, const ConstArrayView&);               \
  template void copy_out(const ArrayView&, const GaugeField<T>&);
KAON_INSTANTIATE(double)
KAON_INSTANTIATE(float)
KAON_INSTANTIATE(half)
#undef KAON_INSTANTIATE

}  // namespace kaon
