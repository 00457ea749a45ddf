// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "solvers/krylov/richardson.hpp"
#include "tests/gauge/test_lattices.hpp"
#include "tests/solvers/solver_cases.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/operators/schur.hpp>
#include <kaon/operators/staggered.hpp>
#include <kaon/solvers/krylov.hpp>

namespace kaon::test {
namespace KAON_TEST_FILE {

template <class T>
class MrTest : public SolverTest<T> {};
TYPED_TEST_SUITE(MrTest, Precisions);

TYPED_TEST(MrTest, StepMinimisesTheResidual) {
  // With r = b and r' the residual after a step: <M r, r'> = (1 - omega) <M r, r>, and
  // |r'|^2 = (1 - omega (2 - omega) cos^2) |r|^2, cos the cosine of the angle between M r and r.
  using T = TypeParam;
  SpinorField<T> mb = this->dirac_->make_field(3);
  this->dirac_->apply(mb, this->b_);
  const blas::ProductAndNorm before = blas::inner_product_norm2(mb, this->b_);
  const blas::Reals b_norm2 = blas::norm2(this->b_);
  for (const double omega : {1.0, 0.8, 1.3}) {
    SpinorField<T> x = this->dirac_->make_field(3), r = this->dirac_->make_field(3);
    Mr<T>(*this->dirac_, {.omega = omega, .steps = 1}).apply(x, this->b_);
    this->dirac_->apply(r, x);
    const blas::Reals r_norm2 = blas::xmy_norm2(r, this->b_);
    const blas::Complexes after = blas::inner_product(mb, r);
    for (std::size_t k = 0; k < 3; ++k) {
      const double cos2 = std::norm(before.product[k]) / (before.norm2[k] * b_norm2[k]);
      EXPECT_NEAR(r_norm2[k] / b_norm2[k], 1.0 - omega * (2.0 - omega) * cos2, tolerance<T>);
      EXPECT_LE(std::abs(after[k] - (1.0 - omega) * before.product[k]),
                tolerance<T> * std::sqrt(before.norm2[k] * b_norm2[k]));
    }
  }
}

TYPED_TEST(MrTest, AppliesSoManySteps) {
  using T = TypeParam;
  for (const int steps : {1, 2, 5}) {
    SpinorField<T> x = this->dirac_->make_field(3), y = gaussian<T>(this->lattice_, 3);
    const MrParameters parameters{
        .omega = 0.9, .steps = steps, .solve = {.tolerance = reachable<T>, .max_iterations = steps}};
    const Mr<T> solver(*this->dirac_, parameters);
    const SolveResult result = solver.solve(x, this->b_);
    solver.apply(y, this->b_);
    EXPECT_LE(largest_difference(y, x), tolerance<T>);
    for (const auto& r : result.right_hand_sides) {
      EXPECT_EQ(r.status, SolveStatus::max_iterations);
      EXPECT_EQ(r.iterations, steps);
    }
  }
}

// With a tiny mass M brings a source on even sites to odd ones: M r is orthogonal to r.
TYPED_TEST(MrTest, GivesUpWhereNoStepHelps) {
  using T = TypeParam;
  const Staggered<T> dirac(random_links<T>(this->lattice_), {.mass = 1e-17});
  SpinorField<T> x = dirac.make_field(1), b = dirac.make_field(1);
  SpinorField<T> even = b.parity(Parity::even);
  set_gaussian(even, {.seed = 3});
  const SolveResult result = Mr<T>(dirac, {}).solve(x, b);
  EXPECT_EQ(result.right_hand_sides[0].status, SolveStatus::breakdown);
  EXPECT_EQ(result.right_hand_sides[0].true_residual, 1.0);
}

TYPED_TEST(MrTest, RichardsonLeavesTheProductOfItsFactors) {
  using T = TypeParam;
  const detail::Weights weights{{0.1, 0.02}, {0.2, -0.1}, {0.15, 0.0}};
  SpinorField<T> x = this->dirac_->make_field(3), left = this->dirac_->make_field(3), t = this->dirac_->make_field(3);
  detail::Richardson<T>(*this->dirac_, weights).apply(x, this->b_);
  this->dirac_->apply(left, x);
  blas::xmy_norm2(left, this->b_);  // b - M x
  SpinorField<T> expected = gaussian<T>(this->lattice_, 3);
  for (const auto& w : weights) {  // (1 - w_k M) ... b
    this->dirac_->apply(t, expected);
    blas::caxpy(expected, t, blas::Complexes(3, -w));
  }
  EXPECT_LE(largest_difference(left, expected), 10 * tolerance<T>);
}

TEST(Richardson, HasTheWeightsOfGmres) {
  const Lattice lattice({.extents = {8, 4, 4, 8}});
  const auto dirac = make_operator<double>(random_links<double>(lattice), fermion_cases()[2]);
  const Schur<double> schur(*dirac);
  const SpinorField<double> b = gaussian<double>(lattice, 1).parity(Parity::even);
  for (const int degree : {1, 2, 4, 6}) {
    SpinorField<double> x = schur.make_field(1), r = schur.make_field(1), y = schur.make_field(1);
    Gcr<double>(schur, {.solve = {.tolerance = 1e-15, .max_iterations = degree, .max_restarts = 0}}).solve(x, b);
    blas::copy(r, b);
    const detail::Weights weights = detail::richardson_weights(schur, r, degree);
    ASSERT_EQ(static_cast<int>(weights.size()), degree);
    detail::Richardson<double>(schur, weights).apply(y, b);
    EXPECT_LE(largest_difference(x, y), 2e-5) << "weights have 20 bits";
    schur.apply(y, x);
    const double left = blas::xmy_norm2(y, b)[0];
    EXPECT_NEAR(blas::norm2(r)[0], left, 1e-9 * left) << "r becomes what they leave, and that is the least";
  }
  SpinorField<double> zero = schur.make_field(1);
  blas::set_zero(zero);
  EXPECT_TRUE(detail::richardson_weights(schur, zero, 3).empty());
  KAON_EXPECT_ERROR(detail::Richardson<double>(schur, {}), "Richardson's method needs a weight");
}

// Products of the vectors M^i r lose so many digits that six of these sets of weights would change.
TEST(Richardson, HasTheSameWeightsWhereFieldsRoundOtherwise) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  const auto dirac = make_operator<double>(random_links<double>(lattice), fermion_cases()[2]);
  const Schur<double> schur(*dirac);
  SpinorField<double> r = schur.make_field(2), rounded = schur.make_field(2);
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    set_gaussian(r, {.seed = seed});
    set_gaussian(rounded, {.seed = seed + 1000});
    blas::xpay(rounded, r, blas::Reals(2, 1e-15));
    const detail::Weights weights = detail::richardson_weights(schur, r, 6);
    EXPECT_EQ(weights.size(), 6u);
    EXPECT_EQ(weights, detail::richardson_weights(schur, rounded, 6)) << seed;
  }
}

TEST(Mr, RefusesParametersWithoutMeaning) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  const auto dirac = make_operator<double>(random_links<double>(lattice), fermion_cases()[2]);
  KAON_EXPECT_ERROR(Mr<double>(*dirac, {.omega = 0.0}), "a relaxation omega between 0 and 2, got 0");
  KAON_EXPECT_ERROR(Mr<double>(*dirac, {.omega = 2.0}), "a relaxation omega between 0 and 2, got 2");
  KAON_EXPECT_ERROR(Mr<double>(*dirac, {.steps = 0}), "at least one step, got 0");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
