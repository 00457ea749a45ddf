// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/lattice/coarse_lattice.hpp"

#include "core/device/allocate.hpp"
#include "core/lattice/geometry.hpp"
#include "core/lattice/workspace.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <typeinfo>
#include <vector>

namespace kaon {
namespace {

/// The extents that aggregates may have in direction mu.
std::vector<int> allowed_block(const Lattice& lattice, std::size_t mu) {
  const int extent = lattice.local_extents()[mu];
  std::vector<int> allowed;
  for (int block = 1; block <= extent; ++block) {
    if (detail::cuts(extent, lattice.is_partitioned(mu), block)) allowed.push_back(block);
  }
  return allowed;
}

}  // namespace

Lattice Lattice::coarsened(const Coordinates& block) const {
  for (std::size_t mu = 0; mu < 4; ++mu) {
    const std::vector<int> allowed = allowed_block(*this, mu);
    require(std::find(allowed.begin(), allowed.end(), block[mu]) != allowed.end(), [&] {
      return fmt::format("aggregates of {} sites do not fit local lattice {}: in direction {} their extent may be {}{}",
                         to_string(block), to_string(local_extents()), "xyzt"[mu], fmt::join(allowed, ", "),
                         is_partitioned(mu) ? ", since a partitioned direction needs an even number of them" : "");
    });
  }
  LatticeParameters parameters = state_->parameters;
  for (std::size_t mu = 0; mu < 4; ++mu) parameters.extents[mu] /= block[mu];
  parameters.lanes = Lanes::components;
  parameters.reach = 1;
  return Lattice(communicator(), parameters);
}

namespace detail {

int parities_of(const Coordinates& local_extents) {
  for (const int extent : local_extents) {
    if (extent > 1 && extent % 2 != 0) return 1;
  }
  return volume_of(local_extents) > 1 ? 2 : 1;
}

bool cuts(int local_extent, bool partitioned, int block) {
  return local_extent % block == 0 && (!partitioned || local_extent / block % 2 == 0);
}

void require_fine(const Lattice& lattice, const char* what) {
  require(!lattice.is_coarse(), [&] {
    return fmt::format(
        "{} cannot live on coarse lattice {}, whose lanes are components: use the lattice it was made of", what,
        to_string(lattice.extents()));
  });
}

namespace {

/// Tables of one parity while they are made.
struct ParityTables {
  std::vector<int> neighbors, coordinates;
  std::vector<int> halo_sites;  ///< number on the process that holds them
  /// [face][site of another process]: its number as a halo site of this one, on that face
  std::array<std::vector<int>, CoarseSites::faces> halo;
  std::array<int, CoarseSites::faces + 1> first_halo_site{};
};

/// Numbers the halo sites of one parity. Sites have the same local coordinates and numbers on all processes.
void number_halo_sites(ParityTables& tables, const Lattice& lattice, int sites) {
  for (int face = 0; face < CoarseSites::faces; ++face) {
    const auto mu = static_cast<std::size_t>(face / 2), f = static_cast<std::size_t>(face);
    tables.first_halo_site[f] = sites + static_cast<int>(tables.halo_sites.size());
    if (!lattice.is_partitioned(mu)) continue;
    tables.halo[f].resize(static_cast<std::size_t>(sites));
    const int x_mu = face % 2 == 0 ? 0 : lattice.local_extents()[mu] - 1;
    for (int site = 0; site < sites; ++site) {
      if (tables.coordinates[static_cast<std::size_t>(site) * 4 + mu] != x_mu) continue;
      tables.halo[f][static_cast<std::size_t>(site)] = sites + static_cast<int>(tables.halo_sites.size());
      tables.halo_sites.push_back(site);
    }
  }
  tables.first_halo_site[CoarseSites::faces] = sites + static_cast<int>(tables.halo_sites.size());
}

/// Number of the neighbour of site x in the direction of a face. `opposite`: the tables of its parity.
int neighbor_number(const SiteMap& map, const Lattice& lattice, const ParityTables& opposite, const int (&x)[4],
                    int face) {
  const int mu = face / 2, step = face % 2 == 0 ? 1 : -1;
  if (map.extent[mu] == 1) return -1;
  int y[4] = {x[0], x[1], x[2], x[3]};
  map.shift(y, mu, step);
  const int number = map.place(y).index;
  const bool crossed = y[mu] != x[mu] + step;
  if (!crossed || !lattice.is_partitioned(static_cast<std::size_t>(mu))) return number;
  return opposite.halo[static_cast<std::size_t>(face)][static_cast<std::size_t>(number)];
}

}  // namespace

CoarseSites::CoarseSites(const Lattice& lattice)
    : parities_(lattice.parities()), sites_(static_cast<int>(lattice.local_volume() / lattice.parities())) {
  require(lattice.is_coarse(), [&] {
    return fmt::format("tables of neighbours are for coarse lattices: {} is none", to_string(lattice.extents()));
  });
  const SiteMap map = SiteMap::of<double>(lattice);
  std::array<ParityTables, 2> tables;
  std::vector<int> numbers(static_cast<std::size_t>(lattice.local_volume()));
  for (int parity = 0; parity < parities_; ++parity) {
    ParityTables& here = tables[static_cast<std::size_t>(parity)];
    for (int site = 0; site < sites_; ++site) {
      int x[4];
      map.coordinates({parity, site, 0}, x);
      here.coordinates.insert(here.coordinates.end(), x, x + 4);
      const std::ptrdiff_t number = lexicographic_index({x[0], x[1], x[2], x[3]}, lattice.local_extents());
      numbers[static_cast<std::size_t>(number)] = parity * sites_ + site;
    }
    number_halo_sites(here, lattice, sites_);
  }
  for (int parity = 0; parity < parities_; ++parity) {
    const auto p = static_cast<std::size_t>(parity);
    const ParityTables& opposite = tables[parities_ == 2 ? 1 - p : p];
    for (int site = 0; site < sites_; ++site) {
      int x[4];
      map.coordinates({parity, site, 0}, x);
      for (int face = 0; face < faces; ++face) {
        tables[p].neighbors.push_back(neighbor_number(map, lattice, opposite, x, face));
      }
    }
  }
  for (std::size_t p = 0; p < static_cast<std::size_t>(parities_); ++p) {
    of_parity_[p] = {kernel_table("kaon::CoarseSites", tables[p].neighbors),
                     kernel_table("kaon::CoarseSites", tables[p].coordinates),
                     kernel_table("kaon::CoarseSites", tables[p].halo_sites), tables[p].first_halo_site};
  }
  numbers_ = kernel_table("kaon::CoarseSites", numbers);
}

std::shared_ptr<const CoarseSites> CoarseSites::kept_by(const Lattice& lattice) {
  std::shared_ptr<void>& kept = lattice.workspace().kept(typeid(CoarseSites), 0);
  if (!kept) kept = std::make_shared<CoarseSites>(lattice);
  return std::static_pointer_cast<const CoarseSites>(kept);
}

const CoarseSites::OfParity& CoarseSites::of(Parity parity) const {
  require(static_cast<int>(parity) < parities_, "a coarse lattice of one parity has no odd sites");
  return of_parity_[static_cast<std::size_t>(parity)];
}

}  // namespace detail
}  // namespace kaon
