// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/fields/not_finite.hpp"
#include "core/fields/field_access.hpp"
#include "core/lattice/first_entry.hpp"

#include <kaon/core/blas.hpp>

#include <fmt/format.h>

namespace kaon::detail {
namespace {

/// Reduces to the first site with a number that is not finite.
template <class T>
struct NotFiniteKernel {
  SiteSpinor<T> psi;

  KOKKOS_FUNCTION void operator()(const int (&x)[4], int& first) const {
    if (!psi.holds(x)) return;
    for (int component = 0; component < psi.components; ++component) {
      const Complex<double> value = psi.load(x, component, 0);
      if (!Kokkos::isfinite(value.re) || !Kokkos::isfinite(value.im)) {
        first = Kokkos::min(first, local_number(psi.map, x));
      }
    }
  }
};

}  // namespace

template <class T>
std::string place_of_not_finite(const SpinorField<T>& psi, int right_hand_side) {
  const Lattice& lattice = psi.lattice();
  const SpinorField<T> one = psi.range(right_hand_side, 1);
  if constexpr (std::same_as<T, half>) {
    SpinorField<float> wide(lattice, one.parameters());
    blas::copy(wide, one);
    return place_of_not_finite(wide, 0);
  } else {
    const auto found =
        find_first_entry<T>("kaon::place_of_not_finite", lattice, NotFiniteKernel<T>{site_access(one)}, 1);
    if (!found) return "nowhere, but its norm is too large";
    Coordinates place = found->site;
    std::string text = fmt::format("at site ({}, {}, {}, {})", place[0], place[1], place[2], place[3]);
    for (std::size_t mu = 0; mu < 4; ++mu) place[mu] /= lattice.local_extents()[mu];
    if (lattice.communicator().size() > 1) text += fmt::format(", on process {}", lattice.rank_at(place));
    return text;
  }
}

template std::string place_of_not_finite(const SpinorField<double>&, int);
template std::string place_of_not_finite(const SpinorField<float>&, int);
template std::string place_of_not_finite(const SpinorField<half>&, int);

}  // namespace kaon::detail
