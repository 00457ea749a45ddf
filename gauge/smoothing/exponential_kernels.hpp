// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "gauge/near_links.hpp"
#include "gauge/su3_exponential.hpp"

namespace kaon::detail {

/// P = gain TA(C U^dag) + keep P', out = exp(P) U. Links of the omitted direction are copied. 1100 flops and those of
/// C.
template <class Staples>
struct ExponentialStep {
  using Links = typename Staples::Links;
  using V = typename Links::Value;
  static constexpr int calls = 2 * Staples::directions;
  SubLattice node;
  NearLinks<double, V> out;
  NearLinks<double, V> before, after;  ///< P' and P; not touched where keep = 0 and where P is not `stored`
  Staples staples;
  double gain, keep;
  bool stored;

  KOKKOS_FUNCTION void operator()(const int index, const int first, const int last) const {
    const Links& links = staples.links;
    for (int n = first; n < last; ++n) {
      const int parity = n / Staples::directions, mu = staples.direction(n % Staples::directions);
      const auto site = links.start(index, parity);
      const auto here = out.start(index, parity);
      const ColorMatrix<V> u = links.load(site, mu);
      if (mu == staples.omitted) {
        out.store(u, here, mu);
        continue;
      }
      ColorMatrix<V> p = zero_matrix<V>();
      add_multiple(p, gain, traceless_antihermitian(times_adjoint(staples(site, links.step(site, mu, +1), mu), u)));
      if (keep != 0.0) add_multiple(p, keep, before.load(here, mu));
      if (stored) after.store(p, here, mu);
      out.store(exponential(p) * u, here, mu);
    }
  }
};

}  // namespace kaon::detail
