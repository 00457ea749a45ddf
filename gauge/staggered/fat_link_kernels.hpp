// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "gauge/staples.hpp"

#include <kaon/gauge/path_coefficients.hpp>

namespace kaon::detail {

// The three passes of `fat_links`, each over the sites of both parities: number n of a kernel's calls is a parity and,
// in the first two passes, one of the directions across mu.

/// The three directions that are not mu, numbered 0, 1, 2, as a staple has them.
struct DirectionsAcross {
  int mu;
  KOKKOS_FORCEINLINE_FUNCTION int direction(int number) const { return number + (number >= mu); }
  KOKKOS_FORCEINLINE_FUNCTION static int next(int number) { return number == 2 ? 0 : number + 1; }
};

/// Teams on a multiprocessor of kernels that fit into 128 registers a thread. `FirstStaples` does not, by 80 bytes.
inline constexpr unsigned staple_teams = 4;

/// X_nu = S_nu(Y_mu), Y = `field`: the links, or a gradient. 828 flops.
template <class Links>
struct FirstStaples {
  using V = typename Links::Value;
  static constexpr int calls = 6;
  SubLattice node;
  Links x, links, field;
  int mu;

  KOKKOS_FUNCTION void operator()(const int index, const int first, const int last) const {
    const DirectionsAcross across{mu};
    for (int n = first; n < last; ++n) {
      const int nu = n % 3;
      const auto site = links.start(index, n / 3);
      ColorMatrix<V> sum = zero_matrix<V>();
      add_staple(sum, links, field, mu, site, links.step(site, mu, +1), across.direction(nu));
      x.store(sum, site, nu);
    }
  }
};

/// T_nu = three U_mu + lepage X_nu + five (X_rho + X_sigma) + seven (S_rho(X_sigma) + S_sigma(X_rho)). 1836 flops.
template <class Links>
struct SecondStaples {
  using V = typename Links::Value;
  static constexpr int calls = 6;
  template <bool several>
  static constexpr unsigned min_teams = staple_teams;
  SubLattice node;
  Links t, links, x;
  PathCoefficients weights;
  int mu;

  KOKKOS_FUNCTION void operator()(const int index, const int first, const int last) const {
    const DirectionsAcross across{mu};
    for (int n = first; n < last; ++n) {
      const int nu = n % 3, rho = DirectionsAcross::next(nu), sigma = DirectionsAcross::next(rho);
      const auto site = links.start(index, n / 3);
      const auto ahead = links.step(site, mu, +1);
      ColorMatrix<V> sevens = zero_matrix<V>();
      add_staple(sevens, links, x, sigma, site, ahead, across.direction(rho));
      add_staple(sevens, links, x, rho, site, ahead, across.direction(sigma));
      ColorMatrix<V> sum = zero_matrix<V>();
      add_multiple(sum, weights.seven_staple, sevens);
      add_multiple(sum, weights.three_staple, links.load(site, mu));
      add_multiple(sum, weights.lepage, x.load(site, nu));
      add_multiple(sum, weights.five_staple, x.load(site, rho));
      add_multiple(sum, weights.five_staple, x.load(site, sigma));
      t.store(sum, site, nu);
    }
  }
};

/// F_mu = (one - 6 lepage) U_mu + sum_nu S_nu(T_nu). 2520 flops.
template <class Links>
struct LastStaples {
  using V = typename Links::Value;
  static constexpr int calls = 2;
  template <bool several>
  static constexpr unsigned min_teams = staple_teams;
  SubLattice node;
  NearLinks<double, V> fat;
  Links links, t;
  PathCoefficients weights;
  int mu;

  KOKKOS_FUNCTION void operator()(const int index, const int first, const int last) const {
    const DirectionsAcross across{mu};
    for (int parity = first; parity < last; ++parity) {
      const auto site = links.start(index, parity);
      const auto ahead = links.step(site, mu, +1);
      ColorMatrix<V> sum = zero_matrix<V>();
      add_multiple(sum, weights.one_link - 6.0 * weights.lepage, links.load(site, mu));
      for (int nu = 0; nu < 3; ++nu) add_staple(sum, links, t, nu, site, ahead, across.direction(nu));
      fat.store(sum, fat.start(index, parity), mu);
    }
  }
};

}  // namespace kaon::detail
