// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/lattice/workspace.hpp"
#include "tests/gauge/test_lattices.hpp"
#include "tests/solvers/solver_cases.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/operators/schur.hpp>
#include <kaon/solvers/krylov.hpp>

namespace kaon::test {
namespace KAON_TEST_FILE {

template <class T>
class GcrTest : public SolverTest<T> {};
TYPED_TEST_SUITE(GcrTest, Precisions);

TYPED_TEST(GcrTest, ResidualNeverGrows) {
  const SolveResult result = [&] {
    SpinorField<TypeParam> x = this->dirac_->make_field(3);
    return Gcr<TypeParam>(*this->dirac_, {.krylov_space = 5, .solve = {.tolerance = 1e-4}})
        .solve(x, this->b_, {.keep_history = true});
  }();
  ASSERT_GT(result.history.size(), 5u);
  for (std::size_t i = 1; i < result.history.size(); ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_LE(result.history[i][k], result.history[i - 1][k] * (1.0 + tolerance<TypeParam>));
    }
  }
}

TYPED_TEST(GcrTest, MinimisesOverItsKrylovSpace) {
  // r after n iterations is orthogonal to M b, M^2 b, ..., M^n b.
  using T = TypeParam;
  constexpr int n = 4;
  SpinorField<T> x = this->dirac_->make_field(3), r = this->dirac_->make_field(3);
  Gcr<T>(*this->dirac_, {.solve = {.tolerance = 1e-15, .max_iterations = n}}).solve(x, this->b_);
  this->dirac_->apply(r, x);
  const blas::Reals r_norm2 = blas::xmy_norm2(r, this->b_);
  SpinorField<T> power = this->dirac_->make_field(3), next = this->dirac_->make_field(3);
  blas::copy(power, this->b_);
  for (int i = 1; i <= n; ++i) {
    this->dirac_->apply(next, power);
    std::swap(next, power);
    const blas::ProductAndNorm overlap = blas::inner_product_norm2(power, r);
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_LE(std::abs(overlap.product[k]), tolerance<T> * std::sqrt(overlap.norm2[k] * r_norm2[k])) << i;
    }
  }
}

TYPED_TEST(GcrTest, AppliesSoManySteps) {
  using T = TypeParam;
  const Mr<T> smoother(*this->dirac_, {.omega = 0.9, .steps = 2});
  for (const bool preconditioned : {false, true}) {
    for (const int steps : {1, 2, 3, 5}) {
      const GcrParameters parameters{.steps = steps, .solve = {.tolerance = 1e-15, .max_iterations = steps}};
      const Gcr<T> gcr =
          preconditioned ? Gcr<T>(*this->dirac_, smoother, parameters) : Gcr<T>(*this->dirac_, parameters);
      SpinorField<T> x = this->dirac_->make_field(3), y = gaussian<T>(this->lattice_, 3);
      gcr.solve(x, this->b_);
      gcr.apply(y, this->b_);
      EXPECT_LE(largest_difference(y, x), tolerance<T>) << steps << " steps";
      EXPECT_EQ(this->lattice_.workspace().results_in_flight(), 0);
    }
  }
}

TYPED_TEST(GcrTest, WithOneDirectionIsMinimalResiduals) {
  using T = TypeParam;
  SpinorField<T> x = this->dirac_->make_field(3), y = this->dirac_->make_field(3);
  Gcr<T>(*this->dirac_, {.krylov_space = 1, .solve = {.tolerance = 1e-15, .max_iterations = 5}}).solve(x, this->b_);
  Mr<T>(*this->dirac_, {.solve = {.tolerance = 1e-15, .max_iterations = 5}}).solve(y, this->b_);
  EXPECT_LE(largest_difference(x, y), tolerance<T>);
}

TYPED_TEST(GcrTest, NeedsOneIterationWithAnExactPreconditioner) {
  using T = TypeParam;
  const BiCgStab<T> exact(*this->dirac_, {.tolerance = reachable<T>});
  const Gcr<T> solver(*this->dirac_, exact, {.solve = {.tolerance = 2 * reachable<T>}});
  SpinorField<T> x = this->dirac_->make_field(3);
  const SolveResult result = solver.solve(x, this->b_);
  expect_solution<T>(*this->dirac_, x, this->b_, result, 2 * reachable<T>);
  EXPECT_EQ(result.iterations(), 1);
}

