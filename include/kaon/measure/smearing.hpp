// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>
#include <kaon/core/spinor_field.hpp>

#include <optional>

namespace kaon {

struct GaussianSmearingParameters {
  double width = 0.0;  ///< w, in lattice units
  int steps = 0;       ///< N
  int stride = 1;      ///< s, links of a hop: 2 for staggered fields, which it leaves on their corner of the hypercubes
  int dimensions = 3;  ///< D: 4 in time, too
  /// The only slice of time on which chi is not zero, such as that of a source: the others are left out. With D = 3 and
  /// s = 1.
  std::optional<int> time = {};
};

/// Gauge-covariant Gaussian smearing of sources or sinks: N times
///
///   chi(x) <- chi(x) + w^2/(4 N s^2) (H - 2 D) chi(x),
///   H chi(x) = sum_{mu <= D} [ U_mu(x) chi(x+mu) + U_mu(x-mu)^dag chi(x-mu) ],
///
/// with products of s links and chi(x +- s mu) where s is not 1,
/// which tends to exp(w^2/4 Laplacian) for many steps. Periodic in space; width and steps as Chroma defines them.
/// S. Guesken, Nucl. Phys. B (Proc. Suppl.) 17 (1990) 361. Any number of spins and right-hand sides.
/// 444 flops a site, spin and step; (3*18 + 2*6 spins) reals a site and step. Needs room for a second field, and for
/// two more with s = 2, where it takes three times as long or more.
///
/// Throws `Error` for a width or number of steps that is not positive, for a width whose square overflows, for strides
/// other than 1 and 2, for dimensions other than 3 and 4, for a slice outside the lattice or beside other strides and
/// dimensions than 1 and 3, for fields on different lattices and for a field that is not
/// of 3 colours and both parities.
template <class T>
void gaussian_smear(SpinorField<T>& chi, const GaugeField<T>& links, const GaussianSmearingParameters& parameters);

/// Throws `ParameterError` for "width" where smearing over one link in space makes the roughest modes of links in SU(3)
/// grow with each step, which multiplies them by 1 - 3 w^2/N: above w^2 = 2N/3. Throws `Error` for a width or number of
/// steps that is not positive.
void require_stable_smearing(double width, int steps);

}  // namespace kaon
