// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/gauge/improved_cases.hpp"
#include "tests/reference/flow.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/core/message.hpp>
#include <kaon/gauge/gauge_transformation.hpp>
#include <kaon/gauge/gradient_flow.hpp>
#include <kaon/gauge/observables.hpp>
#include <kaon/gauge/smeared_links.hpp>
#include <kaon/gauge/unitarity.hpp>

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numbers>

namespace kaon::test {
namespace KAON_TEST_FILE {

const LoopWeights all_weights[] = {wilson_weights, symanzik_weights};

struct Case {
  LoopWeights weights;
  double anisotropy;

  reference::LoopWeights of_reference() const { return {weights.plaquette, weights.rectangle, anisotropy}; }
};
const Case cases[] = {{wilson_weights, 1.0}, {symanzik_weights, 1.0}, {wilson_weights, 2.3}, {symanzik_weights, 0.6}};

TEST(GradientFlow, EqualsReference) {
  for (const Lattice& lattice : small_lattices()) {
    const Coordinates& extents = lattice.extents();
    const GaugeField<double> links = random_links(lattice);
    for (const Case& of : cases) {
      GradientFlow flow(links, {.step = 0.05, .weights = of.weights, .time = 0.1, .anisotropy = of.anisotropy});
      reference::Links expected = links.to_host();
      for (int step = 0; step < 2; ++step) {
        expected = reference::flow_step(expected, 0.05, of.of_reference(), extents);
      }
      flow.advance(1);
      flow.advance();
      EXPECT_DOUBLE_EQ(flow.time(), 0.1 + 2 * 0.05);
      EXPECT_LT(largest_difference(flow.links().to_host(), expected), tolerance<double>);
      const auto energy = reference::clover_energy(expected, extents);
      EXPECT_NEAR(clover_observables(flow.links()).energy, energy.spatial + energy.temporal, tolerance<double>);
      EXPECT_LT(deviation_from_su3(flow.links()).unitarity.deviation, 0.1 * tolerance<double>);
    }
  }
}

// If the step is halved, the error at a fixed time falls by 2^3 or 2^4, and so do the differences of two steps. Both
// methods end at the same links.
TEST(GradientFlow, IsOfThirdOrFourthOrder) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  const GaugeField<double> links = weak_links(lattice);
  for (const LoopWeights& weights : all_weights) {
    double finest = 0.0;
    std::vector<std::complex<double>> best;
    for (const int order : {3, 4}) {
      const auto at = [&](int steps) {
        GradientFlow flow(links, {.step = 0.32 / steps, .weights = weights, .order = order});
        flow.advance(steps);
        return flow.links().to_host();
      };
      const auto middle = at(16), last = at(32);
      const double coarse = largest_difference(at(8), middle), fine = largest_difference(middle, last);
      EXPECT_NEAR(std::log2(coarse / fine), order, 0.25);
      EXPECT_GT(fine, order == 3 ? 1e-9 : 1e-12);  // far from rounding
      if (order == 3) {
        finest = fine;
        best = last;
      } else {
        EXPECT_LT(fine, 0.1 * finest);
        EXPECT_LT(largest_difference(best, last), finest);
      }
    }
  }
}

TEST(GradientFlow, FallsAlongItsAction) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  for (const Case& of : cases) {
    GradientFlow flow(random_links(lattice), {.step = 0.02, .weights = of.weights, .anisotropy = of.anisotropy});
    const auto action = [&] {
      return reference::loop_action(flow.links().to_host(), of.of_reference(), lattice.extents());
    };
    double before = action();
    for (int step = 0; step < 10; ++step) {
      flow.advance();
      const double after = action();
      EXPECT_LT(after, before);
      before = after;
    }
  }
}

