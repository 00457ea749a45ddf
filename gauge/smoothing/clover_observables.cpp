// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/lattice/single_sites.hpp"
#include "core/reductions/ordered_sum.hpp"
#include "gauge/field_strength_kernels.hpp"
#include "gauge/near_fields.hpp"

#include <kaon/gauge/observables.hpp>

namespace kaon {
namespace {

using detail::ColorMatrix;
using detail::EntryValues;

/// Rows of the kernel's values.
enum Quantity { spatial, temporal, charge, quantities };

/// tr (F - (1/3) tr F)^2 of a Hermitian F. 38 flops.
template <class V>
KOKKOS_INLINE_FUNCTION V traceless_square(const ColorMatrix<V>& f) {
  const V tr = trace(f).re;
  return real_trace_of_product(f, f) - V(1.0 / 3.0) * tr * tr;
}

/// The densities of energy in spatial and temporal planes, and of the charge. 15.7 kflop.
template <class Links>
struct DensityKernel {
  using V = typename Links::Value;
  static constexpr int calls = 2;
  detail::SubLattice node;
  Links links;
  detail::SiteMap map;
  EntryValues values;  ///< of sites in lexicographic order

  KOKKOS_FUNCTION void operator()(const int index, const int first, const int last) const {
    for (int parity = first; parity < last; ++parity) {
      const auto x = links.start(index, parity);
      V sums[quantities] = {V(0), V(0), V(0)};
      for (int pair = 0; pair < 3; ++pair) {  // xy and zt, xz and yt, yz and xt
        const ColorMatrix<V> magnetic = detail::near_field_strength(links, x, pair == 2, 1 + (pair > 0));
        const ColorMatrix<V> electric = detail::near_field_strength(links, x, 2 - pair, 3);
        sums[spatial] = sums[spatial] + traceless_square(magnetic);
        sums[temporal] = sums[temporal] + traceless_square(electric);
        sums[charge] = sums[charge] + V(pair == 1 ? -1.0 : 1.0) * real_trace_of_product(magnetic, electric);
      }
      sums[charge] = V(0.25 / (Kokkos::numbers::pi * Kokkos::numbers::pi)) * sums[charge];
      for (int lane = 0; lane < detail::lane_count<V>; ++lane) {
        int site[4];
        map.coordinates({parity, index, lane}, site);
        const int number = detail::local_number(map, site);
        for (int quantity = 0; quantity < quantities; ++quantity) {
          if constexpr (detail::is_pack<V>) {
            values(quantity, number) = sums[quantity][static_cast<std::size_t>(lane)];
          } else {
            values(quantity, number) = sums[quantity];
          }
        }
      }
    }
  }
};

EntryValues densities(const GaugeField<double>& links) {
  detail::require_storage(links.storage(), LinkStorage::full);
  const Lattice& lattice = links.lattice();
  const EntryValues values = detail::entry_values("kaon::clover_observables", lattice, quantities);
  detail::with_near_matrices(lattice, [&]<class Matrices>() {
    using Access = typename Matrices::Access;
    const Matrices u(links);
    const DensityKernel<Access> kernel{u.access().node, u.access(), detail::SiteMap::of<double>(lattice), values};
    detail::run_near("kaon::clover_observables", lattice, kernel);
  });
  return values;
}

/// Links in single precision are measured in double.
EntryValues densities(const GaugeField<float>& links) { return densities(GaugeField<double>(links)); }

}  // namespace

template <class T>
CloverObservables clover_observables(const GaugeField<T>& links) {
  const std::vector<double> sums = detail::ordered_sums(links.lattice(), densities(links));
  const auto sites = static_cast<double>(links.lattice().volume());
  return {(sums[spatial] + sums[temporal]) / sites, sums[spatial] / sites, sums[temporal] / sites, sums[charge]};
}

template <class T>
std::vector<double> topological_charge_density(const GaugeField<T>& links) {
  const Execution& execution = links.lattice().execution();
  const auto on_sites = Kokkos::subview(densities(links), static_cast<int>(charge), Kokkos::ALL);
  std::vector<double> result(on_sites.extent(0));
  Kokkos::deep_copy(execution, Kokkos::View<double*, Kokkos::HostSpace>(result.data(), result.size()), on_sites);
  execution.fence("kaon::topological_charge_density");
  return result;
}

template CloverObservables clover_observables(const GaugeField<double>&);
template CloverObservables clover_observables(const GaugeField<float>&);
template std::vector<double> topological_charge_density(const GaugeField<double>&);
template std::vector<double> topological_charge_density(const GaugeField<float>&);

}  // namespace kaon
