// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "gauge/cut_links.hpp"
#include "operators/wilson/clover_site_term.hpp"
#include "operators/wilson/wilson_hop.hpp"

#include <kaon/core/error.hpp>
#include <kaon/gauge/clover.hpp>
#include <kaon/operators/wilson.hpp>

#include <limits>
#include <utility>

namespace kaon {
namespace {

/// Parameters of an operator whose site term was given.
WilsonCloverParameters without_site_term(const WilsonHopParameters& hop) {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  return {.mass = unknown, .csw = unknown, .anisotropy = hop.anisotropy, .boundary = hop.boundary};
}

}  // namespace

template <class T>
WilsonClover<T>::WilsonClover(const GaugeField<T>& links,
                              const WilsonCloverParameters& parameters) requires FloatingPrecision<T>
    : WilsonLike<T>(links, parameters.anisotropy, parameters.boundary, HaloPrecision::field),
      parameters_(parameters),
      site_term_(detail::make_site_term(links, parameters)),
      site_term_inverse_(invert_clover(site_term_, Subset::full)) {}

template <class T>
WilsonClover<T>::WilsonClover(const GaugeField<T>& links, const CloverField<T>& site_term,
                              const WilsonHopParameters& parameters) requires FloatingPrecision<T>
    : WilsonClover(without_site_term(parameters), links, detail::of_all_sites(links, site_term),
                   invert_clover(detail::of_all_sites(links, site_term), Subset::full)) {}

template <class T>
WilsonClover<T>::WilsonClover(const GaugeField<T>& links, const CloverField<T>& site_term,
                              const CloverField<T>& site_term_inverse, const WilsonHopParameters& parameters)
    : WilsonClover(without_site_term(parameters), links, detail::of_all_sites(links, site_term),
                   detail::of_all_sites(links, site_term_inverse)) {}

template <class T>
WilsonClover<T>::WilsonClover(const WilsonCloverParameters& parameters, const GaugeField<T>& links,
                              CloverField<T> site_term, CloverField<T> site_term_inverse, HaloPrecision halo)
    : WilsonLike<T>(links, parameters.anisotropy, parameters.boundary, halo),
      parameters_(parameters),
      site_term_(std::move(site_term)),
      site_term_inverse_(std::move(site_term_inverse)) {}

template <class T>
std::unique_ptr<EvenOddOperator<T>> WilsonClover<T>::on_blocks(const Coordinates& block) const {
  const GaugeField<T> cut = detail::cut_links(this->links(), block);
  const Lattice& part = cut.lattice();
  return std::unique_ptr<WilsonClover>(
      new WilsonClover(parameters_, cut, site_term_.on(part), site_term_inverse_.on(part)));
}

template <class T>
void WilsonClover<T>::hop(SpinorField<T>& out, const SpinorField<T>& in, const HopForm<T>& form) const {
  using Matrix = detail::CloverMatrix<T>;
  switch (form.term) {
    case SiteTerm::none:
      return this->hopping().apply(out, in, form, detail::NoSiteTerm{});
    case SiteTerm::diagonal:
      return this->hopping().apply(out, in, form, detail::OnX<Matrix>{{site_term_}});
    case SiteTerm::inverse:
      return this->hopping().apply(out, in, form, detail::OnHop<Matrix>{{site_term_inverse_}});
  }
}

template <class T>
void WilsonClover<T>::apply_site_term(SpinorField<T>& out, const SpinorField<T>& in, SiteTerm term, bool) const {
  detail::require_site_term_fields(this->lattice(), out, in, term, this->domain());
  const CloverField<T>& field = term == SiteTerm::inverse ? site_term_inverse_ : site_term_;
  detail::apply_site_matrix(out, in, detail::CloverMatrix<T>{field});  // Hermitian: A^dag = A
}

template <class T>
typename WilsonClover<T>::SiteCost WilsonClover<T>::cost_in_hop(SiteTerm term) const {
  return term == SiteTerm::none ? SiteCost{} : cost_alone();
}

template <class T>
typename WilsonClover<T>::SiteCost WilsonClover<T>::cost_alone() const {
  return {.flops = 552.0, .bytes = detail::clover_bytes<T>};
}

template <class T>
WilsonClover<T> make_exponential_clover(const GaugeField<T>& links, const WilsonCloverParameters& parameters) {
  const double d = parameters.mass + detail::hop_sum(parameters.anisotropy);
  const CloverField<T> clover = detail::make_site_term(links, parameters);
  return WilsonClover<T>(links, exponential_clover(clover, d), exponential_clover_inverse(clover, d),
                         {.anisotropy = parameters.anisotropy, .boundary = parameters.boundary});
}

template WilsonClover<double> make_exponential_clover(const GaugeField<double>&, const WilsonCloverParameters&);
template WilsonClover<float> make_exponential_clover(const GaugeField<float>&, const WilsonCloverParameters&);
template class WilsonClover<double>;
template class WilsonClover<float>;
template class WilsonClover<half>;

}  // namespace kaon
