// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include <kaon/hmc/two_flavor_action.hpp>

#include "hmc/pseudofermions.hpp"
#include "hmc/two_flavor_solves.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>
#include <kaon/operators/fermion_force.hpp>

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace kaon {

using detail::TwoFlavorSolves;

TwoFlavorAction::TwoFlavorAction(const FermionParameters& quarks, const TwoFlavorParameters& parameters)
    : TwoFlavorAction(parameters, std::make_shared<TwoFlavorSolves>(quarks, parameters.solver)) {}

TwoFlavorAction::TwoFlavorAction(const TwoFlavorParameters& parameters, std::shared_ptr<TwoFlavorSolves> solves)
    : parameters_(parameters), solves_(std::move(solves)) {
  const auto& [mu, numerator, solver] = parameters;
  require(!family_of(solves_->quarks().action).has_pauli_villars,
          "domain wall quarks have a determinant together with Pauli-Villars fields alone: take TwoFlavorRatioAction, "
          "whose heavier quarks have the mass 1");
  require(std::isfinite(mu) && mu >= 0.0,
          [&] { return fmt::format("mu = {} of two flavours: numbers from 0 on are possible", mu); });
  require(!numerator || (std::isfinite(*numerator) && *numerator > mu), [&] {
    return fmt::format("the ratio of determinants with mu = {} above and {} below: the upper one must be larger",
                       *numerator, mu);
  });
  require(!solves_->twisted() || (mu == 0.0 && !numerator),
          "the mu of twisted quarks is their twisted mass: leave 0 here, and take TwoFlavorRatioAction for ratios");
}

TwoFlavorAction::~TwoFlavorAction() = default;

std::string TwoFlavorAction::name() const {
  const std::string text = "two flavours, " + detail::describe(solves_->quarks());
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
    const SpinorField<double> solution = solves_->solve(above, below, parameters_.solver.tolerance, iterations_);
    phi_.emplace(solves_->shifted(solution, -above));
    return norm2;
  }
  phi_.emplace(parameters_.mu != 0.0 ? solves_->shifted(eta, parameters_.mu) : solves_->adjoint(eta));
  return norm2 + solves_->determinant();
}

double TwoFlavorAction::value(const GaugeField<double>& links) {
  const SpinorField<double>& phi = begin_after_draw(links);
  const SpinorField<double> x = solves_->solve(parameters_.mu, phi, parameters_.solver.tolerance, iterations_);
  const double inverse = blas::inner_product(phi, x)[0].real();
  if (!parameters_.numerator_mu) return inverse + solves_->determinant();
  return blas::norm2(phi)[0] + weight() * inverse;
}

void TwoFlavorAction::add_force(GaugeField<double>& matrices, const GaugeField<double>& links) {
  const SpinorField<double>& phi = begin_after_draw(links);
  const SpinorField<double> x =
      solves_->solve(parameters_.mu, phi, parameters_.solver.force_tolerance, iterations_, &earlier_);
  const double residues[] = {weight()};
  add_fermion_force(matrices, solves_->dirac(), x, residues, parameters_.numerator_mu ? 0.0 : 2.0);
}

double TwoFlavorAction::weight() const {
  if (!parameters_.numerator_mu) return 1.0;
  return (*parameters_.numerator_mu - parameters_.mu) * (*parameters_.numerator_mu + parameters_.mu);
}

TwoFlavorRatioAction::TwoFlavorRatioAction(const FermionParameters& quarks, const FermionParameters& heavier,
                                           const SolveOptions& solver)
    : TwoFlavorRatioAction(std::make_shared<TwoFlavorSolves>(quarks, solver),
                           std::make_shared<TwoFlavorSolves>(heavier, solver)) {}

TwoFlavorRatioAction::TwoFlavorRatioAction(Solves below, Solves above)
    : below_(std::move(below)), above_(std::move(above)) {}

TwoFlavorRatioAction::~TwoFlavorRatioAction() = default;

std::string TwoFlavorRatioAction::name() const {
  return fmt::format("two flavours, {}, divided by those of {}", detail::describe(below_->quarks()),
                     detail::describe(above_->quarks()));
}

