// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/operators/test_fields.hpp"
#include "tests/operators/wilson_like_checks.hpp"

namespace kaon::test {
namespace KAON_TEST_FILE {

// Every precision and storage of links against double with 18 reals, which wilson_test.cpp compares with the slow
// reference.

template <class T>
class PrecisionOf : public ::testing::Test {};
using AllPrecisions = ::testing::Types<double, float, half>;
TYPED_TEST_SUITE(PrecisionOf, AllPrecisions);

TYPED_TEST(PrecisionOf, FullAndSchurOperatorsIsThatOfTheirStorage) {
  expect_precision_of_storage<TypeParam>(fermion_cases());
  expect_precision_of_storage<TypeParam>(exponential_cases());
}

TYPED_TEST(PrecisionOf, OperatorsDoesNotDependOnLanesAndBatches) {
  expect_the_same_in_lanes_and_batches<TypeParam>(std::vector{fermion_cases().back()});
}

TYPED_TEST(PrecisionOf, CompressedOperatorsCountsItsBytes) {
  using T = TypeParam;
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  const GaugeField<double> links = unit_links<double>(lattice);
  const WilsonClover<double> dirac(links, {.mass = 0.1, .csw = 1.0});
  const double sites = 128;
  // 16-bit spinors and clover blocks carry scales of 4 bytes.
  const double spinor = std::is_same_v<T, half> ? 52 : 24 * sizeof(T);
  const double clover = std::is_same_v<T, half> ? 152 : 72 * sizeof(T);
  for (const LinkStorage storage : wilson_storages) {
    const WilsonClover<T> stored(dirac, storage);
    const double eight_links = 8.0 * reals(storage) * sizeof(T);
    EXPECT_EQ(stored.hop_bytes(SiteTerm::none, false), sites * (eight_links + 2 * spinor));
    EXPECT_EQ(stored.hop_bytes(SiteTerm::inverse, true), sites * (eight_links + clover + 3 * spinor));
    EXPECT_EQ(stored.site_term_bytes(), sites * (clover + 2 * spinor));
    EXPECT_EQ(stored.hop_flops(SiteTerm::inverse, true), dirac.hop_flops(SiteTerm::inverse, true));
    EXPECT_EQ(Wilson<T>(Wilson<double>(links, {.mass = 0.1}), storage).hop_bytes(SiteTerm::none, true),
              sites * (eight_links + 3 * spinor));
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
