// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/execution.hpp>

#include <cstddef>

namespace kaon::detail {

/// Memory for the sums of reductions, kept from call to call: an allocation on a device costs more than a reduction.
class Workspace {
 public:
#if defined(KOKKOS_ENABLE_CUDA)
  using ResultMemory = std::conditional_t<on_device, Kokkos::SharedHostPinnedSpace, Kokkos::HostSpace>;
#else
  using ResultMemory = Kokkos::HostSpace;
#endif

  /// At least `count` doubles in the kernels' memory, for partial sums.
  double* partial_sums(std::size_t count) {
    if (partial_.extent(0) < count) {
      partial_ = Kokkos::View<double*, Memory>(
          Kokkos::view_alloc(Kokkos::WithoutInitializing, "kaon::Workspace partial sums"), count);
    }
    return partial_.data();
  }
  /// At least `count` doubles that kernels write and the host reads, for finished sums.
  double* results(std::size_t count) {
    if (result_.extent(0) < count) {
      result_ = Kokkos::View<double*, ResultMemory>(
          Kokkos::view_alloc(Kokkos::WithoutInitializing, "kaon::Workspace results"), count);
    }
    return result_.data();
  }

 private:
  Kokkos::View<double*, Memory> partial_;
  Kokkos::View<double*, ResultMemory> result_;
};

}  // namespace kaon::detail
