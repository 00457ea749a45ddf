// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/device/last_team.hpp"
#include "core/device/primitives.hpp"
#include "core/device/team.hpp"
#include "core/reductions/pending_sums.hpp"
#include "core/reductions/site_sums.hpp"

namespace kaon::detail {

/// Adds up partial sums over sites. A team adds up a cluster of parts of one right-hand side; the one that finishes
/// last adds up the clusters and publishes the sums.
template <class Function>
struct ReducePartialsKernel {
  static constexpr int max_team_size = 256;
  static constexpr unsigned min_teams = 1;
  static constexpr int cluster = 256;  ///< parts that a team adds up
  SiteSums sums;
  int clusters;
  double* of_clusters;  // [right-hand side][cluster][sum]
  int* finished;        // of each right-hand side; zero before and after
  SumOutput<Function, site_sums> output;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const int rhs = team.league_rank() / clusters;
    const int number = team.league_rank() % clusters;
    const int begin = number * cluster;
    const int rest = sums.parts - begin;
    TeamSums<site_sums> total = add(team, sums.of_part(rhs, begin), rest < cluster ? rest : cluster);
    if (clusters == 1) return output.publish(team, rhs, total);
    double* const rows = of_clusters + rhs * clusters * site_sums;
    for (int k = team.team_rank(); k < site_sums; k += team.team_size()) rows[number * site_sums + k] = total[k];
    if (!is_last_team(team, finished + rhs, clusters)) return;
    output.publish(team, rhs, add(team, rows, clusters));
  }

 private:
  /// Sums over `count` rows.
  KOKKOS_FORCEINLINE_FUNCTION static TeamSums<site_sums> add(const Team& team, const double* rows, int count) {
    double mine[site_sums] = {};
    for (int row = team.team_rank(); row < count; row += team.team_size()) {
      KAON_UNROLL
      for (int k = 0; k < site_sums; ++k) mine[k] += load_of_other_team(rows + row * site_sums + k);
    }
    return sum_over_team(team, mine);
  }
};

/// Partial sums over sites that a kernel has left in memory, and how they are to be read.
struct PartialSums {
  SiteSums sums;
  SumRange range = {};
  bool norm_is_y_x = false;

  /// Enqueues that they are added up for each right-hand side k, and that `function_of(k)` is applied.
  template <class FunctionOf>
  PendingSums reduce(const Lattice& lattice, int right_hand_sides, const FunctionOf& function_of,
                     const blas::Scalars& earlier, AppliedBy applied_by) const {
    using Function = FunctionType<FunctionOf>;
    PendingSums pending(lattice, right_hand_sides, site_sums, Function::scalars, applied_by);
    Workspace& workspace = lattice.workspace();
    ReducePartialsKernel<Function> kernel;
    kernel.sums = sums;
    kernel.clusters = (sums.parts + kernel.cluster - 1) / kernel.cluster;
    kernel.of_clusters =
        workspace.cluster_sums(static_cast<std::size_t>(right_hand_sides * site_sums * kernel.clusters));
    kernel.finished = workspace.finished_parts(static_cast<std::size_t>(right_hand_sides));
    kernel.output = sum_output<Function, site_sums>(pending, function_of, earlier);
    if constexpr (Function::scalars > 0) {
      kernel.output.function.range = range;
      kernel.output.function.norm_is_y_x = norm_is_y_x;
    }
    launch_teams("kaon::reduce_partials", lattice.execution(), right_hand_sides * kernel.clusters, kernel.max_team_size,
                 kernel);
    return pending;
  }
  /// Sums without a function.
  PendingSums reduce(const Lattice& lattice, int right_hand_sides) const;
};

}  // namespace kaon::detail
