// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/multigrid/transfer_cases.hpp"
#include "tests/support/error_text.hpp"

#include <cmath>

namespace kaon::test {
namespace KAON_TEST_FILE {

TEST(Transfers, EqualTheReference) {
  for_each_transfer([](const TransferCase& c) {
    const reference::Prolongator slow = c.reference();
    const SpinorField<float> psi = c.fine_noise(2), coarse = c.coarse_noise(2);
    SpinorField<float> restricted = c.coarse_noise(2), prolonged = c.fine_noise(2);
    c.transfer.restrict(restricted, psi);
    c.transfer.prolong(prolonged, coarse);
    for (const int k : {0, 1}) {
      expect_close(restricted.to_host(k), slow.restrict(psi.to_host(k)), "R psi");
      expect_close(prolonged.to_host(k), slow.prolong(coarse.to_host(k)), "P c");
    }
    EXPECT_NEAR(c.transfer.smallest_pivot() / slow.smallest_pivot(), 1.0, transfer_tolerance());
    EXPECT_EQ(c.transfer.replaced(), 0);
    EXPECT_EQ(c.transfer.vectors(), c.geometry.vectors);
  });
}

TEST(Transfers, KeepChiralityExactly) {
  for_each_transfer([](const TransferCase& c) {
    const auto coarse_components = static_cast<std::size_t>(2 * c.geometry.vectors);
    const auto fine_components = static_cast<std::size_t>(c.vectors.components());
    SpinorField<float> coarse = c.coarse_noise(1), psi = c.fine_noise(1), found = c.fine_field(1),
                       sums = c.coarse_field(1);
    c.transfer.prolong(found, coarse);
    const Values prolonged = reference::multiply_gamma5(found.to_host(), fine_components);
    coarse.from_host(reference::multiply_gamma5(coarse.to_host(), coarse_components));
    c.transfer.prolong(found, coarse);
    EXPECT_EQ(found.to_host(), prolonged);
    c.transfer.restrict(sums, psi);
    const Values restricted = reference::multiply_gamma5(sums.to_host(), coarse_components);
    psi.from_host(reference::multiply_gamma5(psi.to_host(), fine_components));
    c.transfer.restrict(sums, psi);
    EXPECT_EQ(sums.to_host(), restricted);
  });
}

TEST(Transfers, TakeTheSitesOfOneParity) {
  for_each_transfer([](const TransferCase& c) {
    const Lattice& fine = c.aggregation.fine();
    const SpinorField<float> coarse = c.coarse_noise(1);
    SpinorField<float> whole = c.fine_field(1);
    c.transfer.prolong(whole, coarse);
    for (const Subset subset : c.subsets()) {
      const auto holds = [&](const Coordinates& x) {
        return subset == Subset::full || fine.parities() == 1 ||
               (x[0] + x[1] + x[2] + x[3]) % 2 == static_cast<int>(subset);
      };
      // The other sites count as zero.
      SpinorField<float> some = c.fine_noise(1, subset), padded = c.fine_field(1);
      padded.from_host(some.to_host());
      SpinorField<float> found = c.coarse_field(1), expected = c.coarse_field(1);
      c.transfer.restrict(found, some);
      c.transfer.restrict(expected, padded);
      expect_close(found.to_host(), expected.to_host(), "R of one parity");
      // Only its sites are written.
      c.transfer.prolong(some, coarse);
      EXPECT_EQ(some.to_host(), only(whole.to_host(), fine.extents(), holds));
    }
  });
}

TEST(Transfers, AddWhereTheyAreAskedTo) {
  for_each_transfer([](const TransferCase& c) {
    for (const Subset subset : c.subsets()) {
      const SpinorField<float> coarse = c.coarse_noise(2);
      SpinorField<float> sum = c.fine_noise(2, subset), term = c.fine_field(2, subset);
      const std::vector<Values> before = host_values(sum);
      c.transfer.prolong(term, coarse);
      c.transfer.prolong(sum, coarse, true);
      for (const int k : {0, 1}) {
        expect_close(sum.to_host(k), reference::add(before[static_cast<std::size_t>(k)], 1.0, term.to_host(k)), "+=");
      }
    }
  });
}

TEST(Transfers, TellSitesInsideAlongADirectionFromOthers) {
  for_each_transfer([](const TransferCase& c) {
    const reference::Prolongator slow = c.reference();
    const Coordinates extents = c.aggregation.fine().extents();
    const SpinorField<float> psi = c.fine_noise(5);
    const int last = 4;  // in the second pass
    const Values values = psi.to_host(last), whole = slow.restrict(values);
    const double allowed = transfer_tolerance() * std::sqrt(reference::norm2(whole));
    const auto expect_values = [&](const SpinorField<float>& found, const Values& expected) {
      EXPECT_LE(std::sqrt(reference::norm2(reference::add(found.to_host(last), -1.0, expected))), allowed);
    };
    for (int mu = 0; mu < directions; ++mu) {
      const auto is_inside = [&](const Coordinates& x) {
        return slow.aggregates().aggregate_of(x) ==
               slow.aggregates().aggregate_of(reference::neighbor(x, mu, 1, extents));
      };
      SpinorField<float> inside = c.coarse_noise(5), across = c.coarse_noise(5);
      c.transfer.restrict_along(inside, across, psi, mu);
      const Values of_inside = slow.restrict(only(values, extents, is_inside));
      expect_values(inside, of_inside);
      expect_values(across, reference::add(whole, -1.0, of_inside));
    }
  });
}

TEST(Transfers, DoNotMixRightHandSides) {
  for_each_transfer([](const TransferCase& c) {
    for (const int count : {1, 2, 4, 5, 7, 13}) {
      const SpinorField<float> psi = c.fine_noise(count), coarse = c.coarse_noise(count);
      SpinorField<float> restricted = c.coarse_field(count), prolonged = c.fine_field(count);
      c.transfer.restrict(restricted, psi);
      c.transfer.prolong(prolonged, coarse);
      for (int k = 0; k < count; ++k) {
        SpinorField<float> alone_restricted = c.coarse_field(1), alone_prolonged = c.fine_field(1);
        c.transfer.restrict(alone_restricted, psi.range(k, 1));
        c.transfer.prolong(alone_prolonged, coarse.range(k, 1));
        expect_close(restricted.to_host(k), alone_restricted.to_host(), "R alone and among others");
        expect_close(prolonged.to_host(k), alone_prolonged.to_host(), "P alone and among others");
      }
    }
  });
}

TEST(Transfers, LieInLanesWhereVirtualNodesHoldWholeAggregates) {
  const bool has_lanes = detail::native_lanes<float> > 1;
  const auto hold = [](const Coordinates& extents, const Coordinates& block, Lanes lanes = Lanes::native) {
    return detail::lanes_hold_aggregates(detail::Aggregation(Lattice({.extents = extents, .lanes = lanes}), block));
  };
  EXPECT_EQ(hold({8, 8, 8, 8}, {4, 4, 4, 4}), has_lanes);
  EXPECT_EQ(hold({8, 8, 8, 8}, {2, 4, 1, 2}), has_lanes);
  EXPECT_FALSE(hold({8, 8, 8, 8}, {8, 8, 8, 8}));
  EXPECT_FALSE(hold({8, 8, 8, 8}, {4, 4, 4, 4}, Lanes::single));
}

TEST(Transfers, RefuseFieldsThatDoNotFit) {
  const TransferGeometry& geometry = transfer_geometries[0];
  const TransferCase c(geometry);
  const Lattice& fine = c.aggregation.fine();
  SpinorField<float> psi = c.fine_field(2), coarse = c.coarse_field(2), fewer = c.coarse_field(1);
  KAON_EXPECT_ERROR(c.transfer.restrict(fewer, psi), "2 right-hand sides on the fine lattice and 1 on the coarse one");
  KAON_EXPECT_ERROR(c.transfer.prolong(psi, fewer), "2 right-hand sides on the fine lattice and 1 on the coarse one");
  KAON_EXPECT_ERROR(c.transfer.restrict(psi, psi),
                    "the field on the coarse lattice is on 4x4x4x4: give one on 2x2x2x2");
  KAON_EXPECT_ERROR(c.transfer.restrict(coarse, coarse), "the field on the fine lattice is on 2x2x2x2");
  SpinorField<float> thin(fine, {.spins = 1, .right_hand_sides = 2});
  KAON_EXPECT_ERROR(c.transfer.restrict(coarse, thin), "1 spins and 3 colours: give one with 4 and 3");
  SpinorField<float> wide(c.aggregation.coarse(), {.spins = 2, .colors = 9, .right_hand_sides = 2});
  KAON_EXPECT_ERROR(c.transfer.restrict(wide, psi), "2 spins and 9 colours: give one with 2 and 8");
  SpinorField<float> even(c.aggregation.coarse(),
                          {.spins = 2, .colors = 8, .subset = Subset::even, .right_hand_sides = 2});
  KAON_EXPECT_ERROR(c.transfer.restrict(even, psi), "the field on the coarse lattice is on even sites");
  SpinorField<float> odd = c.fine_field(2, Subset::odd), other = c.coarse_field(2);
  KAON_EXPECT_ERROR(c.transfer.restrict_along(coarse, other, odd, 0), "a field on odd sites");
  KAON_EXPECT_ERROR(c.transfer.restrict_along(coarse, other, psi, 4), "there is no direction 4");
  KAON_EXPECT_ERROR(c.transfer.restrict_along(coarse, fewer, psi, 0), "as many on both");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
