// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/reference/twisted_doublet.hpp"
#include "tests/operators/force_cases.hpp"
#include "tests/operators/twisted_cases.hpp"
#include "tests/operators/wilson_like_checks.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/gauge/clover.hpp>
#include <kaon/operators/twisted_mass.hpp>
#include <kaon/quarks/flavors.hpp>

#include <cmath>

namespace kaon::test {
namespace KAON_TEST_FILE {

/// Without clover term and with, epsilon below and above mu.
std::vector<TwistedDoubletParameters> cases() {
  const Anisotropy anisotropy{.xi0 = 2.464, .nu = 0.95};
  const BoundaryAngles angles{0.3, -0.7, 1.1, 2.5};
  return {{.mass = 0.2, .mu = 0.4, .epsilon = 0.3},
          {.mass = -0.1, .mu = -0.6, .epsilon = 0.9, .anisotropy = anisotropy, .boundary = angles},
          {.mass = 0.1, .mu = 0.3, .epsilon = -0.2, .csw = 1.3},
          {.mass = 0.3,
           .mu = 0.1,
           .epsilon = 0.5,
           .csw = 0.9,
           .csw_temporal = 1.1,
           .anisotropy = anisotropy,
           .boundary = angles}};
}

std::string describe(const Lattice& lattice, const TwistedDoubletParameters& p) {
  return "mu = " + std::to_string(p.mu) + ", epsilon = " + std::to_string(p.epsilon) +
         (p.csw ? ", clover" : ", no clover term") + " on " + to_string(lattice.extents()) +
         (lattice.lanes() == Lanes::single ? ", one lane" : ", native lanes");
}

/// One flavour, with another mass or twist.
TwistedCase flavor_of(const TwistedDoubletParameters& p, double mass, double mu) {
  return {{"flavor", p.csw.has_value(), {mass, p.csw.value_or(0.0), p.csw_temporal, p.anisotropy, p.boundary}}, mu};
}

reference::TwistedDoubletOperator slow_operator(const reference::Links& links, const Coordinates& extents,
                                                const TwistedDoubletParameters& p) {
  return {links, extents, reference_parameters(flavor_of(p, p.mass, p.mu)), p.epsilon};
}

template <class T>
class TwistedDoubletIn : public ::testing::Test {};
using AllPrecisions = ::testing::Types<double, float, half>;
TYPED_TEST_SUITE(TwistedDoubletIn, AllPrecisions);

TYPED_TEST(TwistedDoubletIn, EachPrecisionEqualsReference) {
  using T = TypeParam;
  for (const Lattice& lattice : test_lattices()) {
    const GaugeField<double> links = random_links<double>(lattice);
    for (const TwistedDoubletParameters& p : cases()) {
      SCOPED_TRACE(describe(lattice, p));
      const TwistedDoublet<T> dirac(TwistedDoublet<double>(links, p));
      const reference::TwistedDoubletOperator slow = slow_operator(links.to_host(), lattice.extents(), p);
      const SpinorField<T> in = noise_for(dirac, 2);
      SpinorField<T> out = dirac.make_field(2), adjoint = dirac.make_field(2);
      dirac.apply(out, in);
      dirac.apply_dagger(adjoint, in);
      for (int rhs = 0; rhs < 2; ++rhs) {
        const reference::Slices psi = reference::cut(in.to_host(rhs), 2);
        EXPECT_LT(reference::relative_difference(out.to_host(rhs), reference::joined(slow.apply(psi))),
                  bound_of_slices<T>());
        EXPECT_LT(reference::relative_difference(adjoint.to_host(rhs), reference::joined(slow.apply_dagger(psi))),
                  bound_of_slices<T>());
      }
    }
  }
}

TYPED_TEST(TwistedDoubletIn, HopsAreMadeOfKAndTheSiteTerm) {
  using T = TypeParam;
  const Lattice lattice({.extents = {8, 4, 4, 8}});
  const GaugeField<double> links = random_links<double>(lattice);
  for (const TwistedDoubletParameters& p : cases()) {
    SCOPED_TRACE(describe(lattice, p));
    expect_hops_of_k_and_site_term(TwistedDoublet<T>(TwistedDoublet<double>(links, p)));
  }
}

/// g5 tau1 M tau1 g5 = M^dag, and g5 M g5 is not.
TEST(TwistedDoublet, IsHermitianUnderGamma5AndExchangeOfFlavors) {
  const Lattice lattice({.extents = {4, 6, 2, 8}});
  const GaugeField<double> links = random_links<double>(lattice);
  for (const TwistedDoubletParameters& p : cases()) {
    SCOPED_TRACE(describe(lattice, p));
    const TwistedDoublet<double> dirac(links, p);
    const SpinorField<double> in = noise_for(dirac, 1);
    SpinorField<double> turned = dirac.make_field(1), out = dirac.make_field(1), adjoint = dirac.make_field(1);
    dirac.apply_dagger(adjoint, in);
    for (const bool exchange : {true, false}) {
      const auto turn = [&](const reference::Spinor& values) {
        reference::Slices psi = reference::cut(values, 2);
        if (exchange) std::swap(psi[0], psi[1]);
        for (reference::Spinor& slice : psi) slice = reference::multiply(reference::gamma5(), slice);
        return reference::joined(psi);
      };
      turned.from_host(turn(in.to_host()));
      dirac.apply(out, turned);
      const double found = reference::relative_difference(turn(out.to_host()), adjoint.to_host());
      if (exchange) {
        EXPECT_LT(found, tolerance<double>);
      } else {
        EXPECT_GT(found, 0.01);
      }
    }
  }
}

TEST(TwistedDoublet, SolutionsOfTheSchurSystemAreThoseOfTheOperator) {
  const Lattice lattice({.extents = {8, 4, 4, 8}});
  const GaugeField<double> links = random_links<double>(lattice);
  for (const TwistedDoubletParameters& p : cases()) {
    SCOPED_TRACE(describe(lattice, p));
    expect_solution_in_schur(TwistedDoublet<double>(links, p));
  }
}

TEST(TwistedDoublet, LinksInEightAndTwelveRealsGiveTheSame) {
  const GaugeField<double> links = random_links<double>(Lattice({.extents = {8, 4, 4, 8}}));
  for (const TwistedDoubletParameters& p : cases()) {
    expect_the_same_of_compressed_links(TwistedDoublet<double>(links, p));
  }
}

TEST(TwistedDoublet, KeepsItsSiteTermOnBlocks) {
  const Lattice lattice({.extents = {8, 4, 4, 8}});
  const GaugeField<double> links = random_links<double>(lattice);
  for (const TwistedDoubletParameters& p : cases()) {
    const TwistedDoublet<double> dirac(links, p);
    const auto blocks = dirac.on_blocks({4, 4, 4, 4});
    const SpinorField<double> in = noise_for(dirac, 1, Subset::odd);
    SpinorField<double> out(lattice, in.parameters()), of_blocks(lattice, in.parameters());
    for (const SiteTerm term : {SiteTerm::diagonal, SiteTerm::inverse}) {
      dirac.apply_site_term(out, in, term, false);
      SpinorField<double> there = of_blocks.on(blocks->lattice());
      blocks->apply_site_term(there, in.on(blocks->lattice()), term, false);
      EXPECT_EQ(of_blocks.to_host(), out.to_host());
    }
  }
}

// An operator made from a given clover term equals the one that computes this term.
TEST(TwistedDoublet, TakesCloverTermsThatAreGiven) {
  const Lattice lattice({.extents = {8, 4, 4, 8}}), other({.extents = {4, 4, 4, 4}});
  const GaugeField<double> links = random_links<double>(lattice);
  const TwistedDoubletParameters p = cases().back();
  const WilsonHopParameters hop{.anisotropy = p.anisotropy, .boundary = p.boundary};
  const TwistedDoublet<double> computed(links, p), given(links, *computed.clover(), p.mu, p.epsilon, hop);
  const SpinorField<double> in = noise_for(computed, 2);
  SpinorField<double> expected = computed.make_field(2), out = computed.make_field(2);
  computed.apply(expected, in);
  given.apply(out, in);
  EXPECT_EQ(out.to_host(1), expected.to_host(1));
  EXPECT_EQ(given.norm_inverse()->to_host(), computed.norm_inverse()->to_host());
  EXPECT_TRUE(std::isnan(given.parameters().mass) && std::isnan(*given.parameters().csw));
  const TwistedDoublet<float> rounded(given), expected_rounded(computed);
  EXPECT_EQ(rounded.clover()->to_host(), expected_rounded.clover()->to_host());
  const CloverField<double> even(lattice, Subset::even), elsewhere(other);
  KAON_EXPECT_ERROR(TwistedDoublet<double>(links, even, 0.1, 0.0, hop), "must be on all sites of the lattice of the");
  KAON_EXPECT_ERROR(TwistedDoublet<double>(links, elsewhere, 0.1, 0.0, hop), "must be on all sites of the lattice");
  KAON_EXPECT_ERROR(TwistedDoublet<double>(links, *computed.clover(), 0.1, std::nan(""), hop), "epsilon nan");
}

// Flavours as right-hand sides: clover blocks and links once, the rest twice.
TEST(TwistedDoublet, CostsTwoHopsThatShareTheirLinks) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  const GaugeField<double> links = random_links<double>(lattice);
  const TwistedDoublet<double> plain(links, {.mu = 0.1}), clover(links, {.mu = 0.1, .csw = 1.0});
  const double sites = 128.0;
  EXPECT_EQ(plain.hop_flops(SiteTerm::diagonal, true), sites * 2 * (1320 + 120 + 48));
  EXPECT_EQ(clover.hop_flops(SiteTerm::inverse, false), sites * 2 * (1320 + 1200));
  EXPECT_EQ(clover.hop_bytes(SiteTerm::inverse, false), sites * 8 * (8 * 18 + 2 * 72 + 2 * 2 * 24));
  EXPECT_EQ(clover.site_term_bytes(), sites * 8 * (2 * 72 + 2 * 2 * 24));
}

TEST(TwistedDoublet, RefusesParametersWithoutMeaning) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  const GaugeField<double> links = unit_links<double>(lattice);
  const auto expect = [&](const TwistedDoubletParameters& p, const char* text) {
    KAON_EXPECT_ERROR(TwistedDoublet<double>(links, p), text);
  };
  expect({.mass = 0.1, .mu = std::nan("")}, "epsilon 0 of a doublet must be numbers");
  expect({.mass = 0.1, .csw_temporal = 1.0}, "needs that of the spatial ones");
  expect({.mass = -3.0, .mu = 0.5, .epsilon = 1.2}, "mu^2 - epsilon^2 = -0.19");
  expect({.mass = -3.0, .mu = 0.5, .epsilon = 1.2, .csw = 1.0},
         "the upper clover block C at site (0, 0, 0, 0) makes "
         "C^2 - 1.19 not positive");
  const TwistedDoublet<double> dirac(links, {.mass = 0.1});
  SpinorField<double> one(lattice), other(lattice), four(lattice, {.slices = 4});
  KAON_EXPECT_ERROR(dirac.apply(one, other), "slices");
  KAON_EXPECT_ERROR(set_flavor(four, one, 0), "the two slices of a field");
  SpinorField<double> psi = dirac.make_field(1);
  KAON_EXPECT_ERROR(take_flavor(one, psi, 2), "flavours 0 and 1, not 2");
}

