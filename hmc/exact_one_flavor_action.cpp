// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/base/parts.hpp"
#include "hmc/pseudofermions.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>
#include <kaon/hmc/exact_one_flavor_action.hpp>
#include <kaon/measure/spin_basis.hpp>
#include <kaon/operators/domain_wall.hpp>
#include <kaon/operators/fermion_force.hpp>

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace kaon {
namespace {

/// k^L_s
double power_of_slices(const FermionParameters& quarks) { return std::pow(-quarks.c / quarks.b, quarks.slices); }

/// g(m)
double closed(const FermionParameters& quarks, double mass) { return mass / (1.0 + mass * power_of_slices(quarks)); }

/// w^2
double squared_weight(const FermionParameters& quarks) {
  return (quarks.b + quarks.c) * (closed(quarks, pauli_villars_mass) - closed(quarks, quarks.mass));
}

PartialFractions inverse_root(const FermionParameters& quarks, const ExactOneFlavorParameters& parameters) {
  detail::require_usable(parameters.solver);
  require(family_of(quarks.action).has_pauli_villars, "an exact one flavour is of domain wall quarks");
  require(quarks.mass > 0.0 && quarks.mass < pauli_villars_mass, [&] {
    return fmt::format(
        "an exact one flavour of mass {}: masses between 0 and that of Pauli-Villars fields, {}, are "
        "possible",
        quarks.mass, pauli_villars_mass);
  });
  require(quarks.b_of_slices.empty() && quarks.c_of_slices.empty() && !quarks.lower_mass,
          "an exact one flavour has one b, one c and one mass for all slices");
  require(squared_weight(quarks) > 0.0 && std::isfinite(squared_weight(quarks)), [&] {
    return fmt::format("an exact one flavour with b = {}, c = {} and {} slices: b + c must be positive", quarks.b,
                       quarks.c, quarks.slices);
  });
  SpectralRange range = parameters.range;
  if (std::isnan(range.lower)) range.lower = 0.5;
  if (std::isnan(range.upper)) range.upper = 4.0 / (quarks.mass * quarks.mass);
  return minimax_power_within(-0.5, range, parameters.error).partial_fractions();
}

/// P_+- psi
SpinorField<double> projected(const SpinorField<double>& psi, bool upper) {
  SpinorField<double> out(psi.lattice(), psi.parameters());
  blas::axpy(out, psi, upper ? 1.0 : -1.0);
  apply_gamma5(out);
  blas::axpy(out, psi, 1.0);
  blas::scale(out, 0.5);
  return out;
}

}  // namespace

ExactOneFlavorAction::ExactOneFlavorAction(const FermionParameters& quarks, const ExactOneFlavorParameters& parameters)
    : quarks_(quarks), parameters_(parameters), root_(inverse_root(quarks, parameters)) {}

std::string ExactOneFlavorAction::name() const {
  return fmt::format("one flavour, {}, exact, divided by Pauli-Villars fields", detail::describe(quarks_));
}

ExactOneFlavorAction::System ExactOneFlavorAction::system(const GaugeField<double>& links, double upper_mass,
                                                          double lower_mass) const {
  if constexpr (detail::Parts::domain_wall) {
    const SolveOptions& solver = parameters_.solver;
    FermionParameters quarks = quarks_;
    quarks.mass = upper_mass;
    quarks.lower_mass = lower_mass;
    const Quark<double> dirac = make_quark(links, quarks);
    return {dirac, PropagatorSolver<double>(dirac, {.tolerance = solver.tolerance,
                                                    .max_iterations = solver.max_iterations,
                                                    .inner = solver.inner,
                                                    .on_fallback = [](const std::string&) {}})};
  }
  detail::refuse_part("domain_wall");
}

void ExactOneFlavorAction::begin(const GaugeField<double>& links) {
  detail::make_on(links_, links, [&](const GaugeField<double>& own) {
    light_.emplace(system(own, quarks_.mass, quarks_.mass));
    mixed_.emplace(system(own, quarks_.mass, pauli_villars_mass));
  });
}

double ExactOneFlavorAction::weight(int n) const {
  return std::sqrt(squared_weight(quarks_)) * std::pow(-quarks_.c / quarks_.b, n) / quarks_.b;
}

double ExactOneFlavorAction::mass_between(double t) const {
  const double g = (1.0 - t) * closed(quarks_, quarks_.mass) + t * closed(quarks_, pauli_villars_mass);
  return g / (1.0 - g * power_of_slices(quarks_));
}

SpinorField<double> ExactOneFlavorAction::solve(const System& system, const SpinorField<double>& phi, bool upper,
                                                double tolerance, detail::ForecastHistory* earlier) {
  const SpinorField<double> wall = projected(phi, upper);
  SpinorField<double> source = system.dirac->make_field(1), chi = system.dirac->make_field(1);
  for (const Parity parity : {Parity::even, Parity::odd}) {
    SpinorField<double> out = source.parity(parity);
    const SpinorField<double> in = wall.parity(parity);
    for (int s = 0; s < quarks_.slices; ++s) {  // R v P phi
      SpinorField<double> slice = out.slice(s);
      blas::axpy(slice, in, upper ? weight(s) : -weight(quarks_.slices - 1 - s));
    }
  }
  if (detail::has_solutions(earlier)) {
    earlier->guess(chi, source, false,
                   [&](SpinorField<double>& out, const SpinorField<double>& in) { system.dirac->apply(out, in); });
  }
  const SolveRequest request{.residual_norms = {tolerance * std::sqrt(blas::norm2(source)[0])}};
  const SolveResult result = system.solver.solve(chi, source, request);
  require_converged(result);
  iterations_ += result.iterations();
  if (earlier != nullptr) earlier->add(chi);
  return chi;
}

SpinorField<double> ExactOneFlavorAction::contracted(const SpinorField<double>& chi, bool upper) const {
  SpinorField<double> sum(chi.lattice(), SpinorParameters{});
  for (const Parity parity : {Parity::even, Parity::odd}) {
    SpinorField<double> out = sum.parity(parity);
    const SpinorField<double> in = chi.parity(parity);
    for (int s = 0; s < quarks_.slices; ++s) {
      blas::axpy(out, in.slice(s), weight(upper ? quarks_.slices - 1 - s : s));
    }
  }
  return projected(sum, upper);
}

double ExactOneFlavorAction::draw(const GaugeField<double>& links, const RandomKey& key) {
  begin(links);
  SpinorField<double> eta(links.lattice(), SpinorParameters{});
  set_gaussian(eta, key);
  SpinorField<double> phi(links.lattice(), SpinorParameters{});
  blas::axpy(phi, eta, root_.constant);
  // (X + beta)^-1 with t = 1/(1 + beta) is t + t^2 v_-^T H(m, m_t)^-1 v_- below and t - t^2 v_+^T H(m_t, 1)^-1 v_+
  // above.
  for (std::size_t l = 0; l < root_.residues.size(); ++l) {
    const double t = 1.0 / (1.0 + root_.shifts[l]), residue = root_.residues[l];
    blas::axpy(phi, eta, residue * t);
    for (const bool upper : {false, true}) {
      const System pole =
          upper ? system(*links_, mass_between(t), pauli_villars_mass) : system(*links_, quarks_.mass, mass_between(t));
      const SpinorField<double> chi = solve(pole, eta, upper, parameters_.solver.tolerance);
      blas::axpy(phi, contracted(chi, upper), (upper ? -1.0 : 1.0) * residue * t * t);
    }
  }
  phi_.emplace(std::move(phi));
  const double drawn = blas::norm2(eta)[0], found = value(links);
  const double bound = 1e-3 + 100.0 * (parameters_.error + parameters_.solver.tolerance) * drawn;
  if (!(std::abs(found - drawn) < bound)) {
    throw SolveError(fmt::format(
        "{}: pseudofermions were drawn with the action {:.10g} and have {:.10g}: eigenvalues lie outside the range of "
        "the rational function: widen the range",
        name(), drawn, found));
  }
  return found;
}

double ExactOneFlavorAction::value(const GaugeField<double>& links) {
  const SpinorField<double>& phi = begin_after_draw(links);
  return blas::inner_product(phi, apply(links, phi))[0].real();
}

SpinorField<double> ExactOneFlavorAction::apply(const GaugeField<double>& links, const SpinorField<double>& phi) {
  begin(links);
  SpinorField<double> sum = blas::clone(phi);
  for (const bool upper : {false, true}) {
    const SpinorField<double> chi = solve(upper ? *mixed_ : *light_, phi, upper, parameters_.solver.tolerance);
    blas::axpy(sum, contracted(chi, upper), upper ? 1.0 : -1.0);
  }
  return sum;
}

void ExactOneFlavorAction::add_force(GaugeField<double>& matrices, const GaugeField<double>& links) {
  const SpinorField<double>& phi = begin_after_draw(links);
  // d<b, H^-1 b> = -<R chi, dM chi>, chi = H^-1 b
  SpinorField<double> x = light_->dirac->make_field(2), y = light_->dirac->make_field(2);
  for (const bool upper : {false, true}) {
    SpinorField<double> chi = x.right_hand_side(upper ? 1 : 0), reflected = y.right_hand_side(upper ? 1 : 0);
    blas::copy(chi, solve(upper ? *mixed_ : *light_, phi, upper, parameters_.solver.force_tolerance,
                          &earlier_[upper ? 1 : 0]));
    blas::copy(reflected, chi);
    apply_reflected_gamma5(reflected);
    if (upper) blas::scale(reflected, -1.0);
  }
  add_product_force(matrices, *light_->dirac, x, y);
}

}  // namespace kaon
