// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/fields/field_access.hpp"
#include "core/lattice/single_sites.hpp"
#include "gauge/su3.hpp"

#include <kaon/core/error.hpp>
#include <kaon/gauge/initial_links.hpp>

#include <fmt/format.h>

#include <cmath>

namespace kaon {
namespace {

/// U_mu(x) = 1.
template <class T>
struct UnitKernel {
  detail::SiteGauge<T> links;

  KOKKOS_FUNCTION void operator()(const int (&x)[4]) const {
    for (int mu = 0; mu < 4; ++mu) links.store(detail::identity_matrix<double>(), x, mu);
  }
};

/// U_mu(x) = unit * 1 + noise N(x, mu), reunitarised.
template <class T>
struct NoiseKernel {
  detail::SiteGauge<T> links;
  RandomKey key;
  double unit, noise;

  KOKKOS_FUNCTION void operator()(const int (&x)[4]) const {
    for (int mu = 0; mu < 4; ++mu) {
      const detail::RandomSequence sequence(key, detail::Purpose::links, links.map.global_index(x), mu);
      links.store(detail::random_su3(sequence, unit, noise), x, mu);
    }
  }
};

}  // namespace

template <class T>
void set_unit(GaugeField<T>& links) {
  detail::for_each_single_site<T>("kaon::set_unit", links.lattice(), UnitKernel<T>{detail::site_access(links)});
}

template <class T>
void set_random(GaugeField<T>& links, const RandomKey& key) {
  detail::for_each_single_site<T>("kaon::set_random", links.lattice(),
                                  NoiseKernel<T>{detail::site_access(links), key, 0.0, 1.0});
}

template <class T>
void set_weak(GaugeField<T>& links, double noise, const RandomKey& key) {
  constexpr double largest = 1e150;  // squares of ten times as much are finite
  require(std::abs(noise) <= largest, [&] {
    return fmt::format("links near the unit by noise of the width {} overflow: at most {} is possible", noise, largest);
  });
  detail::for_each_single_site<T>("kaon::set_weak", links.lattice(),
                                  NoiseKernel<T>{detail::site_access(links), key, 1.0, noise});
}

template void set_unit(GaugeField<double>&);
template void set_unit(GaugeField<float>&);
template void set_random(GaugeField<double>&, const RandomKey&);
template void set_random(GaugeField<float>&, const RandomKey&);
template void set_weak(GaugeField<double>&, double, const RandomKey&);
template void set_weak(GaugeField<float>&, double, const RandomKey&);

}  // namespace kaon
