// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "comm/halo_exchange.hpp"

namespace kaon::detail {

/// Waits, on `execution`, the lattice's instance, for the halos of all faces of the last exchange. Call it before
/// kernels that read some faces only: the next exchange may overwrite a buffer as soon as all flags of this one have
/// been seen. Kernels that read all faces wait for all flags themselves (`HaloFlags`).
void wait_for_halos(const HaloExchange& exchange, const Execution& execution);

}  // namespace kaon::detail
