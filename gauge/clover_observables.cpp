// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/reductions/ordered_sum.hpp"
#include "gauge/su3.hpp"

#include <kaon/gauge/clover_observables.hpp>
#include <kaon/gauge/field_strength.hpp>

#include <string>

namespace kaon {
namespace {

using detail::ColorMatrix;
using detail::EntryValues;

/// Rows of the kernel's values.
enum Quantity { spatial, temporal, charge, quantities };

/// tr (F - (1/3) tr F)^2 of a Hermitian F. 38 flops.
KOKKOS_INLINE_FUNCTION double traceless_square(const ColorMatrix<double>& f) {
  const double tr = trace(f).re;
  return real_trace_of_product(f, f) - tr * tr / 3.0;
}

/// The densities of energy in spatial and temporal planes, and of the charge.
struct DensityKernel {
  const ColorMatrix<double>* f;  ///< [site][plane]
  EntryValues values;

  KOKKOS_FUNCTION void operator()(const int site) const {
    constexpr int planes = FieldStrength::planes;
    const ColorMatrix<double>* const here = f + planes * static_cast<std::size_t>(site);
    double squares[2] = {0.0, 0.0}, dual = 0.0;
    for (int plane = 0; plane < planes / 2; ++plane) {
      const ColorMatrix<double>&magnetic = here[plane], &electric = here[planes - 1 - plane];
      squares[0] += traceless_square(magnetic);
      squares[1] += traceless_square(electric);
      dual += (plane == 1 ? -1.0 : 1.0) * real_trace_of_product(magnetic, electric);
    }
    values(spatial, site) = squares[0];
    values(temporal, site) = squares[1];
    values(charge, site) = dual / (4.0 * Kokkos::numbers::pi * Kokkos::numbers::pi);
  }
};

template <class T>
EntryValues densities(const GaugeField<T>& links) {
  const Lattice& lattice = links.lattice();
  const FieldStrength strength(links);
  const EntryValues values(
      Kokkos::view_alloc(lattice.execution(), Kokkos::WithoutInitializing, std::string("kaon::clover_observables")),
      quantities, static_cast<std::size_t>(lattice.local_volume()));
  const auto* const f = reinterpret_cast<const ColorMatrix<double>*>(strength.data());
  Kokkos::parallel_for("kaon::clover_observables",
                       Kokkos::RangePolicy<Execution>(lattice.execution(), 0, static_cast<int>(lattice.local_volume())),
                       DensityKernel{f, values});
  return values;
}

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
