// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/partitions/partitions.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/gauge/clover.hpp>
#include <kaon/gauge/field_strength.hpp>
#include <kaon/gauge/gauge_transformation.hpp>
#include <kaon/gauge/initial_links.hpp>
#include <kaon/gauge/observables.hpp>
#include <kaon/gauge/unitarity.hpp>

namespace kaon::test {
namespace KAON_TEST_FILE {

template <class T>
class GaugeInParts : public ::testing::Test {};
TYPED_TEST_SUITE(GaugeInParts, Precisions);

/// Links of a partition and of the whole.
template <class T>
struct Links {
  GaugeField<T> parts, whole;
  explicit Links(const Partition& partition) : parts(partition.parts), whole(partition.whole) {
    set_random(parts, {.seed = 7});
    set_random(whole, {.seed = 7});
  }
};

TYPED_TEST(GaugeInParts, RandomLinksAreTheSame) {
  for (const Partition& partition : all_partitions()) {
    const Links<TypeParam> links(partition);
    EXPECT_EQ(links.parts.to_host(), part_of(links.whole.to_host(), partition.parts)) << partition.name;
  }
}

TYPED_TEST(GaugeInParts, PlaquetteAndTraceAreTheSame) {
  for (const Partition& partition : all_partitions()) {
    const Links<TypeParam> links(partition);
    const Plaquette p = plaquette(links.parts), expected = plaquette(links.whole);
    EXPECT_NEAR(p.average, expected.average, tolerance<double>) << partition.name;
    EXPECT_NEAR(p.spatial, expected.spatial, tolerance<double>) << partition.name;
    EXPECT_NEAR(p.temporal, expected.temporal, tolerance<double>) << partition.name;
    EXPECT_LT(std::abs(link_trace(links.parts) - link_trace(links.whole)), tolerance<double>) << partition.name;
    EXPECT_EQ(plaquette(links.parts).average, p.average) << partition.name;
  }
}

TYPED_TEST(GaugeInParts, LoopsAroundTheLatticeAreTheSame) {
  for (const Partition& partition : all_partitions()) {
    const Links<TypeParam> links(partition);
    for (int mu = 0; mu < 4; ++mu) {
      EXPECT_LT(std::abs(polyakov_loop(links.parts, mu) - polyakov_loop(links.whole, mu)), tolerance<double>)
          << partition.name << ", direction " << mu;
    }
  }
}

TYPED_TEST(GaugeInParts, FieldStrengthIsTheSame) {
  for (const Partition& partition : all_partitions()) {
    const Links<TypeParam> links(partition);
    const HostValues f = FieldStrength(links.parts).to_host();
    const HostValues expected = part_of(FieldStrength(links.whole).to_host(), partition.parts);
    EXPECT_LT(largest_difference(f, expected), tolerance<double>) << partition.name;
  }
}

TYPED_TEST(GaugeInParts, EnergyAndChargeAreTheSame) {
  for (const Partition& partition : all_partitions()) {
    const Links<TypeParam> links(partition);
    const CloverObservables found = clover_observables(links.parts), expected = clover_observables(links.whole);
    EXPECT_NEAR(found.spatial_energy, expected.spatial_energy, tolerance<double>) << partition.name;
    EXPECT_NEAR(found.temporal_energy, expected.temporal_energy, tolerance<double>) << partition.name;
    EXPECT_NEAR(found.charge, expected.charge, tolerance<double>) << partition.name;
    const std::vector<double> density = topological_charge_density(links.parts);
    const std::vector<double> expected_density = part_of(topological_charge_density(links.whole), partition.parts);
    ASSERT_EQ(density.size(), expected_density.size()) << partition.name;
    for (std::size_t k = 0; k < density.size(); ++k) {
      EXPECT_NEAR(density[k], expected_density[k], tolerance<double>) << partition.name;
    }
  }
}

TYPED_TEST(GaugeInParts, CloverTermAndItsInverseAreTheSame) {
  for (const Partition& partition : all_partitions()) {
    const Links<TypeParam> links(partition);
    const CloverParameters parameters{.diagonal = 4.1, .spatial = 1.1, .temporal = 0.9};
    const CloverField<TypeParam> clover = make_clover(links.parts, parameters);
    const CloverField<TypeParam> whole = make_clover(links.whole, parameters);
    EXPECT_LT(largest_difference(clover.to_host(), part_of(whole.to_host(), partition.parts)), tolerance<TypeParam>)
        << partition.name;
    EXPECT_LT(largest_difference(invert_clover(clover, Subset::odd).to_host(),
                                 part_of(invert_clover(whole, Subset::odd).to_host(), partition.parts)),
              tolerance<TypeParam>)
        << partition.name;
  }
}

TYPED_TEST(GaugeInParts, GaugeTransformationIsTheSame) {
  for (const Partition& partition : all_partitions()) {
    Links<TypeParam> links(partition);
    const GaugeTransformation g(partition.parts, {.seed = 8}), whole_g(partition.whole, {.seed = 8});
    EXPECT_EQ(g.to_host(), part_of(whole_g.to_host(), partition.parts)) << partition.name;
    const double before = plaquette(links.parts).average;
    transform(links.parts, g);
    transform(links.whole, whole_g);
    EXPECT_LT(largest_difference(links.parts.to_host(), part_of(links.whole.to_host(), partition.parts)),
              tolerance<TypeParam>)
        << partition.name;
    EXPECT_NEAR(plaquette(links.parts).average, before, tolerance<TypeParam>) << partition.name;
  }
}

TYPED_TEST(GaugeInParts, WorstLinkIsTheSame) {
  for (const Partition& partition : all_partitions()) {
    const Lattice& parts = partition.parts;
    Links<TypeParam> links(partition);
    // Two links equally far from SU(3): the first counts.
    for (const std::ptrdiff_t number : {parts.volume() - 3, parts.volume() / 2 + 1}) {
      HostValues values = links.whole.to_host();
      for (std::size_t c = 0; c < 9; ++c) {
        values[static_cast<std::size_t>(number) * 36 + 2 * 9 + c] = c % 4 == 0 ? 1.5 : 0.0;
      }
      links.whole.from_host(values);
      links.parts.from_host(part_of(values, parts));
    }
    const UnitarityDeviation worst = deviation_from_su3(links.parts), expected = deviation_from_su3(links.whole);
    EXPECT_EQ(worst.unitarity.deviation, expected.unitarity.deviation) << partition.name;
    EXPECT_EQ(worst.unitarity.site, expected.unitarity.site) << partition.name;
    EXPECT_EQ(worst.unitarity.site, lexicographic_site(parts.volume() / 2 + 1, parts.extents())) << partition.name;
    EXPECT_EQ(worst.unitarity.direction, 2) << partition.name;
    EXPECT_EQ(worst.determinant.deviation, expected.determinant.deviation) << partition.name;
    EXPECT_EQ(worst.determinant.site, expected.determinant.site) << partition.name;
  }
}

TYPED_TEST(GaugeInParts, SingularCloverBlockIsNamedByAll) {
  for (const Partition& partition : all_partitions()) {
    GaugeField<TypeParam> links(partition.parts);
    set_unit(links);
    const CloverField<TypeParam> clover = make_clover(links, {.diagonal = 0.0, .spatial = 1.0, .temporal = 1.0});
    KAON_EXPECT_ERROR(invert_clover(clover, Subset::odd), "the upper clover block at site (1, 0, 0, 0) has no inverse");
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
