// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/gauge/initial_links.hpp"
#include "tests/gauge/test_lattices.hpp"
#include "tests/reference/flow.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/gauge/gauge_transformation.hpp>
#include <kaon/gauge/observables.hpp>

#include <cmath>
#include <numbers>
#include <numeric>

namespace kaon::test {
namespace KAON_TEST_FILE {

template <class T>
class CloverObservablesOf : public ::testing::Test {};
TYPED_TEST_SUITE(CloverObservablesOf, Precisions);

TYPED_TEST(CloverObservablesOf, UnitFieldAreZero) {
  for (const Lattice& lattice : test_lattices()) {
    const GaugeField<TypeParam> links = unit_links<TypeParam>(lattice);
    const CloverObservables found = clover_observables(links);
    EXPECT_EQ(found.energy, 0.0);
    EXPECT_EQ(found.charge, 0.0);
  }
}

TYPED_TEST(CloverObservablesOf, RandomFieldEqualReference) {
  for (const Lattice& lattice : test_lattices()) {
    const GaugeField<TypeParam> links = hot_links<TypeParam>(lattice, 1);
    const auto energy = reference::clover_energy(links.to_host(), lattice.extents());
    const std::vector<double> density = reference::charge_density(links.to_host(), lattice.extents());
    const CloverObservables found = clover_observables(links);
    EXPECT_NEAR(found.spatial_energy, energy.spatial, tolerance<double>);
    EXPECT_NEAR(found.temporal_energy, energy.temporal, tolerance<double>);
    EXPECT_NEAR(found.energy, energy.spatial + energy.temporal, tolerance<double>);
    EXPECT_NEAR(found.charge, std::accumulate(density.begin(), density.end(), 0.0), tolerance<double>);
    const std::vector<double> found_density = topological_charge_density(links);
    ASSERT_EQ(found_density.size(), density.size());
    for (std::size_t k = 0; k < density.size(); ++k) EXPECT_NEAR(found_density[k], density[k], tolerance<double>);
  }
}

// Abelian links of constant field strength in the planes xy and zt, wound n and m times around the torus: the clover
// leaves have F = sin(2 pi n/(X Y)) diag(1, -1, 0), and the charge would be 2 n m with the angle in place of its sine.
TYPED_TEST(CloverObservablesOf, ConstantFieldHaveTheKnownValues) {
  const Coordinates extents{4, 6, 2, 8};
  const auto expect = [&](int n, int m) {
    const double b = 2.0 * std::numbers::pi * n / (extents[0] * extents[1]);
    const double e = 2.0 * std::numbers::pi * m / (extents[2] * extents[3]);
    GaugeField<TypeParam> links = unit_links<TypeParam>(Lattice({.extents = extents}));
    reference::Links host = links.to_host();
    const double charges[3] = {1.0, -1.0, 0.0};
    reference::for_each_site(extents, [&](const Coordinates& x) {
      const double angles[4] = {x[0] == extents[0] - 1 ? -b * extents[0] * x[1] : 0.0, b * x[0],
                                x[2] == extents[2] - 1 ? -e * extents[2] * x[3] : 0.0, e * x[2]};
      for (int mu = 0; mu < 4; ++mu) {
        for (std::size_t c = 0; c < 3; ++c) {
          host[reference::link_offset(x, mu, extents) + 4 * c] = std::polar(1.0, charges[c] * angles[mu]);
        }
      }
    });
    links.from_host(host);
    const CloverObservables found = clover_observables(links);
    const double volume = static_cast<double>(volume_of(extents));
    EXPECT_NEAR(found.spatial_energy, 2.0 * std::pow(std::sin(b), 2), tolerance<TypeParam>);
    EXPECT_NEAR(found.temporal_energy, 2.0 * std::pow(std::sin(e), 2), tolerance<TypeParam>);
    EXPECT_NEAR(found.charge, volume * std::sin(b) * std::sin(e) / (2.0 * std::pow(std::numbers::pi, 2)),
                tolerance<TypeParam> * volume);
    EXPECT_NEAR(found.charge, 2.0 * n * m, 0.15 * std::abs(2.0 * n * m));
  };
  expect(1, 1);
  expect(2, -1);
  expect(1, 0);
}

TYPED_TEST(CloverObservablesOf, TransformedFieldAreTheSame) {
  const Lattice lattice({.extents = {8, 4, 4, 8}});
  GaugeField<TypeParam> links = weak_links<TypeParam>(lattice, 0.4, 2);
  const CloverObservables before = clover_observables(links);
  transform(links, GaugeTransformation(lattice, {.seed = 3}));
  const CloverObservables after = clover_observables(links);
  EXPECT_NEAR(after.spatial_energy, before.spatial_energy, tolerance<TypeParam>);
  EXPECT_NEAR(after.temporal_energy, before.temporal_energy, tolerance<TypeParam>);
  EXPECT_NEAR(after.charge, before.charge, tolerance<TypeParam>);
  EXPECT_GT(std::abs(before.charge), 1e3 * tolerance<TypeParam>);
}

// A mirror: U'_mu(x) = U_mu(x') and, for the mirrored direction rho, U'_rho(x) = U_rho(x' - rho)^dag.
TYPED_TEST(CloverObservablesOf, MirroredFieldHaveTheOppositeCharge) {
  const Coordinates extents{4, 6, 2, 8};
  const Lattice lattice({.extents = extents});
  const GaugeField<TypeParam> links = hot_links<TypeParam>(lattice, 4);
  GaugeField<TypeParam> mirrored(lattice);
  const reference::Links host = links.to_host();
  const CloverObservables before = clover_observables(links);
  for (int rho = 0; rho < 4; ++rho) {
    reference::Links image(host.size());
    reference::for_each_site(extents, [&](const Coordinates& x) {
      Coordinates there = x;
      const auto r = static_cast<std::size_t>(rho);
      there[r] = (extents[r] - x[r]) % extents[r];
      for (int mu = 0; mu < 4; ++mu) {
        const reference::ColorMatrix u =
            mu == rho
                ? reference::dagger(reference::link(host, reference::neighbor(there, rho, -1, extents), mu, extents))
                : reference::link(host, there, mu, extents);
        std::copy(u.begin(), u.end(),
                  image.begin() + static_cast<std::ptrdiff_t>(reference::link_offset(x, mu, extents)));
      }
    });
    mirrored.from_host(image);
    const CloverObservables after = clover_observables(mirrored);
    EXPECT_NEAR(after.energy, before.energy, tolerance<double>);
    EXPECT_NEAR(after.charge, -before.charge, tolerance<double>);
  }
  EXPECT_GT(std::abs(before.charge), 0.01);
}

TYPED_TEST(CloverObservablesOf, FieldAreTheSameInAllLanes) {
  const auto [native, single] = random_in_all_lanes<TypeParam>();
  EXPECT_NEAR(clover_observables(native).energy, clover_observables(single).energy, tolerance<double>);
  EXPECT_NEAR(clover_observables(native).charge, clover_observables(single).charge, tolerance<double>);
  const std::vector<double> density = topological_charge_density(native), same = topological_charge_density(single);
  for (std::size_t k = 0; k < same.size(); ++k) EXPECT_NEAR(density[k], same[k], tolerance<double>);
}

TEST(CloverObservables, RefuseCompressedLinks) {
  const GaugeField<double> links = unit_links<double>(Lattice({.extents = {4, 4, 4, 4}}));
  const GaugeField<double> compressed(links, LinkStorage::two_rows);
  KAON_EXPECT_ERROR(clover_observables(compressed), "12 reals were given where 18 are wanted");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
