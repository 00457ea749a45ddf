// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/device/primitives.hpp"

#include <kaon/core/error.hpp>
#include <kaon/core/execution.hpp>

#include <bit>
#include <string>

namespace kaon::detail {

// Teams of CUDA's own launch: see team.hpp.

inline constexpr bool teams_have_warps = true;
inline constexpr int warp_size = 32;
/// Bytes of memory that the threads of a team share: more from compute capability 8 on.
inline constexpr int most_team_bytes = (has_tile_products ? 96 : 48) * 1024;

/// A block of CUDA threads.
struct Team {
  KOKKOS_FORCEINLINE_FUNCTION int league_rank() const {
    KOKKOS_IF_ON_DEVICE((return static_cast<int>(blockIdx.x);))
    KOKKOS_IF_ON_HOST((return 0;))
  }
  KOKKOS_FORCEINLINE_FUNCTION int team_rank() const {
    KOKKOS_IF_ON_DEVICE((return static_cast<int>(threadIdx.x);))
    KOKKOS_IF_ON_HOST((return 0;))
  }
  KOKKOS_FORCEINLINE_FUNCTION int team_size() const {
    KOKKOS_IF_ON_DEVICE((return static_cast<int>(blockDim.x);))
    KOKKOS_IF_ON_HOST((return 1;))
  }
  KOKKOS_FORCEINLINE_FUNCTION void team_barrier() const { KOKKOS_IF_ON_DEVICE((__syncthreads();)) }
  /// `value` of the thread `rank`, for all threads.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION void team_broadcast([[maybe_unused]] T& value, [[maybe_unused]] int rank) const {
    KOKKOS_IF_ON_DEVICE((__shared__ T shared; __syncthreads(); if (team_rank() == rank) shared = value; __syncthreads();
                         value = shared;))
  }
};

template <class Body>
KOKKOS_FORCEINLINE_FUNCTION void for_each_item(const Team& team, int, const Body& body) {
  body(team.team_rank());
}

/// The memory that the threads of a team share, of a kernel with `team_bytes`.
KOKKOS_FORCEINLINE_FUNCTION void* team_memory(const Team&, int) {
#if defined(__CUDA_ARCH__)
  extern __shared__ __align__(32) unsigned char memory_of_team[];
  return memory_of_team;
#else
  return nullptr;
#endif
}

#if defined(__CUDACC__)
/// The sums over a warp of P numbers that each thread has, P a power of two up to 32: sum l % P for thread l.
///
/// With each step two threads exchange halves of their sums: eight sums cost
/// little more than one.
template <int P, class V>
__device__ __forceinline__ double sum_over_warp(V (&s)[P]) {
  static_assert(P <= warp_size && std::has_single_bit(static_cast<unsigned>(P)));
  const unsigned lane = threadIdx.x % warp_size;
#pragma unroll
  for (int half = P / 2; half > 0; half /= 2) {
    const bool upper = (lane & static_cast<unsigned>(half)) != 0;
#pragma unroll
    for (int k = 0; k < half; ++k) {
      const V mine = upper ? s[k + half] : s[k];
      const V others = upper ? s[k] : s[k + half];
      s[k] = mine + __shfl_xor_sync(~0U, others, half);
    }
  }
  double sum = s[0];
#pragma unroll
  for (int distance = P; distance < warp_size; distance *= 2) sum += __shfl_xor_sync(~0U, sum, distance);
  return sum;
}
#endif

/// N sums over the threads of a team, in its shared memory. Thread k may use sum k; all threads all after a barrier.
template <int N>
struct TeamSums {
  double* number;
  KOKKOS_FORCEINLINE_FUNCTION double& operator[](int k) const { return number[k]; }
};

/// Threads of the largest team that sums.
inline constexpr int largest_summing_team = 256;

/// The order of the sums is fixed by the size of the team, which consists of whole warps.
template <int N>
KOKKOS_FORCEINLINE_FUNCTION TeamSums<N> sum_over_team([[maybe_unused]] const Team& team,
                                                      [[maybe_unused]] const double (&mine)[N]) {
#if defined(__CUDA_ARCH__)
  constexpr int most_warps = largest_summing_team / warp_size;
  constexpr int P = static_cast<int>(std::bit_ceil(static_cast<unsigned>(N)));
  __shared__ double of_warp[most_warps][N];
  __shared__ double total[N];
  double padded[P] = {};
#pragma unroll
  for (int k = 0; k < N; ++k) padded[k] = mine[k];
  const double sum = sum_over_warp(padded);
  const int rank = team.team_rank();
  team.team_barrier();  // the last sums are not read any more
  if (rank % warp_size < N) of_warp[rank / warp_size][rank % warp_size] = sum;
  team.team_barrier();
  if (rank < N) {
    double of_team = 0.0;
    for (int warp = 0; warp < team.team_size() / warp_size; ++warp) of_team += of_warp[warp][rank];
    total[rank] = of_team;
  }
  return {total};
#else
  return {nullptr};
#endif
}

#if defined(__CUDACC__)
template <class Kernel>
__global__ void __launch_bounds__(Kernel::max_team_size, Kernel::min_teams)
    run_teams(const __grid_constant__ Kernel kernel) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();  // until all that the stream did before is done and can be seen
#endif
  kernel(Team{});
}

/// True if this kernel waits by itself for those before it, as code for compute capability 9 and above does.
template <class Kernel>
bool waits_by_itself() {
  static const bool waits = [] {
    cudaFuncAttributes attributes{};
    const bool known = cudaFuncGetAttributes(&attributes, run_teams<Kernel>) == cudaSuccess;
    if (!known) (void)cudaGetLastError();  // the launch reports it
    return known && attributes.ptxVersion >= 90;
  }();
  return waits;
}

/// Runs `kernel(team)` for each of `teams` teams, in order with all else on `execution`.
///
/// Teams are brought to the multiprocessors when those of the kernel before have ended, and wait there until its writes
/// can be seen (programmatic dependent launch), instead of setting out only then: docs/decisions.md 14. Kokkos prepares
/// more before it launches a team policy, which small lattices feel: docs/decisions.md 8.
template <class Kernel>
void launch_teams(const std::string& label, const Execution& execution, int teams, int team_size,
                  const Kernel& kernel) {
  if (teams == 0) return;
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(teams));
  config.blockDim = dim3(static_cast<unsigned>(team_size));
  if constexpr (requires { kernel.team_bytes; }) {
    config.dynamicSmemBytes = static_cast<std::size_t>(kernel.team_bytes);
    constexpr int granted = 48 * 1024;  // without a word
    if (kernel.team_bytes > granted) {
      (void)cudaFuncSetAttribute(run_teams<Kernel>, cudaFuncAttributeMaxDynamicSharedMemorySize, kernel.team_bytes);
    }
  }
  config.stream = execution.cuda_stream();
  config.attrs = &early;
  config.numAttrs = waits_by_itself<Kernel>() ? 1 : 0;
  const cudaError_t status = cudaLaunchKernelEx(&config, run_teams<Kernel>, kernel);
  if (status != cudaSuccess) (void)cudaGetLastError();  // reported here, and not once more elsewhere
  require(status == cudaSuccess, [&] { return label + " could not be launched: " + cudaGetErrorString(status); });
}
#endif

}  // namespace kaon::detail
