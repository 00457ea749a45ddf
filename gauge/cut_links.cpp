// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "gauge/cut_links.hpp"

#include "core/fields/single_numbers.hpp"
#include "core/lattice/single_sites.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>

namespace kaon::detail {
namespace {

/// Zero for the links that leave a block.
template <class T>
struct CutKernel {
  SiteMap map;
  int lanes, components;
  T* data[2];
  std::size_t direction;
  int block[4];  // zero: directions that are not cut
  int step;

  KOKKOS_FUNCTION void operator()(const int (&x)[4]) const {
    const Place place = map.place(x);
    for (int mu = 0; mu < 4; ++mu) {
      if (block[mu] == 0 || x[mu] % block[mu] + step < block[mu]) continue;
      T* const to = data[place.parity] + static_cast<std::size_t>(mu) * direction;
      for (int c = 0; c < components; ++c) store_number_at(to, {0.0, 0.0}, place, lanes, components, c);
    }
  }
};

}  // namespace

template <class T>
GaugeField<T> cut_links(const GaugeField<T>& links, Coordinates block, int step) {
  if (links.storage() == LinkStorage::minimal) {
    return cut_links(GaugeField<T>(links, LinkStorage::two_rows), block, step);
  }
  if (links.storage() == LinkStorage::minimal_and_determinant) {
    return cut_links(GaugeField<T>(links, LinkStorage::two_rows_and_determinant), block, step);
  }
  const Coordinates& local = links.lattice().local_extents();
  for (std::size_t mu = 0; mu < 4; ++mu) {
    if (block[mu] == 0) block[mu] = local[mu];
    require(block[mu] >= 2 && block[mu] % 2 == 0 && local[mu] % block[mu] == 0, [&] {
      return fmt::format("blocks of {} do not divide the local lattice {}: even extents that do are needed",
                         to_string(block), to_string(local));
    });
  }
  // A block that spans the whole lattice in a direction is its own neighbour there, so its links are not cut.
  for (std::size_t mu = 0; mu < 4; ++mu) {
    if (block[mu] == local[mu] && !links.lattice().is_partitioned(mu)) block[mu] = 0;
  }
  const Lattice part = links.lattice().isolated();
  GaugeField<T> cut = links.clone().on(part);
  for_each_single_site<T>("kaon::cut_links", part,
                          CutKernel<T>{SiteMap::of<T>(part),
                                       part.template lane_count<T>(),
                                       reals(cut.storage()) / 2,
                                       {cut.data(Parity::even), cut.data(Parity::odd)},
                                       cut.parity_size() / 4,
                                       {block[0], block[1], block[2], block[3]},
                                       step});
  return cut;
}

template GaugeField<double> cut_links(const GaugeField<double>&, Coordinates, int);
template GaugeField<float> cut_links(const GaugeField<float>&, Coordinates, int);
template GaugeField<half> cut_links(const GaugeField<half>&, Coordinates, int);

}  // namespace kaon::detail
