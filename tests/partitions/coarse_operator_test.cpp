// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/multigrid/coarse_cases.hpp"
#include "tests/partitions/coarse_partitions.hpp"

#include <kaon/operators/schur.hpp>

namespace kaon::test {
namespace KAON_TEST_FILE {

void expect_parts_near(const SpinorField<float>& parts, const SpinorField<float>& whole, double relative) {
  for (int k = 0; k < whole.right_hand_sides(); ++k) {
    EXPECT_LE(largest_difference(parts.to_host(k), part_of(whole.to_host(k), parts.lattice())), relative);
  }
}

/// All that an operator does, in parts and whole.
void expect_alike(const Partition& partition, const reference::CoarseOperator& slow, MultigridPrecision links) {
  const auto mine = [&](const reference::Spinor& values) { return part_of(values, partition.parts); };
  const CoarseOperator parts = make_coarse(partition.parts, slow, links, mine);
  const CoarseOperator whole = make_coarse(partition.whole, slow, links);
  EXPECT_EQ(parts.hop_flops(SiteTerm::inverse, true), whole.hop_flops(SiteTerm::inverse, true));
  for (const int count : {1, 3}) {
    const auto in = random_values(slow, count, 3);
    const SpinorField<float> in_parts = field_of(partition.parts, for_each_of(in, mine), Subset::full);
    const SpinorField<float> in_whole = field_of(partition.whole, in, Subset::full);
    SpinorField<float> out_parts = parts.make_field(count), out_whole = whole.make_field(count);
    parts.apply(out_parts, in_parts);
    whole.apply(out_whole, in_whole);
    expect_parts_near(out_parts, out_whole, tolerance<float>);
    for (const auto& [parity, other] : parity_pairs(partition.whole)) {
      SpinorField<float> one = out_parts.parity(parity), all = out_whole.parity(parity);
      parts.hop(one, in_parts.parity(other), {.term = SiteTerm::inverse});
      whole.hop(all, in_whole.parity(other), {.term = SiteTerm::inverse});
      for (int mu = 0; mu < 4; ++mu) {
        parts.hop_along(one, in_parts.parity(other), mu);
        whole.hop_along(all, in_whole.parity(other), mu);
        expect_parts_near(out_parts, out_whole, tolerance<float>);
      }
    }
  }
}

TEST(CoarseOperatorInParts, IsWhatItIsWhole) {
  const CoarseCase cases[] = {
      {{4, 4, 4, 4}, 3}, {{8, 2, 1, 4}, 8}, {{3, 2, 4, 4}, 4}, {{2, 2, 2, 8}, 24}, {{3, 1, 1, 8}, 3}};
  int found = 0;
  for (const CoarseCase& c : cases) {
    const reference::CoarseOperator slow = random_coarse(c, 1);
    for (const Partition& partition : coarse_partitions(c.extents)) {
      SCOPED_TRACE(partition.name);
      ++found;
      expect_alike(partition, slow, MultigridPrecision::single);
      if (c.vectors == 8) expect_alike(partition, slow, MultigridPrecision::half);
    }
  }
  EXPECT_GE(found, processes().size() <= 4 ? 4 : 1);
}

TEST(CoarseOperatorInParts, CountsSingularSitesOfAllProcesses) {
  const CoarseCase c{{2, 2, 4, 8}, 3};
  reference::CoarseOperator slow = random_coarse(c, 1);
  slow.site_term({0, 0, 0, 0}) = slow.site_term({1, 1, 3, 7}) = reference::Matrix(6, 6);
  for (const Partition& partition : coarse_partitions(c.extents)) {
    SCOPED_TRACE(partition.name);
    const auto mine = [&](const reference::Spinor& values) { return part_of(values, partition.parts); };
    EXPECT_EQ(make_coarse(partition.parts, slow, MultigridPrecision::single, mine).singular_sites(), 2);
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
