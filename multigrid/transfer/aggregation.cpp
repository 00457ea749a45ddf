// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/transfer/aggregation.hpp"

#include "core/device/allocate.hpp"
#include "core/lanes/lanes.hpp"
#include "core/lattice/geometry.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

namespace kaon::detail {
namespace {

std::size_t index_of(std::ptrdiff_t number) { return static_cast<std::size_t>(number); }

Coordinates first_site(const SiteMap& coarse, const Coordinates& block, int aggregate) {
  int a[4];
  const int parity = aggregate / coarse.sites;
  coarse.coordinates({parity, aggregate - parity * coarse.sites, 0}, a);
  return {a[0] * block[0], a[1] * block[1], a[2] * block[2], a[3] * block[3]};
}

/// W aggregates whose sites lie side by side in lanes, [group][lane], in the order of `ranked`. Empty where
/// virtual nodes do not hold whole aggregates.
std::vector<int> groups_of_lanes(const std::vector<int>& ranked, const std::vector<int>& kinds,
                                 const std::vector<int>& places, int lanes) {
  const std::size_t sites = places.size() / kinds.size();
  std::map<std::pair<int, int>, std::vector<int>> groups;  // of a kind, by the first site's index
  for (const int a : ranked) groups[{places[index_of(a) * sites] / lanes, kinds[index_of(a)]}].push_back(a);
  std::vector<int> result;
  for (const auto& [first, group] : groups) {
    if (group.size() != index_of(lanes)) return {};
    for (std::size_t lane = 0; lane < group.size(); ++lane) {
      for (std::size_t site = 0; site < sites; ++site) {
        const int place = places[index_of(group[0]) * sites + site];
        if (place % lanes != 0) return {};
        if (places[index_of(group[lane]) * sites + site] != place + static_cast<int>(lane)) return {};
      }
    }
    result.insert(result.end(), group.begin(), group.end());
  }
  return result;
}

int parity_of(const SiteMap& map, const Coordinates& x) { return map.parity({x[0], x[1], x[2], x[3]}); }

}  // namespace

std::vector<Coordinates> sites_of_aggregate(const Coordinates& block, int kind, int parities) {
  std::vector<Coordinates> sites;
  for (int parity = 0; parity < parities; ++parity) {
    for (std::ptrdiff_t k = 0; k < volume_of(block); ++k) {
      const Coordinates x = lexicographic_site(k, block);
      if (parities == 1 || (x[0] + x[1] + x[2] + x[3] + kind) % 2 == parity) sites.push_back(x);
    }
  }
  return sites;
}

Aggregation::Aggregation(const Lattice& fine, const Coordinates& block)
    : fine_(fine), block_(block), coarse_(fine.coarsened(block)) {
  const SiteMap map = SiteMap::of<float>(fine_), coarse_map = SiteMap::of<float>(coarse_);
  std::vector<int> kinds;
  for (std::ptrdiff_t a = 0; a < coarse_.local_volume(); ++a) {
    kinds.push_back(parity_of(map, first_site(coarse_map, block_, static_cast<int>(a))));
  }
  sites_.aggregates = static_cast<int>(coarse_.local_volume());
  sites_.sites = static_cast<int>(volume_of(block_));
  make_lists(kinds);
  make_places(kinds);
  sites_.kinds = kinds_.data();
  sites_.lists = lists_.data();
  sites_.places = places_.data();
  sites_.owners = owners_.data();
  sites_.order = order_.data();
  sites_.groups = groups_.data();
}

void Aggregation::make_lists(const std::vector<int>& kinds) {
  std::vector<int> lists;
  for (int list = 0; list <= directions; ++list) {
    for (const int kind : {0, 1}) {
      const std::vector<Coordinates> sites = sites_of_aggregate(block_, kind, fine_.parities());
      std::vector<int> numbers(sites.size());
      std::iota(numbers.begin(), numbers.end(), 0);
      if (list > 0) {
        const std::size_t mu = index_of(list - 1);
        std::stable_partition(numbers.begin(), numbers.end(),
                              [&](int site) { return sites[index_of(site)][mu] < block_[mu] - 1; });
      }
      lists.insert(lists.end(), numbers.begin(), numbers.end());
    }
  }
  kinds_ = kernel_table("kaon::Aggregation", kinds);
  lists_ = kernel_table("kaon::Aggregation", lists);
}

void Aggregation::make_places(const std::vector<int>& kinds) {
  const SiteMap map = SiteMap::of<float>(fine_), coarse_map = SiteMap::of<float>(coarse_);
  const int lanes = fine_.lane_count<float>(), of_parity = map.sites * lanes;
  sites_.lane_shift = std::countr_zero(static_cast<unsigned>(lanes));
  std::array<std::vector<Coordinates>, 2> of_kind;
  for (const int kind : {0, 1}) {
    of_kind[index_of(kind)] = sites_of_aggregate(block_, kind, map.parities);
    sites_.even_sites[kind] = map.parities == 1 ? sites_.sites : (sites_.sites + 1 - kind) / 2;
  }
  std::vector<int> places, owners(index_of(fine_.local_volume()));
  std::vector<std::pair<int, int>> order;  // the place of an aggregate's first site, and its number
  for (int a = 0; a < sites_.aggregates; ++a) {
    const Coordinates first = first_site(coarse_map, block_, a);
    const auto place_of = [&](const Coordinates& y) {
      return map.place({first[0] + y[0], first[1] + y[1], first[2] + y[2], first[3] + y[3]});
    };
    for (const Coordinates& y : of_kind[index_of(kinds[index_of(a)])]) {
      const Place place = place_of(y);
      const int number = place.index * lanes + place.lane;
      owners[index_of(place.parity * of_parity + number)] = static_cast<int>(places.size());
      places.push_back(number);
    }
    const Place place = place_of({0, 0, 0, 0});
    order.emplace_back(place.index * lanes + place.lane, a);
  }
  std::sort(order.begin(), order.end());
  std::vector<int> ranked;
  for (const auto& [place, aggregate] : order) ranked.push_back(aggregate);

  places_ = kernel_table("kaon::Aggregation", places);
  owners_ = kernel_table("kaon::Aggregation", owners);
  order_ = kernel_table("kaon::Aggregation", ranked);
  if (lanes > 1 && lanes == native_lanes<float>) {
    const std::vector<int> groups = groups_of_lanes(ranked, kinds, places, lanes);
    if (!groups.empty()) groups_ = kernel_table("kaon::Aggregation", groups);
  }
}

SiteRange Aggregation::sites_of(Subset subset) const {
  const int sites = sites_.sites;
  const auto& even = sites_.even_sites;
  switch (subset) {
    case Subset::even:
      return {0, {0, 0}, {even[0], even[1]}};
    case Subset::odd:
      return {0, {even[0], even[1]}, {sites - even[0], sites - even[1]}};
    case Subset::full:
      break;
  }
  return {0, {0, 0}, {sites, sites}};
}

SiteRange Aggregation::inside(int mu) const {
  const std::size_t m = index_of(mu);
  const int sites = sites_.sites;
  const int count = coarse_.extents()[m] == 1 ? sites : sites / block_[m] * (block_[m] - 1);
  return {1 + mu, {0, 0}, {count, count}};
}

SiteRange Aggregation::across(int mu) const {
  const SiteRange before = inside(mu);
  const int sites = sites_.sites;
  const int count = sites - before.count[0];
  return {1 + mu, {before.count[0], before.count[1]}, {count, count}};
}

}  // namespace kaon::detail
