// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/gauge/improved_cases.hpp"
#include "tests/gauge/initial_links.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/gauge/fat_links.hpp>

#include <cmath>
#include <limits>

namespace kaon::test {
namespace KAON_TEST_FILE {

reference::PathCoefficients reference_paths(const PathCoefficients& c) {
  return {c.one_link, c.three_staple, c.five_staple, c.seven_staple, c.lepage};
}

const PathCoefficients all_coefficients[] = {asqtad_coefficients(0.87), fat7_coefficients(), hisq_coefficients(-0.1)};

TEST(FatLinks, EqualTheSumOverPaths) {
  std::vector<reference::Links> expected;
  for (const Lattice& lattice : test_lattices()) {
    const GaugeField<double> links = charged_links(lattice);
    if (lattice.lanes() == Lanes::native) {  // the same links follow in one lane
      expected.clear();
      for (const PathCoefficients& c : all_coefficients) {
        expected.push_back(reference::fat_links(links.to_host(), reference_paths(c), lattice.extents()));
      }
    }
    for (std::size_t k = 0; k < expected.size(); ++k) {
      EXPECT_LT(largest_difference(fat_links(links, all_coefficients[k]).to_host(), expected[k]), tolerance<double>);
    }
  }
}

TEST(FatLinks, NeedNoUnitaryLinksWithoutLepagesStaple) {
  const Lattice lattice({.extents = {8, 4, 4, 8}});
  GaugeField<double> links(lattice);
  reference::Links host = random_links(lattice).to_host();
  for (std::size_t k = 0; k < host.size(); ++k) host[k] *= 1.0 + 0.1 * std::cos(static_cast<double>(k));
  links.from_host(host);
  const PathCoefficients c = fat7_coefficients();
  EXPECT_LT(largest_difference(fat_links(links, c).to_host(),
                               reference::fat_links(host, reference_paths(c), lattice.extents())),
            tolerance<double>);
}

TEST(FatLinks, AreTheSumOfCoefficientsInTheFreeField) {
  for (const Lattice& lattice : test_lattices()) {
    const GaugeField<double> unit = unit_links<double>(lattice);
    const auto expect_multiple = [&](const PathCoefficients& c, double factor) {
      reference::Links expected = unit.to_host();
      for (auto& element : expected) element *= factor;
      EXPECT_LT(largest_difference(fat_links(unit, c).to_host(), expected), tolerance<double>);
    };
    expect_multiple(fat7_coefficients(), 1.0);
    expect_multiple(asqtad_coefficients(1.0), 9.0 / 8.0);
    expect_multiple(hisq_coefficients(0.0), 9.0 / 8.0);
    expect_multiple(hisq_coefficients(-0.16), 9.0 / 8.0 - 0.02);
  }
}

TEST(FatLinks, KeepTheirInput) {
  const Lattice lattice({.extents = {8, 4, 4, 8}});
  const GaugeField<double> links = random_links(lattice);
  const reference::Links before = links.to_host();
  static_cast<void>(fat_links(links, asqtad_coefficients(0.9)));
  static_cast<void>(third_links(links));
  EXPECT_EQ(links.to_host(), before);
}

TEST(ThirdLinks, EqualTheProductOfThree) {
  for (const Lattice& lattice : test_lattices()) {
    const GaugeField<double> links = charged_links(lattice);
    EXPECT_LT(
        largest_difference(third_links(links).to_host(), reference::third_links(links.to_host(), lattice.extents())),
        tolerance<double>);
  }
}

TEST(PathCoefficients, AreThoseOfMilcWithoutItsPhases) {
  const PathCoefficients c = asqtad_coefficients(0.502);
  EXPECT_NEAR(c.one_link, 0.625, 1e-15);
  EXPECT_NEAR(c.third, -0.16534129, 1e-8);
  EXPECT_NEAR(c.three_staple, 0.24801194, 1e-8);
  EXPECT_NEAR(c.five_staple, 0.24603968, 1e-8);
  EXPECT_NEAR(c.seven_staple, 0.16272207, 1e-8);
  EXPECT_NEAR(c.lepage, -0.98415873, 1e-8);
  EXPECT_NEAR(hisq_coefficients(0.0).third, -1.0 / 24.0, 1e-16);
  EXPECT_NEAR(hisq_coefficients(-0.1).third, -0.9 / 24.0, 1e-16);
  EXPECT_NEAR(hisq_coefficients(-0.16).one_link, 0.98, 1e-15);
}

TEST(PathCoefficients, AreRefusedWhereTheyAreNone) {
  KAON_EXPECT_ERROR(asqtad_coefficients(0.0), "the tadpole factor u0 = 0 is not usable");
  KAON_EXPECT_ERROR(asqtad_coefficients(-0.9), "u0 = -0.9 is not usable: it must be a positive number");
  KAON_EXPECT_ERROR(asqtad_coefficients(std::nan("")), "u0 = nan is not usable");
  for (const double u0 : {1e-300, 1e-60, 1e60, 1e300}) {
    KAON_EXPECT_ERROR(asqtad_coefficients(u0), "1/u0^6 must not overflow");
  }
  KAON_EXPECT_ERROR(hisq_coefficients(std::numeric_limits<double>::infinity()), "the Naik epsilon inf is not usable");
}

TEST(FatLinks, RefuseLinksTheyCannotTake) {
  const Lattice lattice({.extents = {4, 4, 4, 8}});
  GaugeField<double> links = weak_links(lattice);
  const GaugeField<double> compressed(links, LinkStorage::two_rows);
  KAON_EXPECT_ERROR(fat_links(compressed, fat7_coefficients()), "12 reals were given where 18 are wanted");
  KAON_EXPECT_ERROR(third_links(compressed), "12 reals were given where 18 are wanted");
  PathCoefficients not_finite = fat7_coefficients();
  not_finite.five_staple = std::nan("");
  KAON_EXPECT_ERROR(fat_links(links, not_finite), "path coefficients must be finite, not 0.125 (one link)");
  reference::Links host = links.to_host();
  host[reference::link_offset({3, 0, 1, 6}, 2, lattice.extents()) + 4] += 0.5;
  links.from_host(host);
  EXPECT_NO_THROW(static_cast<void>(fat_links(links, fat7_coefficients())));
  KAON_EXPECT_ERROR(fat_links(links, asqtad_coefficients(1.0)),
                    "fattening with Lepage's staple needs unitary links: in direction z at site (3, 0, 1, 6)");
  host[reference::link_offset({3, 0, 1, 6}, 2, lattice.extents()) + 4] = std::nan("");
  links.from_host(host);
  KAON_EXPECT_ERROR(fat_links(links, asqtad_coefficients(1.0)), "an element of U U^dag - 1 is inf");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
