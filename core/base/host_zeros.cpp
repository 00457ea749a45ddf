// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/base/host_zeros.hpp"

#include <sys/mman.h>

#include <cstdint>

namespace kaon::detail {
namespace {

constexpr std::size_t huge_page = std::size_t{1} << 21;

/// Writes to each page of new memory, so that the system provides it.
void touch(void* memory, std::size_t bytes) {
  char* const begin = static_cast<char*>(memory);
  [[maybe_unused]] const std::size_t before = -reinterpret_cast<std::uintptr_t>(begin) % huge_page;
#if defined(MADV_HUGEPAGE)
  if (bytes > before) ::madvise(begin + before, bytes - before, MADV_HUGEPAGE);  // an advice: failures do not matter
#endif
  constexpr std::size_t page = 4096;  // the smallest one of any system
#pragma omp parallel for
  for (std::size_t at = 0; at < bytes; at += page) const_cast<volatile char&>(begin[at]) = 0;
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
