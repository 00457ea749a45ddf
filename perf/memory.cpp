// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "perf/memory.hpp"

#include <Kokkos_Core.hpp>

#include <algorithm>

namespace kaon::perf {

Memory& Memory::instance() {
  static Memory memory;
  return memory;
}

void Memory::watch() {
  if (Kokkos::Tools::profileLibraryLoaded()) return;
  Kokkos::Tools::Experimental::set_allocate_data_callback(
      [](Kokkos_Profiling_SpaceHandle, const char*, const void*, std::uint64_t size) {
        Memory& memory = instance();
        memory.now += static_cast<std::int64_t>(size);
        memory.peak = std::max(memory.peak, memory.now);
      });
  Kokkos::Tools::Experimental::set_deallocate_data_callback(
      [](Kokkos_Profiling_SpaceHandle, const char*, const void*, std::uint64_t size) {
        instance().now -= static_cast<std::int64_t>(size);
      });
}

}  // namespace kaon::perf
