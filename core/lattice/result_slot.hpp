// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/execution.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace kaon::detail {

/// Memory that kernels write numbers to and the host reads them from. Pending sums own one each for as long as they
/// live (`Workspace::take_result_slot`), so that no two write to the same memory.
class ResultSlot {
 public:
#if defined(KOKKOS_ENABLE_CUDA)
  using ResultMemory = std::conditional_t<on_device, Kokkos::SharedHostPinnedSpace, Kokkos::HostSpace>;
#else
  using ResultMemory = Kokkos::HostSpace;
#endif

  /// `count` doubles that a kernel on `execution` will write and the host read. Until then they hold a NaN that no sum
  /// makes. Results that were expected and never waited for are waited for first.
  double* expect(const Execution& execution, std::size_t count) {
    if (on_device && in_flight_) execution.fence("kaon::ResultSlot abandoned results");
    if (memory_.extent(0) < count) {
      memory_ = Kokkos::View<double*, ResultMemory>(Kokkos::view_alloc(Kokkos::WithoutInitializing, "kaon::ResultSlot"),
                                                    count);
    }
    for (std::size_t k = 0; k < count; ++k) *word(k) = pending;
    in_flight_ = true;
    return memory_.data();
  }
  /// Waits until a kernel on `execution` has written results [first, first + count). Looking at them is faster than
  /// waiting for the kernel to end, and nothing has to be copied; should they not come, a fence reports why.
  void wait(const Execution& execution, std::size_t first, std::size_t count, double* out) {
    constexpr int most_looks = 1 << 24;
    int looks = 0;
    for (std::size_t k = 0; k < count; ++k) {
      while (*word(first + k) == pending && ++looks < most_looks) {
      }
      if (looks >= most_looks) execution.fence("kaon::ResultSlot results");
      out[k] = std::bit_cast<double>(std::uint64_t{*word(first + k)});
    }
  }
  /// All have been waited for.
  void release() { in_flight_ = false; }
  /// True if results were expected and not waited for.
  bool in_flight() const { return in_flight_; }

 private:
  static constexpr std::uint64_t pending = 0x7ff8'5a5a'c3c3'f0f0;
  volatile std::uint64_t* word(std::size_t k) const {
    return reinterpret_cast<volatile std::uint64_t*>(memory_.data() + k);
  }

  Kokkos::View<double*, ResultMemory> memory_;
  bool in_flight_ = false;
};

}  // namespace kaon::detail
