// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/comm/transport.hpp>
#include <kaon/core/lattice.hpp>

#include <array>
#include <cstddef>
#include <memory>

namespace kaon::detail {

/// The faces through which a process sees its neighbours: 2 mu is what comes from the process ahead in direction mu,
/// 2 mu + 1 what comes from the one behind.
inline constexpr int faces = 8;

/// Persistent buffers and messages for one kind of halo. An exchange is
///   kernels that write `outgoing`, start, other work, finish, kernels that read `incoming`,
/// all on the lattice's execution instance; other work overlaps the transfers.
///
/// All processes make and use their halo exchanges in the same order.
class HaloExchange {
 public:
  /// `bytes` of each face; none for directions that are not partitioned.
  HaloExchange(const Lattice& lattice, const std::array<std::size_t, faces>& bytes, Transport transport);
  ~HaloExchange();
  HaloExchange(const HaloExchange&) = delete;
  HaloExchange& operator=(const HaloExchange&) = delete;

  /// Where kernels put what the neighbour sees through its face: 2 mu goes to the process behind, 2 mu + 1 to the one
  /// ahead. Valid until the next `start`.
  void* outgoing(int face) const;
  /// Where kernels find what came through a face, after `finish` and until the next `start`.
  const void* incoming(int face) const;

  void start();
  void finish();

  class Backend;

 private:
  std::unique_ptr<Backend> backend_;
};

}  // namespace kaon::detail
