// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "gauge/cut_links.hpp"
#include "operators/require_parameter.hpp"
#include "operators/wilson/wilson_hop.hpp"

#include <kaon/operators/twisted_mass.hpp>

#include <fmt/format.h>

#include <cmath>

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
typename TwistedMass<T>::SiteCost TwistedMass<T>::cost_in_hop(SiteTerm term) const {
  if (term == SiteTerm::none) return {};
  return {.flops = term == SiteTerm::diagonal ? 48.0 : 72.0};
}

template <class T>
typename TwistedMass<T>::SiteCost TwistedMass<T>::cost_alone() const {
  return {.flops = 72.0};
}

template class TwistedMass<double>;
template class TwistedMass<float>;
template class TwistedMass<half>;

}  // namespace kaon
