// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/gauge/initial_links.hpp"
#include "tests/gauge/test_lattices.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/gauge/gauge_transformation.hpp>

namespace kaon::test {
namespace KAON_TEST_FILE {

reference::GaugeTransformation host_matrices(const GaugeTransformation& g) {
  const std::vector<std::complex<double>> values = g.to_host();
  reference::GaugeTransformation matrices(values.size() / 9);
  for (std::size_t k = 0; k < values.size(); ++k) matrices[k / 9][k % 9] = values[k];
  return matrices;
}

template <class T>
class GaugeTransformationOf : public ::testing::Test {};
TYPED_TEST_SUITE(GaugeTransformationOf, Precisions);

TYPED_TEST(GaugeTransformationOf, LinksEqualsReference) {
  for (const Lattice& lattice : test_lattices()) {
    GaugeField<TypeParam> links = hot_links<TypeParam>(lattice, 1);
    const GaugeTransformation g(lattice, {.seed = 2});
    const reference::Links expected = reference::transform_links(links.to_host(), host_matrices(g), lattice.extents());
    transform(links, g);
    EXPECT_LT(largest_difference(links.to_host(), expected), tolerance<TypeParam>);
  }
}

TYPED_TEST(GaugeTransformationOf, SpinorsEqualsReference) {
  for (const Lattice& lattice : test_lattices()) {
    SpinorField<TypeParam> psi(lattice, {.right_hand_sides = 2});
    set_gaussian(psi, {.seed = 1});
    const GaugeTransformation g(lattice, {.seed = 2});
    const reference::Spinor expected = reference::transform_spinor(psi.to_host(1), host_matrices(g), lattice.extents());
    transform(psi, g);
    EXPECT_LT(largest_difference(psi.to_host(1), expected), tolerance<TypeParam>);
  }
}

TEST(GaugeTransformation, IsMadeOfSu3MatricesThatDoNotDependOnLanes) {
  const GaugeTransformation native(Lattice({.extents = {8, 4, 4, 8}}), {.seed = 5});
  const GaugeTransformation single(Lattice({.extents = {8, 4, 4, 8}, .lanes = Lanes::single}), {.seed = 5});
  EXPECT_EQ(native.to_host(), single.to_host());
  for (const auto& matrix : host_matrices(native)) {
    EXPECT_LT(reference::distance_from_su3(matrix), tolerance<double>);
  }
}

TEST(GaugeTransformation, RefusesFieldsThatItDoesNotFit) {
  const GaugeTransformation g(Lattice({.extents = {4, 4, 4, 4}}), {});
  GaugeField<double> links(Lattice({.extents = {4, 4, 4, 8}}));
  SpinorField<double> coarse(g.lattice(), {.spins = 2, .colors = 8});
  KAON_EXPECT_ERROR(transform(links, g), "on lattice 4x4x4x4 cannot act on a field on lattice 4x4x4x8");
  KAON_EXPECT_ERROR(transform(coarse, g), "not on the 8 of this field");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
