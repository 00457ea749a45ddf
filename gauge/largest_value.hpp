// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/reductions/ordered_sum.hpp"

namespace kaon::detail {

struct LargestKernel {
  EntryValues values;
  int quantity;
  KOKKOS_FUNCTION void operator()(const int entry, double& largest) const {
    largest = Kokkos::max(largest, values(quantity, entry));
  }
};

/// The largest value of a quantity without NaN. Collective.
inline double largest_value(const char* label, const Lattice& lattice, const EntryValues& values, int quantity) {
  double largest = 0.0;
  Kokkos::parallel_reduce(label,
                          Kokkos::RangePolicy<Execution>(lattice.execution(), 0, static_cast<int>(values.extent(1))),
                          LargestKernel{values, quantity}, Kokkos::Max<double>(largest));
  return lattice.communicator().maximum(largest);
}

}  // namespace kaon::detail
