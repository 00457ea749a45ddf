// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/fields/layout.hpp"
#include "operators/stencil/hopping.hpp"
#include "operators/stencil/number_site_term.hpp"

#include <kaon/core/error.hpp>
#include <kaon/operators/staggered_like.hpp>
#include <kaon/operators/staggered_normal.hpp>

#include <fmt/format.h>

#include <cmath>

namespace kaon {

template <class T>
StaggeredLike<T>::StaggeredLike(double mass) : mass_(mass) {
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
  return 0.5 * static_cast<double>(this->lattice().volume()) * (hop_cost().flops + (with_x ? 12.0 : 0.0));
}

template <class T>
double StaggeredLike<T>::site_term_flops() const {
  return 0.5 * static_cast<double>(this->lattice().volume()) * 6.0;
}

template <class T>
double StaggeredLike<T>::hop_bytes(SiteTerm, bool with_x) const {
  return 0.5 * static_cast<double>(this->lattice().volume()) *
         (hop_cost().link_bytes + (with_x ? 3.0 : 2.0) * detail::site_bytes<T>(3));
}

template <class T>
double StaggeredLike<T>::site_term_bytes() const {
  return 0.5 * static_cast<double>(this->lattice().volume()) * 2.0 * detail::site_bytes<T>(3);
}

template class StaggeredLike<double>;
template class StaggeredLike<float>;
template class StaggeredLike<half>;

}  // namespace kaon
