// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <limits>

#include "tests/reference/improved_links_sums.hpp"
#include "tests/reference/stored_fields.hpp"
#include "tests/support/data.hpp"

namespace kaon::reference {
namespace KAON_TEST_FILE {

double largest_difference(const Links& a, const Links& b) { return largest_number(add_links(a, -1.0, b)); }

TEST(ReferenceImprovedLinks, ReproduceSumsOfAnotherProgram) {
  for (const ImprovedLinksSums& c : improved_links_sums()) {
    SCOPED_TRACE(c.file);
    KAON_TEST_DATA_FILE(path, c.file);
    const Links u = reunitarize(read_milc(path, c.extents));
    EXPECT_NEAR(plaquette(u, c.extents), c.plaquette, 1e-12);
    ImprovedLinksSteps steps;
    steps.asqtad_fat = fat_links(u, asqtad_paths(0.87), c.extents);
    steps.asqtad_long = scaled(-1.0 / (24.0 * 0.87 * 0.87), third_links(u, c.extents));
    steps.v = fat_links(u, fat7_paths(), c.extents);
    steps.w = project_to_u3(steps.v);
    steps.hisq_fat = fat_links(steps.w, hisq_paths(0.0), c.extents);
    steps.charm_fat = fat_links(steps.w, hisq_paths(-0.1), c.extents);
    steps.hisq_long = scaled(-1.0 / 24.0, third_links(steps.w, c.extents));
    expect_sums(steps, c);
  }
}

// MILC's own links in single precision, with its phases and antiperiodic in time.
TEST(ReferenceImprovedLinks, ReproduceMilcsAsqtadLinks) {
  KAON_TEST_DATA_FILE(folder, "milc");
  const Coordinates extents{8, 8, 8, 8};
  const double u0 = 0.502, rounding = 0.5 * std::numeric_limits<float>::epsilon();
  const auto stored = [&](const char* file) {
    return read_scidac_single(folder / file, static_cast<std::size_t>(36 * volume_of(extents)));
  };
  const Links u = reunitarize(stored("lat.sample.l8"));
  const Links fat = fold_phases(fat_links(u, asqtad_paths(u0), extents), extents, true);
  EXPECT_LT(relative_distance(fat, stored("fat.l8")), rounding);
  const Links third = fold_phases(scaled(-1.0 / (24.0 * u0 * u0), third_links(u, extents)), extents, true, 3);
  EXPECT_LT(relative_distance(third, stored("long.l8")), rounding);
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
                               add_links(fat_links(u, hisq_paths(0.0), extents), epsilon / 8.0, u)),
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

}  // namespace KAON_TEST_FILE
}  // namespace kaon::reference
