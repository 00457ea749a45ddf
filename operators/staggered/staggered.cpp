// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "gauge/cut_links.hpp"
#include "operators/staggered/staggered_hop.hpp"
#include "operators/stencil/number_site_term.hpp"

#include <kaon/core/error.hpp>
#include <kaon/operators/staggered.hpp>

#include <fmt/format.h>

#include <cmath>

namespace kaon {

template <class T>
Staggered<T>::Staggered(const GaugeField<T>& links, const StaggeredParameters& parameters)
    : Staggered(links, parameters, HaloPrecision::field) {}

template <class T>
Staggered<T>::Staggered(const GaugeField<T>& links, const StaggeredParameters& parameters, HaloPrecision halo)
    : parameters_(parameters),
      hop_(std::make_shared<detail::StaggeredHop<T>>(links, detail::StaggeredStencil{}, parameters.boundary, halo)) {
  require(std::isfinite(parameters.mass), [&] { return fmt::format("mass {} is not a number", parameters.mass); });
}

template <class T>
template <class S>
Staggered<T>::Staggered(const Staggered<S>& other, LinkStorage storage, HaloPrecision halo)
    : Staggered(GaugeField<T>(other.links(), storage), other.parameters(), halo) {}

template <class T>
const GaugeField<T>& Staggered<T>::links() const {
  return hop_->links();
}

template <class T>
HaloPrecision Staggered<T>::halo() const {
  return hop_->halo();
}

template <class T>
const Lattice& Staggered<T>::lattice() const {
  return hop_->lattice();
}

template <class T>
void Staggered<T>::hop(SpinorField<T>& out, const SpinorField<T>& in, const HopForm<T>& form) const {
  require(form.term != SiteTerm::inverse || parameters_.mass != 0.0,
          "the site term 2m of staggered fermions has no inverse for m = 0");
  hop_->apply(out, in, detail::without_site_term(form, 2.0 * parameters_.mass), detail::NoSiteTerm{});
}

template <class T>
void Staggered<T>::apply_site_term(SpinorField<T>& out, const SpinorField<T>& in, SiteTerm term, bool) const {
  detail::require_site_term_fields(lattice(), out, in, term, 1);
  require(term != SiteTerm::inverse || parameters_.mass != 0.0,
          "the site term 2m of staggered fermions has no inverse for m = 0");
  detail::apply_number(out, in, term, 2.0 * parameters_.mass);
}

template <class T>
std::unique_ptr<EvenOddOperator<T>> Staggered<T>::on_blocks(const Coordinates& block) const {
  return std::make_unique<Staggered>(detail::cut_links(links(), block), parameters_);
}

template <class T>
std::unique_ptr<EvenOddSystem<T>> Staggered<T>::normal_system(Parity parity) const {
  return std::make_unique<StaggeredNormal<T>>(*this, parity);
}

template <class T>
double Staggered<T>::hop_flops(SiteTerm, bool with_x) const {
  return 0.5 * static_cast<double>(lattice().volume()) * (with_x ? 582.0 : 570.0);
}

template <class T>
double Staggered<T>::site_term_flops() const {
  return 0.5 * static_cast<double>(lattice().volume()) * 6.0;
}

template <class T>
double Staggered<T>::hop_bytes(SiteTerm, bool with_x) const {
  return 0.5 * static_cast<double>(lattice().volume()) *
         (detail::link_bytes(links()) + (with_x ? 3.0 : 2.0) * detail::site_bytes<T>(3));
}

template <class T>
double Staggered<T>::site_term_bytes() const {
  return 0.5 * static_cast<double>(lattice().volume()) * 2.0 * detail::site_bytes<T>(3);
}

template class Staggered<double>;
template class Staggered<float>;
template class Staggered<half>;
template Staggered<double>::Staggered(const Staggered<double>&, LinkStorage, HaloPrecision);
template Staggered<double>::Staggered(const Staggered<float>&, LinkStorage, HaloPrecision);
template Staggered<double>::Staggered(const Staggered<half>&, LinkStorage, HaloPrecision);
template Staggered<float>::Staggered(const Staggered<double>&, LinkStorage, HaloPrecision);
template Staggered<float>::Staggered(const Staggered<float>&, LinkStorage, HaloPrecision);
template Staggered<float>::Staggered(const Staggered<half>&, LinkStorage, HaloPrecision);
template Staggered<half>::Staggered(const Staggered<double>&, LinkStorage, HaloPrecision);
template Staggered<half>::Staggered(const Staggered<float>&, LinkStorage, HaloPrecision);
template Staggered<half>::Staggered(const Staggered<half>&, LinkStorage, HaloPrecision);

}  // namespace kaon
