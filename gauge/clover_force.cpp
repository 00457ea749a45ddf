// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/launch/launch.hpp"
#include "gauge/near_fields.hpp"
#include "gauge/su3.hpp"

#include <kaon/core/error.hpp>
#include <kaon/gauge/clover_force.hpp>

namespace kaon {
namespace {

using detail::ColorMatrix;
using detail::NearLinks;
using detail::SubLattice;

/// The path b c d from x + mu to x, with a matrix w at one of its four corners, the first of them x + mu:
/// w0 b c d + b w1 c d + b c w2 d + b c d w3. One function for links that are read in different ways, as in
/// gauge/staples.hpp. 1638 flops.
template <class V>
KAON_KERNEL_PART ColorMatrix<V> with_corners(const ColorMatrix<V> (&path)[3], const ColorMatrix<V> (&w)[4]) {
  const ColorMatrix<V> last = path[1] * path[2];
  ColorMatrix<V> inner = w[1] * last;
  inner = inner + (path[1] * w[2]) * path[2];
  inner = inner + last * w[3];
  return path[0] * inner + w[0] * (path[0] * last);
}

/// sum += -(i/4) u e, real factors in e. 252 flops.
template <class V>
KAON_KERNEL_PART void add_times_quarter_i(ColorMatrix<V>& sum, const ColorMatrix<V>& u, const ColorMatrix<V>& e) {
  const ColorMatrix<V> product = u * e;
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) {
      sum.e[row][column].re = sum.e[row][column].re + V(0.25) * product.e[row][column].im;
      sum.e[row][column].im = sum.e[row][column].im - V(0.25) * product.e[row][column].re;
    }
  }
}

/// V_mu(x) = V_mu(x) - (i/4) U_mu(x) sum_{nu, +-} +-s_{mu nu} (the path back to x in direction +-nu, with corners),
/// s_{mu nu} = 1 for mu < nu and -1 otherwise: F_{nu mu} = -F_{mu nu}. Not to be run twice.
template <class Links>
struct FieldStrengthForceKernel {
  using V = typename Links::Value;
  using Reached = typename Links::Reached;
  static constexpr int calls = 8;
  SubLattice node;
  NearLinks<double, V> sums;
  Links links, spatial, temporal;

  KOKKOS_FUNCTION ColorMatrix<V> derivative(const Reached& at, int mu, int nu) const {
    const int low = mu < nu ? mu : nu, high = mu < nu ? nu : mu;
    return high == 3 ? temporal.load(at, low) : spatial.load(at, low + high - 1);
  }

  KOKKOS_FUNCTION void operator()(const int index, const int first, const int last) const {
    for (int n = first; n < last; ++n) {
      const int mu = n % 4;
      const Reached x = links.start(index, n / 4), ahead = links.step(x, mu, +1);
      ColorMatrix<V> sum = detail::zero_matrix<V>();
      for (int nu = 0; nu < 4; ++nu) {
        if (nu == mu) continue;
        for (int sign = +1; sign >= -1; sign -= 2) {
          const Reached beside = links.step(x, nu, sign), there = links.step(ahead, nu, sign);
          const bool up = sign > 0;
          const ColorMatrix<V> path[3] = {up ? links.load(ahead, nu) : adjoint(links.load(there, nu)),
                                          adjoint(links.load(beside, mu)),
                                          up ? adjoint(links.load(x, nu)) : links.load(beside, nu)};
          const ColorMatrix<V> w[4] = {derivative(ahead, mu, nu), derivative(there, mu, nu),
                                       derivative(beside, mu, nu), derivative(x, mu, nu)};
          add_multiple(sum, mu < nu ? sign : -sign, with_corners(path, w));
        }
      }
      const auto to = sums.start(index, n / 4);
      ColorMatrix<V> changed = sums.load(to, mu);
      add_times_quarter_i(changed, links.load(x, mu), sum);
      sums.store(changed, to, mu);
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
    const FieldStrengthForceKernel<Access> kernel{u.access().node, NearLinks<double, typename Access::Value>(matrices),
                                                  u.access(), spatial.access(), temporal.access()};
    detail::for_each_site("kaon::field_strength_force", lattice.execution(), kernel.node.half_volume, kernel.calls,
                          kernel);
  });
}

}  // namespace kaon
