// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/hmc/force_check.hpp"
#include "tests/hmc/trajectory_check.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/random.hpp>
#include <kaon/hmc/gauge_action.hpp>
#include <kaon/hmc/two_flavor_ratio_action.hpp>

#include <kaon/operators/domain_wall.hpp>
#include <kaon/operators/normal.hpp>
#include <kaon/operators/schur.hpp>
#include <kaon/solvers/krylov.hpp>

#include <tuple>

// Two flavours of domain wall quarks are a ratio to Pauli-Villars fields, or a chain of ratios that ends there.
namespace kaon::test {
namespace KAON_TEST_FILE {

const SolveOptions exact{.tolerance = 1e-13, .force_tolerance = 1e-13};

FermionParameters quarks(double mass, double b = 1.5, double c = 0.5) {
  return {.action = FermionAction::domain_wall, .mass = mass, .m5 = 1.8, .slices = 4, .b = b, .c = c};
}

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
    TwoFlavorRatioAction action(quarks(0.1, b, c), quarks(1.0, b, c), exact);
    const double drawn = action.draw(links, {.seed = 3, .stream = 2});
    SpinorField<double> eta(lattice, {.subset = Subset::even, .slices = 4});
    set_gaussian(eta, {.seed = 3, .stream = 2});
    EXPECT_NEAR(drawn, blas::norm2(eta)[0], 1e-12 * drawn);
    EXPECT_NEAR(action.value(links), drawn, 1e-10 * drawn);
    const double expected = ratio(others, quarks(0.1, b, c), quarks(1.0, b, c), action.pseudofermions());
    EXPECT_NEAR(action.value(others), expected, 1e-10 * expected);
    EXPECT_GT(std::abs(expected - drawn), 1e-3 * drawn);
  }
}

TEST(DomainWallRatio, HasItsDerivativeAsForce) {
  for (const auto& [lanes, b, c] : {std::tuple{Lanes::native, 1.0, 0.0}, std::tuple{Lanes::single, 1.5, 0.5}}) {
    const GaugeField<double> links = rough_links(Lattice({.extents = {4, 2, 2, 4}, .lanes = lanes}));
    TwoFlavorRatioAction action(quarks(0.1, b, c), quarks(1.0, b, c), exact);
    action.draw(links, {.seed = 3});
    expect_force_is_derivative(action, links, 1e-8);
  }
}

// Two ratios, to a heavier mass and to Pauli-Villars: the change of the energy falls as the square of the step, and
// links come back.
TEST(DomainWallRatio, KeepsTheEnergyOfTrajectories) {
  const GaugeField<double> start = rough_links(Lattice({.extents = {4, 4, 4, 4}}), 0.3);
  expect_trajectories_keep_energy(start, [] {
    const SolveOptions solver{.tolerance = 1e-12, .force_tolerance = 1e-11};
    return std::vector<std::shared_ptr<ActionTerm>>{
        std::make_shared<TwoFlavorRatioAction>(quarks(0.1), quarks(0.4), solver),
        std::make_shared<TwoFlavorRatioAction>(quarks(0.4), quarks(1.0), solver), std::make_shared<GaugeAction>(5.0)};
  });
}

TEST(DomainWallRatio, IsNeverWithoutPauliVillars) {
  KAON_EXPECT_ERROR(TwoFlavorAction(quarks(0.1)), "TwoFlavorRatioAction");
  EXPECT_EQ(TwoFlavorRatioAction(quarks(0.1), quarks(1.0)).name(),
            "two flavours, mass = 0.1, M5 = 1.8, 4 slices, b = 1.5, c = 0.5, divided by those of mass = 1, M5 = 1.8, 4 "
            "slices, b = 1.5, c = 0.5");
}

TEST(DomainWallRatio, IsAChainDownToTheQuarks) {
  const double masses[] = {0.6, 0.3};
  std::vector<std::pair<double, double>> steps{{0.1, 0.3}, {0.3, 0.6}, {0.6, 1.0}};
  const auto terms = two_flavor_terms(quarks(0.1), masses);
  ASSERT_EQ(terms.size(), steps.size());
  for (std::size_t k = 0; k < steps.size(); ++k) {
    EXPECT_EQ(terms[k]->name(), TwoFlavorRatioAction(quarks(steps[k].first), quarks(steps[k].second)).name());
  }
  EXPECT_EQ(two_flavor_terms(quarks(0.1)).front()->name(), TwoFlavorRatioAction(quarks(0.1), quarks(1.0)).name());
  KAON_EXPECT_ERROR(two_flavor_terms(quarks(0.4), masses), "masses 0.4 and 0.3: the second one must be larger");
  KAON_EXPECT_ERROR(two_flavor_terms(quarks(1.0)), "masses 1 and 1: the second one must be larger");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
