// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/gauge/test_lattices.hpp"
#include "tests/operators/expect_products.hpp"
#include "tests/operators/rounding_errors.hpp"
#include "tests/operators/twisted_cases.hpp"
#include "tests/support/built_storages.hpp"

#include <kaon/operators/normal.hpp>
#include <kaon/operators/schur.hpp>

#include <cmath>

namespace kaon::test {
namespace KAON_TEST_FILE {

// Every precision and storage of links against double with 18 reals, which twisted_mass_test.cpp compares with the slow
// reference.

template <class T>
class TwistedPrecision : public ::testing::Test {};
using AllPrecisions = ::testing::Types<double, float, half>;
TYPED_TEST_SUITE(TwistedPrecision, AllPrecisions);

const std::vector<LinkStorage> storages = built({LinkStorage::full, LinkStorage::two_rows, LinkStorage::minimal});

/// |K| of K = D/2: eight terms, each of norm w; three quarters have the weight of space.
double hop_norm(const FermionCase& fermion) { return 2.0 + 6.0 * fermion.parameters.anisotropy.spatial_weight(); }

TYPED_TEST(TwistedPrecision, OfFullAndSchurOperatorsIsThatOfTheirStorage) {
  using T = TypeParam;
  const Lattice lattice({.extents = {8, 8, 8, 8}});
  for (const TwistedCase& twisted : all_twisted_cases()) {
    const auto exact = make_operator<double>(random_links<double>(lattice), twisted);
    const SpinorField<double> psi = gaussian<double>(lattice, 1);
    const double norm_of_hop = hop_norm(twisted.fermion);
    for (const LinkStorage storage : storages) {
      SCOPED_TRACE(describe(lattice, twisted.fermion) + ", " + std::to_string(reals(storage)) + " reals");
      const auto stored = converted<T>(*exact, twisted, storage);
      // The error of a hop and its site term, whose blocks of 36 numbers are each wrong by eps times the largest.
      const double step = 4.0 * norm_of_hop *
                          (object_error<T>(24) + link_error<T>(storage) + arithmetic_error<T>() + 6.0 * rounding<T>());
      const auto compare = [&](const LinearOperator<double>& slow, const LinearOperator<T>& fast,
                               const SpinorField<double>& in, double steps) {
        SpinorField<double> expected = slow.make_field(1);
        SpinorField<T> found = fast.make_field(1);
        for (const bool dagger : {false, true}) {
          dagger ? adjointable(slow).apply_dagger(expected, in) : slow.apply(expected, in);
          dagger ? adjointable(fast).apply_dagger(found, in_precision<T>(in)) : fast.apply(found, in_precision<T>(in));
          const double error = distance(found, expected) / norm(in);
          EXPECT_LE(error, steps * step);
          EXPECT_TRUE((std::is_same_v<T, double>) || error > 1e-9) << "nothing was rounded";
        }
      };
      compare(*exact, *stored, psi, 2.0);
      for (const SchurForm form : {SchurForm::symmetric, SchurForm::asymmetric}) {
        const Schur<double> slow(*exact, {.form = form});
        const Schur<T> fast(*stored, {.form = form});
        const SpinorField<double> in = psi.parity(Parity::even);
        compare(slow, fast, in, 2.0 * norm_of_hop);
        compare(NormalOperator<double>(slow), NormalOperator<T>(fast), in, 4.0 * norm_of_hop * norm_of_hop);
      }
    }
  }
}

TYPED_TEST(TwistedPrecision, OfOperatorsDoesNotDependOnLanesAndBatches) {
  using T = TypeParam;
  for (const TwistedCase& twisted : {twisted_cases()[1], all_twisted_cases().back()}) {
    for (const LinkStorage storage : storages) {
      std::vector<std::vector<std::complex<double>>> results;
      for (const Lanes lanes : {Lanes::native, Lanes::single}) {
        const Lattice lattice({.extents = {8, 4, 4, 8}, .lanes = lanes});
        const auto stored =
            converted<T>(*make_operator<double>(random_links<double>(lattice), twisted), twisted, storage);
        const SpinorField<T> in = in_precision<T>(gaussian<double>(lattice, 5));
        SpinorField<T> batched = stored->make_field(5), single = stored->make_field(1);
        stored->apply(batched, in);
        stored->apply(single, in.range(3, 1));
        expect_as_alone<T>(batched.to_host(3), single.to_host());
        results.push_back(single.to_host());
      }
      EXPECT_LE(reference::relative_difference(results[0], results[1]), 10.0 * rounding<T>());
    }
  }
}

// Products of a Schur complement with its argument and a third vector are those of its output in memory, except for the
// rounding of the output, and of the sums over a site in the arithmetic's precision.
TYPED_TEST(TwistedPrecision, OfProductsIsThatOfTheOutput) {
  using T = TypeParam;
  const double relative = 2.0 * (object_error<T>(24) + 24.0 * rounding<detail::Arithmetic<T>>());
  for (const Lanes lanes : {Lanes::native, Lanes::single}) {
    const Lattice lattice({.extents = {8, 4, 4, 4}, .lanes = lanes});
    for (const TwistedCase& twisted : {twisted_cases()[1], all_twisted_cases().back()}) {
      SCOPED_TRACE(describe(lattice, twisted.fermion));
      const auto exact = make_operator<double>(random_links<double>(lattice), twisted);
      const auto dirac = converted<T>(*exact, twisted, LinkStorage::two_rows);
      for (const SchurForm form : {SchurForm::symmetric, SchurForm::asymmetric}) {
        const Schur<T> schur(*dirac, {form, Parity::odd});
        for (const int right_hand_sides : {1, 3}) {
          const SpinorField<T> both = in_precision<T>(gaussian<double>(lattice, 2 * right_hand_sides));
          const SpinorField<T> x = both.range(0, right_hand_sides).parity(Parity::odd);
          const SpinorField<T> w = both.range(right_hand_sides, right_hand_sides).parity(Parity::odd);
          SpinorField<T> y = schur.make_field(right_hand_sides);
          for (const bool dagger : {false, true}) {
            const blas::Reductions<T> reductions{.x = true, .w = &w};
            const blas::Products found =
                (dagger ? schur.apply_dagger_and_reduce(y, x, reductions) : schur.apply_and_reduce(y, x, reductions))
                    .wait();
            const blas::Products expected = blas::reduce<T>(y, &x, {.x = true, .w = &w}).wait();
            expect_products_near(found, expected, blas::norm2(w), relative, true, true);
          }
        }
      }
    }
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
