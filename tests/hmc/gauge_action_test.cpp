// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/gauge/test_lattices.hpp"
#include "tests/hmc/force_check.hpp"
#include "tests/reference/flow.hpp"
#include "tests/reference/stored_fields.hpp"
#include "tests/support/data.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/gauge/link_paths.hpp>
#include <kaon/gauge/loop_action.hpp>
#include <kaon/hmc/gauge_action.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

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
  const GaugeField<double> links = unit_links<double>(lattice);
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
  EXPECT_LT(largest_difference(p.to_host(), q.to_host()), 1e-12);
}

/// S and its force by paths of links alone, of loops listed once.
struct LoopsByPaths {
  std::vector<LinkPath> loops;
  std::vector<double> coefficients;
  std::array<std::vector<WeightedPath>, 4> paths;

  LoopsByPaths(double beta, const OneLoopWeights& weights) {
    const auto add = [&](const LinkPath& loop, double coefficient) {
      loops.push_back(loop);
      coefficients.push_back(beta * coefficient);
      LinkPath back(loop.rbegin(), loop.rend());
      for (int& step : back) step = -step;
      for (LinkPath way : {loop, back}) {
        for (std::size_t turn = 0; turn < way.size(); ++turn) {
          std::rotate(way.begin(), way.begin() + 1, way.end());
          if (way[0] > 0) paths[static_cast<std::size_t>(way[0] - 1)].push_back({way, -beta / 3.0 * coefficient});
        }
      }
    };
    for (int mu = 1; mu <= 4; ++mu) {
      for (int nu = 1; nu <= 4; ++nu) {
        if (mu < nu) add({mu, nu, -mu, -nu}, weights.planar.plaquette);
        if (mu != nu) add({mu, mu, nu, -mu, -mu, -nu}, weights.planar.rectangle);
        for (int rho = nu + 1; rho <= 4 && mu < nu; ++rho) {
          for (const int s : {nu, -nu}) {
            for (const int t : {rho, -rho}) add({mu, s, t, -mu, -s, -t}, weights.parallelogram);
          }
        }
      }
    }
  }

  double value(const GaugeField<double>& links) const {
    const auto traces = loop_traces(links, loops);
    double density = 0.0;
    for (std::size_t i = 0; i < loops.size(); ++i) density += coefficients[i] * (1.0 - traces[i].real());
    return density * static_cast<double>(links.lattice().volume());
  }
};

TEST(OneLoopAction, IsThatOfItsLoops) {
  constexpr double beta = 6.5;
  const OneLoopWeights weights = one_loop_symanzik_weights(0.86, 2.5);
  const LoopsByPaths expected(beta, weights);
  for (const Lattice& lattice : test_lattices()) {
    const GaugeField<double> links = rough_links(lattice);
    const double value = expected.value(links);
    EXPECT_NEAR(one_loop_action(links, beta, weights), value, 1e-12 * std::abs(value));
    GaugeField<double> by_paths(lattice), by_corners(lattice), p(lattice), q(lattice);
    add_link_paths(by_paths, links, expected.paths);
    add_one_loop_force(by_corners, links, beta, weights);
    kick_momenta(p, by_paths, 1.0);
    kick_momenta(q, by_corners, 1.0);
    EXPECT_LT(largest_difference(p.to_host(), q.to_host()), 1e-12);
  }
}

TEST(OneLoopAction, HasItsDerivativeAsForce) {
  const GaugeField<double> links = rough_links(Lattice({.extents = {4, 6, 2, 8}}));
  GaugeAction action(6.5, one_loop_symanzik_weights(0.86, 3.0));
  expect_force_is_derivative(action, links, 1e-9);
}

// Without tadpoles it is Symanzik's action at tree level, whose beta is 6/g^2 and not 10/g^2.
TEST(OneLoopAction, IsSymanziksAtTreeLevelWithoutTadpoles) {
  const GaugeField<double> links = rough_links(Lattice({.extents = {4, 4, 4, 4}}));
  const double value = loop_action(links, 0.6 * 7.0, symanzik_weights);
  EXPECT_NEAR(one_loop_action(links, 7.0, one_loop_symanzik_weights(1.0, 4.0)), value, 1e-12 * value);
  KAON_EXPECT_ERROR(one_loop_symanzik_weights(0.0, 0.0), "u0 = 0");
  KAON_EXPECT_ERROR(GaugeAction(5.0, OneLoopWeights{.parallelogram = std::nan("")}), "c_2 = nan");
}

// The action and |F|^2 of an independent program on fields of MILC, beta = 7, u0 = 0.89 and three flavours.
TEST(OneLoopAction, IsThatOfAnotherCode) {
  struct Case {
    const char* file;
    int extent;
    double action, force2;
  };
  for (const Case& known : {Case{"milc/lat.sample.l4444", 4, 3825.035604042242, 68943.648251952327},
                            Case{"staggered/lat.sample.l6666.hisq", 6, 18132.796870643906, 319716.034815994324}}) {
    KAON_TEST_DATA_FILE(file, known.file);
    const Coordinates extents{known.extent, known.extent, known.extent, known.extent};
    GaugeField<double> links(Lattice({.extents = extents})), matrices(links.lattice()), force(links.lattice());
    links.from_host(reference::read_milc(file, extents));
    reunitarize(links);
    GaugeAction action(7.0, one_loop_symanzik_weights(0.89, 3.0));
    EXPECT_NEAR(action.value(links), known.action, 1e-12 * known.action);
    action.add_force(matrices, links);
    kick_momenta(force, matrices, 1.0);
    double norm2 = 0.0;
    for (const std::complex<double>& element : force.to_host()) norm2 += std::norm(element);
    EXPECT_NEAR(norm2, known.force2, 1e-12 * known.force2);
  }
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
