// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
//
// x and residuals after solves that do not converge.
#include "tests/gauge/test_lattices.hpp"
#include "tests/operators/staggered_cases.hpp"
#include "tests/solvers/solver_cases.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/operators/schur.hpp>
#include <kaon/operators/staggered.hpp>
#include <kaon/quarks/propagator_solver.hpp>
#include <kaon/solvers/adapters.hpp>
#include <kaon/solvers/krylov.hpp>

#include <cmath>
#include <limits>

namespace kaon::test {
namespace KAON_TEST_FILE {

/// Expects that the result describes x correctly, and that x is no worse than zero.
void expect_best(const LinearOperator<double>& matrix, const SpinorField<double>& x, const SpinorField<double>& b,
                 const SolveResult& result) {
  SpinorField<double> r = matrix.make_field(b.right_hand_sides());
  matrix.apply(r, x);
  const blas::Reals r_norm2 = blas::xmy_norm2(r, b), b_norm2 = blas::norm2(b);
  for (std::size_t k = 0; k < r_norm2.size(); ++k) {
    EXPECT_NE(result.right_hand_sides[k].status, SolveStatus::converged);
    const double residual = std::sqrt(r_norm2[k] / b_norm2[k]);
    EXPECT_NEAR(result.right_hand_sides[k].true_residual, residual, 1e-10 * residual);
    EXPECT_LE(residual, 1.0);
  }
}

// A site term of 1e-4 makes residuals of 10^4 of what is small on one parity.
TEST(FailedSolves, LeaveNoMoreThanZeroWhereTheSiteTermIsNearlySingular) {
  const Lattice lattice({.extents = {4, 4, 4, 8}});
  const GaugeField<double> links = random_links<double>(lattice);
  const SpinorField<double> b = gaussian<double>(lattice, 2);
  const SolverParameters few{.max_iterations = 50};
  for (const SchurForm form : {SchurForm::symmetric, SchurForm::asymmetric}) {
    const Wilson<double> dirac(links, {.mass = -3.9999});
    SpinorField<double> x = dirac.make_field(2);
    const Schur<double> schur(dirac, {.form = form});
    const SolveResult result = EvenOddSolver<double>(BiCgStab<double>(schur, few)).solve(x, b);
    expect_best(dirac, x, b, result);
  }
}

// Nor does a division by the mass.
TEST(FailedSolves, LeaveNoMoreThanZeroWhereTheMassIsTiny) {
  const Lattice lattice({.extents = {4, 4, 4, 8}});
  const Staggered<double> dirac(rough_links<double>(lattice), {.mass = 1e-20});
  const SpinorField<double> b = gaussian_colors<double>(lattice, 2);
  SpinorField<double> x = dirac.make_field(2);
  const StaggeredNormal<double> normal(dirac);
  const SolveResult result = EvenOddSolver<double>(Cg<double>(normal, {})).solve(x, b);
  expect_best(dirac, x, b, result);
}

// A solution on one parity that the other parity overflows by.
TEST(FailedSolves, SayWhereTheWholeSystemOverflows) {
  const Lattice lattice({.extents = {4, 4, 4, 8}});
  const Staggered<double> dirac(rough_links<double>(lattice), {.mass = 1e-200});
  const SpinorField<double> b = gaussian_colors<double>(lattice, 1);
  SpinorField<double> x = dirac.make_field(1);
  const StaggeredNormal<double> normal(dirac);
  const SolveResult result =
      EvenOddSolver<double>(Cg<double>(normal, {.tolerance = 1e-6})).solve(x, b, {.residual_norms = {1e-3}});
  EXPECT_EQ(result.right_hand_sides[0].status, SolveStatus::not_a_number);
  expect_best(dirac, x, b, result);
}

// A correction of 10^20 is not to be had back by subtracting it.
TEST(FailedSolves, OfInPrecisionKeepTheirX) {
  const Lattice lattice({.extents = {4, 4, 4, 8}});
  const auto dirac = make_operator<double>(random_links<double>(lattice), fermion_cases()[2]);
  const auto rounded = converted<float>(*dirac, fermion_cases()[2], LinkStorage::full);
  const SpinorField<double> b = gaussian<double>(lattice, 2);
  for (const double factor : {1e-20, 1e-37}) {
    const auto wrong = scaled(*rounded, factor);
    const InPrecision<double, float> solver(*dirac, Gcr<float>(wrong, {.solve = {.tolerance = 1e-4}}), {});
    SpinorField<double> x = dirac->make_field(2);
    const SolveResult result = solver.solve(x, b);
    expect_best(*dirac, x, b, result);
    // A first x that is better than zero remains, and another one is replaced by zero.
    SpinorField<double> exact = dirac->make_field(2);
    BiCgStab<double>(*dirac, {.tolerance = 1e-3}).solve(exact, b);
    blas::copy(x, exact);
    EXPECT_LT(solver.solve(x, b).true_residual(), 1e-3);
    EXPECT_EQ(x.to_host(1), exact.to_host(1));
    blas::copy(x, b);
    blas::scale(x, blas::Reals{1e10, std::numeric_limits<double>::infinity()});
    expect_best(*dirac, x, b, solver.solve(x, b));
  }
}

TEST(FailedSolves, BlameTheLinksWhereTheSourceOnOneParityIsNotFinite) {
  const Lattice lattice({.extents = {4, 4, 4, 8}});
  const SpinorField<double> b = gaussian<double>(lattice, 1), c = gaussian_colors<double>(lattice, 1);
  for (const double bad : {1e200, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    GaugeField<double> links = random_links<double>(lattice);
    std::vector<std::complex<double>> numbers = links.to_host();
    numbers[7] = bad;
    links.from_host(numbers);
    const char* const text = "of right-hand side 0 holds NaN or infinity";
    const char* const advice = "in the links and masses of the operator";
    const Wilson<double> wilson(links, {.mass = 0.1});
    const Staggered<double> staggered(links, {.mass = 0.1});
    SpinorField<double> x = wilson.make_field(1), y = staggered.make_field(1);
    const SolveOptions parameters{.inner = InnerPrecision::outer};
    KAON_EXPECT_ERROR(PropagatorSolver(wilson, parameters).solve(x, b), text);
    KAON_EXPECT_ERROR(PropagatorSolver(wilson, parameters).solve(x, b), advice);
    KAON_EXPECT_ERROR(PropagatorSolver(staggered, parameters).solve(y, c), advice);
    for (const InnerPrecision inner : {InnerPrecision::half, InnerPrecision::single}) {
      KAON_EXPECT_ERROR(PropagatorSolver(wilson, {.inner = inner}).solve(x, b), "links with NaN, infinity or huge");
    }
    KAON_EXPECT_ERROR(WilsonClover<double>(links, {.mass = 0.1}),
                      bad == 1e200 ? "or hold huge numbers" : "is not finite: look for NaN, infinity and huge numbers");
    const SolveResult result = BiCgStab<double>(wilson, {}).solve(x, b);
    KAON_EXPECT_ERROR(require_converged(result), "Look for NaN, infinity and huge numbers in the links");
  }
}

// A solve does not change right-hand sides that are not active, as in a `Fallback`.
TEST(EvenOddSolver, LeavesAloneWhatAskedForNothing) {
  const Lattice lattice({.extents = {4, 4, 4, 8}});
  const auto dirac = make_operator<double>(random_links<double>(lattice), fermion_cases()[2]);
  const SpinorField<double> b = gaussian<double>(lattice, 4);
  SpinorField<double> x = dirac->make_field(4);
  blas::copy(x, b);
  const std::vector<std::complex<double>> one = x.to_host(1), three = x.to_host(3);
  const SolveRequest request{.residual_norms = {1e-6, 1e-6, 1e-6, 1e-6}, .active = {true, false, true, false}};
  const SolveResult result = EvenOddSolver<double>(BiCgStab<double>(Schur<double>(*dirac), {})).solve(x, b, request);
  EXPECT_TRUE(result.converged());
  EXPECT_EQ(x.to_host(1), one);
  EXPECT_EQ(x.to_host(3), three);
  SpinorField<double> r = dirac->make_field(4);
  dirac->apply(r, x);
  const blas::Reals norm2 = blas::xmy_norm2(r, b);
  EXPECT_LE(std::sqrt(norm2[0]), 1e-6);
  EXPECT_LE(std::sqrt(norm2[2]), 1e-6);
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
