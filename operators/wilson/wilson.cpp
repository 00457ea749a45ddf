// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "gauge/cut_links.hpp"
#include "operators/require_parameter.hpp"
#include "operators/stencil/number_site_term.hpp"
#include "operators/wilson/wilson_hop.hpp"

#include <kaon/core/error.hpp>
#include <kaon/operators/wilson.hpp>

#include <fmt/format.h>

#include <cmath>

namespace kaon {

double mass_from_kappa(double kappa) {
  require(kappa > 0.0, [&] { return fmt::format("kappa must be positive, got {}", kappa); });
  return 0.5 / kappa - 4.0;
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

template <class T>
typename Wilson<T>::SiteCost Wilson<T>::cost_in_hop(SiteTerm) const {
  return {};
}

template <class T>
typename Wilson<T>::SiteCost Wilson<T>::cost_alone() const {
  return {.flops = 24.0};
}

template class Wilson<double>;
template class Wilson<float>;
template class Wilson<half>;

}  // namespace kaon
