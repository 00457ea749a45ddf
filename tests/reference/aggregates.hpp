// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "matrix.hpp"

namespace kaon::reference {

/// A lattice cut into hypercubes of one shape, the aggregates. They are the sites of the coarse lattice, whose extents
/// are extents / block; odd extents and extent 1 are allowed on both.
class Aggregates {
 public:
  /// Throws std::invalid_argument where the block does not divide the extents.
  Aggregates(const Coordinates& extents, const Coordinates& block);

  const Coordinates& extents() const { return extents_; }
  const Coordinates& block() const { return block_; }
  const Coordinates& coarse_extents() const { return coarse_extents_; }

  /// The aggregate of a site, as a site of the coarse lattice: coordinates / block.
  Coordinates aggregate_of(const Coordinates& site) const;

 private:
  Coordinates extents_;
  Coordinates block_;
  Coordinates coarse_extents_;
};

/// Prolongator P from the coarse lattice, with 2 N components a site, and restrictor R = P^dag, made of N vectors v_j.
///
/// Fields of any level are [t][z][y][x][component]. The first half of the components at a site has chirality s = 0
/// (gamma_5 = +1), the second s = 1. On level 0: spins 0, 1 and spins 2, 3, component 3 spin + colour. On a coarse
/// level: component N s + j.
///
/// In each aggregate a and chirality s the rows of (v_1 .. v_N) are B = V R_as with V^dag V = 1 and R_as upper
/// triangular with a positive diagonal, which makes V unique. Then
///   (P c)(x, sigma) = sum_j V_j(x, sigma) c(a(x), N s(sigma) + j).
class Prolongator {
 public:
  /// Block QR by modified Gram-Schmidt, done twice. `components` is their number at a fine site. Throws
  /// std::invalid_argument where vectors are linearly dependent in an aggregate.
  Prolongator(const Aggregates& aggregates, std::size_t components, const std::vector<Spinor>& vectors);

  const Aggregates& aggregates() const { return aggregates_; }
  std::size_t fine_components() const { return components_; }
  /// 2 N.
  std::size_t coarse_components() const { return 2 * basis_.size(); }

  /// V_j as a field on the fine lattice.
  const std::vector<Spinor>& basis() const { return basis_; }

  /// V(x): rows are the components of fine site x, columns those of its aggregate. It vanishes between chiralities.
  Matrix at(const Coordinates& site) const;

  /// Smallest |v_j - its projection on v_1 .. v_(j-1)| / |v_j| in any aggregate and chirality.
  double smallest_pivot() const { return smallest_pivot_; }

  /// P c.
  Spinor prolong(const Spinor& c) const;

  /// R psi = P^dag psi.
  Spinor restrict(const Spinor& psi) const;

 private:
  Aggregates aggregates_;
  std::size_t components_;
  std::vector<Spinor> basis_;
  double smallest_pivot_ = 1.0;
};

/// G5 psi: the second half of the components of each site changes its sign.
Spinor multiply_gamma5(Spinor psi, std::size_t components);

}  // namespace kaon::reference
