// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "comm/halo_backend.hpp"
#include "comm/network.hpp"
#include "comm/shared_memory.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <set>
#include <vector>

namespace kaon::detail {
namespace {

void check(cudaError_t status, const char* what) {
  require(status == cudaSuccess, [&] { return fmt::format("{} failed: {}", what, cudaGetErrorString(status)); });
}

}  // namespace

SideInstance::SideInstance(const Execution& main) : main_(main) {
  // Work that others wait for goes first where both instances have some.
  int lowest = 0, highest = 0;
  check(cudaDeviceGetStreamPriorityRange(&lowest, &highest), "cudaDeviceGetStreamPriorityRange");
  cudaStream_t stream;
  check(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, highest), "cudaStreamCreate");
  cudaEvent_t event;
  check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreate");
  stream_ = stream;
  event_ = event;
  side_ = Execution(stream);
}
SideInstance::~SideInstance() {
  side_.fence("kaon::SideInstance");
  side_ = Execution();
  (void)cudaEventDestroy(static_cast<cudaEvent_t>(event_));
  (void)cudaStreamDestroy(static_cast<cudaStream_t>(stream_));
}
void SideInstance::follow() {
  check(cudaEventRecord(static_cast<cudaEvent_t>(event_), main_.cuda_stream()), "cudaEventRecord");
  check(cudaStreamWaitEvent(side_.cuda_stream(), static_cast<cudaEvent_t>(event_), 0), "cudaStreamWaitEvent");
}
void SideInstance::lead() {
  check(cudaEventRecord(static_cast<cudaEvent_t>(event_), side_.cuda_stream()), "cudaEventRecord");
  check(cudaStreamWaitEvent(main_.cuda_stream(), static_cast<cudaEvent_t>(event_), 0), "cudaStreamWaitEvent");
}
void SideInstance::wait() { check(cudaStreamSynchronize(side_.cuda_stream()), "packing halos"); }

namespace {

/// Runs on one thread, concurrently with all other kernels.
__global__ void spin(long long cycles) {
  const long long start = clock64();
  while (clock64() - start < cycles) {
  }
}

/// The fastest that a multiprocessor counts: where its clock is slower, a wait is longer, never shorter.
double cycles_per_second() {
  int device = 0, kilohertz = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, device), "cudaDeviceGetAttribute");
  return 1e3 * kilohertz;
}

}  // namespace

std::int64_t cycles_of(double seconds) {
  static const double frequency = cycles_per_second();
  return static_cast<std::int64_t>(seconds * frequency);
}

void stall(const Execution& execution, double seconds) {
  spin<<<1, 1, 0, execution.cuda_stream()>>>(cycles_of(seconds));
  check(cudaGetLastError(), "spin");
}

namespace {

/// Messages from and to pinned memory of the host, copied there and back beside the kernels of the lattice.
class StagedBackend final : public BufferedBackend {
 public:
  StagedBackend(const Lattice& lattice, const FaceBuffers& buffers)
      : BufferedBackend(lattice, buffers),
        host_outgoing_("kaon::HaloExchange host outgoing", buffers.size()),
        host_incoming_("kaon::HaloExchange host incoming", buffers.size()),
        exchange_(exchange_faces(lattice, buffers, host_outgoing_.data(), host_incoming_.data())) {}

  void start() override { copy(host_outgoing_.data(), outgoing_.data(), cudaMemcpyDeviceToHost); }
  void finish() override {
    side_.wait();
    exchange_->start();
    exchange_->finish();
    copy(incoming_.data(), host_incoming_.data(), cudaMemcpyHostToDevice);
    side_.lead();
  }

 private:
  void copy(void* to, const void* from, cudaMemcpyKind kind) {
    check(cudaMemcpyAsync(to, from, buffers_.size(), kind, side_.execution().cuda_stream()), "copying halos");
  }

