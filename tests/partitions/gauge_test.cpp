// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/gauge/initial_links.hpp"
#include "tests/partitions/partitions.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/gauge/clover.hpp>
#include <kaon/gauge/field_strength.hpp>
#include <kaon/gauge/gauge_transformation.hpp>
#include <kaon/gauge/observables.hpp>
#include <kaon/gauge/unitarity.hpp>

namespace kaon::test {
namespace KAON_TEST_FILE {

template <class T>
class GaugeInParts : public ::testing::Test {};
TYPED_TEST_SUITE(GaugeInParts, Precisions);

template <class T>
GaugeField<T> links_on(const Lattice& lattice) {
  return hot_links<T>(lattice, 7);
}

TYPED_TEST(GaugeInParts, RandomNumbersAreTheSame) {
  expect_same(all_partitions(), 0.0, [](const Lattice& lattice) {
    return Made{{links_on<TypeParam>(lattice).to_host(), GaugeTransformation(lattice, {.seed = 8}).to_host()}};
  });
}

TYPED_TEST(GaugeInParts, ObservablesAreTheSame) {
  expect_same(all_partitions(), tolerance<double>, [](const Lattice& lattice) {
    const GaugeField<TypeParam> links = links_on<TypeParam>(lattice);
    const Plaquette p = plaquette(links);
    const CloverObservables clover = clover_observables(links);
    const std::vector<double> density = topological_charge_density(links);
    Made made{{FieldStrength(links).to_host(), HostValues(density.begin(), density.end())},
              {p.average, p.spatial, p.temporal, clover.spatial_energy, clover.temporal_energy, clover.charge}};
    made.numbers.push_back(link_trace(links));
    for (int mu = 0; mu < 4; ++mu) made.numbers.push_back(polyakov_loop(links, mu));
    EXPECT_EQ(plaquette(links).average, p.average) << "the same digits always";
    return made;
  });
}

TYPED_TEST(GaugeInParts, CloverTermsAndGaugeTransformationsAreTheSame) {
  expect_same(all_partitions(), tolerance<TypeParam>, [](const Lattice& lattice) {
    GaugeField<TypeParam> links = links_on<TypeParam>(lattice);
    const CloverField<TypeParam> clover = make_clover(links, {.diagonal = 4.1, .spatial = 1.1, .temporal = 0.9});
    Made made{{clover.to_host(), invert_clover(clover, Subset::odd).to_host()}};
    const double before = plaquette(links).average;
    transform(links, GaugeTransformation(lattice, {.seed = 8}));
    made.fields.push_back(links.to_host());
    EXPECT_NEAR(plaquette(links).average, before, tolerance<TypeParam>);
    return made;
  });
}

TYPED_TEST(GaugeInParts, WorstLinkIsTheSame) {
  for (const Partition& partition : all_partitions()) {
    const Lattice& lattice = partition.parts;
    GaugeField<TypeParam> parts(lattice), whole = links_on<TypeParam>(partition.whole);
    // Two links equally far from SU(3): the first counts.
    HostValues values = whole.to_host();
    for (const std::ptrdiff_t number : {lattice.volume() - 3, lattice.volume() / 2 + 1}) {
      for (std::size_t c = 0; c < 9; ++c) {
        values[static_cast<std::size_t>(number) * 36 + 2 * 9 + c] = c % 4 == 0 ? 1.5 : 0.0;
      }
    }
    whole.from_host(values);
    parts.from_host(part_of(values, lattice));
    const UnitarityDeviation worst = deviation_from_su3(parts), expected = deviation_from_su3(whole);
    EXPECT_EQ(worst.unitarity.deviation, expected.unitarity.deviation) << partition.name;
    EXPECT_EQ(worst.unitarity.site, expected.unitarity.site) << partition.name;
    EXPECT_EQ(worst.unitarity.site, lexicographic_site(lattice.volume() / 2 + 1, lattice.extents())) << partition.name;
    EXPECT_EQ(worst.unitarity.direction, 2) << partition.name;
    EXPECT_EQ(worst.determinant.deviation, expected.determinant.deviation) << partition.name;
    EXPECT_EQ(worst.determinant.site, expected.determinant.site) << partition.name;
  }
}

TYPED_TEST(GaugeInParts, SingularCloverBlockIsNamedByAll) {
  for (const Partition& partition : all_partitions()) {
    const GaugeField<TypeParam> links = unit_links<TypeParam>(partition.parts);
    const CloverField<TypeParam> clover = make_clover(links, {.diagonal = 0.0, .spatial = 1.0, .temporal = 1.0});
    KAON_EXPECT_ERROR(invert_clover(clover, Subset::odd), "the upper clover block at site (1, 0, 0, 0) has no inverse");
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
