// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace kaon::test {

/// Bytes that Kokkos has allocated and not freed, from now on.
class LiveBytes {
 public:
  LiveBytes() {
    now = 0;
    Kokkos::Tools::Experimental::set_allocate_data_callback(
        [](Kokkos_Profiling_SpaceHandle, const char*, const void*, std::uint64_t size) {
          now += static_cast<std::int64_t>(size);
        });
    Kokkos::Tools::Experimental::set_deallocate_data_callback(
        [](Kokkos_Profiling_SpaceHandle, const char*, const void*, std::uint64_t size) {
          now -= static_cast<std::int64_t>(size);
        });
  }
  ~LiveBytes() {
    Kokkos::Tools::Experimental::set_allocate_data_callback(nullptr);
    Kokkos::Tools::Experimental::set_deallocate_data_callback(nullptr);
  }
  LiveBytes(const LiveBytes&) = delete;
  LiveBytes& operator=(const LiveBytes&) = delete;

  static inline std::int64_t now = 0;
};

}  // namespace kaon::test
