// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/operators/staggered_kinds.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/operators/normal.hpp>
#include <kaon/operators/schur.hpp>

#include <cmath>
#include <random>

namespace kaon::test {
namespace KAON_TEST_FILE {

/// `Kind` in the precision `T`.
template <class Case>
class StaggeredOperators : public ::testing::Test {
 protected:
  using Kind = typename Case::Kind;
  using T = typename Case::T;
  using Dirac = typename Kind::template Dirac<T>;

  /// Calls body(dirac) for both sets of parameters on each lattice.
  template <class Body>
  static void for_each_operator(const std::vector<Lattice>& lattices, const Body& body) {
    for (const Lattice& lattice : lattices) {
      for (const auto& parameters : Kind::cases()) {
        SCOPED_TRACE(describe(lattice, parameters));
        body(Kind::template rough<T>(lattice, parameters));
      }
    }
  }
};
using Cases = ::testing::Types<Of<Naive, double>, Of<Naive, float>, Of<Improved, double>, Of<Improved, float>>;
TYPED_TEST_SUITE(StaggeredOperators, Cases);

TYPED_TEST(StaggeredOperators, EqualReference) {
  using T = typename TypeParam::T;
  using Kind = typename TypeParam::Kind;
  TestFixture::for_each_operator(Kind::lattices(), [](const auto& dirac) {
    const reference::StaggeredOperator slow = Kind::slow(dirac);
    const SpinorField<T> in = gaussian_colors<T>(dirac.lattice(), 2);
    SpinorField<T> out = dirac.make_field(2), adjoint = dirac.make_field(2);
    dirac.apply(out, in);
    dirac.apply_dagger(adjoint, in);
    for (int rhs = 0; rhs < 2; ++rhs) {
      EXPECT_LT(reference::relative_difference(out.to_host(rhs), slow.apply(in.to_host(rhs))), tolerance<T>);
      EXPECT_LT(reference::relative_difference(adjoint.to_host(rhs), slow.apply_dagger(in.to_host(rhs))), tolerance<T>);
    }
  });
}

// A = 2m and K = -D.
TYPED_TEST(StaggeredOperators, HopFormsEqualReference) {
  using T = typename TypeParam::T;
  using Kind = typename TypeParam::Kind;
  TestFixture::for_each_operator(Kind::lattices(), [](const auto& dirac) {
    const Lattice& lattice = dirac.lattice();
    const reference::StaggeredOperator slow = Kind::slow(dirac);
    const SpinorField<T> chi = gaussian_colors<T>(lattice, 1);
    const reference::ColorField values = chi.to_host(), zero = reference::zero_color_field(lattice.extents());
    const double site_term = 2.0 * dirac.parameters().mass;
    for (const Parity parity : {Parity::even, Parity::odd}) {
      const int p = static_cast<int>(parity);
      const SpinorField<T> in = chi.parity(opposite(parity)), x = chi.parity(parity);
      const reference::ColorField x_values = reference::restrict_to_parity(values, p, lattice.extents());
      SpinorField<T> out(lattice, {.spins = 1, .subset = subset_of(parity)});
      for (const bool dagger : {false, true}) {
        const reference::ColorField d = dagger ? slow.hop_dagger_to_parity(values, p) : slow.hop_to_parity(values, p);
        const auto expect_out = [&](double x_factor, double d_factor) {
          EXPECT_LT(reference::relative_difference(
                        out.to_host(), reference::add(reference::add(zero, x_factor, x_values), d_factor, d)),
                    tolerance<T>);
        };
        const auto expect = [&](const HopForm<T>& form, double x_factor, double d_factor) {
          dirac.hop(out, in, form);
          expect_out(x_factor, d_factor);
        };
        expect({.scale = 0.7, .dagger = dagger}, 0.0, -0.7);
        expect({.scale = 0.7, .x = &x, .x_scale = -1.2, .dagger = dagger}, -1.2, -0.7);
        expect({.term = SiteTerm::diagonal, .scale = -1.0, .x = &x, .dagger = dagger}, site_term, 1.0);
        expect({.term = SiteTerm::inverse, .dagger = dagger}, 0.0, -1.0 / site_term);
        expect({.term = SiteTerm::inverse, .scale = -0.3, .x = &x, .x_scale = 2.0, .dagger = dagger}, 2.0,
               0.3 / site_term);
        dirac.apply_site_term(out, x, SiteTerm::diagonal, dagger);
        expect_out(site_term, 0.0);
        dirac.apply_site_term(out, x, SiteTerm::inverse, dagger);
        expect_out(1.0 / site_term, 0.0);
      }
    }
  });
}

// D^dag = -D: M + M^dag = 4m. eps D eps = -D with eps = 1 on even and -1 on odd sites: eps M eps = M^dag.
TYPED_TEST(StaggeredOperators, HopsAreAntiHermitian) {
  using T = typename TypeParam::T;
  using Kind = typename TypeParam::Kind;
  TestFixture::for_each_operator(Kind::lattices(), [](const auto& dirac) {
    const SpinorField<T> both = gaussian_colors<T>(dirac.lattice(), 2);
    const SpinorField<T> chi = both.range(0, 1), phi = both.range(1, 1);
    SpinorField<T> m_chi = dirac.make_field(1), m_phi = dirac.make_field(1), dagger_chi = dirac.make_field(1);
    dirac.apply(m_chi, chi);
    dirac.apply(m_phi, phi);
    dirac.apply_dagger(dagger_chi, chi);
    const double size = Kind::hop_norm(dirac.parameters()) / 8.0, norm2 = reference::norm2(chi.to_host());
    const reference::ColorField sum = reference::add(m_chi.to_host(), 1.0, dagger_chi.to_host());
    const reference::ColorField difference = reference::add(sum, -4.0 * dirac.parameters().mass, chi.to_host());
    EXPECT_LT(reference::norm2(difference), std::pow(size * tolerance<T>, 2) * norm2);
    const auto left = reference::dot(phi.to_host(), dagger_chi.to_host());
    EXPECT_LT(std::abs(left - reference::dot(m_phi.to_host(), chi.to_host())), tolerance<T> * norm2);

    const auto with_sign = [&](const reference::ColorField& field) {
      return reference::add(field, -2.0, reference::restrict_to_parity(field, 1, dirac.lattice().extents()));
    };
    SpinorField<T> flipped = dirac.make_field(1), out = dirac.make_field(1);
    flipped.from_host(with_sign(chi.to_host()));
    dirac.apply(out, flipped);
    EXPECT_LT(reference::relative_difference(with_sign(out.to_host()), dagger_chi.to_host()), tolerance<T>);
  });
}

TYPED_TEST(StaggeredOperators, AreGaugeCovariant) {
  using T = typename TypeParam::T;
  using Kind = typename TypeParam::Kind;
  const Lattice lattice = Kind::lattice({4, 6, 4, 8});
  std::mt19937_64 generator(17);
  const auto g = reference::random_gauge_transformation(lattice.extents(), generator);
  TestFixture::for_each_operator({lattice}, [&](const auto& dirac) {
    const SpinorField<T> chi = gaussian_colors<T>(lattice, 1);
    SpinorField<T> transformed = dirac.make_field(1), first = dirac.make_field(1), second = dirac.make_field(1);
    transformed.from_host(reference::transform_color_field(chi.to_host(), g, lattice.extents()));
    dirac.apply(first, chi);
    Kind::transformed(dirac, g).apply(second, transformed);  // D[U^g] g chi = g D[U] chi
    EXPECT_LT(reference::relative_difference(second.to_host(),
                                             reference::transform_color_field(first.to_host(), g, lattice.extents())),
              2.0 * tolerance<T>);
  });
}

// D exp(ipx) v = 2i sum_mu [a sin(p_mu) + b sin(3p_mu)] exp(i(p + q_mu)x) v for F = a, T = 1 and w = b, with eta_mu(x)
// = exp(i q_mu x).
TYPED_TEST(StaggeredOperators, ActOnFreePlaneWavesInClosedForm) {
  using T = typename TypeParam::T;
  using Kind = typename TypeParam::Kind;
  for (const Coordinates& extents : {Coordinates{4, 6, 4, 8}, Coordinates{8, 8, 8, 4}}) {
    for (const auto& parameters : Kind::cases()) {
      const auto dirac = Kind::template free<T>(Kind::lattice(extents), parameters);
      const auto p = reference::staggered_momentum({1, 2, 3, 3}, extents, reference_parameters(parameters));
      const reference::ColorVector v{{{1.0, 0.2}, {-0.4, 0.7}, {0.1, -1.3}}};
      const reference::ColorField wave = reference::color_plane_wave(p, v, extents);
      SpinorField<T> in = dirac.make_field(1), out = dirac.make_field(1);
      in.from_host(wave);
      dirac.apply(out, in);
      const reference::ColorField hop =
          reference::free_staggered_hop(p, v, extents, Kind::free_weights[0], Kind::free_weights[1]);
      EXPECT_LT(reference::relative_difference(out.to_host(), reference::add(hop, 2.0 * parameters.mass, wave)),
                tolerance<T>);
    }
  }
}

TYPED_TEST(StaggeredOperators, GiveEachRightHandSideWhatItGetsAlone) {
  using T = typename TypeParam::T;
  using Kind = typename TypeParam::Kind;
  for (const Coordinates& extents : {Coordinates{4, 4, 4, 6}, Coordinates{8, 8, 8, 8}}) {
    const Lattice lattice = Kind::lattice(extents);
    const auto dirac = Kind::template rough<T>(lattice, Kind::cases()[1]);
    const SpinorField<T> in = gaussian_colors<T>(lattice, 12);
    for (const bool dagger : {false, true}) {
      const auto apply = [&](SpinorField<T>& out, const SpinorField<T>& of) {
        dagger ? dirac.apply_dagger(out, of) : dirac.apply(out, of);
      };
      SpinorField<T> alone = dirac.make_field(1);
      std::vector<reference::ColorField> expected;
      for (int rhs = 0; rhs < 12; ++rhs) {
        apply(alone, in.range(rhs, 1));
        expected.push_back(alone.to_host());
      }
      for (int right_hand_sides = 1; right_hand_sides <= 12; ++right_hand_sides) {
        SpinorField<T> out = dirac.make_field(right_hand_sides);
        apply(out, in.range(0, right_hand_sides));
        for (int rhs = 0; rhs < right_hand_sides; ++rhs) {
          expect_as_alone<T>(out.to_host(rhs), expected[static_cast<std::size_t>(rhs)]);
        }
      }
    }
  }
}

// The normal operator of one parity is that of the reference, M^dag M on its parity, and the asymmetric Schur
// complement 2m - D_pq D_qp/(2m) times 2m.
TYPED_TEST(StaggeredOperators, HaveNormalSystems) {
  using T = typename TypeParam::T;
  using Kind = typename TypeParam::Kind;
  TestFixture::for_each_operator(Kind::lattices(), [](const auto& dirac) {
    const reference::StaggeredOperator slow = Kind::slow(dirac);
    const SpinorField<T> chi = gaussian_colors<T>(dirac.lattice(), 2);
    SpinorField<T> full = dirac.make_field(2);
    NormalOperator<T>(dirac).apply(full, chi);
    for (const Parity parity : {Parity::even, Parity::odd}) {
      const StaggeredNormal<T> normal(dirac, parity);
      const Schur<T> schur(dirac, {SchurForm::asymmetric, parity});
      const int p = static_cast<int>(parity);
      SpinorField<T> out = normal.make_field(2), adjoint = normal.make_field(2), source = normal.make_field(2),
                     complement = schur.make_field(2);
      normal.apply(out, chi.parity(parity));
      normal.apply_dagger(adjoint, chi.parity(parity));
      normal.prepare(source, chi);
      schur.apply(complement, chi.parity(parity));
      blas::scale(complement, blas::Reals(2, 2.0 * dirac.parameters().mass));
      for (int rhs = 0; rhs < 2; ++rhs) {
        const reference::ColorField values = chi.to_host(rhs), found = out.to_host(rhs);
        const auto expect = [&](const reference::ColorField& other, const reference::ColorField& wanted) {
          EXPECT_LT(reference::relative_difference(other, wanted), tolerance<T>);
        };
        expect(found, reference::staggered_normal(slow, values, p));
        EXPECT_EQ(adjoint.to_host(rhs), found);
        expect(source.to_host(rhs), reference::staggered_normal_source(slow, values, p));
        expect(found, full.parity(parity).to_host(rhs));
        expect(found, complement.to_host(rhs));
      }
    }
  });
}

// If x solves M x = b on all sites, its parity p solves the normal system, and reconstruction returns the other parity.
TYPED_TEST(StaggeredOperators, HaveTheFullSolutionInTheirNormalSystems) {
  using T = typename TypeParam::T;
  using Kind = typename TypeParam::Kind;
  TestFixture::for_each_operator({Kind::lattice({8, 4, 4, 8})}, [](const auto& dirac) {
    const SpinorField<T> x = gaussian_colors<T>(dirac.lattice(), 3);
    SpinorField<T> b = dirac.make_field(3);
    dirac.apply(b, x);
    for (const Parity parity : {Parity::even, Parity::odd}) {
      const auto normal = dirac.normal_system(parity);
      EXPECT_EQ(&normal->full(), &dirac);
      SpinorField<T> source = normal->make_field(3), out = normal->make_field(3), rebuilt = dirac.make_field(3);
      normal->prepare(source, b);
      normal->apply(out, x.parity(parity));
      blas::copy(rebuilt.parity(parity), x.parity(parity));
      normal->reconstruct(rebuilt, b);
      for (int rhs = 0; rhs < 3; ++rhs) {
        EXPECT_LT(reference::relative_difference(out.to_host(rhs), source.to_host(rhs)), tolerance<T>);
        // The division by 2m multiplies roundings of D x by |D|/(2m).
        EXPECT_LT(reference::relative_difference(rebuilt.to_host(rhs), x.to_host(rhs)),
                  tolerance<T> * (1.0 + 0.5 * Kind::hop_norm(dirac.parameters()) / dirac.parameters().mass));
      }
    }
  });
}

template <class T>
class NaiveStaggered : public ::testing::Test {};
TYPED_TEST_SUITE(NaiveStaggered, Precisions);

TYPED_TEST(NaiveStaggered, RefusesWhatDoesNotFit) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  const GaugeField<TypeParam> links = unit_links<TypeParam>(lattice);
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

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
