// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/reference/block_cg.hpp"
#include "solvers/contract/block_lanczos_matrix.hpp"
#include "solvers/contract/lanczos_matrix.hpp"
#include "tests/gauge/test_lattices.hpp"
#include "tests/operators/staggered_cases.hpp"
#include "tests/operators/test_fields.hpp"
#include "tests/solvers/solver_cases.hpp"

#include <kaon/operators/domain_wall.hpp>
#include <kaon/operators/normal.hpp>
#include <kaon/operators/schur.hpp>
#include <kaon/solvers/adapters.hpp>
#include <kaon/solvers/krylov.hpp>

#include <cmath>
#include <limits>

namespace kaon::test {
namespace KAON_TEST_FILE {

Lattice small_lattice() { return Lattice({.extents = {4, 4, 4, 8}}); }

template <class T>
Staggered<T> light_staggered(const Lattice& lattice, double mass = 0.2) {
  return Staggered<T>(random_links<T>(lattice), {.mass = mass});
}

/// Normal numbers in right-hand sides of the operator.
template <class T>
SpinorField<T> sources(const LinearOperator<T>& matrix, int right_hand_sides) {
  SpinorField<T> b = matrix.make_field(right_hand_sides);
  set_gaussian(b, {.seed = 17});
  return b;
}

/// The operator on the values of the host.
std::function<reference::Spinor(const reference::Spinor&)> host_operator(const LinearOperator<double>& matrix) {
  return [&matrix](const reference::Spinor& in) {
    SpinorField<double> of_in = matrix.make_field(1), of_out = matrix.make_field(1);
    of_in.from_host(in);
    matrix.apply(of_out, of_in);
    return of_out.to_host(0);
  };
}

template <class T>
class BlockSolvers : public ::testing::Test {};
TYPED_TEST_SUITE(BlockSolvers, Precisions);

TYPED_TEST(BlockSolvers, SolveStaggeredSystems) {
  using T = TypeParam;
  const Staggered<T> dirac = light_staggered<T>(small_lattice());
  const StaggeredNormal<T> normal(dirac);
  for (const int columns : {1, 2, 3, 12, 16, 19}) {
    const SpinorField<T> b = sources<T>(normal, columns);
    SpinorField<T> x = normal.make_field(columns), y = normal.make_field(columns);
    const SolveResult result = BlockCg<T>(normal, {.tolerance = reachable<T>}).solve(x, b);
    expect_solution<T>(normal, x, b, result, reachable<T>, 10);
    require_converged(Cg<T>(normal, {.tolerance = reachable<T>}).solve(y, b));
    EXPECT_LE(largest_difference(x, y), 2.0 * reachable<T> / (0.2 * 0.2));
  }
}

TYPED_TEST(BlockSolvers, SolveNormalEquations) {
  using T = TypeParam;
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  const DomainWall<T> dirac(random_links<T>(lattice), {.mass = 0.05, .slices = 4});
  for (const SchurForm form : {SchurForm::symmetric, SchurForm::asymmetric}) {
    const Schur<T> schur(dirac, {.form = form});
    const SpinorField<T> b = sources<T>(schur, 5);
    SpinorField<T> x = schur.make_field(5);
    const SolveResult result = BlockCgnr<T>(schur, {.tolerance = 2 * reachable<T>}).solve(x, b);
    expect_solution<T>(schur, x, b, result, 2 * reachable<T>, 10);
  }
}

TYPED_TEST(BlockSolvers, SolveTheFullSystem) {
  using T = TypeParam;
  const Staggered<T> dirac = light_staggered<T>(small_lattice());
  const StaggeredNormal<T> normal(dirac);
  const SpinorField<T> b = sources<T>(dirac, 4);
  SpinorField<T> x = dirac.make_field(4);
  const SolveResult result = EvenOddSolver<T>(normal, BlockCg<T>(normal, {.tolerance = 4 * reachable<T>})).solve(x, b);
  expect_solution<T>(dirac, x, b, result, 4 * reachable<T>, 10);
}

TEST(BlockCg, IteratesAsTheReference) {
  const Staggered<double> dirac = light_staggered<double>(Lattice({.extents = {4, 4, 4, 4}}), 0.5);
  const StaggeredNormal<double> normal(dirac);
  for (const int columns : {1, 3, 8}) {
    for (const double tolerance : {1e-3, 1e-9}) {
      const SpinorField<double> b = sources<double>(normal, columns);
      SpinorField<double> x = normal.make_field(columns);
      const SolveResult result = BlockCg<double>(normal, {.tolerance = tolerance}).solve(x, b);
      const reference::BlockSolution slow = reference::block_cg(host_operator(normal), to_host(b), tolerance, 500);
      for (int k = 0; k < columns; ++k) {
        const auto number = static_cast<std::size_t>(k);
        EXPECT_EQ(result.right_hand_sides[number].iterations, slow.iterations[number]);
        EXPECT_LE(reference::relative_difference(x.to_host(k), slow.x[number]), 100 * tolerance);
      }
    }
  }
}

TEST(BlockCg, IteratesAsCgWithOneColumn) {
  const Staggered<double> dirac = light_staggered<double>(small_lattice());
  const StaggeredNormal<double> normal(dirac);
  const SpinorField<double> b = sources<double>(normal, 1);
  SpinorField<double> x = normal.make_field(1), y = normal.make_field(1);
  const SolveResult block = BlockCg<double>(normal, {.tolerance = 1e-10}).solve(x, b);
  const SolveResult cg = Cg<double>(normal, {.tolerance = 1e-10}).solve(y, b);
  EXPECT_NEAR(block.iterations(), cg.iterations(), 1);
  EXPECT_NEAR(block.error(), cg.error(), 0.1 * cg.error());
}

TEST(BlockCg, TakesFewerIterationsWithTwelveColumns) {
  const Lattice lattice = small_lattice();
  const Staggered<double> dirac = light_staggered<double>(lattice, 0.05);
  const Staggered<float> rounded(dirac);
  const StaggeredNormal<double> normal(dirac);
  const StaggeredNormal<float> inner(rounded);
  const SpinorField<double> b = sources<double>(normal, 12);
  SpinorField<double> x = normal.make_field(12);
  const SolverParameters parameters{.tolerance = 1e-10};
  const int of_cg = Cg<double>(normal, parameters).solve(x, b).iterations();
  blas::set_zero(x);
  const SolveResult block = BlockCg<double>(normal, parameters).solve(x, b);
  expect_solution<double>(normal, x, b, block, 1e-10);
  EXPECT_LT(1.4 * block.iterations(), of_cg);
  EXPECT_EQ(block.reliable_updates, 0);
  blas::set_zero(x);
  const SolveResult mixed = BlockCg<double, float>(normal, inner, parameters).solve(x, b);
  expect_solution<double>(normal, x, b, mixed, 1e-10);
  EXPECT_LT(1.3 * mixed.iterations(), of_cg);
  EXPECT_GT(mixed.reliable_updates, 0);
}

TEST(BlockCg, SolvesNormalEquationsInMixedPrecision) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  const DomainWall<double> dirac(random_links<double>(lattice), {.mass = 0.05, .slices = 4});
  const DomainWall<float> rounded(dirac);
  const Schur<double> schur(dirac, {.form = SchurForm::asymmetric});
  const Schur<float> inner(rounded, {.form = SchurForm::asymmetric});
  const SpinorField<double> b = sources<double>(schur, 12);
  SpinorField<double> x = schur.make_field(12);
  const SolverParameters parameters{.tolerance = 1e-10};
  const int of_cgnr = Cgnr<double>(schur, parameters).solve(x, b).iterations();
  blas::set_zero(x);
  const SolveResult block = BlockCgnr<double>(schur, parameters).solve(x, b);
  expect_solution<double>(schur, x, b, block, 1e-10);
  EXPECT_LT(1.2 * block.iterations(), of_cgnr);
  blas::set_zero(x);
  const SolveResult mixed = BlockCgnr<double, float>(schur, inner, parameters).solve(x, b);
  expect_solution<double>(schur, x, b, mixed, 1e-10);
  EXPECT_LT(1.2 * mixed.iterations(), of_cgnr);
}

TYPED_TEST(BlockSolvers, SolveForColumnsThatDependOnEachOther) {
  using T = TypeParam;
  const Staggered<T> dirac = light_staggered<T>(small_lattice());
  const StaggeredNormal<T> normal(dirac);
  SpinorField<T> b = sources<T>(normal, 6);
  // Columns 1 and 0 are equal; 3 is a sum of others; 4 is zero; 5 differs from 2 by little.
  SpinorField<T> b_1 = b.range(1, 1), b_3 = b.range(3, 1), b_4 = b.range(4, 1), b_5 = b.range(5, 1);
  blas::copy(b_1, b.range(0, 1));
  blas::copy(b_3, b.range(0, 1));
  blas::axpy(b_3, b.range(2, 1), -0.5);
  blas::set_zero(b_4);
  blas::scale(b_5, 1e-5);
  blas::axpy(b_5, b.range(2, 1), 1.0);
  SpinorField<T> x = normal.make_field(6);
  const SolveResult result = BlockCg<T>(normal, {.tolerance = reachable<T>}).solve(x, b);
  EXPECT_TRUE(result.converged());
  SpinorField<T> r = normal.make_field(6);
  normal.apply(r, x);
  const blas::Reals r_norm2 = blas::xmy_norm2(r, b), b_norm2 = blas::norm2(b);
  for (std::size_t k = 0; k < 6; ++k) EXPECT_LE(std::sqrt(r_norm2[k]), reachable<T> * std::sqrt(b_norm2[k])) << k;
  EXPECT_EQ(result.right_hand_sides[4].iterations, 0);
  EXPECT_EQ(blas::norm2(x)[4], 0.0);
}

TEST(BlockCg, EndsEachColumnByItsOwnTarget) {
  const Staggered<double> dirac = light_staggered<double>(small_lattice());
  const StaggeredNormal<double> normal(dirac);
  const SpinorField<double> b = sources<double>(normal, 4);
  SpinorField<double> x = normal.make_field(4);
  set_gaussian(x, {.seed = 3});
  const std::vector<std::complex<double>> x_2 = x.to_host(2);
  const blas::Reals b_norm2 = blas::norm2(b);
  SolveRequest request{.active = {true, true, false, true}};
  for (std::size_t k = 0; k < 4; ++k)
    request.residual_norms.push_back(std::pow(10.0, -3.0 * double(k + 1)) * std::sqrt(b_norm2[k]));
  const SolveResult result = BlockCg<double>(normal, {.tolerance = 1e-10}).solve(x, b, request);
  EXPECT_TRUE(result.converged());
  EXPECT_LT(result.right_hand_sides[0].iterations, result.right_hand_sides[1].iterations);
  EXPECT_LT(result.right_hand_sides[1].iterations, result.right_hand_sides[3].iterations);
  EXPECT_EQ(result.right_hand_sides[2].iterations, 0);
  EXPECT_EQ(x.to_host(2), x_2);
  for (const std::size_t k : {0, 1, 3}) {
    EXPECT_LE(result.right_hand_sides[k].true_residual, std::pow(10.0, -3.0 * double(k + 1)));
    EXPECT_GE(result.right_hand_sides[k].true_residual, 0.01 * std::pow(10.0, -3.0 * double(k + 1)));
  }
}

TEST(BlockCg, EstimatesTheErrorsOfAllColumns) {
  const Lattice lattice = small_lattice();
  const Staggered<double> dirac = light_staggered<double>(lattice);
  const Staggered<float> rounded(dirac);
  const StaggeredNormal<double> normal(dirac);
  const StaggeredNormal<float> inner(rounded);
  const SpinorField<double> b = sources<double>(normal, 6);
  SpinorField<double> x = normal.make_field(6), exact = normal.make_field(6);
  require_converged(Cg<double>(normal, {.tolerance = 1e-13}).solve(exact, b));
  const SolveResult result = BlockCg<double, float>(normal, inner, {.tolerance = 1e-7}).solve(x, b);
  for (int k = 0; k < 6; ++k) {
    const SolveResult::RightHandSide& of_k = result.right_hand_sides[static_cast<std::size_t>(k)];
    const double error = reference::relative_difference(x.to_host(k), exact.to_host(k));
    EXPECT_FALSE(of_k.error_at_least);
    EXPECT_LE(error, of_k.error);
    EXPECT_GE(error, 0.003 * of_k.error);
  }
}

TEST(BlockLanczosMatrix, IsTheLanczosMatrixOfOneColumn) {
  detail::LanczosMatrix of_numbers;
  detail::BlockLanczosMatrix of_blocks;
  EXPECT_EQ(of_blocks.lowest(), std::numeric_limits<double>::infinity());
  detail::SmallMatrix number(1, 1);
  const auto expect_equal = [&] { EXPECT_NEAR(of_blocks.lowest(), of_numbers.lowest(), 0.03 * of_numbers.lowest()); };
  for (const double alpha : {0.5, 0.25, 0.9, 0.1, 0.3}) {
    const double beta = 0.3 + 0.2 * alpha;
    of_numbers.append(alpha, beta);
    number(0, 0) = alpha;
    of_blocks.append(number);
    expect_equal();
    number(0, 0) = std::sqrt(beta);
    of_blocks.couple(number);
  }
  of_numbers.restart();
  of_blocks.restart();
  expect_equal();
  of_numbers.append(100.0, 1.0);
  number(0, 0) = 100.0;
  of_blocks.append(number);
  expect_equal();
}

TEST(BlockCg, EndsWithNumbersWhereTheOperatorHasNone) {
  const Staggered<double> dirac = light_staggered<double>(small_lattice());
  const StaggeredNormal<double> normal(dirac);
  const SpinorField<double> b = sources<double>(normal, 3);
  for (const int first : {2, 9}) {
    const auto broken = faulty(normal, 1, first, std::nan(""));
    SpinorField<double> x = normal.make_field(3);
    const SolveResult result = BlockCg<double>(broken, {.tolerance = 1e-10}).solve(x, b);
    for (const auto& of_k : result.right_hand_sides) EXPECT_EQ(of_k.status, SolveStatus::not_a_number);
    for (const double norm2 : blas::norm2(x)) EXPECT_TRUE(std::isfinite(norm2));
  }
}

TEST(BlockCg, SaysThatAnOperatorIsNotPositive) {
  const Lattice lattice = small_lattice();
  const Staggered<double> dirac = light_staggered<double>(lattice);
  const StaggeredNormal<double> normal(dirac);
  const Changed<double> negative(
      normal, [](SpinorField<double>& out, const SpinorField<double>& in) { blas::axpy(out, in, -20.0); });
  const SpinorField<double> b = sources<double>(normal, 3);
  SpinorField<double> x = normal.make_field(3);
  const SolveResult result = BlockCg<double>(negative, {.tolerance = 1e-10}).solve(x, b);
  for (const auto& of_k : result.right_hand_sides) EXPECT_EQ(of_k.status, SolveStatus::breakdown);
}

TEST(BlockCg, StopsAtTheIterationsThatItIsAllowed) {
  const Staggered<double> dirac = light_staggered<double>(small_lattice());
  const StaggeredNormal<double> normal(dirac);
  const SpinorField<double> b = sources<double>(normal, 3);
  SpinorField<double> x = normal.make_field(3);
  const SolveResult result = BlockCg<double>(normal, {.tolerance = 1e-10, .max_iterations = 5}).solve(x, b);
  for (const auto& of_k : result.right_hand_sides) {
    EXPECT_EQ(of_k.status, SolveStatus::max_iterations);
    EXPECT_EQ(of_k.iterations, 5);
  }
}

TEST(BlockCg, StagnatesAtTheRoundingOfItsPrecision) {
  const Staggered<float> dirac = light_staggered<float>(small_lattice());
  const StaggeredNormal<float> normal(dirac);
  const SpinorField<float> b = sources<float>(normal, 3);
  SpinorField<float> x = normal.make_field(3);
  const SolveResult result = BlockCg<float>(normal, {.tolerance = 1e-12, .max_iterations = 3000}).solve(x, b);
  for (const auto& of_k : result.right_hand_sides) {
    EXPECT_EQ(of_k.status, SolveStatus::stagnated);
    EXPECT_LT(of_k.true_residual, 1e-4);
    EXPECT_LT(of_k.iterations, 1500);
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
