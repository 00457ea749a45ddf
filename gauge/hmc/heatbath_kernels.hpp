// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/random/random_sequence.hpp"
#include "gauge/staples.hpp"

namespace kaon::detail {

/// a0 + i (a1 s1 + a2 s2 + a3 s3).
template <class V>
struct Quaternion {
  V a[4];

  friend KOKKOS_INLINE_FUNCTION Quaternion operator*(const Quaternion& p, const Quaternion& q) {
    return {{p.a[0] * q.a[0] - p.a[1] * q.a[1] - p.a[2] * q.a[2] - p.a[3] * q.a[3],
             p.a[0] * q.a[1] + p.a[1] * q.a[0] - p.a[2] * q.a[3] + p.a[3] * q.a[2],
             p.a[0] * q.a[2] + p.a[2] * q.a[0] - p.a[3] * q.a[1] + p.a[1] * q.a[3],
             p.a[0] * q.a[3] + p.a[3] * q.a[0] - p.a[1] * q.a[2] + p.a[2] * q.a[1]}};
  }
};

/// S^dag = sum_{nu != mu} U_nu(x) U_mu(x+nu) U_nu(x+mu)^dag + U_nu(x-nu)^dag U_mu(x-nu) U_nu(x+mu-nu): Re Tr U_mu(x) S
/// is the sum over the six plaquettes with the link. 2430 flops.
template <class Links, class V = typename Links::Value>
KOKKOS_INLINE_FUNCTION ColorMatrix<V> adjoint_staples(const Links& links, const typename Links::Reached& x, int mu) {
  ColorMatrix<V> sum = zero_matrix<V>();
  const auto ahead = links.step(x, mu, +1);
  for (int nu = 0; nu < 4; ++nu) {
    if (nu != mu) add_staple(sum, links, links, mu, x, ahead, nu);
  }
  return sum;
}

/// Rows i and j of the matrix: (row_i, row_j) <- a (row_i, row_j).
template <class V>
KOKKOS_FORCEINLINE_FUNCTION void rotate_rows(ColorMatrix<V>& u, int i, int j, const Quaternion<V>& a) {
  const Complex<V> diagonal{a.a[0], a.a[3]};
  const Complex<V> outer{a.a[2], a.a[1]};
  for (int column = 0; column < 3; ++column) {
    const Complex<V> upper = u.e[i][column];
    const Complex<V> lower = u.e[j][column];
    u.e[i][column] = diagonal * upper + outer * lower;
    u.e[j][column] = conj(diagonal) * lower - conj(outer) * upper;
  }
}

/// With S the sum of staples and W = U S, goes through the SU(2) subgroups: U <- a U with the a that `rule` chooses.
///
/// Re Tr(a W) = a . v + const, v made of W's 2x2 block, so that e = v / |v| read as a quaternion is the adjoint of W's
/// part in SU(2) and b = a e^dag has the density sqrt(1 - b0^2) exp(beta |v| b0 / 3): `rule` draws b (heatbath) or
/// takes b = e (overrelaxation: b0 is e0 as it was for a = 1). About 1000 flops.
template <class V, class Rule>
KAON_KERNEL_PART void update_link(ColorMatrix<V>& u, const ColorMatrix<V>& adjoint_staples, const Rule& rule, int index,
                                  int parity, int mu) {
  ColorMatrix<V> w = times_adjoint(u, adjoint_staples);
  for (int subgroup = 0; subgroup < 3; ++subgroup) {
    const int i = subgroup == 2 ? 1 : 0;
    const int j = subgroup == 0 ? 1 : 2;
    // The least that can be added makes e = 1 where v = 0.
    Quaternion<V> e{{w.e[i][i].re + w.e[j][j].re + V(1e-100), -(w.e[i][j].im + w.e[j][i].im),
                     w.e[j][i].re - w.e[i][j].re, w.e[j][j].im - w.e[i][i].im}};
    const V norm = square_root(e.a[0] * e.a[0] + e.a[1] * e.a[1] + e.a[2] * e.a[2] + e.a[3] * e.a[3]);
    const V inverse_norm = V(1) / norm;
    for (V& component : e.a) component = component * inverse_norm;
    const Quaternion<V> a = rule(norm, e, index, parity, mu, subgroup) * e;
    rotate_rows(u, i, j, a);
    rotate_rows(w, i, j, a);
  }
}

/// `update_link` on the links in direction mu of the sites of one parity.
template <class Links, class Rule>
struct UpdateKernel {
  using V = typename Links::Value;
  Links links;
  Rule rule;
  int parity, mu;

