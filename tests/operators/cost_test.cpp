// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/operators/test_fields.hpp"

#include <kaon/operators/normal.hpp>
#include <kaon/operators/schur.hpp>
#include <kaon/operators/wilson.hpp>

namespace kaon::test {
namespace KAON_TEST_FILE {

// The field's counts for a site: SU(3) times vector 66 flops, so D is 8 * 2 * 66 + 264 = 1320; a x + b y on 24 reals is
// 48; two Hermitian 6x6 blocks are 552 (the count of QUDA). Links are 8 * 18 reals, a spinor 24, a clover term 72.
constexpr double hop = 1320, scaled_sum = 48, clover = 552;
constexpr double links = 8 * 18, spinor = 24, blocks = 72;

template <class T>
class OperatorCosts : public ::testing::Test {
 protected:
  const Lattice lattice{{.extents = {4, 6, 2, 8}}};
  const double sites = 4 * 6 * 2 * 8 / 2;  // of one parity
  const double reals = sites * sizeof(T);  // bytes of one real on each of them
  const Wilson<T> wilson{unit_links<T>(lattice), {.mass = 0.1}};
  const WilsonClover<T> wilson_clover{unit_links<T>(lattice), {.mass = 0.1, .csw = 1.0}};
};
TYPED_TEST_SUITE(OperatorCosts, Precisions);

TYPED_TEST(OperatorCosts, OfAWilsonHopAreTheFieldsCounts) {
  // A is a number: no form needs more flops or bytes for it.
  for (const SiteTerm term : {SiteTerm::none, SiteTerm::diagonal, SiteTerm::inverse}) {
    EXPECT_EQ(this->wilson.hop_flops(term, false), this->sites * hop);
    EXPECT_EQ(this->wilson.hop_flops(term, true), this->sites * (hop + scaled_sum));
    EXPECT_EQ(this->wilson.hop_bytes(term, false), this->reals * (links + 2 * spinor));
    EXPECT_EQ(this->wilson.hop_bytes(term, true), this->reals * (links + 3 * spinor));
  }
}

TYPED_TEST(OperatorCosts, OfACloverHopAreTheFieldsCounts) {
  for (const SiteTerm term : {SiteTerm::diagonal, SiteTerm::inverse}) {
    EXPECT_EQ(this->wilson_clover.hop_flops(term, false), this->sites * (hop + clover));
    EXPECT_EQ(this->wilson_clover.hop_flops(term, true), this->sites * (hop + clover + scaled_sum));
    EXPECT_EQ(this->wilson_clover.hop_bytes(term, false), this->reals * (links + 2 * spinor + blocks));
    EXPECT_EQ(this->wilson_clover.hop_bytes(term, true), this->reals * (links + 3 * spinor + blocks));
  }
  EXPECT_EQ(this->wilson_clover.hop_flops(SiteTerm::none, false), this->sites * hop);
  EXPECT_EQ(this->wilson_clover.hop_bytes(SiteTerm::none, true), this->reals * (links + 3 * spinor));
}

TYPED_TEST(OperatorCosts, OfASiteTermAreThoseOfOneVectorInAndOneOut) {
  EXPECT_EQ(this->wilson.site_term_flops(), this->sites * spinor);
  EXPECT_EQ(this->wilson.site_term_bytes(), this->reals * 2 * spinor);
  EXPECT_EQ(this->wilson_clover.site_term_flops(), this->sites * clover);
  EXPECT_EQ(this->wilson_clover.site_term_bytes(), this->reals * (2 * spinor + blocks));
}

TYPED_TEST(OperatorCosts, OfCompositionsAreTheSumsOfTheirHops) {
  const auto& dirac = this->wilson_clover;
  EXPECT_EQ(this->wilson.flops(), 2 * this->sites * 1368);
  EXPECT_EQ(dirac.flops(), 2 * this->sites * (hop + clover + scaled_sum));
  EXPECT_EQ(dirac.bytes(), 2 * this->reals * (links + 3 * spinor + blocks));
  for (const SchurForm form : {SchurForm::symmetric, SchurForm::asymmetric}) {
    const Schur<TypeParam> schur(dirac, {.form = form});
    EXPECT_EQ(schur.flops(), this->sites * (2 * (hop + clover) + scaled_sum));
    EXPECT_EQ(schur.bytes(), this->reals * (2 * (links + blocks) + 5 * spinor));
    const NormalOperator<TypeParam> normal(schur);
    EXPECT_EQ(normal.flops(), 2 * schur.flops());
    EXPECT_EQ(normal.bytes(), 2 * schur.bytes());
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
