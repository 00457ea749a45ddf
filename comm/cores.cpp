// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "comm/cores.hpp"

#include <algorithm>
#include <fstream>
#include <functional>
#include <thread>
#if defined(__linux__)
#include <sched.h>
#endif

namespace kaon::detail {

#if defined(__linux__)

namespace {

cpu_set_t cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof set, &set);  // left empty on machines with more than fit in
  return set;
}

}  // namespace

int available_cores() {
  const cpu_set_t set = cores();
  const int count = CPU_COUNT(&set);
  return count > 0 ? count : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

std::string core_mask() {
  const cpu_set_t set = cores();
  return std::string(reinterpret_cast<const char*>(&set), sizeof set);
}

#else

int available_cores() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

std::string core_mask() { return "all"; }

#endif

std::uint64_t node_number() {
  std::string id;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> id;
  return std::hash<std::string>{}(id);
}

}  // namespace kaon::detail
