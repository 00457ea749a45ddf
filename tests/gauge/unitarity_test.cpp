// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/gauge/initial_links.hpp"
#include "tests/gauge/test_lattices.hpp"

#include <kaon/gauge/unitarity.hpp>

#include <cmath>

namespace kaon::test {
namespace KAON_TEST_FILE {

/// Adds `error` to element [1][2] of U_mu(x).
template <class T>
void damage(GaugeField<T>& links, const Coordinates& x, int mu, std::complex<double> error) {
  reference::Links host = links.to_host();
  host[reference::link_offset(x, mu, links.lattice().extents()) + 5] += error;
  links.from_host(host);
}

template <class T>
class UnitarityOf : public ::testing::Test {};
TYPED_TEST_SUITE(UnitarityOf, Precisions);

TYPED_TEST(UnitarityOf, FieldFindsTheWorstLink) {
  for (const Lattice& lattice : test_lattices()) {
    GaugeField<TypeParam> links = unit_links<TypeParam>(lattice);
    EXPECT_EQ(deviation_from_su3(links).unitarity.deviation, 0.0);
    damage(links, {1, 0, 1, 2}, 1, 0.125);
    damage(links, {3, 2, 1, 3}, 2, 0.25);
    const UnitarityDeviation found = deviation_from_su3(links);
    EXPECT_NEAR(found.unitarity.deviation, 0.25, tolerance<double>);
    EXPECT_EQ(found.unitarity.site, (Coordinates{3, 2, 1, 3}));
    EXPECT_EQ(found.unitarity.direction, 2);
    EXPECT_EQ(found.determinant.deviation, 0.0);
  }
}

TYPED_TEST(UnitarityOf, FieldFindsDeterminants) {
  const Lattice lattice({.extents = {4, 6, 2, 8}});
  GaugeField<TypeParam> links = unit_links<TypeParam>(lattice);
  reference::Links host = links.to_host();
  host[reference::link_offset({1, 5, 0, 7}, 3, lattice.extents()) + 4] = -1.0;
  links.from_host(host);
  const UnitarityDeviation found = deviation_from_su3(links);
  EXPECT_EQ(found.unitarity.deviation, 0.0);
  EXPECT_EQ(found.determinant.deviation, 2.0);
  EXPECT_EQ(found.determinant.site, (Coordinates{1, 5, 0, 7}));
  EXPECT_EQ(found.determinant.direction, 3);
}

TYPED_TEST(UnitarityOf, FieldWithNaNIsInfinitelyFar) {
  GaugeField<TypeParam> links = unit_links<TypeParam>(Lattice({.extents = {4, 4, 4, 4}}));
  damage(links, {0, 1, 2, 3}, 0, std::nan(""));
  const UnitarityDeviation found = deviation_from_su3(links);
  EXPECT_EQ(found.unitarity.deviation, std::numeric_limits<double>::infinity());
  EXPECT_EQ(found.unitarity.site, (Coordinates{0, 1, 2, 3}));
}

TYPED_TEST(UnitarityOf, ReunitarizedFieldEqualsReference) {
  for (const Lattice& lattice : test_lattices()) {
    GaugeField<TypeParam> links = hot_links<TypeParam>(lattice, 1);
    for (int mu = 0; mu < 4; ++mu) damage(links, {1, 1, 1, 1}, mu, {0.2, 0.1});
    const reference::Links expected = reference::reunitarize(links.to_host());
    reunitarize(links);
    EXPECT_LT(largest_difference(links.to_host(), expected), tolerance<TypeParam>);
    EXPECT_LT(deviation_from_su3(links).unitarity.deviation, tolerance<TypeParam>);
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
