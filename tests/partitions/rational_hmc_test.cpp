// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/partitions/partitions.hpp"

#include <kaon/gauge/initial_links.hpp>
#include <kaon/hmc/rational_staggered_action.hpp>
#include <kaon/hmc/rational_wilson_action.hpp>

namespace kaon::test {
namespace KAON_TEST_FILE {

/// S and the force of a term on a lattice, away from the field on which its pseudofermions were drawn.
struct Answers {
  double value;
  HostValues force;
};

template <class Action>
Answers answers(Action&& action, const Lattice& lattice) {
  GaugeField<double> links(lattice), matrices(lattice);
  set_weak(links, 0.3, {.seed = 8});
  action.draw(links, {.seed = 2});
  set_weak(links, 0.28, {.seed = 8});
  const double value = action.value(links);
  action.add_force(matrices, links);
  return {value, matrices.to_host()};
}

/// On some of the partitions: all of the kernels have tests of their own on all of them.
template <class Make>
void expect_the_same(const std::vector<Partition>& partitions, const Make& make) {
  OfWhole<Answers> of_whole([&](const Lattice& lattice) { return answers(make(), lattice); });
  for (std::size_t k = 0; k < partitions.size(); k += 5) {
    const Partition& partition = partitions[k];
    const Answers parts = answers(make(), partition.parts), &whole = of_whole(partition);
    EXPECT_NEAR(parts.value, whole.value, 1e-9 * std::abs(whole.value)) << partition.name;
    EXPECT_LT(largest_difference(parts.force, part_of(whole.force, partition.parts)), 1e-8) << partition.name;
  }
}

/// Both sides use these functions: few poles are enough.
constexpr RationalErrors errors{.value = 1e-4, .force = 1e-3};
const SolveOptions solver{.tolerance = 1e-11, .force_tolerance = 1e-11, .inner = InnerPrecision::single};

TEST(RationalWilsonActionInParts, IsTheSame) {
  expect_the_same(partitions({4, 4, 4, 8}), [] {
    return RationalWilsonAction({.action = FermionAction::wilson_clover, .mass = 0.2, .csw = 0.9},
                                {.range = {0.01, 60.0}, .errors = errors, .solver = solver});
  });
}

TEST(RationalStaggeredActionInParts, IsTheSame) {
  expect_the_same(partitions({4, 4, 8, 8}, 3), [] {
    return RationalStaggeredAction(
        {{.quarks = {{0.2, 2.0}, {0.5, -2.0}}}, {.quarks = {{0.5, 1.0}}, .naik_epsilon = -0.2}},
        {.errors = errors, .solver = solver});
  });
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
