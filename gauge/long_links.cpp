// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include <kaon/core/error.hpp>
#include <kaon/gauge/improved_links.hpp>
#include <kaon/gauge/unitarity.hpp>

#include <cmath>
#include <complex>
#include <span>
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

/// The w > 0 with sum |U_ij|^2 = 3 n w^2.
double weight_of(const GaugeField<double>& links) {
  double sum = 0.0;
  for (const std::complex<double>& element : links.to_host()) sum += std::norm(element);
  links.lattice().communicator().sum(std::span(&sum, 1));
  return std::sqrt(sum / (3.0 * directions * static_cast<double>(links.lattice().volume())));
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
