// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "hmc/link_difference.hpp"
#include "tests/gauge/test_lattices.hpp"
#include "tests/hmc/force_check.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/core/error.hpp>
#include <kaon/gauge/link_phases.hpp>
#include <kaon/gauge/observables.hpp>
#include <kaon/gauge/unitarity.hpp>
#include <kaon/hmc/gauge_action.hpp>
#include <kaon/hmc/hybrid_monte_carlo.hpp>
#include <kaon/hmc/rational_staggered_action.hpp>
#include <kaon/hmc/rational_wilson_action.hpp>
#include <kaon/hmc/two_flavor_action.hpp>

#include <algorithm>
#include <limits>
#include <optional>

namespace kaon::test {
namespace KAON_TEST_FILE {

std::shared_ptr<ActionTerm> gauge(double beta = 5.6) { return std::make_shared<GaugeAction>(beta); }

std::shared_ptr<ActionTerm> quarks() {
  return two_flavor_terms({.action = FermionAction::wilson_clover, .mass = 0.1, .csw = 1.0})[0];
}

/// A term that counts the forces that are asked of it, and how often the links had moved in between.
struct Counted final : ActionTerm {
  int forces = 0;
  int moved = 0;
  std::vector<std::complex<double>> seen;
  double action = 0.0;

  std::string name() const override { return "counted"; }
  double draw(const GaugeField<double>&, const RandomKey&) override { return 0.0; }
  double value(const GaugeField<double>&) override { return action; }
  void add_force(GaugeField<double>&, const GaugeField<double>& links) override {
    ++forces;
    auto now = links.to_host();
    if (now != seen) ++moved;
    seen = std::move(now);
  }
};

/// The change of the energy of the gauge action in a trajectory of length 1.
double change_of(const GaugeField<double>& start, Integrator integrator, int steps) {
  const auto action = gauge();
  GaugeField<double> links = start.clone(), momenta(links.lattice());
  set_gaussian_momenta(momenta, 1.0, {.seed = 3});
  const double before = kinetic_energy(momenta) + action->value(links);
  const TimeScale scale{{action}, steps, integrator};
  integrate(links, momenta, {&scale, 1}, 1.0);
  return kinetic_energy(momenta) + action->value(links) - before;
}

// H changes by h^2 or h^4: by 4 or 16 for half the steps.
TEST(Integrator, HasTheErrorOfItsOrder) {
  const GaugeField<double> start = rough_links(Lattice({.extents = {4, 4, 4, 4}}));
  for (const IntegratorScheme& scheme : integrators) {
    SCOPED_TRACE(scheme.word);
    const int steps = scheme.value == Integrator::leapfrog ? 40 : scheme.order == 2 ? 20 : 10;
    const double ratio = change_of(start, scheme.value, steps) / change_of(start, scheme.value, 2 * steps);
    EXPECT_NEAR(ratio, scheme.order == 2 ? 4.0 : 16.0, scheme.order == 2 ? 0.3 : 2.0);
  }
}

TEST(Integrator, GoesBackTheWayItCame) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  const GaugeField<double> links = rough_links(lattice);
  const auto before = links.to_host();
  for (const IntegratorScheme& scheme : integrators) {
    SCOPED_TRACE(scheme.word);
    HybridMonteCarlo pure({{{gauge()}, 10, scheme.value}}, {.seed = 4});
    EXPECT_LT(pure.reverse(links, 0).links, 1e-12);
  }
  for (const Integrator integrator : {Integrator::omelyan, Integrator::babadabab, Integrator::adada}) {
    SCOPED_TRACE(scheme_of(integrator).word);
    HybridMonteCarlo hmc({{{quarks()}, 3, integrator}, {{gauge()}, 2, integrator}}, {.length = 0.5, .seed = 4});
    const Reversal reversal = hmc.reverse(links, 0);
    EXPECT_LT(reversal.links, 1e-7);
    EXPECT_GT(reversal.links, 0.0);
    EXPECT_LT(std::abs(reversal.delta_energy), 1e-4);
  }
  EXPECT_EQ(links.to_host(), before);
}

// No force is used twice at the same links, and each has the number that its scheme says.
TEST(Integrator, JoinsKicks) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  for (const IntegratorScheme& scheme : integrators) {
    SCOPED_TRACE(scheme.word);
    const auto outer = std::make_shared<Counted>(), inner = std::make_shared<Counted>();
    const std::vector<TimeScale> scales{{{outer}, 3, scheme.value}, {{inner}, 2, Integrator::leapfrog}};
    GaugeField<double> links = rough_links(lattice), momenta(lattice);
    set_gaussian_momenta(momenta, 1.0, {.seed = 3});
    integrate(links, momenta, scales, 1.0);
    const auto count = [&](char letter) { return static_cast<int>(std::ranges::count(scheme.sequence, letter)); };
    const int drifts = count('A'), kicks = count('B'), gradients = count('D'), ends = scheme.sequence[0] == 'B' ? 1 : 0;
    EXPECT_EQ(outer->forces, 3 * (kicks + 2 * gradients - ends) + ends);
    EXPECT_EQ(inner->forces, 2 * 3 * drifts + 1);
    EXPECT_EQ(outer->moved, outer->forces - 3 * gradients);  // without forces the links of a gradient are not shifted
    EXPECT_EQ(inner->moved, inner->forces);
  }
}

