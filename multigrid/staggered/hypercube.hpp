// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "multigrid/staggered/hypercube_sites.hpp"

#include <kaon/core/gauge_field.hpp>
#include <kaon/core/spinor_field.hpp>
#include <kaon/operators/boundary.hpp>

namespace kaon::detail {

/// Sites of a hypercube in each direction.
inline constexpr Coordinates hypercube{2, 2, 2, 2};

/// T, which takes fields on hypercubes of 2^4 sites to staggered fields: with x = 2h + y, y in {0, 1}^4, and colour c,
///
///   (T chi)(x, c) = chi(h, 24 s + 3 j + c),    s = (y_0 + y_1 + y_2 + y_3) mod 2,    j = y_1 + 2 y_2 + 4 y_3.
///
/// The hypercubes are sites of a coarse lattice, with 2 spins s and 24 colours. T is a permutation: T^dag T = 1, and
/// eps T = T G5, eps(x) = (-1)^(x+y+z+t).
class HypercubeMap {
 public:
  /// Throws `Error` for a lattice that hypercubes do not cut.
  explicit HypercubeMap(const Lattice& sites) : sites_(sites), hypercubes_(sites.coarsened(hypercube)) {}

  /// The lattice of the sites x.
  const Lattice& sites() const { return sites_; }
  /// The lattice of the hypercubes h.
  const Lattice& hypercubes() const { return hypercubes_; }

  // Each throws `Error` for fields of other shapes or on one parity, on other lattices, or with different numbers of
  // right-hand sides.

  /// out = T^dag in
  template <class T>
  void gather(SpinorField<T>& out, const SpinorField<T>& in) const;
  /// out = T in
  template <class T>
  void scatter(SpinorField<T>& out, const SpinorField<T>& in) const;

 private:
  template <class T>
  void require_fields(const SpinorField<T>& on_hypercubes, const SpinorField<T>& on_sites) const;

  Lattice sites_, hypercubes_;
};

/// X, and the hops E between hypercubes, of the naive staggered operator M = 2m + D with links F that are any matrices.
/// T^dag M T has the matrices
///
///   X(h)[y, y+mu]       =  eta_mu(y) F_mu(2h+y),   X(h)[y+mu, y] = -eta_mu(y) F_mu(2h+y)^dag,    y_mu = 0,
///   Y_{+mu}(h)[y, y-mu] = -eta_mu(y) F_mu(2h+y),                                                 y_mu = 1,
///
/// 2m on the diagonal of X, and the boundary phase if 2h+y lies at the edge of the lattice. If the lattice has one
/// hypercube in direction mu, X contains all hops of this direction. M^dag = G5 M G5. E stores the numbers of all Y
/// that are not zero. With y the site of a row, row r of sum_mu [ Y_{+mu} + Y_{-mu} ] c is
///
///   sum_{mu, b} E_{3 mu + b}(h)[r] c(h', first component of y' + b),    y' = y except y'_mu = 1 - y_mu,
///
/// h' = h + mu if y_mu = 1, h - mu if y_mu = 0. `x` has 48 right-hand sides, the columns, and `outer`, E, has 12; both
/// are zero before. Throws `Error` for compressed links. Collective.
template <class T>
void hypercube_factors(SpinorField<T>& x, SpinorField<T>& outer, const HypercubeMap& map, const GaugeField<T>& links,
                       const BoundaryAngles& boundary, double mass);

}  // namespace kaon::detail
