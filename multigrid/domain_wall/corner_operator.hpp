// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "multigrid/coarse/gathered_field.hpp"
#include "multigrid/domain_wall/sliced_transfer.hpp"

#include <kaon/operators/linear_operator.hpp>

#include <memory>

namespace kaon::detail {

/// The displacements d of a coarse site's neighbours, corners included: in each direction -1, 0 and 1; for a coarse
/// extent of 2, for which 1 and -1 are one site, 0 and 1; for one of 1 only 0. They are numbered with d_x fastest.
class CornerDisplacements {
 public:
  explicit CornerDisplacements(const Coordinates& coarse_extents);

  int count() const { return counts_[0] * counts_[1] * counts_[2] * counts_[3]; }
  /// Displacements in each direction.
  const Coordinates& counts() const { return counts_; }
  Coordinates operator[](int number) const;
  /// The number of a displacement, up to whole turns around the coarse lattice.
  int number(const Coordinates& displacement) const;
  /// Momenta p of plane waves that separate these displacements, in units of 2 pi / extent: one for each of them.
  Coordinates momentum(int number) const;

 private:
  Coordinates extents_, counts_;
};

/// The Galerkin operator A_c = P^dag A P of a Hermitian operator A that reaches no further than the next aggregate in
/// each direction, on the coarse lattice of a `SlicedTransfer`:
///
///   (A_c y)(a) = sum_d A_d(a) y(a + d),   d in {-1, 0, 1}^4: 81 matrices of n x n at a site.
///
/// On the lattice of several processes an application gathers y on each of them (`GatheredField`). Matrices and sums
/// are in single precision. 8 n^2 flops a matrix, and as many bytes for each 6 right-hand sides (hosts: 4).
class CornerOperator final : public LinearOperator<float>, public Adjointable<float>, public Counted {
 public:
  /// Computes the matrices from applications of A to plane waves of each column of P, `at_once` at a time: as many as
  /// there are displacements, times n. (P. A. Boyle, Grid 0.7 GeneralCoarsenedMatrix.h.) A reaches
  /// `range` sites in a direction. Throws `Error` for shorter aggregates in a direction with more than three of them.
  CornerOperator(const SlicedTransfer& transfer, const LinearOperator<float>& fine, int range, int at_once);

  /// Tags the operator of A = M^dag M.
  struct OfNormal {};
  /// Computes those of A = M^dag M, M the asymmetric Schur complement of hops to nearest neighbours: from images of M
  /// (`CornerImages`) if they are possible and fit the memory, else from plane waves.
  CornerOperator(OfNormal, const SlicedTransfer& transfer, const LinearOperator<float>& m, int at_once);

  /// Sites that M^dag M reaches in a direction, M the asymmetric Schur complement of hops to nearest neighbours.
  static constexpr int range_of_normal = 4;
  /// Sites that a `CornerOperator` reaches.
  static constexpr int range_of_corners = 1;
  /// Bytes of the matrices on this process.
  static double bytes(const Lattice& coarse, int vectors);

  void apply(SpinorField<float>& out, const SpinorField<float>& in) const override;
  void apply_dagger(SpinorField<float>& out, const SpinorField<float>& in) const override { apply(out, in); }
  const Lattice& lattice() const override { return lattice_; }
  SpinorParameters domain() const override { return domain_; }
  double flops() const override;
  double bytes() const override;

 private:
  /// Without matrices.
  CornerOperator(const SlicedTransfer& transfer, int range);
  void make_neighbors();
  /// Returns false where images are not possible or do not fit the memory.
  bool multiply_images(const SlicedTransfer& transfer, const LinearOperator<float>& m, int at_once);
  /// By plane waves.
  void make_matrices(const SlicedTransfer& transfer, const LinearOperator<float>& fine, int at_once);
  /// A_d from the sums over d of A_d e^{ipd} in their places.
  void transform();

  Lattice lattice_;
  SpinorParameters domain_;
  CornerDisplacements displacements_;
  int sites_, size_;                       // coarse sites of this process; n
  Kokkos::View<float*, Memory> matrices_;  // see `CornerMatrices`
  Kokkos::View<int*, Memory> neighbors_;   // [site][d]: number among the sites of all processes
  mutable std::unique_ptr<GatheredField> gathered_;
};

}  // namespace kaon::detail
