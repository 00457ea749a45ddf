// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "operators/hop.hpp"

#include <kaon/core/error.hpp>
#include <kaon/gauge/clover.hpp>
#include <kaon/operators/wilson.hpp>

#include <fmt/format.h>

#include <cmath>

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
  return make_clover(links, {.diagonal = parameters.mass + 1.0 + 3.0 * parameters.anisotropy.spatial_weight(),
                             .spatial = parameters.csw / parameters.anisotropy.xi0,
                             .temporal = parameters.temporal_coefficient()});
}

}  // namespace

template <class T>
WilsonClover<T>::WilsonClover(const GaugeField<T>& links, const WilsonCloverParameters& parameters)
    : parameters_(parameters),
      hop_(std::make_shared<detail::HopTerm<T>>(links, parameters.anisotropy, parameters.boundary)),
      site_term_(make_site_term(links, parameters)),
      site_term_inverse_(invert_clover(site_term_, Subset::full)) {}

template <class T>
template <class S>
WilsonClover<T>::WilsonClover(const WilsonClover<S>& other)
    : parameters_(other.parameters()),
      hop_(std::make_shared<detail::HopTerm<T>>(GaugeField<T>(other.links()), other.parameters().anisotropy,
                                                other.parameters().boundary)),
      site_term_(other.site_term()),
      site_term_inverse_(other.site_term_inverse()) {}

template <class T>
const GaugeField<T>& WilsonClover<T>::links() const {
  return hop_->links();
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
  return detail::half_volume_bytes<T>(lattice(), 8 * 18 + 48 + (term == SiteTerm::none ? 0 : 72) + (with_x ? 24 : 0));
}

template <class T>
double WilsonClover<T>::site_term_bytes() const {
  return detail::half_volume_bytes<T>(lattice(), 48 + 72);
}

template class WilsonClover<double>;
template class WilsonClover<float>;
template WilsonClover<double>::WilsonClover(const WilsonClover<float>&);
template WilsonClover<float>::WilsonClover(const WilsonClover<double>&);

}  // namespace kaon
