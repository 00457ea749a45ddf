// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "comm/halo_backend.hpp"

#include <kaon/core/error.hpp>

namespace kaon::detail {

// What only GPUs need, in builds for the host.

Mark::Mark() = default;
Mark::~Mark() = default;
void Mark::record(const Execution&) {}
void Mark::wait() const {}
void Mark::hold(const Execution&) const {}

bool peers_are_reachable(const Lattice&) { return false; }

std::unique_ptr<HaloExchange::Backend> make_staged_backend(const Lattice&, const FaceBuffers&) {
  throw Error("fields on the host have no need to be staged: use Transport::host");
}
std::unique_ptr<HaloExchange::Backend> make_peer_backend(const Lattice&, const FaceBuffers&) {
  throw Error("fields on the host cannot be reached by neighbours: use Transport::host");
}

}  // namespace kaon::detail
