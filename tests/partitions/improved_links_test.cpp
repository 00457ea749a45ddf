// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "gauge/staggered/long_links.hpp"
#include "tests/partitions/partitions.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/gauge/fat_links.hpp>
#include <kaon/gauge/improved_links.hpp>
#include <kaon/gauge/initial_links.hpp>
#include <kaon/gauge/link_paths.hpp>
#include <kaon/gauge/link_phases.hpp>
#include <kaon/gauge/unitarity.hpp>

#include <cmath>

namespace kaon::test {
namespace KAON_TEST_FILE {

/// Links of a partition and of the whole.
struct Links {
  GaugeField<double> parts, whole;
  explicit Links(const Partition& partition) : parts(partition.parts), whole(partition.whole) {
    set_weak(parts, 0.3, {.seed = 7});
    set_weak(whole, 0.3, {.seed = 7});
  }
};

void expect_same(const GaugeField<double>& parts, const GaugeField<double>& whole, const Partition& partition) {
  EXPECT_LT(largest_difference(parts.to_host(), part_of(whole.to_host(), partition.parts)), tolerance<double>)
      << partition.name;
}

TEST(ImprovedLinksInParts, AreTheSame) {
  for (const Partition& partition : all_partitions()) {
    const Links links(partition);
    const auto expect_same_links = [&](const ImprovedLinks& parts, const ImprovedLinks& whole) {
      expect_same(parts.fat, whole.fat, partition);
      expect_same(parts.third, whole.third, partition);
      EXPECT_EQ(parts.third_weight, whole.third_weight);
    };
    expect_same_links(asqtad_links(links.parts, 0.9), asqtad_links(links.whole, 0.9));
    const ImprovedLinks parts = hisq_links(links.parts, -0.2), whole = hisq_links(links.whole, -0.2);
    expect_same_links(parts, whole);
    GaugeField<double> folded = long_links(parts);
    fold_staggered_phases(folded, {.steps = 3});
    const detail::FoldedSigns signs = detail::signs_in_long_links(folded);
    EXPECT_TRUE(signs.milc.value_or(false) && signs.antiperiodic.value_or(false)) << partition.name;
    EXPECT_NEAR(detail::distance_from_multiple_of_unitary(parts.fat),
                detail::distance_from_multiple_of_unitary(whole.fat), tolerance<double>);
  }
}

TEST(PhasesInParts, AreTheSame) {
  for (const Partition& partition : all_partitions()) {
    Links links(partition);
    for (const int steps : {1, 3}) {
      fold_staggered_phases(links.parts, {.steps = steps});
      fold_staggered_phases(links.whole, {.steps = steps});
    }
    std::vector<double> field(static_cast<std::size_t>(4 * partition.whole.volume()));
    for (std::size_t k = 0; k < field.size(); ++k) field[k] = std::cos(static_cast<double>(k));
    multiply_phases(links.parts, 0.7, part_of(field, partition.parts));
    multiply_phases(links.whole, 0.7, field);
    expect_same(links.parts, links.whole, partition);
  }
}

// Paths are longer than a process has sites.
TEST(LinkPathsInParts, AreTheSame) {
  const std::array<std::vector<WeightedPath>, 4> paths{{{{{2, 2, 2, 2, 2, -1, -3, -3, -3}}},
                                                        {{{-4, -4, -4, 1}, 0.3}, {{3, 4, -3}}},
                                                        {{{1}}},
                                                        {{{-4, -1, -2, -3}, 2.0}}}};
  for (const Partition& partition : all_partitions()) {
    const Links links(partition);
    GaugeField<double> parts(partition.parts), whole(partition.whole);
    add_link_paths(parts, links.parts, paths);
    add_link_paths(whole, links.whole, paths);
    expect_same(parts, whole, partition);
    std::vector<LinkPath> loops{{1, 2, -1, -2}, {3, 3, 4, -3, -3, -4}};
    for (int mu = 0; mu < 4; ++mu) {
      loops.emplace_back(static_cast<std::size_t>(partition.whole.extents()[static_cast<std::size_t>(mu)]), mu + 1);
    }
    EXPECT_LT(largest_difference(loop_traces(links.parts, loops), loop_traces(links.whole, loops)), 1e-14)
        << partition.name;
  }
}

// One link of the whole lattice is bad: all processes report it, and which.
TEST(ImprovedLinksInParts, NameBadLinksOnAllProcesses) {
  for (const Partition& partition : all_partitions()) {
    Links links(partition);
    HostValues values = links.whole.to_host();
    const std::size_t link =
        static_cast<std::size_t>(4 * lexicographic_index({2, 3, 1, 3}, partition.whole.extents()) + 3);
    for (std::size_t k = 0; k < 9; ++k) values[9 * link + k] = 1.0;
    links.parts.from_host(part_of(values, partition.parts));
    KAON_EXPECT_ERROR(asqtad_links(links.parts, 1.0), "needs unitary links: in direction t at site (2, 3, 1, 3)");
    KAON_EXPECT_ERROR(project_to_u3(links.parts), "in direction t at site (2, 3, 1, 3) has no projection to U(3)");
    KAON_EXPECT_ERROR(multiply_phases(links.parts, 1.0, std::vector<double>(processes().rank() == 0 ? 3 : 0)),
                      "values of a U(1) field were given");
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
