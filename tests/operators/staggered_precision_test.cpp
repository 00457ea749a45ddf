// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/gauge/test_lattices.hpp"
#include "tests/operators/expect_products.hpp"
#include "tests/operators/rounding_errors.hpp"
#include "tests/operators/staggered_cases.hpp"
#include "tests/support/built_storages.hpp"

#include <kaon/operators/schur.hpp>

#include <cmath>

namespace kaon::test {
namespace KAON_TEST_FILE {

// Every precision and storage of links against double with 18 reals, which staggered_test.cpp compares with the slow
// reference.

template <class T>
class StaggeredPrecision : public ::testing::Test {};
using AllPrecisions = ::testing::Types<double, float, half>;
TYPED_TEST_SUITE(StaggeredPrecision, AllPrecisions);

const std::vector<LinkStorage> storages = built({LinkStorage::full, LinkStorage::two_rows, LinkStorage::minimal});

/// |D|: eight terms of norm 1.
constexpr double hop_norm = 8.0;

/// Error added by a hop of vectors and links that are stored in T, relative to |in|.
template <class T>
double hop_error(LinkStorage storage) {
  return hop_norm * (object_error<T>(6) + link_error<T>(storage) + arithmetic_error<T>());
}

TYPED_TEST(StaggeredPrecision, OfHopsIsThatOfTheirStorage) {
  using T = TypeParam;
  for (const Lattice& lattice : test_lattices()) {
    for (const StaggeredParameters& parameters : staggered_cases()) {
      const Staggered<double> exact(rough_links<double>(lattice), parameters);
      const SpinorField<double> chi = gaussian_colors<double>(lattice, 1);
      const SpinorField<T> rounded = gaussian_colors<T>(lattice, 1);
      for (const LinkStorage storage : storages) {
        SCOPED_TRACE(describe(lattice, parameters) + ", " + std::to_string(reals(storage)) + " reals");
        const Staggered<T> stored(exact, storage);
        for (const Parity parity : {Parity::even, Parity::odd}) {
          const SpinorField<double> in = chi.parity(opposite(parity)), x = chi.parity(parity);
          const SpinorField<T> rounded_in = rounded.parity(opposite(parity)), rounded_x = rounded.parity(parity);
          SpinorField<double> expected(lattice, x.parameters());
          SpinorField<T> found(lattice, x.parameters());
          const auto compare = [&](const HopForm<double>& form, double x_factor, double d_factor) {
            exact.hop(expected, in, form);
            stored.hop(found, rounded_in,
                       {.term = form.term,
                        .scale = form.scale,
                        .x = form.x == nullptr ? nullptr : &rounded_x,
                        .x_scale = form.x_scale,
                        .dagger = form.dagger});
            const double x_error = x_factor * norm(x) * (object_error<T>(6) + arithmetic_error<T>());
            EXPECT_LE(distance(found, expected),
                      d_factor * hop_error<T>(storage) * norm(in) + x_error + object_error<T>(6) * norm(expected));
          };
          const double site_term = 2.0 * parameters.mass;
          for (const bool dagger : {false, true}) {
            compare({.scale = 0.7, .dagger = dagger}, 0.0, 0.7);
            compare({.scale = 0.7, .x = &x, .x_scale = -1.2, .dagger = dagger}, 1.2, 0.7);
            compare({.term = SiteTerm::diagonal, .scale = -1.0, .x = &x, .dagger = dagger}, site_term, 1.0);
            compare({.term = SiteTerm::inverse, .dagger = dagger}, 0.0, 1.0 / site_term);
          }
        }
      }
    }
  }
}

TYPED_TEST(StaggeredPrecision, OfNormalOperatorsIsThatOfTheirStorage) {
  using T = TypeParam;
  const Lattice lattice({.extents = {8, 8, 8, 8}});
  for (const StaggeredParameters& parameters : staggered_cases()) {
    const Staggered<double> exact(rough_links<double>(lattice), parameters);
    const StaggeredNormal<double> slow(exact, Parity::even);
    const SpinorField<double> chi = gaussian_colors<double>(lattice, 1);
    const SpinorField<T> rounded = gaussian_colors<T>(lattice, 1);
    SpinorField<double> expected = slow.make_field(1);
    slow.apply(expected, chi.parity(Parity::even));
    for (const LinkStorage storage : storages) {
      SCOPED_TRACE(std::to_string(reals(storage)) + " reals");
      const Staggered<T> stored(exact, storage);
      const StaggeredNormal<T> fast(stored, Parity::even);
      SpinorField<T> found = fast.make_field(1);
      fast.apply(found, rounded.parity(Parity::even));
      const double error = distance(found, expected) / norm(chi.parity(Parity::even));
      // Each of the two hops brings its error, and multiplies that of the other by its norm; 4m^2 x and the sum theirs.
      EXPECT_LE(error, 2.0 * hop_norm * hop_error<T>(storage) +
                           (4.0 * parameters.mass * parameters.mass + hop_norm * hop_norm) * object_error<T>(6));
      EXPECT_TRUE((std::is_same_v<T, double>) || error > 1e-9) << "nothing was rounded";
    }
  }
}

TYPED_TEST(StaggeredPrecision, OfOperatorsDoesNotDependOnLanesAndBatches) {
  using T = TypeParam;
  const StaggeredParameters parameters = staggered_cases()[1];
  for (const LinkStorage storage : storages) {
    std::vector<std::vector<std::complex<double>>> results;
    for (const Lanes lanes : {Lanes::native, Lanes::single}) {
      const Lattice lattice({.extents = {8, 4, 4, 8}, .lanes = lanes});
      const Staggered<T> stored(Staggered<double>(rough_links<double>(lattice), parameters), storage);
      const SpinorField<T> in = gaussian_colors<T>(lattice, 5);
      SpinorField<T> batched = stored.make_field(5), single = stored.make_field(1);
      stored.apply(batched, in);
      stored.apply(single, in.range(3, 1));
      expect_as_alone<T>(batched.to_host(3), single.to_host());
      results.push_back(single.to_host());
    }
    EXPECT_LE(reference::relative_difference(results[0], results[1]), 10.0 * rounding<T>());
  }
}

// Products of an operator with its argument and a third vector are those of its output in memory, except for the
// rounding of the output, and of the sums over a site in the arithmetic's precision.
TYPED_TEST(StaggeredPrecision, OfProductsIsThatOfTheOutput) {
  using T = TypeParam;
  const double relative = 2.0 * (object_error<T>(6) + 24.0 * rounding<detail::Arithmetic<T>>());
  for (const Lanes lanes : {Lanes::native, Lanes::single}) {
    const Lattice lattice({.extents = {8, 4, 4, 4}, .lanes = lanes});
    const Staggered<double> exact(rough_links<double>(lattice), staggered_cases()[1]);
    const Staggered<T> dirac(exact, LinkStorage::two_rows);
    const StaggeredNormal<T> normal(dirac, Parity::odd);
    const Schur<T> schur(dirac, {SchurForm::symmetric, Parity::odd});
    for (const LinearOperator<T>* matrix :
         {static_cast<const LinearOperator<T>*>(&normal), static_cast<const LinearOperator<T>*>(&schur)}) {
      for (const int right_hand_sides : {1, 3, 13}) {
        const SpinorField<T> both = gaussian_colors<T>(lattice, 2 * right_hand_sides);
        const SpinorField<T> x = both.range(0, right_hand_sides).parity(Parity::odd);
        const SpinorField<T> w = both.range(right_hand_sides, right_hand_sides).parity(Parity::odd);
        SpinorField<T> y = matrix->make_field(right_hand_sides);
        const blas::Products found = matrix->apply_and_reduce(y, x, {.x = true, .w = &w}).wait();
        const blas::Products expected = blas::reduce<T>(y, &x, {.x = true, .w = &w}).wait();
        expect_products_near(found, expected, blas::norm2(w), relative, true, true);
      }
    }
  }
}

// 8 links times a colour vector of 66 flops each and 7 sums of 6: 570 a site, and 12 for a x + b y on 6 reals. A vector
// in 16 bits has a scale of 4 bytes.
TYPED_TEST(StaggeredPrecision, OfOperatorsCountsItsFlopsAndBytes) {
  using T = TypeParam;
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  const Staggered<double> exact(rough_links<double>(lattice), {.mass = 0.1});
  const double sites = 128;
  const double vector = std::is_same_v<T, half> ? 16 : 6 * sizeof(T);
  for (const LinkStorage storage : storages) {
    const Staggered<T> stored(exact, storage);
    const double eight_links = 8.0 * reals(storage) * sizeof(T);
    EXPECT_EQ(stored.hop_flops(SiteTerm::none, false), sites * 570);
    EXPECT_EQ(stored.hop_flops(SiteTerm::none, true), sites * 582);
    EXPECT_EQ(stored.hop_bytes(SiteTerm::none, false), sites * (eight_links + 2 * vector));
    EXPECT_EQ(stored.hop_bytes(SiteTerm::none, true), sites * (eight_links + 3 * vector));
    const StaggeredNormal<T> normal(stored, Parity::even);
    EXPECT_EQ(normal.flops(), sites * (570 + 582));
    EXPECT_EQ(normal.bytes(), sites * (2 * eight_links + 5 * vector));
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
