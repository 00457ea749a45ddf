// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quda/state/spinors.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>

namespace kaon::quda {
namespace {

void require_sites(const void* pointer, const SpinorField<double>& psi, const SpinorDescription& description) {
  require(pointer != nullptr, "a pointer to a spinor is NULL");
  require(psi.subset() == Subset::full || description.sites == SiteOrder::even_odd,
          "dirac_order = QUDA_CPS_WILSON_DIRAC_ORDER is not supported for fields on one parity");
  require(!description.planes || psi.slices() == 1,
          "dirac_order = QUDA_QDPJIT_DIRAC_ORDER is not supported for domain wall quarks and doublets");
}

/// A slice of one parity in a client's array, [parity][slice][site], of a field with that description.
template <class View>
View slice_of(View view, const SpinorField<double>& psi, const SpinorDescription& description, Parity parity, int s) {
  if (description.planes) return view;
  int place = s;
  if (psi.subset() == Subset::full) {
    const bool exchanged = description.sites == SiteOrder::odd_even;
    const int second = static_cast<int>(parity) + (description.slices_alternate ? s : 0) + (exchanged ? 1 : 0);
    place += second % 2 * psi.slices();
  }
  const std::size_t real = view.element == ArrayElement::complex128 ? sizeof(double) : sizeof(float);
  const auto reals = static_cast<std::size_t>(psi.lattice().local_volume() * psi.components());
  using Bytes = std::conditional_t<std::is_const_v<std::remove_pointer_t<decltype(view.data)>>, const char, char>;
  view.data = static_cast<Bytes*>(view.data) + static_cast<std::size_t>(place) * reals * real;
  view.sites = SiteOrder::even_odd;
  return view;
}

}  // namespace

void read_spinor(SpinorField<double>& psi, int k, const void* pointer, const SpinorDescription& description) {
  require_sites(pointer, psi, description);
  SpinorField<double> one = psi.range(k, 1);
  for_each_slice(one, [&](SpinorField<double> slice, Parity parity, int s) {
    copy_in(slice, slice_of(description.in(pointer), psi, description, parity, s));
    if (description.basis != SpinBasis::degrand_rossi) change_spinor_basis(slice, {.from = description.basis});
  });
}

void write_spinor(void* pointer, const SpinorField<double>& psi, int k, const SpinorDescription& description) {
  require_sites(pointer, psi, description);
  const SpinorField<double> one = psi.range(k, 1);
  for_each_slice(one, [&](const SpinorField<double>& slice, Parity parity, int s) {
    const ArrayView view = slice_of(description.out(pointer), psi, description, parity, s);
    if (description.basis == SpinBasis::degrand_rossi) return copy_out(view, slice);
    SpinorField<double> rotated(slice.lattice(), slice.parameters());
    blas::copy(rotated, slice);
    change_spinor_basis(rotated, {.to = description.basis});
    copy_out(view, rotated);
  });
}

void read_spinors(SpinorField<double>& psi, std::span<void* const> pointers, const SpinorDescription& description) {
  for (std::size_t k = 0; k < pointers.size(); ++k) read_spinor(psi, static_cast<int>(k), pointers[k], description);
}

void write_spinors(std::span<void* const> pointers, const SpinorField<double>& psi,
                   const SpinorDescription& description) {
  for (std::size_t k = 0; k < pointers.size(); ++k) write_spinor(pointers[k], psi, static_cast<int>(k), description);
}

}  // namespace kaon::quda
