// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/hmc/force_check.hpp"
#include "tests/hmc/quark_cases.hpp"
#include "tests/reference/schur.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/hmc/gauge_action.hpp>
#include <kaon/hmc/hybrid_monte_carlo.hpp>
#include <kaon/hmc/two_flavor_action.hpp>
#include <kaon/operators/domain_wall.hpp>
#include <kaon/operators/normal.hpp>
#include <kaon/operators/schur.hpp>
#include <kaon/solvers/krylov.hpp>

#include <memory>
#include <utility>
#include <vector>

namespace kaon::test {
namespace KAON_TEST_FILE {

/// An action and its quarks.
struct ActionCase {
  Quarks quarks;
  TwoFlavorParameters parameters;
};

std::vector<ActionCase> all_cases() {
  std::vector<ActionCase> found;
  for (const Quarks& quarks : untwisted_quarks()) {
    for (const auto& [mu, numerator] : mu_of_two_flavors()) {
      found.push_back({quarks, {.mu = mu, .numerator_mu = numerator, .solver = exact}});
    }
  }
  for (const Quarks& quarks : twisted_quarks()) found.push_back({quarks, {.solver = exact}});
  return found;
}

TEST(TwoFlavorAction, IsThatOfTheReference) {
  const Lattice lattice({.extents = extents});
  const GaugeField<double> links = rough_links(lattice), others = rough_links(lattice, 0.3);
  for (const auto& [quarks, parameters] : all_cases()) {
    TwoFlavorAction action(quarks.parameters, parameters);
    action.draw(links, {.seed = 3});
    const reference::Spinor phi = action.pseudofermions().to_host();
    const reference::WilsonOperator slow = slow_operator(others.to_host(), quarks);
    const double mu2 = parameters.mu * parameters.mu;
    double expected = 0.0;
    if (parameters.numerator_mu) {
      const double difference = *parameters.numerator_mu * *parameters.numerator_mu - mu2;
      for (const auto& z : phi) expected += std::norm(z);
      expected += pseudofermion_action(slow, 0, {{difference, mu2}}, phi);
    } else {
      expected = pseudofermion_action(slow, 0, {{1.0, mu2}}, phi);
      if (has_clover_term(quarks)) expected -= 2.0 * log_determinant(slow, 1);
    }
    EXPECT_NEAR(action.value(others), expected, 1e-10 * std::abs(expected)) << action.name();
  }
}

// Each mu is below once and above once, so that the product is det(M)^2.
TEST(TwoFlavorAction, IsSplitIntoRatiosOfFallingMu) {
  const FermionParameters clover{.action = FermionAction::wilson_clover, .mass = 0.1, .csw = 1.0};
  const std::vector<double> mu{0.8, 0.2};
  const auto terms = two_flavor_terms(clover, mu);
  ASSERT_EQ(terms.size(), 3u);
  EXPECT_EQ(terms[0]->name(), "two flavours, mass = 0.1, c_sw = 1, mu = 0.2 over 0");
  EXPECT_EQ(terms[1]->name(), "two flavours, mass = 0.1, c_sw = 1, mu = 0.8 over 0.2");
  EXPECT_EQ(terms[2]->name(), "two flavours, mass = 0.1, c_sw = 1, mu = 0.8");
  EXPECT_EQ(two_flavor_terms({.mass = 0.1}).size(), 1u);
}

// Lower precisions and other methods lead to the same numbers.
TEST(TwoFlavorAction, IsSolvedByEveryMethod) {
  const Lattice lattice({.extents = {8, 4, 4, 8}});
  const GaugeField<double> links = rough_links(lattice, 0.2), others = rough_links(lattice, 0.25);
  const FermionParameters quarks{.action = FermionAction::wilson_clover, .mass = 0.05, .csw = 1.0};
  TwoFlavorAction expected(quarks, {.solver = exact});
  for (const KrylovMethod method : {KrylovMethod::automatic, KrylovMethod::multigrid, KrylovMethod::cgnr}) {
    for (const InnerPrecision inner : {InnerPrecision::half, InnerPrecision::single}) {
      TwoFlavorAction action(quarks, {.solver = {.method = method, .inner = inner}});
      expect_same(action, expected, links, others, 1e-11, 1e-6);
    }
  }
}

// Multigrid reuses its levels from step to step and refreshes them: links move as they do without it, and back again.
TEST(TwoFlavorAction, MovesLinksAlikeByEveryMethod) {
  const GaugeField<double> start = rough_links(Lattice({.extents = {8, 4, 4, 8}}), 0.2);
  const FermionParameters quarks{.action = FermionAction::wilson_clover, .mass = 0.1, .csw = 1.0};
  std::vector<double> changes;
  for (const KrylovMethod method : {KrylovMethod::bicgstab, KrylovMethod::automatic, KrylovMethod::multigrid}) {
    SCOPED_TRACE(entry_of(method).word);
    const TwoFlavorParameters solves{.solver = {.tolerance = 1e-11, .force_tolerance = 1e-11, .method = method}};
    HybridMonteCarlo hmc(
        {{{std::make_shared<TwoFlavorAction>(quarks, solves)}, 3}, {{std::make_shared<GaugeAction>(5.6)}, 2}},
        {.length = 0.2, .seed = 5, .accept_all = true, .forecast = 2});
    EXPECT_LT(hmc.reverse(start, 1).links, 1e-8);
    GaugeField<double> links = start.clone();
    changes.push_back(hmc.trajectory(links, 1).delta_energy);
  }
  for (const double change : changes) EXPECT_NEAR(change, changes[0], 1e-5);
}

TEST(TwoFlavorAction, SaysWhatIsWrong) {
  const Lattice lattice({.extents = extents});
  const GaugeField<double> links = rough_links(lattice);
  KAON_EXPECT_ERROR(TwoFlavorAction({.mass = std::nan("")}), "not the mass nan");
  KAON_EXPECT_ERROR(TwoFlavorAction({.action = FermionAction::staggered}), "a rational function");
  KAON_EXPECT_ERROR(TwoFlavorAction({.action = FermionAction::twisted_mass, .mu = 0.1}, {.mu = 0.2}),
                    "take TwoFlavorRatioAction for ratios");
  KAON_EXPECT_ERROR(TwoFlavorAction({}, {.mu = -0.1}), "mu = -0.1 of two flavours");
  KAON_EXPECT_ERROR(TwoFlavorAction({}, {.solver = {.force_tolerance = std::nan("")}}), "the tolerance nan");
  KAON_EXPECT_ERROR(TwoFlavorAction({}, {.solver = {.max_iterations = 0}}), "need iterations, not 0");
  KAON_EXPECT_ERROR(TwoFlavorAction({}, {.mu = 0.3, .numerator_mu = 0.2}), "the upper one must be larger");
  KAON_EXPECT_ERROR(two_flavor_terms({}, std::vector<double>{0.1, 0.5}), "the upper one must be larger");
  TwoFlavorAction hasty({.mass = -0.9}, {.solver = {.max_iterations = 2}});
  hasty.draw(links, {.seed = 1});
  KAON_EXPECT_ERROR(hasty.value(links), "iterations");
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
  for (const RatioCase& ratio : ratio_cases()) {
    TwoFlavorRatioAction action(ratio.quarks.parameters, ratio.heavier.parameters, exact);
    action.draw(links, {.seed = 3});
    const reference::Spinor chi = reference::schur_asymmetric_dagger(slow_operator(others.to_host(), ratio.heavier),
                                                                     action.pseudofermions().to_host(), 0);
    const double expected = pseudofermion_action(slow_operator(others.to_host(), ratio.quarks), 0, {{1.0, 0.0}}, chi) +
                            determinant(ratio, others.to_host());
    EXPECT_NEAR(action.value(others), expected, 1e-10 * std::abs(expected)) << action.name();
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

TEST(TwoFlavorRatio, SaysWhatIsWrong) {
  const Lattice lattice({.extents = extents});
  const GaugeField<double> links = rough_links(lattice);
  KAON_EXPECT_ERROR(TwoFlavorRatioAction({.mass = std::nan("")}, {}), "not the mass nan");
  KAON_EXPECT_ERROR(TwoFlavorRatioAction({}, {.mu = INFINITY}), "mu = inf");
  KAON_EXPECT_ERROR(TwoFlavorRatioAction({}, {.action = FermionAction::staggered}), "a rational function");
  KAON_EXPECT_ERROR(TwoFlavorRatioAction({}, {}, {.tolerance = 2.0}), "the tolerance 2");
  KAON_EXPECT_ERROR(two_flavor_terms(twisted_clover(), std::vector<double>{0.3, 0.9}), "0.9 and 0.3");
  KAON_EXPECT_ERROR(two_flavor_terms(twisted_clover(), std::vector<double>{0.05}), "the second one must be larger");
  TwoFlavorRatioAction hasty({.mass = -0.9}, {.mass = -0.5}, {.max_iterations = 2});
  KAON_EXPECT_ERROR(hasty.draw(links, {.seed = 1}), "iterations");
}

// Two flavours of domain wall quarks are a ratio to Pauli-Villars fields, or a chain of ratios that ends there.

DomainWall<double> made(const GaugeField<double>& links, const FermionParameters& p) {
  return DomainWall<double>(links, {.mass = p.mass, .m5 = p.m5, .slices = p.slices, .b = p.b, .c = p.c});
}

/// <N'^dag phi, (N^dag N)^-1 N'^dag phi>, N the asymmetric Schur complements.
double ratio(const GaugeField<double>& links, const FermionParameters& light, const FermionParameters& heavy,
             const SpinorField<double>& phi) {
  const SchurParameters even{SchurForm::asymmetric, Parity::even};
  SpinorField<double> chi(phi.lattice(), phi.parameters()), x(phi.lattice(), phi.parameters());
  Schur<double>(made(links, heavy), even).apply_dagger(chi, phi);
  const Schur<double> below(made(links, light), even);
  require_converged(Cg<double>(NormalOperator<double>(below), {.tolerance = 1e-13}).solve(x, chi));
  return blas::inner_product(chi, x)[0].real();
}

TEST(DomainWallRatio, IsTheRatioOfTheOperators) {
  const Lattice lattice({.extents = {4, 2, 2, 4}});
  const GaugeField<double> links = rough_links(lattice), others = rough_links(lattice, 0.3);
  for (const auto& [b, c] : {std::pair{1.0, 0.0}, std::pair{1.5, 0.5}}) {
    TwoFlavorRatioAction action(walls(0.1, b, c), walls(1.0, b, c), exact);
    action.draw(links, {.seed = 3, .stream = 2});
    const double expected = ratio(others, walls(0.1, b, c), walls(1.0, b, c), action.pseudofermions());
    EXPECT_NEAR(action.value(others), expected, 1e-10 * expected);
  }
}

TEST(DomainWallRatio, IsNeverWithoutPauliVillars) {
  KAON_EXPECT_ERROR(TwoFlavorAction(walls(0.1)), "TwoFlavorRatioAction");
  EXPECT_EQ(TwoFlavorRatioAction(walls(0.1), walls(1.0)).name(),
            "two flavours, mass = 0.1, M5 = 1.8, 4 slices, b = 1.5, c = 0.5, divided by those of mass = 1, M5 = 1.8, 4 "
            "slices, b = 1.5, c = 0.5");
}

TEST(DomainWallRatio, IsAChainDownToTheQuarks) {
  const double masses[] = {0.6, 0.3};
  std::vector<std::pair<double, double>> steps{{0.1, 0.3}, {0.3, 0.6}, {0.6, 1.0}};
  const auto terms = two_flavor_terms(walls(0.1), masses);
  ASSERT_EQ(terms.size(), steps.size());
  for (std::size_t k = 0; k < steps.size(); ++k) {
    EXPECT_EQ(terms[k]->name(), TwoFlavorRatioAction(walls(steps[k].first), walls(steps[k].second)).name());
  }
  EXPECT_EQ(two_flavor_terms(walls(0.1)).front()->name(), TwoFlavorRatioAction(walls(0.1), walls(1.0)).name());
  KAON_EXPECT_ERROR(two_flavor_terms(walls(0.4), masses), "masses 0.4 and 0.3: the second one must be larger");
  KAON_EXPECT_ERROR(two_flavor_terms(walls(1.0)), "masses 1 and 1: the second one must be larger");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
