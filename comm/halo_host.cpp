// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "comm/halo_backend.hpp"
#include "comm/network.hpp"

#include <kaon/core/error.hpp>

namespace kaon::detail {

// Functions that only GPUs need, in builds for the host.

SideInstance::SideInstance(const Execution& main) : main_(main), side_(main) {}
SideInstance::~SideInstance() = default;
void SideInstance::follow() {}
void SideInstance::lead() {}
void SideInstance::wait() { main_.fence("kaon::HaloExchange"); }

void stall(const Execution& execution, double seconds) {
  execution.fence("kaon::stall");
  for (const Kokkos::Timer timer; timer.seconds() < seconds;) {
  }
}

std::int64_t cycles_of(double) { return 0; }

bool peers_are_reachable(const Lattice&) { return false; }
std::shared_ptr<KernelSums> make_peer_sums(const Lattice&) { return nullptr; }

std::unique_ptr<HaloExchange::Backend> make_staged_backend(const Lattice&, const FaceBuffers&) {
  throw Error("fields on the host have no need to be staged: use Transport::host");
}
std::unique_ptr<HaloExchange::Backend> make_peer_backend(const Lattice&, const FaceBuffers&) {
  throw Error("fields on the host cannot be reached by neighbours: use Transport::host");
}

}  // namespace kaon::detail
