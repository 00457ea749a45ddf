// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include <kaon/core/chain_mean.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace kaon {
namespace KAON_TEST_FILE {

/// x_{i+1} = a x_i + sqrt(1 - a^2) noise around a mean: of variance 1, Gamma(t) = a^t and tau_int = (1 + a) / (2 (1 -
/// a)).
std::vector<double> autoregressive(double a, double mean, int count, unsigned seed) {
  std::mt19937_64 bits(seed);
  std::normal_distribution<double> noise;
  std::vector<double> values;
  double x = noise(bits);
  for (int i = 0; i < count; ++i) {
    values.push_back(mean + x);
    x = a * x + std::sqrt(1.0 - a * a) * noise(bits);
  }
  return values;
}

TEST(ChainMean, HasTheErrorAndTheAutocorrelationTimeOfAnAutoregressiveChain) {
  for (const double a : {0.0, 0.5, 0.8, 0.9}) {
    const double tau_int = (1.0 + a) / (2.0 * (1.0 - a));
    constexpr int count = 20000;
    const ChainMean found = chain_mean(autoregressive(a, 3.0, count, 7));
    const double error = std::sqrt(2.0 * tau_int / count);
    ASSERT_TRUE(found.error) << a;
    EXPECT_NEAR(found.tau_int, tau_int, std::max(4.0 * found.tau_int_error, 0.02)) << a;
    EXPECT_LT(found.tau_int_error, 0.1 * tau_int + 0.02) << a;
    EXPECT_NEAR(*found.error, error, 0.1 * error) << a;
    EXPECT_NEAR(found.mean, 3.0, 4.0 * error) << a;
  }
}

/// Means of many short chains scatter by as much as each of them says.
TEST(ChainMean, CoversTheScatterOfShortChains) {
  constexpr int chains = 400;
  double scatter = 0.0, stated = 0.0;
  for (int chain = 0; chain < chains; ++chain) {
    const ChainMean found = chain_mean(autoregressive(0.8, 0.0, 500, 100 + static_cast<unsigned>(chain)));
    ASSERT_TRUE(found.error);
    scatter += found.mean * found.mean;
    stated += *found.error * *found.error;
  }
  EXPECT_NEAR(stated / scatter, 1.0, 0.25);
}

TEST(ChainMean, HasNoErrorOfChainsThatAreTooShort) {
  EXPECT_EQ(chain_mean({}).mean, 0.0);
  const std::vector<double> few(9, 2.0);
  EXPECT_EQ(chain_mean(few).mean, 2.0);
  EXPECT_FALSE(chain_mean(few).error);
}

TEST(ChainMean, OverestimatesTheErrorOfAlternatingNumbers) {
  const ChainMean found = chain_mean(autoregressive(-0.5, 0.0, 1000, 7));
  EXPECT_EQ(found.tau_int, 0.5);
  EXPECT_NEAR(found.error.value(), 1.0 / std::sqrt(1000.0), 0.003);
}

TEST(ChainMean, OfEqualNumbersHasNoError) {
  for (const double number : {0.25, 0.55}) {  // the sum of one rounds
    const ChainMean found = chain_mean(std::vector<double>(1000, number));
    EXPECT_EQ(found.mean, number);
    EXPECT_EQ(found.error, 0.0);
    EXPECT_EQ(found.tau_int, 0.5);
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon
