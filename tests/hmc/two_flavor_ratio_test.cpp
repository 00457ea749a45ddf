// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/hmc/force_check.hpp"
#include "tests/hmc/quark_cases.hpp"
#include "tests/reference/schur.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/hmc/gauge_action.hpp>
#include <kaon/hmc/hybrid_monte_carlo.hpp>
#include <kaon/hmc/two_flavor_ratio_action.hpp>

namespace kaon::test {
namespace KAON_TEST_FILE {

/// Solves to rounding.
const SolveOptions exact{.tolerance = 1e-13, .force_tolerance = 1e-13, .inner = InnerPrecision::outer};

/// Quarks and heavier ones.
struct RatioCase {
  Quarks quarks, heavier;
};

/// Twisted masses as in chains of ratios; and masses of quarks without twist, whose operators have other hops' scales.
std::vector<RatioCase> all_cases() {
  std::vector<RatioCase> found;
  for (const Quarks& quarks : twisted_quarks()) {
    RatioCase ratio{quarks, quarks};
    ratio.heavier.parameters.mu = ratio.heavier.slow.twisted_mass = 1.1;
    found.push_back(ratio);
  }
  for (const Quarks& quarks : untwisted_quarks()) {
    RatioCase ratio{quarks, quarks};
    ratio.heavier.parameters.mass += 0.7;
    ratio.heavier.slow.mass += 0.7;
    found.push_back(ratio);
  }
  return found;
}

/// - 2 ln |det A_o| + 2 ln |det A'_o| of the reference, if it is part of S.
double determinant(const RatioCase& ratio, const reference::Links& links) {
  if (!has_clover_term(ratio.quarks)) return 0.0;
  return 2.0 * (log_determinant(slow_operator(links, ratio.heavier), 1) -
                log_determinant(slow_operator(links, ratio.quarks), 1));
}

TEST(TwoFlavorRatio, IsThatOfTheReference) {
  const Lattice lattice({.extents = extents});
  const GaugeField<double> links = rough_links(lattice), others = rough_links(lattice, 0.3);
  for (const RatioCase& ratio : all_cases()) {
    TwoFlavorRatioAction action(ratio.quarks.parameters, ratio.heavier.parameters, exact);
    action.draw(links, {.seed = 3});
    const reference::Spinor chi = reference::schur_asymmetric_dagger(slow_operator(others.to_host(), ratio.heavier),
                                                                     action.pseudofermions().to_host(), 0);
    const double expected = pseudofermion_action(slow_operator(others.to_host(), ratio.quarks), 0, {{1.0, 0.0}}, chi) +
                            determinant(ratio, others.to_host());
    EXPECT_NEAR(action.value(others), expected, 1e-10 * std::abs(expected)) << action.name();
  }
}

TEST(TwoFlavorRatio, HasItsDerivativeAsForce) {
  std::size_t number = 0;
  for (const RatioCase& ratio : all_cases()) {
    const GaugeField<double> links = rough_links(Lattice({.extents = extents, .lanes = lanes_of_case(number++)}));
    TwoFlavorRatioAction action(ratio.quarks.parameters, ratio.heavier.parameters, exact);
    action.draw(links, {.seed = 3});
    expect_force_is_derivative(action, links, 1e-8);
  }
}

// phi is drawn from exp(-S): S - (that of the determinants) = |eta|^2, eta of variance 1.
TEST(TwoFlavorRatio, IsWhatItWasDrawnFrom) {
  const Lattice lattice({.extents = extents});
  const GaugeField<double> links = rough_links(lattice);
  for (const RatioCase& ratio : all_cases()) {
    TwoFlavorRatioAction action(ratio.quarks.parameters, ratio.heavier.parameters, exact);
    const double drawn = action.draw(links, {.seed = 3, .stream = 2});
    EXPECT_NEAR(action.value(links), drawn, 1e-10 * std::abs(drawn)) << action.name();
    SpinorField<double> eta(lattice, {.subset = Subset::even});
    set_gaussian(eta, {.seed = 3, .stream = 2});
    EXPECT_NEAR(drawn, blas::norm2(eta)[0] + determinant(ratio, links.to_host()), 1e-10 * std::abs(drawn));
  }
}

// Quarks over themselves are no determinant at all: S = |phi|^2, without a force.
TEST(TwoFlavorRatio, OfEqualQuarksIsTrivial) {
  const Lattice lattice({.extents = extents});
  const GaugeField<double> links = rough_links(lattice), others = rough_links(lattice, 0.3);
  for (const Quarks& quarks : twisted_quarks()) {
    TwoFlavorRatioAction action(quarks.parameters, quarks.parameters, exact);
    TwoFlavorAction plain(quarks.parameters, {.solver = exact});
    const double drawn = action.draw(links, {.seed = 3});
    EXPECT_NEAR(action.value(others), drawn, 1e-10 * drawn);
    plain.draw(links, {.seed = 3});
    GaugeField<double> matrices(lattice), of_plain(lattice), change(lattice), of_change(lattice);
    action.add_force(matrices, others);
    plain.add_force(of_plain, others);
    kick_momenta(change, matrices, 1.0);
    kick_momenta(of_change, of_plain, 1.0);
    double largest = 0.0, of_largest = 0.0;
    for (const auto& z : change.to_host()) largest = std::max(largest, std::abs(z));
    for (const auto& z : of_change.to_host()) of_largest = std::max(of_largest, std::abs(z));
    EXPECT_LT(largest, 1e-10 * of_largest);
  }
}

FermionParameters twisted_clover() {
  return {.action = FermionAction::twisted_clover, .mass = 0.05, .mu = 0.05, .csw = 1.0};
}

TEST(TwoFlavorRatio, SplitsTheDeterminantOfTwistedQuarks) {
  const auto terms = two_flavor_terms(twisted_clover(), std::vector<double>{0.9, 0.3});
  ASSERT_EQ(terms.size(), 3u);
  EXPECT_EQ(terms[0]->name(),
            "two flavours, mass = 0.05, twisted mass = 0.05, c_sw = 1, divided by those of mass = 0.05, "
            "twisted mass = 0.3, c_sw = 1");
  EXPECT_EQ(terms[1]->name(),
            "two flavours, mass = 0.05, twisted mass = 0.3, c_sw = 1, divided by those of mass = 0.05, "
            "twisted mass = 0.9, c_sw = 1");
  EXPECT_EQ(terms[2]->name(), "two flavours, mass = 0.05, twisted mass = 0.9, c_sw = 1");
  // The determinants of all terms are that of the whole: S without pseudofermions.
  const Lattice lattice({.extents = extents});
  const GaugeField<double> links = rough_links(lattice);
  SpinorField<double> eta(lattice, {.subset = Subset::even});
  set_gaussian(eta, {.seed = 3});
  double sum = 0.0;
  for (const auto& term : terms) sum += term->draw(links, {.seed = 3}) - blas::norm2(eta)[0];
  const double whole = TwoFlavorAction(twisted_clover()).draw(links, {.seed = 3}) - blas::norm2(eta)[0];
  EXPECT_NEAR(sum, whole, 1e-10 * std::abs(whole));
}

// The change of the energy falls as the square of the step, and links come back.
TEST(TwoFlavorRatio, KeepsTheEnergyOfTrajectories) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  const GaugeField<double> start = rough_links(lattice, 0.3);
  std::vector<double> changes;
  for (const int steps : {8, 16}) {
    auto terms = two_flavor_terms(twisted_clover(), std::vector<double>{0.9, 0.3},
                                  {.tolerance = 1e-12, .force_tolerance = 1e-11});
    terms.push_back(std::make_shared<GaugeAction>(5.0));
    HybridMonteCarlo hmc({{.terms = terms, .steps = steps, .integrator = Integrator::leapfrog}},
                         {.length = 0.5, .seed = 3});
    GaugeField<double> links = start.clone();
    const TrajectoryReport report = hmc.trajectory(links, 1);
    EXPECT_GT(report.iterations, 0);
    changes.push_back(report.delta_energy);
    if (steps > 8) continue;
    const Reversal back = hmc.reverse(start, 1);
    EXPECT_LT(back.links, 1e-9);
    EXPECT_LT(std::abs(back.delta_energy), 1e-6);
  }
  EXPECT_NEAR(changes[0] / changes[1], 4.0, 0.4);
  EXPECT_GT(std::abs(changes[1]), 1e-6);
}

TEST(TwoFlavorRatio, SaysWhatIsWrong) {
  const Lattice lattice({.extents = extents});
  const GaugeField<double> links = rough_links(lattice);
  KAON_EXPECT_ERROR(TwoFlavorRatioAction({.mass = std::nan("")}, {}), "not the mass nan");
  KAON_EXPECT_ERROR(TwoFlavorRatioAction({}, {.mu = INFINITY}), "mu = inf");
  KAON_EXPECT_ERROR(TwoFlavorRatioAction({}, {.action = FermionAction::staggered}), "a rational function");
  KAON_EXPECT_ERROR(TwoFlavorRatioAction({}, {}, {.tolerance = 2.0}), "the tolerance 2");
  KAON_EXPECT_ERROR(two_flavor_terms(twisted_clover(), std::vector<double>{0.3, 0.9}), "0.9 and 0.3");
  KAON_EXPECT_ERROR(two_flavor_terms(twisted_clover(), std::vector<double>{0.05}), "the second one must be larger");
  TwoFlavorRatioAction action({.mass = 0.1}, {.mass = 0.5});
  KAON_EXPECT_ERROR(action.value(links), "draw them first");
  TwoFlavorRatioAction hasty({.mass = -0.9}, {.mass = -0.5}, {.max_iterations = 2});
  KAON_EXPECT_ERROR(hasty.draw(links, {.seed = 1}), "iterations");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
