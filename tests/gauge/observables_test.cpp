// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/gauge/initial_links.hpp"
#include "tests/gauge/test_lattices.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/gauge/gauge_transformation.hpp>
#include <kaon/gauge/observables.hpp>

#include <numbers>

namespace kaon::test {
namespace KAON_TEST_FILE {

/// Plaquette, trace of links and Polyakov loops.
template <class T>
class ObservablesOf : public ::testing::Test {};
TYPED_TEST_SUITE(ObservablesOf, Precisions);

TYPED_TEST(ObservablesOf, UnitFieldAreOne) {
  for (const Lattice& lattice : test_lattices()) {
    const GaugeField<TypeParam> links = unit_links<TypeParam>(lattice);
    const Plaquette p = plaquette(links);
    EXPECT_EQ(p.average, 1.0);
    EXPECT_EQ(p.spatial, 1.0);
    EXPECT_EQ(p.temporal, 1.0);
    EXPECT_EQ(link_trace(links), 1.0);
    for (int mu = 0; mu < 4; ++mu) EXPECT_EQ(polyakov_loop(links, mu), 1.0);
  }
}

TYPED_TEST(ObservablesOf, RandomFieldEqualReference) {
  for (const Lattice& lattice : test_lattices()) {
    const GaugeField<TypeParam> links = hot_links<TypeParam>(lattice, 1);
    const reference::Links host = links.to_host();
    const Coordinates& extents = lattice.extents();
    const Plaquette p = plaquette(links);
    EXPECT_NEAR(p.average, reference::plaquette(host, extents), tolerance<double>);
    EXPECT_NEAR(link_trace(links).real(), reference::link_trace(host), tolerance<double>);
    double spatial = 0.0;
    reference::for_each_site(extents, [&](const Coordinates& x) {
      for (int mu = 0; mu < 3; ++mu) {
        for (int nu = 0; nu < mu; ++nu)
          spatial += reference::trace(reference::plaquette_at(host, x, mu, nu, extents)).real();
      }
    });
    EXPECT_NEAR(p.spatial, spatial / (9.0 * static_cast<double>(lattice.volume())), tolerance<double>);
    EXPECT_NE(p.spatial, p.temporal);
    EXPECT_NEAR(p.average, 0.5 * (p.spatial + p.temporal), tolerance<double>);
    for (int mu = 0; mu < 4; ++mu) {
      const reference::Complex expected = reference::polyakov_loop(host, mu, extents);
      EXPECT_LT(std::abs(polyakov_loop(links, mu) - expected), tolerance<double>) << "direction " << mu;
      EXPECT_GT(std::abs(expected.imag()), 1e-4);
    }
    EXPECT_EQ(polyakov_loop(links), polyakov_loop(links, 3));
  }
}

TYPED_TEST(ObservablesOf, TransformedFieldAreTheSameExceptForTheTrace) {
  for (const Lattice& lattice : test_lattices()) {
    const GaugeField<TypeParam> links = weak_links<TypeParam>(lattice, 0.2, 2);
    GaugeField<TypeParam> moved = links.clone();
    transform(moved, GaugeTransformation(lattice, {.seed = 3}));
    EXPECT_NEAR(plaquette(moved).average, plaquette(links).average, tolerance<TypeParam>);
    EXPECT_GT(std::abs(link_trace(moved) - link_trace(links)), 0.1);
    for (int mu = 0; mu < 4; ++mu) {
      EXPECT_LT(std::abs(polyakov_loop(moved, mu) - polyakov_loop(links, mu)), tolerance<TypeParam>);
    }
  }
}

TYPED_TEST(ObservablesOf, FieldHaveTheSameDigitsInAllLanes) {
  const auto [native, single] = random_in_all_lanes<TypeParam>();
  EXPECT_EQ(plaquette(native).average, plaquette(single).average);
  EXPECT_EQ(link_trace(native), link_trace(single));
  for (int mu = 0; mu < 4; ++mu) EXPECT_EQ(polyakov_loop(native, mu), polyakov_loop(single, mu));
}

/// Links that leave one slice of sites in a direction times an element of the centre of SU(3).
TYPED_TEST(ObservablesOf, CentreTransformedFieldHaveItsPhase) {
  const std::complex<double> center = std::polar(1.0, 2.0 * std::numbers::pi / 3.0);
  for (const Lattice& lattice : test_lattices()) {
    const Coordinates& extents = lattice.extents();
    const GaugeField<TypeParam> links = weak_links<TypeParam>(lattice, 0.2, 2);
    for (int mu = 0; mu < 4; ++mu) {
      std::vector<std::complex<double>> host = links.to_host();
      reference::for_each_site(extents, [&](const Coordinates& x) {
        if (x[static_cast<std::size_t>(mu)] != 1) return;
        for (std::size_t c = 0; c < 9; ++c) host[reference::link_offset(x, mu, extents) + c] *= center;
      });
      GaugeField<TypeParam> transformed(lattice);
      transformed.from_host(host);
      for (int nu = 0; nu < 4; ++nu) {
        const std::complex<double> expected = polyakov_loop(links, nu) * (nu == mu ? center : 1.0);
        EXPECT_LT(std::abs(polyakov_loop(transformed, nu) - expected), tolerance<TypeParam>);
      }
    }
  }
}

TEST(PolyakovLoop, RefusesWhatItCannotTake) {
  const GaugeField<double> links = unit_links<double>(Lattice({.extents = {4, 4, 4, 4}}));
  KAON_EXPECT_ERROR(polyakov_loop(links, 4), "direction 4 of a loop is none of 0 to 3");
  KAON_EXPECT_ERROR(polyakov_loop(links, -1), "direction -1");
  KAON_EXPECT_ERROR(polyakov_loop(GaugeField<double>(links, LinkStorage::two_rows)), "18");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
