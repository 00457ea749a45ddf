// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/coarse/site_matrices.hpp"

#include "multigrid/coarse/coarse_hop.hpp"

namespace kaon::detail {

SiteMatrices::SiteMatrices(const SpinorField<float>& columns, MultigridPrecision stored)
    : SiteMatrices(columns.lattice(), columns.components(), stored) {
  for (int p = 0; p < lattice_.parities(); ++p) {
    std::visit([&](auto& matrices) { matrices.store(columns.parity(Parity{p}), 0); }, matrices_);
  }
}

void SiteMatrices::apply(SpinorField<float>& out, const SpinorField<float>& in, double scale,
                         const Addend& addend) const {
  std::visit(
      [&](const auto& matrices) {
        run_coarse_sum("kaon::coarse_site_term", lattice_, make_coarse_sum(out, in, matrices, scale, addend));
      },
      matrices_);
}

void SiteMatrices::apply_to_all(SpinorField<float>& out, const SpinorField<float>& in) const {
  for (int p = 0; p < lattice_.parities(); ++p) {
    SpinorField<float> out_p = out.parity(Parity{p});
    apply(out_p, in.parity(Parity{p}));
  }
}

}  // namespace kaon::detail
