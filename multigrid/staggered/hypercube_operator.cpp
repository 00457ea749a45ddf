// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/staggered/hypercube_operator.hpp"

#include <kaon/core/error.hpp>
#include <kaon/core/kept_fields.hpp>

#include <fmt/format.h>

#include <variant>

namespace kaon::detail {

namespace {

void require_mass(double mass) {
  require(mass > 0.0, [&] { return fmt::format("multigrid of staggered quarks needs a positive mass, not {}", mass); });
}

void require_regular(const HypercubeSpectrum& spectrum) {
  require(spectrum.singular == 0, [&] {
    return fmt::format(
        "the hops within {} hypercubes of 2^4 sites have no inverse: multigrid does not take these links; use CG",
        spectrum.singular);
  });
}

SpinorParameters columns_of_hypercubes(int columns) {
  return {.spins = 2, .colors = hypercube_components / 2, .right_hand_sides = columns};
}

}  // namespace

HypercubeOperator::HypercubeOperator(const GaugeField<float>& links, const BoundaryAngles& boundary, double mass,
                                     MultigridPrecision stored)
    : map_(links.lattice()) {
  require_mass(mass);
  make(links, boundary, mass, stored);
  map_.hypercubes().release_memory();  // of the columns: 3.7 kB a site
}

void HypercubeOperator::make(const GaugeField<float>& links, const BoundaryAngles& boundary, double mass,
                             MultigridPrecision stored) {
  const Lattice& lattice = map_.hypercubes();
  Temporaries<float> hops(lattice, columns_of_hypercubes(outer_columns), 1);
  Temporaries<float> columns(lattice, columns_of_hypercubes(hypercube_components), 3);
  SpinorField<float>&x = columns[0], &root = columns[1], &inverse_root = columns[2];
  hypercube_factors(x, hops[0], map_, links, boundary, mass);
  spectrum_ = hypercube_roots(root, inverse_root, x);
  require_regular(spectrum_);
  const SiteMatrices exact(inverse_root);
  exact.apply_to_all(x, inverse_root);  // X^-1
  root_ = std::make_shared<const SiteMatrices>(root, stored);
  inverse_root_ = std::make_shared<const SiteMatrices>(inverse_root, stored);
  const auto outer =
      std::make_shared<CoarseLinks>(make_coarse_links(lattice, hypercube_components, 1, stored, outer_columns));
  for (int p = 0; p < lattice.parities(); ++p) {
    std::visit([&](auto& matrices) { matrices.store(hops[0].parity(Parity{p}), 0); }, *outer);
  }
  matrix_.emplace(lattice, outer, inverse_root_, inverse_root_);
  left_matrix_.emplace(lattice, outer, std::make_shared<const SiteMatrices>(x, stored), nullptr);
}

}  // namespace kaon::detail
