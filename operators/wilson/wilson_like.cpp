// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/base/parts.hpp"
#include "operators/require_boundary.hpp"
#include "operators/wilson/wilson_along.hpp"
#include "operators/wilson/wilson_hop.hpp"

#include <kaon/core/error.hpp>
#include <kaon/operators/wilson_like.hpp>

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <type_traits>

namespace kaon {

template <class T>
WilsonLike<T>::WilsonLike(const GaugeField<T>& links, const Anisotropy& anisotropy, const BoundaryAngles& boundary,
                          HaloPrecision halo) {
  detail::require_anisotropy(anisotropy);
  detail::require_boundary(boundary);
  hop_ = std::make_shared<detail::WilsonHop<T>>(
      links, detail::WilsonStencil{.spatial_weight = anisotropy.spatial_weight()}, boundary, halo);
}

template <class T>
const GaugeField<T>& WilsonLike<T>::links() const {
  return hop_->links();
}

template <class T>
HaloPrecision WilsonLike<T>::halo() const {
  return hop_->halo();
}

template <class T>
const Lattice& WilsonLike<T>::lattice() const {
  return hop_->lattice();
}

template <class T>
void WilsonLike<T>::hop_along([[maybe_unused]] SpinorField<T>& out, [[maybe_unused]] const SpinorField<T>& in,
                              [[maybe_unused]] int mu) const {
  if constexpr (std::is_same_v<T, half>) {
    throw Error("hops along a direction are computed in double and single precision only");
  } else if constexpr (detail::Parts::multigrid || detail::Parts::hmc) {
    detail::apply_along(hopping(), out, in, mu);
  } else {
    detail::refuse_part("multigrid");
  }
}

namespace {

/// Sites of one parity, and of all slices.
template <class T>
std::array<double, 2> sites_of(const WilsonLike<T>& dirac) {
  const double sites = 0.5 * static_cast<double>(dirac.lattice().volume());
  return {sites, sites * dirac.domain().slices};
}

}  // namespace

template <class T>
double WilsonLike<T>::hop_flops(SiteTerm term, bool with_x) const {
  return sites_of(*this)[1] * (1320.0 + cost_in_hop(term).flops + (with_x ? 48.0 : 0.0));
}

template <class T>
double WilsonLike<T>::site_term_flops() const {
  return sites_of(*this)[1] * cost_alone().flops;
}

// The slices of a site share its links and what its term reads.
template <class T>
double WilsonLike<T>::hop_bytes(SiteTerm term, bool with_x) const {
  const auto [sites, of_slices] = sites_of(*this);
  return sites * (detail::link_bytes(links()) + cost_in_hop(term).bytes) +
         of_slices * (with_x ? 3.0 : 2.0) * detail::site_bytes<T>(12);
}

template <class T>
double WilsonLike<T>::site_term_bytes() const {
  const auto [sites, of_slices] = sites_of(*this);
  return sites * cost_alone().bytes + of_slices * 2.0 * detail::site_bytes<T>(12);
}

template class WilsonLike<double>;
template class WilsonLike<float>;
template class WilsonLike<half>;

namespace detail {

void require_anisotropy(const Anisotropy& anisotropy) {
  const double weight = anisotropy.spatial_weight();
  require(anisotropy.xi0 > 0.0 && anisotropy.nu > 0.0 && std::isfinite(anisotropy.xi0) && std::isfinite(weight), [&] {
    return fmt::format("anisotropy xi_0 = {} and nu = {} must both be positive, and nu/xi_0 = {} a number",
                       anisotropy.xi0, anisotropy.nu, weight);
  });
}

}  // namespace detail
}  // namespace kaon
