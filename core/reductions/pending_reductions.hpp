// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/device/primitives.hpp"
#include "core/device/team.hpp"
#include "core/reductions/pending_sums.hpp"
#include "core/reductions/products.hpp"
#include "core/reductions/site_sums.hpp"

#include <kaon/core/reductions.hpp>

#include <array>
#include <optional>

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

/// The state behind `blas::PendingReductions`: partial sums that a kernel makes, or sums that are sent to the host, or
/// products that the host knows.
struct ReductionState : Unreduced {
  explicit ReductionState(blas::Products products) : known(std::move(products)) {}
  ReductionState(const Lattice& on, int number, bool x, bool w)
      : lattice(on), right_hand_sides(number), with_x(x), with_w(w) {}
  ReductionState(const ReductionState&) = delete;
  ReductionState& operator=(const ReductionState&) = delete;
  ~ReductionState() override { set_partial({}); }

  std::optional<Lattice> lattice;  // none: known
  int right_hand_sides = 0;
  bool with_x = false, with_w = false;
  SumRange range = {};
  std::optional<PendingSums> pending;
  std::optional<blas::Products> known;

  const blas::Products& wait();
  bool in_kernels() const { return partial_.has_value() && kernels_apply_functions(*lattice, right_hand_sides); }
  void reduce() override;
  /// Partial sums that are running; none: they have been added up.
  void set_partial(std::optional<PartialSums> partial);
  /// The reductions are those of an operator's first factor: <y, x> of the whole operator is its |y|^2.
  void read_norm_as_y_x();

  template <class FunctionOf>
  blas::Scalars scalars(const FunctionOf& function_of, const blas::Scalars& earlier, AppliedBy applied_by) {
    if (applied_by != AppliedBy::host && in_kernels()) {
      const PartialSums partial = *partial_;
      set_partial({});
      pending = partial.reduce(*lattice, right_hand_sides, function_of, earlier, applied_by);
      return pending->scalars();
    }
    const blas::Products& products = wait();
    std::array<double, site_sums> sums;
    const auto row = [&](std::size_t k) {
      sums = sums_of(products, k);
      return sums.data();
    };
    return scalars_on_host(function_of, row, count_of(products), earlier);
  }

 private:
  /// The products as vectors in memory have them, where kernels may have left the range of their arithmetic.
  virtual std::optional<blas::Products> from_memory() { return {}; }

  std::optional<PartialSums> partial_;
  bool norm_is_y_x_ = false;
};

/// The reductions of y, x and w of which a kernel makes the partial sums. Reductions outside `range` are used from
/// memory.
template <class T>
blas::PendingReductions pending_reductions(const SiteSums& sums, const SumRange& range, const SpinorField<T>& y,
                                           const SpinorField<T>* x, const blas::Reductions<T>& reductions);

}  // namespace kaon::detail

namespace kaon::blas {

template <class FunctionOf>
Scalars PendingReductions::scalars(const FunctionOf& function_of, bool ahead, const Scalars& earlier) {
  return state_->scalars(function_of, earlier, ahead ? detail::AppliedBy::kernels : detail::AppliedBy::host);
}
template <class FunctionOf>
Scalars PendingReductions::unattended_scalars(const FunctionOf& function_of, const Scalars& earlier) {
  return state_->scalars(function_of, earlier, detail::AppliedBy::kernels_unattended);
}

}  // namespace kaon::blas
