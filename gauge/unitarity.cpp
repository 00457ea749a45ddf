// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/fields/field_access.hpp"
#include "core/lattice/first_entry.hpp"
#include "core/lattice/single_sites.hpp"
#include "gauge/all_links.hpp"
#include "gauge/largest_value.hpp"
#include "gauge/su3.hpp"
#include "gauge/unitary_links.hpp"

#include <kaon/core/error.hpp>
#include <kaon/gauge/unitarity.hpp>

#include <fmt/format.h>

#include <string>

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
  int first = detail::no_entry;
  worst.deviation = detail::largest_value("kaon::deviation_from_su3", lattice, values, quantity);
  Kokkos::parallel_reduce("kaon::deviation_from_su3", policy, FirstKernel{values, quantity, worst.deviation},
                          Kokkos::Min<int>(first));
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

namespace kaon::detail {
namespace {

/// Files of 32 bits hold links that are unitary to 5e-7.
constexpr double tolerance = 1e-5;

/// Counts links with |U U^dag - 1|^2 > tolerance^2, summed over elements, or NaN. 240 flops.
template <class V>
struct NotUnitary {
  AllLinks<V> links;

  KOKKOS_FUNCTION void operator()(const int number, int& count) const {
    const ColorMatrix<V> u = links.load(number);
    const V deviation = norm2(times_adjoint(u, u) - identity_matrix<V>());
    if (!all_at_most(deviation, V(tolerance * tolerance))) ++count;
  }
};

}  // namespace

bool are_unitary(const GaugeField<double>& links) {
  const int found =
      count_links("kaon::are_unitary", links, [&]<class V>() { return NotUnitary<V>{all_links<V>(links)}; });
  return !links.lattice().communicator().any(found > 0);
}

bool have_stayed_unitary(const GaugeField<double>& links) {
  return are_unitary(links) || deviation_from_su3(links).unitarity.deviation <= 10.0 * tolerance;
}

namespace {

/// `what`: the matrix with an element that is too large.
std::string describe(const UnitarityDeviation::Worst& worst, const char* what) {
  const Coordinates& x = worst.site;
  return fmt::format("in direction {} at site ({}, {}, {}, {}) {} is {:.2e}, and {:.0e} is allowed",
                     "xyzt"[worst.direction], x[0], x[1], x[2], x[3], what, worst.deviation, tolerance);
}

void require_small(const UnitarityDeviation::Worst& worst, std::string_view purpose) {
  require(worst.deviation <= tolerance, [&] {
    return fmt::format("{} needs unitary links: {}; use the links before smearing, or `reunitarize` or `project_to_u3`",
                       purpose, describe(worst, "an element of U U^dag - 1"));
  });
}

}  // namespace

void require_unitary(const GaugeField<double>& links, std::string_view purpose) {
  if (!are_unitary(links)) require_small(deviation_from_su3(links).unitarity, purpose);
}

void require_su3(const GaugeField<double>& links, std::string_view purpose) {
  const UnitarityDeviation found = deviation_from_su3(links);
  require_small(found.unitarity, purpose);
  require(found.determinant.deviation <= tolerance, [&] {
    return fmt::format(
        "{} needs links in SU(3): {}; take staggered phases out by `fold_staggered_phases`, and other phases likewise",
        purpose, describe(found.determinant, "|det U - 1|"));
  });
}

}  // namespace kaon::detail
