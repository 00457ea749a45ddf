// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/hmc/force_check.hpp"
#include "tests/hmc/quark_cases.hpp"
#include "tests/reference/improved_links.hpp"
#include "tests/reference/staggered.hpp"
#include "tests/reference/vectors.hpp"
#include "tests/support/error_text.hpp"
#include "tests/support/largest_difference.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/hmc/rational_staggered_action.hpp>

namespace kaon::test {
namespace KAON_TEST_FILE {

constexpr Coordinates extents{4, 6, 4, 4};

reference::StaggeredOperator slow_operator(const reference::Links& u, StaggeredLinks links, double mass, double epsilon,
                                           bool antiperiodic) {
  const double w = links == StaggeredLinks::naive    ? 0.0
                   : links == StaggeredLinks::asqtad ? -1.0 / (24.0 * 0.9 * 0.9)
                                                     : -(1.0 + epsilon) / 24.0;
  const reference::StaggeredParameters parameters{
      .mass = mass, .third_weight = w, .boundary_phases = {1.0, 1.0, 1.0, antiperiodic ? -1.0 : 1.0}};
  if (links == StaggeredLinks::naive) return {u, extents, parameters};
  if (links == StaggeredLinks::asqtad) {
    return {reference::fat_links(u, reference::asqtad_paths(0.9), extents), reference::third_links(u, extents), extents,
            parameters};
  }
  const reference::Links projected =
      reference::project_to_u3(reference::fat_links(u, reference::fat7_paths(), extents));
  return {reference::fat_links(projected, reference::hisq_paths(epsilon), extents),
          reference::third_links(projected, extents), extents, parameters};
}

/// Numbers on even sites.
SpinorField<double> noise(const Lattice& lattice, int count) {
  SpinorField<double> eta(lattice, {.spins = 1, .subset = Subset::even, .right_hand_sides = count});
  set_gaussian(eta, {.seed = 9});
  return eta;
}

// draw multiplies eta by prod_i (x + 4 m_i^2)^(N_i/8): done eight times it is prod_i (M_i^dag M_i)^N_i, without roots.
TEST(RationalStaggeredAction, DrawsWithTheRootOfTheMatrix) {
  const Lattice lattice({.extents = extents, .reach = 3});
  const GaugeField<double> links = rough_links(lattice, 0.3);
  for (const StaggeredCase& staggered : staggered_cases()) {
    const StaggeredLinks of = staggered.parameters.links;
    const bool antiperiodic = staggered.parameters.antiperiodic;
    const std::vector<StaggeredPseudofermion> quarks{
        {.quarks = {{0.2, 1.0}, {0.4, 2.0}}, .naik_epsilon = of == StaggeredLinks::hisq ? 0.3 : 0.0},
        {.quarks = {{0.3, 3.0}, {0.7, -1.0}}}};
    RationalStaggeredAction action(quarks, staggered.parameters);
    const SpinorField<double> eta = noise(lattice, 2);
    action.draw_from(links, eta);
    for (int times = 1; times < 8; ++times) {
      SpinorField<double> again = blas::clone(action.pseudofermions());
      action.draw_from(links, again);
    }
    for (int k = 0; k < 2; ++k) {
      const StaggeredPseudofermion& pseudofermion = quarks[static_cast<std::size_t>(k)];
      reference::ColorField expected = eta.to_host(k), found = action.pseudofermions().to_host(k);
      for (const auto& [mass, flavors] : pseudofermion.quarks) {
        const auto slow = slow_operator(links.to_host(), of, mass, pseudofermion.naik_epsilon, antiperiodic);
        reference::ColorField& power = flavors > 0.0 ? expected : found;
        for (int n = 0; n < static_cast<int>(std::abs(flavors)); ++n) {
          power = reference::staggered_normal(slow, power, 0);
        }
      }
      EXPECT_LT(reference::relative_difference(found, expected), 1e-10) << action.name();
    }
  }
}

TEST(RationalStaggeredAction, AddsItsForceToWhatIsThere) {
  const Lattice lattice({.extents = extents, .reach = 3});
  const GaugeField<double> links = rough_links(lattice, 0.3);
  RationalStaggeredAction action(staggered_cases()[2].quarks, staggered_cases()[2].parameters);
  action.draw(links, {.seed = 3});
  GaugeField<double> once(lattice), twice(lattice);
  action.add_force(once, links);
  action.add_force(twice, links);
  action.add_force(twice, links);
  const reference::Links a = once.to_host(), b = twice.to_host();
  EXPECT_LT(largest_difference(b, reference::add(a, 1.0, a)), 1e-10);
  EXPECT_GT(std::abs(a[0]), 1e-6);
}

// Lower precisions and coarser functions lead to the same numbers, to their tolerances.
TEST(RationalStaggeredAction, IsTheSameInLowerPrecisions) {
  const Lattice lattice({.extents = {8, 4, 4, 8}, .reach = 3});
  const GaugeField<double> links = rough_links(lattice, 0.3), others = rough_links(lattice, 0.28);
  RationalStaggeredAction expected(staggered_cases()[2].quarks, staggered_cases()[2].parameters);
  for (const InnerPrecision inner : {InnerPrecision::half, InnerPrecision::single}) {
    RationalStaggeredAction action(staggered_cases()[2].quarks, {.u0 = 0.9, .solver = {.inner = inner}});
    expect_same(action, expected, links, others, 1e-8, 1e-5);
  }
}

// Four flavours of one pseudofermion would be x^-1, which is no rational function of a root's kind.
TEST(RationalStaggeredAction, TakesAnyNumberOfFlavorsInParts) {
  const auto flavors_of = [](const StaggeredPseudofermion& whole) {
    std::vector<double> flavors;
    for (const StaggeredPseudofermion& part : split_pseudofermion(whole)) {
      for (const StaggeredFlavors& quark : part.quarks) flavors.push_back(quark.flavors);
    }
    return flavors;
  };
  EXPECT_EQ(flavors_of({.quarks = {{0.1, 3.5}}}), std::vector<double>{3.5});
  EXPECT_EQ(flavors_of({.quarks = {{0.1, 4.0}}}), (std::vector<double>{2.0, 2.0}));
  EXPECT_EQ(flavors_of({.quarks = {{0.1, 8.0}, {0.2, -8.0}}}),
            (std::vector<double>{8.0 / 3, -8.0 / 3, 8.0 / 3, -8.0 / 3, 8.0 / 3, -8.0 / 3}));
  KAON_EXPECT_ERROR((void)split_pseudofermion({.quarks = {{0.1, std::numeric_limits<double>::infinity()}}}),
                    "inf staggered flavours");
  KAON_EXPECT_ERROR((void)split_pseudofermion({.quarks = {{0.1, 1e10}}}), "fewer than 1000000 are possible");
  const Lattice lattice({.extents = extents, .reach = 3});
  const GaugeField<double> links = rough_links(lattice, 0.3);
  RationalStaggeredAction action(split_pseudofermion({.quarks = {{0.3, 4.0}}}));
  const double drawn = action.draw(links, {.seed = 9});
  EXPECT_NEAR(action.value(links), drawn, 1e-10 * drawn);
}

TEST(RationalStaggeredAction, SaysWhatIsWrong) {
  const Lattice lattice({.extents = extents, .reach = 3});
  const GaugeField<double> links = rough_links(lattice, 0.3);
  KAON_EXPECT_ERROR(RationalStaggeredAction({}), "at least one pseudofermion");
  KAON_EXPECT_ERROR(RationalStaggeredAction({{.quarks = {{0.0, 2.0}}}}), "2 staggered flavours of mass 0");
  KAON_EXPECT_ERROR(RationalStaggeredAction({{.quarks = {{0.1, std::nan("")}}}}), "nan staggered flavours");
  KAON_EXPECT_ERROR(RationalStaggeredAction({{.quarks = {{0.1, 2.0}}, .solver = {{.tolerance = 1.0}}}}),
                    "the tolerance 1 of an action's solves does not lie between 0 and 1");
  KAON_EXPECT_ERROR(RationalStaggeredAction({{.quarks = {{0.1, 4.0}}}}), "must lie between -1 and 0");
  KAON_EXPECT_ERROR(
      RationalStaggeredAction({{.quarks = {{0.1, 1.0}}, .naik_epsilon = 0.1}}, {.links = StaggeredLinks::asqtad}),
      "asqtad quarks with a Naik epsilon of 0.1");
  RationalStaggeredAction action({{.quarks = {{0.1, 1.0}}}}, {.largest_eigenvalue = 8.0});
  KAON_EXPECT_ERROR(action.draw(links, {.seed = 1}), "raise `largest_eigenvalue`");
  KAON_EXPECT_ERROR(action.draw_from(links, noise(lattice, 2)), "1 staggered pseudofermions are as many");
  RationalStaggeredAction hasty({{.quarks = {{0.01, 1.0}}}}, {.solver = {.max_iterations = 3}});
  KAON_EXPECT_ERROR(hasty.draw(links, {.seed = 1}), "iterations");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
