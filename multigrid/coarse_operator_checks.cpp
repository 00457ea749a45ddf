// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
//
// Shapes of the fields of a coarse operator, and its costs.
#include "multigrid/coarse_operator.hpp"
#include "operators/hop_form.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>

namespace kaon::detail {

template <class T>
void CoarseOperator<T>::require_shape(const SpinorField<T>& field) const {
  require(field.spins() == 2 && field.colors() == vectors(), [&] {
    return fmt::format("this coarse operator acts on fields of 2 spins and {} colours, not {} and {}", vectors(),
                       field.spins(), field.colors());
  });
  require(field.lattice() == lattice_, "the coarse operator and the fields live on different lattices");
  require(field.parities() == 1, "X of a coarse operator acts on one parity of a field, not on all sites");
}

template <class T>
void CoarseOperator<T>::require_no_dagger(bool dagger) const {
  require(!dagger,
          "a coarse operator has no adjoint of its own: where M^dag = gamma5 M(-twist) gamma5 is wanted, use the "
          "hierarchy of the opposite twist");
}

template <class T>
void CoarseOperator<T>::require_hop_fields(const SpinorField<T>& out, const SpinorField<T>& in,
                                           const HopForm<T>& form) const {
  require_no_dagger(form.dagger);
  for (const SpinorField<T>* field : {static_cast<const SpinorField<T>*>(&out), &in}) require_shape(*field);
  require(lattice_.parities() == 1 || out.subset() != in.subset(),
          "a hop leads from one parity to the other: give it an even and an odd field");
  require(out.data() != in.data(), "a hop's output must not be its input");
  require_hop_form(lattice_, out, in, form);
  require(form.x == nullptr || form.x->lattice() == lattice_, "the coarse operator and x live on different lattices");
}

namespace {

/// Of `matrices` n x n matrices times vectors, added up.
double sum_flops(int matrices, int n) { return matrices == 0 ? 0.0 : 8.0 * matrices * n * n - 2.0 * n; }

}  // namespace

template <class T>
double CoarseOperator<T>::hop_flops(SiteTerm term, bool with_x) const {
  const double site_term = term == SiteTerm::inverse || !site_terms_ ? 0.0 : sum_flops(1, components_);
  return sites() * (sum_flops(links_of_site(), components_) + site_term + (with_x ? 4.0 * components_ : 0.0));
}

template <class T>
double CoarseOperator<T>::site_term_flops() const {
  return site_terms_ ? sites() * sum_flops(1, components_) : 0.0;
}

template <class T>
double CoarseOperator<T>::hop_bytes(SiteTerm term, bool with_x) const {
  const double link = std::visit(
      [&]<class L>(const CoarseMatrices<T, L>&) { return CoarseMatrices<T, L>::matrix_bytes(components_); }, links_);
  const double site_term =
      term == SiteTerm::inverse || !site_terms_ ? 0.0 : CoarseMatrices<T, T>::matrix_bytes(components_);
  return sites() * (links_of_site() * link + site_term + (with_x ? 3.0 : 2.0) * 2.0 * components_ * sizeof(T));
}

template <class T>
double CoarseOperator<T>::site_term_bytes() const {
  const double matrix = site_terms_ ? CoarseMatrices<T, T>::matrix_bytes(components_) : 0.0;
  return sites() * (matrix + 4.0 * components_ * sizeof(T));
}

#define KAON_INSTANTIATE(T)                                                                                            \
  template void CoarseOperator<T>::require_shape(const SpinorField<T>&) const;                                         \
  template void CoarseOperator<T>::require_no_dagger(bool) const;                                                      \
  template void CoarseOperator<T>::require_hop_fields(const SpinorField<T>&, const SpinorField<T>&, const HopForm<T>&) \
      const;                                                                                                           \
  template double CoarseOperator<T>::hop_flops(SiteTerm, bool) const;                                                  \
  template double CoarseOperator<T>::site_term_flops() const;                                                          \
  template double CoarseOperator<T>::hop_bytes(SiteTerm, bool) const;                                                  \
  template double CoarseOperator<T>::site_term_bytes() const;
KAON_INSTANTIATE(double)
KAON_INSTANTIATE(float)
#undef KAON_INSTANTIATE

}  // namespace kaon::detail
