// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/reductions/process_sums.hpp"

#include <kaon/core/lattice.hpp>

#include <memory>

namespace kaon::detail {

/// Sums that kernels make by writing into each other's memory; null where halos do not travel in that way, where not
/// every process reaches every other, and on hosts. Collective.
std::shared_ptr<KernelSums> make_peer_sums(const Lattice& lattice);

}  // namespace kaon::detail
