// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/gauge/test_lattices.hpp"
#include "tests/operators/wilson_cases.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/operators/domain_wall.hpp>
#include <kaon/operators/normal.hpp>
#include <kaon/operators/schur.hpp>

namespace kaon::test {
namespace KAON_TEST_FILE {

template <class T>
class ShiftedOperator : public ::testing::Test {};
TYPED_TEST_SUITE(ShiftedOperator, Precisions);

TYPED_TEST(ShiftedOperator, AddsAMultipleOfItsArgument) {
  using T = TypeParam;
  for (const Lattice& lattice : test_lattices()) {
    const auto dirac = make_operator<T>(random_links<T>(lattice), fermion_cases()[3]);
    const SpinorField<T> in = gaussian<T>(lattice, 2);
    SpinorField<T> plain = dirac->make_field(2), out = dirac->make_field(2);
    for (const double shift : {0.0, 0.7, -0.2}) {
      const Shifted<T> shifted(*dirac, shift);
      for (const bool dagger : {false, true}) {
        dagger ? adjointable(*dirac).apply_dagger(plain, in) : dirac->apply(plain, in);
        dagger ? shifted.apply_dagger(out, in) : shifted.apply(out, in);
        for (int k = 0; k < 2; ++k) {
          const reference::Spinor expected = reference::add(plain.to_host(k), shift, in.to_host(k));
          EXPECT_LE(reference::relative_difference(out.to_host(k), expected), tolerance<T>);
        }
      }
    }
  }
}

TYPED_TEST(ShiftedOperator, CountsWhatItAdds) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  const auto dirac = make_operator<TypeParam>(random_links<TypeParam>(lattice), fermion_cases()[0]);
  const Schur<TypeParam> schur(*dirac);
  const DomainWall<TypeParam> walls(random_links<TypeParam>(lattice), {.mass = 0.1, .slices = 6});
  EXPECT_EQ(Shifted<TypeParam>(*dirac, 0.0).flops(), flops_of(*dirac));
  EXPECT_EQ(Shifted<TypeParam>(*dirac, 0.1).flops(), flops_of(*dirac) + 256 * 48);
  EXPECT_EQ(Shifted<TypeParam>(schur, 0.1).flops(), schur.flops() + 128 * 48);
  EXPECT_EQ(Shifted<TypeParam>(schur, 0.1).bytes(), schur.bytes());
  EXPECT_EQ(Shifted<TypeParam>(walls, 0.1).flops(), flops_of(walls) + 6 * 256 * 48);
  KAON_EXPECT_ERROR(Shifted<TypeParam>(schur, std::numeric_limits<double>::infinity()), "must be a number, got inf");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
