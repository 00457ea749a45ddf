// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "gauge/hmc/clover_force.hpp"
#include "gauge/near_fields.hpp"
#include "gauge/su3.hpp"

#include <kaon/core/error.hpp>

namespace kaon {
namespace {

using detail::ColorMatrix;
using detail::NearSums;
using detail::SubLattice;

// The arithmetic is in functions of their own: see gauge/staples.hpp.

/// sum += a b
template <class V>
KAON_KERNEL_PART void add_product(ColorMatrix<V>& sum, const ColorMatrix<V>& a, const ColorMatrix<V>& b) {
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) {
      for (int k = 0; k < 3; ++k) multiply_add(sum.e[row][column], a.e[row][k], b.e[k][column]);
    }
  }
}

/// -(i/4) u e. 234 flops.
template <class V>
KAON_KERNEL_PART ColorMatrix<V> minus_quarter_i_product(const ColorMatrix<V>& u, const ColorMatrix<V>& e) {
  ColorMatrix<V> result = u * e;
  for (auto& row : result.e) {
    for (auto& element : row) element = {V(0.25) * element.im, V(-0.25) * element.re};
  }
  return result;
}

/// V_mu(x) = V_mu(x) - (i/4) U_mu(x) sum_{nu, +-} +-s_{mu nu} (the path back to x in direction +-nu, with corners),
/// s_{mu nu} = 1 for mu < nu and -1 otherwise: F_{nu mu} = -F_{mu nu}.
template <class Links>
struct FieldStrengthForceKernel {
  using V = typename Links::Value;
  using Reached = typename Links::Reached;
  static constexpr int calls = 8;
  SubLattice node;
  NearSums<double, V> sums;
  Links links, spatial, temporal;

  KOKKOS_FUNCTION ColorMatrix<V> derivative(const Reached& at, int mu, int nu) const {
    const int low = mu < nu ? mu : nu, high = mu < nu ? nu : mu;
    return high == 3 ? temporal.load(at, low) : spatial.load(at, low + high - 1);
  }

  /// sum += +-s (w b c d + b w c d + b c w d + b c d w), b c d the path x+mu, x+mu+-nu, x+-nu, x. A matrix is loaded
  /// if it is used: few fit into registers. 1674 flops.
  KOKKOS_FUNCTION void add_path(ColorMatrix<V>& sum, const Reached& x, const Reached& ahead, int mu, int nu,
                                int sign) const {
    const Reached beside = links.step(x, nu, sign), there = links.step(ahead, nu, sign);
    const bool up = sign > 0;
    const ColorMatrix<V> c = adjoint(links.load(beside, mu));
    ColorMatrix<V> d = detail::zero_matrix<V>();
    add_multiple(d, mu < nu ? sign : -sign, up ? adjoint(links.load(x, nu)) : links.load(beside, nu));
    ColorMatrix<V> inner = product(product(c, derivative(beside, mu, nu)), d);
    const ColorMatrix<V> cd = product(c, d);
    add_product(inner, derivative(there, mu, nu), cd);
    add_product(inner, cd, derivative(x, mu, nu));
    const ColorMatrix<V> b = up ? links.load(ahead, nu) : adjoint(links.load(there, nu));
    add_product(sum, b, inner);
    add_product(sum, derivative(ahead, mu, nu), product(b, cd));
  }

  KOKKOS_FUNCTION void operator()(const int index, const int first, const int last) const {
    for (int n = first; n < last; ++n) {
      const int mu = n % 4;
      const Reached x = links.start(index, n / 4), ahead = links.step(x, mu, +1);
      ColorMatrix<V> sum = detail::zero_matrix<V>();
      for (int nu = 0; nu < 4; ++nu) {
        if (nu == mu) continue;
        add_path(sum, x, ahead, mu, nu, +1);
        add_path(sum, x, ahead, mu, nu, -1);
      }
      sums.add(1.0, minus_quarter_i_product(links.load(x, mu), sum), index, n / 4, mu);
    }
  }
};

}  // namespace

void add_field_strength_force(GaugeField<double>& matrices, const GaugeField<double>& links,
                              const FieldStrengthDerivative& derivative) {
  detail::require_storage(links.storage(), LinkStorage::full);
  detail::require_storage(matrices.storage(), LinkStorage::full);
  const Lattice& lattice = links.lattice();
  require(matrices.lattice() == lattice && derivative.lattice() == lattice,
          "the matrices of a force, the links and the derivative by their field strength must lie on one lattice");
  require(matrices.data() != links.data(), "the matrices of a force must not be the links themselves");
  detail::with_near_matrices(lattice, [&]<class Matrices>() {
    using Access = typename Matrices::Access;
    const Matrices u(links), spatial(derivative.spatial()), temporal(derivative.temporal());
    using V = typename Access::Value;
    detail::run_near("kaon::field_strength_force", lattice,
                     FieldStrengthForceKernel<Access>{u.access().node, NearSums<double, V>(matrices), u.access(),
                                                      spatial.access(), temporal.access()});
  });
}

}  // namespace kaon
