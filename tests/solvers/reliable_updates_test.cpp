// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "solvers/contract/reliable_updates.hpp"

#include <gtest/gtest.h>

namespace kaon::test {
namespace KAON_TEST_FILE {

using detail::ReliableUpdates, detail::RightHandSide;
using Outcome = ReliableUpdates::Outcome;

/// Right-hand sides that began with a residual of 1.
struct Books {
  explicit Books(std::size_t count, const SolverParameters& parameters = {.reliable_delta = 0.1})
      : updates(count, parameters), sides(count) {
    for (std::size_t k = 0; k < count; ++k) {
      sides[k].last_true_norm = sides[k].result.iterated_residual = 1.0;
      sides[k].residual_norm = 1e-10;
      updates.begin(k, 1.0);
    }
  }
  /// Notes |r| of all after an iteration.
  void record(const std::vector<double>& norm) {
    for (std::size_t k = 0; k < sides.size(); ++k) {
      ++sides[k].result.iterations;
      updates.record(k, sides[k], norm[k]);
      sides[k].set_iterated_norm(norm[k]);
    }
  }

  ReliableUpdates updates;
  std::vector<RightHandSide> sides;
};

TEST(ReliableUpdates, AreDueForHalfOfThoseThatRunOrOneFarBelow) {
  Books books(4);
  EXPECT_FALSE(books.updates.is_due(books.sides, std::vector{0.11, 0.5, 0.5, 0.5}));
  EXPECT_FALSE(books.updates.is_due(books.sides, std::vector{0.10, 0.5, 0.5, 0.5}));
  EXPECT_TRUE(books.updates.is_due(books.sides, std::vector{0.10, 0.1, 0.5, 0.5}));
  EXPECT_TRUE(books.updates.is_due(books.sides, std::vector{0.01, 0.5, 0.5, 0.5}));
  books.sides[2].active = false;
  books.sides[3].restart = true;
  EXPECT_TRUE(books.updates.is_due(books.sides, std::vector{0.10, 0.5, 0.0, 0.0}));
  EXPECT_FALSE(books.updates.is_due(books.sides, std::vector{0.5, 0.5, 0.0, 0.0}));
  // From the largest since the last one.
  EXPECT_FALSE(books.updates.is_due(books.sides, std::vector{5.0, 5.0, 0.0, 0.0}));
  EXPECT_TRUE(books.updates.is_due(books.sides, std::vector{0.5, 2.0, 0.0, 0.0}));
}

TEST(ReliableUpdates, AreExpectedWhereResidualsFallOn) {
  Books books(1);
  EXPECT_TRUE(books.updates.is_expected(books.sides)) << "nothing is known before the first iteration";
  books.record({0.8});
  EXPECT_FALSE(books.updates.is_expected(books.sides));
  books.record({0.2});  // next: 0.05
  EXPECT_TRUE(books.updates.is_expected(books.sides));
}

TEST(ReliableUpdates, AreMadeAtTheEndOfTheNextIterationOnceDeferred) {
  Books books(1);
  EXPECT_FALSE(books.updates.defer(books.sides, std::vector{0.5}));
  EXPECT_TRUE(books.updates.defer(books.sides, std::vector{0.1}));
  books.record({0.1});
  EXPECT_TRUE(books.updates.is_expected(books.sides));
  EXPECT_TRUE(books.updates.is_due(books.sides, std::vector{0.9})) << "although the residual has grown since";
  books.updates.begin_update();
  EXPECT_TRUE(books.updates.updated());
  EXPECT_EQ(books.updates.take(0, books.sides[0], 0.2, 0.2), Outcome::goes_on);
  EXPECT_FALSE(books.updates.is_due(books.sides, std::vector{0.1}));
  EXPECT_FALSE(books.updates.updated());
}

TEST(ReliableUpdates, FindRecurrencesThatRanAwayOrHelpNoMore) {
  Books books(1);
  const auto update = [&](double norm, double iterated) {
    EXPECT_TRUE(books.updates.is_due(books.sides, std::vector{1e-12}));
    books.updates.begin_update();
    return books.updates.take(0, books.sides[0], norm, iterated);
  };
  EXPECT_EQ(update(0.5, 0.06), Outcome::goes_on);
  EXPECT_EQ(update(0.4, 0.03), Outcome::diverged);
  for (int failed = 0; failed < 5; ++failed) EXPECT_EQ(update(0.39, 0.3), Outcome::goes_on) << failed;
  EXPECT_EQ(update(0.39, 0.3), Outcome::stagnated);
  EXPECT_EQ(update(1e-10, 1e-12), Outcome::goes_on) << "it has reached its target";
}

TEST(ReliableUpdates, AreDueAfterTooLongATime) {
  Books books(2, {.reliable_delta = 0.1, .max_iterations_without_progress = 3});
  for (int iteration = 0; iteration < 2; ++iteration) books.record({0.9, 0.9});
  EXPECT_FALSE(books.updates.is_due(books.sides, std::vector{0.9, 0.9}));
  books.record({0.9, 0.9});
  EXPECT_TRUE(books.updates.waits_too_long(0, books.sides[0]));
  EXPECT_TRUE(books.updates.is_due(books.sides, std::vector{0.9, 0.9}));
  books.updates.begin_update();
  (void)books.updates.take(0, books.sides[0], 0.8, 0.8);
  EXPECT_FALSE(books.updates.waits_too_long(0, books.sides[0]));
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
