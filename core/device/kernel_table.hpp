// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/execution.hpp>

#include <string>
#include <vector>

namespace kaon::detail {

/// A copy of `values` in the memory of the kernels.
inline Kokkos::View<int*, Memory> kernel_table(const std::string& label, const std::vector<int>& values) {
  Kokkos::View<int*, Memory> table(label, values.size());
  Kokkos::deep_copy(table, Kokkos::View<const int*, Kokkos::HostSpace>(values.data(), values.size()));
  return table;
}

}  // namespace kaon::detail