// dS/dt = -sum_{x, mu} |Z_mu(x)|^2/g_mu, with S of one sense of each loop, g = 1/xi^2 of links in time and 1 of others,
// by differences: the velocity has the right size, and is the gradient of the action of anisotropic lattices.
TEST(GradientFlow, HasTheSpeedOfTheGradient) {
  using reference::operator*;
  const Coordinates extents{4, 4, 2, 4};
  const GaugeField<double> links = random_links(Lattice({.extents = extents}));
  for (const Case& of : cases) {
    const reference::LoopWeights weights = of.of_reference();
    const reference::Links host = links.to_host();
    double speed = 0.0;
    reference::for_each_site(extents, [&](const Coordinates& x) {
      for (int mu = 0; mu < 4; ++mu) {
        const auto z = reference::traceless_antihermitian(
            reference::staples(host, x, mu, weights, reference::none_omitted, extents) *
            reference::dagger(reference::link(host, x, mu, extents)));
        speed -= weights.of_plane(mu, mu) * reference::trace(z * z).real();
      }
    });
    constexpr double step = 1e-4;
    GradientFlow flow(links, {.step = step, .weights = of.weights, .anisotropy = of.anisotropy});
    double actions[3];
    for (double& action : actions) {
      action = reference::loop_action(flow.links().to_host(), weights, extents);
      flow.advance();
    }
    const double slope = (-1.5 * actions[0] + 2.0 * actions[1] - 0.5 * actions[2]) / step;
    EXPECT_NEAR(slope / -speed, 1.0, 1e-5);
  }
}

// U_mu = exp(i theta cos(p x_nu) diag(1, -1, 0)) decays as exp(-w_nu p^2 t), p^2 = (2 sin(p/2))^2 and w_nu = xi^2 in
// time alone, as far as theta is small: staples in time count xi^2 times, those of links in time do not. Symanzik's
// weights have p^2 (1 + p^2/12) in the place of p^2.
TEST(GradientFlow, MakesWavesDecayWithTheirDirection) {
  const Coordinates extents{4, 4, 4, 8};
  const Lattice lattice({.extents = extents});
  constexpr double theta = 1e-5, xi = 1.7, step = 0.01;
  for (int mu = 0; mu < 4; ++mu) {
    for (int nu = 0; nu < 4; ++nu) {
      if (nu == mu) continue;
      const double p = 2.0 * std::numbers::pi / extents[static_cast<std::size_t>(nu)];
      reference::Links host;
      reference::for_each_site(extents, [&](const Coordinates& x) {
        for (int rho = 0; rho < 4; ++rho) {
          reference::ColorMatrix u = reference::identity_color_matrix();
          const double angle = rho == mu ? theta * std::cos(p * x[static_cast<std::size_t>(nu)]) : 0.0;
          u[0] = std::polar(1.0, angle);
          u[4] = std::polar(1.0, -angle);
          host.insert(host.end(), u.begin(), u.end());
        }
      });
      GaugeField<double> links(lattice);
      links.from_host(host);
      for (const LoopWeights& weights : all_weights) {
        const double p2 = std::pow(2.0 * std::sin(0.5 * p), 2);
        const double rate = (weights.rectangle == 0.0 ? p2 : p2 * (1.0 + p2 / 12.0)) * (nu == 3 ? xi * xi : 1.0);
        GradientFlow flow(links, {.step = step, .weights = weights, .anisotropy = xi});
        flow.advance(5);
        const auto found = flow.links().to_host();
        const double left = std::arg(found[reference::link_offset({0, 0, 0, 0}, mu, extents)]) / theta;
        EXPECT_NEAR(left, std::exp(-rate * 5 * step), 1e-6) << mu << nu;
      }
    }
  }
}

TEST(GradientFlow, IsGaugeCovariant) {
  const Lattice lattice({.extents = {8, 4, 4, 8}});
  const GaugeTransformation g(lattice, {.seed = 9});
  const GaugeField<double> links = weak_links(lattice);
  GaugeField<double> moved = links.clone();
  transform(moved, g);
  for (const LoopWeights& weights : all_weights) {
    GradientFlow flow(links, {.weights = weights}), moved_flow(moved, {.weights = weights});
    flow.advance(2);
    moved_flow.advance(2);
    GaugeField<double> expected = flow.links().clone();
    transform(expected, g);
    EXPECT_LT(largest_difference(moved_flow.links().to_host(), expected.to_host()), tolerance<double>);
  }
}

