// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/device/allocate.hpp"
#include "core/fields/field_access.hpp"
#include "core/lattice/single_sites.hpp"

#include <kaon/core/error.hpp>
#include <kaon/gauge/link_phases.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kaon {
namespace {

using detail::ColorMatrix;
using detail::Complex;

/// U_mu(x) = phases(x, mu) U_mu(x).
template <class T, class Phases>
struct PhaseKernel {
  detail::SiteGauge<T> links;
  Phases phases;

  KOKKOS_FUNCTION void operator()(const int (&x)[4]) const {
    for (int mu = 0; mu < 4; ++mu) {
      ColorMatrix<double> u = links.load(x, mu);
      const auto phase = phases(links.map, x, mu);
      for (auto& row : u.e) {
        for (auto& element : row) element = phase * element;
      }
      links.store(u, x, mu);
    }
  }
};

/// (-1)^n with n the sum of the coordinates in `exponents[mu]`.
struct Signs {
  bool antiperiodic;
  int steps;
  unsigned exponents[4];  ///< bits x, y, z, t, and one for a sign everywhere

  Signs(const StaggeredPhases& phases) : antiperiodic(phases.antiperiodic), steps(phases.steps) {
    constexpr unsigned x = 1, y = 2, z = 4, t = 8, minus = 16;
    constexpr unsigned of_conventions[][4] = {{t, t | x, t | x | y, 0},
                                              {minus, minus | x, minus | x | y, minus | x | y | z},
                                              {minus | y | z | t, z | t, minus | t, 0}};
    std::copy_n(of_conventions[static_cast<std::size_t>(phases.convention)], 4, exponents);
  }

  KOKKOS_FUNCTION double operator()(const detail::SiteMap& map, const int (&x)[4], int mu) const {
    // Origins are even: local coordinates have the global ones' signs.
    const unsigned exponent = exponents[mu];
    int odd = static_cast<int>(exponent / 16);
    for (unsigned nu = 0; nu < 4; ++nu) odd += exponent >> nu & 1 ? x[nu] : 0;
    if (mu == 3 && antiperiodic) odd += (x[3] + map.origin[3] + steps) / map.global[3];
    return odd % 2 == 0 ? 1.0 : -1.0;
  }
};

struct Factors {
  bool antiperiodic;
  double spatial;

  KOKKOS_FUNCTION double operator()(const detail::SiteMap& map, const int (&x)[4], int mu) const {
    if (mu < 3) return spatial;
    return antiperiodic && x[3] + map.origin[3] + 1 == map.global[3] ? -1.0 : 1.0;
  }
};

struct ConstantPhases {
  Complex<double> factors[4];
  KOKKOS_FUNCTION Complex<double> operator()(const detail::SiteMap&, const int (&)[4], int mu) const {
    return factors[mu];
  }
};

struct FieldPhases {
  double charge;
  const double* angles;
  KOKKOS_FUNCTION Complex<double> operator()(const detail::SiteMap& map, const int (&x)[4], int mu) const {
    const double angle = charge * angles[4 * detail::local_number(map, x) + mu];
    return {Kokkos::cos(angle), Kokkos::sin(angle)};
  }
};

template <class T, class Phases>
void multiply(const char* label, GaugeField<T>& links, const Phases& phases) {
  detail::for_each_single_site<T>(label, links.lattice(), PhaseKernel<T, Phases>{detail::site_access(links), phases});
}

}  // namespace

template <class T>
void fold_staggered_phases(GaugeField<T>& links, const StaggeredPhases& phases) {
  require(phases.steps > 0 && phases.steps % 2 == 1, [&] {
    return fmt::format("links of {} steps have no staggered phase: 1 and 3 steps are usual", phases.steps);
  });
  multiply("kaon::fold_staggered_phases", links, Signs(phases));
}

template <class T>
void multiply_hop_factors(GaugeField<T>& links, const HopFactors& factors) {
  require(std::isfinite(factors.spatial),
          [&] { return fmt::format("the factor {} of links in space is not finite", factors.spatial); });
  multiply("kaon::multiply_hop_factors", links, Factors{factors.antiperiodic, factors.spatial});
}

template <class T>
void multiply_phases(GaugeField<T>& links, const std::array<double, 4>& angles) {
  ConstantPhases phases;
  for (std::size_t mu = 0; mu < 4; ++mu) {
    require(std::isfinite(angles[mu]),
            [&] { return fmt::format("the phase angle {} in direction {} is not finite", angles[mu], "xyzt"[mu]); });
    phases.factors[mu] = {std::cos(angles[mu]), std::sin(angles[mu])};
  }
  multiply("kaon::multiply_phases", links, phases);
}

template <class T>
void multiply_phases(GaugeField<T>& links, double charge, std::span<const double> field) {
  const Lattice& lattice = links.lattice();
  const auto wanted = static_cast<std::size_t>(directions * lattice.local_volume());
  require(!lattice.communicator().any(field.size() != wanted), [&] {
    return fmt::format("{} values of a U(1) field were given on this process, whose {} sites have {}", field.size(),
                       lattice.local_volume(), wanted);
  });
  const auto all_finite = [&](double factor) {
    return std::all_of(field.begin(), field.end(), [&](double a) { return std::isfinite(factor * a); });
  };
  require(!lattice.communicator().any(!all_finite(1.0) || !std::isfinite(charge)),
          [&] { return fmt::format("the charge {} or a value of the U(1) field is not finite", charge); });
  require(!lattice.communicator().any(!all_finite(charge)),
          [&] { return fmt::format("the charge {} times a value of the U(1) field is not finite", charge); });
  const auto angles = detail::allocate<double>("kaon::multiply_phases", wanted);
  const Kokkos::View<const double*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> host(field.data(),
                                                                                                     wanted);
  Kokkos::deep_copy(lattice.execution(), angles, host);
  multiply("kaon::multiply_phases", links, FieldPhases{charge, angles.data()});
  lattice.execution().fence("kaon::multiply_phases");  // the copy of the field ends here
}

#define KAON_INSTANTIATE(T)                                                    \
  template void fold_staggered_phases(GaugeField<T>&, const StaggeredPhases&); \
  template void multiply_hop_factors(GaugeField<T>&, const HopFactors&);       \
  template void multiply_phases(GaugeField<T>&, const std::array<double, 4>&); \
  template void multiply_phases(GaugeField<T>&, double, std::span<const double>);
KAON_INSTANTIATE(double)
KAON_INSTANTIATE(float)
#undef KAON_INSTANTIATE

}  // namespace kaon
