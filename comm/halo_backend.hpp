// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "comm/halo_exchange.hpp"
#include "core/reductions/process_sums.hpp"

#include <kaon/core/communicator.hpp>

#include <Kokkos_Core.hpp>

namespace kaon::detail {

/// A way in which halos travel.
class HaloExchange::Backend {
 public:
  virtual ~Backend() = default;
  virtual const Execution& packing() = 0;
  virtual void* outgoing(int face) const = 0;
  virtual void start() = 0;
  virtual void finish() = 0;
  virtual const void* incoming(int face) const = 0;
  virtual HaloFlags flags() const { return {}; }
  virtual bool works_within_kernels() const { return false; }
  virtual HaloSignals next_generation() { return {}; }
};

/// The places of the faces in one piece of memory.
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

/// An execution instance beside that of a lattice, for packing and copying: on a host the same one.
class SideInstance {
 public:
  explicit SideInstance(const Execution& main);
  ~SideInstance();
  SideInstance(const SideInstance&) = delete;
  SideInstance& operator=(const SideInstance&) = delete;

  const Execution& execution() const { return side_; }
  /// Its work from now on comes after all that the main instance has been given.
  void follow();
  /// The main instance's work from now on comes after all that this one has been given.
  void lead();
  /// The host waits until all that this one has been given is done.
  void wait();

 private:
  Execution main_, side_;
  void* stream_ = nullptr;
  void* event_ = nullptr;
};

/// Halos that lie in buffers of this process, from and to which a transport carries them.
class BufferedBackend : public HaloExchange::Backend {
 public:
  BufferedBackend(const Lattice& lattice, const FaceBuffers& buffers)
      : side_(lattice.execution()),
        buffers_(buffers),
        outgoing_("kaon::HaloExchange outgoing", buffers.size()),
        incoming_("kaon::HaloExchange incoming", buffers.size()) {}

  const Execution& packing() override {
    side_.follow();
    return side_.execution();
  }
  void* outgoing(int face) const override { return outgoing_.data() + buffers_.offset(face); }
  const void* incoming(int face) const override { return incoming_.data() + buffers_.offset(face); }

 protected:
  SideInstance side_;
  FaceBuffers buffers_;
  Kokkos::View<std::byte*, Memory> outgoing_, incoming_;
};

/// True on all processes if each can write into the memory of its neighbours' GPUs. Collective.
bool peers_are_reachable(const Lattice& lattice);
/// True on all processes if kaon was built with NCCL and no two of them share a GPU, which NCCL refuses. Collective;
/// makes nothing.
bool nccl_is_usable(const Lattice& lattice);

std::unique_ptr<HaloExchange::Backend> make_staged_backend(const Lattice& lattice, const FaceBuffers& buffers);
std::unique_ptr<HaloExchange::Backend> make_peer_backend(const Lattice& lattice, const FaceBuffers& buffers);
std::unique_ptr<HaloExchange::Backend> make_nccl_backend(const Lattice& lattice, const FaceBuffers& buffers);

/// Sums that kernels make by writing into each other's memory; null where halos do not travel in that way, where not
/// every process reaches every other, and on hosts. Collective.
std::shared_ptr<KernelSums> make_peer_sums(const Lattice& lattice);

}  // namespace kaon::detail
