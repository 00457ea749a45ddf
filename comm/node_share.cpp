// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "comm/processes.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kaon::detail {

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
