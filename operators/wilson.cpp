// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "gauge/cut_links.hpp"
#include "operators/hop.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>
#include <kaon/operators/wilson.hpp>

#include <fmt/format.h>

#include <cmath>

namespace kaon {
namespace {

/// 1 + 3 nu/xi_0: what the diagonal holds beside the mass.
double hop_sum(const Anisotropy& anisotropy) { return 1.0 + 3.0 * anisotropy.spatial_weight(); }

}  // namespace

double mass_from_kappa(double kappa) {
  require(kappa > 0.0, [&] { return fmt::format("kappa must be positive, got {}", kappa); });
  return 0.5 / kappa - 4.0;
}

double kappa_from_mass(double mass) {
  require(mass > -4.0, [&] { return fmt::format("mass {} has no kappa: it must be above -4", mass); });
  return 0.5 / (4.0 + mass);
}

template <class T>
Wilson<T>::Wilson(const GaugeField<T>& links, const WilsonParameters& parameters)
    : Wilson(links, parameters, HaloPrecision::field) {}

template <class T>
Wilson<T>::Wilson(const GaugeField<T>& links, const WilsonParameters& parameters, HaloPrecision halo)
    : parameters_(parameters) {
  require(std::isfinite(parameters.mass), [&] { return fmt::format("mass {} is not a number", parameters.mass); });
  require(diagonal() != 0.0, "the diagonal m + 1 + 3 nu/xi_0 is zero: the even-odd forms divide by it");
  hop_ = std::make_shared<detail::HopTerm<T>>(links, parameters.anisotropy, parameters.boundary, halo);
}

template <class T>
template <class S>
Wilson<T>::Wilson(const Wilson<S>& other, LinkStorage storage, HaloPrecision halo)
    : Wilson(GaugeField<T>(other.links(), storage), other.parameters(), halo) {}

template <class T>
const GaugeField<T>& Wilson<T>::links() const {
  return hop_->links();
}

template <class T>
HaloPrecision Wilson<T>::halo() const {
  return hop_->halo();
}

template <class T>
const Lattice& Wilson<T>::lattice() const {
  return hop_->lattice();
}

template <class T>
double Wilson<T>::diagonal() const {
  return parameters_.mass + hop_sum(parameters_.anisotropy);
}

template <class T>
void Wilson<T>::hop(SpinorField<T>& out, const SpinorField<T>& in, const HopForm<T>& form) const {
  // A is a number, so every form is a x + c K in.
  HopForm<T> plain = form;
  plain.term = SiteTerm::none;
  if (form.term == SiteTerm::diagonal) plain.x_scale = diagonal();
  if (form.term == SiteTerm::inverse) plain.scale = form.scale / diagonal();
  require(form.term != SiteTerm::diagonal || form.x != nullptr, "out = A x + c K in needs x");
  hop_->apply(out, in, plain, nullptr);
}

template <class T>
void Wilson<T>::apply_site_term(SpinorField<T>& out, const SpinorField<T>& in, SiteTerm term, bool) const {
  detail::require_site_term_fields(lattice(), out, in, term);
  if (out.data() != in.data()) blas::copy(out, in);
  const double factor = term == SiteTerm::diagonal ? diagonal() : 1.0 / diagonal();
  blas::scale(out, std::vector<double>(static_cast<std::size_t>(out.right_hand_sides()), factor));
}

template <class T>
std::unique_ptr<EvenOddOperator<T>> Wilson<T>::on_blocks(const Coordinates& block) const {
  return std::make_unique<Wilson>(detail::cut_links(links(), block), parameters_);
}

template <class T>
double Wilson<T>::hop_flops(SiteTerm, bool with_x) const {
  return 0.5 * static_cast<double>(lattice().volume()) * (with_x ? 1368.0 : 1320.0);
}

template <class T>
double Wilson<T>::site_term_flops() const {
  return 0.5 * static_cast<double>(lattice().volume()) * 24.0;
}

template <class T>
double Wilson<T>::hop_bytes(SiteTerm, bool with_x) const {
  return 0.5 * static_cast<double>(lattice().volume()) *
         (detail::link_bytes(links()) + (with_x ? 3.0 : 2.0) * detail::spinor_bytes<T>);
}

template <class T>
double Wilson<T>::site_term_bytes() const {
  return 0.5 * static_cast<double>(lattice().volume()) * 2.0 * detail::spinor_bytes<T>;
}

template class Wilson<double>;
template class Wilson<float>;
template class Wilson<half>;
template Wilson<double>::Wilson(const Wilson<double>&, LinkStorage, HaloPrecision);
template Wilson<double>::Wilson(const Wilson<float>&, LinkStorage, HaloPrecision);
template Wilson<double>::Wilson(const Wilson<half>&, LinkStorage, HaloPrecision);
template Wilson<float>::Wilson(const Wilson<double>&, LinkStorage, HaloPrecision);
template Wilson<float>::Wilson(const Wilson<float>&, LinkStorage, HaloPrecision);
template Wilson<float>::Wilson(const Wilson<half>&, LinkStorage, HaloPrecision);
template Wilson<half>::Wilson(const Wilson<double>&, LinkStorage, HaloPrecision);
template Wilson<half>::Wilson(const Wilson<float>&, LinkStorage, HaloPrecision);
template Wilson<half>::Wilson(const Wilson<half>&, LinkStorage, HaloPrecision);

}  // namespace kaon
