// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/field_access.hpp"
#include "core/ordered_sum.hpp"
#include "core/single_sites.hpp"

#include <kaon/gauge/plaquette.hpp>

#include <string>

namespace kaon {
namespace {

using detail::ColorMatrix;
using detail::EntryValues;

/// values(0, x) = sum over spatial planes of Re Tr U_mu(x) U_nu(x+mu) [U_nu(x) U_mu(x+nu)]^dag, values(1, x) =
/// temporal.
template <class T>
struct PlaquetteKernel {
  detail::SiteGauge<T> links;
  EntryValues values;

  KOKKOS_FUNCTION void operator()(const int (&x)[4]) const {
    ColorMatrix<double> u[4];
    for (int mu = 0; mu < 4; ++mu) u[mu] = links.load(x, mu);
    double sums[2] = {0.0, 0.0};
    for (int nu = 1; nu < 4; ++nu) {
      int ahead_nu[4] = {x[0], x[1], x[2], x[3]};
      links.map.shift(ahead_nu, nu, 1);
      for (int mu = 0; mu < nu; ++mu) {
        int ahead_mu[4] = {x[0], x[1], x[2], x[3]};
        links.map.shift(ahead_mu, mu, 1);
        const ColorMatrix<double> one_way = u[mu] * links.load(ahead_mu, nu);
        const ColorMatrix<double> other_way = u[nu] * links.load(ahead_nu, mu);
        sums[nu == 3] += real_trace_of_product(one_way, adjoint(other_way));
      }
    }
    const int number = detail::local_number(links.map, x);
    values(0, number) = sums[0];
    values(1, number) = sums[1];
  }
};

/// values(0, x) + i values(1, x) = sum_mu Tr U_mu(x).
template <class T>
struct LinkTraceKernel {
  detail::SiteGauge<T> links;
  EntryValues values;

  KOKKOS_FUNCTION void operator()(const int (&x)[4]) const {
    detail::Complex<double> sum{0.0, 0.0};
    for (int mu = 0; mu < 4; ++mu) sum += trace(links.load(x, mu));
    const int number = detail::local_number(links.map, x);
    values(0, number) = sum.re;
    values(1, number) = sum.im;
  }
};

/// The sums over sites of the two numbers that Kernel makes of each.
template <template <class> class Kernel, class T>
std::vector<double> sum_over_sites(const char* label, const GaugeField<T>& links) {
  const Lattice& lattice = links.lattice();
  const EntryValues values(Kokkos::view_alloc(lattice.execution(), Kokkos::WithoutInitializing, std::string(label)), 2,
                           static_cast<std::size_t>(lattice.local_volume()));
  detail::for_each_single_site<T>(label, lattice, Kernel<T>{detail::site_access(links), values});
  return detail::ordered_sums(lattice, values);
}

}  // namespace

template <class T>
Plaquette plaquette(const GaugeField<T>& links) {
  const std::vector<double> sums = sum_over_sites<PlaquetteKernel>("kaon::plaquette", links);
  const double scale = 1.0 / (3.0 * 3.0 * static_cast<double>(links.lattice().volume()));
  return {0.5 * scale * (sums[0] + sums[1]), scale * sums[0], scale * sums[1]};
}

template <class T>
std::complex<double> link_trace(const GaugeField<T>& links) {
  const std::vector<double> sums = sum_over_sites<LinkTraceKernel>("kaon::link_trace", links);
  return std::complex<double>(sums[0], sums[1]) / (3.0 * 4.0 * static_cast<double>(links.lattice().volume()));
}

template Plaquette plaquette(const GaugeField<double>&);
template Plaquette plaquette(const GaugeField<float>&);
template std::complex<double> link_trace(const GaugeField<double>&);
template std::complex<double> link_trace(const GaugeField<float>&);

}  // namespace kaon
