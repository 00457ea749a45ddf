// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/execution.hpp>

#include <cstddef>
#include <string>

namespace kaon::detail {

/// Asks the operating system for large pages (Linux; elsewhere and on failure nothing happens). A hop runs through some
/// twenty streams of memory at once: with pages of 4 KiB the processor spends its time looking up addresses.
void advise_large_pages(void* memory, std::size_t bytes);

/// Room for `size` numbers in the memory of the kernels.
template <class T>
Kokkos::View<T*, Memory> allocate(const std::string& label, std::size_t size) {
  const Kokkos::View<T*, Memory> memory(Kokkos::view_alloc(Kokkos::WithoutInitializing, label), size);
  if constexpr (!on_device) advise_large_pages(memory.data(), size * sizeof(T));
  return memory;
}

/// `size` zeros in the memory of the kernels, first written by the threads that will use them.
template <class T>
Kokkos::View<T*, Memory> allocate_zeros(const Execution& execution, const std::string& label, std::size_t size) {
  const Kokkos::View<T*, Memory> memory(Kokkos::view_alloc(execution, Kokkos::WithoutInitializing, label), size);
  if constexpr (!on_device) advise_large_pages(memory.data(), size * sizeof(T));
  Kokkos::deep_copy(execution, memory, T{});
  return memory;
}

}  // namespace kaon::detail
