// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/gauge/initial_links.hpp"
#include "tests/partitions/partitions.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/gauge/gauge_fixing.hpp>
#include <kaon/gauge/gradient_flow.hpp>
#include <kaon/gauge/initial_links.hpp>
#include <kaon/gauge/smeared_links.hpp>
#include <kaon/gauge/stout_force.hpp>

namespace kaon::test {
namespace KAON_TEST_FILE {

GaugeField<double> links_on(const Lattice& lattice) { return weak_links<double>(lattice, 0.3, 8); }

/// `make(links)` is the same on both lattices of all partitions.
template <class Make>
void expect_same_on_all(const Make& make) {
  expect_same(all_partitions(), tolerance<double>,
              [&](const Lattice& lattice) { return Made{{make(links_on(lattice)).to_host()}}; });
}

TEST(SmearedLinksInParts, AreTheSame) {
  expect_same_on_all(
      [](const GaugeField<double>& links) { return stout_links(links, {.rho = 0.1, .steps = 2, .anisotropy = 1.5}); });
  expect_same_on_all([](const GaugeField<double>& links) { return ape_links(links, {.alpha = 0.6, .omitted = 3}); });
  expect_same_on_all([](const GaugeField<double>& links) { return hyp_links(links, {}); });
  expect_same_on_all([](const GaugeField<double>& links) { return hyp_links(links, {.omitted = 3}); });
}

TEST(StoutForceInParts, IsTheSame) {
  for (const StoutSmearing& smearing :
       {StoutSmearing{{0.1, 0.12, 0.08, 0.11}, 2}, StoutSmearing{{0.1, 0.1, 0.1, 0.0}, 2}}) {
    expect_same_on_all([&](const GaugeField<double>& links) {
      GaugeField<double> matrices(links.lattice()), of_last(links.lattice());
      set_random(of_last, {.seed = 9});
      add_stout_force(matrices, stout_levels(links, smearing), smearing, of_last);
      return matrices;
    });
  }
}

TEST(GradientFlowInParts, IsTheSame) {
  for (const LoopWeights& weights : {wilson_weights, symanzik_weights}) {
    expect_same_on_all([&](const GaugeField<double>& links) {
      GradientFlow flow(links, {.step = 0.05, .weights = weights});
      flow.advance();
      return flow.links().clone();
    });
  }
}

// Each process would wait for messages of another flow.
TEST(GradientFlowInParts, NeedsTheSameNumbers) {
  const Lattice lattice = all_partitions()[0].parts;
  const int rank = lattice.communicator().rank();
  if (lattice.communicator().size() == 1) return;
  const GaugeField<double> links = links_on(lattice);
  KAON_EXPECT_ERROR(GradientFlow(links, {.step = 0.01 * rank}),
                    "processes were given different flows: steps of 0, c_0 1, c_1 0, time 0, order 3, anisotropy 1 ");
  GradientFlow flow(links);
  KAON_EXPECT_ERROR(flow.advance(rank - 1), "processes were given different flows: -1 steps (process 0) and 0 steps ");
}

TEST(GaugeFixingInParts, IsTheSame) {
  for (const GaugeCondition condition : {GaugeCondition::landau, GaugeCondition::coulomb}) {
    expect_same_on_all([&](const GaugeField<double>& links) {
      GaugeField<double> fixed = links.clone();
      fix_gauge(fixed, {.condition = condition, .max_iterations = 4});
      return fixed;
    });
  }
}

// Two colours of one link have the other sign: its staples are 1, and half their sum is singular.
TEST(SmearedLinksInParts, NameTheSiteWithoutProjectionOnAllProcesses) {
  for (const Partition& partition : all_partitions()) {
    GaugeField<double> parts(partition.parts), whole(partition.whole);
    set_unit(whole);
    HostValues values = whole.to_host();
    const std::size_t link =
        static_cast<std::size_t>(4 * lexicographic_index({2, 3, 1, 3}, partition.whole.extents()) + 2);
    for (const std::size_t c : {0, 4}) values[9 * link + c] = -1.0;
    parts.from_host(part_of(values, partition.parts));
    KAON_EXPECT_ERROR(ape_links(parts, {.alpha = 0.5}),
                      "in direction z at site (2, 3, 1, 3) the sum of paths is singular");
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
