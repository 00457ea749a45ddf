// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/setup/setup_policy.hpp"

#include "multigrid/setup/report.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

namespace kaon::test {
namespace KAON_TEST_FILE {

using detail::SetupPolicy;
using detail::VectorOrigin;

SetupPolicy policy_of(VectorOrigin origin) { return SetupPolicy(origin, std::nullopt, 8); }

TEST(SetupPolicy, AFixedNumberOfBootstrapsNeedsNoConvergence) {
  for (const VectorOrigin origin : {VectorOrigin::noise, VectorOrigin::given}) {
    EXPECT_TRUE(policy_of(origin).needs_convergence());
    SetupPolicy policy(origin, 5, 8);
    EXPECT_FALSE(policy.needs_convergence());
    EXPECT_TRUE(policy.is_worth_another(std::nullopt));
    EXPECT_EQ(policy.most_bootstraps(), 5);
  }
}

TEST(SetupPolicy, BootstrapsUntilConvergenceIsGoodOrImprovesNoMore) {
  const struct {
    const char* name;
    VectorOrigin origin;
    std::vector<double> convergence;  // after the first hierarchy and after each bootstrap: the last one ends them
  } cases[] = {
      {"good at once", VectorOrigin::noise, {0.15}},
      {"good after a bootstrap", VectorOrigin::noise, {0.5, 0.15}},
      {"no gain", VectorOrigin::noise, {0.5, 0.3, 0.29}},
      {"worse", VectorOrigin::noise, {0.5, 0.55}},
      {"no gain while it is bad", VectorOrigin::noise, {0.7, 0.7, 0.9, 0.5, 0.49}},
      {"given vectors need less", VectorOrigin::given, {0.5, 0.3}},
  };
  for (const auto& c : cases) {
    SetupPolicy policy = policy_of(c.origin);
    for (std::size_t k = 0; k < c.convergence.size(); ++k) {
      EXPECT_EQ(policy.is_worth_another(c.convergence[k]), k + 1 < c.convergence.size()) << c.name << ", step " << k;
    }
  }
}

TEST(SetupPolicy, DropsGivenVectorsThatConvergeBadly) {
  SetupPolicy policy = policy_of(VectorOrigin::given);
  EXPECT_FALSE(policy.drops_given_vectors(0.5));
  EXPECT_TRUE(policy.drops_given_vectors(0.8));
  EXPECT_EQ(policy.origin(), VectorOrigin::noise);
  EXPECT_FALSE(policy.drops_given_vectors(0.9)) << "noise is not dropped";
  EXPECT_TRUE(policy.is_worth_another(0.3)) << "noise has to become better";
}

TEST(SetupPolicy, LowerLevelsBootstrapIfThoseOfTheFirstDoNotHelp) {
  const struct {
    const char* name;
    double convergence;
    int step, levels;
    bool begins;
  } cases[] = {{"bad", 0.8, 4, 3, true},
               {"too early", 0.8, 3, 3, false},
               {"no level between the first and the last", 0.8, 4, 2, false},
               {"good enough", 0.5, 4, 3, false}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    SetupPolicy policy = policy_of(VectorOrigin::noise);
    policy.is_worth_another(c.convergence);
    EXPECT_EQ(policy.begins_lower_bootstraps(c.step, c.levels), c.begins);
    EXPECT_EQ(policy.lower_bootstraps() > 0, c.begins);
    EXPECT_EQ(policy.most_bootstraps(), c.begins ? 16 : 8);
  }
}

TEST(SetupPolicy, LevelsTakeMoreVectorsIfBootstrapsDoNotHelp) {
  const struct {
    const char* name;
    bool may_widen;
    std::optional<int> fixed;
    int step;
    double convergence;
    bool wants;
  } cases[] = {{"bad", true, std::nullopt, 2, 0.7, true},
               {"too early", true, std::nullopt, 1, 0.7, false},
               {"good enough", true, std::nullopt, 2, 0.5, false},
               {"bootstraps by hand", true, 8, 2, 0.7, false},
               {"no memory", false, std::nullopt, 2, 0.7, false}};
  for (const auto& c : cases) {
    SetupPolicy policy(VectorOrigin::noise, c.fixed, 8, c.may_widen);
    policy.is_worth_another(c.convergence);
    EXPECT_EQ(policy.wants_more_vectors(c.step), c.wants) << c.name;
  }
  SetupPolicy wide = SetupPolicy::with_more_vectors(8);
  EXPECT_GT(wide.lower_bootstraps(), 0);
  wide.is_worth_another(0.8);
  EXPECT_FALSE(wide.wants_more_vectors(2));
  EXPECT_FALSE(wide.begins_lower_bootstraps(4, 3)) << "they have begun";
}

TEST(SetupPolicy, IsHopelessWhereBootstrapsCannotReachTheWorstConvergence) {
  const struct {
    const char* name;
    std::optional<int> fixed;
    int step;
    double convergence, worst;
    bool is_hopeless;
  } cases[] = {{"no demand", std::nullopt, 2, 1.0, 1.0, false},
               {"a rough field", std::nullopt, 2, 0.999, 0.97, true},
               {"too early", std::nullopt, 1, 0.999, 0.97, false},
               {"as bad as any that became good", std::nullopt, 2, 0.85, 0.443, false},
               {"bootstraps by hand", 8, 2, 0.999, 0.97, false}};
  for (const auto& c : cases) {
    SetupPolicy policy(VectorOrigin::noise, c.fixed, 8, true);
    policy.is_worth_another(c.convergence);
    EXPECT_EQ(policy.is_hopeless(c.step, c.worst), c.is_hopeless) << c.name;
  }
}

TEST(SetupPolicy, CheaperCyclesSufficeIfTheyConvergeNearlyAsFast) {
  for (const auto& suffices : {detail::suffices_v_cycle, detail::suffice_fixed_weights}) {
    EXPECT_TRUE(suffices(0.1, 0.1));
    EXPECT_FALSE(suffices(0.4, 0.1));
  }
  EXPECT_TRUE(detail::suffices_v_cycle(0.16, 0.1)) << "a V-cycle costs less";
  EXPECT_FALSE(detail::suffice_fixed_weights(0.16, 0.1));
}

// A K-cycle of two steps applies the solver of the second level once and that of the third twice.
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
