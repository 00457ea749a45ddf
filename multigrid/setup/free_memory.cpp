// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/setup/free_memory.hpp"
#include "multigrid/test_seams.hpp"

#include "core/device/allocate.hpp"

#include <kaon/core/execution.hpp>

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
  double missing[] = {bytes - free_memory().value_or(bytes)};
  lattice.communicator().maximum(missing);
  return missing[0];
}

}  // namespace kaon::detail
