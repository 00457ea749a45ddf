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
                                                          const ActionSolverParameters& solver) {
  using Solves = detail::TwoFlavorSolves;
  auto solves = std::make_shared<Solves>(quarks, solver);
  std::vector<std::shared_ptr<ActionTerm>> terms;
  const auto add = [&](auto* term) { terms.push_back(std::shared_ptr<ActionTerm>(term)); };
  if (!solves->twisted()) {
    double below = 0.0;
    for (std::size_t k = mu.size(); k > 0; --k) {
      add(new TwoFlavorAction(quarks, {.mu = below, .numerator_mu = mu[k - 1], .solver = solver}, solves));
      below = mu[k - 1];
    }
    add(new TwoFlavorAction(quarks, {.mu = below, .solver = solver}, solves));
    return terms;
  }
  double below = std::abs(quarks.mu);
  for (std::size_t k = mu.size(); k > 0; --k) {
    require(std::isfinite(mu[k - 1]) && mu[k - 1] > below, [&] {
      return fmt::format("the ratio of determinants with the twisted masses {} and {}: the second one must be larger",
                         below, mu[k - 1]);
    });
    FermionParameters heavier = quarks;
    heavier.mu = below = mu[k - 1];
    auto of_heavier = std::make_shared<Solves>(heavier, solver);
    add(new TwoFlavorRatioAction(solver, solves, of_heavier));
    solves = std::move(of_heavier);
  }
  add(new TwoFlavorAction(solves->quarks(), {.solver = solver}, solves));
  return terms;
}

}  // namespace kaon
