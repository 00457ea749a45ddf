// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "comm/halo_backend.hpp"

#include <kaon/core/error.hpp>

namespace kaon::detail {

bool nccl_is_usable(const Lattice&) { return false; }

std::unique_ptr<HaloExchange::Backend> make_nccl_backend(const Lattice&, const FaceBuffers&) {
  throw Error("this kaon was built without NCCL: use another transport");
}

}  // namespace kaon::detail
