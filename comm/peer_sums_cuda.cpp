// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "comm/peer_sums.hpp"

#include "comm/shared_memory.hpp"

#include <kaon/comm/transport.hpp>

#include <set>

namespace kaon::detail {
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
