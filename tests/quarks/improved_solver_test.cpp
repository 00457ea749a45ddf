// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/gauge/test_lattices.hpp"
#include "tests/operators/improved_cases.hpp"
#include "tests/solvers/solver_cases.hpp"

#include <kaon/quarks/propagator_solver.hpp>
#include <kaon/solvers/cg.hpp>
#include <kaon/solvers/even_odd_solver.hpp>
#include <kaon/solvers/multi_shift_cg.hpp>

namespace kaon::test {
namespace KAON_TEST_FILE {

template <class T>
class ImprovedSolvers : public ::testing::Test {};
TYPED_TEST_SUITE(ImprovedSolvers, Precisions);

TYPED_TEST(ImprovedSolvers, AreThePropagatorSolversConjugateGradients) {
  using T = TypeParam;
  const Lattice lattice({.extents = {8, 4, 4, 8}, .reach = 3});
  const SpinorField<T> b = gaussian_colors<T>(lattice, 3);
  const double tolerance = 10.0 * reachable<T>;
  for (const InnerPrecision inner : {InnerPrecision::half, InnerPrecision::single, InnerPrecision::outer}) {
    for (const LinkStorage links : third_storages) {
      SCOPED_TRACE(reals(links));
      const ImprovedStaggered<T> dirac = rough_improved<T>(lattice, {.mass = 0.4}, links);
      SpinorField<T> x = dirac.make_field(3);
      const PropagatorSolver solver(
          dirac, {.tolerance = tolerance, .method = KrylovMethod::cg, .inner = inner, .links = links});
      expect_solution(dirac, x, b, solver.solve(x, b), tolerance);
    }
  }
}

// Its third links are in U(3): iterations have them in 14 reals.
TEST(ImprovedPropagatorSolver, ChoosesAStorageThatThirdLinksHave) {
  const Lattice lattice({.extents = {8, 4, 4, 8}, .reach = 3});
  const ImprovedStaggered<double> dirac = rough_improved<double>(lattice, {.mass = 0.4});
  const SpinorField<double> b = gaussian_colors<double>(lattice, 2);
  SpinorField<double> x = dirac.make_field(2);
  const PropagatorSolver solver(dirac, {.tolerance = 1e-10, .method = KrylovMethod::cg});
  expect_solution(dirac, x, b, solver.solve(x, b), 1e-10);
}

// Shifts of the massless normal operator are 4 m^2.
TEST(ImprovedMultiShift, SolvesForAllMasses) {
  const Lattice lattice({.extents = {8, 8, 8, 8}, .reach = 3});
  const ImprovedStaggered<double> massless = rough_improved<double>(lattice, {.mass = 0.0});
  const StaggeredNormal<double> normal(massless, Parity::even);
  const StaggeredNormal<float> inner(ImprovedStaggered<float>(massless, LinkStorage::two_rows_and_determinant),
                                     Parity::even);
  const SpinorField<double> b = gaussian_colors<double>(lattice, 2).parity(Parity::even);
  const std::vector<double> masses{0.2, 0.5, 1.0};
  std::vector<double> shifts;
  std::vector<SpinorField<double>> x;
  for (const double mass : masses) {
    shifts.push_back(4.0 * mass * mass);
    x.push_back(normal.make_field(2));
  }
  const auto expect_all = [&](const auto& results) {
    for (std::size_t s = 0; s < masses.size(); ++s) {
      const ImprovedStaggered<double> dirac = rough_improved<double>(lattice, {.mass = masses[s]});
      expect_solution(StaggeredNormal<double>(dirac, Parity::even), x[s], b, results[s], 1e-11);
    }
  };
  expect_all(MultiShiftCg<double>(normal, shifts, {.tolerance = 1e-11}).solve(x, b));
  expect_all(MultiShiftCg<double, float>(normal, inner, shifts, {.tolerance = 1e-11}).solve(x, b));
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