TEST(Integrator, ShiftsTheLinksOfForceGradients) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  const auto action = gauge();
  GaugeField<double> links = rough_links(lattice), momenta(lattice), matrices(lattice);
  GaugeField<double> u = links.clone(), p(lattice), shifted(lattice);
  set_gaussian_momenta(momenta, 1.0, {.seed = 3});
  p.assign(momenta);
  const double h = 0.2;
  const auto kick = [&](const GaugeField<double>& at, double size) {
    GaugeField<double> force(lattice);
    action->add_force(force, at);
    kick_momenta(p, force, size);
  };
  // tmLQCD's 2MNFG: lambda = 1/6, and links shifted by 2 h^2/(1 - 2/6)/72 = h^2/24.
  kick(u, h / 6.0);
  advance_links(u, p, {.size = h / 2.0});
  action->add_force(matrices, u);
  shifted.assign(u);
  advance_links(shifted, matrices, {.size = h * h / 24.0});
  kick(shifted, h * 2.0 / 3.0);
  advance_links(u, p, {.size = h / 2.0});
  kick(u, h / 6.0);
  const TimeScale scale{{action}, 1, Integrator::badab};
  integrate(links, momenta, {&scale, 1}, h);
  EXPECT_LT(largest_difference(links.to_host(), u.to_host()), 1e-13);
  EXPECT_LT(largest_difference(momenta.to_host(), p.to_host()), 1e-12);
}

// Without forces the momenta remain, and the links are exp(t P) U.
TEST(Integrator, MovesLinksFreely) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  for (const IntegratorScheme& scheme : integrators) {
    const Integrator integrator = scheme.value;
    GaugeField<double> links = rough_links(lattice), momenta(lattice), expected = links.clone();
    set_gaussian_momenta(momenta, 1.0, {.seed = 3});
    const auto p = momenta.to_host();
    const std::vector<TimeScale> scales{{{std::make_shared<Counted>()}, 2, integrator},
                                        {{std::make_shared<Counted>()}, 3, integrator}};
    integrate(links, momenta, scales, 0.7);
    advance_links(expected, momenta, {.size = 0.7});
    EXPECT_EQ(momenta.to_host(), p);
    EXPECT_LT(largest_difference(links.to_host(), expected.to_host()), 1e-13);
  }
}

TEST(HybridMonteCarlo, GoesTheSameWayAgain) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  const auto make = [](std::uint64_t seed) {
    return HybridMonteCarlo({{{quarks()}, 4}, {{gauge()}, 2}}, {.length = 0.5, .seed = seed});
  };
  GaugeField<double> links = rough_links(lattice);
  HybridMonteCarlo whole = make(5);
  std::vector<double> changes;
  GaugeField<double> between(lattice);
  for (std::uint32_t n = 0; n < 3; ++n) {
    if (n == 2) between.assign(links);
    changes.push_back(whole.trajectory(links, n).delta_energy);
  }
  HybridMonteCarlo resumed = make(5), other = make(6);
  GaugeField<double> elsewhere = between.clone();
  EXPECT_EQ(resumed.trajectory(between, 2).delta_energy, changes[2]);
  EXPECT_EQ(between.to_host(), links.to_host());
  EXPECT_NE(other.trajectory(elsewhere, 2).delta_energy, changes[2]);
  EXPECT_NE(changes[0], changes[1]);
}

