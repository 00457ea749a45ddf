// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "gauge/cut_links.hpp"
#include "operators/checks.hpp"
#include "operators/wilson/clover_site_term.hpp"
#include "operators/wilson/separate_site_term.hpp"
#include "operators/wilson/site_matrices.hpp"

#include <kaon/core/error.hpp>
#include <kaon/operators/twisted_mass.hpp>

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>

namespace kaon {
namespace {

double diagonal_of(const TwistedDoubletParameters& p) { return p.mass + detail::hop_sum(p.anisotropy); }

/// Parameters of an operator whose C was given.
TwistedDoubletParameters without_clover(double mu, double epsilon, const WilsonHopParameters& hop) {
  require(std::isfinite(mu * mu) && std::isfinite(epsilon * epsilon),
          [&] { return fmt::format("twisted mass {} and epsilon {} of a doublet must be numbers", mu, epsilon); });
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  return {.mass = unknown,
          .mu = mu,
          .epsilon = epsilon,
          .csw = unknown,
          .anisotropy = hop.anisotropy,
          .boundary = hop.boundary};
}

/// mu^2 - epsilon^2
double shift_of(const TwistedDoubletParameters& p) { return (p.mu - p.epsilon) * (p.mu + p.epsilon); }

}  // namespace

template <class T>
TwistedDoublet<T>::TwistedDoublet(const TwistedDoubletParameters& parameters, const GaugeField<T>& links,
                                  HaloPrecision halo)
    : WilsonLike<T>(links, parameters.anisotropy, parameters.boundary, halo), parameters_(parameters) {}

void check_parameters(const TwistedDoubletParameters& p) {
  const bool finite = std::isfinite(p.mass) && std::isfinite(p.mu * p.mu) && std::isfinite(p.epsilon * p.epsilon);
  detail::require_parameter(finite, "epsilon", [&] {
    return fmt::format("mass {}, twisted mass {} and epsilon {} of a doublet must be numbers", p.mass, p.mu, p.epsilon);
  });
  detail::require_parameter(p.csw || !p.csw_temporal, "csw",
                            [] { return "a doublet with c_sw of the temporal planes needs that of the spatial ones"; });
  const double d = diagonal_of(p), norm = d * d + shift_of(p);
  detail::require_parameter(p.csw || norm > 0.0, "epsilon", [&] {
    return fmt::format(
        "(m + 1 + 3 nu/xi_0)^2 + mu^2 - epsilon^2 = {:.6g} of a doublet with m = {}, mu = {} and epsilon = {} is not "
        "positive, and the even-odd forms divide by it: use a larger mass or mu, or a smaller epsilon",
        norm, p.mass, p.mu, p.epsilon);
  });
}

template <class T>
TwistedDoublet<T>::TwistedDoublet(const GaugeField<T>& links,
                                  const TwistedDoubletParameters& parameters) requires FloatingPrecision<T>
    : TwistedDoublet(parameters, links, HaloPrecision::field) {
  const TwistedDoubletParameters& p = parameters;
  check_parameters(p);
  if (p.csw) set_clover(detail::make_site_term(links, untwisted()));
}

template <class T>
TwistedDoublet<T>::TwistedDoublet(const GaugeField<T>& links, const CloverField<T>& clover, double mu, double epsilon,
                                  const WilsonHopParameters& parameters) requires FloatingPrecision<T>
    : TwistedDoublet(without_clover(mu, epsilon, parameters), links, HaloPrecision::field) {
  set_clover(detail::of_all_sites(links, clover));
}

template <class T>
void TwistedDoublet<T>::set_clover(CloverField<T> clover) requires FloatingPrecision<T> {
  norm_inverse_.emplace(invert_clover_square(clover, shift_of(parameters_)));
  clover_.emplace(std::move(clover));
}

template <class T>
WilsonCloverParameters TwistedDoublet<T>::untwisted() const {
  const TwistedDoubletParameters& p = parameters_;
  return {p.mass, p.csw.value_or(0.0), p.csw_temporal, p.anisotropy, p.boundary};
}

template <class T>
void TwistedDoublet<T>::apply_matrix(SpinorField<T>& out, const SpinorField<T>& in, SiteTerm term, bool dagger,
                                     const SpinorField<T>* x, double x_scale) const {
  const double twist = dagger ? -parameters_.mu : parameters_.mu, d = diagonal_of(parameters_);
  if (term == SiteTerm::diagonal) {
    detail::apply_doublet_matrix(out, in, {clover(), nullptr, d, twist, -parameters_.epsilon}, x, x_scale);
  } else {
    const double norm = clover_ ? 1.0 : d * d + shift_of(parameters_);
    detail::apply_doublet_matrix(
        out, in, {clover(), norm_inverse(), d / norm, -twist / norm, parameters_.epsilon / norm}, x, x_scale);
  }
}

template <class T>
void TwistedDoublet<T>::hop(SpinorField<T>& out, const SpinorField<T>& in, const HopForm<T>& form) const {
  require(out.slices() == flavors,
          [&] { return fmt::format("a doublet has two slices, its flavours, and was given {}", out.slices()); });
  detail::hop_with_separate_term(this->hopping(), out, in, form,
                                 [&](SpinorField<T>& to, const SpinorField<T>& from, const SpinorField<T>* x,
                                     double x_scale) { apply_matrix(to, from, form.term, form.dagger, x, x_scale); });
}

template <class T>
void TwistedDoublet<T>::apply_site_term(SpinorField<T>& out, const SpinorField<T>& in, SiteTerm term,
                                        bool dagger) const {
  detail::require_site_term_fields(this->lattice(), out, in, term, this->domain());
  apply_matrix(out, in, term, dagger, nullptr, 0.0);
}

template <class T>
std::unique_ptr<EvenOddOperator<T>> TwistedDoublet<T>::on_blocks(const Coordinates& block) const {
  const GaugeField<T> cut = detail::cut_links(this->links(), block);
  std::unique_ptr<TwistedDoublet> part(new TwistedDoublet(parameters_, cut, HaloPrecision::field));
  if (clover_) {
    part->clover_.emplace(clover_->on(cut.lattice()));
    part->norm_inverse_.emplace(norm_inverse_->on(cut.lattice()));
  }
  return part;
}

template <class T>
typename WilsonLike<T>::SiteCost TwistedDoublet<T>::site_cost(SiteTerm term) const {
  if (!clover_) return {.flops = 120.0};
  if (term == SiteTerm::diagonal) return {.flops = 648.0, .bytes = detail::clover_bytes<T>};
  return {.flops = 1200.0, .bytes = 2.0 * detail::clover_bytes<T>};
}

template class TwistedDoublet<double>;
template class TwistedDoublet<float>;
template class TwistedDoublet<half>;

}  // namespace kaon
