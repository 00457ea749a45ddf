// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "gauge/all_links.hpp"
#include "gauge/nearest_su3.hpp"
#include "gauge/su3.hpp"

#include <kaon/gauge/unitarity.hpp>

namespace kaon {
namespace {

/// W = W det(W)^(-1/3) of unitary links. 120 flops a link.
template <class V>
struct DeterminantKernel {
  detail::AllLinks<V> links;

  KOKKOS_FUNCTION void operator()(const int number) const {
    detail::ColorMatrix<V> w = links.load(number);
    const detail::Complex<V> root = detail::inverse_cube_root(detail::determinant(w));
    for (auto& row : w.e) {
      for (auto& element : row) element = root * element;
    }
    links.store(w, number);
  }
};

}  // namespace

GaugeField<double> project_to_su3(const GaugeField<double>& links) {
  GaugeField<double> w = project_to_u3(links);
  const Lattice& lattice = links.lattice();
  detail::with_lanes<double>(lattice.lane_count<double>(), [&]<class V>() {
    const DeterminantKernel<V> kernel{detail::all_links<V>(w)};
    Kokkos::parallel_for("kaon::project_to_su3",
                         Kokkos::RangePolicy<Execution>(lattice.execution(), 0, 8 * kernel.links.sites), kernel);
  });
  return w;
}

}  // namespace kaon
