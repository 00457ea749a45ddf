// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/communicator.hpp>

#include <cstddef>
#include <map>
#include <set>

namespace kaon::detail {

/// A piece of memory on the GPU of each process, zero at first, that some of the others can write to. Not where
/// processes share a GPU: one that waits there for the other's kernels could prevent them from running.
class SharedMemory {
 public:
  /// Memory of `bytes` bytes; `peers` are ranks of other processes that name this one as well. Collective. A failure on
  /// one process shows in `reachable` on all.
  SharedMemory(const Communicator& communicator, const std::set<int>& peers, std::size_t bytes);
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  bool reachable() const { return reachable_; }
  std::byte* local() const { return local_; }
  /// Memory of a peer, or of this process.
  std::byte* of(int rank) const { return rank == rank_ ? local_ : opened_.at(rank); }

 private:
  int rank_;
  int group_;
  std::byte* local_ = nullptr;
  std::map<int, std::byte*> opened_;
  bool reachable_ = false;
};

}  // namespace kaon::detail
