// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/device/primitives.hpp"
#include "core/device/team.hpp"

#include <iterator>

namespace kaon::detail {

/// Bytes of memory of a team that is alone on a multiprocessor, at most.
#if defined(__CUDA_ARCH_LIST__)
inline constexpr bool has_large_teams =
    teams_have_warps && compiled_devices[0] >= 900 && std::end(compiled_devices)[-1] < 1100;
inline constexpr int largest_team_bytes = has_large_teams ? 227 * 1024 : most_team_bytes;
#else
inline constexpr int largest_team_bytes = most_team_bytes;
#endif

/// c += a b of a 16 x 4 and a 4 x 8 matrix in double precision, by the 32 threads of a warp (tensor cores). Thread
/// 4 g + t has a of rows g, g + 8 in column t; b of row t in column g; c of row g in columns 2 t, 2 t + 1, then of row
/// g + 8. Source: PTX ISA, mma.m16n8k4 and mma.m8n8k4 with .f64.
KOKKOS_FORCEINLINE_FUNCTION void multiply_tiles([[maybe_unused]] double (&c)[4], [[maybe_unused]] const double (&a)[2],
                                                [[maybe_unused]] double b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
      : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
      : "d"(a[0]), "d"(a[1]), "d"(b));
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
      : "+d"(c[0]), "+d"(c[1])
      : "d"(a[0]), "d"(b));
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
      : "+d"(c[2]), "+d"(c[3])
      : "d"(a[1]), "d"(b));
#else
  Kokkos::abort("kaon: tiles are multiplied by NVIDIA GPUs of compute capability 8 and above");
#endif
}

/// Starts a copy of a complex number of global memory to the memory of a team, and has the 128 bytes around it brought
/// to the L2 cache; other devices wait for the copy.
template <class Number>
KOKKOS_FORCEINLINE_FUNCTION void start_copy(Number* to, const void* from) {
  static_assert(sizeof(Number) == 8 || sizeof(Number) == 16);
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  const auto target = static_cast<unsigned>(__cvta_generic_to_shared(to));
  if constexpr (sizeof(Number) == 16) {
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(target), "l"(__cvta_generic_to_global(from))
                 : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global.L2::128B [%0], [%1], 8;" ::"r"(target), "l"(__cvta_generic_to_global(from))
                 : "memory");
  }
#else
  *to = *static_cast<const Number*>(from);
#endif
}

/// Ends a group of copies that this thread has started, which may be empty.
KOKKOS_FORCEINLINE_FUNCTION void end_group_of_copies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/// Waits for all groups of copies of this thread but the last `Left`.
template <int Left>
KOKKOS_FORCEINLINE_FUNCTION void wait_for_copies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(Left) : "memory");
#endif
}

}  // namespace kaon::detail
