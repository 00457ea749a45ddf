// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/gauge/test_lattices.hpp"
#include "tests/operators/improved_cases.hpp"
#include "tests/operators/rounding_errors.hpp"
#include "tests/support/built_storages.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/operators/normal.hpp>
#include <kaon/operators/schur.hpp>

#include <cmath>

namespace kaon::test {
namespace KAON_TEST_FILE {

template <class T>
class ImprovedOperators : public ::testing::Test {};
TYPED_TEST_SUITE(ImprovedOperators, Precisions);

TYPED_TEST(ImprovedOperators, EqualReference) {
  for (const Lattice& lattice : improved_lattices()) {
    for (const ImprovedStaggeredParameters& parameters : improved_cases()) {
      SCOPED_TRACE(describe(lattice, parameters));
      const ImprovedStaggered<TypeParam> dirac = rough_improved<TypeParam>(lattice, parameters);
      const reference::StaggeredOperator slow = slow_improved(dirac);
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
TYPED_TEST(ImprovedOperators, HopFormsEqualReference) {
  for (const Lattice& lattice : improved_lattices()) {
    for (const ImprovedStaggeredParameters& parameters : improved_cases()) {
      SCOPED_TRACE(describe(lattice, parameters));
      const ImprovedStaggered<TypeParam> dirac = rough_improved<TypeParam>(lattice, parameters);
      const reference::StaggeredOperator slow = slow_improved(dirac);
      const SpinorField<TypeParam> chi = gaussian_colors<TypeParam>(lattice, 1);
      const reference::ColorField values = chi.to_host(), zero = reference::zero_color_field(lattice.extents());
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
        }
      }
    }
  }
}

// D^dag = -D: M + M^dag = 4m.
TYPED_TEST(ImprovedOperators, HopsAreAntiHermitian) {
  for (const Lattice& lattice : improved_lattices()) {
    for (const ImprovedStaggeredParameters& parameters : improved_cases()) {
      SCOPED_TRACE(describe(lattice, parameters));
      const ImprovedStaggered<TypeParam> dirac = rough_improved<TypeParam>(lattice, parameters);
      const SpinorField<TypeParam> both = gaussian_colors<TypeParam>(lattice, 2);
      const SpinorField<TypeParam> chi = both.range(0, 1), phi = both.range(1, 1);
      SpinorField<TypeParam> m_chi = dirac.make_field(1), m_phi = dirac.make_field(1), dagger_chi = dirac.make_field(1);
      dirac.apply(m_chi, chi);
      dirac.apply(m_phi, phi);
      dirac.apply_dagger(dagger_chi, chi);
      const reference::ColorField sum = reference::add(m_chi.to_host(), 1.0, dagger_chi.to_host());
      const reference::ColorField difference = reference::add(sum, -4.0 * parameters.mass, chi.to_host());
      const double norm2 = reference::norm2(chi.to_host());
      EXPECT_LT(reference::norm2(difference), std::pow(2.0 * tolerance<TypeParam>, 2) * norm2);
      const auto left = reference::dot(phi.to_host(), dagger_chi.to_host());
      EXPECT_LT(std::abs(left - reference::dot(m_phi.to_host(), chi.to_host())), tolerance<TypeParam> * norm2);
    }
  }
}

// eps D eps = -D with eps = 1 on even and -1 on odd sites: eps M eps = M^dag.
TYPED_TEST(ImprovedOperators, AreHermitianUpToTheParitySign) {
  const Lattice lattice({.extents = {8, 4, 4, 8}, .reach = 3});
  for (const ImprovedStaggeredParameters& parameters : improved_cases()) {
    const ImprovedStaggered<TypeParam> dirac = rough_improved<TypeParam>(lattice, parameters);
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

// F_mu(x) -> g(x) F_mu(x) g(x+mu)^dag, T_mu(x) -> g(x) T_mu(x) g(x+3mu)^dag.
TYPED_TEST(ImprovedOperators, AreGaugeCovariant) {
  const Lattice lattice({.extents = {4, 6, 4, 8}, .reach = 3});
  std::mt19937_64 generator(17);
  const auto g = reference::random_gauge_transformation(lattice.extents(), generator);
  for (const ImprovedStaggeredParameters& parameters : improved_cases()) {
    SCOPED_TRACE(describe(lattice, parameters));
    const ImprovedStaggered<TypeParam> dirac = rough_improved<TypeParam>(lattice, parameters);
    GaugeField<TypeParam> fat(lattice), third(lattice);
    fat.from_host(reference::transform_links(dirac.fat().to_host(), g, lattice.extents(), 1));
    third.from_host(reference::transform_links(dirac.third().to_host(), g, lattice.extents(), 3));
    const SpinorField<TypeParam> chi = gaussian_colors<TypeParam>(lattice, 1);
    SpinorField<TypeParam> transformed = dirac.make_field(1), first = dirac.make_field(1), second = dirac.make_field(1);
    transformed.from_host(reference::transform_color_field(chi.to_host(), g, lattice.extents()));
    dirac.apply(first, chi);
    ImprovedStaggered<TypeParam>(fat, third, parameters).apply(second, transformed);
    EXPECT_LT(reference::relative_difference(second.to_host(),
                                             reference::transform_color_field(first.to_host(), g, lattice.extents())),
              2.0 * tolerance<TypeParam>);
  }
}

// D exp(ipx) v = 2i sum_mu [9/8 sin(p_mu) - 1/24 sin(3p_mu)] exp(i(p + q_mu)x) v for F = 9/8, T = 1 and w = -1/24.
TYPED_TEST(ImprovedOperators, ActOnFreePlaneWavesInClosedForm) {
  for (const Coordinates& extents : {Coordinates{4, 6, 4, 8}, Coordinates{8, 8, 8, 4}}) {
    const Lattice lattice({.extents = extents, .reach = 3});
    for (const BoundaryAngles& boundary : {antiperiodic_in_time, BoundaryAngles{0.3, -0.7, 1.1, 2.5}}) {
      GaugeField<TypeParam> fat(lattice), third(lattice);
      set_unit(third);
      std::vector<std::complex<double>> values = third.to_host();
      for (std::complex<double>& value : values) value *= 9.0 / 8.0;
      fat.from_host(values);
      const ImprovedStaggeredParameters parameters{.mass = 0.2, .boundary = boundary};
      const ImprovedStaggered<TypeParam> dirac(fat, third, parameters);
      const auto p = reference::staggered_momentum({1, 2, 3, 3}, extents, reference_parameters(parameters));
      const reference::ColorVector v{{{1.0, 0.2}, {-0.4, 0.7}, {0.1, -1.3}}};
      const reference::ColorField wave = reference::color_plane_wave(p, v, extents);
      SpinorField<TypeParam> in = dirac.make_field(1), out = dirac.make_field(1);
      in.from_host(wave);
      dirac.apply(out, in);
      const reference::ColorField hop = reference::free_staggered_hop(p, v, extents, 9.0 / 8.0, -1.0 / 24.0);
      EXPECT_LT(reference::relative_difference(out.to_host(), reference::add(hop, 2.0 * parameters.mass, wave)),
                tolerance<TypeParam>);
    }
  }
}

TYPED_TEST(ImprovedOperators, AreTheNaiveOneWithoutThirdLinks) {
  const Lattice lattice({.extents = {8, 8, 4, 8}, .reach = 3});
  const GaugeField<TypeParam> links = rough_links<TypeParam>(lattice);
  const ImprovedStaggered<TypeParam> dirac(links, links, {.mass = 0.3, .third_weight = 0.0});
  const Staggered<TypeParam> naive(links, {.mass = 0.3});
  const SpinorField<TypeParam> chi = gaussian_colors<TypeParam>(lattice, 1);
  SpinorField<TypeParam> out = dirac.make_field(1), expected = dirac.make_field(1);
  dirac.apply(out, chi);
  naive.apply(expected, chi);
  EXPECT_LT(reference::relative_difference(out.to_host(), expected.to_host()), tolerance<TypeParam>);
}

TYPED_TEST(ImprovedOperators, GiveEachRightHandSideWhatItGetsAlone) {
  for (const Coordinates& extents : {Coordinates{4, 4, 4, 6}, Coordinates{8, 8, 8, 8}}) {
    const Lattice lattice({.extents = extents, .reach = 3});
    const ImprovedStaggered<TypeParam> dirac = rough_improved<TypeParam>(lattice, improved_cases()[1]);
    const SpinorField<TypeParam> in = gaussian_colors<TypeParam>(lattice, 12);
    SpinorField<TypeParam> alone = dirac.make_field(1);
    std::vector<reference::ColorField> expected;
    for (int rhs = 0; rhs < 12; ++rhs) {
      dirac.apply(alone, in.range(rhs, 1));
      expected.push_back(alone.to_host());
    }
    for (int right_hand_sides = 1; right_hand_sides <= 12; ++right_hand_sides) {
      SpinorField<TypeParam> out = dirac.make_field(right_hand_sides);
      dirac.apply(out, in.range(0, right_hand_sides));
      for (int rhs = 0; rhs < right_hand_sides; ++rhs) {
        expect_as_alone<TypeParam>(out.to_host(rhs), expected[static_cast<std::size_t>(rhs)]);
      }
    }
  }
}

// R_b M R_b^T of the whole operator on blocks b.
TYPED_TEST(ImprovedOperators, CanBeCutIntoBlocks) {
  const Lattice lattice({.extents = {8, 4, 8, 8}, .reach = 3});
  const ImprovedStaggered<TypeParam> exact = rough_improved<TypeParam>(lattice, improved_cases()[0]);
  const SpinorField<TypeParam> chi = gaussian_colors<TypeParam>(lattice, 1);
  for (const LinkStorage storage : built({LinkStorage::full, LinkStorage::minimal_and_determinant})) {
    const ImprovedStaggered<TypeParam> whole(exact, storage);
    for (const Coordinates& block : {Coordinates{4, 4, 4, 4}, Coordinates{2, 0, 0, 2}, Coordinates{4, 0, 8, 8}}) {
      SCOPED_TRACE("blocks of " + to_string(block));
      Coordinates extents = block;
      for (std::size_t mu = 0; mu < 4; ++mu) extents[mu] = block[mu] == 0 ? lattice.extents()[mu] : block[mu];
      const auto blocks = whole.on_blocks(block);
      for (const Coordinates& first : {Coordinates{0, 0, 0, 0}, Coordinates{8 - extents[0], 0, 8 - extents[2], 0}}) {
        const auto in_block = [&](reference::ColorField values) {
          reference::for_each_site(lattice.extents(), [&](const Coordinates& x) {
            for (std::size_t mu = 0; mu < 4; ++mu) {
              if (x[mu] >= first[mu] && x[mu] < first[mu] + extents[mu]) continue;
              for (std::size_t c = 0; c < 3; ++c) values[reference::color_offset(x, lattice.extents()) + c] = 0.0;
            }
          });
          return values;
        };
        SpinorField<TypeParam> in = whole.make_field(1), out = whole.make_field(1), cut = whole.make_field(1);
        in.from_host(in_block(chi.to_host()));
        SpinorField<TypeParam> cut_on_part = cut.on(blocks->lattice());
        whole.apply(out, in);
        blocks->apply(cut_on_part, in.on(blocks->lattice()));
        EXPECT_LT(reference::relative_difference(cut.to_host(), in_block(out.to_host())), tolerance<TypeParam>);
        EXPECT_GT(reference::relative_difference(cut.to_host(), out.to_host()), 1e-3);
      }
    }
  }
}

TYPED_TEST(ImprovedOperators, RefuseWhatDoesNotFit) {
  const Lattice lattice({.extents = {4, 4, 4, 4}, .reach = 3});
  const GaugeField<TypeParam> fat = rough_fat_links<TypeParam>(lattice), third = rough_third_links<TypeParam>(lattice);
  EXPECT_THROW(ImprovedStaggered<TypeParam>(fat, third, {.mass = std::nan("")}), Error);
  KAON_EXPECT_ERROR(ImprovedStaggered<TypeParam>(fat, third, {.mass = 0.1, .third_weight = std::nan("")}),
                    "weight nan of third links is not a number");
  KAON_EXPECT_ERROR(ImprovedStaggered<TypeParam>(fat, third, {.mass = 0.1, .boundary = {0.0, 0.0, 0.0, std::nan("")}}),
                    "the boundary angle of direction 3 is nan");
  const ImprovedStaggered<TypeParam> dirac(fat, third, {.mass = 0.1});
  KAON_EXPECT_ERROR(ImprovedStaggered<TypeParam>(dirac, LinkStorage::two_rows), "from SU(3) cannot be stored");
  SpinorField<TypeParam> full = dirac.make_field(1), spinor(lattice);
  SpinorField<TypeParam> even(lattice, {.spins = 1, .subset = Subset::even});
  EXPECT_THROW(dirac.apply(even, full), Error);
  EXPECT_THROW(dirac.apply(full, spinor), Error);
  EXPECT_THROW(dirac.hop(even, even, {}), Error);

  const Lattice short_lattice({.extents = {4, 4, 4, 4}});
  const GaugeField<TypeParam> links = rough_links<TypeParam>(short_lattice);
  KAON_EXPECT_ERROR(ImprovedStaggered<TypeParam>(links, links, {.mass = 0.1}), "make the lattice with reach = 3");
  const Lattice other_lattice({.extents = {4, 4, 4, 8}, .reach = 3});
  KAON_EXPECT_ERROR(ImprovedStaggered<TypeParam>(fat, rough_third_links<TypeParam>(other_lattice), {.mass = 0.1}),
                    "live on different lattices");
  const GaugeField<TypeParam> unitary(rough_links<TypeParam>(lattice), LinkStorage::two_rows);
  KAON_EXPECT_ERROR(ImprovedStaggered<TypeParam>(unitary, third, {.mass = 0.1}), "takes no links of 12 and 18 reals");
}

template <class T>
class ImprovedNormalOperators : public ::testing::Test {};
TYPED_TEST_SUITE(ImprovedNormalOperators, Precisions);

TYPED_TEST(ImprovedNormalOperators, EqualReference) {
  for (const Lattice& lattice : improved_lattices()) {
    for (const ImprovedStaggeredParameters& parameters : improved_cases()) {
      SCOPED_TRACE(describe(lattice, parameters));
      const ImprovedStaggered<TypeParam> dirac = rough_improved<TypeParam>(lattice, parameters);
      const reference::StaggeredOperator slow = slow_improved(dirac);
      const SpinorField<TypeParam> chi = gaussian_colors<TypeParam>(lattice, 2);
      for (const Parity parity : {Parity::even, Parity::odd}) {
        const StaggeredNormal<TypeParam> normal(dirac, parity);
        const int p = static_cast<int>(parity);
        SpinorField<TypeParam> out = normal.make_field(2), source = normal.make_field(2);
        normal.apply(out, chi.parity(parity));
        normal.prepare(source, chi);
        EXPECT_LT(reference::relative_difference(out.to_host(1), reference::staggered_normal(slow, chi.to_host(1), p)),
                  tolerance<TypeParam>);
        EXPECT_LT(reference::relative_difference(source.to_host(1),
                                                 reference::staggered_normal_source(slow, chi.to_host(1), p)),
                  tolerance<TypeParam>);
      }
    }
  }
}

// If x solves M x = b on all sites, its parity p solves the normal system, and reconstruction returns the other parity.
TYPED_TEST(ImprovedNormalOperators, HaveTheSolutionOfTheFullSystem) {
  const Lattice lattice({.extents = {8, 4, 4, 8}, .reach = 3});
  for (const ImprovedStaggeredParameters& parameters : improved_cases()) {
    const ImprovedStaggered<TypeParam> dirac = rough_improved<TypeParam>(lattice, parameters);
    const SpinorField<TypeParam> x = gaussian_colors<TypeParam>(lattice, 3);
    SpinorField<TypeParam> b = dirac.make_field(3);
    dirac.apply(b, x);
    for (const Parity parity : {Parity::even, Parity::odd}) {
      const auto normal = dirac.normal_system(parity);
      EXPECT_EQ(&normal->full(), &dirac);
      SpinorField<TypeParam> source = normal->make_field(3), out = normal->make_field(3);
      normal->prepare(source, b);
      normal->apply(out, x.parity(parity));
      SpinorField<TypeParam> rebuilt = dirac.make_field(3);
      SpinorField<TypeParam> rebuilt_half = rebuilt.parity(parity);
      blas::copy(rebuilt_half, x.parity(parity));
      normal->reconstruct(rebuilt, b);
      for (int rhs = 0; rhs < 3; ++rhs) {
        EXPECT_LT(reference::relative_difference(out.to_host(rhs), source.to_host(rhs)), tolerance<TypeParam>);
        // The division by 2m multiplies roundings of D x.
        EXPECT_LT(reference::relative_difference(rebuilt.to_host(rhs), x.to_host(rhs)),
                  tolerance<TypeParam> * (1.0 + 6.0 / parameters.mass));
      }
    }
  }
}

// M^dag M of the full operator couples one parity only: it is the normal operator on each.
TYPED_TEST(ImprovedNormalOperators, AreMDaggerMOnOneParity) {
  const Lattice lattice({.extents = {8, 8, 4, 8}, .reach = 3});
  for (const ImprovedStaggeredParameters& parameters : improved_cases()) {
    const ImprovedStaggered<TypeParam> dirac = rough_improved<TypeParam>(lattice, parameters);
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

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
