// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quda/spinors.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>

namespace kaon::quda {
namespace {

void require_sites(const SpinorField<double>& psi, const SpinorDescription& description) {
  require(psi.subset() == Subset::full || description.sites == SiteOrder::even_odd,
          "dirac_order = QUDA_CPS_WILSON_DIRAC_ORDER is not supported for fields on one parity");
}

}  // namespace

void read_spinor(SpinorField<double>& psi, int k, const void* pointer, const SpinorDescription& description) {
  require(pointer != nullptr, "a pointer to a spinor is NULL");
  require_sites(psi, description);
  copy_in(psi, description.in(pointer), k);
  if (description.basis == SpinBasis::degrand_rossi) return;
  SpinorField<double> one = psi.range(k, 1);
  change_spinor_basis(one, {.from = description.basis});
}

void write_spinor(void* pointer, const SpinorField<double>& psi, int k, const SpinorDescription& description) {
  require(pointer != nullptr, "a pointer to a spinor is NULL");
  require_sites(psi, description);
  if (description.basis == SpinBasis::degrand_rossi) return copy_out(description.out(pointer), psi, k);
  SpinorParameters parameters = psi.parameters();
  parameters.right_hand_sides = 1;
  SpinorField<double> rotated(psi.lattice(), parameters);
  blas::copy(rotated, psi.range(k, 1));
  change_spinor_basis(rotated, {.to = description.basis});
  copy_out(description.out(pointer), rotated);
}

}  // namespace kaon::quda