void TwoFlavorRatioAction::begin(const GaugeField<double>& links) {
  below_->begin(links);
  above_->begin(links);
}

double TwoFlavorRatioAction::draw(const GaugeField<double>& links, const RandomKey& key) {
  begin(links);
  SpinorField<double> eta(links.lattice(), detail::even_sites(below_->dirac()));
  set_gaussian(eta, key);
  // N'^-dag N^dag eta = N' (N'^dag N')^-1 N^dag eta
  const SpinorField<double> chi = below_->adjoint(eta);
  phi_.emplace(above_->image(above_->solve(0.0, chi, above_->options().tolerance, iterations_)));
  return blas::norm2(eta)[0] + determinant();
}

double TwoFlavorRatioAction::value(const GaugeField<double>& links) {
  const SpinorField<double>& phi = begin_after_draw(links);
  const SpinorField<double> chi = above_->adjoint(phi);
  const SpinorField<double> x = below_->solve(0.0, chi, below_->options().tolerance, iterations_);
  return blas::inner_product(chi, x)[0].real() + determinant();
}

void TwoFlavorRatioAction::add_force(GaugeField<double>& matrices, const GaugeField<double>& links) {
  const SpinorField<double>& phi = begin_after_draw(links);
  const SpinorField<double> chi = above_->adjoint(phi);
  const SpinorField<double> x = below_->solve(0.0, chi, below_->options().force_tolerance, iterations_, &earlier_);
  // dS = d<chi, (N^dag N)^-1 chi> at constant chi + 2 Re <phi, dN' X>
  const double residues[] = {1.0};
  add_fermion_force(matrices, below_->dirac(), x, residues, 2.0);
  SpinorField<double> twice = blas::clone(phi);
  blas::scale(twice, 2.0);
  add_product_force(matrices, above_->dirac(), x, twice, -2.0);
}

double TwoFlavorRatioAction::determinant() const { return below_->determinant() - above_->determinant(); }

FermionParameters heavier_quarks(const FermionParameters& quarks, double number) {
  const bool walls = family_of(quarks.action).has_pauli_villars;
  double FermionParameters::*const member = walls ? &FermionParameters::mass : &FermionParameters::mu;
  const double of_quarks = quarks.*member;
  require(std::isfinite(number) && number > (walls ? of_quarks : std::abs(of_quarks)), [&] {
    return fmt::format("the ratio of determinants with the {} {} and {}: the second one must be larger",
                       walls ? "masses" : "twisted masses", of_quarks, number);
  });
  FermionParameters heavier = quarks;
  heavier.*member = number;
  return heavier;
}

std::vector<std::shared_ptr<ActionTerm>> two_flavor_terms(const FermionParameters& quarks, std::span<const double> mu,
                                                          const SolveOptions& solver) {
  auto solves = std::make_shared<TwoFlavorSolves>(quarks, solver);
  std::vector<std::shared_ptr<ActionTerm>> terms;
  const bool walls = family_of(quarks.action).has_pauli_villars;
  if (!solves->twisted() && !walls) {
    TwoFlavorParameters parameters{.solver = solver};
    for (std::size_t k = mu.size(); k > 0; --k) {
      parameters.numerator_mu = mu[k - 1];
      terms.push_back(std::make_shared<TwoFlavorAction>(parameters, solves));
      parameters.mu = mu[k - 1];
    }
    parameters.numerator_mu.reset();
    terms.push_back(std::make_shared<TwoFlavorAction>(parameters, solves));
    return terms;
  }
  std::vector<double> numbers(mu.rbegin(), mu.rend());
  if (walls) numbers.push_back(pauli_villars_mass);
  for (const double number : numbers) {
    auto of_heavier = std::make_shared<TwoFlavorSolves>(heavier_quarks(solves->quarks(), number), solver);
    terms.push_back(std::make_shared<TwoFlavorRatioAction>(solves, of_heavier));
    solves = std::move(of_heavier);
  }
  if (!walls) terms.push_back(std::make_shared<TwoFlavorAction>(TwoFlavorParameters{.solver = solver}, solves));
  return terms;
}

}  // namespace kaon
