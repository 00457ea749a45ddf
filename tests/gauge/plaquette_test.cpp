// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/gauge/test_lattices.hpp"

#include <kaon/gauge/gauge_transformation.hpp>
#include <kaon/gauge/initial_links.hpp>
#include <kaon/gauge/observables.hpp>

namespace kaon {
namespace KAON_TEST_FILE {

using test::test_lattices;
using test::tolerance;

template <class T>
class PlaquetteOf : public ::testing::Test {};
TYPED_TEST_SUITE(PlaquetteOf, test::Precisions);

TYPED_TEST(PlaquetteOf, UnitFieldIsOne) {
  for (const Lattice& lattice : test_lattices()) {
    GaugeField<TypeParam> links(lattice);
    set_unit(links);
    const Plaquette p = plaquette(links);
    EXPECT_EQ(p.average, 1.0);
    EXPECT_EQ(p.spatial, 1.0);
    EXPECT_EQ(p.temporal, 1.0);
    EXPECT_EQ(link_trace(links), 1.0);
  }
}

TYPED_TEST(PlaquetteOf, RandomFieldEqualsReference) {
  for (const Lattice& lattice : test_lattices()) {
    GaugeField<TypeParam> links(lattice);
    set_random(links, {.seed = 1});
    const reference::Links host = links.to_host();
    const Coordinates& extents = lattice.extents();
    EXPECT_NEAR(plaquette(links).average, reference::plaquette(host, extents), tolerance<double>);
    EXPECT_NEAR(link_trace(links).real(), reference::link_trace(host), tolerance<double>);
    double spatial = 0.0;
    reference::for_each_site(extents, [&](const Coordinates& x) {
      for (int mu = 0; mu < 3; ++mu) {
        for (int nu = 0; nu < mu; ++nu)
          spatial += reference::trace(reference::plaquette_at(host, x, mu, nu, extents)).real();
      }
    });
    EXPECT_NEAR(plaquette(links).spatial, spatial / (9.0 * static_cast<double>(lattice.volume())), tolerance<double>);
  }
}

TYPED_TEST(PlaquetteOf, AverageIsTheMeanOfSpatialAndTemporal) {
  GaugeField<TypeParam> links(Lattice({.extents = {4, 6, 2, 8}}));
  set_weak(links, 0.3, {.seed = 1});
  const Plaquette p = plaquette(links);
  EXPECT_NE(p.spatial, p.temporal);
  EXPECT_NEAR(p.average, 0.5 * (p.spatial + p.temporal), tolerance<double>);
}

TYPED_TEST(PlaquetteOf, TransformedFieldIsTheSame) {
  for (const Lattice& lattice : test_lattices()) {
    GaugeField<TypeParam> links(lattice);
    set_weak(links, 0.2, {.seed = 2});
    const double before = plaquette(links).average;
    const std::complex<double> trace_before = link_trace(links);
    transform(links, GaugeTransformation(lattice, {.seed = 3}));
    EXPECT_NEAR(plaquette(links).average, before, tolerance<TypeParam>);
    EXPECT_GT(std::abs(link_trace(links) - trace_before), 0.1);
  }
}

TYPED_TEST(PlaquetteOf, FieldHasTheSameDigitsInAllLanes) {
  const Coordinates extents{8, 4, 4, 8};
  GaugeField<TypeParam> native(Lattice({.extents = extents}));
  GaugeField<TypeParam> single(Lattice({.extents = extents, .lanes = Lanes::single}));
  set_random(native, {.seed = 4});
  set_random(single, {.seed = 4});
  EXPECT_EQ(plaquette(native).average, plaquette(single).average);
  EXPECT_EQ(link_trace(native), link_trace(single));
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon
