// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>
#include <kaon/operators/staggered_normal.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace kaon {

double detail::staggered_error_per_residual(double of_normal_system, double mass) {
  const double most = 1.0 / std::abs(2.0 * mass);
  return of_normal_system > 0.0 ? std::min(most, std::sqrt(of_normal_system)) : most;
}

template <class T>
StaggeredNormal<T>::StaggeredNormal(Ref<StaggeredLike<T>> full, Parity parity)
    : full_(std::move(full)), parity_(parity) {}

template <class T>
SpinorParameters StaggeredNormal<T>::domain() const {
  SpinorParameters domain = full_->domain();
  domain.subset = subset_of(parity_);
  return domain;
}

template <class T>
SpinorField<T>& StaggeredNormal<T>::scratch(int right_hand_sides) const {
  SpinorParameters parameters = full_->domain();
  parameters.subset = subset_of(opposite(parity_));
  parameters.right_hand_sides = right_hand_sides;
  return scratch_.provide(lattice(), parameters, 1)[0];
}

template <class T>
void StaggeredNormal<T>::apply(SpinorField<T>& out, const SpinorField<T>& in) const {
  apply(out, in, {}, nullptr);
}

template <class T>
blas::PendingReductions StaggeredNormal<T>::apply_and_reduce(SpinorField<T>& y, const SpinorField<T>& x,
                                                             const blas::Reductions<T>& reductions) const {
  blas::PendingReductions reduced;
  apply(y, x, reductions, &reduced);
  return reduced;
}

template <class T>
void StaggeredNormal<T>::apply(SpinorField<T>& out, const SpinorField<T>& in, const blas::Reductions<T>& reductions,
                               blas::PendingReductions* reduced) const {
  this->require_domain(out, in);
  const double mass = full_->mass();
  SpinorField<T>& other = scratch(in.right_hand_sides());
  full_->hop(other, in, {});  // K = -D
  full_->hop(out, other,
             {.scale = -1.0, .x = &in, .x_scale = 4.0 * mass * mass, .reductions = reductions, .reduced = reduced});
}

template <class T>
void StaggeredNormal<T>::prepare(SpinorField<T>& source, const SpinorField<T>& b) const {
  const SpinorField<T> b_p = b.parity(parity_);
  const SpinorField<T> b_q = b.parity(opposite(parity_));
  full_->hop(source, b_q, {.x = &b_p, .x_scale = 2.0 * full_->mass()});
}

template <class T>
void StaggeredNormal<T>::reconstruct(SpinorField<T>& x, const SpinorField<T>& b) const {
  const double mass = full_->mass();
  require(mass != 0.0, "the other parity of a staggered solution is divided by the mass, which is zero");
  const SpinorField<T> b_q = b.parity(opposite(parity_));
  const SpinorField<T> x_p = x.parity(parity_);
  SpinorField<T> x_q = x.parity(opposite(parity_));
  full_->hop(x_q, x_p, {.scale = 0.5 / mass, .x = &b_q, .x_scale = 0.5 / mass});
}

template <class T>
void StaggeredNormal<T>::full_residual(SpinorField<T>& out, const SpinorField<T>& residual) const {
  this->require_domain(out, residual);
  full_->apply_site_term(out, residual, SiteTerm::inverse, false);
}

template <class T>
double StaggeredNormal<T>::full_error_per_residual(double error_per_residual, double /*scale*/) const {
  return detail::staggered_error_per_residual(error_per_residual, full_->mass());
}

template <class T>
double StaggeredNormal<T>::flops() const {
  return full_->hop_flops(SiteTerm::none, false) + full_->hop_flops(SiteTerm::none, true);
}

template <class T>
double StaggeredNormal<T>::bytes() const {
  return full_->hop_bytes(SiteTerm::none, false) + full_->hop_bytes(SiteTerm::none, true);
}

template class StaggeredNormal<double>;
template class StaggeredNormal<float>;
template class StaggeredNormal<half>;

}  // namespace kaon
