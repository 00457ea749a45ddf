// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "comm/network.hpp"

#include <kaon/core/coordinates.hpp>
#include <kaon/quarks/families.hpp>

#include <array>
#include <optional>
#include <string>
#include <vector>

// A model of solves on many processes. One device measures one of them: a local lattice whose cut directions exchange
// halos with themselves through an emulated network. Of that, with times of an iteration in seconds,
//
//   interior = n t_hop                              n applications of A^-1 D, or D of staggered quarks, without halos
//   halo     = m (t_hop with halos - t_hop)         not hidden behind the interior; m of the n hops cross processes
//   vectors  = t_iteration without network - interior
//   sums     = t_iteration - interior - halo - vectors
//
// t_iteration is that of the whole iteration with halos and sums. The differences are of times that were measured one
// after the other: where a busy machine makes one negative it counts as 0, and `noise` is what others lose by that. Of
// multigrid all work counts as `vectors` and all waiting as `sums`, and the shares of its levels are named. Its last
// level has the unknowns of all processes, N complex numbers, and its inverse is kept in rows: a process of P reads N^2
// / P numbers and gathers N,
//
//   t_last = 8 N^2 / (P copy bandwidth) + 8 N / bandwidth + t_sum,
//
// in the place of the last level of the local lattice, where that is shorter. A solve takes its iterations times
// t_iteration; the iterations are counted on this device with the blocks that so many processes would have.
namespace kaon::apps {

/// `cg` and `multi_shift` solve with the normal system: of staggered quarks that on one parity, of others S^dag S.
enum class PredictedSolver { bicgstab, cg, gcr_dd, multigrid, multi_shift };
/// The words of the program, in that order.
inline constexpr std::array predicted_solvers{"bicgstab", "cg", "gcr-dd", "multigrid", "multi-shift"};
inline std::string solver_name(PredictedSolver solver) { return predicted_solvers[static_cast<std::size_t>(solver)]; }

/// Whether the solver converges for quarks of a family.
bool suits(PredictedSolver solver, const FermionFamily& family);

/// How processes cut a lattice.
struct ProcessGrid {
  Coordinates processes{1, 1, 1, 1};
  Coordinates local{};

  int count() const { return static_cast<int>(volume_of(processes)); }
  std::array<bool, 4> cut() const;
  /// Sites at the faces of a local lattice.
  std::ptrdiff_t surface() const;
};

/// Directions that grids cut: these and no other; none: any.
using CutDirections = std::optional<std::array<bool, 4>>;
/// Grids of so many processes that may be the fastest: for each number of cut directions those with the smallest
/// surface, of which the one that cuts the later directions. Local lattices are even and wider than `reach`. None: the
/// extents cannot be cut so.
std::vector<ProcessGrid> candidate_grids(const Coordinates& extents, int processes, int reach = 1,
                                         const CutDirections& directions = {});

/// Measured on one device for one process of a grid.
struct IterationTimes {
  double hop = 0.0;              ///< uncut
  double hop_with_halo = 0.0;    ///< cut, over the network
  double alone = 0.0;            ///< an iteration, uncut
  double iteration = 0.0;        ///< an iteration, cut, over the network
  std::vector<double> shares{};  ///< of multigrid's levels
};

struct IterationParts {
  double interior = 0.0, halo = 0.0, vectors = 0.0, sums = 0.0;
  double noise = 0.0;  ///< seconds by which parts came out negative
  double total() const { return interior + halo + vectors + sums; }
};

/// Hops of an iteration, and those of them that exchange halos.
struct HopCount {
  int all = 0, cut = 0;
};
HopCount hops_of(PredictedSolver solver, const FermionFamily& family, int schwarz_steps);

IterationParts parts_of(const IterationTimes& times, const HopCount& hops);

/// `t_last` of a last level with N unknowns, on more than one process.
double last_level_seconds(double unknowns, const detail::Network& network, double copy_bandwidth);
/// `parts` with that in the place of the local lattice's last level, where that is shorter.
IterationParts with_last_level(IterationParts parts, const IterationTimes& times, double seconds);

/// Bytes of a solve on a site: links and the clover term in double and in the precision of the iterations, of
/// `inner_bytes` a number, and vectors; of multigrid at the peak of the setup (docs/performance.md).
double bytes_of_site(PredictedSolver solver, const FermionFamily& family, int slices, int shifts, double inner_bytes);

}  // namespace kaon::apps
