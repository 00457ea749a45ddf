// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/device/allocate.hpp"

#include <cstdint>
#include <mutex>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace kaon::detail {
namespace {

struct AllSpareMemory {
  std::mutex mutex;
  std::vector<SpareMemory*> of;
};

/// Outlives all others: it is never destroyed.
AllSpareMemory& all_spare_memory() {
  static auto* const all = new AllSpareMemory;
  return *all;
}

}  // namespace

SpareMemory::Offer::Offer(SpareMemory& owner) : owner_(owner) {
  AllSpareMemory& all = all_spare_memory();
  const std::lock_guard lock(all.mutex);
  all.of.push_back(&owner);
}

SpareMemory::Offer::~Offer() {
  AllSpareMemory& all = all_spare_memory();
  const std::lock_guard lock(all.mutex);
  std::erase(all.of, &owner_);
}

void SpareMemory::release_all() {
  AllSpareMemory& all = all_spare_memory();
  const std::lock_guard lock(all.mutex);
  if (all.of.empty()) return;
  Kokkos::fence("kaon::SpareMemory");
  for (SpareMemory* spare : all.of) spare->release();
}

void advise_large_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#if defined(__linux__)
  constexpr std::uintptr_t page = 2u << 20;
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t begin = (address + page - 1) / page * page;
  const std::uintptr_t end = (address + bytes) / page * page;
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);  // advice: it may be refused
#endif
}

}  // namespace kaon::detail
