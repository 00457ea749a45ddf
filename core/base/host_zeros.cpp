// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/base/host_zeros.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace kaon::detail {
namespace {

constexpr std::size_t huge_page = std::size_t{1} << 21;

/// Writes zeros to new memory, so that the system provides its pages.
void touch(void* memory, std::size_t bytes) {
  char* const begin = static_cast<char*>(memory);
  [[maybe_unused]] const std::size_t before = -reinterpret_cast<std::uintptr_t>(begin) % huge_page;
#if defined(MADV_HUGEPAGE)
  if (bytes > before) ::madvise(begin + before, bytes - before, MADV_HUGEPAGE);  // an advice: failures do not matter
#endif
  const std::size_t pages = (bytes + huge_page - 1) / huge_page;
#pragma omp parallel for
  for (std::size_t page = 0; page < pages; ++page) {
    const std::size_t at = page * huge_page;
    std::memset(begin + at, 0, std::min(huge_page, bytes - at));
  }
}

}  // namespace

std::vector<std::complex<double>> host_zeros(std::size_t count) {
  std::vector<std::complex<double>> values;
  values.reserve(count);
  const std::size_t bytes = count * sizeof values[0];
  if (bytes > 4 * huge_page) touch(values.data(), bytes);
  values.resize(count);
  return values;
}

}  // namespace kaon::detail
