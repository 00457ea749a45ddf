// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>

#include <complex>

namespace kaon {

/// (1/3) Re Tr of the plaquettes, averaged over all sites and some planes: 1 on a unit gauge field.
struct Plaquette {
  double average;   ///< all six planes
  double spatial;   ///< xy, xz, yz
  double temporal;  ///< xt, yt, zt
};

/// P_{mu nu}(x) = U_mu(x) U_nu(x+mu) U_mu(x+nu)^dag U_nu(x)^dag, averaged. Collective; the digits do not depend on
/// lanes and threads. 2484 flops per site (two products and a trace of a product in each plane).
template <class T>
Plaquette plaquette(const GaugeField<T>& links);

/// (1/3) Tr U_mu(x), averaged over all sites and directions: 1 on a unit gauge field. Collective.
template <class T>
std::complex<double> link_trace(const GaugeField<T>& links);

extern template Plaquette plaquette(const GaugeField<double>&);
extern template Plaquette plaquette(const GaugeField<float>&);
extern template std::complex<double> link_trace(const GaugeField<double>&);
extern template std::complex<double> link_trace(const GaugeField<float>&);

}  // namespace kaon
