// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/operators/rounding_errors.hpp"
#include "tests/operators/test_fields.hpp"
#include "tests/operators/wilson_cases.hpp"
#include "tests/support/built_storages.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/gauge/initial_links.hpp>
#include <kaon/operators/normal.hpp>
#include <kaon/operators/schur.hpp>

#include <cmath>

namespace kaon::test {
namespace KAON_TEST_FILE {

// Every precision and storage of links against double with 18 reals, which wilson_test.cpp compares with the slow
// reference.

using Operators = std::vector<FermionCase>;

const std::vector<LinkStorage> storages = built({LinkStorage::full, LinkStorage::two_rows, LinkStorage::minimal});

/// |psi_stored - psi| / |psi| of a site.
template <class T>
double spinor_error() {
  return object_error<T>(24);
}

/// |K| of K = D/2: eight terms, each of norm w; three quarters have the weight of space.
double hop_norm(const FermionCase& fermion) { return 2.0 + 6.0 * fermion.parameters.anisotropy.spatial_weight(); }

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
      for (const LinkStorage storage : storages) {
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
  using T = TypeParam;
  const Lattice lattice({.extents = {8, 8, 8, 8}});
  for (const FermionCase& fermion : fermion_cases()) {
    const GaugeField<double> links = random_links<double>(lattice);
    const auto exact = make_operator<double>(links, fermion);
    const SpinorField<double> psi = gaussian<double>(lattice, 1);
    for (const LinkStorage storage : storages) {
      SCOPED_TRACE(describe(lattice, fermion) + ", " + std::to_string(reals(storage)) + " reals");
      const auto stored = converted<T>(*exact, fermion, storage);
      const double step = 4.0 * hop_norm(fermion) *
                          (spinor_error<T>() + link_error<T>(storage) + arithmetic_error<T>() + 6.0 * rounding<T>());
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
        compare(slow, fast, in, 2.0 * hop_norm(fermion));
        compare(NormalOperator<double>(slow), NormalOperator<T>(fast), in, 4.0 * hop_norm(fermion) * hop_norm(fermion));
      }
    }
  }
}

TYPED_TEST(PrecisionOf, OperatorsDoesNotDependOnLanesAndBatches) {
  using T = TypeParam;
  const FermionCase fermion = fermion_cases().back();
  for (const LinkStorage storage : storages) {
    std::vector<std::vector<std::complex<double>>> results;
    for (const Lanes lanes : {Lanes::native, Lanes::single}) {
      const Lattice lattice({.extents = {8, 4, 4, 8}, .lanes = lanes});
      const GaugeField<double> links = random_links<double>(lattice);
      const auto stored = converted<T>(*make_operator<double>(links, fermion), fermion, storage);
      const SpinorField<T> in = in_precision<T>(gaussian<double>(lattice, 5));
      SpinorField<T> batched(lattice, {.right_hand_sides = 5}), single(lattice);
      stored->apply(batched, in);
      stored->apply(single, in.range(3, 1));
      expect_as_alone<T>(batched.to_host(3), single.to_host());
      results.push_back(single.to_host());
    }
    EXPECT_LE(reference::relative_difference(results[0], results[1]), 10.0 * rounding<T>());
  }
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
  for (const LinkStorage storage : storages) {
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
