// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "gauge/near_fields.hpp"
#include "gauge/su3.hpp"

#include <kaon/core/error.hpp>
#include <kaon/gauge/link_paths.hpp>
#include <kaon/gauge/one_loop_action.hpp>

#include <fmt/format.h>

#include <cmath>
#include <vector>

namespace kaon {
namespace {

using detail::ColorMatrix;
using detail::NearSums;
using detail::SubLattice;

/// The signs of two steps, by number.
KOKKOS_INLINE_FUNCTION int first_sign(int number) { return number / 2 == 0 ? 1 : -1; }
KOKKOS_INLINE_FUNCTION int second_sign(int number) { return number % 2 == 0 ? 1 : -1; }

/// sum += a b c^dag
template <class V>
KAON_KERNEL_PART void add_path(ColorMatrix<V>& sum, const ColorMatrix<V>& a, const ColorMatrix<V>& b,
                               const ColorMatrix<V>& c) {
  add_multiple(sum, 1.0, times_adjoint(a * b, c));
}

/// K_st and K_ts of the four pairs of signs. 8 products.
template <class Links>
struct CornersKernel {
  using V = typename Links::Value;
  static constexpr int calls = 8;
  SubLattice node;
  Links st, ts, links;
  int nu, rho;

  KOKKOS_FUNCTION void operator()(const int index, const int first, const int last) const {
    for (int n = first; n < last; ++n) {
      const int number = n % 4, s = first_sign(number), t = second_sign(number);
      const auto site = links.start(index, n / 4);
      st.store(corner(site, nu, s, rho, t), site, number);
      ts.store(corner(site, rho, t, nu, s), site, number);
    }
  }

  KOKKOS_INLINE_FUNCTION ColorMatrix<V> corner(const typename Links::Reached& x, int mu, int sign, int next,
                                               int next_sign) const {
    const auto at = links.step(x, mu, sign);
    const ColorMatrix<V> one = sign > 0 ? links.load(x, mu) : adjoint(links.load(at, mu));
    const ColorMatrix<V> other =
        next_sign > 0 ? links.load(at, next) : adjoint(links.load(links.step(at, next, -1), next));
    return detail::product(one, other);
  }
};

/// V_mu = V_mu + w U_mu C_mu^dag for the two directions across a plane. 34 products.
template <class Links>
struct ParallelogramForce {
  using V = typename Links::Value;
  static constexpr int calls = 4;
  SubLattice node;
  NearSums<double, V> matrices;
  Links st, ts, links;
  int nu, rho, across[2];
  double weight;

  KOKKOS_FUNCTION void operator()(const int index, const int first, const int last) const {
    for (int n = first; n < last; ++n) {
      const int parity = n / 2, mu = across[n % 2];
      const auto site = links.start(index, parity), ahead = links.step(site, mu, +1);
      ColorMatrix<V> sum = detail::zero_matrix<V>();
      for (int number = 0; number < 4; ++number) {
        const auto at = links.step(links.step(site, nu, first_sign(number)), rho, second_sign(number));
        const ColorMatrix<V> u = links.load(at, mu);
        add_path(sum, st.load(site, number), u, ts.load(ahead, number));
        add_path(sum, ts.load(site, number), u, st.load(ahead, number));
      }
      matrices.add(weight, times_adjoint(links.load(site, mu), sum), index, parity, mu);
    }
  }
};

void require_finite(double parallelogram) {
  require(std::isfinite(parallelogram),
          [&] { return fmt::format("an action of loops needs finite numbers, not c_2 = {}", parallelogram); });
}

}  // namespace

OneLoopWeights one_loop_symanzik_weights(double u0, double flavors) {
  require(std::isfinite(u0) && u0 > 0.0 && std::isfinite(flavors), [&] {
    return fmt::format("Symanzik's action at one loop needs a tadpole factor above 0, not u0 = {}, and {} flavours", u0,
                       flavors);
  });
  const double log = std::log(u0), square = u0 * u0;
  const double parallelogram = flavors == 0.0 ? 0.04335 : 0.0433 - 0.0156 * flavors;
  return {.planar = {.plaquette = 1.0, .rectangle = -(1.0 - (0.6264 - 1.1746 * flavors) * log) / (20.0 * square)},
          .parallelogram = parallelogram * log / square};
}

double one_loop_action(const GaugeField<double>& links, double beta, const OneLoopWeights& weights) {
  require_finite(weights.parallelogram);
  const double planar = loop_action(links, beta, weights.planar);
  if (weights.parallelogram == 0.0) return planar;
  std::vector<LinkPath> loops;
  for (int mu = 1; mu <= directions; ++mu) {
    for (int nu = mu + 1; nu <= directions; ++nu) {
      for (int rho = nu + 1; rho <= directions; ++rho) {
        for (const int s : {nu, -nu}) {
          for (const int t : {rho, -rho}) loops.push_back({mu, s, t, -mu, -s, -t});
        }
      }
    }
  }
  double sum = 0.0;
  for (const std::complex<double>& trace : loop_traces(links, loops)) sum += 1.0 - trace.real();
  return planar + beta * weights.parallelogram * static_cast<double>(links.lattice().volume()) * sum;
}

void add_one_loop_force(GaugeField<double>& matrices, const GaugeField<double>& links, double beta,
                        const OneLoopWeights& weights) {
  require_finite(weights.parallelogram);
  add_loop_force(matrices, links, beta, weights.planar);
  if (weights.parallelogram == 0.0) return;
  const Lattice& lattice = links.lattice();
  const double weight = -beta * weights.parallelogram / 3.0;
  detail::with_near_matrices(lattice, [&]<class Matrices>() {
    using Access = typename Matrices::Access;
    const Matrices u(links);
    const NearSums<double, typename Access::Value> sums(matrices);
    Matrices st(lattice, 4), ts(lattice, 4);
    for (int nu = 0; nu < directions; ++nu) {
      for (int rho = nu + 1; rho < directions; ++rho) {
        detail::run_near("kaon::corners", lattice,
                         CornersKernel<Access>{u.access().node, st.access(), ts.access(), u.access(), nu, rho});
        st.exchange();
        ts.exchange();
        // The directions are 0 to 3, with the sum 6.
        int mu = 0;
        while (mu == nu || mu == rho) ++mu;
        detail::run_near(
            "kaon::parallelogram_force", lattice,
            ParallelogramForce<Access>{
                u.access().node, sums, st.access(), ts.access(), u.access(), nu, rho, {mu, 6 - nu - rho - mu}, weight});
      }
    }
  });
}

}  // namespace kaon
