// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace kaon::perf {

/// Memory of this process in Kokkos' views, as Kokkos reports it to tools.
struct Memory {
  std::int64_t now = 0;   ///< bytes
  std::int64_t peak = 0;  ///< the most since `reset_peak`

  /// Counts from here on. Does nothing while a tool of the user is loaded: the numbers then remain zero.
  static void watch();
  static Memory& instance();
  void reset_peak() { peak = now; }
};

}  // namespace kaon::perf
