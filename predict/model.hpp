// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "comm/network.hpp"

#include <kaon/predict/predict.hpp>

#include <vector>

// A model of solves on many processes. One device measures one of them: a local lattice whose cut directions exchange
// halos with themselves through an emulated network. With times of an iteration in seconds,
//
//   interior = n t_hop                              n applications of A^-1 D, or D of staggered quarks, without halos
//   halo     = m (t_hop with halos - t_hop)         not hidden behind the interior; m of the n hops cross processes
//   vectors  = t_iteration without network - interior
//   sums     = t_iteration - interior - halo - vectors
//
// t_iteration is that of the whole iteration with halos and sums. The differences are of times that were measured one
// after the other. If a busy machine makes one negative it counts as 0, and `noise` is what others lose by that. All
// work of multigrid counts as `vectors` and all waiting as `sums`, and the shares of its levels are named. Its last
// level has the unknowns of all processes, N complex numbers, and its inverse is stored in rows: a process of P reads
// N^2 / P numbers and gathers N,
//
//   t_last = 8 N^2 / (P copy bandwidth) + 8 N / bandwidth + t_sum,
//
// in the place of the last level of the local lattice, if that is shorter. The time of a solve is its iterations times
// t_iteration; the iterations are counted on this device with the blocks that so many processes would have.
namespace kaon::detail {

/// Grids of so many processes that may be the fastest: for each number of cut directions those with the smallest
/// surface, and among these the one that cuts the later directions. Local lattices are even and wider than `reach`. The
/// result is empty if the extents cannot be cut so.
std::vector<ProcessGrid> candidate_grids(const Coordinates& extents, int processes, int reach = 1,
                                         const CutDirections& directions = {});

/// Hops of an iteration, and those of them that exchange halos.
struct HopCount {
  int all = 0, cut = 0;
};
HopCount hops_of(PredictedSolve solve, const PredictedQuark& quark);

IterationParts parts_of(const IterationTimes& times, const HopCount& hops);

/// `t_last` of a last level with N unknowns, on more than one process.
double last_level_seconds(double unknowns, const Network& network, double copy_bandwidth);
/// `parts` with that in the place of the local lattice's last level, if that is shorter.
IterationParts with_last_level(IterationParts parts, const IterationTimes& times, double seconds);

/// Bytes of a solve on a site: links and the clover term in double and in the precision of the iterations, and vectors;
/// of multigrid at the peak of the setup (docs/performance.md).
double bytes_of_site(PredictedSolve solve, const PredictedQuark& quark);

}  // namespace kaon::detail
