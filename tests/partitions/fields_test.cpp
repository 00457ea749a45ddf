// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/blas/solver_blas.hpp"
#include "core/fields/not_finite.hpp"
#include "tests/partitions/partitions.hpp"

#include <kaon/core/random.hpp>

#include <cmath>

namespace kaon::test {
namespace KAON_TEST_FILE {

template <class T>
class FieldsInParts : public ::testing::Test {};
TYPED_TEST_SUITE(FieldsInParts, Precisions);

TYPED_TEST(FieldsInParts, TakeAndGiveTheSitesOfThisProcess) {
  for (const Partition& partition : all_partitions()) {
    HostValues values(static_cast<std::size_t>(partition.whole.volume()) * 12);
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = {static_cast<double>(k % 1021), 1.0};
    const HostValues part = part_of(values, partition.parts);
    SpinorField<TypeParam> psi(partition.parts);
    psi.from_host(part);
    EXPECT_EQ(psi.to_host(), part) << partition.name;
  }
}

TYPED_TEST(FieldsInParts, HaveTheSameRandomNumbers) {
  using Set = void (*)(SpinorField<TypeParam>&, const RandomKey&);
  expect_same(all_partitions(), 0.0, [](const Lattice& lattice) {
    Made made;
    SpinorField<TypeParam> field(lattice, {.right_hand_sides = 2});
    for (const Set set : {static_cast<Set>(set_gaussian), static_cast<Set>(set_z2), static_cast<Set>(set_complex_z2)}) {
      set(field, {.seed = 1});
      for (const int rhs : {0, 1}) made.fields.push_back(field.to_host(rhs));
    }
    return made;
  });
}

TYPED_TEST(FieldsInParts, HaveTheNormsAndProductsOfTheWhole) {
  for (const Partition& partition : all_partitions()) {
    for (const Subset subset : {Subset::full, Subset::odd}) {
      const SpinorParameters shape{.subset = subset, .right_hand_sides = 2};
      SpinorField<TypeParam> a(partition.parts, shape), b(partition.parts, shape);
      SpinorField<TypeParam> whole_a(partition.whole, shape), whole_b(partition.whole, shape);
      set_gaussian(a, {.seed = 1});
      set_gaussian(whole_a, {.seed = 1});
      set_gaussian(b, {.seed = 2});
      set_gaussian(whole_b, {.seed = 2});
      const double scale = blas::norm2(whole_a)[0];
      const double allowed = 1e-12 * scale;  // sums are in double
      const auto block = [](const SpinorField<TypeParam>& x, const SpinorField<TypeParam>& y) {
        return blas::block_inner_product<TypeParam>(std::span(&x, 1), y);
      };
      for (std::size_t rhs = 0; rhs < 2; ++rhs) {
        EXPECT_NEAR(blas::norm2(a)[rhs], blas::norm2(whole_a)[rhs], allowed) << partition.name;
        const auto product = blas::inner_product(a, b)[rhs], expected = blas::inner_product(whole_a, whole_b)[rhs];
        EXPECT_LT(std::abs(product - expected), allowed) << partition.name;
        EXPECT_LT(std::abs(block(a, b).products[0][rhs] - expected), allowed) << partition.name;
        EXPECT_NEAR(block(a, b).norm2[rhs], blas::norm2(whole_b)[rhs], allowed) << partition.name;
        EXPECT_EQ(blas::norm2(a)[rhs], blas::norm2(a)[rhs]);
      }
    }
  }
}

TYPED_TEST(FieldsInParts, TellWhereTheyAreNotFinite) {
  for (const Partition& partition : all_partitions()) {
    const Lattice& parts = partition.parts;
    const Coordinates site{1, 2, 0, parts.extents()[3] - 1};
    SpinorField<TypeParam> psi(parts, {.right_hand_sides = 2});
    set_gaussian(psi, {.seed = 1});
    EXPECT_EQ(detail::place_of_not_finite(psi, 1), "nowhere, but its norm is too large");
    HostValues values(static_cast<std::size_t>(parts.volume()) * 12);
    const auto at = static_cast<std::size_t>(lexicographic_index(site, parts.extents())) * 12;
    values[at + 5] = {0.0, std::nan("")};
    values.back() = std::numeric_limits<double>::infinity();
    psi.from_host(part_of(values, parts), 1);
    std::string expected = "at site (1, 2, 0, " + std::to_string(site[3]) + ")";
    Coordinates place = site;
    for (std::size_t mu = 0; mu < 4; ++mu) place[mu] /= parts.local_extents()[mu];
    if (processes().size() > 1) expected += ", on process " + std::to_string(parts.rank_at(place));
    EXPECT_EQ(detail::place_of_not_finite(psi, 1), expected) << partition.name;
    EXPECT_FALSE(std::isfinite(blas::norm2(psi)[1]));
    EXPECT_TRUE(std::isfinite(blas::norm2(psi)[0]));
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
