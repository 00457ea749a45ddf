// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/gauge/test_lattices.hpp"
#include "tests/operators/rounding_errors.hpp"
#include "tests/operators/staggered_cases.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/gauge/gauge_transformation.hpp>
#include <kaon/operators/normal.hpp>
#include <kaon/operators/schur.hpp>

#include <cmath>

namespace kaon::test {
namespace KAON_TEST_FILE {

template <class T>
class StaggeredOperators : public ::testing::Test {};
TYPED_TEST_SUITE(StaggeredOperators, Precisions);

TYPED_TEST(StaggeredOperators, EqualReference) {
  for (const Lattice& lattice : test_lattices()) {
    for (const StaggeredParameters& parameters : staggered_cases()) {
      SCOPED_TRACE(describe(lattice, parameters));
      const GaugeField<TypeParam> links = rough_links<TypeParam>(lattice);
      const Staggered<TypeParam> dirac(links, parameters);
      const reference::StaggeredOperator slow = slow_staggered(links, parameters);
      const SpinorField<TypeParam> in = gaussian_colors<TypeParam>(lattice, 2);
      SpinorField<TypeParam> out = dirac.make_field(2), adjoint = dirac.make_field(2);
      dirac.apply(out, in);
      dirac.apply_dagger(adjoint, in);
      for (int rhs = 0; rhs < 2; ++rhs) {
        EXPECT_LT(reference::relative_difference(out.to_host(rhs), slow.apply(in.to_host(rhs))), tolerance<TypeParam>);
        EXPECT_LT(reference::relative_difference(adjoint.to_host(rhs), slow.apply_dagger(in.to_host(rhs))),
                  tolerance<TypeParam>);
      }
    }
  }
}

// A = 2m and K = -D.
TYPED_TEST(StaggeredOperators, HopFormsEqualReference) {
  for (const Lattice& lattice : test_lattices()) {
    for (const StaggeredParameters& parameters : staggered_cases()) {
      SCOPED_TRACE(describe(lattice, parameters));
      const GaugeField<TypeParam> links = rough_links<TypeParam>(lattice);
      const Staggered<TypeParam> dirac(links, parameters);
      const reference::StaggeredOperator slow = slow_staggered(links, parameters);
      const SpinorField<TypeParam> chi = gaussian_colors<TypeParam>(lattice, 1);
      const reference::ColorField values = chi.to_host();
      const reference::ColorField zero = reference::zero_color_field(lattice.extents());
      const double site_term = 2.0 * parameters.mass;
      for (const Parity parity : {Parity::even, Parity::odd}) {
        const int p = static_cast<int>(parity);
        const SpinorField<TypeParam> in = chi.parity(opposite(parity)), x = chi.parity(parity);
        const reference::ColorField x_values = reference::restrict_to_parity(values, p, lattice.extents());
        SpinorField<TypeParam> out(lattice, {.spins = 1, .subset = subset_of(parity)});
        for (const bool dagger : {false, true}) {
          const reference::ColorField d = dagger ? slow.hop_dagger_to_parity(values, p) : slow.hop_to_parity(values, p);
          const auto expect = [&](const HopForm<TypeParam>& form, double x_factor, double d_factor) {
            dirac.hop(out, in, form);
            EXPECT_LT(reference::relative_difference(
                          out.to_host(), reference::add(reference::add(zero, x_factor, x_values), d_factor, d)),
                      tolerance<TypeParam>);
          };
          expect({.scale = 0.7, .dagger = dagger}, 0.0, -0.7);
          expect({.scale = 0.7, .x = &x, .x_scale = -1.2, .dagger = dagger}, -1.2, -0.7);
          expect({.term = SiteTerm::diagonal, .scale = -1.0, .x = &x, .dagger = dagger}, site_term, 1.0);
          expect({.term = SiteTerm::inverse, .dagger = dagger}, 0.0, -1.0 / site_term);
          expect({.term = SiteTerm::inverse, .scale = -0.3, .x = &x, .x_scale = 2.0, .dagger = dagger}, 2.0,
                 0.3 / site_term);
          dirac.apply_site_term(out, x, SiteTerm::diagonal, dagger);
          EXPECT_LT(reference::relative_difference(out.to_host(), reference::add(zero, site_term, x_values)),
                    tolerance<TypeParam>);
          dirac.apply_site_term(out, x, SiteTerm::inverse, dagger);
          EXPECT_LT(reference::relative_difference(out.to_host(), reference::add(zero, 1.0 / site_term, x_values)),
                    tolerance<TypeParam>);
        }
      }
    }
  }
}

// D^dag = -D: M + M^dag = 4m.
TYPED_TEST(StaggeredOperators, HopsAreAntiHermitian) {
  for (const Lattice& lattice : test_lattices()) {
    for (const StaggeredParameters& parameters : staggered_cases()) {
      SCOPED_TRACE(describe(lattice, parameters));
      const Staggered<TypeParam> dirac(rough_links<TypeParam>(lattice), parameters);
      const SpinorField<TypeParam> chi = gaussian_colors<TypeParam>(lattice, 1);
      SpinorField<TypeParam> m_chi = dirac.make_field(1), dagger_chi = dirac.make_field(1);
      dirac.apply(m_chi, chi);
      dirac.apply_dagger(dagger_chi, chi);
      const reference::ColorField sum = reference::add(m_chi.to_host(), 1.0, dagger_chi.to_host());
      const reference::ColorField difference = reference::add(sum, -4.0 * parameters.mass, chi.to_host());
      EXPECT_LT(reference::norm2(difference), std::pow(tolerance<TypeParam>, 2) * reference::norm2(chi.to_host()));
    }
  }
}

// eps D eps = -D with eps = 1 on even and -1 on odd sites: eps M eps = M^dag.
TYPED_TEST(StaggeredOperators, AreHermitianUpToTheParitySign) {
  const Lattice lattice({.extents = {8, 4, 4, 8}});
  for (const StaggeredParameters& parameters : staggered_cases()) {
    const Staggered<TypeParam> dirac(rough_links<TypeParam>(lattice), parameters);
    const SpinorField<TypeParam> chi = gaussian_colors<TypeParam>(lattice, 1);
    const auto with_sign = [&](const reference::ColorField& field) {
      return reference::add(field, -2.0, reference::restrict_to_parity(field, 1, lattice.extents()));
    };
    SpinorField<TypeParam> flipped = dirac.make_field(1), out = dirac.make_field(1), adjoint = dirac.make_field(1);
    flipped.from_host(with_sign(chi.to_host()));
    dirac.apply(out, flipped);
    dirac.apply_dagger(adjoint, chi);
    EXPECT_LT(reference::relative_difference(with_sign(out.to_host()), adjoint.to_host()), tolerance<TypeParam>);
  }
}

TYPED_TEST(StaggeredOperators, AreGaugeCovariant) {
  const Lattice lattice({.extents = {4, 6, 2, 8}});
  std::mt19937_64 generator(17);
  const auto g = reference::random_gauge_transformation(lattice.extents(), generator);
  for (const StaggeredParameters& parameters : staggered_cases()) {
    SCOPED_TRACE(describe(lattice, parameters));
    const GaugeField<TypeParam> links = rough_links<TypeParam>(lattice);
    GaugeField<TypeParam> transformed_links(lattice);
    transformed_links.from_host(reference::transform_links(links.to_host(), g, lattice.extents()));
    const SpinorField<TypeParam> chi = gaussian_colors<TypeParam>(lattice, 1);
    SpinorField<TypeParam> transformed(lattice, chi.parameters()), first(lattice, chi.parameters()),
        second(lattice, chi.parameters());
    transformed.from_host(reference::transform_color_field(chi.to_host(), g, lattice.extents()));
    Staggered<TypeParam>(links, parameters).apply(first, chi);
    Staggered<TypeParam>(transformed_links, parameters).apply(second, transformed);  // D[U^g] g chi = g D[U] chi
    EXPECT_LT(reference::relative_difference(second.to_host(),
                                             reference::transform_color_field(first.to_host(), g, lattice.extents())),
              2.0 * tolerance<TypeParam>);
  }
}

// D exp(ipx) v = 2i sum_mu sin(p_mu) exp(i(p + q_mu)x) v for U = 1, with eta_mu(x) = exp(i q_mu x).
TYPED_TEST(StaggeredOperators, ActOnFreePlaneWavesInClosedForm) {
  for (const Lattice& lattice : {Lattice({.extents = {4, 6, 2, 8}}), Lattice({.extents = {8, 8, 8, 4}})}) {
    for (const StaggeredParameters& parameters : staggered_cases()) {
      SCOPED_TRACE(describe(lattice, parameters));
      GaugeField<TypeParam> links(lattice);
      set_unit(links);
      const Staggered<TypeParam> dirac(links, parameters);
      const auto p = reference::staggered_momentum({1, 2, 1, 3}, lattice.extents(), reference_parameters(parameters));
      const reference::ColorVector v{{{1.0, 0.2}, {-0.4, 0.7}, {0.1, -1.3}}};
      const reference::ColorField wave = reference::color_plane_wave(p, v, lattice.extents());
      SpinorField<TypeParam> in = dirac.make_field(1), out = dirac.make_field(1);
      in.from_host(wave);
      dirac.apply(out, in);
      EXPECT_LT(reference::relative_difference(out.to_host(),
                                               reference::add(reference::free_staggered_hop(p, v, lattice.extents()),
                                                              2.0 * parameters.mass, wave)),
                tolerance<TypeParam>);
    }
  }
}

TYPED_TEST(StaggeredOperators, GiveEachRightHandSideWhatItGetsAlone) {
  const Lattice lattice({.extents = {8, 4, 4, 8}});
  for (const StaggeredParameters& parameters : staggered_cases()) {
    const Staggered<TypeParam> dirac(rough_links<TypeParam>(lattice), parameters);
    for (const int right_hand_sides : {2, 5, 12}) {
      const SpinorField<TypeParam> in = gaussian_colors<TypeParam>(lattice, right_hand_sides);
      SpinorField<TypeParam> out = dirac.make_field(right_hand_sides), alone = dirac.make_field(1);
      for (const bool dagger : {false, true}) {
        dagger ? dirac.apply_dagger(out, in) : dirac.apply(out, in);
        for (int rhs = 0; rhs < right_hand_sides; ++rhs) {
          dagger ? dirac.apply_dagger(alone, in.range(rhs, 1)) : dirac.apply(alone, in.range(rhs, 1));
          expect_as_alone<TypeParam>(out.to_host(rhs), alone.to_host());
        }
      }
    }
  }
}

TYPED_TEST(StaggeredOperators, RefuseWhatDoesNotFit) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  GaugeField<TypeParam> links(lattice);
  set_unit(links);
  EXPECT_THROW(Staggered<TypeParam>(links, {.mass = std::nan("")}), Error);
  KAON_EXPECT_ERROR(Staggered<TypeParam>(links, {.mass = 0.1, .boundary = {std::nan(""), 0.0, 0.0, 0.0}}),
                    "the boundary angle of direction 0 is nan");
  const Staggered<TypeParam> dirac(links, {.mass = 0.1});
  SpinorField<TypeParam> full = dirac.make_field(1), many = dirac.make_field(2), spinor(lattice);
  SpinorField<TypeParam> even(lattice, {.spins = 1, .subset = Subset::even});
  EXPECT_THROW(dirac.apply(even, full), Error);
  EXPECT_THROW(dirac.apply(many, full), Error);
  EXPECT_THROW(dirac.apply(full, spinor), Error);
  EXPECT_THROW(dirac.apply(spinor, spinor), Error);
  EXPECT_THROW(dirac.hop(even, even, {}), Error);
  EXPECT_THROW(dirac.apply_site_term(full, full, SiteTerm::inverse, false), Error);
}

template <class T>
class StaggeredNormalOperators : public ::testing::Test {};
TYPED_TEST_SUITE(StaggeredNormalOperators, Precisions);

TYPED_TEST(StaggeredNormalOperators, EqualReference) {
  for (const Lattice& lattice : test_lattices()) {
    for (const StaggeredParameters& parameters : staggered_cases()) {
      SCOPED_TRACE(describe(lattice, parameters));
      const GaugeField<TypeParam> links = rough_links<TypeParam>(lattice);
      const Staggered<TypeParam> dirac(links, parameters);
      const reference::StaggeredOperator slow = slow_staggered(links, parameters);
      const SpinorField<TypeParam> chi = gaussian_colors<TypeParam>(lattice, 2);
      for (const Parity parity : {Parity::even, Parity::odd}) {
        const StaggeredNormal<TypeParam> normal(dirac, parity);
        const int p = static_cast<int>(parity);
        SpinorField<TypeParam> out = normal.make_field(2), adjoint = normal.make_field(2),
                               source = normal.make_field(2);
        normal.apply(out, chi.parity(parity));
        normal.apply_dagger(adjoint, chi.parity(parity));
        normal.prepare(source, chi);
        for (int rhs = 0; rhs < 2; ++rhs) {
          EXPECT_LT(
              reference::relative_difference(out.to_host(rhs), reference::staggered_normal(slow, chi.to_host(rhs), p)),
              tolerance<TypeParam>);
          EXPECT_EQ(adjoint.to_host(rhs), out.to_host(rhs));
          EXPECT_LT(reference::relative_difference(source.to_host(rhs),
                                                   reference::staggered_normal_source(slow, chi.to_host(rhs), p)),
                    tolerance<TypeParam>);
        }
      }
    }
  }
}

// M^dag M of the full operator couples one parity only: it is the normal operator on each.
TYPED_TEST(StaggeredNormalOperators, AreMDaggerMOnOneParity) {
  const Lattice lattice({.extents = {8, 4, 4, 8}});
  for (const StaggeredParameters& parameters : staggered_cases()) {
    const Staggered<TypeParam> dirac(rough_links<TypeParam>(lattice), parameters);
    const SpinorField<TypeParam> chi = gaussian_colors<TypeParam>(lattice, 1);
    SpinorField<TypeParam> full = dirac.make_field(1);
    NormalOperator<TypeParam>(dirac).apply(full, chi);
    for (const Parity parity : {Parity::even, Parity::odd}) {
      const StaggeredNormal<TypeParam> normal(dirac, parity);
      SpinorField<TypeParam> out = normal.make_field(1);
      normal.apply(out, chi.parity(parity));
      EXPECT_LT(reference::relative_difference(out.to_host(), full.parity(parity).to_host()), tolerance<TypeParam>);
    }
  }
}

// The asymmetric Schur complement 2m - D_pq D_qp/(2m) is the normal operator divided by 2m.
TYPED_TEST(StaggeredNormalOperators, AreTheSchurComplementTimesTwiceTheMass) {
  const Lattice lattice({.extents = {8, 4, 4, 8}});
  for (const StaggeredParameters& parameters : staggered_cases()) {
    const Staggered<TypeParam> dirac(rough_links<TypeParam>(lattice), parameters);
    const SpinorField<TypeParam> chi = gaussian_colors<TypeParam>(lattice, 1);
    for (const Parity parity : {Parity::even, Parity::odd}) {
      const StaggeredNormal<TypeParam> normal(dirac, parity);
      const Schur<TypeParam> schur(dirac, {SchurForm::asymmetric, parity});
      SpinorField<TypeParam> out = normal.make_field(1), expected = schur.make_field(1);
      normal.apply(out, chi.parity(parity));
      schur.apply(expected, chi.parity(parity));
      blas::scale(expected, blas::Reals{2.0 * parameters.mass});
      EXPECT_LT(reference::relative_difference(out.to_host(), expected.to_host()), tolerance<TypeParam>);
    }
  }
}

// If x solves M x = b on all sites, its parity p solves the normal system, and reconstruction returns the other parity.
TYPED_TEST(StaggeredNormalOperators, HaveTheSolutionOfTheFullSystem) {
  const Lattice lattice({.extents = {8, 4, 4, 8}});
  for (const StaggeredParameters& parameters : staggered_cases()) {
    const Staggered<TypeParam> dirac(rough_links<TypeParam>(lattice), parameters);
    const SpinorField<TypeParam> x = gaussian_colors<TypeParam>(lattice, 3);
    SpinorField<TypeParam> b = dirac.make_field(3);
    dirac.apply(b, x);
    for (const Parity parity : {Parity::even, Parity::odd}) {
      const StaggeredNormal<TypeParam> normal(dirac, parity);
      SpinorField<TypeParam> source = normal.make_field(3), out = normal.make_field(3);
      normal.prepare(source, b);
      normal.apply(out, x.parity(parity));
      const blas::Reals source_norm2 = blas::norm2(source), difference = blas::xmy_norm2(out, source);
      SpinorField<TypeParam> rebuilt = dirac.make_field(3);
      SpinorField<TypeParam> rebuilt_half = rebuilt.parity(parity);
      blas::copy(rebuilt_half, x.parity(parity));
      normal.reconstruct(rebuilt, b);
      for (int rhs = 0; rhs < 3; ++rhs) {
        const auto k = static_cast<std::size_t>(rhs);
        EXPECT_LT(std::sqrt(difference[k] / source_norm2[k]), tolerance<TypeParam>);
        // The division by 2m multiplies roundings of D x by 8/(2m).
        EXPECT_LT(reference::relative_difference(rebuilt.to_host(rhs), x.to_host(rhs)),
                  tolerance<TypeParam> * (1.0 + 4.0 / parameters.mass));
      }
    }
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
