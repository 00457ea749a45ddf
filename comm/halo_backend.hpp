// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "comm/halo_exchange.hpp"

#include <kaon/core/communicator.hpp>

#include <Kokkos_Core.hpp>

namespace kaon::detail {

/// A way in which halos travel.
class HaloExchange::Backend {
 public:
  virtual ~Backend() = default;
  virtual void* outgoing(int face) const = 0;
  virtual const void* incoming(int face) const = 0;
  virtual void start() = 0;
  virtual void finish() = 0;
};

/// Where the faces lie in one piece of memory.
class FaceBuffers {
 public:
  explicit FaceBuffers(const std::array<std::size_t, faces>& bytes);
  std::size_t bytes(int face) const { return bytes_[static_cast<std::size_t>(face)]; }
  std::size_t offset(int face) const { return offset_[static_cast<std::size_t>(face)]; }
  std::size_t size() const { return size_; }

 private:
  std::array<std::size_t, faces> bytes_, offset_{};
  std::size_t size_ = 0;
};

/// Rank of the process that sees what this one puts in `outgoing(face)`, and of the one that fills `incoming(face)`.
int sends_to(const Lattice& lattice, int face);
int receives_from(const Lattice& lattice, int face);

/// The messages of all faces, each tagged with the face through which it is seen.
std::unique_ptr<Exchange> exchange_faces(const Lattice& lattice, const FaceBuffers& buffers, std::byte* outgoing,
                                         std::byte* incoming);

/// A point in the work of an execution instance that the host, or another instance, can wait for.
class Mark {
 public:
  Mark();
  ~Mark();
  Mark(const Mark&) = delete;
  Mark& operator=(const Mark&) = delete;
  void record(const Execution& execution);
  void wait() const;
  /// What `execution` is given from now on waits.
  void hold(const Execution& execution) const;

 private:
  void* event_ = nullptr;
};

/// True on all processes if each can write into the memory of its neighbours' GPUs. Collective.
bool peers_are_reachable(const Lattice& lattice);

std::unique_ptr<HaloExchange::Backend> make_staged_backend(const Lattice& lattice, const FaceBuffers& buffers);
std::unique_ptr<HaloExchange::Backend> make_peer_backend(const Lattice& lattice, const FaceBuffers& buffers);

}  // namespace kaon::detail
