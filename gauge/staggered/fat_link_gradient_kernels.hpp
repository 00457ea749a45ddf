// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "gauge/staggered/fat_link_kernels.hpp"

namespace kaon::detail {

// The passes of `fat_links` backwards. S changes by Re tr(Y^dag dF). Each staple S_nu(X) is linear and self-adjoint in
// X, and its links take
//
//   B_nu(Y, X)(x) = Y(x) U_nu(x+mu) X(x+nu)^dag + Y(x-mu)^dag U_nu(x-mu) X(x-mu+nu) + (X <-> Y),
//
// which are sums of the shape of a staple in direction mu.

/// sum += B_nu(Y, X)(x), with x + nu given. 1656 flops.
template <class Links, class V = typename Links::Value>
KOKKOS_INLINE_FUNCTION void add_staple_adjoint(ColorMatrix<V>& sum, const Links& links, const Numbered<Links>& y,
                                               const Numbered<Links>& x, const typename Links::Reached& at,
                                               const typename Links::Reached& ahead, int mu, int nu) {
  add_staple_between<Links>(sum, y, {links, nu}, x, at, ahead, mu);
  add_staple_between<Links>(sum, x, {links, nu}, y, at, ahead, mu);
}

/// X'_nu = S_nu(Y_mu): what T_nu of `fat_links` takes of Y. 828 flops.
template <class Links>
struct GradientStaples {
  using V = typename Links::Value;
  static constexpr int calls = 6;
  SubLattice node;
  Links out, links, gradient;
  int mu;

  KOKKOS_FUNCTION void operator()(const int index, const int first, const int last) const {
    const DirectionsAcross across{mu};
    for (int n = first; n < last; ++n) {
      const auto site = links.start(index, n / 3);
      ColorMatrix<V> sum = zero_matrix<V>();
      add_staple(sum, links, gradient, mu, site, links.step(site, mu, +1), across.direction(n % 3));
      out.store(sum, site, n % 3);
    }
  }
};

/// G_mu += (one - 6 lepage) Y_mu + sum_nu (three X'_nu + S_nu(T'_nu)). 2664 flops.
template <class Links>
struct GradientAlong {
  using V = typename Links::Value;
  static constexpr int calls = 2;
  SubLattice node;
  NearSums<double, V> sums;
  Links links, gradient, x, t;
  PathCoefficients weights;
  int mu;

  void start_adding() { sums.share = 1.0; }

  KOKKOS_FUNCTION void operator()(const int index, const int first, const int last) const {
    const DirectionsAcross across{mu};
    for (int parity = first; parity < last; ++parity) {
      const auto site = links.start(index, parity);
      const auto ahead = links.step(site, mu, +1);
      ColorMatrix<V> sum = zero_matrix<V>();
      add_multiple(sum, weights.one_link - 6.0 * weights.lepage, gradient.load(site, mu));
      for (int nu = 0; nu < 3; ++nu) {
        add_multiple(sum, weights.three_staple, x.load(site, nu));
        add_staple(sum, links, t, nu, site, ahead, across.direction(nu));
      }
      sums.add(1.0, sum, index, parity, mu);
    }
  }
};

/// G_nu += B_nu(Y_mu, T_nu) + B_nu(T'_nu, U_mu) + seven (B_nu(X'_rho, X_sigma) + B_nu(X'_sigma, X_rho)). 6696 flops.
template <class Links>
struct GradientAcross {
  using V = typename Links::Value;
  static constexpr int calls = 6;
  SubLattice node;
  NearSums<double, V> sums;
  Links links, x, t;                       ///< of `fat_links`
  Links gradient, gradient_x, gradient_t;  ///< Y, X', T'
  PathCoefficients weights;
  int mu;

  void start_adding() { sums.share = 1.0; }

  KOKKOS_FUNCTION void operator()(const int index, const int first, const int last) const {
    const DirectionsAcross across{mu};
    for (int n = first; n < last; ++n) {
      const int number = n % 3, rho = DirectionsAcross::next(number), sigma = DirectionsAcross::next(rho);
      const int nu = across.direction(number);
      const auto site = links.start(index, n / 3);
      const auto ahead = links.step(site, nu, +1);
      ColorMatrix<V> sevens = zero_matrix<V>(), sum = zero_matrix<V>();
      add_staple_adjoint(sevens, links, {gradient_x, rho}, {x, sigma}, site, ahead, mu, nu);
      add_staple_adjoint(sevens, links, {gradient_x, sigma}, {x, rho}, site, ahead, mu, nu);
      add_multiple(sum, weights.seven_staple, sevens);
      add_staple_adjoint(sum, links, {gradient, mu}, {t, number}, site, ahead, mu, nu);
      add_staple_adjoint(sum, links, {gradient_t, number}, {links, mu}, site, ahead, mu, nu);
      sums.add(1.0, sum, index, n / 3, nu);
    }
  }
};

/// G_mu(x) += weight (N(x) T(x+2)^dag U(x+1)^dag + ...): U is the first, the second and the third link of third links.
/// 1260 flops.
template <class Links>
struct ThirdGradient {
  using V = typename Links::Value;
  static constexpr int calls = 8;
  SubLattice node;
  NearSums<double, V> sums;
  Links links, gradient;
  double weight;

  void start_adding() { sums.share = 1.0; }

  KOKKOS_FUNCTION void operator()(const int index, const int first, const int last) const {
    for (int n = first; n < last; ++n) {
      const int mu = n % 4;
      const auto site = links.start(index, n / 4);
      const auto next = links.step(site, mu, +1), previous = links.step(site, mu, -1);
      const auto before = links.step(previous, mu, -1);
      ColorMatrix<V> sum = zero_matrix<V>();
      const ColorMatrix<V> behind = links.load(previous, mu), ahead = links.load(next, mu);
      add_third(sum, gradient.load(site, mu), ahead, links.load(links.step(next, mu, +1), mu));
      add_middle(sum, behind, gradient.load(previous, mu), ahead);
      add_last(sum, links.load(before, mu), behind, gradient.load(before, mu));
      sums.add(weight, sum, index, n / 4, mu);
    }
  }

 private:
  /// sum += y (a b)^dag
  KAON_KERNEL_PART static void add_third(ColorMatrix<V>& sum, const ColorMatrix<V>& y, const ColorMatrix<V>& a,
                                         const ColorMatrix<V>& b) {
    sum = sum + times_adjoint(y, a * b);
  }
  /// sum += a^dag y b^dag
  KAON_KERNEL_PART static void add_middle(ColorMatrix<V>& sum, const ColorMatrix<V>& a, const ColorMatrix<V>& y,
                                          const ColorMatrix<V>& b) {
    sum = sum + times_adjoint(adjoint_times(a, y), b);
  }
  /// sum += (a b)^dag y
  KAON_KERNEL_PART static void add_last(ColorMatrix<V>& sum, const ColorMatrix<V>& a, const ColorMatrix<V>& b,
                                        const ColorMatrix<V>& y) {
    sum = sum + adjoint_times(a * b, y);
  }
};

}  // namespace kaon::detail
