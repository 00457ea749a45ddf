// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "solvers/contract/reliable_updates.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace kaon::test {
namespace KAON_TEST_FILE {

using detail::ReliableUpdates, detail::RightHandSide;
using Outcome = ReliableUpdates::Outcome;

/// Right-hand sides with a first residual of 1.
struct Books {
  explicit Books(std::size_t count, const SolverParameters& parameters = {.reliable_delta = 0.1})
      : updates(count, parameters), sides(count) {
    for (std::size_t k = 0; k < count; ++k) {
      sides[k].last_true_norm = sides[k].result.iterated_residual = 1.0;
      sides[k].residual_norm = 1e-10;
      updates.begin(k, 1.0);
    }
  }
  ReliableUpdates updates;
  std::vector<RightHandSide> sides;
};

TEST(ReliableUpdates, AreDueForHalfOfThoseThatRunOrOneFarBelow) {
  const std::vector<std::pair<std::vector<double>, bool>> cases{{{0.11, 0.5, 0.5, 0.5}, false},
                                                                {{0.10, 0.5, 0.5, 0.5}, false},
                                                                {{0.10, 0.1, 0.5, 0.5}, true},
                                                                {{0.01, 0.5, 0.5, 0.5}, true}};
  for (const auto& [norm, due] : cases) EXPECT_EQ(Books(4).updates.is_due(Books(4).sides, norm), due);
  Books books(4);
  books.sides[2].active = false;
  books.sides[3].restart = true;
  EXPECT_TRUE(books.updates.is_due(books.sides, std::vector{0.10, 0.5, 0.0, 0.0}));
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
  Outcome last = Outcome::goes_on;
  for (int failed = 0; failed < 20 && last == Outcome::goes_on; ++failed) last = update(0.39, 0.3);
  EXPECT_EQ(last, Outcome::stagnated);
  EXPECT_EQ(update(1e-10, 1e-12), Outcome::goes_on) << "it has reached its target";
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
