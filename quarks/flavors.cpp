// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>
#include <kaon/quarks/flavors.hpp>

#include <fmt/format.h>

#include <vector>

namespace kaon {
namespace {

template <class T>
void require_flavors(const SpinorField<T>& psi, const SpinorField<T>& field, int flavor) {
  SpinorParameters expected = field.parameters();
  expected.slices = 2;
  require(field.slices() == 1 && psi.parameters() == expected && psi.lattice() == field.lattice(), [&] {
    return fmt::format(
        "the flavours of a doublet are the two slices of a field with the sites and right-hand sides of the other one, "
        "on its lattice: got {} slices and {} right-hand sides, and {} and {}",
        psi.slices(), psi.right_hand_sides(), field.slices(), field.right_hand_sides());
  });
  require(flavor == 0 || flavor == 1, [&] { return fmt::format("a doublet has flavours 0 and 1, not {}", flavor); });
}

std::vector<Parity> parities_of(Subset subset) {
  if (subset == Subset::full) return {Parity::even, Parity::odd};
  return {parity_of(subset)};
}

}  // namespace

template <class T>
void set_flavor(SpinorField<T>& psi, const SpinorField<T>& source, int flavor) {
  require_flavors(psi, source, flavor);
  blas::set_zero(psi);
  for (const Parity parity : parities_of(psi.subset())) {
    SpinorField<T> slice = psi.parity(parity).slice(flavor);
    blas::copy(slice, source.parity(parity));
  }
}

template <class T>
void take_flavor(SpinorField<T>& out, const SpinorField<T>& psi, int flavor) {
  require_flavors(psi, out, flavor);
  for (const Parity parity : parities_of(psi.subset())) {
    SpinorField<T> to = out.parity(parity);
    blas::copy(to, psi.parity(parity).slice(flavor));
  }
}

template void set_flavor(SpinorField<double>&, const SpinorField<double>&, int);
template void set_flavor(SpinorField<float>&, const SpinorField<float>&, int);
template void take_flavor(SpinorField<double>&, const SpinorField<double>&, int);
template void take_flavor(SpinorField<float>&, const SpinorField<float>&, int);

}  // namespace kaon