// Stout smearing is Euler's method for the flow: they agree to first order in the step.
TEST(GradientFlow, BeginsAsStoutSmearing) {
  const GaugeField<double> links = weak_links(Lattice({.extents = {4, 4, 4, 8}}));
  const auto distance = [&](double step) {
    GradientFlow flow(links, {.step = step});
    flow.advance();
    return largest_difference(flow.links().to_host(), stout_links(links, {.rho = step}).to_host());
  };
  EXPECT_NEAR(std::log2(distance(2e-3) / distance(1e-3)), 2.0, 0.05);
}

TEST(GradientFlow, KeepsItsInput) {
  const GaugeField<double> links = random_links(Lattice({.extents = {4, 4, 4, 8}}));
  const reference::Links before = links.to_host();
  GradientFlow flow(links);
  flow.advance(0);
  EXPECT_EQ(flow.links().to_host(), before);
  flow.advance(2);
  EXPECT_EQ(links.to_host(), before);
}

TEST(GradientFlow, RefusesWhatItCannotTake) {
  const Lattice lattice({.extents = {4, 4, 4, 8}});
  const GaugeField<double> links = weak_links(lattice);
  KAON_EXPECT_ERROR(GradientFlow(GaugeField<double>(links, LinkStorage::two_rows)),
                    "12 reals were given where 18 are wanted");
  KAON_EXPECT_ERROR(GradientFlow(links, {.step = 0.0}), "a flow cannot have steps of 0");
  KAON_EXPECT_ERROR(GradientFlow(links, {.step = std::nan("")}), "a flow cannot have steps of nan");
  KAON_EXPECT_ERROR(GradientFlow(links, {.order = 2}), "a flow of order 2: 3 and 4 are possible");
  for (const double anisotropy : {0.0, -1.0, std::nan(""), 1e-200, 1e200, std::numeric_limits<double>::infinity()}) {
    KAON_EXPECT_ERROR(GradientFlow(links, {.anisotropy = anisotropy}),
                      fmt::format("anisotropy {}: a_s/a_t is needed, a number above 0", anisotropy));
  }
  KAON_EXPECT_ERROR(GradientFlow(links, {.weights = {std::nan(""), 0.0}}),
                    "a flow needs finite numbers, not c_0 = nan");
  GradientFlow flow(links);
  KAON_EXPECT_ERROR(flow.advance(-1), "a flow cannot go -1 steps on");
  KAON_EXPECT_ERROR(GradientFlow(links, {.step = 1e30}).advance(), "a flow with steps of 1e+30 has left SU(3)");
  KAON_EXPECT_ERROR(GradientFlow(GaugeField<double>(lattice)), "the gradient flow needs unitary links");
}

