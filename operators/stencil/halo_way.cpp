// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "operators/stencil/halo_way.hpp"

#include "comm/network.hpp"
#include "operators/test_seams.hpp"

#include <map>
#include <mutex>
#include <optional>
#include <tuple>

namespace kaon::detail {

namespace {
std::optional<bool> forced_halo_first;
}  // namespace

ForcedHaloOrder::ForcedHaloOrder(bool halo_first) { forced_halo_first = halo_first; }
ForcedHaloOrder::~ForcedHaloOrder() { forced_halo_first.reset(); }

LaunchShape HaloWays::as_forced(LaunchShape shape) const {
  if (!exists_ || !forced_halo_first) return shape;
  shape.halo_first = *forced_halo_first;
  shape.edges_last = false;
  return shape;
}

std::vector<LaunchShape> HaloWays::ways(const LaunchShape& shape) {
  std::vector<LaunchShape> ways(on_device ? 3 : 2, shape);
  for (LaunchShape& way : ways) way.halo_first = way.edges_last = false;
  ways[0].halo_first = true;
  if (on_device) ways[2].halo_first = ways[2].edges_last = true;
  return ways;
}

std::string_view halo_label(const Lattice& lattice, Transport transport, const std::string& kernel) {
  using Case = std::tuple<const std::string*, Transport, unsigned, std::string>;
  static std::mutex mutex;
  static std::map<Case, std::string> labels;
  unsigned cut = 0;
  for (unsigned mu = 0; mu < 4; ++mu) cut |= static_cast<unsigned>(lattice.is_partitioned(mu)) << mu;
  const auto network = network_of(lattice.communicator());
  const std::string emulated = network == nullptr ? "" : "_emulated_" + network->name;
  const std::lock_guard lock(mutex);
  const auto [kept, is_new] = labels.try_emplace(Case(&kernel, transport, cut, emulated));
  if (is_new) {
    std::string& label = kept->second = kernel + "_" + to_string(transport) + emulated + "_";
    for (unsigned mu = 0; mu < 4; ++mu) {
      if ((cut >> mu & 1) != 0) label += "xyzt"[mu];
    }
  }
  return kept->second;
}

}  // namespace kaon::detail