  using PinnedMemory = Kokkos::CudaHostPinnedSpace;
  Kokkos::View<std::byte*, PinnedMemory> host_outgoing_, host_incoming_;
  std::unique_ptr<Exchange> exchange_;
};

/// Ranks of the processes with which this one exchanges halos.
std::set<int> neighbors(const Lattice& lattice) {
  std::set<int> ranks;
  for (int face = 0; face < faces; ++face) {
    if (lattice.is_partitioned(static_cast<std::size_t>(face / 2))) ranks.insert(sends_to(lattice, face));
  }
  ranks.erase(lattice.communicator().rank());
  return ranks;
}

/// Informs the neighbours that all writes before on this stream are in their memory.
__global__ void raise_flags(HaloSignals signals) { signals.raise(); }

/// Kernels write into the neighbours' memory, and raise a flag there. Two buffers alternate: a process that has seen a
/// neighbour's flag of one generation knows that the neighbour is done with the generation before, so that its buffer
/// is free.
class PeerBackend final : public HaloExchange::Backend {
 public:
  PeerBackend(const Lattice& lattice, const FaceBuffers& buffers)
      : buffers_(buffers),
        memory_(lattice.communicator(), neighbors(lattice), 2 * buffers.size() + flag_bytes),
        main_(lattice.execution()),
        side_(main_) {
    require(memory_.reachable(), "not every neighbour's GPU can be reached: use another transport");
    for (int face = 0; face < faces; ++face) {
      const auto k = static_cast<std::size_t>(face);
      if (buffers.bytes(face) == 0) continue;
      peer_[k] = memory_.of(sends_to(lattice, face));
      mine_.flag[k] = flag_in(memory_.local(), face);
      theirs_.flag[k] = flag_in(peer_[k], face);
    }
    theirs_.finished = reinterpret_cast<int*>(flag_in(memory_.local(), faces));
    // An emulated network: the kernel that raises the flags waits for as long as the messages travel.
    if (const auto network = network_of(lattice.communicator())) {
      double bytes = 0.0;
      for (int face = 0; face < faces; ++face) bytes += static_cast<double>(buffers.bytes(face));
      theirs_.cycles = cycles_of(network->message_seconds(bytes));
    }
  }
  ~PeerBackend() override { main_.fence("kaon::PeerBackend"); }

  const Execution& packing() override {
    side_.follow();
    return side_.execution();
  }
  void* outgoing(int face) const override {
    std::byte* const peer = peer_[static_cast<std::size_t>(face)];
    return peer == nullptr ? nullptr : peer + offset_of(face);
  }
  void start() override {
    theirs_.generation = generation_;
    raise_flags<<<1, 1, 0, side_.execution().cuda_stream()>>>(theirs_);
    check(cudaGetLastError(), "raise_flags");
  }
  void finish() override {
    side_.lead();
    mine_.generation = generation_++;
  }
  bool works_within_kernels() const override { return teams_have_warps; }
  HaloSignals next_generation() override {
    theirs_.generation = mine_.generation = generation_++;
    return theirs_;
  }
  const void* incoming(int face) const override {
    return memory_.local() + buffers_.offset(face) + (mine_.generation % 2 == 0 ? 0 : buffers_.size());
  }
  HaloFlags flags() const override { return mine_; }

 private:
  static constexpr std::size_t flag_bytes = (faces + 1) * sizeof(std::uint32_t);  // and a counter
  std::size_t offset_of(int face) const { return buffers_.offset(face) + (generation_ % 2 == 0 ? 0 : buffers_.size()); }
  std::uint32_t* flag_in(std::byte* memory, int face) const {
    return reinterpret_cast<std::uint32_t*>(memory + 2 * buffers_.size()) + face;
  }

  FaceBuffers buffers_;
  SharedMemory memory_;
  Execution main_;
  SideInstance side_;  // ends first, with all that writes into the neighbours' memory
  std::array<std::byte*, faces> peer_{};
  HaloFlags mine_;
  HaloSignals theirs_;
  std::uint32_t generation_ = 1;
};

}  // namespace

bool peers_are_reachable(const Lattice& lattice) {
  return SharedMemory(lattice.communicator(), neighbors(lattice), 256).reachable();
}

std::unique_ptr<HaloExchange::Backend> make_staged_backend(const Lattice& lattice, const FaceBuffers& buffers) {
  return std::make_unique<StagedBackend>(lattice, buffers);
}
std::unique_ptr<HaloExchange::Backend> make_peer_backend(const Lattice& lattice, const FaceBuffers& buffers) {
  return std::make_unique<PeerBackend>(lattice, buffers);
}

}  // namespace kaon::detail
