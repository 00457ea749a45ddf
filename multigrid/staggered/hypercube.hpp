// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/execution.hpp>
#include <kaon/core/gauge_field.hpp>
#include <kaon/core/spinor_field.hpp>
#include <kaon/operators/boundary.hpp>

namespace kaon::detail {

// The order of a hypercube's components: see `HypercubeMap`. Bit mu of `y` is y_mu.

/// Components of a hypercube: 3 colours at 16 sites.
inline constexpr int hypercube_components = 48;
/// Numbers that hops between hypercubes have in a row: 3 colours along each direction.
inline constexpr int outer_columns = colors * directions;

/// The first component of site y.
KOKKOS_INLINE_FUNCTION constexpr int first_component(int y) {
  const int j = y >> 1, s = (y ^ j ^ j >> 1 ^ j >> 2) & 1;
  return hypercube_components / 2 * s + colors * j;
}
/// The site y of a component.
KOKKOS_INLINE_FUNCTION constexpr int site_of_component(int component) {
  const int s = component / (hypercube_components / 2), j = component % (hypercube_components / 2) / colors;
  return (s ^ (j & 1) ^ (j >> 1 & 1) ^ j >> 2) | j << 1;
}

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
  void gather(SpinorField<float>& out, const SpinorField<float>& in) const;
  /// out = T in
  void scatter(SpinorField<float>& out, const SpinorField<float>& in) const;

 private:
  void require_fields(const SpinorField<float>& on_hypercubes, const SpinorField<float>& on_sites) const;

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
void hypercube_factors(SpinorField<float>& x, SpinorField<float>& outer, const HypercubeMap& map,
                       const GaugeField<float>& links, const BoundaryAngles& boundary, double mass);

/// The matrices B of all hypercubes, over all processes.
struct HypercubeSpectrum {
  double smallest, largest;  ///< singular values s
  int singular;              ///< hypercubes whose B has no inverse in double
};

/// X^(1/2) and X^(-1/2) of `x`, the site term of a staggered operator on hypercubes, which is 2m + an anti-Hermitian
/// matrix between chiralities:
///
///   X = [[2m, B], [-B^dag, 2m]],    B = W s Z^dag,    r = (4m^2 + s^2)^(1/2),    p + i q = (2m + i s)^(1/2),
///
///   X^(1/2)  = [[W p W^dag, W q Z^dag], [-Z q W^dag, Z p Z^dag]],
///   X^(-1/2) = the same with p/r and -q/r.
///
/// The singular values are those of Jacobi rotations in double. Each matrix is a field with 48 right-hand sides, its
/// columns. f(X)^dag = G5 f(X) G5. 10 Mflop a hypercube. If B has no inverse, the matrices are undefined.
/// Collective, and waits.
HypercubeSpectrum hypercube_roots(SpinorField<float>& root, SpinorField<float>& inverse_root,
                                  const SpinorField<float>& x);

}  // namespace kaon::detail
