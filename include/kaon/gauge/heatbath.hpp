// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>

#include <cstdint>

namespace kaon {

// Monte Carlo for quenched links with the Wilson action S = beta sum_P (1 - (1/3) Re Tr P). In double precision only.

struct HeatbathParameters {
  double beta;  ///< 6/g^2, at least 0
  std::uint64_t seed = 0;
  std::uint32_t sweep = 0;  ///< number of the sweep: every sweep of a run has its own
};

/// Every link is drawn again from its distribution in the field of its neighbours, in each of the SU(2) subgroups of
/// colours (1,2), (1,3) and (2,3). Goes through the directions and, within, the parities.
///
/// The random numbers depend on seed, sweep, site and direction alone: a run that is stopped and resumed goes the way
/// of one that is not, and so does one on other processes, to the last bit where `Lattice::lane_count` is the same.
/// Collective. Throws `Error` unless beta is finite and not negative. Source: N. Cabibbo and E. Marinari, Phys.
/// Lett. B 119 (1982) 387; A. D. Kennedy and B. J. Pendleton, Phys. Lett. B 156 (1985) 393.
void heatbath_sweep(GaugeField<double>& links, const HeatbathParameters& parameters);

/// Every link is reflected in the field of its neighbours, in each of the same subgroups and in the same order: far
/// from where it was, at the same action (to rounding). Needs neither beta nor random numbers. Source: M. Creutz, Phys.
/// Rev. D 36 (1987) 515; F. R. Brown and T. J. Woch, Phys. Rev. Lett. 58 (1987) 2394.
void overrelaxation_sweep(GaugeField<double>& links);

struct UpdateParameters {
  double beta;
  int overrelaxation_sweeps = 4;
  std::uint64_t seed = 0;
  std::uint32_t update = 0;  ///< number of the update: every update of a run has its own
};

/// One heatbath sweep, some of overrelaxation, and `reunitarize`. Throws `Error` as `heatbath_sweep`, for a negative
/// number of sweeps, for links further than 1e-5 from SU(3) and where processes were given other parameters.
void update(GaugeField<double>& links, const UpdateParameters& parameters);

}  // namespace kaon
