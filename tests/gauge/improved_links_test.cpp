// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "gauge/staggered/fat_links.hpp"
#include "tests/gauge/improved_cases.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/gauge/fat_links.hpp>
#include <kaon/gauge/gauge_transformation.hpp>
#include <kaon/gauge/improved_links.hpp>
#include <kaon/gauge/link_phases.hpp>
#include <kaon/gauge/unitarity.hpp>

#include <cmath>

namespace kaon::test {
namespace KAON_TEST_FILE {

TEST(AsqtadLinks, AreFatAndThirdLinksWithItsCoefficients) {
  for (const Lattice& lattice : test_lattices()) {
    const GaugeField<double> links = random_links(lattice);
    const ImprovedLinks improved = asqtad_links(links, 0.87);
    EXPECT_EQ(improved.fat.to_host(), fat_links(links, asqtad_coefficients(0.87)).to_host());
    EXPECT_EQ(improved.third.to_host(), third_links(links).to_host());
    EXPECT_EQ(improved.third_weight, asqtad_coefficients(0.87).third);
  }
}

TEST(HisqLinks, EqualReference) {
  const double epsilon = -0.16875;
  reference::Links fat, third;
  for (const Lattice& lattice : test_lattices()) {
    const GaugeField<double> links = weak_links(lattice);
    if (lattice.lanes() == Lanes::native) {  // the same links follow in one lane
      const Coordinates& extents = lattice.extents();
      const reference::Links w =
          reference::project_to_u3(reference::fat_links(links.to_host(), reference::fat7_paths(), extents));
      fat = reference::fat_links(w, reference::hisq_paths(epsilon), extents);
      third = reference::third_links(w, extents);
    }
    const ImprovedLinks improved = hisq_links(links, epsilon);
    EXPECT_LT(largest_difference(improved.fat.to_host(), fat), 10.0 * tolerance<double>);
    EXPECT_LT(largest_difference(improved.third.to_host(), third), 10.0 * tolerance<double>);
    EXPECT_NEAR(improved.third_weight, -(1.0 + epsilon) / 24.0, 1e-16);
  }
}

TEST(LongLinks, AreThirdLinksWithTheirWeight) {
  for (const Lattice& lattice : test_lattices()) {
    ImprovedLinks improved = hisq_links(weak_links(lattice), -0.16875);
    const GaugeField<double> long_ones = long_links(improved);
    std::vector<std::complex<double>> expected = improved.third.to_host();
    for (auto& element : expected) element *= improved.third_weight;
    EXPECT_EQ(long_ones.to_host(), expected);

    const ImprovedLinks found = links_from_long(improved.fat.share(), long_ones);
    EXPECT_EQ(found.fat.data(), improved.fat.data());
    EXPECT_NEAR(found.third_weight, improved.third_weight, 1e-15);
    EXPECT_LT(largest_difference(found.third.to_host(), improved.third.to_host()), tolerance<double>);
    // The sign of w is a convention.
    improved.third_weight *= -1.0;
    EXPECT_LT(links_from_long(improved.fat.share(), long_links(improved)).third_weight, 0.0);
  }
}

// Links in no group, and links that are zero, are used as they are.
TEST(LongLinks, ThatAreNotUnitaryHaveTheWeightOne) {
  const Lattice lattice = test_lattices().front();
  const ImprovedLinks improved = asqtad_links(weak_links(lattice), 0.87);
  for (const GaugeField<double>& links : {improved.fat.clone(), GaugeField<double>(lattice)}) {
    const ImprovedLinks found = links_from_long(improved.fat.share(), links);
    EXPECT_EQ(found.third_weight, 1.0);
    EXPECT_EQ(found.third.to_host(), links.to_host());
  }
}

TEST(LongLinks, ShowTheSignsThatAreFoldedIn) {
  for (const Lattice& lattice : test_lattices()) {
    const GaugeField<double> links = weak_links(lattice);
    for (const ImprovedLinks& improved : {asqtad_links(links, 0.87), hisq_links(links, -0.2)}) {
      const auto expect_signs = [&](const GaugeField<double>& long_ones, std::optional<bool> milc,
                                    std::optional<bool> antiperiodic) {
        const detail::FoldedSigns found = detail::signs_in_long_links(long_ones);
        EXPECT_EQ(found.milc, milc);
        EXPECT_EQ(found.antiperiodic, antiperiodic);
      };
      const GaugeField<double> plain = long_links(improved);
      expect_signs(plain, false, false);
      for (const bool antiperiodic : {false, true}) {
        GaugeField<double> folded = plain.clone();
        fold_staggered_phases(folded, {.antiperiodic = antiperiodic, .steps = 3});
        expect_signs(folded, true, antiperiodic);
        fold_staggered_phases(folded, {.antiperiodic = false, .steps = 3});
        expect_signs(folded, false, antiperiodic);
      }
      GaugeField<double> other = plain.clone();  // signs of another convention are not taken for MILC's
      fold_staggered_phases(other, {.antiperiodic = false, .steps = 3, .convention = PhaseConvention::chroma});
      expect_signs(other, std::nullopt, std::nullopt);
    }
  }
}

TEST(LongLinks, AreANumberTimesUnitaryLinks) {
  const Lattice lattice = test_lattices().front();
  const ImprovedLinks improved = hisq_links(weak_links(lattice));
  EXPECT_LT(detail::distance_from_multiple_of_unitary(long_links(improved)), tolerance<double>);
  EXPECT_GT(detail::distance_from_multiple_of_unitary(improved.fat), 1e-3);
  EXPECT_EQ(detail::distance_from_multiple_of_unitary(GaugeField<double>(lattice)), 0.0);
}

TEST(LongLinks, AreRefusedWhereTheyDoNotFit) {
  const Lattice lattice = test_lattices().front(), other({.extents = {6, 4, 4, 4}});
  const ImprovedLinks improved = asqtad_links(weak_links(lattice), 0.87);
  KAON_EXPECT_ERROR(links_from_long(improved.fat.share(), GaugeField<double>(other)), "must lie on one lattice");
  const GaugeField<double> compressed(improved.third, LinkStorage::two_rows);
  KAON_EXPECT_ERROR(links_from_long(improved.fat.share(), compressed), "made of links in 18 reals");
}

TEST(HisqLinks, OfSeveralEpsilonsShareOneLevel) {
  const double epsilons[] = {0.0, -0.1, -0.35};
  for (const Coordinates& extents : {Coordinates{4, 6, 2, 8}, Coordinates{8, 4, 4, 8}}) {
    const GaugeField<double> links = random_links(Lattice({.extents = extents}));
    const std::vector<ImprovedLinks> all = hisq_links(links, epsilons);
    ASSERT_EQ(all.size(), 3u);
    for (std::size_t k = 0; k < 3; ++k) {
      const ImprovedLinks one = hisq_links(links, epsilons[k]);
      EXPECT_LT(largest_difference(all[k].fat.to_host(), one.fat.to_host()), tolerance<double>);
      EXPECT_EQ(all[k].third.data(), all[0].third.data());
      EXPECT_EQ(all[k].third.to_host(), one.third.to_host());
      EXPECT_EQ(all[k].third_weight, one.third_weight);
    }
  }
  EXPECT_TRUE(hisq_links(random_links(test_lattices().front()), std::span<const double>()).empty());
}

TEST(ImprovedLinks, AreNearlyUnitaryWhereTheyShouldBe) {
  const Lattice lattice({.extents = {8, 8, 4, 8}});
  const GaugeField<double> links = charged_links(lattice);
  EXPECT_LT(deviation_from_su3(asqtad_links(links, 0.9).third).unitarity.deviation, tolerance<double>);
  EXPECT_LT(deviation_from_su3(hisq_links(links).third).unitarity.deviation, tolerance<double>);
}

TEST(ImprovedLinks, AreGaugeCovariant) {
  const Lattice lattice({.extents = {8, 4, 4, 8}});
  const Coordinates& extents = lattice.extents();
  std::mt19937_64 generator(11);
  const reference::GaugeTransformation g = reference::random_gauge_transformation(extents, generator);
  const GaugeField<double> links = weak_links(lattice);
  GaugeField<double> moved(lattice);
  moved.from_host(reference::transform_links(links.to_host(), g, extents));
  const auto expect_covariant = [&](const ImprovedLinks& before, const ImprovedLinks& after) {
    EXPECT_LT(largest_difference(after.fat.to_host(), reference::transform_links(before.fat.to_host(), g, extents)),
              10.0 * tolerance<double>);
    EXPECT_LT(
        largest_difference(after.third.to_host(), reference::transform_links(before.third.to_host(), g, extents, 3)),
        10.0 * tolerance<double>);
  };
  expect_covariant(asqtad_links(links, 0.9), asqtad_links(moved, 0.9));
  expect_covariant(hisq_links(links, -0.2), hisq_links(moved, -0.2));
}

// All paths from x to x + mu take the phase of one link, and third links that of three.
TEST(ImprovedLinks, TakeAConstantPhaseWithThem) {
  const std::array<double, 4> angles{0.3, -0.7, 1.1, 2.0};
  const std::array<double, 4> thrice{0.9, -2.1, 3.3, 6.0};
  for (const Lattice& lattice : test_lattices()) {
    const GaugeField<double> links = weak_links(lattice);
    GaugeField<double> charged = links.clone();
    multiply_phases(charged, angles);
    const auto expect_phases = [&](ImprovedLinks neutral, const ImprovedLinks& improved) {
      multiply_phases(neutral.fat, angles);
      multiply_phases(neutral.third, thrice);
      EXPECT_LT(largest_difference(improved.fat.to_host(), neutral.fat.to_host()), 10.0 * tolerance<double>);
      EXPECT_LT(largest_difference(improved.third.to_host(), neutral.third.to_host()), 10.0 * tolerance<double>);
    };
    expect_phases(asqtad_links(links, 0.9), asqtad_links(charged, 0.9));
    expect_phases(hisq_links(links, -0.2), hisq_links(charged, -0.2));
  }
}

TEST(ImprovedLinks, RefuseWhatTheirStepsRefuse) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  GaugeField<double> links = random_links(lattice);
  KAON_EXPECT_ERROR(asqtad_links(links, 0.0), "u0 = 0 is not usable");
  KAON_EXPECT_ERROR(hisq_links(links, std::nan("")), "the Naik epsilon nan is not usable");
  const GaugeField<double> zero(lattice);
  KAON_EXPECT_ERROR(asqtad_links(zero, 0.9), "needs unitary links: in direction x at site (0, 0, 0, 0)");
  KAON_EXPECT_ERROR(hisq_links(zero), "the link in direction x at site (0, 0, 0, 0) has no projection to U(3)");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
