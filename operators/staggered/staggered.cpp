// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "gauge/cut_links.hpp"
#include "operators/require_boundary.hpp"
#include "operators/staggered/staggered_hop.hpp"

#include <kaon/operators/staggered.hpp>

namespace kaon {

template <class T>
Staggered<T>::Staggered(const GaugeField<T>& links, const StaggeredParameters& parameters, HaloPrecision halo)
    : StaggeredLike<T>(parameters.mass),
      parameters_(parameters),
      hop_(std::make_shared<detail::StaggeredHop<T>>(links, detail::StaggeredStencil{}, parameters.boundary, halo)) {
  detail::require_boundary(parameters.boundary);
}

template <class T>
Staggered<T> Staggered<T>::with_mass(double mass) const {
  StaggeredParameters parameters = parameters_;
  parameters.mass = mass;
  return Staggered(links(), parameters, halo());
}

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
  hop_->apply(out, in, this->plain(form), detail::NoSiteTerm{});
}

template <class T>
std::unique_ptr<EvenOddOperator<T>> Staggered<T>::on_blocks(const Coordinates& block) const {
  return std::make_unique<Staggered>(detail::cut_links(links(), block), parameters_);
}

template <class T>
typename StaggeredLike<T>::HopCost Staggered<T>::hop_cost() const {
  return {.flops = 570.0, .link_bytes = detail::link_bytes(links())};
}

template class Staggered<double>;
template class Staggered<float>;
template class Staggered<half>;

}  // namespace kaon