TYPED_TEST(GcrTest, TakesPreconditionersThatChange) {
  using T = TypeParam;
  const Mr<T> smoother(*this->dirac_, {.steps = 3});
  const Gcr<T> inner(*this->dirac_, {.solve = {.tolerance = 0.2}});
  const GcrParameters parameters{.solve = {.tolerance = reachable<T>}};
  SpinorField<T> plain = this->dirac_->make_field(3);
  const int iterations = Gcr<T>(*this->dirac_, parameters).solve(plain, this->b_).iterations();
  for (const LinearOperator<T>* preconditioner :
       {static_cast<const LinearOperator<T>*>(&smoother), static_cast<const LinearOperator<T>*>(&inner)}) {
    SpinorField<T> x = this->dirac_->make_field(3);
    const SolveResult result = Gcr<T>(*this->dirac_, *preconditioner, parameters).solve(x, this->b_);
    expect_solution<T>(*this->dirac_, x, this->b_, result, reachable<T>);
    EXPECT_LT(result.iterations(), iterations / 2 + 1);
  }
}

TYPED_TEST(GcrTest, OrthogonalisesNearlyParallelDirections) {
  // With c = b the directions span the same Krylov space as without the preconditioner.
  using T = TypeParam;
  SpinorField<T> x = this->dirac_->make_field(3), y = this->dirac_->make_field(3);
  const Changed<T> parallel(*this->dirac_, [&](SpinorField<T>& out, const SpinorField<T>& in) {  // c + epsilon in
    blas::copy(out, this->b_);
    blas::axpy(out, in, std::vector<double>(3, std::is_same_v<T, double> ? 1e-6 : 1e-2));
  });
  const GcrParameters parameters{.krylov_space = 40, .solve = {.tolerance = 1e-2}};
  const SolveResult plain = Gcr<T>(*this->dirac_, parameters).solve(x, this->b_);
  const SolveResult result = Gcr<T>(*this->dirac_, parallel, parameters).solve(y, this->b_);
  expect_solution<T>(*this->dirac_, y, this->b_, result, 1e-2);
  EXPECT_EQ(result.iterations(), plain.iterations());
}

TEST(Gcr, RefusesParametersWithoutMeaning) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  const auto dirac = make_operator<double>(random_links<double>(lattice), fermion_cases()[2]);
  const Schur<double> schur(*dirac);
  KAON_EXPECT_ERROR(Gcr<double>(*dirac, {.steps = -1}), "GCR cannot take -1 steps");
  KAON_EXPECT_ERROR(Gcr<double>(*dirac, {.krylov_space = 0}), "a Krylov space of at least one direction, got 0");
  KAON_EXPECT_ERROR(Gcr<double>(*dirac, schur, GcrParameters{}), "the preconditioner acts on fields of another shape");
}

// A solver refuses NaN: none may reach it, from whichever application of M it comes.
TEST(Gcr, KeepsNanFromAPreconditionerThatIsASolver) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  const auto dirac = make_operator<double>(random_links<double>(lattice), fermion_cases()[2]);
  const SpinorField<double> b = gaussian<double>(lattice, 3);
  const BiCgStab<double> inner(*dirac, {.tolerance = 0.1});
  for (int first = 1; first < 14; ++first) {
    SCOPED_TRACE(first);
    const auto matrix = faulty(*dirac, 1, first, std::numeric_limits<double>::quiet_NaN());
    SpinorField<double> x = dirac->make_field(3);
    const Gcr<double> solver(matrix, inner, {.krylov_space = 4, .solve = {.tolerance = 1e-12}});
    expect_nan_in_one(solver.solve(x, b), x);
  }
}

// A fault of a preconditioner affects its own right-hand side alone.
TEST(Gcr, StopsOneRightHandSideAtNanInThePreconditioner) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  const auto dirac = make_operator<double>(random_links<double>(lattice), fermion_cases()[2]);
  const SpinorField<double> b = gaussian<double>(lattice, 3);
  const Mr<double> smoother(*dirac, {});
  for (int first = 1; first < 5; ++first) {
    const auto preconditioner = faulty(smoother, 1, first, std::numeric_limits<double>::quiet_NaN());
    SpinorField<double> x = dirac->make_field(3);
    expect_nan_in_one(Gcr<double>(*dirac, preconditioner, {.solve = {.tolerance = 1e-12}}).solve(x, b), x);
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
