// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/operators/improved_cases.hpp"
#include "tests/solvers/solver_cases.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/quarks/multi_mass_solver.hpp>
#include <kaon/quarks/propagator_solver.hpp>

#include <cmath>
#include <limits>

namespace kaon::test {
namespace KAON_TEST_FILE {

const std::vector<double> masses{0.3, 0.1, 1.0};  // in no order

std::vector<SpinorField<double>> solutions(const LinearOperator<double>& matrix, int right_hand_sides) {
  std::vector<SpinorField<double>> x;
  for (std::size_t i = 0; i < masses.size(); ++i) x.push_back(matrix.make_field(right_hand_sides));
  return x;
}

/// `slow(mass)` is the reference operator, which knows nothing of the fast one.
template <class Dirac, class Slow>
void expect_solutions_of_reference(const Dirac& dirac, const Slow& slow, const SpinorField<double>& b,
                                   const SolveOptions& parameters) {
  std::vector<SpinorField<double>> x = solutions(dirac, b.right_hand_sides());
  for (SpinorField<double>& field : x) set_gaussian(field, {.seed = 77});  // for any previous x
  const std::vector<SolveResult> results = MultiMassSolver(dirac, masses, parameters).solve(x, b);
  ASSERT_EQ(results.size(), masses.size());
  for (std::size_t i = 0; i < masses.size(); ++i) {
    SCOPED_TRACE(masses[i]);
    EXPECT_TRUE(results[i].converged());
    EXPECT_GT(results[i].flops, 0.0);
    const reference::StaggeredOperator matrix = slow(masses[i]);
    for (int k = 0; k < b.right_hand_sides(); ++k) {
      const double residual = reference::relative_difference(matrix.apply(x[i].to_host(k)), b.to_host(k));
      const auto& result = results[i].right_hand_sides[static_cast<std::size_t>(k)];
      EXPECT_LE(residual, 1.001 * parameters.tolerance);
      EXPECT_NEAR(result.true_residual, residual, 1e-2 * parameters.tolerance);
      EXPECT_GT(result.iterations, 0);
    }
  }
}

TEST(MultiMass, SolvesStaggeredSystemsOfTheReference) {
  const Lattice lattice({.extents = {8, 4, 4, 8}});
  const GaugeField<double> links = rough_links<double>(lattice);
  const auto slow = [&](double mass) { return slow_staggered(links, StaggeredParameters{.mass = mass}); };
  for (const double own : {0.1, 0.0, 1e8}) {  // the lightest mass, none, and one in whose 4 m^2 all others are lost
    SCOPED_TRACE(own);
    const Staggered<double> dirac(links, {.mass = own});
    for (const InnerPrecision inner : {InnerPrecision::outer, InnerPrecision::single, InnerPrecision::half}) {
      expect_solutions_of_reference(dirac, slow, gaussian_colors<double>(lattice, 2),
                                    {.tolerance = 1e-11, .inner = inner});
    }
  }
}

TEST(MultiMass, SolvesImprovedSystemsOfTheReference) {
  const Lattice lattice({.extents = {8, 8, 8, 8}, .reach = 3});
  const ImprovedStaggered<double> dirac = rough_improved<double>(lattice, {.mass = 0.1});
  const auto slow = [&](double mass) { return slow_improved(rough_improved<double>(lattice, {.mass = mass})); };
  for (const ShiftSweep sweep : {ShiftSweep::falling, ShiftSweep::reliable, ShiftSweep::inner}) {
    for (const InnerPrecision inner : {InnerPrecision::single, InnerPrecision::half}) {
      expect_solutions_of_reference(dirac, slow, gaussian_colors<double>(lattice, 1),
                                    {.tolerance = 1e-11, .inner = inner, .sweep = sweep});
    }
  }
}

TEST(MultiMass, FindsWhatSingleMassesFind) {
  const Lattice lattice({.extents = {4, 4, 4, 4}, .reach = 3});
  const ImprovedStaggered<double> dirac = rough_improved<double>(lattice, {.mass = 0.5});
  const SpinorField<double> b = gaussian_colors<double>(lattice, 1);
  std::vector<SpinorField<double>> x = solutions(dirac, 1);
  MultiMassSolver(dirac, masses, {.tolerance = 1e-12}).solve(x, b);
  for (std::size_t i = 0; i < masses.size(); ++i) {
    const ImprovedStaggered<double> heavier = rough_improved<double>(lattice, {.mass = masses[i]});
    SpinorField<double> alone = dirac.make_field(1);
    const PropagatorSolver single(heavier, {.tolerance = 1e-12, .method = KrylovMethod::cg});
    require_converged(single.solve(alone, b));
    EXPECT_LE(largest_difference(x[i], alone), 1e-10);
  }
}

// Sources on one parity need one multi-shift solve; those that are zero none.
TEST(MultiMass, SolvesForSourcesOnOneParityAndForZero) {
  const Lattice lattice({.extents = {8, 4, 4, 8}});
  const Staggered<double> dirac(rough_links<double>(lattice), {.mass = 0.1});
  SpinorField<double> b = gaussian_colors<double>(lattice, 2);
  const std::vector<double> both_norms = blas::norm2(b);
  std::vector<SpinorField<double>> x = solutions(dirac, 2), y = solutions(dirac, 2);
  const MultiMassSolver solver(dirac, masses, {.tolerance = 1e-11});
  const std::vector<SolveResult> both = solver.solve(y, b);
  SpinorField<double> odd = b.parity(Parity::odd), b_1 = b.right_hand_side(1);
  blas::set_zero(odd);
  blas::set_zero(b_1);
  const std::vector<SolveResult> one = solver.solve(x, b);
  for (std::size_t i = 0; i < masses.size(); ++i) {
    EXPECT_TRUE(one[i].converged());
    EXPECT_LE(one[i].true_residual(), 1e-11);
    EXPECT_LT(one[i].right_hand_sides[0].iterations, both[i].right_hand_sides[0].iterations);
    EXPECT_EQ(one[i].right_hand_sides[1].iterations, 0);
    EXPECT_EQ(blas::norm2(x[i])[1], 0.0);
    EXPECT_GT(blas::norm2(x[i])[0], 0.0);
  }
}

TEST(MultiMass, SolvesForASourceWhoseSquareVanishes) {
  const Lattice lattice({.extents = {8, 4, 4, 8}});
  const Staggered<double> dirac(rough_links<double>(lattice), {.mass = 0.1});
  SpinorField<double> b = gaussian_colors<double>(lattice, 2);
  std::vector<SpinorField<double>> expected = solutions(dirac, 2), x = solutions(dirac, 2);
  const MultiMassSolver solver(dirac, masses, {.tolerance = 1e-10});
  (void)solver.solve(expected, b);
  blas::scale(b, blas::Reals{std::ldexp(1.0, -650), 1.0});
  const std::vector<SolveResult> results = solver.solve(x, b);
  for (std::size_t i = 0; i < masses.size(); ++i) {
    EXPECT_TRUE(results[i].converged());
    blas::scale(x[i], blas::Reals{std::ldexp(1.0, 650), 1.0});
    const blas::Reals difference2 = blas::xmy_norm2(x[i], expected[i]), norm2 = blas::norm2(expected[i]);
    for (std::size_t k = 0; k < 2; ++k) EXPECT_LE(difference2[k], 1e-16 * norm2[k]) << i << " " << k;
  }
}

TEST(MultiMass, SaysWhatWentWrong) {
  const Lattice lattice({.extents = {8, 4, 4, 8}});
  const Staggered<double> dirac(rough_links<double>(lattice), {.mass = 0.1});
  const SpinorField<double> b = gaussian_colors<double>(lattice, 1);
  std::vector<SpinorField<double>> x = solutions(dirac, 1);
  for (const InnerPrecision inner : {InnerPrecision::outer, InnerPrecision::single}) {
    for (const SolveResult& result :
         MultiMassSolver(dirac, masses, {.max_iterations = 2, .inner = inner}).solve(x, b)) {
      EXPECT_EQ(result.right_hand_sides[0].status, SolveStatus::max_iterations);
      EXPECT_GT(result.true_residual(), 1e-10);
    }
    for (const SolveResult& result : MultiMassSolver(dirac, masses, {.tolerance = 1e-18, .inner = inner}).solve(x, b)) {
      EXPECT_EQ(result.right_hand_sides[0].status, SolveStatus::stagnated);
      EXPECT_LT(result.true_residual(), 1e-13);
    }
  }
}

TEST(MultiMass, RefusesMassesOperatorsAndFieldsThatDoNotFit) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  const GaugeField<double> links = rough_links<double>(lattice);
  const Staggered<double> dirac(links, {.mass = 0.1});
  const Wilson<double> wilson(links, {.mass = 0.1});
  SpinorField<double> b = gaussian_colors<double>(lattice, 1);
  std::vector<SpinorField<double>> x = solutions(dirac, 1);
  KAON_EXPECT_ERROR(MultiMassSolver(dirac, {}), "a solver for several masses needs at least one");
  KAON_EXPECT_ERROR(MultiMassSolver(dirac, {0.1, 0.0}), "mass 1 is 0: it must be a number that is not zero");
  KAON_EXPECT_ERROR(MultiMassSolver(dirac, {std::nan("")}), "mass 0 is nan");
  KAON_EXPECT_ERROR(MultiMassSolver(wilson, {0.1}), "are for staggered operators");
  KAON_EXPECT_ERROR(MultiMassSolver(dirac, {0.1}).solve(x, b), "3 fields were given for 1 masses");
  KAON_EXPECT_ERROR(MultiMassSolver(dirac, masses).solve(x, gaussian_colors<double>(lattice, 2)),
                    "x and b of a solve must have the same");
  blas::scale(b, std::vector{std::numeric_limits<double>::infinity()});
  KAON_EXPECT_ERROR(MultiMassSolver(dirac, masses).solve(x, b), "holds NaN or infinity");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
