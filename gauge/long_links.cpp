// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/fields/field_access.hpp"
#include "core/lattice/single_sites.hpp"
#include "core/reductions/ordered_sum.hpp"
#include "gauge/su3.hpp"

#include <kaon/core/error.hpp>
#include <kaon/gauge/improved_links.hpp>
#include <kaon/gauge/unitarity.hpp>

#include <cmath>
#include <string>
#include <utility>

namespace kaon {
namespace {

/// out = factor links
GaugeField<double> multiple(const GaugeField<double>& links, double factor) {
  GaugeField<double> out(links.lattice());
  double* const to = out.data();
  const double* const from = links.data();
  const Kokkos::RangePolicy<Execution, Kokkos::IndexType<std::size_t>> numbers(links.lattice().execution(), 0,
                                                                               out.size());
  Kokkos::parallel_for(
      "kaon::scale_links", numbers, KOKKOS_LAMBDA(const std::size_t k) { to[k] = factor * from[k]; });
  return out;
}

/// values(0, x) = sum_mu |U_mu(x)|^2
struct NormKernel {
  detail::SiteGauge<double> links;
  detail::EntryValues values;

  KOKKOS_FUNCTION void operator()(const int (&x)[4]) const {
    double sum = 0.0;
    for (int mu = 0; mu < 4; ++mu) sum += norm2(links.load(x, mu));
    values(0, detail::local_number(links.map, x)) = sum;
  }
};

/// The w > 0 with sum |U_ij|^2 = 3 n w^2 over n links.
double weight_of(const GaugeField<double>& links) {
  const Lattice& lattice = links.lattice();
  const detail::EntryValues values(
      Kokkos::view_alloc(lattice.execution(), Kokkos::WithoutInitializing, std::string("kaon::long_link_weight")), 1,
      static_cast<std::size_t>(lattice.local_volume()));
  detail::for_each_single_site<double>("kaon::long_link_weight", lattice,
                                       NormKernel{detail::site_access(links), values});
  return std::sqrt(detail::ordered_sums(lattice, values)[0] /
                   (3.0 * directions * static_cast<double>(lattice.volume())));
}

void require_full(const GaugeField<double>& links) {
  require(links.storage() == LinkStorage::full, "long links are made of links in 18 reals: these are compressed");
}

}  // namespace

GaugeField<double> long_links(const ImprovedLinks& links) {
  require_full(links.third);
  return multiple(links.third, links.third_weight);
}

ImprovedLinks links_from_long(GaugeField<double> fat, const GaugeField<double>& long_links) {
  require_full(long_links);
  require(fat.lattice() == long_links.lattice(), "fat and long links must lie on one lattice");
  constexpr double tolerance = 1e-5;  // as of storages with a determinant
  const double weight = weight_of(long_links);
  if (std::isnormal(weight)) {
    GaugeField<double> third = multiple(long_links, -1.0 / weight);
    if (deviation_from_su3(third).unitarity.deviation <= tolerance) {
      return {std::move(fat), std::move(third), -weight};
    }
  }
  return {std::move(fat), long_links.clone(), 1.0};
}

}  // namespace kaon
