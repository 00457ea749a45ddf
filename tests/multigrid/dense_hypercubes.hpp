// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "multigrid/coarse/coarse_operator.hpp"
#include "multigrid/coarse/site_matrix_fields.hpp"
#include "multigrid/staggered/hypercube_operator.hpp"
#include "multigrid/transfer/galerkin.hpp"

#include <complex>
#include <cstddef>
#include <vector>

// The operators of hypercubes with dense links, which `HypercubeOperator` is compared with.
namespace kaon::test {

/// X, and Y_{+mu} of the numbers E.
detail::GalerkinMatrices hypercube_matrices(const detail::HypercubeMap& map, const GaugeField<float>& links,
                                            const BoundaryAngles& boundary, double mass) {
  constexpr int n = detail::hypercube_components;
  SpinorParameters shape{.spins = 2, .colors = n / 2, .right_hand_sides = n};
  detail::GalerkinMatrices matrices(map.hypercubes(), shape);
  shape.right_hand_sides = detail::outer_columns;
  SpinorField<float> outer(map.hypercubes(), shape);
  detail::hypercube_factors(matrices.x(), outer, map, links, boundary, mass);
  for (int mu = 0; mu < directions; ++mu) {
    for (int column = 0; column < n; ++column) {
      const int ahead = detail::site_of_component(column), here = ahead ^ 1 << mu;
      std::vector<std::complex<double>> values = outer.to_host(colors * mu + column % colors);
      for (std::size_t k = 0; k < values.size(); ++k) {
        const bool leaves = (ahead >> mu & 1) == 0 && detail::site_of_component(static_cast<int>(k % n)) == here;
        if (!leaves) values[k] = 0.0;
      }
      matrices.y(static_cast<std::size_t>(mu)).from_host(values, column);
    }
  }
  return matrices;
}

/// A = X^(-1/2) T^dag M T X^(-1/2).
detail::CoarseOperator dense_hypercube_operator(const GaugeField<float>& links, const BoundaryAngles& boundary,
                                                double mass) {
  const detail::HypercubeMap map(links.lattice());
  detail::GalerkinMatrices matrices = hypercube_matrices(map, links, boundary, mass);
  SpinorField<float> root(map.hypercubes(), matrices.x().parameters()),
      inverse_root(map.hypercubes(), root.parameters());
  detail::hypercube_roots(root, inverse_root, matrices.x());
  const detail::SiteMatrices left(inverse_root);
  const int parities = map.hypercubes().parities();
  SpinorField<float> one(map.hypercubes(), root.parameters());
  for (int p = 0; p < parities; ++p) {
    SpinorField<float> of_parity = one.parity(Parity{p});
    detail::set_units(of_parity, 0);
  }
  const detail::CoarseOperator hops(one, matrices.y(), detail::StoredPrecision::field);
  for (int mu = 0; mu < directions; ++mu) {
    for (int p = 0; p < parities; ++p) {
      SpinorField<float> y = matrices.y(static_cast<std::size_t>(mu)).parity(Parity{p});
      hops.hop_along(y, inverse_root.parity(Parity{parities == 1 ? p : 1 - p}), mu);
      left.apply(y, y);
    }
  }
  return detail::CoarseOperator(one, matrices.y(), detail::StoredPrecision::field);
}

}  // namespace kaon::test
