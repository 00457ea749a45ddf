// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/lattice/single_sites.hpp"
#include "core/reductions/ordered_sum.hpp"
#include "gauge/ghost_links.hpp"

#include <kaon/gauge/observables.hpp>

#include <string>

namespace kaon {
namespace {

using detail::ColorMatrix;
using detail::EntryValues;

/// values(0, x) = sum over spatial planes of Re Tr U_mu(x) U_nu(x+mu) [U_nu(x) U_mu(x+nu)]^dag, values(1, x) =
/// temporal.
template <class Links>
struct PlaquetteKernel {
  Links links;
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

/// Room for two numbers on each site.
EntryValues site_values(const char* label, const Lattice& lattice) {
  return EntryValues(Kokkos::view_alloc(lattice.execution(), Kokkos::WithoutInitializing, std::string(label)), 2,
                     static_cast<std::size_t>(lattice.local_volume()));
}

}  // namespace

template <class T>
Plaquette plaquette(const GaugeField<T>& links) {
  const Lattice& lattice = links.lattice();
  const EntryValues values = site_values("kaon::plaquette", lattice);
  detail::with_near_links(links, [&]<class Links>(const Links& access) {
    detail::for_each_single_site<T>("kaon::plaquette", lattice, PlaquetteKernel<Links>{access, values});
  });
  const std::vector<double> sums = detail::ordered_sums(lattice, values);
  const double scale = 1.0 / (3.0 * 3.0 * static_cast<double>(lattice.volume()));
  return {0.5 * scale * (sums[0] + sums[1]), scale * sums[0], scale * sums[1]};
}

template <class T>
std::complex<double> link_trace(const GaugeField<T>& links) {
  const Lattice& lattice = links.lattice();
  const EntryValues values = site_values("kaon::link_trace", lattice);
  detail::for_each_single_site<T>("kaon::link_trace", lattice, LinkTraceKernel<T>{detail::site_access(links), values});
  const std::vector<double> sums = detail::ordered_sums(lattice, values);
  return std::complex<double>(sums[0], sums[1]) / (3.0 * 4.0 * static_cast<double>(lattice.volume()));
}

template Plaquette plaquette(const GaugeField<double>&);
template Plaquette plaquette(const GaugeField<float>&);
template std::complex<double> link_trace(const GaugeField<double>&);
template std::complex<double> link_trace(const GaugeField<float>&);

}  // namespace kaon
