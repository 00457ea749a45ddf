// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "tests/reference/lanczos.hpp"
#include "tests/reference/staggered.hpp"
#include "tests/reference/stored_asqtad.hpp"
#include "tests/reference/stored_fields.hpp"
#include "tests/support/data.hpp"

// Properties of the slow staggered operator by itself, and numbers of other codes.
namespace kaon::reference {
namespace KAON_TEST_FILE {

// Rounding of sums of a few thousand terms of order 1.
constexpr double rounding = 1e-13;

constexpr std::array<Complex, directions> periodic_phases{1.0, 1.0, 1.0, 1.0};

struct RandomField {
  std::mt19937_64 generator{20240607};
  Coordinates extents{4, 6, 2, 8};
  Links links = random_links(extents, generator);
  ColorField chi = random_color_field(extents, generator);
  ColorField phi = random_color_field(extents, generator);
};

// Complex phases in all directions.
StaggeredParameters twisted_boundaries() {
  return {.mass = 0.3, .boundary_phases = {std::polar(1.0, 0.3), -1.0, std::polar(1.0, -1.1), std::polar(1.0, 2.5)}};
}

// eps(x) chi(x), eps = 1 on even and -1 on odd sites.
ColorField with_parity_sign(const ColorField& chi, const Coordinates& extents) {
  return add(chi, -2.0, restrict_to_parity(chi, 1, extents));
}

TEST(ReferenceStaggered, PhasesAreThoseOfMilc) {
  // eta_x depends on t, eta_y on t and x, eta_z on t, x and y; those of the four directions anticommute.
  EXPECT_EQ(staggered_phase({1, 1, 1, 1}, 0), -1);
  EXPECT_EQ(staggered_phase({1, 1, 1, 0}, 0), 1);
  EXPECT_EQ(staggered_phase({1, 1, 1, 0}, 1), -1);
  EXPECT_EQ(staggered_phase({1, 1, 1, 1}, 1), 1);
  EXPECT_EQ(staggered_phase({1, 1, 1, 0}, 2), 1);
  EXPECT_EQ(staggered_phase({1, 1, 1, 1}, 2), -1);
  for_each_site({4, 2, 2, 2}, [](const Coordinates& x) { EXPECT_EQ(staggered_phase(x, 3), 1); });
}

// The product of the four phases and of eta_nu one step ahead is -1 around every plaquette.
TEST(ReferenceStaggered, PhasesHavePlaquetteMinusOne) {
  const Coordinates extents{4, 4, 4, 4};
  for_each_site(extents, [&](const Coordinates& x) {
    for (int mu = 0; mu < directions; ++mu)
      for (int nu = 0; nu < mu; ++nu)
        EXPECT_EQ(staggered_phase(x, mu) * staggered_phase(neighbor(x, mu, 1, extents), nu) *
                      staggered_phase(neighbor(x, nu, 1, extents), mu) * staggered_phase(x, nu),
                  -1);
  });
}

TEST(ReferenceStaggered, DaggerIsTheAdjoint) {
  const RandomField field;
  const StaggeredOperator op(field.links, field.extents, twisted_boundaries());
  const Complex left = dot(field.phi, op.apply(field.chi));
  const Complex right = dot(op.apply_dagger(field.phi), field.chi);
  EXPECT_LT(std::abs(left - right), rounding * std::sqrt(norm2(field.phi) * norm2(field.chi)));
}

TEST(ReferenceStaggered, HopIsAntiHermitian) {
  const RandomField field;
  const StaggeredOperator op(field.links, field.extents, twisted_boundaries());
  const ColorField sum = add(op.hop_dagger(field.chi), 1.0, op.hop(field.chi));
  EXPECT_LT(norm2(sum), rounding * rounding * norm2(field.chi));
}

TEST(ReferenceStaggered, HopAnticommutesWithTheParitySign) {
  const RandomField field;
  const StaggeredOperator op(field.links, field.extents, twisted_boundaries());
  const ColorField signed_hop = with_parity_sign(op.hop(with_parity_sign(field.chi, field.extents)), field.extents);
  EXPECT_LT(norm2(add(signed_hop, 1.0, op.hop(field.chi))), rounding * rounding * norm2(field.chi));
}

TEST(ReferenceStaggered, NormalOperatorKeepsTheParity) {
  const RandomField field;
  const StaggeredOperator op(field.links, field.extents, twisted_boundaries());
  for (const int parity : {0, 1}) {
    const ColorField chi = restrict_to_parity(field.chi, parity, field.extents);
    const ColorField normal = op.apply_dagger(op.apply(chi));
    EXPECT_LT(norm2(restrict_to_parity(normal, 1 - parity, field.extents)), rounding * rounding * norm2(chi));
    EXPECT_LT(relative_difference(staggered_normal(op, field.chi, parity), normal), rounding);
  }
}

// x solves M x = b for a known x: its part on one parity solves the normal system and returns the rest.
TEST(ReferenceStaggered, NormalSystemHasTheFullSolution) {
  const RandomField field;
  const StaggeredOperator op(field.links, field.extents, twisted_boundaries());
  const ColorField b = op.apply(field.chi);
  for (const int parity : {0, 1}) {
    EXPECT_LT(relative_difference(staggered_normal(op, field.chi, parity), staggered_normal_source(op, b, parity)),
              rounding);
    const ColorField part = restrict_to_parity(field.chi, parity, field.extents);
    EXPECT_LT(relative_difference(staggered_reconstruct(op, part, b, parity), field.chi), rounding);
  }
}

TEST(ReferenceStaggered, IsGaugeCovariant) {
  RandomField field;
  const GaugeTransformation g = random_gauge_transformation(field.extents, field.generator);
  const StaggeredOperator op(field.links, field.extents, twisted_boundaries());
  const StaggeredOperator transformed(transform_links(field.links, g, field.extents), field.extents,
                                      twisted_boundaries());
  EXPECT_LT(relative_difference(transformed.apply(transform_color_field(field.chi, g, field.extents)),
                                transform_color_field(op.apply(field.chi), g, field.extents)),
            rounding);
}

// A translation by one site multiplies eta_nu by eta_nu(mu-hat), which zeta_mu(x) = prod_nu eta_nu(mu-hat)^(x_nu) makes
// good: the shift symmetry chi(x) -> zeta_mu(x) chi(x+mu).
TEST(ReferenceStaggered, IsSymmetricUnderShifts) {
  const RandomField field;
  const StaggeredParameters parameters{.mass = 0.3, .boundary_phases = periodic_phases};
  const StaggeredOperator op(field.links, field.extents, parameters);
  for (int mu = 0; mu < directions; ++mu) {
    Coordinates unit{};
    unit[mu] = 1;
    const auto shifted = [&](const ColorField& chi) {
      ColorField result = zero_color_field(field.extents);
      for_each_site(field.extents, [&](const Coordinates& x) {
        double zeta = 1.0;
        for (int nu = 0; nu < directions; ++nu)
          if (x[nu] % 2 != 0) zeta *= staggered_phase(unit, nu);
        add_color_at(result, x, field.extents, zeta, color_at(chi, neighbor(x, mu, 1, field.extents), field.extents));
      });
      return result;
    };
    Links shifted_links(field.links.size());
    for_each_site(field.extents, [&](const Coordinates& x) {
      for (int nu = 0; nu < directions; ++nu)
        std::copy_n(&field.links[link_offset(neighbor(x, mu, 1, field.extents), nu, field.extents)], 9,
                    &shifted_links[link_offset(x, nu, field.extents)]);
    });
    const StaggeredOperator moved(shifted_links, field.extents, parameters);
    EXPECT_LT(relative_difference(moved.apply(shifted(field.chi)), shifted(op.apply(field.chi))), rounding);
  }
}

TEST(ReferenceStaggered, BoundaryPhasesAreGaugeEquivalentToPhasesSpreadOverAllLinks) {
  const RandomField field;
  const double theta = 0.7;
  const StaggeredOperator at_the_edge(field.links, field.extents,
                                      {.mass = 0.3, .boundary_phases = {1.0, std::polar(1.0, theta), 1.0, 1.0}});
  Links spread = field.links;
  for_each_site(field.extents, [&](const Coordinates& x) {
    for (std::size_t k = 0; k < 9; ++k)
      spread[link_offset(x, 1, field.extents) + k] *= std::polar(1.0, theta / field.extents[1]);
  });
  const auto rotated = [&](const ColorField& chi) {
    ColorField result = zero_color_field(field.extents);
    for_each_site(field.extents, [&](const Coordinates& x) {
      add_color_at(result, x, field.extents, std::polar(1.0, -theta * x[1] / field.extents[1]),
                   color_at(chi, x, field.extents));
    });
    return result;
  };
  const StaggeredOperator everywhere(spread, field.extents, {.mass = 0.3, .boundary_phases = periodic_phases});
  EXPECT_LT(relative_difference(everywhere.apply(rotated(field.chi)), rotated(at_the_edge.apply(field.chi))), rounding);
}

TEST(ReferenceStaggered, ActsOnFreePlaneWavesInClosedForm) {
  const Coordinates extents{4, 6, 2, 8};
  const StaggeredParameters parameters = twisted_boundaries();
  const StaggeredOperator op(unit_links(extents), extents, parameters);
  const ColorVector v{Complex(1.0, 0.2), Complex(-0.4, 0.7), Complex(0.1, -1.3)};
  for (const Coordinates& mode : {Coordinates{0, 0, 0, 0}, Coordinates{1, 4, 1, 3}, Coordinates{3, 2, 0, 5}}) {
    const std::array<double, directions> p = staggered_momentum(mode, extents, parameters);
    const ColorField wave = color_plane_wave(p, v, extents);
    EXPECT_LT(relative_difference(op.hop(wave), free_staggered_hop(p, v, extents)), rounding);
    const ColorField squared = add(zero_color_field(extents), -1.0, op.hop(op.hop(wave)));
    EXPECT_LT(relative_difference(squared, add(zero_color_field(extents), free_staggered_eigenvalue(p), wave)),
              rounding);
  }
}

// Fat links that are no unitary matrices, and third links in U(3).
struct ImprovedField {
  std::mt19937_64 generator{20240608};
  Coordinates extents{4, 6, 4, 8};
  Links fat = sum(random_links(extents, generator), random_links(extents, generator));
  Links third = with_phases(random_links(extents, generator));
  StaggeredParameters parameters = improved(twisted_boundaries());
  StaggeredOperator op{fat, third, extents, parameters};
  ColorField chi = random_color_field(extents, generator);
  ColorField phi = random_color_field(extents, generator);

