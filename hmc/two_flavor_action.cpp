// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include <kaon/hmc/two_flavor_action.hpp>

#include "hmc/describe.hpp"
#include "hmc/requirements.hpp"
#include "hmc/two_flavor_solves.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>
#include <kaon/operators/fermion_force.hpp>

#include <fmt/format.h>

#include <cmath>

namespace kaon {
namespace {

/// Re <x, y>
double product(const SpinorField<double>& x, const SpinorField<double>& y) {
  return blas::inner_product(x, y)[0].real();
}

void require_usable(const FermionParameters& quarks, const TwoFlavorParameters& parameters) {
  const auto& [mu, numerator, solver] = parameters;
  detail::require_usable(solver);
  detail::require_two_flavors(quarks);
  require(quarks.action != FermionAction::domain_wall,
          "domain wall quarks have a determinant together with Pauli-Villars fields alone: take TwoFlavorRatioAction, "
          "whose heavier quarks have the mass 1");
  require(std::isfinite(mu) && mu >= 0.0,
          [&] { return fmt::format("mu = {} of two flavours: numbers from 0 on are possible", mu); });
  require(!numerator || (std::isfinite(*numerator) && *numerator > mu), [&] {
    return fmt::format("the ratio of determinants with mu = {} above and {} below: the upper one must be larger",
                       *numerator, mu);
  });
}

}  // namespace

TwoFlavorAction::TwoFlavorAction(const FermionParameters& quarks, const TwoFlavorParameters& parameters)
    : TwoFlavorAction(quarks, parameters, std::make_shared<detail::TwoFlavorSolves>(quarks, parameters.solver)) {}

TwoFlavorAction::TwoFlavorAction(const FermionParameters& quarks, const TwoFlavorParameters& parameters,
                                 std::shared_ptr<detail::TwoFlavorSolves> solves)
    : quarks_(quarks), parameters_(parameters), solves_(std::move(solves)) {
  require_usable(quarks, parameters);
  require(!solves_->twisted() || (parameters.mu == 0.0 && !parameters.numerator_mu),
          "the mu of twisted quarks is their twisted mass: leave 0 here, and take TwoFlavorRatioAction for ratios");
}

TwoFlavorAction::~TwoFlavorAction() = default;

std::string TwoFlavorAction::name() const {
  const std::string text = "two flavours, " + detail::describe(quarks_);
  if (parameters_.numerator_mu)
    return fmt::format("{}, mu = {} over {}", text, *parameters_.numerator_mu, parameters_.mu);
  return parameters_.mu == 0.0 ? text : fmt::format("{}, mu = {}", text, parameters_.mu);
}

void TwoFlavorAction::begin(const GaugeField<double>& links) { solves_->begin(links); }

double TwoFlavorAction::draw(const GaugeField<double>& links, const RandomKey& key) {
  begin(links);
  SpinorField<double> eta(links.lattice(), {.subset = Subset::even});
  set_gaussian(eta, key);
  const double norm2 = blas::norm2(eta)[0];
  if (parameters_.numerator_mu) {
    // (Q + i mu')^-1 = (Q - i mu') (N^dag N + mu'^2)^-1
    const double above = *parameters_.numerator_mu;
    const SpinorField<double> below = solves_->shifted(eta, parameters_.mu);
    phi_.emplace(solves_->shifted(solve(above, below, parameters_.solver.tolerance), -above));
    return norm2;
  }
  phi_.emplace(parameters_.mu != 0.0 ? solves_->shifted(eta, parameters_.mu) : solves_->adjoint(eta));
  return norm2 + solves_->determinant();
}

double TwoFlavorAction::value(const GaugeField<double>& links) {
  const SpinorField<double>& phi = begin_after_draw(links);
  const double inverse = product(phi, solve(parameters_.mu, phi, parameters_.solver.tolerance));
  if (!parameters_.numerator_mu) return inverse + solves_->determinant();
  return blas::norm2(phi)[0] + weight() * inverse;
}

void TwoFlavorAction::add_force(GaugeField<double>& matrices, const GaugeField<double>& links) {
  const SpinorField<double>& phi = begin_after_draw(links);
  const SpinorField<double> x = solve(parameters_.mu, phi, parameters_.solver.force_tolerance);
  const double residues[] = {weight()};
  add_fermion_force(matrices, solves_->dirac(), x, residues, parameters_.numerator_mu ? 0.0 : 2.0);
}

SpinorField<double> TwoFlavorAction::solve(double mu, const SpinorField<double>& b, double tolerance) {
  detail::TwoFlavorSolves::Solution solution = solves_->solve(mu, b, tolerance);
  iterations_ += solution.iterations;
  return std::move(solution.x);
}

double TwoFlavorAction::weight() const {
  if (!parameters_.numerator_mu) return 1.0;
  return (*parameters_.numerator_mu - parameters_.mu) * (*parameters_.numerator_mu + parameters_.mu);
}

}  // namespace kaon