TEST(HybridMonteCarlo, LeavesLinksWhereItRejects) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  GaugeField<double> links = rough_links(lattice);
  reunitarize(links);
  const auto before = links.to_host();
  const double start = plaquette(links).average;
  HybridMonteCarlo coarse({{{gauge(6.0)}, 2, Integrator::leapfrog}}, {.length = 1.0, .seed = 1});
  const TrajectoryReport rejected = coarse.trajectory(links, 0);
  EXPECT_GT(rejected.delta_energy, 50.0);
  EXPECT_FALSE(rejected.accepted);
  EXPECT_EQ(links.to_host(), before);
  EXPECT_EQ(rejected.plaquette, start);
  HybridMonteCarlo always({{{gauge(6.0)}, 2, Integrator::leapfrog}}, {.length = 1.0, .seed = 1, .accept_all = true});
  const TrajectoryReport accepted = always.trajectory(links, 0);
  EXPECT_TRUE(accepted.accepted);
  EXPECT_EQ(accepted.delta_energy, rejected.delta_energy);
  EXPECT_NE(links.to_host(), before);
  EXPECT_EQ(accepted.plaquette, plaquette(links).average);
  EXPECT_LT(deviation_from_su3(links).unitarity.deviation, 1e-14);
}

// The areas of phase space remain: <exp(-dH)> = 1, also where half of the trajectories are rejected.
TEST(HybridMonteCarlo, KeepsTheVolumeOfPhaseSpace) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  GaugeField<double> links = rough_links(lattice);
  HybridMonteCarlo start({{{gauge()}, 10}}, {.seed = 2, .accept_all = true});
  for (std::uint32_t n = 0; n < 20; ++n) start.trajectory(links, n);
  HybridMonteCarlo hmc({{{gauge()}, 10, Integrator::leapfrog}}, {.seed = 2});
  constexpr int count = 300;
  double sum = 0.0, sum2 = 0.0;
  int accepted = 0;
  for (std::uint32_t n = 20; n < 20 + count; ++n) {
    const TrajectoryReport report = hmc.trajectory(links, n);
    const double weight = std::exp(-report.delta_energy);
    sum += weight;
    sum2 += weight * weight;
    accepted += report.accepted ? 1 : 0;
  }
  const double mean = sum / count, error = std::sqrt((sum2 / count - mean * mean) / count);
  EXPECT_NEAR(mean, 1.0, 4.0 * error);
  EXPECT_LT(error, 0.2);
  EXPECT_GT(accepted, count / 5);
  EXPECT_LT(accepted, count - count / 20);
}

TEST(HybridMonteCarlo, SaysWhatIsWrong) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  const auto action = gauge();
  KAON_EXPECT_ERROR(HybridMonteCarlo({}), "at least one time scale");
  KAON_EXPECT_ERROR(HybridMonteCarlo({{{}, 3}}), "time scale 0 has no term");
  KAON_EXPECT_ERROR(HybridMonteCarlo({{{action}, 0}}), "time scale 0 has 0 steps");
  KAON_EXPECT_ERROR(HybridMonteCarlo({{{nullptr}, 1}}), "null pointer");
  KAON_EXPECT_ERROR(HybridMonteCarlo({{{action}, 3}, {{action}, 2}}), "there twice: gauge action, beta = 5.6");
  KAON_EXPECT_ERROR(HybridMonteCarlo({{{action}, 3}}, {.length = 0.0}), "cannot have the length 0");
  HybridMonteCarlo hmc({{{action}, 3}});
  GaugeField<double> zero(lattice), compressed(rough_links(lattice), LinkStorage::two_rows);
  KAON_EXPECT_ERROR(hmc.trajectory(zero, 0), "hybrid Monte Carlo");
  KAON_EXPECT_ERROR(hmc.trajectory(compressed, 0), "18");
  const auto counted = std::make_shared<Counted>();
  counted->action = std::numeric_limits<double>::quiet_NaN();
  HybridMonteCarlo broken({{{counted}, 1}});
  GaugeField<double> links = rough_links(lattice);
  const auto before = links.to_host();
  KAON_EXPECT_ERROR(broken.trajectory(links, 0), "trajectory 0: the energy goes from ");
  EXPECT_EQ(links.to_host(), before);
  KAON_EXPECT_ERROR(hmc.trajectory(links, 0xffffffffu), "has no random numbers");
}

