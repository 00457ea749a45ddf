// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "hmc/link_difference.hpp"

#include "core/lanes/algebra.hpp"

namespace kaon::detail {

double largest_difference(const GaugeField<double>& a, const GaugeField<double>& b) {
  const Kokkos::View<const double*, Memory, Kokkos::MemoryUnmanaged> of_a(a.data(), a.size()), of_b(b.data(), b.size());
  double largest = 0.0;
  Kokkos::parallel_reduce(
      "kaon::largest_difference",
      Kokkos::RangePolicy<Execution, Kokkos::IndexType<std::size_t>>(a.lattice().execution(), 0, a.size()),
      KOKKOS_LAMBDA(const std::size_t k, double& most) { most = larger(most, Kokkos::fabs(of_a(k) - of_b(k))); },
      Kokkos::Max<double>(largest));
  return a.lattice().communicator().maximum(largest);
}

bool are_same(const GaugeField<double>& kept, const GaugeField<double>& links) {
  return kept.lattice() == links.lattice() && largest_difference(kept, links) == 0.0;
}

}  // namespace kaon::detail
