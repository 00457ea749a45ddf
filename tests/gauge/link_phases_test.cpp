// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/gauge/improved_cases.hpp"
#include "tests/gauge/initial_links.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/gauge/fat_links.hpp>
#include <kaon/gauge/link_phases.hpp>
#include <kaon/gauge/observables.hpp>

#include <cmath>

namespace kaon::test {
namespace KAON_TEST_FILE {

template <class T>
class LinkPhases : public ::testing::Test {};
TYPED_TEST_SUITE(LinkPhases, Precisions);

TYPED_TEST(LinkPhases, AreMilcs) {
  for (const Lattice& lattice : test_lattices()) {
    GaugeField<TypeParam> links = hot_links<TypeParam>(lattice, 2);
    const reference::Links before = links.to_host();
    for (const bool antiperiodic : {true, false}) {
      for (const int steps : {1, 3}) {
        fold_staggered_phases(links, {.antiperiodic = antiperiodic, .steps = steps});
        EXPECT_EQ(
            largest_difference(links.to_host(), reference::fold_phases(before, lattice.extents(), antiperiodic, steps)),
            0.0);
        fold_staggered_phases(links, {.antiperiodic = antiperiodic, .steps = steps});
        EXPECT_EQ(largest_difference(links.to_host(), before), 0.0);
      }
    }
  }
}

// The phases of QUDA's source, written out.
TYPED_TEST(LinkPhases, AreChromasAndThoseOfTifr) {
  const auto signs = [](PhaseConvention convention, const Coordinates& x) -> std::array<int, 4> {
    if (convention == PhaseConvention::chroma) return {1, 1 + x[0], 1 + x[0] + x[1], 1 + x[0] + x[1] + x[2]};
    return {3 + x[3] + x[2] + x[1], 2 + x[3] + x[2], 1 + x[3], 0};
  };
  for (const Lattice& lattice : test_lattices()) {
    const Coordinates& extents = lattice.extents();
    for (const PhaseConvention convention : {PhaseConvention::chroma, PhaseConvention::tifr}) {
      for (const bool antiperiodic : {true, false}) {
        GaugeField<TypeParam> links = hot_links<TypeParam>(lattice, 2);
        reference::Links expected = links.to_host();
        reference::for_each_site(extents, [&](const Coordinates& x) {
          for (std::size_t mu = 0; mu < 4; ++mu) {
            int odd = signs(convention, x)[mu];
            if (mu == 3 && antiperiodic && x[3] == extents[3] - 1) ++odd;
            for (std::size_t k = 0; k < 9; ++k) {
              expected[reference::link_offset(x, static_cast<int>(mu), extents) + k] *= odd % 2 == 0 ? 1.0 : -1.0;
            }
          }
        });
        fold_staggered_phases(links, {.antiperiodic = antiperiodic, .convention = convention});
        EXPECT_EQ(largest_difference(links.to_host(), expected), 0.0);
      }
    }
  }
}

// Around a plaquette every convention has the sign -1.
TEST(StaggeredPhases, OfAllConventionsHaveOnePlaquette) {
  const GaugeField<double> links = weak_links<double>(Lattice({.extents = {4, 6, 2, 8}}), 0.2, 3);
  const Plaquette plain = plaquette(links);
  for (const PhaseConvention convention : {PhaseConvention::milc, PhaseConvention::chroma, PhaseConvention::tifr}) {
    GaugeField<double> folded = links.clone();
    fold_staggered_phases(folded, {.antiperiodic = false, .convention = convention});
    EXPECT_EQ(plaquette(folded).spatial, -plain.spatial);
    EXPECT_EQ(plaquette(folded).temporal, -plain.temporal);
  }
}

// Codes with phases in their links turn the sign of the staples of three and of seven links.
TEST(StaggeredPhases, GoInAndOutOfFatLinksWithoutRounding) {
  PathCoefficients folded = asqtad_coefficients(0.87);
  folded.three_staple *= -1.0;
  folded.seven_staple *= -1.0;
  for (const Lattice& lattice : test_lattices()) {
    const GaugeField<double> links = random_links(lattice);
    GaugeField<double> with_phases = links.clone();
    fold_staggered_phases(with_phases);
    GaugeField<double> fat = fat_links(links, asqtad_coefficients(0.87)), third = third_links(links);
    fold_staggered_phases(fat);
    fold_staggered_phases(third, {.steps = 3});
    EXPECT_EQ(largest_difference(fat_links(with_phases, folded).to_host(), fat.to_host()), 0.0);
    EXPECT_EQ(largest_difference(third_links(with_phases).to_host(), third.to_host()), 0.0);
  }
}

TYPED_TEST(LinkPhases, FactorsOfHopsAreOnLinksInSpaceAndOnTheLastTimeSlice) {
  for (const Lattice& lattice : test_lattices()) {
    GaugeField<TypeParam> links = hot_links<TypeParam>(lattice, 2);
    reference::Links expected = links.to_host();
    const std::size_t per_slice = expected.size() / static_cast<std::size_t>(lattice.extents()[3]);
    for (std::size_t k = 0; k < expected.size(); ++k) {
      const bool in_time = k / 9 % 4 == 3;
      expected[k] *= in_time ? (k >= expected.size() - per_slice ? -1.0 : 1.0) : 0.5;
    }
    multiply_hop_factors(links, {.antiperiodic = true, .spatial = 0.5});
    EXPECT_EQ(largest_difference(links.to_host(), expected), 0.0);
  }
}

TYPED_TEST(LinkPhases, OfAFieldAreItsExponentials) {
  for (const Lattice& lattice : test_lattices()) {
    GaugeField<TypeParam> links = hot_links<TypeParam>(lattice, 2);
    reference::Links expected = links.to_host();
    std::vector<double> field;
    for (std::size_t k = 0; k < expected.size() / 9; ++k) field.push_back(std::sin(0.1 * static_cast<double>(k)));
    const double charge = -2.0 / 3.0;
    for (std::size_t k = 0; k < expected.size(); ++k) expected[k] *= std::polar(1.0, charge * field[k / 9]);
    multiply_phases(links, charge, field);
    EXPECT_LT(largest_difference(links.to_host(), expected), tolerance<TypeParam>);
  }
}

TYPED_TEST(LinkPhases, OfAConstantFieldAreTheConstant) {
  const std::array<double, 4> angles{0.3, -0.7, 1.1, 2.0};
  const Lattice lattice({.extents = {8, 4, 4, 8}});
  GaugeField<TypeParam> links = hot_links<TypeParam>(lattice, 2);
  GaugeField<TypeParam> same = links.clone();
  std::vector<double> field;
  for (std::ptrdiff_t k = 0; k < 4 * lattice.local_volume(); ++k) {
    field.push_back(0.5 * angles[static_cast<std::size_t>(k % 4)]);
  }
  multiply_phases(links, angles);
  multiply_phases(same, 2.0, field);
  EXPECT_LT(largest_difference(links.to_host(), same.to_host()), tolerance<TypeParam>);
}

TEST(PhasesOfLinks, RefuseWhatTheyCannotTake) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  GaugeField<double> links = random_links(lattice);
  KAON_EXPECT_ERROR(fold_staggered_phases(links, {.steps = 2}), "links of 2 steps have no staggered phase");
  KAON_EXPECT_ERROR(multiply_phases(links, {0.0, 0.0, std::nan(""), 0.0}),
                    "the phase angle nan in direction z is not finite");
  const std::vector<double> few(17);
  KAON_EXPECT_ERROR(multiply_phases(links, 1.0, few),
                    "17 values of a U(1) field were given on this process, whose 256 sites have 1024");
  std::vector<double> field(1024);
  field[7] = std::nan("");
  KAON_EXPECT_ERROR(multiply_phases(links, 1.0, field), "a value of the U(1) field is not finite");
  field[7] = 1e200;
  KAON_EXPECT_ERROR(multiply_phases(links, 1e200, field), "the charge 1e+200 times a value of the U(1) field");
  GaugeField<double> compressed(links, LinkStorage::two_rows);
  KAON_EXPECT_ERROR(fold_staggered_phases(compressed), "12 reals were given where 18 are wanted");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
