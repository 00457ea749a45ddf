// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/lanes.hpp"
#include "core/workspace.hpp"

#include <kaon/core/error.hpp>
#include <kaon/core/lattice.hpp>

#include <fmt/format.h>

#include <limits>

namespace kaon {

std::string to_string(const Coordinates& extents) {
  return fmt::format("{}x{}x{}x{}", extents[0], extents[1], extents[2], extents[3]);
}

namespace {

constexpr std::size_t no_direction = 4;

/// The direction to cut in two: the longest whose halves stay even, later directions first, because neighbours in x
/// share cache lines.
std::size_t longest_divisible(const Coordinates& extents) {
  std::size_t best = no_direction;
  for (std::size_t mu = 0; mu < 4; ++mu) {
    if (extents[mu] % 4 == 0 && (best == no_direction || extents[mu] >= extents[best])) best = mu;
  }
  return best;
}

/// Virtual nodes in each direction, `count` (a power of two) in all; one where the extents do not allow that many.
Coordinates choose_lane_grid(const Coordinates& local_extents, int count) {
  Coordinates grid{1, 1, 1, 1};
  Coordinates extents = local_extents;
  for (int lanes = 1; lanes < count; lanes *= 2) {
    const std::size_t mu = longest_divisible(extents);
    if (mu == no_direction) return {1, 1, 1, 1};
    extents[mu] /= 2;
    grid[mu] *= 2;
  }
  return grid;
}

}  // namespace

Lattice::Lattice(const Communicator& communicator, const LatticeParameters& parameters) {
  auto state = std::make_shared<State>(State{communicator, parameters, {}, {}, {}, {}});
  const Coordinates& extents = parameters.extents;
  const Coordinates& grid = parameters.process_grid;
  for (std::size_t mu = 0; mu < 4; ++mu) {
    require(extents[mu] >= 2 && extents[mu] % 2 == 0, [&] {
      return fmt::format("lattice extents {} are not usable: each must be even and at least 2", to_string(extents));
    });
    require(grid[mu] >= 1 && extents[mu] % (2 * grid[mu]) == 0, [&] {
      return fmt::format("process grid {} does not cut lattice {} into even local extents", to_string(grid),
                         to_string(extents));
    });
    state->local_extents[mu] = extents[mu] / grid[mu];
  }
  require(volume_of(grid) == communicator.size(), [&] {
    return fmt::format("process grid {} has {} processes, but the communicator has {}", to_string(grid),
                       volume_of(grid), communicator.size());
  });
  require(communicator.size() == 1, [&] {
    return fmt::format("this version of kaon works on one process, not on {}: run it without mpirun, or with -n 1",
                       communicator.size());
  });
  require(volume_of(state->local_extents) <= std::numeric_limits<int>::max(), [&] {
    return fmt::format("local lattice {} has more than 2^31 - 1 sites: use more processes",
                       to_string(state->local_extents));
  });
  const bool single = parameters.lanes == Lanes::single;
  state->lane_grid_8 = choose_lane_grid(state->local_extents, single ? 1 : detail::native_lanes<double>);
  state->lane_grid_4 = choose_lane_grid(state->local_extents, single ? 1 : detail::native_lanes<float>);
  state->workspace = std::make_shared<detail::Workspace>();
  state_ = std::move(state);
}

Lattice::Lattice(const LatticeParameters& parameters) : Lattice(Communicator(), parameters) {}

void Lattice::release_memory() const {
  execution().fence("kaon::Lattice::release_memory");
  workspace().release();
}

bool operator==(const Lattice& a, const Lattice& b) {
  return a.state_ == b.state_ ||
         (a.extents() == b.extents() && a.process_grid() == b.process_grid() &&
          a.state_->lane_grid_8 == b.state_->lane_grid_8 && a.state_->lane_grid_4 == b.state_->lane_grid_4);
}

}  // namespace kaon
