// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "operators/stencil/halo_way.hpp"

#include "comm/network.hpp"
#include "operators/test_seams.hpp"

#include <map>
#include <mutex>
#include <optional>
#include <tuple>
#include <vector>

namespace kaon::detail {

namespace {
std::optional<bool> forced_halo_first;
}  // namespace

ForcedHaloOrder::ForcedHaloOrder(bool halo_first) { forced_halo_first = halo_first; }
ForcedHaloOrder::~ForcedHaloOrder() { forced_halo_first.reset(); }

HaloWay halo_way(StencilHalo& halo, const Lattice& lattice, const TuningKey& key,
                 const std::function<LaunchShape()>& best_shape, const HaloRehearsal& rehearse) {
  Tuner& tuner = Tuner::instance();
  const bool standard = halo.exchange().works_within_kernels();
  if (forced_halo_first) return {.first = *forced_halo_first};
  if (!tuner.is_on()) return {.first = standard};
  LaunchShape chosen;
  if (const auto found = tuner.find(key)) {
    chosen = *found;
  } else {
    const LaunchShape shape = best_shape();
    std::vector<LaunchShape> ways(on_device ? 3 : 2, shape);
    ways[0].halo_first = standard;
    ways[1].halo_first = !standard;
    if (on_device) ways[2].halo_first = ways[2].edges_last = true;
    chosen = tuner.choose(key, ways, lattice.communicator(), lattice.execution(),
                          [&](const auto& time) { rehearse(time, shape); });
  }
  return {.first = chosen.halo_first, .edges_last = chosen.edges_last};
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
