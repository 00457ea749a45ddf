// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>

#include <functional>

namespace kaon {

// Gauges in which
//
//   F = 1/(3 D V) sum_x sum_{mu < D} Re tr U_mu(x)
//
// is at a maximum over gauge transformations, V the number of sites: Landau gauge, D = 4, and Coulomb gauge, D = 3. F
// is stationary where
//
//   Delta(x) = sum_{mu < D} [A_mu(x) - A_mu(x-mu)],   A = (U - U^dag)/(2 i) without its trace,
//
// vanishes, and theta = 1/(3 V) sum_x tr Delta(x)^2 says how nearly it does. Coulomb gauge is a condition on each time
// slice by itself, with a theta of its own.

enum class GaugeCondition { landau, coulomb };

/// How well links fulfil a condition.
struct GaugeQuality {
  double functional = 0.0;     ///< F
  double theta = 0.0;          ///< of all sites
  double largest_theta = 0.0;  ///< Coulomb gauge: of the time slice if it is largest; Landau gauge: theta
};

/// F and theta, summed in one order on any number of processes. Throws `Error` for compressed links. Collective.
GaugeQuality gauge_quality(const GaugeField<double>& links, GaugeCondition condition);

struct GaugeFixingParameters {
  GaugeCondition condition = GaugeCondition::landau;
  double tolerance = 1e-14;    ///< on the largest theta
  int max_iterations = 10000;  ///< 0: links remain as they are
  double relaxation = 1.7;     ///< omega, from 1 (relaxation) to below 2
  /// Called after every `gauge_fixing_check` iterations with their number so far; ends the iterations if it returns
  /// false.
  std::function<bool(int, const GaugeQuality&)> on_check{};
};

/// Iterations between two measurements of F and theta.
inline constexpr int gauge_fixing_check = 10;

struct GaugeFixingResult {
  bool converged = false;  ///< the largest theta is at most the tolerance
  int iterations = 0;
  GaugeQuality quality{};
};

/// Brings links to the gauge by overrelaxation: an iteration goes through the even and then the odd sites, and there
/// through the SU(2) subgroups a of SU(3), which are multiplied into g(x) so that F rises:
///
///   with (e_0, e) the maximum, a quaternion: a = (e_0, omega e) / |(e_0, omega e)|.
///
/// A maximum is one of many (Gribov copies), and another one for other omega. Links must be in SU(3), and are brought
/// back to it to rounding. All links are transformed, those in time of Coulomb gauge too. The digits depend neither on
/// lanes nor on processes, except for rounding. 5.4 kflop a site and iteration in Landau gauge. Throws `Error` for
/// parameters out of their bounds, for compressed links and for links further than 1e-5 from SU(3). Collective. Source:
/// J. Mandula and M. Ogilvie, Phys. Lett. B 248 (1990) 156; the form of a as in QUDA and MILC.
GaugeFixingResult fix_gauge(GaugeField<double>& links, const GaugeFixingParameters& parameters = {});

}  // namespace kaon
