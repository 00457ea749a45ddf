// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "comm/halo_backend.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <map>
#include <string>

namespace kaon::detail {
namespace {

void check(cudaError_t status, const char* what) {
  require(status == cudaSuccess, [&] { return fmt::format("{} failed: {}", what, cudaGetErrorString(status)); });
}

cudaEvent_t event_of(void* mark) { return static_cast<cudaEvent_t>(mark); }

}  // namespace

Mark::Mark() {
  cudaEvent_t event;
  check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreate");
  event_ = event;
}
Mark::~Mark() { (void)cudaEventDestroy(event_of(event_)); }
void Mark::record(const Execution& execution) {
  check(cudaEventRecord(event_of(event_), execution.cuda_stream()), "cudaEventRecord");
}
void Mark::wait() const { check(cudaEventSynchronize(event_of(event_)), "a kernel"); }
void Mark::hold(const Execution& execution) const {
  check(cudaStreamWaitEvent(execution.cuda_stream(), event_of(event_), 0), "cudaStreamWaitEvent");
}

namespace {

/// Messages from and to pinned memory of the host, copied there and back beside the kernels of the lattice.
class StagedBackend final : public HaloExchange::Backend {
 public:
  StagedBackend(const Lattice& lattice, const FaceBuffers& buffers)
      : execution_(lattice.execution()),
        buffers_(buffers),
        outgoing_("kaon::HaloExchange outgoing", buffers.size()),
        incoming_("kaon::HaloExchange incoming", buffers.size()),
        host_outgoing_("kaon::HaloExchange host outgoing", buffers.size()),
        host_incoming_("kaon::HaloExchange host incoming", buffers.size()),
        exchange_(exchange_faces(lattice, buffers, host_outgoing_.data(), host_incoming_.data())) {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
    copies_ = Execution(stream_);
  }
  ~StagedBackend() override {
    copies_ = Execution();
    (void)cudaStreamDestroy(stream_);
  }

  void* outgoing(int face) const override { return outgoing_.data() + buffers_.offset(face); }
  const void* incoming(int face) const override { return incoming_.data() + buffers_.offset(face); }

  void start() override {
    packed_.record(execution_);
    packed_.hold(copies_);
    check(cudaMemcpyAsync(host_outgoing_.data(), outgoing_.data(), buffers_.size(), cudaMemcpyDeviceToHost, stream_),
          "copying halos to the host");
    copied_.record(copies_);
  }
  void finish() override {
    copied_.wait();
    exchange_->start();
    exchange_->finish();
    check(cudaMemcpyAsync(incoming_.data(), host_incoming_.data(), buffers_.size(), cudaMemcpyHostToDevice, stream_),
          "copying halos to the device");
    copied_.record(copies_);
    copied_.hold(execution_);
  }

 private:
  using PinnedMemory = Kokkos::CudaHostPinnedSpace;
  Execution execution_;
  FaceBuffers buffers_;
  Kokkos::View<std::byte*, Memory> outgoing_, incoming_;
  Kokkos::View<std::byte*, PinnedMemory> host_outgoing_, host_incoming_;
  std::unique_ptr<Exchange> exchange_;
  cudaStream_t stream_ = nullptr;
  Execution copies_;
  Mark packed_, copied_;
};

/// Memory of a neighbour's GPU, as it is offered to others.
struct Offer {
  std::uint64_t node;
  cudaIpcMemHandle_t handle;
};

/// Tells processes of one node from those of others.
std::uint64_t node_number() {
  std::string id;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> id;
  std::uint64_t hash = 14695981039346656037ULL;  // FNV-1a
  for (const char letter : id) hash = (hash ^ static_cast<unsigned char>(letter)) * 1099511628211ULL;
  return hash;
}

/// A piece of memory on the GPU of each process of a lattice that its neighbours can write to.
class SharedMemory {
 public:
  SharedMemory(const Lattice& lattice, std::size_t bytes) : rank_(lattice.communicator().rank()) {
    void* memory = nullptr;
    check(cudaMalloc(&memory, bytes), "allocating halos");
    check(cudaMemset(memory, 0, bytes), "clearing halos");
    check(cudaDeviceSynchronize(), "clearing halos");
    local_ = static_cast<std::byte*>(memory);
    Offer mine{node_number(), {}};
    bool failed = cudaIpcGetMemHandle(&mine.handle, local_) != cudaSuccess;
    std::array<Offer, faces> sent, received{};
    sent.fill(mine);
    std::vector<Message> sends, receives;
    for (int face = 0; face < faces; ++face) {
      if (!lattice.is_partitioned(static_cast<std::size_t>(face / 2))) continue;
      // What comes through a face comes from where this process sends to through the opposite one.
      const auto k = static_cast<std::size_t>(face);
      sends.push_back({&sent[k], sizeof(Offer), receives_from(lattice, face), face});
      receives.push_back({&received[k], sizeof(Offer), sends_to(lattice, face), face});
    }
    const auto exchange = lattice.communicator().make_exchange(sends, receives);
    exchange->start();
    exchange->finish();
    for (int face = 0; face < faces; ++face) {
      if (!lattice.is_partitioned(static_cast<std::size_t>(face / 2))) continue;
      const int peer = sends_to(lattice, face);
      if (peer == rank_ || opened_.count(peer) > 0) continue;
      const Offer& offer = received[static_cast<std::size_t>(face)];
      void* remote = nullptr;
      if (offer.node != mine.node ||
          cudaIpcOpenMemHandle(&remote, offer.handle, cudaIpcMemLazyEnablePeerAccess) != cudaSuccess) {
        failed = true;
        continue;
      }
      opened_[peer] = static_cast<std::byte*>(remote);
    }
    (void)cudaGetLastError();
    reachable_ = !lattice.communicator().any(failed);
  }
  ~SharedMemory() {
    for (const auto& [peer, remote] : opened_) (void)cudaIpcCloseMemHandle(remote);
    (void)cudaFree(local_);
  }
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  bool reachable() const { return reachable_; }
  std::byte* local() const { return local_; }
  std::byte* of(int peer) const { return peer == rank_ ? local_ : opened_.at(peer); }

