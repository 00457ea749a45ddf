// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/site_sums.hpp"

#include "core/launch.hpp"
#include "core/workspace.hpp"

#include <algorithm>

namespace kaon::detail {
namespace {

/// Parts that a team adds up.
constexpr int cluster = 256;
constexpr int team = 256;

/// A team adds up a cluster of parts of one right-hand side; the one that finishes last adds up the clusters and tells
/// the host.
struct AddKernel {
  static constexpr int largest_team = team;
  static constexpr unsigned teams_together = 1;
  SiteSums sums;
  int clusters;
  double* of_clusters;  // [right-hand side][cluster][sum]
  int* finished;        // of each right-hand side; zero before and after
  double* results;      // where the host can read them

  KOKKOS_FUNCTION void operator()([[maybe_unused]] int number, [[maybe_unused]] int thread) const {
#if defined(__CUDA_ARCH__)
    const int rhs = number / clusters;
    const int begin = number % clusters * cluster;
    const int rest = sums.parts - begin;
    const double sum = add(sums.of_part(rhs, begin), rest < cluster ? rest : cluster, thread);
    if (clusters == 1) {
      if (thread < site_sums) tell(rhs, thread, sum);
      return;
    }
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
    const double total = add(rows, clusters, thread);
    if (thread < site_sums) tell(rhs, thread, total);
    if (thread == 0) finished[rhs] = 0;
#endif
  }

 private:
#if defined(__CUDA_ARCH__)
  __device__ void tell(int rhs, int k, double sum) const {
    *const_cast<volatile double*>(results + rhs * site_sums + k) = sum;
  }
  /// Sums over `count` rows, sum k for thread k. Other multiprocessors wrote them: not to be taken from this one's
  /// cache.
  __device__ static double add(const double* rows, int count, int thread) {
    __shared__ double part[team / 32][site_sums];
    double sum = 0.0;
#pragma unroll 8
    for (int row = thread / site_sums; row < count; row += team / site_sums) {
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

}  // namespace

void add_parts(const Lattice& lattice, const SiteSums& sums, int right_hand_sides, double* results) {
  const auto count = static_cast<std::size_t>(right_hand_sides * site_sums);
  if constexpr (on_device) {
    Workspace& workspace = lattice.workspace();
    AddKernel kernel;
    kernel.sums = sums;
    kernel.clusters = (sums.parts + cluster - 1) / cluster;
    kernel.of_clusters = workspace.cluster_sums(count * static_cast<std::size_t>(kernel.clusters));
    kernel.finished = workspace.finished_parts(static_cast<std::size_t>(right_hand_sides));
    kernel.results = workspace.expect_results(count);
    launch_tile("kaon::add_parts", lattice.execution(), right_hand_sides * kernel.clusters, team, kernel);
    workspace.wait_for_results(lattice.execution(), results, count);
  } else {
    lattice.execution().fence("kaon::add_parts");
    for (int rhs = 0; rhs < right_hand_sides; ++rhs) {
      double* const of_rhs = results + rhs * site_sums;
      std::fill_n(of_rhs, site_sums, 0.0);
      for (int number = 0; number < sums.parts; ++number) {
        for (int k = 0; k < site_sums; ++k) of_rhs[k] += sums.of_part(rhs, number)[k];
      }
    }
  }
}

}  // namespace kaon::detail
