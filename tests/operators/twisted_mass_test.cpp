// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/gauge/test_lattices.hpp"
#include "tests/operators/twisted_cases.hpp"
#include "tests/reference/schur.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/gauge/gauge_transformation.hpp>
#include <kaon/operators/normal.hpp>
#include <kaon/operators/schur.hpp>

#include <cmath>

namespace kaon::test {
namespace {

template <class T>
class TwistedOperators : public ::testing::Test {};
TYPED_TEST_SUITE(TwistedOperators, Precisions);

std::string describe(const Lattice& lattice, const TwistedCase& twisted) { return describe(lattice, twisted.fermion); }

constexpr SchurParameters schur_forms[] = {{SchurForm::symmetric, Parity::even},
                                           {SchurForm::symmetric, Parity::odd},
                                           {SchurForm::asymmetric, Parity::even},
                                           {SchurForm::asymmetric, Parity::odd}};

TYPED_TEST(TwistedOperators, EqualReference) {
  for (const Lattice& lattice : test_lattices()) {
    for (const TwistedCase& twisted : twisted_cases()) {
      SCOPED_TRACE(describe(lattice, twisted));
      const GaugeField<TypeParam> links = random_links<TypeParam>(lattice);
      const auto dirac = make_operator<TypeParam>(links, twisted);
      const SpinorField<TypeParam> in = gaussian<TypeParam>(lattice, 2);
      SpinorField<TypeParam> out = dirac->make_field(2), adjoint = dirac->make_field(2);
      dirac->apply(out, in);
      dirac->apply_dagger(adjoint, in);
      const reference::WilsonOperator slow(links.to_host(), lattice.extents(), reference_parameters(twisted));
      for (int rhs = 0; rhs < 2; ++rhs) {
        EXPECT_LT(reference::relative_difference(out.to_host(rhs), slow.apply(in.to_host(rhs))), tolerance<TypeParam>);
        EXPECT_LT(reference::relative_difference(adjoint.to_host(rhs), slow.apply_dagger(in.to_host(rhs))),
                  tolerance<TypeParam>);
      }
    }
  }
}

TYPED_TEST(TwistedOperators, HopFormsEqualReference) {
  for (const Lattice& lattice : test_lattices()) {
    for (const TwistedCase& twisted : twisted_cases()) {
      SCOPED_TRACE(describe(lattice, twisted));
      const GaugeField<TypeParam> links = random_links<TypeParam>(lattice);
      const auto dirac = make_operator<TypeParam>(links, twisted);
      const reference::WilsonOperator slow(links.to_host(), lattice.extents(), reference_parameters(twisted));
      const SpinorField<TypeParam> psi = gaussian<TypeParam>(lattice, 1);
      const reference::Spinor values = psi.to_host();
      const reference::Spinor zero = reference::zero_spinor(lattice.extents());
      for (const Parity parity : {Parity::even, Parity::odd}) {
        const int p = static_cast<int>(parity);
        const SpinorField<TypeParam> in = psi.parity(opposite(parity)), x = psi.parity(parity);
        SpinorField<TypeParam> out(lattice, {.subset = subset_of(parity)});
        for (const bool dagger : {false, true}) {
          const reference::Spinor hop = reference::add(
              zero, 0.5, dagger ? slow.hop_dagger_to_parity(values, p) : slow.hop_to_parity(values, p));  // K = D/2
          const reference::Spinor inverse_hop = dagger ? slow.solve_diagonal_dagger(hop) : slow.solve_diagonal(hop);
          const reference::Spinor x_values = reference::restrict_to_parity(values, p, lattice.extents());
          const reference::Spinor site_x =
              dagger ? slow.apply_diagonal_dagger(x_values) : slow.apply_diagonal(x_values);
          const reference::Spinor inverse_x =
              dagger ? slow.solve_diagonal_dagger(x_values) : slow.solve_diagonal(x_values);
          const auto expect = [&](const HopForm<TypeParam>& form, const reference::Spinor& expected) {
            dirac->hop(out, in, form);
            EXPECT_LT(reference::relative_difference(out.to_host(), expected), tolerance<TypeParam>);
          };
          expect({.scale = 0.7, .dagger = dagger}, reference::add(zero, 0.7, hop));
          expect({.scale = 0.7, .x = &x, .x_scale = -1.2, .dagger = dagger},
                 reference::add(reference::add(zero, -1.2, x_values), 0.7, hop));
          expect({.term = SiteTerm::diagonal, .scale = -1.0, .x = &x, .dagger = dagger},
                 reference::add(site_x, -1.0, hop));
          expect({.term = SiteTerm::inverse, .dagger = dagger}, inverse_hop);
          expect({.term = SiteTerm::inverse, .scale = -0.3, .x = &x, .x_scale = 2.0, .dagger = dagger},
                 reference::add(reference::add(zero, 2.0, x_values), -0.3, inverse_hop));
          dirac->apply_site_term(out, x, SiteTerm::diagonal, dagger);
          EXPECT_LT(reference::relative_difference(out.to_host(), site_x), tolerance<TypeParam>);
          dirac->apply_site_term(out, x, SiteTerm::inverse, dagger);
          EXPECT_LT(reference::relative_difference(out.to_host(), inverse_x), tolerance<TypeParam>);
        }
      }
    }
  }
}

TYPED_TEST(TwistedOperators, ChangeTheSignOfMuUnderGamma5Hermiticity) {
  const Lattice lattice({.extents = {8, 4, 4, 8}});
  for (const TwistedCase& twisted : twisted_cases()) {
    SCOPED_TRACE(describe(lattice, twisted));
    const GaugeField<TypeParam> links = random_links<TypeParam>(lattice);
    const SpinorField<TypeParam> in = gaussian<TypeParam>(lattice, 1);
    SpinorField<TypeParam> adjoint(lattice), flipped(lattice), out(lattice);
    make_operator<TypeParam>(links, {twisted.fermion, -twisted.mu})->apply_dagger(adjoint, in);
    const reference::SpinMatrix g5 = reference::gamma5();
    flipped.from_host(reference::multiply(g5, in.to_host()));
    make_operator<TypeParam>(links, twisted)->apply(out, flipped);  // g5 M(mu) g5 = M(-mu)^dag
    EXPECT_LT(reference::relative_difference(reference::multiply(g5, out.to_host()), adjoint.to_host()),
              tolerance<TypeParam>);
  }
}

TYPED_TEST(TwistedOperators, WithoutTwistAreThoseOfWilson) {
  const Lattice lattice({.extents = {8, 4, 4, 8}});
  for (const TwistedCase& twisted : twisted_cases()) {
    SCOPED_TRACE(describe(lattice, twisted));
    const GaugeField<TypeParam> links = random_links<TypeParam>(lattice);
    const auto untwisted = make_operator<TypeParam>(links, {twisted.fermion, 0.0});
    const auto wilson = make_operator<TypeParam>(links, twisted.fermion);
    const SpinorField<TypeParam> in = gaussian<TypeParam>(lattice, 1);
    SpinorField<TypeParam> out(lattice), expected(lattice);
    untwisted->apply(out, in);
    wilson->apply(expected, in);
    EXPECT_LT(reference::relative_difference(out.to_host(), expected.to_host()), tolerance<TypeParam>);
    const SpinorField<TypeParam> odd = in.parity(Parity::odd);
    SpinorField<TypeParam> half_out = out.parity(Parity::even), half_expected = expected.parity(Parity::even);
    for (const bool dagger : {false, true}) {
      untwisted->hop(half_out, odd, {.term = SiteTerm::inverse, .dagger = dagger});
      wilson->hop(half_expected, odd, {.term = SiteTerm::inverse, .dagger = dagger});
      EXPECT_LT(reference::relative_difference(half_out.to_host(), half_expected.to_host()), tolerance<TypeParam>);
    }
  }
}

// M^dag M = (g5 M(0))^2 + mu^2.
TYPED_TEST(TwistedOperators, AddTheSquareOfMuToTheNormalOperator) {
  const Lattice lattice({.extents = {8, 4, 4, 8}});
  for (const TwistedCase& twisted : twisted_cases()) {
    SCOPED_TRACE(describe(lattice, twisted));
    const GaugeField<TypeParam> links = random_links<TypeParam>(lattice);
    const auto dirac = make_operator<TypeParam>(links, twisted);
    const auto wilson = make_operator<TypeParam>(links, twisted.fermion);
    const SpinorField<TypeParam> in = gaussian<TypeParam>(lattice, 1);
    SpinorField<TypeParam> normal(lattice), between(lattice), squared(lattice);
    NormalOperator<TypeParam>(*dirac).apply(normal, in);
    wilson->apply(between, in);
    wilson->apply_dagger(squared, between);  // g5 M(0) g5 M(0)
    const reference::Spinor expected = reference::add(squared.to_host(), twisted.mu * twisted.mu, in.to_host());
    EXPECT_LT(reference::relative_difference(normal.to_host(), expected), tolerance<TypeParam>);
  }
}

TYPED_TEST(TwistedOperators, AreGaugeCovariant) {
  const Lattice lattice({.extents = {4, 6, 2, 8}});
  for (const TwistedCase& twisted : twisted_cases()) {
    SCOPED_TRACE(describe(lattice, twisted));
    const GaugeTransformation g(lattice, RandomKey{.seed = 17});
    GaugeField<TypeParam> links = random_links<TypeParam>(lattice);
    SpinorField<TypeParam> psi = gaussian<TypeParam>(lattice, 1);
    SpinorField<TypeParam> first(lattice), second(lattice);
    make_operator<TypeParam>(links, twisted)->apply(first, psi);
    transform(first, g);  // g M[U] psi
    transform(links, g);
    transform(psi, g);
    make_operator<TypeParam>(links, twisted)->apply(second, psi);  // M[U^g] g psi
    EXPECT_LT(reference::relative_difference(first.to_host(), second.to_host()), tolerance<TypeParam>);
  }
}

// In the free theory a plane wave in momentum p only mixes spins: M exp(ipx) v = exp(ipx) M(p) v.
TYPED_TEST(TwistedOperators, ActOnFreePlaneWavesInClosedForm) {
  const Lattice lattice({.extents = {4, 6, 2, 8}});
  for (const TwistedCase& twisted : twisted_cases()) {
    SCOPED_TRACE(describe(lattice, twisted));
    GaugeField<TypeParam> links(lattice);
    set_unit(links);
    const auto dirac = make_operator<TypeParam>(links, twisted);
    const reference::WilsonParameters parameters = reference_parameters(twisted);
    const auto p = reference::momentum({1, 2, 1, 3}, lattice.extents(), parameters);
    reference::SiteVector v{};
    for (std::size_t k = 0; k < v.size(); ++k)
      v[k] = {1.0 - 0.2 * static_cast<double>(k), 0.3 * static_cast<double>(k)};
    SpinorField<TypeParam> in(lattice), out(lattice);
    in.from_host(reference::plane_wave(p, v, lattice.extents()));
    dirac->apply(out, in);
    const reference::SiteVector mv = reference::multiply(reference::free_operator(p, parameters), v);
    EXPECT_LT(reference::relative_difference(out.to_host(), reference::plane_wave(p, mv, lattice.extents())),
              tolerance<TypeParam>);
  }
}

TYPED_TEST(TwistedOperators, GiveEachRightHandSideWhatItGetsAlone) {
  const Lattice lattice({.extents = {8, 4, 4, 8}});
  for (const TwistedCase& twisted : twisted_cases()) {
    const auto dirac = make_operator<TypeParam>(random_links<TypeParam>(lattice), twisted);
    const SpinorField<TypeParam> in = gaussian<TypeParam>(lattice, 5);
    SpinorField<TypeParam> out(lattice, {.right_hand_sides = 5}), alone(lattice);
    for (const bool dagger : {false, true}) {
      dagger ? dirac->apply_dagger(out, in) : dirac->apply(out, in);
      for (int rhs = 0; rhs < 5; ++rhs) {
        dagger ? dirac->apply_dagger(alone, in.range(rhs, 1)) : dirac->apply(alone, in.range(rhs, 1));
        EXPECT_EQ(alone.to_host(), out.to_host(rhs));
      }
    }
  }
}

TYPED_TEST(TwistedOperators, HaveTheSchurComplementsOfTheReference) {
  for (const Lattice& lattice : test_lattices()) {
    for (const TwistedCase& twisted : twisted_cases()) {
      SCOPED_TRACE(describe(lattice, twisted));
      const GaugeField<TypeParam> links = random_links<TypeParam>(lattice);
      const auto dirac = make_operator<TypeParam>(links, twisted);
      const reference::WilsonOperator slow(links.to_host(), lattice.extents(), reference_parameters(twisted));
      const SpinorField<TypeParam> psi = gaussian<TypeParam>(lattice, 1);
      for (const SchurParameters& form : schur_forms) {
        const Schur<TypeParam> schur(*dirac, form);
        const int p = static_cast<int>(form.parity);
        const bool symmetric = form.form == SchurForm::symmetric;
        const SpinorField<TypeParam> in = psi.parity(form.parity);
        const reference::Spinor values = reference::restrict_to_parity(psi.to_host(), p, lattice.extents());
        SpinorField<TypeParam> out = schur.make_field(1);
        schur.apply(out, in);
        EXPECT_LT(
            reference::relative_difference(out.to_host(), symmetric ? reference::schur_symmetric(slow, values, p)
                                                                    : reference::schur_asymmetric(slow, values, p)),
            tolerance<TypeParam>);
        schur.apply_dagger(out, in);
        EXPECT_LT(reference::relative_difference(out.to_host(),
                                                 symmetric ? reference::schur_symmetric_dagger(slow, values, p)
                                                           : reference::schur_asymmetric_dagger(slow, values, p)),
                  tolerance<TypeParam>);
        schur.prepare(out, psi);
        EXPECT_LT(reference::relative_difference(
                      out.to_host(), symmetric ? reference::schur_symmetric_source(slow, psi.to_host(), p)
                                               : reference::schur_asymmetric_source(slow, psi.to_host(), p)),
                  tolerance<TypeParam>);
      }
    }
  }
}

TYPED_TEST(TwistedOperators, HaveTheFullSolutionInTheirSchurSystems) {
  const Lattice lattice({.extents = {8, 4, 4, 8}});
  for (const TwistedCase& twisted : twisted_cases()) {
    SCOPED_TRACE(describe(lattice, twisted));
    const auto dirac = make_operator<TypeParam>(random_links<TypeParam>(lattice), twisted);
    const SpinorField<TypeParam> x = gaussian<TypeParam>(lattice, 3);
    SpinorField<TypeParam> b = dirac->make_field(3);
    dirac->apply(b, x);
    for (const SchurParameters& form : schur_forms) {
      const Schur<TypeParam> schur(*dirac, form);
      SpinorField<TypeParam> source = schur.make_field(3), out = schur.make_field(3);
      schur.prepare(source, b);
      schur.apply(out, x.parity(form.parity));
      const std::vector<double> source_norm2 = blas::norm2(source);
      const std::vector<double> difference = blas::xmy_norm2(out, source);
      SpinorField<TypeParam> rebuilt = dirac->make_field(3);
      SpinorField<TypeParam> rebuilt_half = rebuilt.parity(form.parity);
      blas::copy(rebuilt_half, x.parity(form.parity));
      schur.reconstruct(rebuilt, b);
      for (int rhs = 0; rhs < 3; ++rhs) {
        const auto k = static_cast<std::size_t>(rhs);
        EXPECT_LT(std::sqrt(difference[k] / source_norm2[k]), tolerance<TypeParam>);
        EXPECT_LT(reference::relative_difference(rebuilt.to_host(rhs), x.to_host(rhs)), tolerance<TypeParam>);
      }
    }
  }
}

TYPED_TEST(TwistedOperators, RefuseANumberThatIsNone) {
  GaugeField<TypeParam> links(Lattice({.extents = {4, 4, 4, 4}}));
  set_unit(links);
  for (TwistedCase twisted : {twisted_cases()[0], twisted_cases()[2]}) {
    twisted.mu = std::nan("");
    EXPECT_THROW(make_operator<TypeParam>(links, twisted), Error);
    twisted.mu = 0.1;
    twisted.fermion.parameters.mass = std::nan("");
    EXPECT_THROW(make_operator<TypeParam>(links, twisted), Error);
    twisted.fermion.parameters.mass = 0.1;
    twisted.fermion.parameters.anisotropy.xi0 = -1.0;
    EXPECT_THROW(make_operator<TypeParam>(links, twisted), Error);
  }
}

}  // namespace
}  // namespace kaon::test
