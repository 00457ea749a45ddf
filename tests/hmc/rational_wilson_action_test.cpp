// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/hmc/force_check.hpp"
#include "tests/hmc/quark_cases.hpp"
#include "tests/reference/vectors.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/hmc/rational_wilson_action.hpp>
#include <kaon/operators/domain_wall.hpp>
#include <kaon/operators/normal.hpp>
#include <kaon/operators/schur.hpp>
#include <kaon/solvers/krylov.hpp>

#include <tuple>

namespace kaon::test {
namespace KAON_TEST_FILE {

// On the links of another field S is the reference's sum over the partial fractions of f, and the determinant; f =
// |value|^2 to the errors of both.
TEST(RationalWilsonAction, IsThatOfTheReference) {
  const Lattice lattice({.extents = extents});
  const GaugeField<double> links = rough_links(lattice), others = rough_links(lattice, 0.3);
  for (const Quarks& quarks : untwisted_quarks()) {
    for (const double flavors : {1.0, 0.5, 1.5}) {
      RationalWilsonAction action(quarks.parameters, exact_rational(flavors));
      action.draw(links, {.seed = 3});
      const reference::Spinor phi = action.pseudofermions().to_host();
      const reference::WilsonOperator slow = slow_operator(others.to_host(), quarks);
      const PartialFractions& f = action.functions().force;
      std::vector<reference::RationalTerm> terms;
      for (std::size_t i = 0; i < f.shifts.size(); ++i) terms.push_back({f.residues[i], f.shifts[i]});
      double expected = f.constant * reference::norm2(phi) + pseudofermion_action(slow, 0, terms, phi);
      if (has_clover_term(quarks)) expected -= flavors * log_determinant(slow, 1);
      EXPECT_NEAR(action.value(others), expected, 1e-9 * std::abs(expected)) << action.name();
    }
  }
}

// phi = x^(1/4) eta with x = N^dag N of the reference: S by another rational function, of x^(-1/2), is |eta|^2.
TEST(RationalWilsonAction, DrawsWithTheRootOfTheMatrix) {
  const Lattice lattice({.extents = extents});
  const GaugeField<double> links = rough_links(lattice);
  for (const Quarks& quarks : untwisted_quarks()) {
    RationalWilsonAction action(quarks.parameters, exact_rational(1.0));
    action.draw(links, {.seed = 3, .stream = 2});
    SpinorField<double> eta(lattice, {.subset = Subset::even});
    set_gaussian(eta, {.seed = 3, .stream = 2});
    const reference::WilsonOperator slow = slow_operator(links.to_host(), quarks);
    const RationalApproximation root = minimax_power_within(-0.5, {0.02, 80.0}, 1e-11);
    const PartialFractions sum = root.partial_fractions();
    std::vector<reference::RationalTerm> terms;
    for (std::size_t i = 0; i < sum.shifts.size(); ++i) terms.push_back({sum.residues[i], sum.shifts[i]});
    const reference::Spinor phi = action.pseudofermions().to_host();
    EXPECT_NEAR(sum.constant * reference::norm2(phi) + pseudofermion_action(slow, 0, terms, phi), blas::norm2(eta)[0],
                1e-9 * blas::norm2(eta)[0]);
  }
}

// Lower precisions and coarser functions lead to the same numbers, to their tolerances.
TEST(RationalWilsonAction, IsTheSameInLowerPrecisions) {
  const Lattice lattice({.extents = {8, 4, 4, 8}});
  const GaugeField<double> links = rough_links(lattice, 0.2), others = rough_links(lattice, 0.25);
  const FermionParameters quarks{.action = FermionAction::wilson_clover, .mass = 0.1, .csw = 1.0};
  RationalWilsonAction expected(quarks, exact_rational(1.0));
  for (const InnerPrecision inner : {InnerPrecision::half, InnerPrecision::single}) {
    RationalWilsonAction action(quarks, {.range = {0.02, 80.0}, .solver = {.inner = inner}});
    expect_same(action, expected, links, others, 1e-8, 1e-5);
  }
}

/// Eigenvalues of the plane waves of the free field, on the even sites: N = A - K^2 / A with A = 4 + m and the hop's
/// eigenvalues.
SpectralRange free_spectrum(double mass, const Coordinates& of) {
  SpectralRange range{1e300, 0.0};
  reference::for_each_site(of, [&](const Coordinates& n) {
    double cosines = 0.0, sines2 = 0.0;
    for (int mu = 0; mu < 4; ++mu) {
      const double p = 2.0 * std::acos(-1.0) * (n[mu] + (mu == 3 ? 0.5 : 0.0)) / of[mu];
      cosines += std::cos(p);
      sines2 += std::sin(p) * std::sin(p);
    }
    // K = sum cos p - i gamma sin p, K^2 = (cosines)^2 - sines^2 - 2 i cosines (gamma sin p).
    const double diagonal = 4.0 + mass, even = diagonal - (cosines * cosines - sines2) / diagonal;
    const double value = even * even + 4.0 * cosines * cosines * sines2 / (diagonal * diagonal);
    range.lower = std::min(range.lower, value);
    range.upper = std::max(range.upper, value);
  });
  return range;
}

TEST(RationalWilsonAction, KnowsTheSpectrumOfTheFreeField) {
  constexpr Coordinates of{4, 4, 4, 8};
  const GaugeField<double> links = unit_links<double>(Lattice({.extents = of}));
  for (const double mass : {0.05, 0.5}) {
    const SpectralRange expected = free_spectrum(mass, of);
    RationalWilsonAction action({.mass = mass}, {.range = {1e-4, 80.0}});
    const SpectralRange found = action.spectrum(links);
    EXPECT_NEAR(found.upper, expected.upper, 1e-3 * expected.upper);
    EXPECT_LE(found.upper, expected.upper * (1.0 + 1e-12));
    EXPECT_NEAR(found.lower, expected.lower, 0.05 * expected.lower);
    EXPECT_GE(found.lower, expected.lower * (1.0 - 1e-12));
  }
}

/// r(N^dag N) psi by conjugate gradients for one shift after the other.
SpinorField<double> power_of(const GaugeField<double>& links, const FermionParameters& p, double exponent,
                             const SpinorField<double>& psi) {
  const DomainWall<double> dirac(links, {.mass = p.mass, .m5 = p.m5, .slices = p.slices, .b = p.b, .c = p.c});
  const NormalOperator<double> normal(Schur<double>(dirac, {SchurForm::asymmetric, Parity::even}));
  const PartialFractions r = minimax_power_within(exponent, {0.01, 100.0}, 1e-11).partial_fractions();
  SpinorField<double> sum(psi.lattice(), psi.parameters()), x(psi.lattice(), psi.parameters());
  blas::axpy(sum, psi, r.constant);
  for (std::size_t i = 0; i < r.shifts.size(); ++i) {
    blas::set_zero(x);
    require_converged(Cg<double>(Shifted<double>(normal, r.shifts[i]), {.tolerance = 1e-13}).solve(x, psi));
    blas::axpy(sum, x, r.residues[i]);
  }
  return sum;
}

// S = <phi, y^(N/4) x^(-N/2) y^(N/4) phi> with y of Pauli-Villars fields.
TEST(RationalWilsonAction, DividesDomainWallQuarksByPauliVillarsFields) {
  const Lattice lattice({.extents = extents});
  const GaugeField<double> links = rough_links(lattice), others = rough_links(lattice, 0.3);
  for (const auto& [flavors, b, c] :
       {std::tuple{1.0, 1.5, 0.5}, std::tuple{1.0, 1.0, 0.0}, std::tuple{0.5, 1.5, 0.5}}) {
    RationalWilsonAction action(walls(0.1, b, c), exact_rational(flavors));
    action.draw(links, {.seed = 3, .stream = 2});
    for (const GaugeField<double>* of : {&links, &others}) {
      const SpinorField<double> g = power_of(*of, walls(1.0, b, c), 0.25 * flavors, action.pseudofermions());
      const double expected = blas::inner_product(g, power_of(*of, walls(0.1, b, c), -0.5 * flavors, g))[0].real();
      EXPECT_NEAR(action.value(*of), expected, 1e-9 * expected);
    }
  }
}

TEST(RationalWilsonAction, SaysWhatIsWrong) {
  const GaugeField<double> links = rough_links(Lattice({.extents = extents}));
  KAON_EXPECT_ERROR(RationalWilsonAction({.action = FermionAction::twisted_mass, .mu = 0.1}),
                    "Wilson, clover and domain wall quarks and twisted doublets");
  KAON_EXPECT_ERROR(RationalWilsonAction(walls(0.1), {.range = {0.02, 5.0}}).draw(links, {.seed = 1}),
                    "the rational functions are for [0.02, 5]: widen the range");
  EXPECT_EQ(RationalWilsonAction(walls(0.1)).name(),
            "one flavour, mass = 0.1, M5 = 1.8, 4 slices, b = 1.5, c = 0.5, rational, divided by Pauli-Villars fields");
  KAON_EXPECT_ERROR(RationalWilsonAction({.mass = std::nan("")}), "not the mass nan");
  KAON_EXPECT_ERROR(RationalWilsonAction({}, {.flavors = 2.0}), "2 flavours by a rational function");
  KAON_EXPECT_ERROR(RationalWilsonAction({}, {.flavors = 0.0}), "more than 0 and fewer than 2");
  KAON_EXPECT_ERROR(RationalWilsonAction({}, {.solver = {.tolerance = 2.0}}), "does not lie between 0 and 1");
  KAON_EXPECT_ERROR(RationalWilsonAction({}, {.range = {0.0, 1.0}}), "x + shift be above zero");
  KAON_EXPECT_ERROR(RationalWilsonAction({}, {.errors = {.value = 1e-15}}), "an error of 1e-15");
  const FermionParameters clover{.action = FermionAction::wilson_clover, .mass = 0.1};
  RationalWilsonAction action(clover);
  KAON_EXPECT_ERROR(action.value(links), "draw them first");
  RationalWilsonAction low(clover, {.range = {0.01, 5.0}}), high(clover, {.range = {5.0, 80.0}});
  KAON_EXPECT_ERROR(low.draw(links, {.seed = 1}), "the rational functions are for [0.01, 5]: widen the range");
  KAON_EXPECT_ERROR(high.draw(links, {.seed = 1}), "the rational functions are for [5, 80]: widen the range");
  RationalWilsonAction hasty(clover, {.range = {0.02, 80.0}, .solver = {.max_iterations = 2}});
  KAON_EXPECT_ERROR(hasty.draw(links, {.seed = 1}), "iterations");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
