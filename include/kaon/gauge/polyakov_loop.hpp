// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>

#include <complex>

namespace kaon {

/// L_mu = (1/3) Tr prod_{n=0}^{N-1} U_mu(x + n mu), N the extent in direction mu, averaged over the sites x with
/// x_mu = 0: 1 on a unit gauge field. The Polyakov loop is that of mu = 3. Links are periodic: no boundary condition of
/// fermions enters, so that codes with the sign of antiperiodic fermions in their links have -L_3.
///
/// Collective; where processes share direction mu, products go from one to the next. The digits do not depend on lanes
/// and threads. 198 flops a link. Throws `Error` for compressed links and for a direction that is none of 0 to 3.
template <class T>
std::complex<double> polyakov_loop(const GaugeField<T>& links, int mu = 3);

extern template std::complex<double> polyakov_loop(const GaugeField<double>&, int);
extern template std::complex<double> polyakov_loop(const GaugeField<float>&, int);

}  // namespace kaon
