// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/operators/test_fields.hpp"
#include "tests/operators/wilson_like_checks.hpp"

namespace kaon::test {
namespace KAON_TEST_FILE {

// Every precision and storage of links against double with 18 reals, which wilson_test.cpp compares with the slow
// reference.

/// |psi_stored - psi| / |psi| of a site.
template <class T>
double spinor_error() {
  return object_error<T>(24);
}

template <class T>
class PrecisionOf : public ::testing::Test {};
using AllPrecisions = ::testing::Types<double, float, half>;
TYPED_TEST_SUITE(PrecisionOf, AllPrecisions);

TYPED_TEST(PrecisionOf, HopsIsThatOfTheirStorage) {
  using T = TypeParam;
  for (const Lattice& lattice : test_lattices()) {
    for (const FermionCase& fermion : fermion_cases()) {
      const GaugeField<double> links = random_links<double>(lattice);
      const auto exact = make_operator<double>(links, fermion);
      const SpinorField<double> psi = gaussian<double>(lattice, 1);
      const SpinorField<T> rounded = in_precision<T>(psi);
      for (const LinkStorage storage : wilson_storages) {
        SCOPED_TRACE(describe(lattice, fermion) + ", " + std::to_string(reals(storage)) + " reals");
        const auto stored = converted<T>(*exact, fermion, storage);
        for (const Parity parity : {Parity::even, Parity::odd}) {
          const SpinorField<double> in = psi.parity(opposite(parity)), x = psi.parity(parity);
          const SpinorField<T> rounded_in = rounded.parity(opposite(parity)), rounded_x = rounded.parity(parity);
          SpinorField<double> expected(lattice, {.subset = subset_of(parity)});
          SpinorField<T> found(lattice, {.subset = subset_of(parity)});
          const auto compare = [&](HopForm<double> form, double site_term_norm, double hop_factor) {
            exact->hop(expected, in, form);
            stored->hop(found, rounded_in,
                        {.term = form.term,
                         .scale = form.scale,
                         .x = form.x == nullptr ? nullptr : &rounded_x,
                         .x_scale = form.x_scale,
                         .dagger = form.dagger});
            const double hop_error = hop_factor * hop_norm(fermion) * norm(in) *
                                     (spinor_error<T>() + link_error<T>(storage) + arithmetic_error<T>());
            // A clover block of 36 numbers, each wrong by eps times the largest.
            const double site_error =
                site_term_norm * (6.0 * rounding<T>() + spinor_error<T>() + arithmetic_error<T>());
            EXPECT_LE(distance(found, expected), hop_error + site_error + spinor_error<T>() * norm(expected));
          };
          // The largest |A psi| / |psi| is below 10 and |A^-1| below 1 on these fields.
          const double site_norm = 10.0 * norm(x);
          for (const bool dagger : {false, true}) {
            compare({.scale = 0.7, .dagger = dagger}, 0.0, 0.7);
            compare({.scale = 0.7, .x = &x, .x_scale = -1.2, .dagger = dagger}, 1.2 * norm(x), 0.7);
            compare({.term = SiteTerm::diagonal, .scale = -1.0, .x = &x, .dagger = dagger}, site_norm, 1.0);
            compare({.term = SiteTerm::inverse, .dagger = dagger}, hop_norm(fermion) * norm(in), 1.0);
            compare({.term = SiteTerm::inverse, .scale = -0.3, .x = &x, .x_scale = 2.0, .dagger = dagger},
                    2.0 * norm(x) + 0.3 * hop_norm(fermion) * norm(in), 0.3);
          }
        }
      }
    }
  }
}

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
  GaugeField<double> links(lattice);
  set_unit(links);
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
