// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "comm/halo_backend.hpp"
#include "comm/processes.hpp"
#include "comm/shared_memory.hpp"

#include <kaon/comm/transport.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace kaon::detail {
namespace {

/// Memory of a GPU, as it is offered to other processes.
struct Offer {
  std::uint64_t node;
  cudaUUID_t device;
  cudaIpcMemHandle_t handle;
};

/// The GPU of this process, if CUDA reports it. Reading its properties takes longer than all else here.
std::optional<cudaUUID_t> find_device() {
  int device = 0;
  cudaDeviceProp properties;
  if (cudaGetDevice(&device) != cudaSuccess || cudaGetDeviceProperties(&properties, device) != cudaSuccess) return {};
  return properties.uuid;
}

/// Memory of objects that are gone, by groups of processes. Others of the group may still have mapped it, so that it is
/// freed when all have come to the next one.
std::vector<void*>& retired(int group) {
  static std::map<int, std::vector<void*>> memory;
  return memory[group];
}

void free_retired(const Communicator& communicator) {
  communicator.barrier();
  for (void* memory : retired(communicator.group())) (void)cudaFree(memory);
  retired(communicator.group()).clear();
}

}  // namespace

SharedMemory::SharedMemory(const Communicator& communicator, const std::set<int>& peers, std::size_t bytes)
    : rank_(communicator.rank()), group_(communicator.group()) {
  free_retired(communicator);
  void* memory = nullptr;
  Offer mine{node_number(), {}, {}};
  static const std::optional<cudaUUID_t> device = find_device();
  bool failed = cudaMalloc(&memory, bytes) != cudaSuccess;
  local_ = static_cast<std::byte*>(memory);
  failed = failed || cudaMemset(memory, 0, bytes) != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess || !device ||
           cudaIpcGetMemHandle(&mine.handle, local_) != cudaSuccess;
  if (device) mine.device = *device;
  std::map<int, Offer> received;
  std::vector<Message> sends, receives;
  for (const int peer : peers) {
    sends.push_back({&mine, sizeof(Offer), peer, 0});
    receives.push_back({&received[peer], sizeof(Offer), peer, 0});
  }
  const auto exchange = communicator.make_exchange(sends, receives);
  exchange->start();
  exchange->finish();
  for (const auto& [peer, offer] : received) {
    void* remote = nullptr;
    if (failed || offer.node != mine.node || std::memcmp(&offer.device, &mine.device, sizeof(cudaUUID_t)) == 0 ||
        cudaIpcOpenMemHandle(&remote, offer.handle, cudaIpcMemLazyEnablePeerAccess) != cudaSuccess) {
      failed = true;
      continue;
    }
    opened_[peer] = static_cast<std::byte*>(remote);
  }
  (void)cudaGetLastError();
  reachable_ = !communicator.any(failed);
}

SharedMemory::~SharedMemory() {
  for (const auto& [peer, remote] : opened_) (void)cudaIpcCloseMemHandle(remote);
  retired(group_).push_back(local_);
}

namespace {

std::set<int> others(const Communicator& communicator) {
  std::set<int> ranks;
  for (int rank = 0; rank < communicator.size(); ++rank) {
    if (rank != communicator.rank()) ranks.insert(rank);
  }
  return ranks;
}

class PeerSums final : public KernelSums {
 public:
  explicit PeerSums(const Lattice& lattice)
      : execution_(lattice.execution()),
        memory_(lattice.communicator(), others(lattice.communicator()),
                ProcessSums::words(lattice.communicator().size()) * sizeof(ProcessSums::Word)) {
    sums_.processes = lattice.communicator().size();
    sums_.rank = lattice.communicator().rank();
    for (int rank = 0; reachable() && rank < sums_.processes; ++rank) {
      sums_.mail[rank] = reinterpret_cast<ProcessSums::Word*>(memory_.of(rank));
    }
  }
  ~PeerSums() override { execution_.fence("kaon::PeerSums"); }

  bool reachable() const { return memory_.reachable(); }
  ProcessSums next_generation() override {
    ++sums_.generation;
    return sums_;
  }

 private:
  Execution execution_;
  SharedMemory memory_;
  ProcessSums sums_;
};

}  // namespace

std::shared_ptr<KernelSums> make_peer_sums(const Lattice& lattice) {
  const int processes = lattice.communicator().size();
  if (processes == 1 || processes > ProcessSums::most_processes) return nullptr;
  if (choose_transport(lattice) != Transport::peer) return nullptr;
  auto sums = std::make_shared<PeerSums>(lattice);
  return sums->reachable() ? sums : nullptr;
}

}  // namespace kaon::detail
