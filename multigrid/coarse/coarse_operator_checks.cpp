// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/coarse/coarse_operator_checks.hpp"
#include "operators/checks.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>

namespace kaon::detail {

namespace {

void require_no_coarse_dagger(bool dagger) {
  require(!dagger,
          "a coarse operator has no adjoint of its own: where M^dag = gamma5 M(-twist) gamma5 is wanted, use the "
          "hierarchy of the opposite twist");
}

template <class T>
void require_coarse_field(const EvenOddOperator<T>& dirac, const SpinorField<T>& field) {
  const SpinorParameters domain = dirac.domain();
  require(field.spins() == 2 && field.colors() == domain.colors, [&] {
    return fmt::format("this coarse operator acts on fields of 2 spins and {} colours, not {} and {}", domain.colors,
                       field.spins(), field.colors());
  });
  require(field.lattice() == dirac.lattice(), "the coarse operator and the fields live on different lattices");
  require(field.parities() == 1, "X of a coarse operator acts on one parity of a field, not on all sites");
}

}  // namespace

template <class T>
void require_coarse_site_term(const EvenOddOperator<T>& dirac, const SpinorField<T>& out, const SpinorField<T>& in,
                              SiteTerm term, bool dagger) {
  require(term != SiteTerm::none, "apply_site_term applies X or X^-1: say which");
  require_coarse_field(dirac, out);
  require(out.parameters() == in.parameters() && in.lattice() == dirac.lattice(),
          "output and input of X must have the same lattice, parity, spins, colours and right-hand sides");
  require_no_coarse_dagger(dagger);
}

template <class T>
void require_coarse_hop(const EvenOddOperator<T>& dirac, const SpinorField<T>& out, const SpinorField<T>& in,
                        const HopForm<T>& form) {
  require_no_coarse_dagger(form.dagger);
  for (const SpinorField<T>* field : {&out, &in}) require_coarse_field(dirac, *field);
  const Lattice& lattice = dirac.lattice();
  require(lattice.parities() == 1 || out.subset() != in.subset(),
          "a hop leads from one parity to the other: give it an even and an odd field");
  require(out.data() != in.data(), "a hop's output must not be its input");
  require_hop_form(lattice, out, in, form);
  require(form.x == nullptr || form.x->lattice() == lattice, "the coarse operator and x live on different lattices");
}

#define KAON_INSTANTIATE(T)                                                                                       \
  template void require_coarse_site_term(const EvenOddOperator<T>&, const SpinorField<T>&, const SpinorField<T>&, \
                                         SiteTerm, bool);                                                         \
  template void require_coarse_hop(const EvenOddOperator<T>&, const SpinorField<T>&, const SpinorField<T>&,       \
                                   const HopForm<T>&);
KAON_INSTANTIATE(double)
KAON_INSTANTIATE(float)
#undef KAON_INSTANTIATE

}  // namespace kaon::detail