  KOKKOS_FUNCTION void operator()(const int index, int, int) const {
    const auto x = links.start(index, parity);
    ColorMatrix<V> u = links.load(x, mu);
    update_link(u, adjoint_staples(links, x, mu), rule, index, parity, mu);
    links.store(u, x, mu);
  }
};

/// b = e.
template <class V>
struct Overrelaxation {
  KOKKOS_FUNCTION Quaternion<V> operator()(const V&, const Quaternion<V>& e, int, int, int, int) const { return e; }
};

/// A number in [-1, 1] with the density sqrt(1 - a^2) exp(alpha a), alpha >= 0, as 1 - a: so that nothing is lost near
/// a = 1. Negative after `attempts` rejections, which happens less than once in 10^20.
///
/// With 1 - a = delta the density is sqrt(delta) exp(-alpha delta) sqrt(1 - delta/2); the first two factors are drawn
/// from directly and the third by rejection. For small alpha this would reject nearly always, and a uniform delta is
/// taken instead. Source: A. D. Kennedy and B. J. Pendleton, Phys. Lett. B 156 (1985) 393.
KOKKOS_INLINE_FUNCTION double draw_one_minus_a(double alpha, RandomSequence& sequence) {
  constexpr int attempts = 256;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    const Complex<double> first = sequence.next_uniform_pair();
    if (alpha < 1.0) {
      const double delta = 2.0 * first.re;
      const double weight = Kokkos::sqrt(delta * (2.0 - delta)) * Kokkos::exp(-alpha * delta);
      if (first.im <= weight) return delta;
    } else {
      const Complex<double> second = sequence.next_uniform_pair();
      const double c = Kokkos::cos(2.0 * Kokkos::numbers::pi * second.re);
      const double delta = -(Kokkos::log(first.re) * c * c + Kokkos::log(first.im)) / alpha;
      if (second.im * second.im <= 1.0 - 0.5 * delta) return delta;
    }
  }
  return -1.0;
}

/// b from its distribution, lane by lane.
template <class V>
struct Heatbath {
  SiteMap map;
  RandomKey key;
  double beta_third;

  /// Numbers of one subgroup start here: more than it can take.
  static constexpr std::uint32_t blocks_per_subgroup = 1024;

  KOKKOS_FUNCTION Quaternion<double> draw(double norm, const Quaternion<double>& e, const Place& place, int mu,
                                          int subgroup) const {
    int x[4];
    map.coordinates(place, x);
    RandomSequence sequence(key, Purpose::heatbath, map.global_index(x), mu,
                            static_cast<std::uint32_t>(subgroup) * blocks_per_subgroup);
    const double delta = draw_one_minus_a(beta_third * norm, sequence);
    // Keeping the link as it is (a = 1) leaves the distribution as it is.
    if (delta < 0.0) return {{e.a[0], -e.a[1], -e.a[2], -e.a[3]}};
    const double length = Kokkos::sqrt(delta * (2.0 - delta));
    const Complex<double> u = sequence.next_uniform_pair();
    const double cosine = 2.0 * u.re - 1.0;
    const double sine = 2.0 * Kokkos::sqrt(u.re * (1.0 - u.re));
    const double angle = 2.0 * Kokkos::numbers::pi * u.im;
    return {{1.0 - delta, length * sine * Kokkos::cos(angle), length * sine * Kokkos::sin(angle), length * cosine}};
  }

  KOKKOS_FUNCTION Quaternion<V> operator()(const V& norm, const Quaternion<V>& e, int index, int parity, int mu,
                                           int subgroup) const {
    if constexpr (lane_count<V> == 1) {
      return draw(norm, e, {parity, index, 0}, mu, subgroup);
    } else {
      alignas(sizeof(V)) double b[4][lane_count<V>];
      for (int lane = 0; lane < lane_count<V>; ++lane) {
        const auto l = static_cast<std::size_t>(lane);
        const Quaternion<double> drawn =
            draw(norm[l], {{e.a[0][l], e.a[1][l], e.a[2][l], e.a[3][l]}}, {parity, index, lane}, mu, subgroup);
        for (int component = 0; component < 4; ++component) b[component][lane] = drawn.a[component];
      }
      return {{load_lanes<V>(b[0]), load_lanes<V>(b[1]), load_lanes<V>(b[2]), load_lanes<V>(b[3])}};
    }
  }
};

}  // namespace kaon::detail
