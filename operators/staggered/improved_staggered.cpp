// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "gauge/cut_links.hpp"
#include "operators/require_boundary.hpp"
#include "operators/staggered/improved_hop.hpp"

#include <kaon/core/error.hpp>
#include <kaon/operators/improved_staggered.hpp>

#include <fmt/format.h>

#include <cmath>

namespace kaon {

template <class T>
ImprovedStaggered<T>::ImprovedStaggered(const GaugeField<T>& fat, const GaugeField<T>& third,
                                        const ImprovedStaggeredParameters& parameters, HaloPrecision halo)
    : StaggeredLike<T>(parameters.mass),
      parameters_(parameters),
      hop_(std::make_shared<detail::ImprovedStaggeredHop<T>>(
          std::array{&fat, &third}, detail::ImprovedStencil{parameters.third_weight}, parameters.boundary, halo)) {
  require(std::isfinite(parameters.third_weight),
          [&] { return fmt::format("weight {} of third links is not a number", parameters.third_weight); });
  detail::require_boundary(parameters.boundary);
}

template <class T>
ImprovedStaggered<T> ImprovedStaggered<T>::with_mass(double mass) const {
  ImprovedStaggeredParameters parameters = parameters_;
  parameters.mass = mass;
  return ImprovedStaggered(fat(), third(), parameters, halo());
}

template <class T>
const GaugeField<T>& ImprovedStaggered<T>::fat() const {
  return hop_->links(0);
}

template <class T>
const GaugeField<T>& ImprovedStaggered<T>::third() const {
  return hop_->links(1);
}

template <class T>
HaloPrecision ImprovedStaggered<T>::halo() const {
  return hop_->halo();
}

template <class T>
const Lattice& ImprovedStaggered<T>::lattice() const {
  return hop_->lattice();
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

template <class T>
typename StaggeredLike<T>::HopCost ImprovedStaggered<T>::hop_cost() const {
  return {.flops = 1146.0, .link_bytes = detail::link_bytes(fat()) + detail::link_bytes(third())};
}

template class ImprovedStaggered<double>;
template class ImprovedStaggered<float>;
template class ImprovedStaggered<half>;

}  // namespace kaon
