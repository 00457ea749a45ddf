// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/lattice.hpp>

#include <vector>

namespace kaon::detail {

/// Sites of an aggregate in one of its lists. Both numbers depend on the kind of the aggregate.
struct SiteRange {
  int list;      ///< 0: all sites in their order; 1 + mu: those at the upper face in direction mu last
  int first[2];  ///< [kind]
  int count[2];  ///< [kind]
};

/// The sites of the aggregates of this process: tables in the kernels' memory.
///
/// Aggregates have the numbers of the coarse sites: parity after parity, in their order of storage. Sites of an
/// aggregate are numbered with the even ones first and x fastest. Their order depends on the aggregate's kind: 0 if
/// its first site is even, 1 if it is odd. So does the number of even sites, if an aggregate has an odd number of
/// sites.
struct AggregateSites {
  int aggregates;
  int sites;          ///< of an aggregate
  int even_sites[2];  ///< [kind]
  int lane_shift;     ///< W = 2^lane_shift virtual nodes
  const int* kinds;   ///< [aggregate]
  const int* places;  ///< [aggregate][site]: W * index + lane among the sites of its parity
  const int* owners;  ///< [parity][place]: aggregate * sites + site
  const int* order;   ///< [rank]: aggregates one after another that share cache lines
  const int* lists;   ///< [list][kind][entry]: sites
  const int* groups;  ///< [group][lane]: W aggregates whose sites with equal numbers fill the lanes; null if there are
                      ///< no such groups

  KOKKOS_FORCEINLINE_FUNCTION int parity(int kind, int site) const { return site < even_sites[kind] ? 0 : 1; }
  KOKKOS_FORCEINLINE_FUNCTION const int* list(const SiteRange& range, int kind) const {
    return lists + (2 * range.list + kind) * sites + range.first[kind];
  }
};

/// Places of the sites of an aggregate within it, in their order, for its kind and the parities of the lattice.
std::vector<Coordinates> sites_of_aggregate(const Coordinates& block, int kind, int parities);

/// A lattice cut into aggregates: hypercubes of `block` sites, which are the sites of the coarse lattice
/// (`Lattice::coarsened`).
class Aggregation {
 public:
  /// Throws `Error` for blocks that do not fit the lattice.
  Aggregation(const Lattice& fine, const Coordinates& block);

  const Lattice& fine() const { return fine_; }
  const Lattice& coarse() const { return coarse_; }
  const Coordinates& block() const { return block_; }

  /// Tables for fields in single precision on the fine lattice. They live as long as this object or a copy of it.
  const AggregateSites& sites() const { return sites_; }

  /// The sites of a field.
  SiteRange sites_of(Subset subset) const;
  /// Sites x of which x + mu is in the same aggregate. An aggregate of the lattice's whole extent has no others.
  SiteRange inside(int mu) const;
  /// The other sites.
  SiteRange across(int mu) const;

 private:
  using Table = Kokkos::View<int*, Memory>;
  void make_lists(const std::vector<int>& kinds);
  void make_places(const std::vector<int>& kinds);

  Lattice fine_;
  Coordinates block_;
  Lattice coarse_;
  Table kinds_, lists_, places_, owners_, order_, groups_;
  AggregateSites sites_{};
};

}  // namespace kaon::detail
