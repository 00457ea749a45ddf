// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "comm/processes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <thread>
#include <vector>
#if defined(__linux__)
#include <sched.h>
#endif
#if defined(_OPENMP)
#include <omp.h>
#endif

namespace kaon::detail {

bool threads_are_bound() {
#if defined(_OPENMP)
  return omp_get_proc_bind() != omp_proc_bind_false && omp_get_num_places() > 0;
#else
  return false;
#endif
}

#if defined(__linux__)

namespace {

/// The cores of the process: those of all places if OpenMP binds threads. The system then knows the place of this
/// thread alone, with GCC's library before main() starts.
cpu_set_t cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
#if defined(_OPENMP)
  if (threads_are_bound()) {
    for (int place = 0; place < omp_get_num_places(); ++place) {
      std::vector<int> of_place(static_cast<std::size_t>(omp_get_place_num_procs(place)));
      omp_get_place_proc_ids(place, of_place.data());
      for (const int core : of_place) CPU_SET(static_cast<std::size_t>(core), &set);
    }
    return set;
  }
#endif
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

NodeShare share_of(std::span<const ProcessPlace> places, std::size_t rank, int cores) {
  NodeShare share{.size = 0, .cores = cores, .sharing = 0};
  const ProcessPlace& mine = places[rank];
  for (std::size_t k = 0; k < places.size(); ++k) {
    if (places[k].node != mine.node) continue;
    ++share.size;
    if (k < rank) ++share.rank;
    if (places[k].cores == mine.cores) ++share.sharing;
  }
  return share;
}

std::string crowded_cores(int threads, const NodeShare& share) {
  if (share.bound && share.sharing > 1) {
    return fmt::format(
        "OpenMP binds the threads of {} processes to the same cores, where they wait for one another. Bind each "
        "process "
        "to cores of its own, or leave OMP_PROC_BIND and OMP_PLACES unset",
        share.sharing);
  }
  if (threads < 2 || threads * share.sharing <= share.cores) return {};
  const std::string cores = share.cores == 1 ? "1 core" : fmt::format("{} cores", share.cores);
  const std::string crowd =
      share.sharing == 1 ? fmt::format("{} threads run on {}", threads, cores)
                         : fmt::format("{} processes with {} threads each share {}", share.sharing, threads, cores);
  return fmt::format(
      "{} and wait for one another. Bind the process to more cores (mpirun --map-by numa --bind-to numa with Open "
      "MPI), or set OMP_NUM_THREADS={}",
      crowd, std::max(1, share.cores / share.sharing));
}

}  // namespace kaon::detail
