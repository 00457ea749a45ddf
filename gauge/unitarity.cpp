// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/fields/field_access.hpp"
#include "core/lattice/first_entry.hpp"
#include "core/lattice/single_sites.hpp"
#include "gauge/largest_value.hpp"
#include "gauge/su3.hpp"

#include <kaon/gauge/unitarity.hpp>

#include <span>

namespace kaon {
namespace {

using detail::ColorMatrix;
using detail::Complex;
using detail::EntryValues;

/// values(0, 4 x + mu) = max_ij |(U U^dag - 1)_ij|, values(1, 4 x + mu) = |det U - 1|.
template <class T>
struct DeviationKernel {
  detail::SiteGauge<T> links;
  EntryValues values;

  KOKKOS_FUNCTION void operator()(const int (&x)[4]) const {
    for (int mu = 0; mu < 4; ++mu) {
      const ColorMatrix<double> u = links.load(x, mu);
      const ColorMatrix<double> difference = u * adjoint(u) - detail::identity_matrix<double>();
      double largest = 0.0;
      for (const auto& row : difference.e) {
        for (const auto& element : row) largest = detail::larger(largest, Kokkos::sqrt(norm2(element)));
      }
      const Complex<double> off_one = determinant(u) - Complex<double>{1.0, 0.0};
      const int number = 4 * detail::local_number(links.map, x) + mu;
      values(0, number) = largest;
      values(1, number) = detail::larger(0.0, Kokkos::sqrt(norm2(off_one)));
    }
  }
};

struct FirstKernel {
  EntryValues values;
  int quantity;
  double wanted;
  KOKKOS_FUNCTION void operator()(const int entry, int& first) const {
    if (values(quantity, entry) == wanted) first = Kokkos::min(first, entry);
  }
};

UnitarityDeviation::Worst find_worst(const Lattice& lattice, const EntryValues& values, int quantity) {
  const Kokkos::RangePolicy<Execution> policy(lattice.execution(), 0, static_cast<int>(values.extent(1)));
  UnitarityDeviation::Worst worst;
  int first = 0;
  const double largest_here = detail::largest_value("kaon::deviation_from_su3", lattice, values, quantity);
  worst.deviation = largest_here;
  lattice.communicator().maximum(std::span(&worst.deviation, 1));
  Kokkos::parallel_reduce("kaon::deviation_from_su3", policy, FirstKernel{values, quantity, largest_here},
                          Kokkos::Min<int>(first));
  if (largest_here != worst.deviation) first = detail::no_entry;
  if (const auto entry = detail::first_entry(lattice, first, directions)) {
    worst.site = entry->site;
    worst.direction = entry->part;
  }
  return worst;
}

/// U_mu(x) back to SU(3).
template <class T>
struct ReunitarizeKernel {
  detail::SiteGauge<T> links;

  KOKKOS_FUNCTION void operator()(const int (&x)[4]) const {
    for (int mu = 0; mu < 4; ++mu) links.store(detail::reunitarized(links.load(x, mu)), x, mu);
  }
};

}  // namespace

template <class T>
UnitarityDeviation deviation_from_su3(const GaugeField<T>& links) {
  const Lattice& lattice = links.lattice();
  const EntryValues values =
      detail::entry_values("kaon::deviation_from_su3", lattice, 2, lattice.local_volume() * directions);
  detail::for_each_single_site<T>("kaon::deviation_from_su3", lattice,
                                  DeviationKernel<T>{detail::site_access(links), values});
  return {find_worst(lattice, values, 0), find_worst(lattice, values, 1)};
}

template <class T>
void reunitarize(GaugeField<T>& links) {
  detail::for_each_single_site<T>("kaon::reunitarize", links.lattice(),
                                  ReunitarizeKernel<T>{detail::site_access(links)});
}

template UnitarityDeviation deviation_from_su3(const GaugeField<double>&);
template UnitarityDeviation deviation_from_su3(const GaugeField<float>&);
template void reunitarize(GaugeField<double>&);
template void reunitarize(GaugeField<float>&);

}  // namespace kaon
