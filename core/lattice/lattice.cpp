// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/lanes/lanes.hpp"
#include "core/lattice/agreement.hpp"
#include "core/lattice/coarse_lattice.hpp"
#include "core/lattice/process_grid.hpp"
#include "core/lattice/workspace.hpp"

#include <kaon/core/error.hpp>
#include <kaon/core/lattice.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

namespace kaon {

std::string to_string(const Coordinates& extents) {
  return fmt::format("{}x{}x{}x{}", extents[0], extents[1], extents[2], extents[3]);
}

namespace {

/// Kernels number the matrices of all sites by `int`: the planes, links or rows of a basis, at most 12 a site.
constexpr std::ptrdiff_t most_local_sites = std::numeric_limits<int>::max() / 12;

/// All that processes of a lattice must agree on.
std::string describe(const LatticeParameters& parameters) {
  return fmt::format("{} on processes {}, ranks [{}], reach {}, partition [{}], {} lanes",
                     to_string(parameters.extents), to_string(parameters.process_grid),
                     fmt::join(parameters.ranks, ", "), parameters.reach, fmt::join(parameters.partition, ", "),
                     parameters.lanes == Lanes::single ? "single" : "native");
}

}  // namespace

Lattice::Lattice(const Communicator& communicator, const LatticeParameters& parameters) {
  if (parameters.lanes != Lanes::components) {  // those of coarse lattices come from another lattice
    detail::require_same(communicator, "lattices", describe(parameters));
  }
  auto state = std::make_shared<State>(State{communicator, parameters, {}, {}, {}, {}, 2, {}});
  const Coordinates& extents = parameters.extents;
  const bool coarse = parameters.lanes == Lanes::components;
  detail::require_extents(extents, coarse);
  Coordinates& grid = state->parameters.process_grid;
  if (grid == Coordinates{}) {
    grid = communicator.size() == 1 ? Coordinates{1, 1, 1, 1}
                                    : choose_process_grid(extents, communicator.size(), parameters.reach);
  }
  detail::Directions partitioned{};
  for (std::size_t mu = 0; mu < 4; ++mu) partitioned[mu] = grid[mu] > 1 || parameters.partition[mu];
  detail::require_process_grid(grid, extents, partitioned, coarse);
  require(volume_of(grid) == communicator.size(), [&] {
    return fmt::format("process grid {} has {} processes, but the communicator has {}", to_string(grid),
                       volume_of(grid), communicator.size());
  });
  detail::require_ranks(parameters.ranks, communicator.size());
  for (std::size_t mu = 0; mu < 4; ++mu) state->local_extents[mu] = extents[mu] / grid[mu];
  state->process_coordinates = detail::coordinates_of(communicator.rank(), parameters.ranks, grid);
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
      detail::choose_lane_grid(state->local_extents, partitioned, single ? 1 : detail::native_lanes<double>, reach);
  state->lane_grid_4 =
      detail::choose_lane_grid(state->local_extents, partitioned, single ? 1 : detail::native_lanes<float>, reach);
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

int Lattice::rank_at(Coordinates process) const {
  for (std::size_t mu = 0; mu < 4; ++mu) {
    process[mu] = (process[mu] % process_grid()[mu] + process_grid()[mu]) % process_grid()[mu];
  }
  const std::ptrdiff_t number = lexicographic_index(process, process_grid());
  const std::vector<int>& ranks = state_->parameters.ranks;
  return ranks.empty() ? static_cast<int>(number) : ranks[static_cast<std::size_t>(number)];
}

int Lattice::neighbor(std::size_t mu, int step) const {
  Coordinates process = process_coordinates();
  process[mu] += step;
  return rank_at(process);
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
  workspace().release_halos();
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