// `reunitarize` would make other links of these.
TEST(HybridMonteCarlo, RefusesLinksThatAreUnitaryOnly) {
  HybridMonteCarlo hmc({{{gauge()}, 3}}, {.length = 1e-4});
  GaugeField<double> links = rough_links(Lattice({.extents = {4, 4, 4, 4}}));
  fold_staggered_phases(links);
  const auto before = links.to_host();
  KAON_EXPECT_ERROR(hmc.trajectory(links, 0), "hybrid Monte Carlo needs links in SU(3)");
  KAON_EXPECT_ERROR((void)hmc.reverse(links, 0), "take staggered phases out by `fold_staggered_phases`");
  EXPECT_EQ(links.to_host(), before);
}

// A term that could not start has nothing of these links, and reports it again.
TEST(HybridMonteCarlo, FailsAsOftenAsItsTermsCannotBegin) {
  GaugeField<double> links = unit_links<double>(Lattice({.extents = {4, 4, 4, 4}}));
  const FermionParameters impossible{.action = FermionAction::wilson_clover, .mass = -4.0, .csw = 1.0};
  const std::shared_ptr<ActionTerm> terms[] = {
      two_flavor_terms(impossible)[0], std::make_shared<RationalWilsonAction>(impossible),
      std::make_shared<RationalStaggeredAction>(std::vector<StaggeredPseudofermion>{{.quarks = {{0.1, 2.0}}}},
                                                RationalStaggeredParameters{.links = StaggeredLinks::hisq})};
  for (const auto& term : terms) {
    SCOPED_TRACE(term->name());
    HybridMonteCarlo hmc({{{term}, 1}, {{gauge()}, 1}});
    for (int time = 0; time < 2; ++time) {
      try {
        (void)hmc.trajectory(links, 0);
        ADD_FAILURE() << "no error";
      } catch (const TrajectoryError& error) {
        ADD_FAILURE() << error.what();  // for errors during a trajectory
      } catch (const Error& error) {
        const std::string text = error.what();
        EXPECT_TRUE(text.find("no kappa") != text.npos || text.find("reach = 3") != text.npos) << text;
      }
    }
  }
}

/// A term that fails during a trajectory, for any links.
struct Failing final : ActionTerm {
  std::string name() const override { return "failing"; }
  double draw(const GaugeField<double>&, const RandomKey&) override { return 0.0; }
  double value(const GaugeField<double>&) override { return 0.0; }
  void add_force(GaugeField<double>&, const GaugeField<double>&) override { throw Error("no force here"); }
};

TEST(HybridMonteCarlo, SaysWhetherStepsAreTooLarge) {
  GaugeField<double> links = unit_links<double>(Lattice({.extents = {4, 4, 4, 4}}));
  const auto failure_of = [&](HybridMonteCarlo hmc) -> std::optional<TrajectoryFailure> {
    try {
      (void)hmc.trajectory(links, 0);
    } catch (const TrajectoryError& error) {
      return error.failure();
    }
    return {};
  };
  EXPECT_EQ(failure_of(HybridMonteCarlo({{{gauge()}, 1}}, {.length = 1e30})), TrajectoryFailure::steps);
  EXPECT_EQ(failure_of(HybridMonteCarlo({{{quarks()}, 1}, {{gauge()}, 1}}, {.length = 1e30})),
            TrajectoryFailure::steps);
  EXPECT_EQ(failure_of(HybridMonteCarlo({{{std::make_shared<Failing>()}, 1}})), TrajectoryFailure::term);
}

TEST(LinkDifference, OfNaNIsInfinite) {
  GaugeField<double> a = rough_links(Lattice({.extents = {4, 4, 4, 4}})), b = a.clone();
  EXPECT_EQ(detail::largest_difference(a, b), 0.0);
  auto values = b.to_host();
  values[7] = std::numeric_limits<double>::quiet_NaN();
  b.from_host(values);
  EXPECT_TRUE(std::isinf(detail::largest_difference(a, b)));
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
