// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "hmc/two_flavor_solves.hpp"

#include <kaon/core/error.hpp>
#include <kaon/hmc/two_flavor_action.hpp>
#include <kaon/hmc/two_flavor_ratio_action.hpp>

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace kaon {

std::vector<std::shared_ptr<ActionTerm>> two_flavor_terms(const FermionParameters& quarks, std::span<const double> mu,
                                                          const SolveOptions& solver) {
  using Solves = detail::TwoFlavorSolves;
  auto solves = std::make_shared<Solves>(quarks, solver);
  std::vector<std::shared_ptr<ActionTerm>> terms;
  const auto add = [&](auto* term) { terms.push_back(std::shared_ptr<ActionTerm>(term)); };
  const bool walls = quarks.action == FermionAction::domain_wall;
  if (!solves->twisted() && !walls) {
    double below = 0.0;
    for (std::size_t k = mu.size(); k > 0; --k) {
      add(new TwoFlavorAction(quarks, {.mu = below, .numerator_mu = mu[k - 1], .solver = solver}, solves));
      below = mu[k - 1];
    }
    add(new TwoFlavorAction(quarks, {.mu = below, .solver = solver}, solves));
    return terms;
  }
  double FermionParameters::*const number = walls ? &FermionParameters::mass : &FermionParameters::mu;
  std::vector<double> heavier_numbers(mu.rbegin(), mu.rend());
  if (walls) heavier_numbers.push_back(pauli_villars_mass);
  double below = walls ? quarks.mass : std::abs(quarks.mu);
  for (const double above : heavier_numbers) {
    require(std::isfinite(above) && above > below, [&] {
      return fmt::format("the ratio of determinants with the {} {} and {}: the second one must be larger",
                         walls ? "masses" : "twisted masses", below, above);
    });
    FermionParameters heavier = quarks;
    heavier.*number = below = above;
    auto of_heavier = std::make_shared<Solves>(heavier, solver);
    add(new TwoFlavorRatioAction(solver, solves, of_heavier));
    solves = std::move(of_heavier);
  }
  if (!walls) add(new TwoFlavorAction(solves->quarks(), {.solver = solver}, solves));
  return terms;
}

}  // namespace kaon