using namespace force;

/// S = <phi, (N^dag N)^-1 phi> - n ln det A_q: the matrices are its derivative.
TEST(TwistedDoubletForce, IsTheDerivativeOfTheAction) {
  const double flavors = 0.7;
  for (const Lattice& lattice : lattices()) {
    const GaugeField<double> links = random_links<double>(lattice);
    for (const TwistedDoubletParameters& p : cases()) {
      for (const Subset subset : {Subset::full, Subset::even, Subset::odd}) {
        SCOPED_TRACE(describe(lattice, p));
        const bool has_determinant = subset != Subset::full;
        const std::size_t count = subset == Subset::even ? 2 : 1;
        SpinorField<double> phi(lattice, {.subset = subset, .right_hand_sides = static_cast<int>(count), .slices = 2});
        set_gaussian(phi, {.seed = 4});
        GaugeField<double> matrices(lattice);
        const TwistedDoublet<double> dirac(links, p);
        add_fermion_force(matrices, dirac, solution(dirac, phi), std::vector<double>(count, 1.0),
                          has_determinant ? flavors : 0.0);
        const Action action = [&](const reference::Links& u) {
          GaugeField<double> moved(lattice);
          moved.from_host(u);
          const TwistedDoublet<double> there(moved, p);
          double sum = 0.0;
          for (const auto& product : blas::inner_product(phi, solution(there, phi))) sum += product.real();
          if (p.csw && has_determinant) {
            const LogDeterminants found = log_determinants(*there.norm_inverse());
            sum += flavors * (subset == Subset::even ? found.odd : found.even);
          }
          return sum;
        };
        expect_derivative(action, links, matrices, 1);
      }
    }
  }
}

/// -n ln det A_q with A_q the matrix on two flavours of the slow reference.
TEST(TwistedDoubletDeterminantForce, IsTheDerivativeOfTheLogarithm) {
  for (const TwistedDoubletParameters& p : cases()) {
    if (!p.csw) continue;
    const Lattice lattice = lattices().front();
    const GaugeField<double> links = random_links<double>(lattice);
    for (const int parity : {0, 1}) {
      GaugeField<double> matrices(lattice);
      add_determinant_force(matrices, TwistedDoublet<double>(links, p), parity == 0 ? Parity::even : Parity::odd, 1.5);
      const Action action = [&](const reference::Links& u) {
        return -1.5 * slow_operator(u, extents, p).log_determinant(parity);
      };
      expect_derivative(action, links, matrices, 2);
    }
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
