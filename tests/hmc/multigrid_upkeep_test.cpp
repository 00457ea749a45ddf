// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "hmc/multigrid_upkeep.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <concepts>
#include <cstdint>

namespace kaon::test {
namespace KAON_TEST_FILE {

using detail::MultigridUpkeep;
using detail::Upkeep;

/// Costs in seconds, of a solve for each order of magnitude.
struct Costs {
  double refresh = 10.0, rebuild = 100.0;
  double best = 1.0;        ///< a solve right after a setup
  double growth = 0.0;      ///< of a solve with each change of the links since the last setup
  double wear = 0.0;        ///< of a solve with each refresh since the last rebuild
  double without = 1000.0;  ///< a solve without multigrid
  double noise = 0.0;       ///< the largest relative change of the seconds of a solve
};

/// Trajectories whose seconds are given, with what they did. Each change of the links is followed by two solves.
struct Course {
  int keeps = 0, refreshes = 0, rebuilds = 0, steps_without = 0;
  double seconds = 0.0;
  Upkeep last = Upkeep::keep;

  Course(const Costs& costs, bool may_leave, int steps) : Course([&](int) { return costs; }, may_leave, steps) {}

  /// `at(k)`: the costs of step k.
  template <class At>
  requires std::invocable<At, int> Course(const At& at, bool may_leave, int steps) {
    MultigridUpkeep upkeep(may_leave, at(0).rebuild);
    int age = 0, refreshed = 0;
    std::uint32_t random = 1;
    for (int k = 0; k < steps; ++k) {
      const Costs costs = at(k);
      last = upkeep.next();
      const bool builds = last == Upkeep::refresh || last == Upkeep::rebuild;
      const double setup = last == Upkeep::refresh ? costs.refresh : last == Upkeep::rebuild ? costs.rebuild : 0.0;
      upkeep.add_setup(last, setup);
      seconds += setup;
      keeps += last == Upkeep::keep ? 1 : 0;
      refreshes += last == Upkeep::refresh ? 1 : 0;
      rebuilds += last == Upkeep::rebuild ? 1 : 0;
      steps_without += last == Upkeep::leave ? 1 : 0;
      refreshed = last == Upkeep::rebuild ? 0 : refreshed + (last == Upkeep::refresh ? 1 : 0);
      age = builds ? 0 : age + 1;
      const double rate =
          last == Upkeep::leave ? costs.without : costs.best + costs.growth * age + costs.wear * refreshed;
      for (int solve = 0; solve < 2; ++solve) {
        constexpr double orders = 3.5;
        random = 1664525U * random + 1013904223U;
        const double spent = rate * orders * (1.0 + costs.noise * (random * 0x1p-31 - 1.0));
        upkeep.add_solve(spent, orders);
        seconds += spent;
      }
    }
  }
};

/// The seconds of a course that may leave multigrid, in those of the better of the two that never change.
double ratio_to_better(const Costs& costs, int steps) {
  const double with = Course(costs, false, steps).seconds, without = 7.0 * costs.without * steps;
  return Course(costs, true, steps).seconds / std::fmin(with, without);
}

TEST(MultigridUpkeep, KeepsLevelsThatDoNotAge) {
  const Course run({}, false, 1000);
  EXPECT_EQ(run.keeps, 1000);
}

// Solves that waste 0.7 k seconds after k changes have wasted the 10 of a refresh after five of them.
TEST(MultigridUpkeep, RefreshesWhenTheWasteHasPaidForIt) {
  const Course run({.growth = 0.1}, false, 1000);
  EXPECT_EQ(run.steps_without, 0);
  EXPECT_GT(run.refreshes, 100);
  // The best period of k solves costs 10 + 0.7 k (k - 1)/2, least a solve with k = 5.
  double best = INFINITY;
  for (int k = 1; k < 100; ++k) best = std::fmin(best, 7.0 + (10.0 + 0.35 * k * (k - 1)) / k);
  EXPECT_LT(run.seconds, 1000 * (7.0 + 2.0 * (best - 7.0)) + 200.0);
}

TEST(MultigridUpkeep, RebuildsVectorsThatWear) {
  const Course worn({.growth = 0.1, .wear = 0.1}, false, 1000), fresh({.growth = 0.1}, false, 1000);
  EXPECT_GT(worn.rebuilds, fresh.rebuilds);
  EXPECT_GT(worn.refreshes, worn.rebuilds);
  EXPECT_LT(worn.rebuilds, 100);
}

// The first refresh waits for one step without multigrid.
TEST(MultigridUpkeep, LeavesMultigridForFasterSolves) {
  const Course run({.growth = 0.1, .without = 0.9}, true, 200);
  EXPECT_EQ(run.refreshes + run.rebuilds, 0);
  EXPECT_GT(run.steps_without, 195);
  EXPECT_EQ(run.last, Upkeep::leave);
}

// Each solve with multigrid is faster, but refreshes cost more than that saves.
TEST(MultigridUpkeep, LeavesMultigridWhoseSetupsDoNotPay) {
  const Course run({.growth = 0.1, .without = 1.2}, true, 200);
  EXPECT_EQ(run.refreshes, 1) << "its price is not known at the first trial";
  EXPECT_GT(run.steps_without, 190);
}

TEST(MultigridUpkeep, TriesFasterSolvesSeldom) {
  const Course run({.growth = 0.1, .without = 50.0}, true, 3000);
  EXPECT_GT(run.refreshes, 300);
  EXPECT_GT(run.steps_without, 1) << "never again";
  EXPECT_LT(50.0 * 7.0 * (run.steps_without - 1), run.seconds / 32.0);
}

TEST(MultigridUpkeep, NeverLeavesWhereItMayNot) {
  EXPECT_EQ(Course({.growth = 0.1, .without = 0.1}, false, 1000).steps_without, 0);
}

TEST(MultigridUpkeep, CostsLittleMoreThanTheBetterMethod) {
  for (const double noise : {0.0, 0.1}) {
    for (const double growth : {0.0, 0.001, 0.02, 0.3}) {
      for (const double wear : {0.0, 0.01}) {
        for (const double without : {0.2, 0.8, 0.97, 1.03, 1.1, 1.3, 1.6, 2.0, 3.0, 10.0, 100.0}) {
          const Costs costs{.growth = growth, .wear = wear, .without = without, .noise = noise};
          EXPECT_LT(ratio_to_better(costs, 20000), 1.05)
              << "noise " << noise << ", growth " << growth << ", wear " << wear << ", without " << without;
        }
      }
    }
  }
}

// A run may thermalize from heavy quarks to light ones.
TEST(MultigridUpkeep, FollowsTheMethodThatBecomesBetter) {
  const Costs heavy{.growth = 0.1, .without = 0.5}, light{.growth = 0.1, .without = 20.0};
  const Course becomes_light([&](int k) { return k < 2000 ? heavy : light; }, true, 12000);
  EXPECT_LT(becomes_light.seconds, 1.05 * (Course(light, false, 10000).seconds + 2000 * 7.0 * heavy.without));
  const Course becomes_heavy([&](int k) { return k < 2000 ? light : heavy; }, true, 32000);
  EXPECT_LT(becomes_heavy.seconds, 1.05 * (Course(light, false, 2000).seconds + 30000 * 7.0 * heavy.without));
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
