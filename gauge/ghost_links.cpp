// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "gauge/ghost_links.hpp"
#include "core/lattice/single_sites.hpp"

namespace kaon::detail {
namespace {

/// The links of one site into its box.
template <class T>
struct FillLinks {
  SiteGauge<T> links;
  BoxShape box;
  T* data;

  KOKKOS_FUNCTION void operator()(const int (&x)[4]) const {
    int y[4];
    const int lane = box.locate(x, y);
    const int site = box.number(y);
    for (int mu = 0; mu < 4; ++mu) store_link(links.load(x, mu), box, data, site, mu, lane);
  }
};

/// The links of one site out of its box.
template <class T>
struct TakeLinks {
  SiteGauge<T> links;
  BoxShape box;
  const T* data;

  KOKKOS_FUNCTION void operator()(const int (&x)[4]) const {
    int y[4];
    const int lane = box.locate(x, y);
    const int site = box.number(y);
    for (int mu = 0; mu < 4; ++mu) links.store(load_link<double>(box, data, site, mu, lane), x, mu);
  }
};

}  // namespace

template <class T>
void fill_box(const GhostBox<T>& box, const GaugeField<T>& links) {
  for_each_single_site<T>("kaon::fill_box", links.lattice(), FillLinks<T>{site_access(links), box.shape(), box.data()});
}

template <class T>
void take_from_box(GaugeField<T>& links, const GhostBox<T>& box) {
  for_each_single_site<T>("kaon::take_from_box", links.lattice(),
                          TakeLinks<T>{site_access(links), box.shape(), box.data()});
}

template void fill_box(const GhostBox<double>&, const GaugeField<double>&);
template void fill_box(const GhostBox<float>&, const GaugeField<float>&);
template void take_from_box(GaugeField<double>&, const GhostBox<double>&);

}  // namespace kaon::detail