// Links of one wave at the corner of the Brillouin zone, which decays with 4 c_0 (3 + xi^2): its size grows in a step
// that is a little above the one that the warning states, and shrinks in one below.
TEST(GradientFlow, WarnsOfStepsThatMakeWavesGrow) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  std::vector<std::string> warnings;
  const MessageHandler before =
      set_message_handler([&](MessageKind, const std::string& text) { warnings.push_back(text); });
  for (const Case& of : cases) {
    for (const int order : {3, 4}) {
      const double longest =
          (order == 4 ? 4.071 : 2.513) / (4.0 * of.weights.plaquette * (3.0 + of.anisotropy * of.anisotropy));
      for (const double factor : {0.99, 1.01}) {
        std::vector<std::complex<double>> wave(9 * 4 * 256);
        constexpr double theta = 1e-5;
        for (std::size_t site = 0; site < 256; ++site) {
          const int parity = static_cast<int>(site % 4 + site / 4 % 4 + site / 16 % 4 + site / 64) % 2;
          for (int mu = 0; mu < 4; ++mu) {
            const double angle = (parity == 0 ? theta : -theta) * (mu == 0 ? 1.0 : mu == 1 ? -1.0 : 0.0);
            std::complex<double>* link = &wave[9 * (4 * site + static_cast<std::size_t>(mu))];
            link[0] = std::polar(1.0, angle), link[4] = std::conj(link[0]), link[8] = 1.0;
          }
        }
        GaugeField<double> links(lattice);
        links.from_host(wave);
        warnings.clear();
        GradientFlow flow(
            links, {.step = factor * longest, .weights = of.weights, .order = order, .anisotropy = of.anisotropy});
        flow.advance();
        const double size = std::abs(std::arg(flow.links().to_host()[0]));
        EXPECT_EQ(size > theta, factor > 1.0) << size << " " << order << " " << of.anisotropy;
        ASSERT_EQ(warnings.size(), factor > 1.0 ? 1u : 0u);
        if (factor > 1.0) {
          EXPECT_NE(warnings[0].find(fmt::format("grow with steps above {:.3g}", longest)), std::string::npos)
              << warnings[0];
        }
      }
    }
  }
  set_message_handler(before);
}

// t^2 E = t^2/5 reaches 0.3 at t = sqrt(1.5), t d/dt of it at t = sqrt(0.75).
TEST(FlowScales, AreWhereTheFlowCrossesTheLevel) {
  std::vector<FlowPoint> points;
  for (int k = 0; k <= 300; ++k) points.push_back({0.005 * k, 0.2});
  const FlowScales scales = flow_scales(points);
  ASSERT_TRUE(scales.t0.has_value() && scales.w0.has_value());
  EXPECT_NEAR(*scales.t0, std::sqrt(1.5), 1e-5);
  EXPECT_NEAR(*scales.w0, std::pow(0.75, 0.25), 1e-5);
  EXPECT_FALSE(flow_scales(points, 0.6).t0.has_value());
  EXPECT_NEAR(flow_scales(points, 0.6).w0.value(), std::pow(1.5, 0.25), 1e-5);
  EXPECT_FALSE(flow_scales({}).w0.has_value());
}

// The derivative of t^2 E = t^2/5 by parabolas is exact: 0.4 t^2 is 0.064 and 0.256 at the two points inside.
TEST(FlowScales, TakeTimesAtUnequalDistances) {
  const std::vector<FlowPoint> points{{0.0, 0.2}, {0.4, 0.2}, {0.8, 0.2}, {0.9, 0.2}};
  EXPECT_NEAR(flow_scales(points, 0.2).w0.value(), std::sqrt(0.4 + 0.4 * (0.2 - 0.064) / (0.256 - 0.064)), 1e-12);
}

// t^2 E vanishes at t = 0, between which and the first measurement it is no line.
TEST(FlowScales, TellWhereTheLevelIsPassedBeforeTheFirstMeasurement) {
  const std::vector<FlowPoint> points{{0.0, 0.2}, {1.0, 0.2}, {2.0, 0.2}};
  EXPECT_TRUE(flow_scales(points, 0.2).passes_t0_before);
  EXPECT_FALSE(flow_scales(points, 0.2).t0.has_value());
  EXPECT_FALSE(flow_scales(points, 0.201).passes_t0_before);
  EXPECT_NEAR(flow_scales(points, 0.5).t0.value(), 1.5, 1e-12);
  EXPECT_FALSE(flow_scales({}).passes_t0_before);
}

TEST(FlowScales, TellWhereTheLevelIsPassedBeforeTheFirstDerivative) {
  const std::vector<FlowPoint> points{{0.0, 0.2}, {1.0, 0.2}, {2.0, 0.2}};
  EXPECT_TRUE(flow_scales(points, 0.39).passes_w0_before);
  EXPECT_FALSE(flow_scales(points, 0.39).w0.has_value());
  EXPECT_FALSE(flow_scales(points, 0.41).passes_w0_before);
  EXPECT_FALSE(flow_scales({}).passes_w0_before);
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
