// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "multigrid/domain_wall/corner_operator.hpp"
#include "multigrid/domain_wall/sliced_transfer.hpp"

#include <kaon/operators/linear_operator.hpp>

#include <vector>

namespace kaon::detail {

struct CornerMatrices;

/// A_c = (M P)^dag (M P) from the images M P of the columns of P, for M that reaches two sites: the Schur complement of
/// hops to nearest neighbours.
///
/// A site sees the columns of its own aggregate, those across a face that is at most two sites away, and those across
/// an edge that it touches: M P at a site has a part from each of them. M is applied to the columns of every other
/// aggregate in each direction at once. A site of an aggregate with four sites or more sees only one of the two
/// neighbours in a direction, so that its parts are known apart: 16 applications for each column, where a coarse extent
/// is odd more. Then
///
///   A_d(a) = sum_{e - e' = d} sum_{x in a - e'} (M P)_{e'}(x)^dag (M P)_e(x),
///
/// (M P)_e(x) the part of the columns of aggregate b + e at site x of aggregate b.
class CornerImages {
 public:
  /// Whether a coarse operator can be made so: aggregates of at least four sites, or at most two of them, in each
  /// direction, and one process.
  static bool fit(const Aggregation& aggregation);

  /// Tables for these aggregates. `neighbors` are those of `CornerOperator`, and live longer.
  CornerImages(const SlicedTransfer& transfer, const CornerDisplacements& displacements, const int* neighbors);

  /// Bytes of the image of a column.
  double bytes() const;
  /// Columns whose images are in memory at the same time, with those of `at_once` others; 0 if these are so few that
  /// plane waves take fewer applications. Collective.
  int columns_in_memory(int at_once) const;
  /// Applications of M, if the images of `columns` are held.
  int applications(int columns) const;

  /// Sets all matrices: holds the images of `columns` columns, and applies M to `at_once` at a time.
  void multiply(const CornerMatrices& matrices, const LinearOperator<float>& m, int columns, int at_once) const;

 private:
  using Table = Kokkos::View<int*, Memory>;
  struct Images;

  void make_positions();
  void make_pairs();
  void make_colors();
  /// Fills columns of `images` with M times columns first, first + 1, ... of P.
  void apply(Images& images, const LinearOperator<float>& m, int first, int count, int at_once) const;
  /// Sets rows of the columns of `left` and columns of those of `right`, and the adjoint matrices.
  void multiply_images(const CornerMatrices& matrices, const Images& left, const Images& right) const;

  const SlicedTransfer& transfer_;
  CornerDisplacements displacements_;
  const int* neighbors_;
  int rows_of_site_, positions_ = 0, colors_ = 1;
  /// Parts of the image at the sites of an aggregate, on the host: (site, displacement of the columns) for each kind.
  struct Part {
    int site, source;
  };
  std::vector<Part> parts_[2];
  Table of_parts_;     // [kind][position][site, displacement]; a site of -1: none
  Table of_colors_;    // [aggregate]
  Table first_pairs_;  // [displacement]
  Table pairs_;        // [pair][displacement to the aggregate, {first entry, entries} of each kind]
  Table entries_;      // [entry][position of e', position of e]
  Table opposites_;    // [displacement]: the number of -d
  Table half_, all_;   // displacements d, one of d and -d; all
};

}  // namespace kaon::detail
