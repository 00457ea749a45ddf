// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>
#include <kaon/core/spinor_field.hpp>

namespace kaon {

struct GaussianSmearingParameters {
  double width = 0.0;  ///< w, in lattice units
  int steps = 0;       ///< N
};

/// Gauge-covariant Gaussian smearing of sources or sinks: N times
///
///   chi(x) <- chi(x) + w^2/(4N) (H - 6) chi(x),
///   H chi(x) = sum_{mu = x, y, z} [ U_mu(x) chi(x+mu) + U_mu(x-mu)^dag chi(x-mu) ],
///
/// which tends to exp(w^2/4 Laplacian) for many steps. Periodic in space; width and steps as Chroma defines them.
/// S. Guesken, Nucl. Phys. B (Proc. Suppl.) 17 (1990) 361. Any number of spins and right-hand sides.
/// 444 flops a site, spin and step; (3*18 + 2*6 spins) reals a site and step. Needs room for a second field.
///
/// Throws `Error` for a width or number of steps that is not positive, for fields on different lattices and for a field
/// that is not of 3 colours and both parities.
template <class T>
void gaussian_smear(SpinorField<T>& chi, const GaugeField<T>& links, const GaussianSmearingParameters& parameters);

extern template void gaussian_smear(SpinorField<double>&, const GaugeField<double>&, const GaussianSmearingParameters&);
extern template void gaussian_smear(SpinorField<float>&, const GaugeField<float>&, const GaussianSmearingParameters&);

}  // namespace kaon
