// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "gauge/unitary_links.hpp"

#include "gauge/all_links.hpp"
#include "gauge/su3.hpp"

#include <kaon/core/error.hpp>
#include <kaon/gauge/unitarity.hpp>

#include <fmt/format.h>

#include <string>

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
