// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <limits>

#include "tests/reference/improved_links.hpp"
#include "tests/reference/stored_fields.hpp"
#include "tests/support/data.hpp"

namespace kaon::reference {
namespace {

double largest_difference(const Links& a, const Links& b) {
  double largest = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) largest = std::max(largest, std::abs(a[k] - b[k]));
  return largest;
}

double norm2_of(const Links& links) {
  double sum = 0.0;
  for (const Complex& element : links) sum += std::norm(element);
  return sum;
}

double real_trace_of(const Links& links) { return 3.0 * link_trace(links) * static_cast<double>(links.size() / 9); }

double largest_number(const Links& links) {
  double largest = 0.0;
  for (const Complex& element : links)
    largest = std::max({largest, std::abs(element.real()), std::abs(element.imag())});
  return largest;
}

Links scaled(Complex factor, Links links) {
  for (Complex& element : links) element *= factor;
  return links;
}

Links sum_of(const Links& a, const Links& b) {
  Links result = a;
  for (std::size_t k = 0; k < result.size(); ++k) result[k] += b[k];
  return result;
}

// |a - b| / |b|
double relative_distance(const Links& a, const Links& b) {
  return std::sqrt(norm2_of(sum_of(a, scaled(-1.0, b))) / norm2_of(b));
}

// Sums of an independent program over all links: |.|^2, Re Tr, and the largest real or imaginary part.
struct Sums {
  double norm2, real_trace, largest;
};

void expect_sums(const Links& links, const Sums& expected) {
  EXPECT_NEAR(norm2_of(links) / expected.norm2, 1.0, 1e-12);
  EXPECT_NEAR(real_trace_of(links) / expected.real_trace, 1.0, 1e-12);
  EXPECT_NEAR(largest_number(links), expected.largest, 1e-9);
}

struct Case {
  const char* file;
  Coordinates extents;
  double plaquette;
  Sums asqtad_fat, asqtad_long, v, w;
  double sum_of_phases;  // arg det W
  Sums hisq_fat, hisq_long, charm_fat;
};

const Case cases[] = {{"milc/lat.sample.l4444",
                       {4, 4, 4, 4},
                       0.594850153902,
                       {3649.833391752103, 2282.827139237195, 1.297576687},
                       {9.309400563450, -67.358815236602, 0.054402971},
                       {1185.180012561687, 1347.556963420300, 0.700292669},
                       {3072.0, 2188.434289260630, 0.998799927},
                       -2.782128449753,
                       {3891.272455787089, 2459.124923183913, 1.139986279},
                       {5.333333333333, -80.609353064064, 0.041240543},
                       {3805.859839382808, 2431.769494568156, 1.127703538}},
                      {"staggered/lat.sample.l6666.hisq",
                       {6, 6, 6, 6},
                       0.616691015135,
                       {19458.378913704913, 3089.174449367914, 1.339327975},
                       {47.128840352467, -51.644938031961, 0.054619004},
                       {6228.348484670782, 1801.322515899400, 0.714496938},
                       {15552.0, 2871.855435145536, 0.994530034},
                       -9.386377038502,
                       {20280.509331719240, 3251.829816121470, 1.184030874},
                       {27.0, -64.214775896114, 0.041312559},
                       {19841.155853646436, 3215.931623182151, 1.171599249}}};

TEST(ReferenceImprovedLinks, ReproduceSumsOfAnotherProgram) {
  for (const Case& c : cases) {
    SCOPED_TRACE(c.file);
    KAON_TEST_DATA_FILE(path, c.file);
    const Links u = reunitarize(read_milc(path, c.extents));
    EXPECT_NEAR(plaquette(u, c.extents), c.plaquette, 1e-12);
    expect_sums(fat_links(u, asqtad_paths(0.87), c.extents), c.asqtad_fat);
    expect_sums(scaled(-1.0 / (24.0 * 0.87 * 0.87), third_links(u, c.extents)), c.asqtad_long);
    const Links v = fat_links(u, fat7_paths(), c.extents);
    expect_sums(v, c.v);
    const Links w = project_to_u3(v);
    expect_sums(w, c.w);
    double sum_of_phases = 0.0;
    transform_each_link(w, [&](const ColorMatrix& link) {
      sum_of_phases += std::arg(determinant(link));
      return link;
    });
    EXPECT_NEAR(sum_of_phases, c.sum_of_phases, 1e-11);
    expect_sums(fat_links(w, hisq_paths(0.0), c.extents), c.hisq_fat);
    expect_sums(fat_links(w, hisq_paths(-0.1), c.extents), c.charm_fat);
    expect_sums(scaled(-1.0 / 24.0, third_links(w, c.extents)), c.hisq_long);
  }
}

// MILC's own links in single precision, with its phases and antiperiodic in time.
TEST(ReferenceImprovedLinks, ReproduceMilcsAsqtadLinks) {
  KAON_TEST_DATA_FILE(folder, "milc");
  const Coordinates extents{8, 8, 8, 8};
  const double u0 = 0.502, rounding = 0.5 * std::numeric_limits<float>::epsilon();
  const Links u = reunitarize(read_scidac_float(folder / "lat.sample.l8", extents));
  const Links fat = fold_phases(fat_links(u, asqtad_paths(u0), extents), extents, true);
  EXPECT_LT(relative_distance(fat, read_scidac_float(folder / "fat.l8", extents)), rounding);
  const Links third = fold_phases(scaled(-1.0 / (24.0 * u0 * u0), third_links(u, extents)), extents, true, 3);
  EXPECT_LT(relative_distance(third, read_scidac_float(folder / "long.l8", extents)), rounding);
}

class ReferenceFattening : public ::testing::Test {
 protected:
  static constexpr Coordinates extents{4, 6, 2, 4};
  std::mt19937_64 generator{1};
  Links u = random_links(extents, generator);
};

// Each path has as many factors of eta_mu and of the boundary sign as the link itself, and its squares turn the sign
// with every plaquette that it goes around.
TEST_F(ReferenceFattening, CommutesWithPhasesWhenOddStaplesChangeSign) {
  PathCoefficients folded = asqtad_paths(0.87);
  folded.three_staple *= -1.0;
  folded.seven_staple *= -1.0;
  const Links with_phases = fat_links(fold_phases(u, extents, true), folded, extents);
  EXPECT_LT(largest_difference(with_phases, fold_phases(fat_links(u, asqtad_paths(0.87), extents), extents, true)),
            1e-13);
  EXPECT_LT(largest_difference(third_links(fold_phases(u, extents, true), extents),
                               fold_phases(third_links(u, extents), extents, true, 3)),
            1e-13);
}

TEST_F(ReferenceFattening, KeepsTheSumOfCoefficientsOnUnitLinks) {
  const Links unit = unit_links(extents);
  EXPECT_LT(largest_difference(fat_links(unit, fat7_paths(), extents), unit), 1e-14);
  EXPECT_LT(largest_difference(fat_links(unit, asqtad_paths(1.0), extents), scaled(9.0 / 8.0, unit)), 1e-14);
  EXPECT_LT(largest_difference(fat_links(unit, hisq_paths(0.0), extents), scaled(9.0 / 8.0, unit)), 1e-14);
}

TEST_F(ReferenceFattening, IsGaugeCovariant) {
  const GaugeTransformation g = random_gauge_transformation(extents, generator);
  const Links moved = transform_links(u, g, extents);
  EXPECT_LT(largest_difference(fat_links(moved, asqtad_paths(0.87), extents),
                               transform_links(fat_links(u, asqtad_paths(0.87), extents), g, extents)),
            1e-13);
}

TEST_F(ReferenceFattening, IsLinearInTheNaikEpsilon) {
  const double epsilon = -0.1;
  EXPECT_LT(largest_difference(fat_links(u, hisq_paths(epsilon), extents),
                               sum_of(fat_links(u, hisq_paths(0.0), extents), scaled(epsilon / 8.0, u))),
            1e-13);
}

TEST_F(ReferenceFattening, ProjectsToTheUnitaryPartOfThePolarDecomposition) {
  for (int trial = 0; trial < 100; ++trial) {
    const ColorMatrix a = random_su3(generator), b = random_su3(generator);
    const ColorMatrix stretch{0.9, 0.0, 0.0, 0.0, 0.4, 0.0, 0.0, 0.0, 0.02};
    const Complex phase = std::polar(1.0, 0.1 * trial);
    const ColorMatrix expected = phase * a;
    const ColorMatrix w = project_to_u3(expected * (dagger(b) * stretch * b));
    for (std::size_t k = 0; k < w.size(); ++k) EXPECT_LT(std::abs(w[k] - expected[k]), 1e-13);
  }
}

}  // namespace
}  // namespace kaon::reference
