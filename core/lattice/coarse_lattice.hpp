// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/lattice.hpp>

#include <array>
#include <memory>

namespace kaon::detail {

/// Parities of a lattice with these local extents (`Lattice::parities`).
int parities_of(const Coordinates& local_extents);

/// Whether aggregates of `block` sites cut a direction of `local_extent` sites: they divide it, if it is partitioned
/// to an even number.
bool cuts(int local_extent, bool partitioned, int block);

/// Throws `Error` on a coarse lattice, where `what` cannot live.
void require_fine(const Lattice& lattice, const char* what);

/// The sites of a coarse lattice and their neighbours by number: tables of `int` in the kernels' memory, for any
/// extents.
///
/// The number of a site is its place among the sites of its parity on this process, in the order of storage
/// (`Place::index`). Neighbours have the opposite parity; on a lattice of one parity, this is the same one.
///
/// Halo sites are the sites of other processes next to those of this one, in partitioned directions. Face 2 mu has
/// those ahead in direction mu, face 2 mu + 1 those behind. The halo sites of a parity have numbers from `sites()` on,
/// face after face, and on a face in their order of storage on the process that holds them.
class CoarseSites {
 public:
  static constexpr int faces = 2 * directions;

  /// Throws `Error` on lattices that are not coarse.
  explicit CoarseSites(const Lattice& lattice);
  /// The tables that are cached by `lattice`.
  static std::shared_ptr<const CoarseSites> kept_by(const Lattice& lattice);

  /// Sites of a parity on this process.
  int sites() const { return sites_; }

  /// [site of a parity][8]: numbers of the neighbours, entry 2 mu of the one ahead in direction mu, 2 mu + 1 of the one
  /// behind; at least `sites()` for halo sites. -1 where the extent is 1: the link of a site with itself belongs to the
  /// site term of an operator.
  const int* neighbors(Parity parity) const { return of(parity).neighbors.data(); }
  /// [site of a parity][4]: coordinates on this process.
  const int* coordinates(Parity parity) const { return of(parity).coordinates.data(); }
  /// [lexicographic site of this process]: its number + `sites()` * its parity.
  const int* numbers() const { return numbers_.data(); }

  /// Number of a parity's first halo site of a face; of face 8: behind the last.
  int first_halo_site(Parity parity, int face) const {
    return of(parity).first_halo_site[static_cast<std::size_t>(face)];
  }
  /// [halo site of a parity - `sites()`]: its number on the process that holds it.
  const int* halo_sites(Parity parity) const { return of(parity).halo_sites.data(); }

 private:
  using Table = Kokkos::View<int*, Memory>;
  struct OfParity {
    Table neighbors, coordinates, halo_sites;
    std::array<int, faces + 1> first_halo_site{};
  };
  /// Throws `Error` for a parity that the lattice does not have.
  const OfParity& of(Parity parity) const;

  int parities_;
  int sites_;
  Table numbers_;
  std::array<OfParity, 2> of_parity_;
};

}  // namespace kaon::detail
