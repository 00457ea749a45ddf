// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>

#include <array>
#include <complex>
#include <span>
#include <vector>

namespace kaon {

/// Steps from site to site: +1 to +4 forward in x to t, -1 to -4 backward.
using LinkPath = std::vector<int>;

/// A path and its coefficient in a sum.
struct WeightedPath {
  LinkPath steps;
  double weight = 1.0;
};

/// V_mu(x) = V_mu(x) + sum_i w_i P_i(x) with the paths of direction mu, P(x) the product of the links along a path from
/// x, in the order of its steps:
///
///   P(x) = U_s(x) P'(x+s),  U_-mu(x) = U_mu(x-mu)^dag,
///
/// P' the path without its first step s. The end of a path may lie anywhere: links need not reach so far. `sums` may
/// not be `links`. Links are periodic. 198 flops a site and step, 54 reals read and written.
///
/// Collective. Throws `Error` for compressed links, fields on different lattices, paths without a step, steps that are
/// none of these, and weights that are not finite.
void add_link_paths(GaugeField<double>& sums, const GaugeField<double>& links,
                    const std::array<std::vector<WeightedPath>, 4>& paths);

/// (1/3) Tr P(x), averaged over all sites, for each of some closed paths: 1 on a unit gauge field. A path is closed if
/// it ends where it begins, around the periodic lattice or not: (1, 2, -1, -2) has the mean plaquette of the xy plane,
/// N steps of 4 on a lattice of N time slices have the Polyakov loop.
///
/// Collective. The digits do not depend on threads. Throws `Error` as `add_link_paths` does, and for paths
/// that are not closed.
std::vector<std::complex<double>> loop_traces(const GaugeField<double>& links, std::span<const LinkPath> loops);

}  // namespace kaon
