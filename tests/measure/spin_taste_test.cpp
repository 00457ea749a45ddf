// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/operators/test_fields.hpp"
#include "tests/reference/propagator.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/gauge/gauge_transformation.hpp>
#include <kaon/gauge/link_phases.hpp>
#include <kaon/measure/spin_taste.hpp>

#include <bit>

namespace kaon {
namespace KAON_TEST_FILE {

using test::to_host;

template <class T>
class SpinTasteOperators : public ::testing::Test {};
TYPED_TEST_SUITE(SpinTasteOperators, test::Precisions);

TYPED_TEST(SpinTasteOperators, EqualReference) {
  for (const Lattice& lattice : {Lattice({.extents = {4, 6, 2, 8}}), Lattice({.extents = {8, 4, 4, 8}})}) {
    const GaugeField<TypeParam> links = test::random_links<TypeParam>(lattice, 1);
    const SpinorField<TypeParam> in = test::random_spinors<TypeParam>(lattice, 1, 2);
    SpinorField<TypeParam> out(lattice, in.parameters());
    for (int offset = 0; offset < 16; ++offset) {
      const int spin = (7 * offset + 3) % 16;
      apply_spin_taste(out, in, links, {.spin = spin, .taste = spin ^ offset});
      const reference::Spinor expected =
          reference::spin_taste(in.to_host(), links.to_host(), spin, spin ^ offset, lattice.extents());
      EXPECT_LT(reference::relative_difference(out.to_host(), expected), test::tolerance<TypeParam>)
          << spin << " " << (spin ^ offset);
    }
  }
}

/// 1, or -1 for products of gamma matrices that anticommute.
double commutator_sign(int a, int b) {
  const int swaps = std::popcount(static_cast<unsigned>(a)) * std::popcount(static_cast<unsigned>(b)) -
                    std::popcount(static_cast<unsigned>(a & b));
  return swaps % 2 == 0 ? 1.0 : -1.0;
}

// On unit links with their phases and fields that are the same in all hypercubes, they are the matrices gamma_S x xi_T:
// with s_15 in front of out, they multiply and commute as these do.
TEST(SpinTaste, HasTheAlgebraOfGammaMatricesInTheFreeField) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  GaugeField<double> links = test::unit_links<double>(lattice);
  fold_staggered_phases(links, {.antiperiodic = false});
  std::mt19937_64 generator(3);
  const std::vector<reference::Complex> cube = reference::random_vector(16 * 3, generator);
  std::vector<reference::Complex> values;
  reference::for_each_site(lattice.extents(), [&](const Coordinates& x) {
    const int corner = x[0] % 2 + 2 * (x[1] % 2) + 4 * (x[2] % 2) + 8 * (x[3] % 2);
    for (std::size_t c = 0; c < 3; ++c) values.push_back(cube[static_cast<std::size_t>(3 * corner) + c]);
  });
  SpinorField<double> start(lattice, {.spins = 1});
  start.from_host(values);
  const auto apply = [&](const SpinorField<double>& in, int spin, int taste) {
    SpinorField<double> out(lattice, in.parameters()), without(lattice, in.parameters());
    apply_spin_taste(out, in, links, {spin, taste});
    apply_spin_taste(without, out, links, {0, 0});  // s_15
    return without;
  };
  const auto host = [](const SpinorField<double>& psi) { return psi.to_host(); };
  const auto times = [](std::vector<reference::Complex> v, double factor) {
    for (auto& z : v) z *= factor;
    return v;
  };
  for (int a = 0; a < 256; a += 15) {  // each spin and each taste
    const int s = a / 16, t = a % 16;
    EXPECT_NEAR(blas::norm2(apply(start, s, t))[0] / blas::norm2(start)[0], 1.0, 1e-13);
    for (int b = 0; b < 256; b += 7) {
      const int u = b / 16, v = b % 16;
      const auto ab = host(apply(apply(start, u, v), s, t)), ba = host(apply(apply(start, s, t), u, v));
      const double sign = commutator_sign(s, u) * commutator_sign(t, v);
      EXPECT_LT(reference::relative_difference(ab, times(ba, sign)), 1e-13) << s << t << " " << u << v;
      const auto one = host(apply(start, s ^ u, t ^ v));
      EXPECT_LT(std::min(reference::relative_difference(ab, one), reference::relative_difference(ab, times(one, -1.0))),
                1e-13);
    }
  }
}

TEST(SpinTaste, IsGaugeCovariant) {
  const Lattice lattice({.extents = {8, 4, 4, 8}});
  const GaugeTransformation g(lattice, {.seed = 9});
  const GaugeField<double> links = test::random_links<double>(lattice, 1);
  const SpinorField<double> chi = test::random_spinors<double>(lattice, 2, 2);
  GaugeField<double> moved_links = links.clone();
  transform(moved_links, g);
  SpinorField<double> moved(lattice, chi.parameters()), out(lattice, chi.parameters()),
      expected(lattice, chi.parameters());
  blas::copy(moved, chi);
  transform(moved, g);
  for (const SpinTaste& of : {SpinTaste{1, 0}, SpinTaste{5, 8}, SpinTaste{15, 0}}) {
    apply_spin_taste(out, moved, moved_links, of);
    apply_spin_taste(expected, chi, links, of);
    transform(expected, g);
    EXPECT_LT(test::relative_difference(to_host(out), to_host(expected)), test::tolerance<double>);
  }
}

TEST(SpinTaste, IsRefusedWhereItMakesNoSense) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  const GaugeField<double> links = test::random_links<double>(lattice, 1);
  SpinorField<double> in(lattice), out(lattice);
  KAON_EXPECT_ERROR(apply_spin_taste(out, in, links, {16, 0}), "spin 16 and taste 0 must be numbers from 0 to 15");
  KAON_EXPECT_ERROR(apply_spin_taste(out, in, links, {0, -1}), "taste -1");
  KAON_EXPECT_ERROR(apply_spin_taste(in, in, links, {0, 0}), "need a second field");
  // Fields on one parity, for both kinds of operators: signs alone, or shifts.
  for (const SpinTaste& of : {SpinTaste{15, 15}, SpinTaste{1, 1}, SpinTaste{3, 5}, SpinTaste{0, 0}}) {
    const SpinorField<double> even = in.parity(Parity::even);
    SpinorField<double> even_out = out.parity(Parity::even);
    KAON_EXPECT_ERROR(apply_spin_taste(even_out, even, links, of), "both parities");
    SpinorField<double> other(lattice, {.spins = 1});
    KAON_EXPECT_ERROR(apply_spin_taste(other, in, links, of), "one shape");
    const GaugeField<double> larger(Lattice({.extents = {4, 4, 4, 8}}));
    KAON_EXPECT_ERROR(apply_spin_taste(out, in, larger, of), "lattice");
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon
