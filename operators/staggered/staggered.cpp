// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/fields/layout.hpp"
#include "gauge/cut_links.hpp"
#include "operators/checks.hpp"
#include "operators/staggered/staggered_stencil.hpp"
#include "operators/stencil/hopping.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>
#include <kaon/operators/staggered.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace kaon {

template <class T>
StaggeredLike<T>::StaggeredLike(const GaugeField<T>& links, double mass, HaloPrecision halo, const HopCost& cost)
    : links_(links.share()), mass_(mass), halo_(halo), cost_(cost) {
  require(std::isfinite(mass), [&] { return fmt::format("mass {} is not a number", mass); });
}

template <class T>
void StaggeredLike<T>::require_inverse(SiteTerm term) const {
  require(term != SiteTerm::inverse || mass_ != 0.0, "the site term 2m of staggered fermions has no inverse for m = 0");
}

template <class T>
HopForm<T> StaggeredLike<T>::plain(const HopForm<T>& form) const {
  require_inverse(form.term);
  return detail::without_site_term(form, 2.0 * mass_);
}

template <class T>
void StaggeredLike<T>::apply_site_term(SpinorField<T>& out, const SpinorField<T>& in, SiteTerm term, bool) const {
  detail::require_site_term_fields(this->lattice(), out, in, term, this->domain());
  require_inverse(term);
  detail::apply_number(out, in, term, 2.0 * mass_);
}

template <class T>
std::unique_ptr<EvenOddSystem<T>> StaggeredLike<T>::normal_system(Parity parity) const {
  return std::make_unique<StaggeredNormal<T>>(*this, parity);
}

template <class T>
double StaggeredLike<T>::hop_flops(SiteTerm, bool with_x) const {
  return 0.5 * static_cast<double>(this->lattice().volume()) * (cost_.flops + (with_x ? 12.0 : 0.0));
}

template <class T>
double StaggeredLike<T>::site_term_flops() const {
  return 0.5 * static_cast<double>(this->lattice().volume()) * 6.0;
}

template <class T>
double StaggeredLike<T>::hop_bytes(SiteTerm, bool with_x) const {
  return 0.5 * static_cast<double>(this->lattice().volume()) *
         (cost_.link_bytes + (with_x ? 3.0 : 2.0) * detail::site_bytes<T>(3));
}

template <class T>
double StaggeredLike<T>::site_term_bytes() const {
  return 0.5 * static_cast<double>(this->lattice().volume()) * 2.0 * detail::site_bytes<T>(3);
}

template <class T>
Staggered<T>::Staggered(const GaugeField<T>& links, const StaggeredParameters& parameters, HaloPrecision halo)
    : StaggeredLike<T>(links, parameters.mass, halo, {.flops = 570.0, .link_bytes = detail::link_bytes(links)}),
      parameters_(parameters),
      hop_(std::make_shared<detail::StaggeredHop<T>>(links, detail::StaggeredStencil{}, parameters.boundary, halo)) {
  detail::require_boundary(parameters.boundary);
}

template <class T>
Staggered<T> Staggered<T>::with_mass(double mass) const {
  StaggeredParameters parameters = parameters_;
  parameters.mass = mass;
  return Staggered(links(), parameters, this->halo());
}

template <class T>
void Staggered<T>::hop(SpinorField<T>& out, const SpinorField<T>& in, const HopForm<T>& form) const {
  hop_->apply(out, in, this->plain(form), detail::NoSiteTerm{});
}

template <class T>
std::unique_ptr<EvenOddOperator<T>> Staggered<T>::on_blocks(const Coordinates& block) const {
  return std::make_unique<Staggered>(detail::cut_links(links(), block), parameters_);
}

template <class T>
ImprovedStaggered<T>::ImprovedStaggered(const GaugeField<T>& fat, const GaugeField<T>& third,
                                        const ImprovedStaggeredParameters& parameters, HaloPrecision halo)
    : StaggeredLike<T>(fat, parameters.mass, halo,
                       {.flops = 1146.0, .link_bytes = detail::link_bytes(fat) + detail::link_bytes(third)}),
      third_(third.share()),
      parameters_(parameters),
      hop_(std::make_shared<detail::ImprovedStaggeredHop<T>>(
          std::array{&fat, &third}, detail::ImprovedStencil{{}, parameters.third_weight}, parameters.boundary, halo)) {
  require(std::isfinite(parameters.third_weight),
          [&] { return fmt::format("weight {} of third links is not a number", parameters.third_weight); });
  detail::require_boundary(parameters.boundary);
}

template <class T>
ImprovedStaggered<T> ImprovedStaggered<T>::with_mass(double mass) const {
  ImprovedStaggeredParameters parameters = parameters_;
  parameters.mass = mass;
  return ImprovedStaggered(fat(), third_, parameters, this->halo());
}

template <class T>
void ImprovedStaggered<T>::hop(SpinorField<T>& out, const SpinorField<T>& in, const HopForm<T>& form) const {
  hop_->apply(out, in, this->plain(form), detail::NoSiteTerm{});
}

template <class T>
std::unique_ptr<EvenOddOperator<T>> ImprovedStaggered<T>::on_blocks(const Coordinates& block) const {
  return std::make_unique<ImprovedStaggered>(detail::cut_links(fat(), block, 1), detail::cut_links(third(), block, 3),
                                             parameters_);
}

double detail::staggered_error_per_residual(double of_normal_system, double mass) {
  const double most = 1.0 / std::abs(2.0 * mass);
  return of_normal_system > 0.0 ? std::min(most, std::sqrt(of_normal_system)) : most;
}

template <class T>
StaggeredNormal<T>::StaggeredNormal(Ref<StaggeredLike<T>> full, Parity parity)
    : full_(std::move(full)), parity_(parity) {}

template <class T>
SpinorField<T>& StaggeredNormal<T>::scratch(int right_hand_sides) const {
  return scratch_.provide(
      this->lattice(), full_->domain().on(subset_of(opposite(parity_))).with_right_hand_sides(right_hand_sides), 1)[0];
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

template class StaggeredLike<double>;
template class StaggeredLike<float>;
template class StaggeredLike<half>;
template class Staggered<double>;
template class Staggered<float>;
template class Staggered<half>;
template class ImprovedStaggered<double>;
template class ImprovedStaggered<float>;
template class ImprovedStaggered<half>;
template class StaggeredNormal<double>;
template class StaggeredNormal<float>;
template class StaggeredNormal<half>;

}  // namespace kaon
