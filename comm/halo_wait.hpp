// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "comm/halo_exchange.hpp"

namespace kaon::detail {

/// Lets all kernels that come next on `execution`, the lattice's instance, find there what every neighbour has sent in
/// the exchange that was finished last. Kernels that wait for the flags of all faces themselves (`HaloFlags`) need it
/// not; those that read some faces only do: the next exchange relies on every flag having been seen.
void wait_for_halos(const HaloExchange& exchange, const Execution& execution);

}  // namespace kaon::detail
