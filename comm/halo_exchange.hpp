// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/device/primitives.hpp"
#include "core/device/team.hpp"

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

/// Flags that a kernel awaits before it reads halos: neighbours raise them to `generation` or
/// beyond. Null where `HaloExchange::finish` has waited already.
struct HaloFlags {
  const std::uint32_t* flag[faces] = {};
  std::uint32_t generation = 0;

  KOKKOS_FORCEINLINE_FUNCTION void wait(int face) const {
    if (flag[face] != nullptr) wait_for_flag(flag[face], generation);
  }
};

/// Flags that a kernel raises in neighbours' memory after it has written their halos.
struct HaloSignals {
  std::uint32_t* flag[faces] = {};
  std::uint32_t generation = 0;
  int* finished = nullptr;  ///< teams; zero before and after
  std::int64_t cycles = 0;  ///< of the clock that the messages of an emulated network travel

  /// Called by one thread, when all has been written.
  KOKKOS_FORCEINLINE_FUNCTION void raise() const {
    wait_cycles(cycles);
    fence_for_other_devices();
    for (int face = 0; face < faces; ++face) {
      if (flag[face] != nullptr) raise_flag(flag[face], generation);
    }
  }
  /// Called by all threads of each of `teams` teams when they have written: the last team raises the flags.
  KOKKOS_FORCEINLINE_FUNCTION void raise_last(const Team& team, int teams) const {
    team.team_barrier();
    if (team.team_rank() != 0) return;
    fence_for_other_devices();
    if (Kokkos::atomic_fetch_add(finished, 1) != teams - 1) return;
    *finished = 0;
    raise();
  }
};

/// Persistent buffers and messages for one kind of halo. An exchange is
///   kernels on `packing()` that write `outgoing`, start, other work, finish, kernels that read `incoming`,
/// all except the first on the lattice's execution instance. On a GPU other work overlaps the packing and the
/// transfers, on a host what the message-passing library does without being asked.
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
  /// The place to which kernels write the neighbour's halo: 2 mu goes to the process behind, 2 mu + 1 to the one
  /// ahead. Valid until the next `start`.
  void* outgoing(int face) const;
  void start();

  void finish();

  /// True if kernels can exchange halos by themselves: one kernel on the lattice's instance writes `outgoing`, as it
  /// was before `next_generation`, and raises the signals that this returns. It, or a later one, then reads `incoming`,
  /// as it is after `next_generation`.
  bool works_within_kernels() const;
  HaloSignals next_generation();

  /// The place from which kernels read a halo, after they have waited for its flag. Valid between `finish` or
  /// `next_generation` and the next `start`.
  const void* incoming(int face) const;
  HaloFlags flags() const;

  class Backend;

 private:
  Transport transport_;
  std::unique_ptr<Backend> backend_;
  bool started_ = false;
};

/// Waits, on `execution`, the lattice's instance, for the halos of all faces of the last exchange. Call it before
/// kernels that read some faces only: the next exchange may overwrite a buffer as soon as all flags of this one have
/// been seen. Kernels that read all faces wait for all flags themselves (`HaloFlags`).
void wait_for_halos(const HaloExchange& exchange, const Execution& execution);

}  // namespace kaon::detail
