// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/coarse/site_matrices.hpp"

#include "multigrid/coarse/coarse_hop.hpp"

namespace kaon::detail {

template <class T>
SiteMatrices<T>::SiteMatrices(const SpinorField<T>& columns, StoredPrecision stored)
    : SiteMatrices(columns.lattice(), columns.components(), stored) {
  for (int p = 0; p < lattice_.parities(); ++p) {
    std::visit([&](auto& matrices) { matrices.store(columns.parity(Parity{p}), 0); }, matrices_);
  }
}

template <class T>
void SiteMatrices<T>::apply(SpinorField<T>& out, const SpinorField<T>& in, double scale,
                            const Addend<T>& addend) const {
  std::visit(
      [&](const auto& matrices) {
        run_coarse_sum("kaon::coarse_site_term", lattice_, make_coarse_sum(out, in, matrices, scale, addend));
      },
      matrices_);
}

template <class T>
void SiteMatrices<T>::apply_to_all(SpinorField<T>& out, const SpinorField<T>& in) const {
  for (int p = 0; p < lattice_.parities(); ++p) {
    SpinorField<T> out_p = out.parity(Parity{p});
    apply(out_p, in.parity(Parity{p}));
  }
}

template class SiteMatrices<double>;
template class SiteMatrices<float>;

}  // namespace kaon::detail