  static Links sum(Links a, const Links& b) {
    for (std::size_t k = 0; k < a.size(); ++k) a[k] += 0.3 * b[k];
    return a;
  }
  static Links with_phases(Links links) {
    for (std::size_t k = 0; k < links.size(); ++k) links[k] *= std::polar(1.0, 0.1 * static_cast<double>(k / 9));
    return links;
  }
  static StaggeredParameters improved(StaggeredParameters parameters) {
    parameters.third_weight = -0.07;
    return parameters;
  }
};

TEST(ReferenceImprovedStaggered, HopIsAntiHermitianAndItsDaggerTheAdjoint) {
  const ImprovedField f;
  EXPECT_LT(norm2(add(f.op.hop_dagger(f.chi), 1.0, f.op.hop(f.chi))), rounding * rounding * norm2(f.chi));
  const Complex left = dot(f.phi, f.op.apply(f.chi)), right = dot(f.op.apply_dagger(f.phi), f.chi);
  EXPECT_LT(std::abs(left - right), rounding * std::sqrt(norm2(f.phi) * norm2(f.chi)));
}

TEST(ReferenceImprovedStaggered, HopAnticommutesWithTheParitySign) {
  const ImprovedField f;
  const ColorField signed_hop = with_parity_sign(f.op.hop(with_parity_sign(f.chi, f.extents)), f.extents);
  EXPECT_LT(norm2(add(signed_hop, 1.0, f.op.hop(f.chi))), rounding * rounding * norm2(f.chi));
}

TEST(ReferenceImprovedStaggered, IsGaugeCovariant) {
  ImprovedField f;
  const GaugeTransformation g = random_gauge_transformation(f.extents, f.generator);
  const StaggeredOperator transformed(transform_links(f.fat, g, f.extents), transform_links(f.third, g, f.extents, 3),
                                      f.extents, f.parameters);
  EXPECT_LT(relative_difference(transformed.apply(transform_color_field(f.chi, g, f.extents)),
                                transform_color_field(f.op.apply(f.chi), g, f.extents)),
            rounding);
}

TEST(ReferenceImprovedStaggered, ThirdLinksTransformLikeProductsOfThree) {
  std::mt19937_64 generator(3);
  const Coordinates extents{4, 6, 4, 4};
  const Links links = random_links(extents, generator);
  const GaugeTransformation g = random_gauge_transformation(extents, generator);
  const Links found = third_links(transform_links(links, g, extents), extents);
  EXPECT_LT(relative_difference(found, transform_links(third_links(links, extents), g, extents, 3)), rounding);
}

TEST(ReferenceImprovedStaggered, IsTheNaiveOperatorWithoutThirdLinks) {
  ImprovedField f;
  f.parameters.third_weight = 0.0;
  const StaggeredOperator naive(f.fat, f.extents, f.parameters);
  const StaggeredOperator improved(f.fat, f.third, f.extents, f.parameters);
  EXPECT_LT(relative_difference(improved.apply(f.chi), naive.apply(f.chi)), rounding);
}

// 9/8 sin p - 1/24 sin 3p = p - 3 p^5/40 + ...
TEST(ReferenceImprovedStaggered, ActsOnFreePlaneWavesInClosedForm) {
  const Coordinates extents{4, 6, 4, 8};
  StaggeredParameters parameters = twisted_boundaries();
  parameters.third_weight = -1.0 / 24.0;
  Links fat = unit_links(extents);
  for (Complex& element : fat) element *= 9.0 / 8.0;
  const StaggeredOperator op(fat, unit_links(extents), extents, parameters);
  const ColorVector v{Complex(1.0, 0.2), Complex(-0.4, 0.7), Complex(0.1, -1.3)};
  for (const Coordinates& mode : {Coordinates{0, 0, 0, 0}, Coordinates{1, 4, 3, 3}, Coordinates{3, 2, 0, 5}}) {
    const std::array<double, directions> p = staggered_momentum(mode, extents, parameters);
    EXPECT_LT(relative_difference(op.hop(color_plane_wave(p, v, extents)),
                                  free_staggered_hop(p, v, extents, 9.0 / 8.0, -1.0 / 24.0)),
              rounding);
  }
}

// Links and solutions are stored in single precision.
TEST(ReferenceImprovedStaggered, HasTheSolutionsOfMilc) {
  KAON_TEST_DATA_FILE(milc, "milc");
  const StoredAsqtad stored(milc);
  const StaggeredOperator op(stored.fat, stored.third, stored.extents,
                             {.mass = 0.1, .third_weight = stored.third_weight});
  const ColorField x = read_milc_color_field(milc / "ksvector.ans.Minv.sample.l8", stored.extents);
  EXPECT_LT(relative_difference(op.apply(x), stored.source), 1e-6);
  const ColorField y = read_milc_color_field(milc / "ksvector.ans.MdaggerMinv.sample.l8", stored.extents);
  EXPECT_LT(relative_difference(op.apply_dagger(op.apply(y)), stored.source), 1e-5);
}

// -D^2 = 4 sum_mu sin^2 p_mu, on 4^4 with antiperiodic time between 4 sin^2(pi/4) and 12 + 4 sin^2(pi/4).
TEST(ReferenceStaggered, FreeExtremalEigenvaluesAreThoseOfTheSines) {
  const Coordinates extents{4, 4, 4, 4};
  const StaggeredOperator op(unit_links(extents), extents, {});
  std::mt19937_64 generator(1);
  const ColorField start = restrict_to_parity(random_color_field(extents, generator), 0, extents);
  const auto found =
      extremal_eigenvalues([&](const ColorField& chi) { return staggered_normal(op, chi, 0); }, start, 20);
  EXPECT_NEAR(found.smallest, 2.0, 1e-12);
  EXPECT_NEAR(found.largest, 14.0, 1e-12);
}

// cl2qcd's extremal eigenvalues of m^2 - (D/2)^2, periodic in all directions.
TEST(ReferenceStaggered, ReproducesExtremalEigenvaluesOfCl2qcd) {
  KAON_TEST_DATA_FILE(path, "ildg/conf.00200");
  const Coordinates extents{4, 4, 4, 4};
  const Links links = read_ildg_double(path, extents);
  struct Case {
    double mass;
    double largest;
    double smallest;
  };
  for (const Case& expected : {Case{1.01335, 5.98872570728786, 1.052181334}, Case{0.567, 5.283336485, 0.346792112}}) {
    const StaggeredOperator op(links, extents, {.mass = expected.mass, .boundary_phases = periodic_phases});
    for (const int parity : {0, 1}) {
      std::mt19937_64 generator(1);
      const ColorField start = restrict_to_parity(random_color_field(extents, generator), parity, extents);
      const auto found =
          extremal_eigenvalues([&](const ColorField& chi) { return staggered_normal(op, chi, parity); }, start, 150);
      EXPECT_NEAR(found.largest / 4.0, expected.largest, 1e-9);
      EXPECT_NEAR(found.smallest / 4.0, expected.smallest, 1e-9);
    }
  }
}

// X_k,c(x) = cos(1 + .37 n + .7 c + k) + i sin(.23 n + c + 2 k), n the lexicographic index.
ColorField deterministic_field(int k, const Coordinates& extents) {
  ColorField chi = zero_color_field(extents);
  for_each_site(extents, [&](const Coordinates& x) {
    const auto n = static_cast<double>(lexicographic_index(x, extents));
    ColorVector v;
    for (int c = 0; c < colors; ++c)
      v[static_cast<std::size_t>(c)] = {std::cos(1.0 + 0.37 * n + 0.7 * c + k), std::sin(0.23 * n + c + 2.0 * k)};
    add_color_at(chi, x, extents, 1.0, v);
  });
  return chi;
}

// Numbers of an independent program in another language, which reproduces MILC's trajectories: antiperiodic in time.
TEST(ReferenceStaggered, ReproducesSumsOnFieldsOfMilc) {
  KAON_TEST_DATA_FILE(folder, "");
  struct Case {
    const char* path;
    Coordinates extents;
    double x_norm2;
    double hop_norm2;
    double product;  // Re <X_1, D X_0>
  };
  for (const Case& expected :
       {Case{"milc/lat.sample.l4444", {4, 4, 4, 4}, 767.364359258598, 5473.018924243250, 108.999666868446},
        Case{"staggered/lat.sample.l6666.hisq",
             {6, 6, 6, 6},
             3888.546132075026,
             31460.393398908989,
             -833.588011298557}}) {
    const StaggeredOperator op(reunitarize(read_milc(folder / expected.path, expected.extents)), expected.extents, {});
    const ColorField x = deterministic_field(0, expected.extents);
    const ColorField hop = op.hop(x);
    EXPECT_NEAR(norm2(x) / expected.x_norm2, 1.0, 1e-12);
    EXPECT_NEAR(norm2(hop) / expected.hop_norm2, 1.0, 1e-12);
    EXPECT_NEAR(dot(deterministic_field(1, expected.extents), hop).real() / expected.product, 1.0, 1e-12);
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::reference
