// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/setup/free_memory.hpp"
#include "multigrid/test_seams.hpp"

#include "core/device/allocate.hpp"

#include <kaon/core/error.hpp>
#include <kaon/core/execution.hpp>

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <fstream>
#include <string>

namespace kaon::detail {

namespace {

std::optional<double> pretended;

}  // namespace

PretendedMemory::PretendedMemory(double bytes) { pretended = bytes; }
PretendedMemory::~PretendedMemory() { pretended.reset(); }

std::optional<double> free_memory() {
  if (pretended) return pretended;
#if defined(KOKKOS_ENABLE_CUDA)
  std::size_t free = 0, all = 0;
  if (on_device && cudaMemGetInfo(&free, &all) == cudaSuccess) return static_cast<double>(free);
#endif
  if (on_device) return std::nullopt;
  std::ifstream lines("/proc/meminfo");
  for (std::string name, rest; lines >> name && std::getline(lines, rest);) {
    constexpr double kibibyte = 1024.0;
    if (name == "MemAvailable:") return kibibyte * std::stod(rest);
  }
  return std::nullopt;
}

double missing_bytes(const Lattice& lattice, double bytes) {
  if (bytes > free_memory().value_or(bytes)) SpareMemory::release_all();
  return lattice.communicator().maximum(bytes - free_memory().value_or(bytes));
}

void require_free_memory(const Lattice& lattice, double bytes, const std::function<std::string()>& what,
                         const char* instead) {
  const double missing = missing_bytes(lattice, bytes);
  require(missing <= 0.0, [&] {
    constexpr double giga = 1e-9;
    return fmt::format("{} takes {:.3g} GB, and {:.3g} GB are free: use more processes, {}", what(), giga * bytes,
                       giga * (bytes - missing), instead);
  });
}

int count_in_memory(const Lattice& lattice, double bytes, double bytes_of_one, int least, int most) {
  const double missing = missing_bytes(lattice, bytes + bytes_of_one * most);
  if (missing <= 0.0) return most;
  const double fitting = most - std::ceil(missing / bytes_of_one);
  return fitting > least ? static_cast<int>(fitting) : least;
}

}  // namespace kaon::detail
