// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/hmc/force_check.hpp"
#include "tests/hmc/quark_cases.hpp"
#include "tests/reference/domain_wall.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/hmc/rational_wilson_action.hpp>
#include <kaon/hmc/two_flavor_action.hpp>

#include <numbers>

// |det M| of a twisted doublet, by a rational function of both flavours.
namespace kaon::test {
namespace KAON_TEST_FILE {

/// S of one flavour by the slow reference: the sum over the partial fractions of f, and the determinant.
double slow_value(const reference::Links& links, const FermionParameters& p, double mass, double mu, double flavors,
                  const PartialFractions& f, const reference::Spinor& phi) {
  const bool clover = p.action == FermionAction::twisted_clover_doublet;
  const reference::WilsonOperator slow(
      links, extents, reference_parameters(TwistedCase{{"", clover, {mass, p.csw, {}, p.anisotropy, p.boundary}}, mu}));
  std::vector<reference::RationalTerm> terms;
  for (std::size_t i = 0; i < f.shifts.size(); ++i) terms.push_back({f.residues[i], f.shifts[i]});
  const double determinant = clover ? flavors * log_determinant(slow, 1) : 0.0;
  return f.constant * reference::norm2(phi) + pseudofermion_action(slow, 0, terms, phi) - determinant;
}

// Limits: epsilon = 0 makes twisted masses of +mu and -mu, mu = 0 makes two masses m - epsilon and m + epsilon.
TEST(TwistedDoubletAction, IsThatOfTwoFlavorsOfTheReference) {
  const Lattice lattice({.extents = extents});
  const GaugeField<double> links = rough_links(lattice), others = rough_links(lattice, 0.3);
  for (const bool clover : {false, true}) {
    for (const double doublets : {1.0, 0.5}) {
      for (const auto& [mu, epsilon] : {std::pair{0.3, 0.0}, std::pair{0.0, 0.15}}) {
        const FermionParameters p = doublet(mu, epsilon, clover);
        RationalWilsonAction action(p, exact_rational(doublets));
        action.draw(links, {.seed = 3});
        reference::Slices phi = reference::cut(action.pseudofermions().to_host(), 2);
        if (mu == 0.0) {
          const double half = 1.0 / std::numbers::sqrt2;
          const reference::Spinor zero(phi[0].size()), first = phi[0];
          phi[0] = reference::add(reference::add(zero, half, first), half, phi[1]);
          phi[1] = reference::add(reference::add(zero, half, first), -half, phi[1]);
        }
        double expected = 0.0;
        for (const double sign : {1.0, -1.0}) {
          expected += slow_value(others.to_host(), p, p.mass - sign * epsilon, sign * mu, doublets,
                                 action.functions().force, phi[sign > 0.0 ? 0 : 1]);
        }
        EXPECT_NEAR(action.value(others), expected, 1e-9 * std::abs(expected)) << action.name();
      }
    }
  }
}

TEST(TwistedDoubletAction, HasANameAndIsNoSquare) {
  EXPECT_EQ(RationalWilsonAction(doublet(0.3, 0.2, true)).name(),
            "one doublet, mass = 0.2, twisted mass = 0.3, epsilon = 0.2, c_sw = 1.1, rational");
  KAON_EXPECT_ERROR(RationalWilsonAction(doublet(0.3, std::nan(""), true)), "epsilon = nan");
  KAON_EXPECT_ERROR(TwoFlavorAction(doublet(0.3, 0.2, true)), "take RationalWilsonAction");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
