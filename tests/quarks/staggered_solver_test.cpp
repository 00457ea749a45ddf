// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/gauge/test_lattices.hpp"
#include "tests/operators/staggered_cases.hpp"
#include "tests/solvers/solver_cases.hpp"

#include <kaon/quarks/propagator_solver.hpp>
#include <kaon/solvers/adapters.hpp>
#include <kaon/solvers/krylov.hpp>

namespace kaon::test {
namespace KAON_TEST_FILE {

template <class T>
class StaggeredSolvers : public ::testing::Test {};
TYPED_TEST_SUITE(StaggeredSolvers, Precisions);

// Rounding to 16 bits makes residuals lose their orthogonality. With beta = |r|^2 / |r_last|^2 that doubled the
// iterations.
TEST(StaggeredSolversInTwoPrecisions, NeedFewMoreIterationsIn16Bits) {
  const Lattice lattice({.extents = {6, 6, 6, 8}});
  const GaugeField<double> links = hot_links<double>(lattice, 3);
  const Staggered<double> dirac(links, {.mass = 0.02});
  const StaggeredNormal<double> normal(dirac);
  const StaggeredNormal<half> inner{Staggered<half>(dirac)};
  const SpinorField<double> b = gaussian_colors<double>(lattice, 1).parity(Parity::even);
  SpinorField<double> x = normal.make_field(1);
  const SolveResult exact = Cg<double>(normal, {.tolerance = 1e-10}).solve(x, b);
  blas::set_zero(x);
  const SolveResult result = Cg<double, half>(normal, inner, {.tolerance = 1e-10}).solve(x, b);
  expect_solution(normal, x, b, result, 1e-10);
  EXPECT_GT(exact.iterations(), 1000);
  EXPECT_LE(result.iterations(), 1.1 * exact.iterations());
}

// The tolerance is that of the whole system, whose residual is that of the normal system / (2m).
TYPED_TEST(StaggeredSolvers, ReachTheToleranceOfTheFullSystem) {
  using T = TypeParam;
  const Lattice lattice({.extents = {8, 4, 4, 8}});
  for (const double mass : {0.05, 0.4, 2.0}) {
    SCOPED_TRACE(mass);
    const Staggered<T> dirac(rough_links<T>(lattice), {.mass = mass});
    const SpinorField<T> b = gaussian_colors<T>(lattice, 2);
    for (const Parity parity : {Parity::even, Parity::odd}) {
      const StaggeredNormal<T> normal(dirac, parity);
      const double tolerance = reachable<T> * (1.0 + 1.0 / mass);
      const Cg<T> cg(normal, {.tolerance = tolerance});
      SpinorField<T> x = dirac.make_field(2);
      expect_solution(dirac, x, b, EvenOddSolver<T>(normal, cg).solve(x, b), tolerance);
    }
  }
}

TYPED_TEST(StaggeredSolvers, AreThePropagatorSolversConjugateGradients) {
  using T = TypeParam;
  const Lattice lattice({.extents = {8, 4, 4, 8}});
  const Staggered<T> dirac(rough_links<T>(lattice), {.mass = 0.4});
  const SpinorField<T> b = gaussian_colors<T>(lattice, 3);
  const double tolerance = 10.0 * reachable<T>;
  // In one precision and on all links: to the last digit what it is made of.
  for (const Parity parity : {Parity::even, Parity::odd}) {
    const PropagatorSolver solver(
        dirac, {.tolerance = tolerance, .method = KrylovMethod::cg, .parity = parity, .inner = InnerPrecision::outer});
    const StaggeredNormal<T> normal(dirac, parity);
    SpinorField<T> x = dirac.make_field(3), expected = dirac.make_field(3);
    EvenOddSolver<T>(Cg<T>(normal, {.tolerance = tolerance})).solve(expected, b);
    solver.solve(x, b);
    for (int k = 0; k < 3; ++k) EXPECT_EQ(x.to_host(k), expected.to_host(k));
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
