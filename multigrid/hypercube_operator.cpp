// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/hypercube_operator.hpp"

#include "core/fields/temporaries.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>

namespace kaon::detail {

template <class T>
HypercubeOperator<T>::HypercubeOperator(const GaugeField<T>& links, const BoundaryAngles& boundary, double mass,
                                        CoarseLinkPrecision stored)
    : map_(links.lattice()) {
  require(mass > 0.0, [&] { return fmt::format("multigrid of staggered quarks needs a positive mass, not {}", mass); });
  GalerkinMatrices<T> matrices = hypercube_matrices(map_, links, boundary, mass);
  const Lattice& lattice = map_.hypercubes();
  Temporaries<T> columns(lattice, matrices.x().parameters(), 2);
  SpinorField<T>&root = columns[0], &inverse_root = columns[1];
  spectrum_ = hypercube_roots(root, inverse_root, matrices.x());
  require(spectrum_.singular == 0, [&] {
    return fmt::format(
        "the hops within {} hypercubes of 2^4 sites have no inverse: multigrid does not take these links; use CG",
        spectrum_.singular);
  });
  root_.emplace(root);
  inverse_root_.emplace(inverse_root);
  const CoarseOperator<T> hops(matrices.y(), CoarseLinkPrecision::field);
  const int parities = lattice.parities();
  for (int mu = 0; mu < directions; ++mu) {  // Y_{+mu} <- X^(-1/2) Y_{+mu} X^(-1/2)
    for (int p = 0; p < parities; ++p) {
      SpinorField<T> y = matrices.y(static_cast<std::size_t>(mu)).parity(Parity{p});
      hops.hop_along(y, inverse_root.parity(Parity{parities == 1 ? p : 1 - p}), mu);
      inverse_root_->apply(y, y);
    }
  }
  matrix_.emplace(matrices.y(), stored);
}

template class HypercubeOperator<double>;
template class HypercubeOperator<float>;

}  // namespace kaon::detail
