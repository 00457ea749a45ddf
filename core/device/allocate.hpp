// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/execution.hpp>

#include <cstddef>
#include <exception>
#include <string>
#include <vector>

namespace kaon::detail {

/// Asks the operating system for large pages (Linux; elsewhere and on failure nothing happens). A hop runs through some
/// twenty streams of memory at once: with pages of 4 KiB the processor spends its time looking up addresses.
void advise_large_pages(void* memory, std::size_t bytes);

/// Memory that is cached for later. All of it is freed when an allocation fails, on any thread: an object has a lock
/// for its memory.
class SpareMemory {
 public:
  SpareMemory(const SpareMemory&) = delete;
  SpareMemory& operator=(const SpareMemory&) = delete;

  /// Frees unused memory, when no kernel uses it any more. Called by any thread.
  virtual void release() = 0;
  /// Frees the save memory of all objects.
  static void release_all();

 protected:
  SpareMemory() = default;
  virtual ~SpareMemory() = default;

  /// During its lifetime threads may call `release` of its owner. It must be the last member of each derived class.
  class Offer {
   public:
    explicit Offer(SpareMemory& owner);
    ~Offer();
    Offer(const Offer&) = delete;
    Offer& operator=(const Offer&) = delete;

   private:
    SpareMemory& owner_;
  };
};

/// Room for `size` numbers in the memory of the kernels. `properties`: further properties for Kokkos.
template <class T, class... Properties>
Kokkos::View<T*, Memory> allocate(const std::string& label, std::size_t size, const Properties&... properties) {
  const auto attempt = [&] {
    return Kokkos::View<T*, Memory>(Kokkos::view_alloc(properties..., Kokkos::WithoutInitializing, label), size);
  };
  Kokkos::View<T*, Memory> memory;
  try {
    memory = attempt();
  } catch (const std::exception&) {
    SpareMemory::release_all();
    memory = attempt();
  }
  if constexpr (!on_device) advise_large_pages(memory.data(), size * sizeof(T));
  return memory;
}

/// `size` zeros in the memory of the kernels, first written by the threads that will use them.
template <class T>
Kokkos::View<T*, Memory> allocate_zeros(const Execution& execution, const std::string& label, std::size_t size) {
  const Kokkos::View<T*, Memory> memory = allocate<T>(label, size, execution);
  Kokkos::deep_copy(execution, memory, T{});
  return memory;
}

/// A copy of `values` in the memory of the kernels.
inline Kokkos::View<int*, Memory> kernel_table(const std::string& label, const std::vector<int>& values) {
  Kokkos::View<int*, Memory> table(label, values.size());
  Kokkos::deep_copy(table, Kokkos::View<const int*, Kokkos::HostSpace>(values.data(), values.size()));
  return table;
}

}  // namespace kaon::detail
