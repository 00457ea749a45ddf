// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/hmc/force_check.hpp"
#include "tests/hmc/quark_cases.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/gauge/unitarity.hpp>
#include <kaon/hmc/two_flavor_action.hpp>

namespace kaon::test {
namespace KAON_TEST_FILE {

/// Solves to rounding.
const SolveOptions exact{
    .tolerance = 1e-13, .force_tolerance = 1e-13, .method = KrylovMethod::bicgstab, .inner = InnerPrecision::outer};

/// mu, and mu' of the numerator.
std::vector<TwoFlavorParameters> all_ratios() {
  return {{.mu = 0.0, .solver = exact},
          {.mu = 0.4, .solver = exact},
          {.mu = 0.0, .numerator_mu = 0.4, .solver = exact},
          {.mu = 0.4, .numerator_mu = 0.9, .solver = exact}};
}

/// An action and its quarks.
struct ActionCase {
  Quarks quarks;
  TwoFlavorParameters parameters;
};

std::vector<ActionCase> all_cases() {
  std::vector<ActionCase> found;
  for (const Quarks& quarks : untwisted_quarks()) {
    for (const TwoFlavorParameters& parameters : all_ratios()) found.push_back({quarks, parameters});
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

TEST(TwoFlavorAction, HasItsDerivativeAsForce) {
  std::size_t number = 0;
  for (const auto& [quarks, parameters] : all_cases()) {
    const GaugeField<double> links = rough_links(Lattice({.extents = extents, .lanes = lanes_of_case(number++)}));
    TwoFlavorAction action(quarks.parameters, parameters);
    action.draw(links, {.seed = 3});
    expect_force_is_derivative(action, links, 1e-8);
  }
}

// phi is drawn from exp(-S): S - (that of the determinant) = |eta|^2, eta of variance 1.
TEST(TwoFlavorAction, IsWhatItWasDrawnFrom) {
  const Lattice lattice({.extents = extents});
  const GaugeField<double> links = rough_links(lattice);
  for (const auto& [quarks, parameters] : all_cases()) {
    TwoFlavorAction action(quarks.parameters, parameters);
    const double drawn = action.draw(links, {.seed = 3, .stream = 2});
    EXPECT_NEAR(action.value(links), drawn, 1e-10 * std::abs(drawn)) << action.name();
    SpinorField<double> eta(lattice, {.subset = Subset::even});
    set_gaussian(eta, {.seed = 3, .stream = 2});
    const bool has_determinant = has_clover_term(quarks) && !parameters.numerator_mu;
    const double determinant =
        has_determinant ? -2.0 * log_determinant(slow_operator(links.to_host(), quarks), 1) : 0.0;
    EXPECT_NEAR(drawn, blas::norm2(eta)[0] + determinant, 1e-10 * std::abs(drawn)) << action.name();
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
  expected.draw(links, {.seed = 3});
  GaugeField<double> matrices(lattice);
  expected.add_force(matrices, others);
  const reference::Links v = matrices.to_host();
  for (const KrylovMethod method : {KrylovMethod::automatic, KrylovMethod::multigrid, KrylovMethod::cgnr}) {
    for (const InnerPrecision inner : {InnerPrecision::half, InnerPrecision::single}) {
      TwoFlavorAction action(quarks, {.solver = {.method = method, .inner = inner}});
      action.draw(links, {.seed = 3});
      EXPECT_NEAR(action.value(others), expected.value(others), 1e-7);
      GaugeField<double> found(lattice);
      action.add_force(found, others);
      const reference::Links w = found.to_host();
      double difference = 0.0, norm2 = 0.0;
      for (std::size_t k = 0; k < v.size(); ++k) {
        difference += std::norm(v[k] - w[k]);
        norm2 += std::norm(v[k]);
      }
      EXPECT_LT(std::sqrt(difference / norm2), 1e-6);
      EXPECT_GT(action.iterations(), 0);
    }
  }
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
  TwoFlavorAction action({.mass = 0.1});
  KAON_EXPECT_ERROR(action.value(links), "draw them first");
  TwoFlavorAction hasty({.mass = -0.9}, {.solver = {.max_iterations = 2}});
  hasty.draw(links, {.seed = 1});
  KAON_EXPECT_ERROR(hasty.value(links), "iterations");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
