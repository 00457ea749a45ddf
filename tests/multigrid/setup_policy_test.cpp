// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/setup/setup_policy.hpp"

#include "multigrid/setup/report.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <vector>

namespace kaon::test {
namespace KAON_TEST_FILE {

using detail::SetupPolicy;
using detail::VectorOrigin;

TEST(SetupPolicy, ConvergenceDecidesFromTheFirstHierarchyOn) {
  for (const VectorOrigin origin : {VectorOrigin::noise, VectorOrigin::given}) {
    EXPECT_TRUE(SetupPolicy(origin, std::nullopt, 8).needs_convergence());
  }
}

TEST(SetupPolicy, AFixedNumberOfBootstrapsAsksForNoConvergence) {
  for (const VectorOrigin origin : {VectorOrigin::noise, VectorOrigin::given}) {
    SetupPolicy policy(origin, 5, 8);
    EXPECT_FALSE(policy.needs_convergence());
    EXPECT_TRUE(policy.is_worth_another(std::nullopt));
    EXPECT_EQ(policy.most_bootstraps(), 5);
  }
}

TEST(SetupPolicy, BootstrapsEndWhereConvergenceIsGoodOrNoLongerImproves) {
  SetupPolicy policy(VectorOrigin::noise, std::nullopt, 8);
  EXPECT_TRUE(policy.is_worth_another(0.5));
  EXPECT_TRUE(policy.is_worth_another(std::pow(0.5, 1.11)));
  EXPECT_FALSE(policy.is_worth_another(std::pow(0.5, 1.11 * 1.09)));
  EXPECT_TRUE(SetupPolicy(VectorOrigin::noise, std::nullopt, 8).is_worth_another(0.21));
  EXPECT_FALSE(SetupPolicy(VectorOrigin::noise, std::nullopt, 8).is_worth_another(0.19));
}

TEST(SetupPolicy, BootstrapsOfBadConvergenceGoOnWithoutGain) {
  SetupPolicy policy(VectorOrigin::noise, std::nullopt, 8);
  EXPECT_TRUE(policy.is_worth_another(0.7));
  EXPECT_TRUE(policy.is_worth_another(0.9));
  EXPECT_FALSE(policy.is_worth_another(0.59) && policy.is_worth_another(0.58));
}

TEST(SetupPolicy, GivenVectorsAreGoodEnoughEarlierAndDroppedWhenBad) {
  SetupPolicy policy(VectorOrigin::given, std::nullopt, 8);
  EXPECT_FALSE(policy.drops_given_vectors(0.6));
  EXPECT_FALSE(SetupPolicy(VectorOrigin::given, std::nullopt, 8).is_worth_another(0.39));
  EXPECT_TRUE(policy.drops_given_vectors(0.61));
  EXPECT_EQ(policy.origin(), VectorOrigin::noise);
  EXPECT_FALSE(policy.drops_given_vectors(0.9)) << "noise is not dropped";
  EXPECT_TRUE(policy.is_worth_another(0.39)) << "noise has to become better";
}

TEST(SetupPolicy, LowerLevelsBootstrapOnceFourOfTheFirstDidNotHelp) {
  SetupPolicy policy(VectorOrigin::noise, std::nullopt, 8);
  policy.is_worth_another(0.8);
  EXPECT_FALSE(policy.begins_lower_bootstraps(3, 3));
  EXPECT_FALSE(policy.begins_lower_bootstraps(4, 2)) << "there is no level between the first and the last";
  EXPECT_EQ(policy.lower_bootstraps(), 0);
  EXPECT_EQ(policy.most_bootstraps(), 8);
  EXPECT_TRUE(policy.begins_lower_bootstraps(4, 3));
  EXPECT_EQ(policy.lower_bootstraps(), 2);
  EXPECT_EQ(policy.most_bootstraps(), 16);
  SetupPolicy converges(VectorOrigin::noise, std::nullopt, 8);
  converges.is_worth_another(0.6);
  EXPECT_FALSE(converges.begins_lower_bootstraps(4, 3));
}

TEST(SetupPolicy, LevelsTakeMoreVectorsWhereTwoBootstrapsDidNotHelp) {
  const auto wants = [](bool may_widen, std::optional<int> fixed, int step, double convergence) {
    SetupPolicy policy(VectorOrigin::noise, fixed, 8, may_widen);
    policy.is_worth_another(convergence);
    return policy.wants_more_vectors(step);
  };
  EXPECT_TRUE(wants(true, std::nullopt, 2, 0.61));
  EXPECT_FALSE(wants(true, std::nullopt, 1, 0.61));
  EXPECT_FALSE(wants(true, std::nullopt, 2, 0.6));
  EXPECT_FALSE(wants(true, 8, 2, 0.61)) << "bootstraps by hand";
  EXPECT_FALSE(wants(false, std::nullopt, 2, 0.61));
  SetupPolicy wide = SetupPolicy::with_more_vectors(8);
  EXPECT_EQ(wide.lower_bootstraps(), 2);
  EXPECT_EQ(wide.most_bootstraps(), 8);
  wide.is_worth_another(0.8);
  EXPECT_FALSE(wide.wants_more_vectors(2));
  EXPECT_FALSE(wide.begins_lower_bootstraps(4, 3)) << "they have begun";
}

TEST(SetupPolicy, AVCycleSufficesAtMostOfTheRateOfAKCycle) {
  EXPECT_TRUE(detail::suffices_v_cycle(std::pow(0.1, 0.71), 0.1));
  EXPECT_FALSE(detail::suffices_v_cycle(std::pow(0.1, 0.69), 0.1));
}

// A K-cycle of two steps asks the second level once and the third twice.
TEST(SharesOfLevels, AddUpToTheTimeOfTheCycle) {
  const std::vector<double> shares = detail::shares_of_levels({10.0, 6.0, 2.0}, 2);
  constexpr double rounding = 4.0 * std::numeric_limits<double>::epsilon();
  ASSERT_EQ(shares.size(), 3u);
  EXPECT_NEAR(shares[0], 0.4, rounding);
  EXPECT_NEAR(shares[1], 0.2, rounding);
  EXPECT_NEAR(shares[2], 0.4, rounding);
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
