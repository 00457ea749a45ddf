// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "gauge/unitary_links.hpp"

#include "gauge/all_links.hpp"
#include "gauge/su3.hpp"

#include <kaon/core/error.hpp>
#include <kaon/gauge/unitarity.hpp>

#include <fmt/format.h>

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

void require_unitary(const GaugeField<double>& links, std::string_view purpose) {
  if (are_unitary(links)) return;
  const UnitarityDeviation::Worst worst = deviation_from_su3(links).unitarity;
  const Coordinates& x = worst.site;
  require(worst.deviation <= tolerance, [&] {
    return fmt::format(
        "{} needs unitary links: in direction {} at site ({}, {}, {}, {}) an element of U U^dag - 1 is {:.2e}, and "
        "{:.0e} "
        "is allowed; use the links before smearing, or `reunitarize` or `project_to_u3`",
        purpose, "xyzt"[worst.direction], x[0], x[1], x[2], x[3], worst.deviation, tolerance);
  });
}

}  // namespace kaon::detail
