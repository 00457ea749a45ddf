// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/comm/transport.hpp>
#include <kaon/core/execution.hpp>
#include <kaon/core/lattice.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace kaon::detail {

/// The faces through which a process sees its neighbours: 2 mu is what comes from the process ahead in direction mu,
/// 2 mu + 1 what comes from the one behind.
inline constexpr int faces = 8;

/// What a kernel has to wait for before it reads what has come from neighbours: flags that they raise to `turn` or
/// beyond. Null where `HaloExchange::finish` has waited already.
struct HaloFlags {
  const std::uint32_t* flag[faces] = {};
  std::uint32_t turn = 0;

  KOKKOS_FORCEINLINE_FUNCTION void wait([[maybe_unused]] int face) const {
#if defined(__CUDA_ARCH__)
    if (flag[face] == nullptr) return;
    std::uint32_t seen = 0;
    do {
      asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(seen) : "l"(flag[face]) : "memory");
    } while (static_cast<std::int32_t>(seen - turn) < 0);
#endif
  }
};

/// What a kernel needs to tell neighbours by itself that it has written their halos: flags in their memory.
struct HaloSignals {
  std::uint32_t* flag[faces] = {};
  std::uint32_t turn = 0;
  int* finished = nullptr;  ///< teams; zero before and after

  /// Called by all threads of each of `teams` teams when they have written: the last team raises the flags.
  KOKKOS_FORCEINLINE_FUNCTION void raise([[maybe_unused]] int teams) const {
#if defined(__CUDA_ARCH__)
    __syncthreads();
    if (threadIdx.x != 0) return;
    __threadfence_system();
    if (atomicAdd(finished, 1) != teams - 1) return;
    *finished = 0;
    __threadfence_system();
    for (int face = 0; face < faces; ++face) {
      if (flag[face] == nullptr) continue;
      asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(flag[face]), "r"(turn) : "memory");
    }
#endif
  }
};

/// Persistent buffers and messages for one kind of halo. An exchange is
///   kernels on `packing()` that write `outgoing`, start, other work, finish, kernels that read `incoming`,
/// all but the first on the lattice's execution instance. On a GPU other work overlaps the packing and the transfers,
/// on a host what the message-passing library does without being asked.
///
/// All processes make and use their halo exchanges in the same order. One that an exception has left between start and
/// finish cannot be used again: `packing` throws `Error`.
class HaloExchange {
 public:
  /// `bytes` of each face; none for directions that are not partitioned.
  HaloExchange(const Lattice& lattice, const std::array<std::size_t, faces>& bytes, Transport transport);
  ~HaloExchange();
  HaloExchange(const HaloExchange&) = delete;
  HaloExchange& operator=(const HaloExchange&) = delete;

  Transport transport() const { return transport_; }

  /// The instance that packs, after all that the lattice's has been given so far.
  const Execution& packing();
  /// Where kernels put what the neighbour sees through its face: 2 mu goes to the process behind, 2 mu + 1 to the one
  /// ahead. Valid until the next `start`.
  void* outgoing(int face) const;
  void start();

  void finish();

  /// True if kernels can exchange halos by themselves: one kernel on the lattice's instance writes `outgoing`, as it
  /// was before `take_turn`, raises the signals that this returns, and then reads `incoming`, as it is after
  /// `take_turn`.
  bool works_within_kernels() const;
  HaloSignals take_turn();

  /// Where kernels find what came through a face, after they have waited for its flag. Valid between `finish` or
  /// `take_turn` and the next `start`.
  const void* incoming(int face) const;
  HaloFlags flags() const;

  class Backend;

 private:
  Transport transport_;
  std::unique_ptr<Backend> backend_;
  bool started_ = false;
};

}  // namespace kaon::detail
