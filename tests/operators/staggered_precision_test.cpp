// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/operators/expect_products.hpp"
#include "tests/operators/staggered_kinds.hpp"

#include <kaon/operators/schur.hpp>

namespace kaon::test {
namespace KAON_TEST_FILE {

// Every precision and storage of links against double with 18 reals, which staggered_test.cpp compares with the slow
// reference.

template <class Case>
class StaggeredPrecision : public ::testing::Test {};
using Cases = ::testing::Types<Of<Naive, double>, Of<Naive, float>, Of<Naive, half>, Of<Improved, double>,
                               Of<Improved, float>, Of<Improved, half>>;
TYPED_TEST_SUITE(StaggeredPrecision, Cases);

/// Error added by a hop of vectors and links that are stored in T, relative to |in|.
template <class Case>
double hop_error(const typename Case::Kind::Parameters& parameters, LinkStorage storage) {
  using T = typename Case::T;
  return Case::Kind::hop_norm(parameters) * (object_error<T>(6) + arithmetic_error<T>()) +
         Case::Kind::template links_error<T>(parameters, storage);
}

TYPED_TEST(StaggeredPrecision, OfHopsIsThatOfTheirStorage) {
  using T = typename TypeParam::T;
  using Kind = typename TypeParam::Kind;
  for (const Lattice& lattice : Kind::lattices()) {
    for (const auto& parameters : Kind::cases()) {
      const SpinorField<double> chi = gaussian_colors<double>(lattice, 1);
      const SpinorField<T> rounded = gaussian_colors<T>(lattice, 1);
      for (const LinkStorage storage : Kind::storages) {
        SCOPED_TRACE(describe(lattice, parameters) + ", " + std::to_string(reals(storage)) + " reals");
        const auto exact = Kind::template rough<double>(lattice, parameters, storage);
        const typename Kind::template Dirac<T> stored(exact, storage);
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
            EXPECT_LE(distance(found, expected), d_factor * hop_error<TypeParam>(parameters, storage) * norm(in) +
                                                     x_error + object_error<T>(6) * norm(expected));
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
  using T = typename TypeParam::T;
  using Kind = typename TypeParam::Kind;
  const Lattice lattice = Kind::lattice({8, 8, 8, 8});
  for (const auto& parameters : Kind::cases()) {
    const SpinorField<double> chi = gaussian_colors<double>(lattice, 1);
    const SpinorField<T> rounded = gaussian_colors<T>(lattice, 1);
    for (const LinkStorage storage : Kind::storages) {
      SCOPED_TRACE(std::to_string(reals(storage)) + " reals");
      const auto exact = Kind::template rough<double>(lattice, parameters, storage);
      const StaggeredNormal<double> slow(exact, Parity::even);
      SpinorField<double> expected = slow.make_field(1);
      slow.apply(expected, chi.parity(Parity::even));
      const typename Kind::template Dirac<T> stored(exact, storage);
      const StaggeredNormal<T> fast(stored, Parity::even);
      SpinorField<T> found = fast.make_field(1);
      fast.apply(found, rounded.parity(Parity::even));
      const double error = distance(found, expected) / norm(chi.parity(Parity::even));
      // Each of the two hops brings its error, and multiplies that of the other by its norm; 4m^2 x and the sum theirs.
      const double size = Kind::hop_norm(parameters);
      EXPECT_LE(error, 2.0 * size * hop_error<TypeParam>(parameters, storage) +
                           (4.0 * parameters.mass * parameters.mass + size * size) * object_error<T>(6));
      EXPECT_TRUE((std::is_same_v<T, double>) || error > 1e-9) << "nothing was rounded";
    }
  }
}

TYPED_TEST(StaggeredPrecision, OfOperatorsDoesNotDependOnLanesAndBatches) {
  using T = typename TypeParam::T;
  using Kind = typename TypeParam::Kind;
  for (const LinkStorage storage : Kind::storages) {
    std::vector<std::vector<std::complex<double>>> results;
    for (const Lanes lanes : {Lanes::native, Lanes::single}) {
      const Lattice lattice = Kind::lattice({8, 8, 8, 8}, lanes);
      const typename Kind::template Dirac<T> stored(Kind::template rough<double>(lattice, Kind::cases()[1], storage),
                                                    storage);
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

TYPED_TEST(StaggeredPrecision, OfProductsIsThatOfTheOutput) {
  using T = typename TypeParam::T;
  using Kind = typename TypeParam::Kind;
  for (const Coordinates& extents : {Coordinates{4, 4, 4, 6}, Coordinates{8, 8, 8, 8}}) {
    const Lattice lattice = Kind::lattice(extents);
    const LinkStorage storage = Kind::storages[Kind::storages.size() > 1 ? 1 : 0];
    const typename Kind::template Dirac<T> dirac(Kind::template rough<double>(lattice, Kind::cases()[1], storage),
                                                 storage);
    const StaggeredNormal<T> normal(dirac, Parity::odd);
    const Schur<T> schur(dirac, {SchurForm::symmetric, Parity::odd});
    for (const int right_hand_sides : {1, 3, 13}) {
      expect_products<T>(normal, right_hand_sides, products_rounding<T>(6));
      expect_products<T>(schur, right_hand_sides, products_rounding<T>(6));
    }
  }
}

// Links times a colour vector of 66 flops each, with sums of 6, and 12 for a x + b y on 6 reals. A vector in 16 bits
// has a scale of 4 bytes.
TYPED_TEST(StaggeredPrecision, OfOperatorsCountsItsFlopsAndBytes) {
  using T = typename TypeParam::T;
  using Kind = typename TypeParam::Kind;
  const Lattice lattice = Kind::lattice({4, 4, 4, 4});
  const double sites = 128;
  const double vector = std::is_same_v<T, half> ? 16 : 6 * sizeof(T);
  for (const LinkStorage storage : Kind::storages) {
    const typename Kind::template Dirac<T> stored(Kind::template rough<double>(lattice, {.mass = 0.1}, storage),
                                                  storage);
    const double links = Kind::link_reals(storage) * sizeof(T);
    EXPECT_EQ(stored.hop_flops(SiteTerm::none, false), sites * Kind::flops);
    EXPECT_EQ(stored.hop_flops(SiteTerm::none, true), sites * (Kind::flops + 12));
    EXPECT_EQ(stored.hop_bytes(SiteTerm::none, false), sites * (links + 2 * vector));
    EXPECT_EQ(stored.hop_bytes(SiteTerm::none, true), sites * (links + 3 * vector));
    const StaggeredNormal<T> normal(stored, Parity::even);
    EXPECT_EQ(normal.flops(), sites * (2 * Kind::flops + 12));
    EXPECT_EQ(normal.bytes(), sites * (2 * links + 5 * vector));
  }
}

// Fat links of asqtad at small u0 have elements near 10: 16 bits lose no more of them, relative to the largest.
TEST(ImprovedPrecisionOfHalf, HasOneScaleForFatLinks) {
  const Lattice lattice({.extents = {8, 8, 8, 8}, .reach = 3});
  const ImprovedStaggeredParameters parameters = improved_cases()[0];
  const SpinorField<double> chi = gaussian_colors<double>(lattice, 1);
  const SpinorField<half> rounded = gaussian_colors<half>(lattice, 1);
  for (const double factor : {0.5, 8.0}) {
    std::vector<std::complex<double>> values = rough_fat_links<double>(lattice).to_host();
    for (std::complex<double>& value : values) value *= factor;
    GaugeField<double> fat(lattice);
    fat.from_host(values);
    const ImprovedStaggered<double> exact(fat, rough_third_links<double>(lattice), parameters);
    const ImprovedStaggered<half> stored(exact, LinkStorage::two_rows_and_determinant);
    EXPECT_EQ(stored.fat().scale() > 1.0, factor > 1.0);
    EXPECT_EQ(stored.third().scale(), 1.0);
    SpinorField<double> expected = exact.make_field(1);
    SpinorField<half> found = stored.make_field(1);
    exact.apply(expected, chi);
    stored.apply(found, rounded);
    const double error = hop_error<Of<Improved, half>>(parameters, LinkStorage::two_rows_and_determinant);
    EXPECT_LE(distance(found, expected), 2.0 * (1.0 + factor) * error * norm(chi));
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
