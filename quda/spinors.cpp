// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quda/spinors.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>

namespace kaon::quda {
namespace {

void require_sites(const void* pointer, const SpinorField<double>& psi, const SpinorDescription& description) {
  require(pointer != nullptr, "a pointer to a spinor is NULL");
  require(psi.subset() == Subset::full || description.sites == SiteOrder::even_odd,
          "dirac_order = QUDA_CPS_WILSON_DIRAC_ORDER is not supported for fields on one parity");
}

/// A slice of one parity in a client's array, [parity][slice][site], of a field with that description.
template <class View>
View slice_of(View view, const SpinorField<double>& psi, const SpinorDescription& description, Parity parity, int s) {
  const int volume = static_cast<int>(psi.lattice().local_volume() / 2);
  int place = s;
  if (psi.subset() == Subset::full) {
    const bool exchanged = description.sites == SiteOrder::odd_even;
    const int second = static_cast<int>(parity) + (description.slices_alternate ? s : 0) + (exchanged ? 1 : 0);
    place += second % 2 * psi.slices();
  }
  const std::size_t number = view.element == ArrayElement::complex128 ? sizeof(double) : sizeof(float);
  const std::size_t sites = static_cast<std::size_t>(place) * static_cast<std::size_t>(volume);
  const std::size_t bytes = sites * 2 * static_cast<std::size_t>(psi.components()) * number;
  using Bytes = std::conditional_t<std::is_const_v<std::remove_pointer_t<decltype(view.data)>>, const char, char>;
  view.data = static_cast<Bytes*>(view.data) + bytes;
  view.sites = SiteOrder::even_odd;
  return view;
}

}  // namespace

void read_spinor(SpinorField<double>& psi, int k, const void* pointer, const SpinorDescription& description) {
  require_sites(pointer, psi, description);
  SpinorField<double> one = psi.range(k, 1);
  const bool rotates = description.basis != SpinBasis::degrand_rossi;
  if (psi.slices() == 1) {
    copy_in(one, description.in(pointer));
    if (rotates) change_spinor_basis(one, {.from = description.basis});
    return;
  }
  for_each_slice(one, [&](SpinorField<double> slice, Parity parity, int s) {
    copy_in(slice, slice_of(description.in(pointer), psi, description, parity, s));
    if (rotates) change_spinor_basis(slice, {.from = description.basis});
  });
}

void write_spinor(void* pointer, const SpinorField<double>& psi, int k, const SpinorDescription& description) {
  require_sites(pointer, psi, description);
  const bool rotates = description.basis != SpinBasis::degrand_rossi;
  if (psi.slices() == 1 && !rotates) return copy_out(description.out(pointer), psi, k);
  SpinorParameters parameters = psi.parameters();
  parameters.right_hand_sides = 1;
  SpinorField<double> rotated(psi.lattice(), parameters);
  blas::copy(rotated, psi.range(k, 1));
  if (psi.slices() == 1) {
    change_spinor_basis(rotated, {.to = description.basis});
    return copy_out(description.out(pointer), rotated);
  }
  for_each_slice(rotated, [&](SpinorField<double> slice, Parity parity, int s) {
    if (rotates) change_spinor_basis(slice, {.to = description.basis});
    copy_out(slice_of(description.out(pointer), psi, description, parity, s), slice);
  });
}

}  // namespace kaon::quda
