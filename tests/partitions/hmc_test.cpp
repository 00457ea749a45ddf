// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/gauge/initial_links.hpp"
#include "tests/partitions/partitions.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/gauge/heatbath.hpp>
#include <kaon/gauge/one_loop_action.hpp>
#include <kaon/hmc/gauge_action.hpp>
#include <kaon/hmc/hybrid_monte_carlo.hpp>
#include <kaon/hmc/rational_staggered_action.hpp>
#include <kaon/hmc/rational_wilson_action.hpp>
#include <kaon/hmc/smeared_term.hpp>
#include <kaon/hmc/two_flavor_action.hpp>

namespace kaon::test {
namespace KAON_TEST_FILE {

GaugeField<double> start_on(const Lattice& lattice) { return weak_links<double>(lattice, 0.3, 8); }

TEST(LoopActionInParts, IsTheSame) {
  for (const Partition& partition : all_partitions()) {
    const GaugeField<double> links = start_on(partition.parts), whole_links = start_on(partition.whole);
    for (const OneLoopWeights& weights :
         {OneLoopWeights{wilson_weights}, OneLoopWeights{iwasaki_weights}, one_loop_symanzik_weights(0.87, 3.0)}) {
      const double expected = one_loop_action(whole_links, 5.5, weights);
      EXPECT_NEAR(one_loop_action(links, 5.5, weights), expected, 1e-12 * std::abs(expected)) << partition.name;
      GaugeField<double> parts(partition.parts), whole(partition.whole);
      add_one_loop_force(parts, links, 5.5, weights);
      add_one_loop_force(whole, whole_links, 5.5, weights);
      EXPECT_LT(largest_difference(parts.to_host(), part_of(whole.to_host(), partition.parts)),
                100.0 * tolerance<double>)
          << partition.name;
    }
  }
}

// Each process would accept by itself, and the parts of the lattice go different ways.
TEST(HybridMonteCarloInParts, NeedsOneSeed) {
  const Lattice lattice = all_partitions()[0].parts;
  const Communicator& communicator = lattice.communicator();
  HybridMonteCarlo hmc({{{std::make_shared<GaugeAction>(5.5)}, 1}},
                       {.length = 0.01, .seed = static_cast<std::uint64_t>(7 + communicator.rank())});
  GaugeField<double> links = start_on(lattice);
  if (communicator.size() == 1) {
    EXPECT_NO_THROW(hmc.trajectory(links, 0));
    return;
  }
  KAON_EXPECT_ERROR(hmc.trajectory(links, 0),
                    "processes were given different trajectories: number 0, seed 7, length 0.01, accepted by chance; ");
  KAON_EXPECT_ERROR(hmc.trajectory(links, 0), " (process 0) and number 0, seed 8");
  HybridMonteCarlo with_one_seed({{{std::make_shared<GaugeAction>(5.5 + communicator.rank())}, 1}}, {.seed = 7});
  KAON_EXPECT_ERROR(with_one_seed.trajectory(links, 0), "; 1 steps, omelyan, gauge action, beta = 5.5, ");
  const auto rank = static_cast<std::uint32_t>(communicator.rank());
  KAON_EXPECT_ERROR(update(links, {.beta = 6.0, .update = rank}), "processes were given different updates: number 0");
}

// On some of the partitions: all of the kernels have tests of their own on all of them.
TEST(HybridMonteCarloInParts, GoesTheSameWay) {
  struct Trajectory {
    TrajectoryReport report;
    HostValues end;
  };
  const auto trajectory_on = [](const Lattice& lattice) {
    const SolveOptions solver{.tolerance = 1e-11, .force_tolerance = 1e-11};
    // Few poles are enough: both sides use these functions.
    constexpr RationalErrors errors{.value = 1e-4, .force = 1e-3};
    const auto strange = std::make_shared<RationalWilsonAction>(
        FermionParameters{.action = FermionAction::wilson_clover, .mass = 0.2, .csw = 0.9},
        RationalWilsonParameters{.range = {0.01, 60.0}, .errors = errors, .solver = solver});
    const auto staggered = std::make_shared<RationalStaggeredAction>(
        std::vector<StaggeredPseudofermion>{{.quarks = {{0.2, 2.0}, {0.5, -2.0}}},
                                            {.quarks = {{0.5, 1.0}}, .naik_epsilon = -0.2}},
        RationalStaggeredParameters{.errors = errors, .solver = solver});
    HybridMonteCarlo hmc(
        {{two_flavor_terms({.action = FermionAction::wilson_clover, .mass = 0.3, .csw = 0.9}, std::vector<double>{0.5},
                           solver),
          1},
         {smeared_terms(two_flavor_terms({.action = FermionAction::wilson_clover, .mass = 0.5, .csw = 0.9}, {}, solver),
                        {.rho = {0.1, 0.12, 0.08, 0.11}, .levels = 2}),
          1},
         {{strange, staggered}, 1},
         {{std::make_shared<GaugeAction>(5.5, symanzik_weights)}, 2}},
        {.length = 0.3, .seed = 6});
    GaugeField<double> links = start_on(lattice);
    const TrajectoryReport report = hmc.trajectory(links, 1);
    return Trajectory{report, links.to_host()};
  };
  OfWhole<Trajectory> of_whole(trajectory_on);
  const std::vector<Partition> all = partitions({4, 4, 8, 8}, 3);
  // On one process the first of them cuts nothing, and this one all directions.
  const std::size_t first = processes().size() == 1 ? all.size() - 2 : 0;
  for (std::size_t k = first; k < all.size(); k += 5) {
    const Partition& partition = all[k];
    const Trajectory found = trajectory_on(partition.parts);
    const Trajectory& expected = of_whole(partition);
    EXPECT_NEAR(found.report.delta_energy, expected.report.delta_energy, 1e-6) << partition.name;
    EXPECT_EQ(found.report.accepted, expected.report.accepted);
    EXPECT_NEAR(found.report.plaquette, expected.report.plaquette, 1e-10);
    EXPECT_LT(largest_difference(found.end, part_of(expected.end, partition.parts)), 1e-8) << partition.name;
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
