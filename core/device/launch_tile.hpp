// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/error.hpp>
#include <kaon/core/execution.hpp>

#include <string>

namespace kaon::detail {

// Kernels that are launched by CUDA's own means: `tile(team, thread of the team)` for teams of at most
// `Tile::largest_team` threads, of which `Tile::teams_together` fit on a multiprocessor at least.

#if defined(KOKKOS_ENABLE_CUDA)
template <class Tile>
__global__ void __launch_bounds__(Tile::largest_team, Tile::teams_together)
    run_tile(const __grid_constant__ Tile tile) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();  // until all that the stream did before is done and can be seen
#endif
  tile(static_cast<int>(blockIdx.x), static_cast<int>(threadIdx.x));
}

/// True if this kernel waits by itself for those before it, as code for compute capability 9 and above does.
template <class Tile>
bool waits_by_itself() {
  static const bool waits = [] {
    cudaFuncAttributes attributes{};
    const bool known = cudaFuncGetAttributes(&attributes, run_tile<Tile>) == cudaSuccess;
    if (!known) (void)cudaGetLastError();  // told by the launch, which fails too
    return known && attributes.ptxVersion >= 90;
  }();
  return waits;
}
#endif

/// Runs `tile(team, thread of the team)`, in order with all else on `execution`.
///
/// Teams are brought to the multiprocessors when those of the kernel before have ended, and wait there until its writes
/// can be seen (programmatic dependent launch), instead of setting out only then: docs/decisions.md 14. Kokkos prepares
/// more before it launches a team policy, which small lattices feel: hops on 8^4 took 3.8 to 4.6 microseconds so
/// and 4.4 to 5.2 by Kokkos, the norm of a field on 16^4, with sums over teams of a fixed size, 10 and 13 (H200).
template <class Tile>
void launch_tile([[maybe_unused]] const std::string& label, [[maybe_unused]] const Execution& execution,
                 [[maybe_unused]] int teams, [[maybe_unused]] int team_size, [[maybe_unused]] const Tile& tile) {
#if defined(KOKKOS_ENABLE_CUDA)
  if (teams == 0) return;
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(teams));
  config.blockDim = dim3(static_cast<unsigned>(team_size));
  config.stream = execution.cuda_stream();
  config.attrs = &early;
  config.numAttrs = waits_by_itself<Tile>() ? 1 : 0;
  const cudaError_t status = cudaLaunchKernelEx(&config, run_tile<Tile>, tile);
  if (status != cudaSuccess) (void)cudaGetLastError();  // it is told here, and not once more elsewhere
  require(status == cudaSuccess, [&] { return label + " could not be launched: " + cudaGetErrorString(status); });
#endif
}

}  // namespace kaon::detail
