// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/hmc/hybrid_monte_carlo.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

namespace kaon::test {

/// Trajectories by leapfrog from `start` with the terms of `make_terms()`: the change of the energy falls as the square
/// of the step, and links come back.
template <class MakeTerms>
void expect_trajectories_keep_energy(const GaugeField<double>& start, const MakeTerms& make_terms) {
  std::vector<double> changes;
  for (const int steps : {6, 12}) {
    const std::vector<std::shared_ptr<ActionTerm>> terms = make_terms();
    HybridMonteCarlo hmc({{.terms = terms, .steps = steps, .integrator = Integrator::leapfrog}},
                         {.length = 0.5, .seed = 3});
    GaugeField<double> links = start.clone();
    changes.push_back(hmc.trajectory(links, 1).delta_energy);
    if (steps > 6) continue;
    const Reversal back = hmc.reverse(start, 1);
    EXPECT_LT(back.links, 1e-9);
    EXPECT_LT(std::abs(back.delta_energy), 1e-6);
  }
  EXPECT_NEAR(changes[0] / changes[1], 4.0, 0.5);
  EXPECT_GT(std::abs(changes[1]), 1e-6);
}

}  // namespace kaon::test
