// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "gauge/cut_links.hpp"
#include "operators/checks.hpp"
#include "operators/wilson/clover_site_term.hpp"
#include "operators/wilson/wilson_hop.hpp"

#include <kaon/core/error.hpp>
#include <kaon/gauge/clover.hpp>
#include <kaon/operators/twisted_mass.hpp>

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>

namespace kaon {
namespace {

/// A = m + 1 + 3 nu/xi_0 + i mu gamma5, or A^dag.
detail::TwistMatrix site_matrix(const TwistedMassParameters& parameters, bool dagger) {
  return {parameters.mass + detail::hop_sum(parameters.anisotropy), dagger ? -parameters.mu : parameters.mu};
}

}  // namespace

void check_parameters(const TwistedMassParameters& p) {
  detail::require_parameter(std::isfinite(p.mass) && std::isfinite(p.mu), "mass",
                            [&] { return fmt::format("mass {} and twisted mass {} must be numbers", p.mass, p.mu); });
  detail::require_parameter(site_matrix(p, false).diagonal != 0.0 || p.mu != 0.0, "mass", [] {
    return "m + 1 + 3 nu/xi_0 and mu are both zero: the even-odd forms divide by the site term";
  });
}

template <class T>
TwistedMass<T>::TwistedMass(const GaugeField<T>& links, const TwistedMassParameters& parameters, HaloPrecision halo)
    : WilsonLike<T>(links, parameters.anisotropy, parameters.boundary, halo), parameters_(parameters) {
  check_parameters(parameters);
}

template <class T>
void TwistedMass<T>::hop(SpinorField<T>& out, const SpinorField<T>& in, const HopForm<T>& form) const {
  using Matrix = detail::TwistMatrix;
  const Matrix a = site_matrix(parameters_, form.dagger);
  switch (form.term) {
    case SiteTerm::none:
      return this->hopping().apply(out, in, form, detail::NoSiteTerm{});
    case SiteTerm::diagonal:
      return this->hopping().apply(out, in, form, detail::OnX<Matrix>{a});
    case SiteTerm::inverse:
      return this->hopping().apply(out, in, form, detail::OnHop<Matrix>{a.inverse()});
  }
}

template <class T>
void TwistedMass<T>::apply_site_term(SpinorField<T>& out, const SpinorField<T>& in, SiteTerm term, bool dagger) const {
  detail::require_site_term_fields(this->lattice(), out, in, term, this->domain());
  const detail::TwistMatrix a = site_matrix(parameters_, dagger);
  detail::apply_site_matrix(out, in, term == SiteTerm::inverse ? a.inverse() : a);
}

template <class T>
std::unique_ptr<EvenOddOperator<T>> TwistedMass<T>::on_blocks(const Coordinates& block) const {
  return std::make_unique<TwistedMass>(detail::cut_links(this->links(), block), parameters_);
}

template <class T>
typename WilsonLike<T>::SiteCost TwistedMass<T>::site_cost(SiteTerm term) const {
  return {.flops = term == SiteTerm::diagonal ? 48.0 : 72.0};
}

namespace {

std::array<double, 2> finite_twists(const TwistedCloverParameters& parameters) {
  const double mu = parameters.mu;
  const auto& [even, odd] = parameters.rho;
  require(std::isfinite(mu), [&] { return fmt::format("twisted mass {} must be a number", mu); });
  require(std::isfinite(even) && std::isfinite(odd),
          [&] { return fmt::format("the shifts {} and {} of the twisted mass must be numbers", even, odd); });
  return parameters.twists();
}

/// Parameters of an operator whose C was given.
TwistedCloverParameters without_clover(double mu, const std::array<double, 2>& rho, const WilsonHopParameters& hop) {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  return {
      .mass = unknown, .mu = mu, .csw = unknown, .anisotropy = hop.anisotropy, .boundary = hop.boundary, .rho = rho};
}

detail::Twists twists_of(const TwistedCloverParameters& parameters, bool dagger) {
  const auto [even, odd] = parameters.twists();
  const detail::Twists twists{even, odd};
  return dagger ? -twists : twists;
}

}  // namespace

template <class T>
TwistedClover<T>::TwistedClover(const GaugeField<T>& links,
                                const TwistedCloverParameters& parameters) requires FloatingPrecision<T>
    : WilsonLike<T>(links, parameters.anisotropy, parameters.boundary, HaloPrecision::field),
      parameters_(parameters),
      clover_(detail::make_site_term(links, parameters.untwisted())),
      norm_inverse_(invert_clover_norm(clover_, finite_twists(parameters))) {}

template <class T>
TwistedClover<T>::TwistedClover(const GaugeField<T>& links, const CloverField<T>& clover, double mu,
                                const WilsonHopParameters& parameters,
                                const std::array<double, 2>& rho) requires FloatingPrecision<T>
    : TwistedClover(without_clover(mu, rho, parameters), links, detail::of_all_sites(links, clover),
                    invert_clover_norm(detail::of_all_sites(links, clover),
                                       finite_twists(without_clover(mu, rho, parameters)))) {}

template <class T>
TwistedClover<T>::TwistedClover(const TwistedCloverParameters& parameters, const GaugeField<T>& links,
                                CloverField<T> clover, CloverField<T> norm_inverse, HaloPrecision halo)
    : WilsonLike<T>(links, parameters.anisotropy, parameters.boundary, halo),
      parameters_(parameters),
      clover_(std::move(clover)),
      norm_inverse_(std::move(norm_inverse)) {}

template <class T>
std::unique_ptr<EvenOddOperator<T>> TwistedClover<T>::on_blocks(const Coordinates& block) const {
  const GaugeField<T> cut = detail::cut_links(this->links(), block);
  const Lattice& part = cut.lattice();
  return std::unique_ptr<TwistedClover>(new TwistedClover(parameters_, cut, clover_.on(part), norm_inverse_.on(part)));
}

template <class T>
void TwistedClover<T>::hop(SpinorField<T>& out, const SpinorField<T>& in, const HopForm<T>& form) const {
  const detail::Twists twist = twists_of(parameters_, form.dagger);
  switch (form.term) {
    case SiteTerm::none:
      return this->hopping().apply(out, in, form, detail::NoSiteTerm{});
    case SiteTerm::diagonal:
      return this->hopping().apply(out, in, form, detail::OnX<detail::TwistedCloverMatrix<T>>{{clover_, twist}});
    case SiteTerm::inverse:
      return this->hopping().apply(out, in, form,
                                   detail::OnHop<detail::TwistedCloverInverse<T>>{{clover_, norm_inverse_, twist}});
  }
}

template <class T>
void TwistedClover<T>::apply_site_term(SpinorField<T>& out, const SpinorField<T>& in, SiteTerm term,
                                       bool dagger) const {
  detail::require_site_term_fields(this->lattice(), out, in, term, this->domain());
  const detail::Twists twist = twists_of(parameters_, dagger);
  if (term == SiteTerm::inverse) {
    detail::apply_site_matrix(out, in, detail::TwistedCloverInverse<T>{clover_, norm_inverse_, twist});
  } else {
    detail::apply_site_matrix(out, in, detail::TwistedCloverMatrix<T>{clover_, twist});
  }
}

template <class T>
typename WilsonLike<T>::SiteCost TwistedClover<T>::site_cost(SiteTerm term) const {
  if (term == SiteTerm::diagonal) return {.flops = 600.0, .bytes = detail::clover_bytes<T>};
  return {.flops = 1152.0, .bytes = 2.0 * detail::clover_bytes<T>};
}

template class TwistedMass<double>;
template class TwistedMass<float>;
template class TwistedMass<half>;
template class TwistedClover<double>;
template class TwistedClover<float>;
template class TwistedClover<half>;

}  // namespace kaon
