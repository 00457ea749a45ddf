// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/base/build.hpp"

#include <fmt/format.h>
#include <Kokkos_Core.hpp>

#include <fstream>

namespace kaon::detail {

std::string kaon_version() { return KAON_VERSION; }

std::string kaon_commit() { return KAON_COMMIT; }

std::string compiler() {
#if defined(__NVCC__)
  return fmt::format("nvcc {}.{} with GCC {}", __CUDACC_VER_MAJOR__, __CUDACC_VER_MINOR__, __VERSION__);
#elif defined(__clang__)
  return fmt::format("Clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#elif defined(__GNUC__)
  return fmt::format("GCC {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#else
  return "unknown";
#endif
}

std::string instruction_set() {
#if defined(__AVX512F__)
  return "AVX-512";
#elif defined(__AVX2__)
  return "AVX2";
#elif defined(__AVX__)
  return "AVX";
#elif defined(__SSE2__)
  return "SSE2";
#elif defined(__ARM_FEATURE_SVE)
  return "SVE";
#elif defined(__ARM_NEON)
  return "NEON";
#else
  return "scalar";
#endif
}

#if defined(KOKKOS_ENABLE_CUDA)
std::string device_name() { return Kokkos::Cuda().cuda_device_prop().name; }
#else
/// The processor's name, as Linux reports it.
std::string device_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const auto colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "host processor";
}
#endif

std::string kokkos_version() {
  return fmt::format("{}.{}.{}", KOKKOS_VERSION / 10000, KOKKOS_VERSION / 100 % 100, KOKKOS_VERSION % 100);
}

}  // namespace kaon::detail
