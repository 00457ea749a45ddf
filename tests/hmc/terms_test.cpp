// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/hmc/force_check.hpp"
#include "tests/hmc/quark_cases.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/random.hpp>
#include <kaon/hmc/exact_one_flavor_action.hpp>
#include <kaon/hmc/rational_staggered_action.hpp>
#include <kaon/hmc/smeared_term.hpp>
#include <kaon/hmc/two_flavor_action.hpp>

#include <functional>
#include <memory>
#include <utility>

// The contract of all terms of quarks, by one table of terms.
namespace kaon::test {
namespace KAON_TEST_FILE {

struct TermCase {
  std::shared_ptr<FermionTerm> term;
  /// The part of S without pseudofermions, by the reference; null: it is not compared.
  std::function<double(const reference::Links&)> determinant = [](const reference::Links&) { return 0.0; };
  LatticeParameters lattice{.extents = extents};
};

/// -N ln |det A_o| of the reference, if S contains it.
auto determinant_of(const Quarks& quarks, double flavors) {
  return [quarks, flavors](const reference::Links& links) {
    return has_clover_term(quarks) ? -flavors * log_determinant(slow_operator(links, quarks), 1) : 0.0;
  };
}

/// Determinants, and their ratios for mu and mu' of a numerator.
void add_two_flavors(std::vector<TermCase>& all) {
  for (const Quarks& quarks : untwisted_quarks()) {
    for (const auto& [mu, numerator] : mu_of_two_flavors()) {
      const auto term = std::make_shared<TwoFlavorAction>(
          quarks.parameters, TwoFlavorParameters{.mu = mu, .numerator_mu = numerator, .solver = exact});
      all.push_back({.term = term});
      if (!numerator) all.back().determinant = determinant_of(quarks, 2.0);
    }
  }
  for (const Quarks& quarks : twisted_quarks()) {
    all.push_back({std::make_shared<TwoFlavorAction>(quarks.parameters, TwoFlavorParameters{.solver = exact}),
                   determinant_of(quarks, 2.0)});
  }
  for (const RatioCase& ratio : ratio_cases()) {
    all.push_back({std::make_shared<TwoFlavorRatioAction>(ratio.quarks.parameters, ratio.heavier.parameters, exact),
                   [of = determinant_of(ratio.quarks, 2.0), of_heavier = determinant_of(ratio.heavier, 2.0)](
                       const reference::Links& links) { return of(links) - of_heavier(links); }});
  }
  for (const auto& [b, c] : {std::pair{1.0, 0.0}, std::pair{1.5, 0.5}}) {
    all.push_back({.term = std::make_shared<TwoFlavorRatioAction>(walls(0.1, b, c), walls(1.0, b, c), exact)});
  }
}

void add_rational_functions(std::vector<TermCase>& all) {
  for (const Quarks& quarks : untwisted_quarks()) {
    all.push_back(
        {std::make_shared<RationalWilsonAction>(quarks.parameters, exact_rational()), determinant_of(quarks, 1.0)});
  }
  for (const auto& [flavors, b, c] : {std::tuple{1.0, 1.0, 0.0}, std::tuple{1.7, 1.5, 0.5}}) {
    all.push_back({.term = std::make_shared<RationalWilsonAction>(walls(0.1, b, c), exact_rational(flavors))});
  }
  for (const auto& [mu, epsilon] : {std::pair{0.3, 0.2}, std::pair{-0.1, 0.4}}) {
    for (const bool clover : {false, true}) {
      all.push_back({.term = std::make_shared<RationalWilsonAction>(doublet(mu, epsilon, clover), exact_rational())});
      if (clover) all.back().determinant = nullptr;
    }
  }
}

void add_others(std::vector<TermCase>& all) {
  for (const auto& [b, c] : {std::pair{1.0, 0.0}, std::pair{1.5, 0.5}, std::pair{1.3, 0.6}}) {
    const ExactOneFlavorParameters parameters{.range = SpectralRange{0.5, 20.0}, .error = 1e-11, .solver = exact};
    all.push_back({.term = std::make_shared<ExactOneFlavorAction>(walls(0.1, b, c), parameters)});
  }
  for (const StaggeredCase& staggered : staggered_cases()) {
    const LatticeParameters lattice{.extents = {4, 6, 4, 4}, .reach = 3};
    all.push_back({.term = std::make_shared<RationalStaggeredAction>(staggered.quarks, staggered.parameters),
                   .lattice = lattice});
  }
}

/// All terms, on native lanes and on one lane in turns: the forces of operators are tested to be the same in both.
std::vector<TermCase> all_terms() {
  std::vector<TermCase> all;
  add_two_flavors(all);
  add_rational_functions(all);
  add_others(all);
  for (std::size_t n = 0; n < all.size(); ++n) all[n].lattice.lanes = n % 2 == 0 ? Lanes::native : Lanes::single;
  return all;
}

TEST(Terms, HaveTheirDerivativeAsForce) {
  for (const auto& [term, determinant, lattice] : all_terms()) {
    SCOPED_TRACE(term->name());
    const GaugeField<double> links = rough_links(Lattice(lattice), lattice.reach == 3 ? 0.3 : 0.4);
    KAON_EXPECT_ERROR(term->value(links), "draw them first");
    term->draw(links, {.seed = 3});
    expect_force_is_derivative(*term, links, 1e-8);
  }
}

// Two levels of other numbers in each direction, and one in space alone.
TEST(Terms, HaveTheirDerivativeAsForceOnSmearedLinks) {
  const StoutSmearing smearings[] = {{{0.1, 0.12, 0.08, 0.11}, 2}, {{0.14, 0.14, 0.14, 0.0}, 1}};
  int number = 0;
  for (const auto& [term, determinant, lattice] : all_terms()) {
    SmearedTerm smeared(term, std::make_shared<SmearedLinks>(smearings[number++ % 2]));
    SCOPED_TRACE(smeared.name());
    const GaugeField<double> links = rough_links(Lattice(lattice), lattice.reach == 3 ? 0.3 : 0.4);
    smeared.draw(links, {.seed = 3});
    expect_force_is_derivative(smeared, links, 1e-9);
  }
}

// phi is drawn from exp(-S): S less the part without pseudofermions is |eta|^2, eta of variance 1.
TEST(Terms, AreWhatTheyWereDrawnFrom) {
  for (const auto& [term, determinant, lattice] : all_terms()) {
    SCOPED_TRACE(term->name());
    const Lattice on(lattice);
    const GaugeField<double> links = rough_links(on, 0.35), others = rough_links(on, 0.25);
    const double drawn = term->draw(links, {.seed = 3, .stream = 2});
    EXPECT_NEAR(term->value(links), drawn, 1e-9 * std::abs(drawn));
    EXPECT_GT(std::abs(term->value(others) - drawn), 1e-5 * std::abs(drawn));
    EXPECT_NEAR(term->value(links), drawn, 1e-9 * std::abs(drawn));
    EXPECT_GT(term->iterations(), 0);
    if (!determinant) continue;
    SpinorField<double> eta(on, term->pseudofermions().parameters());
    set_gaussian(eta, {.seed = 3, .stream = 2});
    double expected = determinant(links.to_host());
    for (const double norm2 : blas::norm2(eta)) expected += norm2;
    EXPECT_NEAR(drawn, expected, 1e-10 * std::abs(drawn));
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
