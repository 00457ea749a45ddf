// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "gauge/cut_links.hpp"
#include "operators/hop.hpp"

#include <kaon/core/error.hpp>
#include <kaon/gauge/clover.hpp>
#include <kaon/operators/wilson.hpp>

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace kaon {
namespace {

/// m + 1 + 3 nu/xi_0 + A from the links.
template <class T>
CloverField<T> make_site_term(const GaugeField<T>& links, const WilsonCloverParameters& parameters) {
  detail::require_anisotropy(parameters.anisotropy);
  require(std::isfinite(parameters.mass) && std::isfinite(parameters.csw) &&
              std::isfinite(parameters.temporal_coefficient()),
          [&] {
            return fmt::format("mass {}, csw {} and temporal csw {} must be numbers", parameters.mass, parameters.csw,
                               parameters.temporal_coefficient());
          });
  if (links.storage() != LinkStorage::full) {
    return make_site_term(GaugeField<T>(links, LinkStorage::full), parameters);
  }
  return make_clover(links, {.diagonal = parameters.mass + 1.0 + 3.0 * parameters.anisotropy.spatial_weight(),
                             .spatial = parameters.csw / parameters.anisotropy.xi0,
                             .temporal = parameters.temporal_coefficient()});
}

/// The same elements in the precision T; no second copy of those that are.
template <class T, class S>
CloverField<T> in_precision(const CloverField<S>& clover) {
  if constexpr (std::is_same_v<T, S>) {
    return clover.share();
  } else {
    return CloverField<T>(clover);
  }
}

}  // namespace

template <class T>
WilsonClover<T>::WilsonClover(const GaugeField<T>& links,
                              const WilsonCloverParameters& parameters) requires FloatingPrecision<T>
    : parameters_(parameters),
      hop_(std::make_shared<detail::HopTerm<T>>(links, parameters.anisotropy, parameters.boundary,
                                                HaloPrecision::field)),
      site_term_(make_site_term(links, parameters)),
      site_term_inverse_(invert_clover(site_term_, Subset::full)) {}

template <class T>
template <class S>
WilsonClover<T>::WilsonClover(const WilsonClover<S>& other, LinkStorage storage, HaloPrecision halo)
    : parameters_(other.parameters()),
      hop_(std::make_shared<detail::HopTerm<T>>(GaugeField<T>(other.links(), storage), other.parameters().anisotropy,
                                                other.parameters().boundary, halo)),
      site_term_(in_precision<T>(other.site_term())),
      site_term_inverse_(in_precision<T>(other.site_term_inverse())) {}

template <class T>
WilsonClover<T>::WilsonClover(const WilsonCloverParameters& parameters, const GaugeField<T>& links,
                              CloverField<T> site_term, CloverField<T> site_term_inverse)
    : parameters_(parameters),
      hop_(std::make_shared<detail::HopTerm<T>>(links, parameters.anisotropy, parameters.boundary,
                                                HaloPrecision::field)),
      site_term_(std::move(site_term)),
      site_term_inverse_(std::move(site_term_inverse)) {}

template <class T>
std::unique_ptr<EvenOddOperator<T>> WilsonClover<T>::on_blocks(const Coordinates& block) const {
  const GaugeField<T> cut = detail::cut_links(links(), block);
  const Lattice& part = cut.lattice();
  return std::unique_ptr<WilsonClover>(
      new WilsonClover(parameters_, cut, site_term_.on(part), site_term_inverse_.on(part)));
}

template <class T>
const GaugeField<T>& WilsonClover<T>::links() const {
  return hop_->links();
}

template <class T>
HaloPrecision WilsonClover<T>::halo() const {
  return hop_->halo();
}

template <class T>
const Lattice& WilsonClover<T>::lattice() const {
  return hop_->lattice();
}

template <class T>
void WilsonClover<T>::hop(SpinorField<T>& out, const SpinorField<T>& in, const HopForm<T>& form) const {
  hop_->apply(out, in, form, form.term == SiteTerm::inverse ? &site_term_inverse_ : &site_term_);
}

template <class T>
void WilsonClover<T>::apply_site_term(SpinorField<T>& out, const SpinorField<T>& in, SiteTerm term, bool) const {
  detail::require_site_term_fields(lattice(), out, in, term);
  detail::apply_clover(out, in, term == SiteTerm::inverse ? site_term_inverse_ : site_term_);  // Hermitian: A^dag = A
}

template <class T>
double WilsonClover<T>::hop_flops(SiteTerm term, bool with_x) const {
  return 0.5 * static_cast<double>(lattice().volume()) *
         (1320.0 + (term == SiteTerm::none ? 0.0 : 552.0) + (with_x ? 48.0 : 0.0));
}

template <class T>
double WilsonClover<T>::site_term_flops() const {
  return 0.5 * static_cast<double>(lattice().volume()) * 552.0;
}

template <class T>
double WilsonClover<T>::hop_bytes(SiteTerm term, bool with_x) const {
  return 0.5 * static_cast<double>(lattice().volume()) *
         (detail::link_bytes(links()) + (with_x ? 3.0 : 2.0) * detail::spinor_bytes<T> +
          (term == SiteTerm::none ? 0.0 : detail::clover_bytes<T>));
}

template <class T>
double WilsonClover<T>::site_term_bytes() const {
  return 0.5 * static_cast<double>(lattice().volume()) * (2.0 * detail::spinor_bytes<T> + detail::clover_bytes<T>);
}

template class WilsonClover<double>;
template class WilsonClover<float>;
template class WilsonClover<half>;
template WilsonClover<double>::WilsonClover(const WilsonClover<double>&, LinkStorage, HaloPrecision);
template WilsonClover<double>::WilsonClover(const WilsonClover<float>&, LinkStorage, HaloPrecision);
template WilsonClover<double>::WilsonClover(const WilsonClover<half>&, LinkStorage, HaloPrecision);
template WilsonClover<float>::WilsonClover(const WilsonClover<double>&, LinkStorage, HaloPrecision);
template WilsonClover<float>::WilsonClover(const WilsonClover<float>&, LinkStorage, HaloPrecision);
template WilsonClover<float>::WilsonClover(const WilsonClover<half>&, LinkStorage, HaloPrecision);
template WilsonClover<half>::WilsonClover(const WilsonClover<double>&, LinkStorage, HaloPrecision);
template WilsonClover<half>::WilsonClover(const WilsonClover<float>&, LinkStorage, HaloPrecision);
template WilsonClover<half>::WilsonClover(const WilsonClover<half>&, LinkStorage, HaloPrecision);

}  // namespace kaon
