// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/coarse/whole_system.hpp"

#include <kaon/core/error.hpp>
#include <kaon/operators/schur.hpp>

#include <utility>

namespace kaon::detail {

template <class T>
WholeSystem<T>::WholeSystem(Ref<EvenOddOperator<T>> full) : full_(std::move(full)) {
  require(full_->lattice().parities() == 1, "a lattice of two parities has a Schur complement: use Schur");
}

template <class T>
SpinorParameters WholeSystem<T>::domain() const {
  SpinorParameters domain = full_->domain();
  domain.subset = Subset::even;
  return domain;
}

template <class T>
void WholeSystem<T>::prepare(SpinorField<T>& source, const SpinorField<T>& b) const {
  full_->apply_site_term(source, b.parity(Parity::even), SiteTerm::inverse, false);
}

template <class T>
void WholeSystem<T>::reconstruct(SpinorField<T>&, const SpinorField<T>&) const {}  // no site is left

template <class T>
void WholeSystem<T>::full_residual(SpinorField<T>& out, const SpinorField<T>& residual) const {
  full_->apply_site_term(out, residual, SiteTerm::diagonal, false);
}

template <class T>
void WholeSystem<T>::apply(SpinorField<T>& out, const SpinorField<T>& in) const {
  this->require_domain(out, in);
  full_->hop(out, in, {.term = SiteTerm::inverse, .scale = -1.0, .x = &in});
}

template <class T>
blas::PendingReductions WholeSystem<T>::apply_and_reduce(SpinorField<T>& y, const SpinorField<T>& x,
                                                         const blas::Reductions<T>& reductions) const {
  this->require_domain(y, x);
  blas::PendingReductions reduced;
  full_->hop(y, x, {.term = SiteTerm::inverse, .scale = -1.0, .x = &x, .reductions = reductions, .reduced = &reduced});
  return reduced;
}

template class WholeSystem<double>;
template class WholeSystem<float>;

template <class T>
std::unique_ptr<EvenOddSystem<T>> make_system(const Ref<EvenOddOperator<T>>& full) {
  if (full->lattice().parities() == 1) return std::make_unique<WholeSystem<T>>(full);
  return std::make_unique<Schur<T>>(full);
}

template std::unique_ptr<EvenOddSystem<double>> make_system(const Ref<EvenOddOperator<double>>&);
template std::unique_ptr<EvenOddSystem<float>> make_system(const Ref<EvenOddOperator<float>>&);

}  // namespace kaon::detail
