// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/partitions/partitions.hpp"
#include "tests/support/error_text.hpp"

#include <array>
#include <cstdint>

namespace kaon::test {
namespace KAON_TEST_FILE {

TEST(AllProcesses, SumDigitsThatDoNotDependOnTheRun) {
  const Communicator& all = processes();
  const double rank = all.rank();
  double expected = 0.0;
  for (int k = 0; k < all.size(); ++k) expected += 0.1 * k;
  for (int repetition = 0; repetition < 10; ++repetition) {
    std::array<double, 2> values{0.1 * rank, 1.0};
    all.sum(values);
    EXPECT_EQ(values[0], expected);
    EXPECT_EQ(values[1], all.size());
  }
}

TEST(AllProcesses, CombineChecksums) {
  const Communicator& all = processes();
  std::array<std::uint64_t, 2> values{std::uint64_t{1} << all.rank(), 0xffff'0000'ffff'0000};
  all.exclusive_or(values);
  EXPECT_EQ(values[0], (std::uint64_t{1} << all.size()) - 1);
  EXPECT_EQ(values[1], all.size() % 2 == 1 ? 0xffff'0000'ffff'0000 : 0u);
}

TEST(AllProcesses, SendToBothNeighboursAgainAndAgain) {
  const Communicator& all = processes();
  const int above = (all.rank() + 1) % all.size(), below = (all.rank() + all.size() - 1) % all.size();
  std::array<int, 2> sent{}, received{};
  const Message sends[] = {{&sent[0], sizeof(int), below, 0}, {&sent[1], sizeof(int), above, 1}};
  const Message receives[] = {{&received[0], sizeof(int), below, 1}, {&received[1], sizeof(int), above, 0}};
  const auto exchange = all.make_exchange(sends, receives);
  for (int repetition = 0; repetition < 5; ++repetition) {
    sent = {100 * repetition + all.rank(), -100 * repetition - all.rank()};
    exchange->start();
    exchange->finish();
    EXPECT_EQ(received[0], -100 * repetition - below);
    EXPECT_EQ(received[1], 100 * repetition + above);
  }
}

// Sums and halos of different lattices would go together, or wait for each other.
TEST(AllProcesses, GiveOneLattice) {
  const Communicator& all = processes();
  if (all.size() == 1) return;
  const int count = all.size();
  KAON_EXPECT_ERROR(Lattice(all, {.extents = {4, 4, 4, 4 * count * (1 + all.rank())}}),
                    "processes were given different lattices: 4x4x4x" + std::to_string(4 * count) + " on processes ");
  LatticeParameters parameters{.extents = {4 * count, 4, 4, 4 * count}, .process_grid = {1, 1, 1, count}};
  if (all.rank() == 1) parameters.process_grid = {count, 1, 1, 1};
  KAON_EXPECT_ERROR(Lattice(all, parameters), "(process 1)");
  parameters.process_grid = {1, 1, 1, count};
  if (all.rank() == 1) parameters.reach = 3;
  KAON_EXPECT_ERROR(Lattice(all, parameters), "reach 3");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
