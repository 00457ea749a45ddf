// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include <kaon/core/blas.hpp>
#include <kaon/operators/schur.hpp>

#include <utility>

namespace kaon {

template <class T>
Schur<T>::Schur(Ref<EvenOddOperator<T>> full, const SchurParameters& parameters)
    : full_(std::move(full)), parameters_(parameters) {}

template <class T>
SiteTerm Schur<T>::second_term() const {
  return parameters_.form == SchurForm::symmetric ? SiteTerm::inverse : SiteTerm::diagonal;
}

template <class T>
SpinorField<T>& Schur<T>::scratch(Parity parity, int right_hand_sides) const {
  return scratch_[static_cast<int>(parity)].provide(
      this->lattice(), full_->domain().on(subset_of(parity)).with_right_hand_sides(right_hand_sides), 1)[0];
}

template <class T>
blas::PendingReductions Schur<T>::apply_and_reduce(SpinorField<T>& y, const SpinorField<T>& x,
                                                   const blas::Reductions<T>& reductions) const {
  blas::PendingReductions reduced;
  apply(y, x, reductions, &reduced);
  return reduced;
}

template <class T>
blas::PendingReductions Schur<T>::apply_dagger_and_reduce(SpinorField<T>& y, const SpinorField<T>& x,
                                                          const blas::Reductions<T>& reductions) const {
  blas::PendingReductions reduced;
  apply_dagger(y, x, reductions, &reduced);
  return reduced;
}

template <class T>
void Schur<T>::apply(SpinorField<T>& out, const SpinorField<T>& in, const blas::Reductions<T>& reductions,
                     blas::PendingReductions* reduced) const {
  this->require_domain(out, in);
  SpinorField<T>& other = scratch(opposite(parameters_.parity), in.right_hand_sides());
  full_->hop(other, in, {.term = SiteTerm::inverse});
  full_->hop(out, other,
             {.term = second_term(), .scale = -1.0, .x = &in, .reductions = reductions, .reduced = reduced});
}

template <class T>
void Schur<T>::apply_dagger(SpinorField<T>& out, const SpinorField<T>& in, const blas::Reductions<T>& reductions,
                            blas::PendingReductions* reduced) const {
  this->require_domain(out, in);
  SpinorField<T>& other = scratch(opposite(parameters_.parity), in.right_hand_sides());
  HopForm<T> second{
      .term = second_term(), .scale = -1.0, .x = &in, .dagger = true, .reductions = reductions, .reduced = reduced};
  const SpinorField<T>* from = &in;
  if (parameters_.form == SchurForm::symmetric) {
    // S^dag = 1 - K_qp^dag A_q^-dag K_pq^dag A_p^-dag: the site term comes first, so it cannot be fused with the hop.
    full_->apply_site_term(out, in, SiteTerm::inverse, true);
    from = &out;
    second.term = SiteTerm::none;
  }
  full_->hop(other, *from, {.term = SiteTerm::inverse, .dagger = true});
  full_->hop(out, other, second);
}

template <class T>
void Schur<T>::prepare(SpinorField<T>& source, const SpinorField<T>& b) const {
  const Parity p = parameters_.parity;
  const SpinorField<T> b_p = b.parity(p);
  const SpinorField<T> b_q = b.parity(opposite(p));
  SpinorField<T>& other = scratch(opposite(p), b.right_hand_sides());
  full_->apply_site_term(other, b_q, SiteTerm::inverse, false);
  full_->hop(source, other, {.term = SiteTerm::none, .x = &b_p});
  if (parameters_.form == SchurForm::symmetric) full_->apply_site_term(source, source, SiteTerm::inverse, false);
}

template <class T>
void Schur<T>::reconstruct(SpinorField<T>& x, const SpinorField<T>& b) const {
  const Parity p = parameters_.parity;
  const SpinorField<T> b_q = b.parity(opposite(p));
  const SpinorField<T> x_p = x.parity(p);
  SpinorField<T> x_q = x.parity(opposite(p));
  full_->hop(x_q, x_p, {.term = SiteTerm::none, .x = &b_q});
  full_->apply_site_term(x_q, x_q, SiteTerm::inverse, false);
}

template <class T>
void Schur<T>::full_residual(SpinorField<T>& out, const SpinorField<T>& residual) const {
  this->require_domain(out, residual);
  if (parameters_.form == SchurForm::symmetric) {
    full_->apply_site_term(out, residual, SiteTerm::diagonal, false);
  } else {
    blas::copy(out, residual);
  }
}

template <class T>
double Schur<T>::flops() const {
  return hop_flops_of(*full_, SiteTerm::inverse, false) + hop_flops_of(*full_, second_term(), true);
}

template <class T>
double Schur<T>::bytes() const {
  return hop_bytes_of(*full_, SiteTerm::inverse, false) + hop_bytes_of(*full_, second_term(), true);
}

template class Schur<double>;
template class Schur<float>;
template class Schur<half>;

}  // namespace kaon
