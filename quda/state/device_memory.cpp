// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quda/client/call.hpp"
#include "quda/state/state.hpp"

#include <Kokkos_Core.hpp>

#include <cstddef>

// QUDA's pools of device memory, which PyQUDA's allocators take from: names and types are theirs.

namespace quda::pool {

[[gnu::visibility("default")]] void* device_malloc_(const char*, const char*, int, std::size_t size) {
  return kaon::quda::call("device_malloc", [&] {
    kaon::quda::state().require_running();
    return Kokkos::kokkos_malloc<kaon::Memory>("kaon::quda_client", size);
  });
}

[[gnu::visibility("default")]] void device_free_(const char*, const char*, int, void* pointer) {
  kaon::quda::call("device_free", [&] { Kokkos::kokkos_free<kaon::Memory>(pointer); });
}

}  // namespace quda::pool
