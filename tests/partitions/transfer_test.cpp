// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/transfer/transfer.hpp"
#include "tests/partitions/coarse_partitions.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/core/random.hpp>

#include <optional>

namespace kaon::test {
namespace KAON_TEST_FILE {

/// A lattice in parts and in one piece, and its aggregates.
struct TransferPartition {
  Lattice parts, whole;
  Coordinates block;
  std::string name;
};

/// Aggregates of even and odd numbers of sites, of a coarse lattice, and with an odd coarse extent.
std::vector<TransferPartition> transfer_partitions() {
  struct Case {
    Coordinates extents;
    std::optional<Coordinates> first_block;
    Coordinates block;
  };
  const Case cases[] = {{{8, 8, 4, 8}, {}, {2, 2, 2, 2}},
                        {{12, 2, 2, 12}, {}, {3, 1, 1, 3}},
                        {{8, 8, 8, 16}, {{2, 2, 2, 2}}, {2, 2, 1, 2}},
                        {{6, 8, 4, 8}, {{2, 2, 2, 1}}, {1, 2, 1, 2}}};
  std::vector<TransferPartition> all;
  for (const Case& c : cases) {
    for (const Partition& p : partitions(c.extents)) {
      if (!c.first_block) {
        if (has_aggregates(p.parts, c.block)) all.push_back({p.parts, p.whole, c.block, p.name});
      } else if (p.parts.lanes() == Lanes::native && has_aggregates(p.parts, *c.first_block)) {
        const Lattice parts = p.parts.coarsened(*c.first_block);
        if (has_aggregates(parts, c.block)) {
          all.push_back({parts, p.whole.coarsened(*c.first_block), c.block, "coarse " + p.name});
        }
      }
    }
  }
  return all;
}

TEST(TransferInParts, HasPartitionsToRunOn) {
  EXPECT_GE(transfer_partitions().size(), processes().size() <= 4 ? 4u : 1u);
}

constexpr int vectors = 8, right_hand_sides = 2;

SpinorField<float> noise(const Lattice& lattice, SpinorParameters shape, std::uint32_t stream) {
  SpinorField<float> field(lattice, shape);
  set_gaussian(field, {.seed = 5, .stream = stream});
  return field;
}

/// Result of a transfer of the same noise on any processes. Its vectors 0 and 1 are equal: noise replaces one of them.
struct Transferred {
  Transferred(const Lattice& fine, const Coordinates& block)
      : aggregation(fine, block), transfer(aggregation, make_vectors(fine)) {
    const SpinorField<float> psi = noise(fine, shape(fine), 1);
    const SpinorField<float> c = noise(aggregation.coarse(), coarse_shape(), 2);
    SpinorField<float> restricted(aggregation.coarse(), coarse_shape()), prolonged(fine, shape(fine));
    transfer.restrict(restricted, psi);
    transfer.prolong(prolonged, c);
    coarse_values.push_back(restricted.to_host(1));
    fine_values = prolonged.to_host(1);
    for (int mu = 0; mu < directions; ++mu) {
      SpinorField<float> inside(aggregation.coarse(), coarse_shape()), across(aggregation.coarse(), coarse_shape());
      transfer.restrict_along(inside, across, psi, mu);
      coarse_values.push_back(inside.to_host(1));
      coarse_values.push_back(across.to_host(1));
    }
  }
  static SpinorParameters shape(const Lattice& fine, int count = right_hand_sides) {
    return {.spins = fine.is_coarse() ? 2 : 4, .colors = 3, .right_hand_sides = count};
  }
  SpinorParameters coarse_shape() const { return transfer.coarse_domain().with_right_hand_sides(right_hand_sides); }
  static SpinorField<float> make_vectors(const Lattice& fine) {
    SpinorField<float> v = noise(fine, shape(fine, vectors), 0);
    v.from_host(v.to_host(0), 1);
    return v;
  }

  detail::Aggregation aggregation;
  detail::Transfer transfer;
  HostValues fine_values;
  std::vector<HostValues> coarse_values;
};

// The wrap around the whole lattice, forced partitions and other processes are all the same to an aggregate.
TEST(TransfersInParts, GiveWhatTheyGiveOnTheWhole) {
  std::optional<Transferred> whole;
  for (const TransferPartition& p : transfer_partitions()) {
    if (!whole || !(whole->aggregation.fine() == p.whole) || whole->aggregation.block() != p.block) {
      whole.emplace(p.whole, p.block);
    }
    const Transferred parts(p.parts, p.block);
    EXPECT_LE(largest_difference(parts.fine_values, part_of(whole->fine_values, p.parts)), tolerance<float>) << p.name;
    for (std::size_t k = 0; k < whole->coarse_values.size(); ++k) {
      const HostValues expected = part_of(whole->coarse_values[k], parts.aggregation.coarse());
      EXPECT_LE(largest_difference(parts.coarse_values[k], expected), tolerance<float>) << p.name << ", field " << k;
    }
    EXPECT_EQ(parts.transfer.replaced(), 2 * static_cast<int>(parts.aggregation.coarse().volume())) << p.name;
    EXPECT_EQ(parts.transfer.replaced(), whole->transfer.replaced()) << p.name;
    EXPECT_NEAR(parts.transfer.smallest_pivot(), whole->transfer.smallest_pivot(), tolerance<float>) << p.name;
  }
}

// One process has a number that is none: all refuse the vectors.
TEST(TransfersInParts, RefuseNotFiniteVectorsTogether) {
  const int size = processes().size();
  const Lattice fine(processes(), {.extents = {4, 4, 4, 4 * size}, .process_grid = {1, 1, 1, size}});
  SpinorField<float> v = noise(fine, {.right_hand_sides = 3}, 0);
  if (processes().rank() == size - 1) {
    HostValues values = v.to_host(1);
    values[5] = std::numeric_limits<double>::quiet_NaN();
    v.from_host(values, 1);
  }
  const detail::Aggregation aggregation(fine, {2, 2, 2, 2});
  KAON_EXPECT_ERROR(detail::Transfer(aggregation, v), "near-null vector 1 is not finite at site (0, 0, 0, ");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