 private:
  int rank_;
  std::byte* local_ = nullptr;
  std::map<int, std::byte*> opened_;
  bool reachable_ = false;
};

/// Tells the neighbours, flag by flag, that all that came before on this stream is in their memory.
struct Flags {
  std::uint32_t* flag[faces];
};
__global__ void raise_flags(Flags flags, std::uint32_t turn) {
  std::uint32_t* const flag = flags.flag[threadIdx.x];
  if (flag == nullptr) return;
  __threadfence_system();
  asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(flag), "r"(turn) : "memory");
}
/// Waits until the neighbours have said so.
__global__ void wait_for_flags(Flags flags, std::uint32_t turn) {
  std::uint32_t* const flag = flags.flag[threadIdx.x];
  if (flag == nullptr) return;
  std::uint32_t seen = 0;
  do {
    asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
  } while (static_cast<std::int32_t>(seen - turn) < 0);
}

/// Kernels write into the neighbours' memory, and raise a flag there. Two buffers in turn: whoever has seen a
/// neighbour's flag of one turn knows that the neighbour is done with the turn before, so that its buffer is free.
class PeerBackend final : public HaloExchange::Backend {
 public:
  PeerBackend(const Lattice& lattice, const FaceBuffers& buffers)
      : execution_(lattice.execution()), buffers_(buffers), memory_(lattice, 2 * buffers.size() + flag_bytes) {
    require(memory_.reachable(), "not every neighbour's GPU can be reached: use another transport");
    for (int face = 0; face < faces; ++face) {
      const auto k = static_cast<std::size_t>(face);
      peer_[k] = buffers.bytes(face) == 0 ? nullptr : memory_.of(sends_to(lattice, face));
      mine_.flag[k] = buffers.bytes(face) == 0 ? nullptr : flags(memory_.local()) + face;
      theirs_.flag[k] = buffers.bytes(face) == 0 ? nullptr : flags(peer_[k]) + face;
    }
  }

  void* outgoing(int face) const override { return peer_[static_cast<std::size_t>(face)] + place(face, turn_); }
  const void* incoming(int face) const override { return memory_.local() + place(face, turn_ - 1); }

  void start() override {
    raise_flags<<<1, faces, 0, execution_.cuda_stream()>>>(theirs_, turn_);
    check(cudaGetLastError(), "raise_flags");
  }
  void finish() override {
    wait_for_flags<<<1, faces, 0, execution_.cuda_stream()>>>(mine_, turn_);
    check(cudaGetLastError(), "wait_for_flags");
    ++turn_;
  }

 private:
  static constexpr std::size_t flag_bytes = faces * sizeof(std::uint32_t);
  std::size_t place(int face, std::uint32_t turn) const {
    return buffers_.offset(face) + (turn % 2 == 0 ? 0 : buffers_.size());
  }
  std::uint32_t* flags(std::byte* memory) const {
    return reinterpret_cast<std::uint32_t*>(memory + 2 * buffers_.size());
  }

  Execution execution_;
  FaceBuffers buffers_;
  SharedMemory memory_;
  std::array<std::byte*, faces> peer_{};
  Flags mine_, theirs_;
  std::uint32_t turn_ = 1;
};

}  // namespace

bool peers_are_reachable(const Lattice& lattice) { return SharedMemory(lattice, 256).reachable(); }

std::unique_ptr<HaloExchange::Backend> make_staged_backend(const Lattice& lattice, const FaceBuffers& buffers) {
  return std::make_unique<StagedBackend>(lattice, buffers);
}
std::unique_ptr<HaloExchange::Backend> make_peer_backend(const Lattice& lattice, const FaceBuffers& buffers) {
  return std::make_unique<PeerBackend>(lattice, buffers);
}

}  // namespace kaon::detail
