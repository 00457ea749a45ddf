// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "comm/processes.hpp"
#include "core/base/parts.hpp"
#include "gauge/cut_links.hpp"
#include "operators/checks.hpp"
#include "operators/stencil/hopping.hpp"
#include "operators/wilson/clover_site_term.hpp"
#include "operators/wilson/wilson_along.hpp"
#include "operators/wilson/wilson_hop.hpp"

#include <kaon/core/error.hpp>
#include <kaon/core/message.hpp>
#include <kaon/gauge/clover.hpp>
#include <kaon/operators/wilson.hpp>

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

namespace kaon {

template <class T>
WilsonLike<T>::WilsonLike(const GaugeField<T>& links, const Anisotropy& anisotropy, const BoundaryAngles& boundary,
                          HaloPrecision halo)
    : links_(links.share()), halo_(halo) {
  detail::require_anisotropy(anisotropy);
  detail::require_boundary(boundary);
  hop_ = std::make_shared<detail::WilsonHop<T>>(
      links, detail::WilsonStencil{.spatial_weight = anisotropy.spatial_weight()}, boundary, halo);
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
  const double of_term = term == SiteTerm::none ? 0.0 : site_cost(term).flops;
  return sites_of(*this)[1] * (1320.0 + of_term + (with_x ? 48.0 : 0.0));
}

template <class T>
double WilsonLike<T>::site_term_flops() const {
  return sites_of(*this)[1] * site_cost(SiteTerm::inverse).flops;
}

// The slices of a site share its links and what its term reads.
template <class T>
double WilsonLike<T>::hop_bytes(SiteTerm term, bool with_x) const {
  const auto [sites, of_slices] = sites_of(*this);
  const double of_term = term == SiteTerm::none ? 0.0 : site_cost(term).bytes;
  return sites * (detail::link_bytes(links()) + of_term) + of_slices * (with_x ? 3.0 : 2.0) * detail::site_bytes<T>(12);
}

template <class T>
double WilsonLike<T>::site_term_bytes() const {
  const auto [sites, of_slices] = sites_of(*this);
  return sites * site_cost(SiteTerm::inverse).bytes + of_slices * 2.0 * detail::site_bytes<T>(12);
}

namespace detail {

void require_anisotropy(const Anisotropy& anisotropy) {
  const double weight = anisotropy.spatial_weight();
  require(anisotropy.xi0 > 0.0 && anisotropy.nu > 0.0 && std::isfinite(anisotropy.xi0) && std::isfinite(weight), [&] {
    return fmt::format("anisotropy xi_0 = {} and nu = {} must both be positive, and nu/xi_0 = {} a number",
                       anisotropy.xi0, anisotropy.nu, weight);
  });
}

}  // namespace detail

/// Warns of kappa > 1/4, a mass below -2: on isotropic lattices the critical kappa is 1/8 for free quarks and grows to
/// 1/4 at strong coupling, so that larger ones are probably mistakes. They are no error, because the operator exists,
/// and its spectrum there is a subject of studies.
double mass_from_kappa(double kappa) {
  require(kappa > 0.0, [&] { return fmt::format("kappa must be positive, got {}", kappa); });
  const double mass = 0.5 / kappa - 4.0;
  if (mass < -2.0 && detail::rank_of_launcher() == 0) {
    detail::tell(
        MessageKind::warning,
        fmt::format("kappa {} is mass {:.6g}, but on isotropic lattices the critical kappa is between 1/8 (free "
                    "quarks) and 1/4 (strong coupling): check its decimal point, solves may not converge",
                    kappa, mass));
  }
  return mass;
}

double kappa_from_mass(double mass) {
  require(mass > -4.0, [&] { return fmt::format("mass {} has no kappa: it must be above -4", mass); });
  return 0.5 / (4.0 + mass);
}

void check_parameters(const WilsonParameters& p) {
  detail::require_parameter(std::isfinite(p.mass), "mass",
                            [&] { return fmt::format("mass {} is not a number", p.mass); });
  detail::require_parameter(p.mass + detail::hop_sum(p.anisotropy) != 0.0, "mass",
                            [] { return "the diagonal m + 1 + 3 nu/xi_0 is zero: the even-odd forms divide by it"; });
}

template <class T>
Wilson<T>::Wilson(const GaugeField<T>& links, const WilsonParameters& parameters, HaloPrecision halo)
    : WilsonLike<T>(links, parameters.anisotropy, parameters.boundary, halo), parameters_(parameters) {
  check_parameters(parameters);
}

template <class T>
double Wilson<T>::diagonal() const {
  return parameters_.mass + detail::hop_sum(parameters_.anisotropy);
}

template <class T>
void Wilson<T>::hop(SpinorField<T>& out, const SpinorField<T>& in, const HopForm<T>& form) const {
  this->hopping().apply(out, in, detail::without_site_term(form, diagonal()), detail::NoSiteTerm{});
}

template <class T>
void Wilson<T>::apply_site_term(SpinorField<T>& out, const SpinorField<T>& in, SiteTerm term, bool) const {
  detail::require_site_term_fields(this->lattice(), out, in, term, this->domain());
  detail::apply_number(out, in, term, diagonal());
}

template <class T>
std::unique_ptr<EvenOddOperator<T>> Wilson<T>::on_blocks(const Coordinates& block) const {
  return std::make_unique<Wilson>(detail::cut_links(this->links(), block), parameters_);
}

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
typename WilsonLike<T>::SiteCost WilsonClover<T>::site_cost(SiteTerm) const {
  return {.flops = 552.0, .bytes = detail::clover_bytes<T>};
}

template <class T>
WilsonClover<T> make_exponential_clover(const GaugeField<T>& links, const WilsonCloverParameters& parameters) {
  const double d = parameters.mass + detail::hop_sum(parameters.anisotropy);
  const CloverField<T> clover = detail::make_site_term(links, parameters);
  return WilsonClover<T>(links, exponential_clover(clover, d), exponential_clover_inverse(clover, d),
                         {.anisotropy = parameters.anisotropy, .boundary = parameters.boundary});
}

template class WilsonLike<double>;
template class WilsonLike<float>;
template class WilsonLike<half>;
template class Wilson<double>;
template class Wilson<float>;
template class Wilson<half>;
template WilsonClover<double> make_exponential_clover(const GaugeField<double>&, const WilsonCloverParameters&);
template WilsonClover<float> make_exponential_clover(const GaugeField<float>&, const WilsonCloverParameters&);
template class WilsonClover<double>;
template class WilsonClover<float>;
template class WilsonClover<half>;

}  // namespace kaon
