// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/device/launch_tile.hpp"
#include "core/reductions/pending_sums.hpp"
#include "core/reductions/site_sums.hpp"

namespace kaon::detail {

/// Adds up partial sums over sites on a device. A team adds up a cluster of parts of one right-hand side; the one
/// that finishes last adds up the clusters and publishes the sums.
template <class Function>
struct ReducePartialsKernel {
  static constexpr int largest_team = 256;
  static constexpr unsigned teams_together = 1;
  static constexpr int cluster = 256;  ///< parts that a team adds up
  SiteSums sums;
  int clusters;
  double* of_clusters;  // [right-hand side][cluster][sum]
  int* finished;        // of each right-hand side; zero before and after
  SumOutput<Function, site_sums> output;

  KOKKOS_FUNCTION void operator()([[maybe_unused]] int number, [[maybe_unused]] int thread) const {
#if defined(__CUDA_ARCH__)
    const int rhs = number / clusters;
    const int begin = number % clusters * cluster;
    const int rest = sums.parts - begin;
    const double sum = add(sums.of_part(rhs, begin), rest < cluster ? rest : cluster, thread);
    if (clusters == 1) return output.publish(rhs, thread, sum);
    double* const rows = of_clusters + rhs * clusters * site_sums;
    if (thread < site_sums) {
      rows[number % clusters * site_sums + thread] = sum;
      __threadfence();
    }
    __shared__ bool last;
    __syncthreads();
    if (thread == 0) {
      last = atomicAdd(finished + rhs, 1) == clusters - 1;
      __threadfence();
    }
    __syncthreads();
    if (!last) return;
    output.publish(rhs, thread, add(rows, clusters, thread));
    if (thread == 0) finished[rhs] = 0;
#endif
  }

 private:
#if defined(__CUDA_ARCH__)
  /// Sums over `count` rows, sum k for thread k. Other multiprocessors wrote them: not to be taken from this one's
  /// cache.
  __device__ static double add(const double* rows, int count, int thread) {
    __shared__ double part[largest_team / 32][site_sums];
    double sum = 0.0;
#pragma unroll 8
    for (int row = thread / site_sums; row < count; row += largest_team / site_sums) {
      sum += __ldcg(rows + row * site_sums + thread % site_sums);
    }
    sum += __shfl_xor_sync(~0U, sum, 8);
    sum += __shfl_xor_sync(~0U, sum, 16);
    __syncthreads();  // nobody reads the last call's parts any more
    if (thread % 32 < site_sums) part[thread / 32][thread % site_sums] = sum;
    __syncthreads();
    sum = 0.0;
    if (thread < site_sums) {
      for (const auto& of_warp : part) sum += of_warp[thread];
    }
    return sum;
  }
#endif
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
    SumOutput<Function, site_sums> output = sum_output<Function, site_sums>(pending, function_of, earlier);
    if constexpr (Function::scalars > 0) {
      output.function.range = range;
      output.function.norm_is_y_x = norm_is_y_x;
    }
    if constexpr (on_device) {
      Workspace& workspace = lattice.workspace();
      ReducePartialsKernel<Function> kernel;
      kernel.sums = sums;
      kernel.output = output;
      kernel.clusters = (sums.parts + kernel.cluster - 1) / kernel.cluster;
      kernel.of_clusters =
          workspace.cluster_sums(static_cast<std::size_t>(right_hand_sides * site_sums * kernel.clusters));
      kernel.finished = workspace.finished_parts(static_cast<std::size_t>(right_hand_sides));
      launch_tile("kaon::reduce_partials", lattice.execution(), right_hand_sides * kernel.clusters, kernel.largest_team,
                  kernel);
    } else {
      lattice.execution().fence("kaon::reduce_partials");
      for (int rhs = 0; rhs < right_hand_sides; ++rhs) {
        double* const of_rhs = output.results + rhs * output.numbers;
        std::fill_n(of_rhs, site_sums, 0.0);
        for (int number = 0; number < sums.parts; ++number) {
          for (int k = 0; k < site_sums; ++k) of_rhs[k] += sums.of_part(rhs, number)[k];
        }
        output.publish(rhs);
      }
    }
    return pending;
  }
  /// The same without a function.
  PendingSums reduce(const Lattice& lattice, int right_hand_sides) const;
};

}  // namespace kaon::detail
