// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/lanes/lanes.hpp"
#include "core/lattice/coarse_lattice.hpp"
#include "core/lattice/workspace.hpp"

#include <kaon/core/error.hpp>
#include <kaon/core/lattice.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <tuple>

namespace kaon {

std::string to_string(const Coordinates& extents) {
  return fmt::format("{}x{}x{}x{}", extents[0], extents[1], extents[2], extents[3]);
}

namespace {

/// Kernels number the matrices of all sites by `int`: the planes, links or rows of a basis, at most 12 a site.
constexpr std::ptrdiff_t most_local_sites = std::numeric_limits<int>::max() / 12;

constexpr std::size_t no_direction = 4;

using Directions = std::array<bool, 4>;

/// The direction to cut in two: the longest `allowed` one whose halves stay even and wider than `reach`. Of equal
/// extents the later direction, because neighbours in x share cache lines.
std::size_t longest_divisible(const Coordinates& extents, const Directions& allowed, int reach) {
  std::size_t best = no_direction;
  for (std::size_t mu = 0; mu < 4; ++mu) {
    if (!allowed[mu] || extents[mu] % 4 != 0 || extents[mu] / 2 <= reach) continue;
    if (best == no_direction || extents[mu] >= extents[best]) best = mu;
  }
  return best;
}

/// Virtual nodes in each direction, `count` (a power of two) in all; one where the extents do not allow that many.
/// Faces of partitioned directions travel as whole vectors where all lanes have their own, so these are cut last.
Coordinates choose_lane_grid(const Coordinates& local_extents, const Directions& partitioned, int count, int reach) {
  Coordinates grid{1, 1, 1, 1};
  Coordinates extents = local_extents;
  Directions whole{};
  for (std::size_t mu = 0; mu < 4; ++mu) whole[mu] = !partitioned[mu];
  for (int lanes = 1; lanes < count; lanes *= 2) {
    std::size_t mu = longest_divisible(extents, whole, reach);
    if (mu == no_direction) mu = longest_divisible(extents, partitioned, reach);
    if (mu == no_direction) return {1, 1, 1, 1};
    extents[mu] /= 2;
    grid[mu] *= 2;
  }
  return grid;
}

void require_extents(const Coordinates& extents, bool coarse = false) {
  for (const int extent : extents) {
    require(coarse ? extent >= 1 : extent >= 2 && extent % 2 == 0, [&] {
      return fmt::format("lattice extents {} are not usable: each must be {}", to_string(extents),
                         coarse ? "at least 1" : "even and at least 2");
    });
  }
  // Counters of random numbers have 40 bits for the site (`RandomSequence`): beyond, sites would share numbers.
  constexpr std::ptrdiff_t most_sites = std::ptrdiff_t{1} << 40;
  std::ptrdiff_t room = most_sites;
  for (const int extent : extents) room /= extent;
  require(room > 0, [&] { return fmt::format("lattice {} has more than 2^40 sites", to_string(extents)); });
}

/// Whether local extents are whole numbers, and even but for the directions of `odd_allowed`.
bool cuts_evenly(const Coordinates& grid, const Coordinates& extents, const Directions& odd_allowed = {}) {
  for (std::size_t mu = 0; mu < 4; ++mu) {
    const int unit = odd_allowed[mu] ? 1 : 2;
    if (grid[mu] < 1 || extents[mu] % unit != 0 || extents[mu] / unit % grid[mu] != 0) return false;
  }
  return true;
}

/// Whether local lattices are wider than `reach`.
bool leaves_reach(const Coordinates& grid, const Coordinates& extents, int reach) {
  for (std::size_t mu = 0; mu < 4; ++mu) {
    if (extents[mu] / grid[mu] <= reach) return false;
  }
  return true;
}

/// What a grid costs: the less, lexicographically, the better.
using GridCost = std::tuple<std::ptrdiff_t, bool, int, Coordinates>;

GridCost grid_cost(const Coordinates& grid, const Coordinates& extents, int reach) {
  Coordinates local{};
  Directions partitioned{};
  for (std::size_t mu = 0; mu < 4; ++mu) {
    local[mu] = extents[mu] / grid[mu];
    partitioned[mu] = grid[mu] > 1;
  }
  std::ptrdiff_t surface = 0;
  int directions = 0;
  for (std::size_t mu = 0; mu < 4; ++mu) {
    if (!partitioned[mu]) continue;
    surface += volume_of(local) / local[mu];
    ++directions;
  }
  constexpr int lanes = detail::native_lanes<float>;
  const bool loses_lanes = volume_of(choose_lane_grid(local, partitioned, lanes, reach)) < lanes;
  return {surface, loses_lanes, directions, grid};
}

Coordinates place_of(int rank, const std::vector<int>& ranks, const Coordinates& grid) {
  const auto found = std::find(ranks.begin(), ranks.end(), rank);
  return lexicographic_site(ranks.empty() ? rank : found - ranks.begin(), grid);
}

void require_ranks(const std::vector<int>& ranks, int processes) {
  if (ranks.empty()) return;
  std::vector<int> sorted = ranks;
  std::sort(sorted.begin(), sorted.end());
  bool each_once = sorted.size() == static_cast<std::size_t>(processes);
  for (std::size_t k = 0; k < sorted.size(); ++k) each_once = each_once && sorted[k] == static_cast<int>(k);
  require(each_once, [&] {
    return fmt::format("ranks [{}] of a process grid must be 0 to {}, each once", fmt::join(ranks, ", "),
                       processes - 1);
  });
}

}  // namespace

Coordinates choose_process_grid(const Coordinates& extents, int processes, int reach) {
  require_extents(extents);
  require(processes >= 1, [&] { return fmt::format("a process grid needs at least one process, not {}", processes); });
  std::optional<GridCost> best;
  const auto divides = [](int part, int whole) { return whole % part == 0; };
  for (int x = 1; x <= processes; ++x) {
    if (!divides(x, processes)) continue;
    for (int y = 1; y <= processes / x; ++y) {
      if (!divides(y, processes / x)) continue;
      for (int z = 1; z <= processes / x / y; ++z) {
        if (!divides(z, processes / x / y)) continue;
        const Coordinates grid{x, y, z, processes / x / y / z};
        if (!cuts_evenly(grid, extents) || !leaves_reach(grid, extents, reach)) continue;
        const GridCost cost = grid_cost(grid, extents, reach);
        if (!best || cost < *best) best = cost;
      }
    }
  }
  require(best.has_value(), [&] {
    return fmt::format(
        "no grid of {} processes cuts lattice {} into equal local lattices of even extents{}: use "
        "another number of processes",
        processes, to_string(extents), reach > 1 ? fmt::format(" above {}", reach) : "");
  });
  return std::get<Coordinates>(*best);
}

Lattice::Lattice(const Communicator& communicator, const LatticeParameters& parameters) {
  auto state = std::make_shared<State>(State{communicator, parameters, {}, {}, {}, {}, 2, {}});
  const Coordinates& extents = parameters.extents;
  const bool coarse = parameters.lanes == Lanes::components;
  require_extents(extents, coarse);
  Coordinates& grid = state->parameters.process_grid;
  if (grid == Coordinates{}) {
    grid = communicator.size() == 1 ? Coordinates{1, 1, 1, 1}
                                    : choose_process_grid(extents, communicator.size(), parameters.reach);
  }
  Directions partitioned{}, odd_allowed{};
  for (std::size_t mu = 0; mu < 4; ++mu) {
    partitioned[mu] = grid[mu] > 1 || parameters.partition[mu];
    odd_allowed[mu] = coarse && !partitioned[mu];
  }
  require(cuts_evenly(grid, extents, odd_allowed), [&] {
    return fmt::format("process grid {} does not cut lattice {} into even local extents{}", to_string(grid),
                       to_string(extents), coarse ? " in partitioned directions" : "");
  });
  require(volume_of(grid) == communicator.size(), [&] {
    return fmt::format("process grid {} has {} processes, but the communicator has {}", to_string(grid),
                       volume_of(grid), communicator.size());
  });
  require_ranks(parameters.ranks, communicator.size());
  for (std::size_t mu = 0; mu < 4; ++mu) state->local_extents[mu] = extents[mu] / grid[mu];
  state->process_coordinates = place_of(communicator.rank(), parameters.ranks, grid);
  require(volume_of(state->local_extents) <= most_local_sites, [&] {
    return fmt::format("local lattice {} has more than {} sites: use more processes", to_string(state->local_extents),
                       most_local_sites);
  });
  const bool single = parameters.lanes != Lanes::native;
  const int reach = parameters.reach;
  const int narrowest = *std::min_element(state->local_extents.begin(), state->local_extents.end());
  require(!coarse || reach == 1, [&] { return fmt::format("a coarse lattice has reach 1, not {}", reach); });
  require(coarse || (reach >= 1 && narrowest > reach), [&] {
    return fmt::format(
        "local lattice {} is too narrow for operators that reach {}: use larger extents or fewer processes",
        to_string(state->local_extents), reach);
  });
  state->lane_grid_8 =
      choose_lane_grid(state->local_extents, partitioned, single ? 1 : detail::native_lanes<double>, reach);
  state->lane_grid_4 =
      choose_lane_grid(state->local_extents, partitioned, single ? 1 : detail::native_lanes<float>, reach);
  state->parities = detail::parities_of(state->local_extents);
  state->workspace = std::make_shared<detail::Workspace>();
  state_ = std::move(state);
}

Lattice::Lattice(const LatticeParameters& parameters) : Lattice(Communicator(), parameters) {}

Coordinates Lattice::origin() const {
  Coordinates first{};
  for (std::size_t mu = 0; mu < 4; ++mu) first[mu] = process_coordinates()[mu] * local_extents()[mu];
  return first;
}

bool Lattice::is_partitioned() const {
  return is_partitioned(0) || is_partitioned(1) || is_partitioned(2) || is_partitioned(3);
}

int Lattice::rank_at(Coordinates place) const {
  for (std::size_t mu = 0; mu < 4; ++mu) {
    place[mu] = (place[mu] % process_grid()[mu] + process_grid()[mu]) % process_grid()[mu];
  }
  const std::ptrdiff_t number = lexicographic_index(place, process_grid());
  const std::vector<int>& ranks = state_->parameters.ranks;
  return ranks.empty() ? static_cast<int>(number) : ranks[static_cast<std::size_t>(number)];
}

int Lattice::neighbor(std::size_t mu, int step) const {
  Coordinates place = process_coordinates();
  place[mu] += step;
  return rank_at(place);
}

Lattice Lattice::isolated() const {
  auto state = std::make_shared<State>(*state_);
  state->communicator = Communicator();
  state->parameters.extents = local_extents();
  state->parameters.process_grid = {1, 1, 1, 1};
  state->parameters.ranks = {};
  state->parameters.partition = {};
  state->process_coordinates = {};
  state->workspace = std::make_shared<detail::Workspace>();
  return Lattice(std::move(state));
}

bool Lattice::same_layout(const Lattice& other) const {
  return local_extents() == other.local_extents() && is_coarse() == other.is_coarse() &&
         state_->lane_grid_8 == other.state_->lane_grid_8 && state_->lane_grid_4 == other.state_->lane_grid_4;
}

void Lattice::release_memory() const {
  execution().fence("kaon::Lattice::release_memory");
  workspace().release();
}

// Work of two execution instances has no order: fields of lattices that differ by them must not meet.
bool operator==(const Lattice& a, const Lattice& b) {
  return a.state_ == b.state_ ||
         (a.execution() == b.execution() && a.extents() == b.extents() && a.process_grid() == b.process_grid() &&
          a.communicator().group() == b.communicator().group() &&
          a.state_->parameters.ranks == b.state_->parameters.ranks &&
          a.state_->parameters.partition == b.state_->parameters.partition && a.is_coarse() == b.is_coarse() &&
          a.state_->lane_grid_8 == b.state_->lane_grid_8 && a.state_->lane_grid_4 == b.state_->lane_grid_4);
}

}  // namespace kaon
