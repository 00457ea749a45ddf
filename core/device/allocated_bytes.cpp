// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/device/allocated_bytes.hpp"

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <mutex>
#include <new>
#include <string_view>

namespace kaon::detail {
namespace {

namespace tools = Kokkos::Tools::Experimental;

/// Kokkos calls functions without an object.
struct Counts {
  std::mutex mutex;
  AllocatedBytes::Count fields{}, others{};
  tools::EventSet before{};  // the callbacks of a tool

  void add(const Kokkos_Profiling_SpaceHandle& space, std::int64_t bytes) {
    const std::lock_guard lock(mutex);
    const bool of_fields = std::string_view(space.name) == Kokkos::DefaultExecutionSpace::memory_space::name();
    AllocatedBytes::Count& count = of_fields ? fields : others;
    count.now += bytes;
    count.peak = std::max(count.peak, count.now);
  }
};

Counts& counts() {
  static Counts all;
  return all;
}

void on_allocate(Kokkos_Profiling_SpaceHandle space, const char* label, const void* memory, std::uint64_t bytes) {
  counts().add(space, static_cast<std::int64_t>(bytes));
  if (counts().before.allocate_data != nullptr) counts().before.allocate_data(space, label, memory, bytes);
}

void on_deallocate(Kokkos_Profiling_SpaceHandle space, const char* label, const void* memory, std::uint64_t bytes) {
  counts().add(space, -static_cast<std::int64_t>(bytes));
  if (counts().before.deallocate_data != nullptr) counts().before.deallocate_data(space, label, memory, bytes);
}

}  // namespace

bool lacks_memory(const std::exception& error) {
  return dynamic_cast<const std::bad_alloc*>(&error) != nullptr ||
         std::string_view(error.what()).find("failed to allocate") != std::string_view::npos;
}

AllocatedBytes::AllocatedBytes() {
  counts().fields = counts().others = {};
  counts().before = tools::get_callbacks();
  tools::set_allocate_data_callback(on_allocate);
  tools::set_deallocate_data_callback(on_deallocate);
}

AllocatedBytes::~AllocatedBytes() {
  tools::set_allocate_data_callback(counts().before.allocate_data);
  tools::set_deallocate_data_callback(counts().before.deallocate_data);
}

AllocatedBytes::Count AllocatedBytes::fields() const { return counts().fields; }

AllocatedBytes::Count AllocatedBytes::others() const { return counts().others; }

}  // namespace kaon::detail
