// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "gauge/staggered/fat_links.hpp"
#include "tests/gauge/initial_links.hpp"
#include "tests/partitions/partitions.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/gauge/improved_links.hpp>
#include <kaon/gauge/link_paths.hpp>
#include <kaon/gauge/link_phases.hpp>
#include <kaon/gauge/unitarity.hpp>

#include <cmath>

namespace kaon::test {
namespace KAON_TEST_FILE {

GaugeField<double> links_on(const Lattice& lattice) { return weak_links<double>(lattice, 0.3, 7); }

TEST(ImprovedLinksInParts, AreTheSame) {
  expect_same(all_partitions(), tolerance<double>, [](const Lattice& lattice) {
    const ImprovedLinks asqtad = asqtad_links(links_on(lattice), 0.9), hisq = hisq_links(links_on(lattice), -0.2);
    GaugeField<double> folded = long_links(hisq);
    fold_staggered_phases(folded, {.steps = 3});
    const detail::FoldedSigns signs = detail::signs_in_long_links(folded);
    EXPECT_TRUE(signs.milc.value_or(false) && signs.antiperiodic.value_or(false));
    return Made{{asqtad.fat.to_host(), asqtad.third.to_host(), hisq.fat.to_host(), hisq.third.to_host()},
                {asqtad.third_weight, hisq.third_weight, detail::distance_from_multiple_of_unitary(hisq.fat)}};
  });
}

TEST(PhasesInParts, AreTheSame) {
  expect_same(all_partitions(), tolerance<double>, [](const Lattice& lattice) {
    GaugeField<double> links = links_on(lattice);
    for (const int steps : {1, 3}) fold_staggered_phases(links, {.steps = steps});
    std::vector<double> field(static_cast<std::size_t>(4 * lattice.volume()));
    for (std::size_t k = 0; k < field.size(); ++k) field[k] = std::cos(static_cast<double>(k));
    multiply_phases(links, 0.7, part_of(field, lattice));
    return Made{{links.to_host()}};
  });
}

// Paths are longer than a process has sites.
TEST(LinkPathsInParts, AreTheSame) {
  const std::array<std::vector<WeightedPath>, 4> paths{{{{{2, 2, 2, 2, 2, -1, -3, -3, -3}}},
                                                        {{{-4, -4, -4, 1}, 0.3}, {{3, 4, -3}}},
                                                        {{{1}}},
                                                        {{{-4, -1, -2, -3}, 2.0}}}};
  expect_same(all_partitions(), tolerance<double>, [&](const Lattice& lattice) {
    GaugeField<double> sum(lattice);
    add_link_paths(sum, links_on(lattice), paths);
    return Made{{sum.to_host()}};
  });
  expect_same(all_partitions(), 1e-14, [](const Lattice& lattice) {
    std::vector<LinkPath> loops{{1, 2, -1, -2}, {3, 3, 4, -3, -3, -4}};
    for (int mu = 0; mu < 4; ++mu) {
      loops.emplace_back(static_cast<std::size_t>(lattice.extents()[static_cast<std::size_t>(mu)]), mu + 1);
    }
    return Made{{}, loop_traces(links_on(lattice), loops)};
  });
}

// One link of the whole lattice is bad: all processes report it, and which.
TEST(ImprovedLinksInParts, NameBadLinksOnAllProcesses) {
  for (const Partition& partition : all_partitions()) {
    GaugeField<double> links(partition.parts);
    HostValues values = links_on(partition.whole).to_host();
    const std::size_t link =
        static_cast<std::size_t>(4 * lexicographic_index({2, 3, 1, 3}, partition.whole.extents()) + 3);
    for (std::size_t k = 0; k < 9; ++k) values[9 * link + k] = 1.0;
    links.from_host(part_of(values, partition.parts));
    KAON_EXPECT_ERROR(asqtad_links(links, 1.0), "needs unitary links: in direction t at site (2, 3, 1, 3)");
    KAON_EXPECT_ERROR(project_to_u3(links), "in direction t at site (2, 3, 1, 3) has no projection to U(3)");
    KAON_EXPECT_ERROR(multiply_phases(links, 1.0, std::vector<double>(processes().rank() == 0 ? 3 : 0)),
                      "values of a U(1) field were given");
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
