// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/gauge/test_lattices.hpp"
#include "tests/hmc/force_check.hpp"
#include "tests/reference/flow.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/gauge/link_paths.hpp>
#include <kaon/gauge/loop_action.hpp>
#include <kaon/hmc/gauge_action.hpp>

#include <limits>

namespace kaon::test {
namespace KAON_TEST_FILE {

constexpr LoopWeights all_weights[] = {wilson_weights, symanzik_weights, iwasaki_weights, dbw2_weights};

TEST(LoopAction, IsThatOfTheReference) {
  for (const Lattice& lattice : test_lattices()) {
    const GaugeField<double> links = rough_links(lattice);
    for (const LoopWeights& weights : all_weights) {
      // The reference has Re tr(1 - P), a third of which is in the action.
      const double expected =
          5.7 / 3.0 *
          reference::loop_action(links.to_host(), {weights.plaquette, weights.rectangle}, lattice.extents());
      EXPECT_NEAR(loop_action(links, 5.7, weights), expected, 1e-12 * std::abs(expected));
    }
  }
}

TEST(LoopAction, OfUnitLinksIsZero) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  GaugeField<double> links(lattice);
  set_unit(links);
  for (const LoopWeights& weights : all_weights) EXPECT_NEAR(loop_action(links, 6.0, weights), 0.0, 1e-9);
}

// The weights of the continuum limit: c_0 + 8 c_1 = 1.
TEST(LoopWeights, AreNormalised) {
  for (const LoopWeights& weights : all_weights) EXPECT_DOUBLE_EQ(weights.plaquette + 8.0 * weights.rectangle, 1.0);
}

TEST(GaugeAction, HasItsDerivativeAsForce) {
  for (const Coordinates& extents : {Coordinates{4, 4, 4, 4}, Coordinates{4, 6, 2, 8}}) {
    for (const Lanes lanes : {Lanes::native, Lanes::single}) {
      const GaugeField<double> links = rough_links(Lattice({.extents = extents, .lanes = lanes}));
      for (const LoopWeights& weights : all_weights) {
        GaugeAction action(5.7, weights);
        expect_force_is_derivative(action, links, 1e-9);
      }
    }
  }
}

// The force by paths of links, which shares no kernel with that by staples.
TEST(GaugeAction, HasTheForceOfItsLoops) {
  const Lattice lattice({.extents = {4, 4, 2, 8}});
  const GaugeField<double> links = rough_links(lattice);
  constexpr double beta = 5.3;
  std::array<std::vector<WeightedPath>, 4> paths;
  for (int mu = 1; mu <= 4; ++mu) {
    auto& of_mu = paths[static_cast<std::size_t>(mu - 1)];
    for (int nu = 1; nu <= 4; ++nu) {
      if (nu == mu) continue;
      const double plaquette = -beta / 3.0 * iwasaki_weights.plaquette,
                   rectangle = -beta / 3.0 * iwasaki_weights.rectangle;
      for (const int s : {nu, -nu}) {
        of_mu.push_back({{mu, s, -mu, -s}, plaquette});
        of_mu.push_back({{mu, s, s, -mu, -s, -s}, rectangle});
        of_mu.push_back({{mu, mu, s, -mu, -mu, -s}, rectangle});
        of_mu.push_back({{mu, s, -mu, -mu, -s, mu}, rectangle});
      }
    }
  }
  GaugeField<double> by_paths(lattice), by_staples(lattice), p(lattice), q(lattice);
  add_link_paths(by_paths, links, paths);
  add_loop_force(by_staples, links, beta, iwasaki_weights);
  kick_momenta(p, by_paths, 1.0);
  kick_momenta(q, by_staples, 1.0);
  EXPECT_LT(max_difference(p.to_host(), q.to_host()), 1e-12);
}

TEST(GaugeAction, RefusesWhatMakesNoSense) {
  const Lattice lattice({.extents = {4, 4, 4, 4}}), other({.extents = {4, 4, 4, 8}});
  GaugeField<double> links = rough_links(lattice), elsewhere(other), compressed(links, LinkStorage::two_rows);
  KAON_EXPECT_ERROR(GaugeAction(std::nan("")), "a gauge action needs finite numbers, not beta = nan");
  KAON_EXPECT_ERROR(GaugeAction(5.0, {.rectangle = std::numeric_limits<double>::infinity()}), "c_1 = inf");
  KAON_EXPECT_ERROR(add_loop_force(elsewhere, links, 6.0), "must lie on one lattice");
  KAON_EXPECT_ERROR(add_loop_force(links, links, 6.0), "must not be the links themselves");
  KAON_EXPECT_ERROR(loop_action(compressed, 6.0), "18");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
