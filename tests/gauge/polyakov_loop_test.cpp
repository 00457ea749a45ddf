// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/gauge/test_lattices.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/gauge/gauge_transformation.hpp>
#include <kaon/gauge/initial_links.hpp>
#include <kaon/gauge/observables.hpp>

#include <numbers>

namespace kaon {
namespace KAON_TEST_FILE {

using test::test_lattices;
using test::tolerance;

template <class T>
class PolyakovLoopOf : public ::testing::Test {};
TYPED_TEST_SUITE(PolyakovLoopOf, test::Precisions);

TYPED_TEST(PolyakovLoopOf, UnitFieldIsOne) {
  for (const Lattice& lattice : test_lattices()) {
    GaugeField<TypeParam> links(lattice);
    set_unit(links);
    for (int mu = 0; mu < 4; ++mu) EXPECT_EQ(polyakov_loop(links, mu), 1.0);
  }
}

TYPED_TEST(PolyakovLoopOf, RandomFieldEqualsReference) {
  for (const Lattice& lattice : test_lattices()) {
    GaugeField<TypeParam> links(lattice);
    set_random(links, {.seed = 1});
    const reference::Links host = links.to_host();
    for (int mu = 0; mu < 4; ++mu) {
      const reference::Complex expected = reference::polyakov_loop(host, mu, lattice.extents());
      EXPECT_LT(std::abs(polyakov_loop(links, mu) - expected), tolerance<double>) << "direction " << mu;
      EXPECT_GT(std::abs(expected.imag()), 1e-4);
    }
    EXPECT_EQ(polyakov_loop(links), polyakov_loop(links, 3));
  }
}

TYPED_TEST(PolyakovLoopOf, TransformedFieldIsTheSame) {
  for (const Lattice& lattice : test_lattices()) {
    GaugeField<TypeParam> links(lattice);
    set_weak(links, 0.2, {.seed = 2});
    std::array<std::complex<double>, 4> before;
    for (int mu = 0; mu < 4; ++mu) before[static_cast<std::size_t>(mu)] = polyakov_loop(links, mu);
    transform(links, GaugeTransformation(lattice, {.seed = 3}));
    for (int mu = 0; mu < 4; ++mu) {
      EXPECT_LT(std::abs(polyakov_loop(links, mu) - before[static_cast<std::size_t>(mu)]), tolerance<TypeParam>);
    }
  }
}

/// Links that leave one slice of sites in a direction times an element of the centre of SU(3).
TYPED_TEST(PolyakovLoopOf, CentreTransformedFieldHasItsPhase) {
  const std::complex<double> center = std::polar(1.0, 2.0 * std::numbers::pi / 3.0);
  for (const Lattice& lattice : test_lattices()) {
    const Coordinates& extents = lattice.extents();
    GaugeField<TypeParam> links(lattice);
    set_weak(links, 0.2, {.seed = 2});
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

TYPED_TEST(PolyakovLoopOf, FieldHasTheSameDigitsInAllLanes) {
  const Coordinates extents{8, 4, 4, 8};
  GaugeField<TypeParam> native(Lattice({.extents = extents}));
  GaugeField<TypeParam> single(Lattice({.extents = extents, .lanes = Lanes::single}));
  set_random(native, {.seed = 4});
  set_random(single, {.seed = 4});
  for (int mu = 0; mu < 4; ++mu) EXPECT_EQ(polyakov_loop(native, mu), polyakov_loop(single, mu));
}

TEST(PolyakovLoop, RefusesWhatItCannotTake) {
  GaugeField<double> links(Lattice({.extents = {4, 4, 4, 4}}));
  set_unit(links);
  KAON_EXPECT_ERROR(polyakov_loop(links, 4), "direction 4 of a loop is none of 0 to 3");
  KAON_EXPECT_ERROR(polyakov_loop(links, -1), "direction -1");
  KAON_EXPECT_ERROR(polyakov_loop(GaugeField<double>(links, LinkStorage::two_rows)), "18");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon
