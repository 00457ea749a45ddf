// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/multigrid/quenched_field.hpp"
#include "tests/reference/vectors.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/gauge/improved_links.hpp>
#include <kaon/gauge/initial_links.hpp>
#include <kaon/multigrid/multigrid.hpp>
#include <kaon/operators/improved_staggered.hpp>
#include <kaon/operators/staggered.hpp>
#include <kaon/propagators/propagator_solver.hpp>

#include <gtest/gtest.h>

namespace kaon::test {
namespace KAON_TEST_FILE {

/// Hypercubes of the quenched field, 4^4, and one level below them.
MultigridParameters on_hypercubes(int vectors = 24) {
  return {.levels = {{.block = {2, 2, 2, 2}, .vectors = vectors, .bootstraps = 2}}};
}

struct HisqField {
  ImprovedLinks links = hisq_links(quenched_links(3));
  Lattice lattice = links.fat.lattice();

  ImprovedStaggered<double> at_mass(double mass) const {
    return ImprovedStaggered<double>(links.fat, links.third, {.mass = mass, .third_weight = links.third_weight});
  }
};

int iterations_of(const SolveResult& result) {
  int most = 0;
  for (const auto& of_one : result.right_hand_sides) most = std::max(most, of_one.iterations);
  return most;
}

/// |x - x_cg| / |x_cg| of each right-hand side.
template <class Dirac>
void expect_solution_of_cg(const Dirac& dirac, const SpinorField<double>& x, const SpinorField<double>& b,
                           double relative) {
  const PropagatorSolver<double> cg(dirac, {.tolerance = 1e-12, .method = KrylovMethod::cg});
  SpinorField<double> expected = dirac.make_field(b.right_hand_sides());
  require_converged(cg.solve(expected, b));
  for (int k = 0; k < b.right_hand_sides(); ++k) {
    EXPECT_LT(reference::relative_difference(x.to_host(k), expected.to_host(k)), relative) << "right-hand side " << k;
  }
}

TEST(StaggeredMultigrid, SolvesForHisqQuarksWhateverTheirMass) {
  const HisqField field;
  int iterations[2] = {};
  for (const bool light : {false, true}) {
    const ImprovedStaggered<double> dirac = field.at_mass(light ? 0.005 : 0.05);
    const Multigrid<double> multigrid(dirac, on_hypercubes());
    EXPECT_LT(multigrid.report().convergence, 0.6);
    const SpinorField<double> b = noise(dirac, 3);
    SpinorField<double> x = dirac.make_field(3);
    const SolveResult result = multigrid.solve(x, b);
    require_converged(result);
    iterations[light] = iterations_of(result);
    expect_solution_of_cg(dirac, x, b, 1e-8);
    SpinorField<double> alone = dirac.make_field(1);
    EXPECT_NEAR(iterations_of(multigrid.solve(alone, b.range(2, 1))), iterations[light], 3);
    EXPECT_LT(reference::relative_difference(alone.to_host(), x.to_host(2)), 1e-8);
  }
  EXPECT_LE(iterations[1], 1.3 * iterations[0]);
  EXPECT_LE(iterations[1], 45);
}

TEST(StaggeredMultigrid, SolvesForNaiveQuarksAndSmoothLinks) {
  const Lattice lattice({.extents = {4, 8, 4, 6}});  // hypercubes of one parity
  GaugeField<double> links(lattice);
  set_weak(links, 0.2, {.seed = 3});
  const Staggered<double> dirac(links, {.mass = 0.02, .boundary = {0.3, -0.7, 1.1, 2.5}});
  const Multigrid<double> multigrid(dirac, {.levels = {{.block = {2, 2, 2, 3}, .vectors = 16, .bootstraps = 2}}});
  const SpinorField<double> b = noise(dirac, 14);  // more than are solved at once
  SpinorField<double> x = dirac.make_field(14);
  require_converged(multigrid.solve(x, b));
  expect_solution_of_cg(dirac, x, b, 1e-8);
}

TEST(StaggeredMultigrid, TakesVectorsOfAnotherMass) {
  const HisqField field;
  MultigridParameters parameters = on_hypercubes();
  const Multigrid<double> first(field.at_mass(0.02), parameters);
  parameters.levels[0].bootstraps = 0;
  parameters.near_null_vectors = std::make_shared<const SpinorField<float>>(first.near_null_vectors());
  EXPECT_EQ(parameters.near_null_vectors->spins(), 1);
  const ImprovedStaggered<double> light = field.at_mass(0.005);
  const Multigrid<double> second(light, parameters);
  EXPECT_EQ(second.report().bootstraps, 0);
  EXPECT_LT(second.report().convergence, first.report().convergence + 0.1);
  parameters.near_null_vectors = nullptr;  // noise alone is worse: the vectors were used
  EXPECT_GT(Multigrid<double>(light, parameters).report().convergence, second.report().convergence + 0.05);
}

TEST(StaggeredMultigrid, IsAMethodOfPropagatorSolver) {
  const HisqField field;
  const ImprovedStaggered<double> dirac = field.at_mass(0.01);
  PropagatorSolverParameters parameters{.tolerance = 1e-10, .method = KrylovMethod::multigrid};
  parameters.multigrid = on_hypercubes(16);
  const PropagatorSolver<double> solver(dirac, parameters);
  const SpinorField<double> b = noise(dirac, 3);
  SpinorField<double> x = dirac.make_field(3);
  require_converged(solver.solve(x, b));
  EXPECT_TRUE(solver.multigrid_report().has_value());
  expect_solution_of_cg(dirac, x, b, 1e-7);
}

TEST(StaggeredMultigrid, RefusesWhatItCannotDo) {
  const HisqField field;
  KAON_EXPECT_ERROR(Multigrid<double>(field.at_mass(0.0), on_hypercubes()), "needs a positive mass");
  KAON_EXPECT_ERROR(Multigrid<double>(field.at_mass(-0.1), on_hypercubes()), "needs a positive mass");
  MultigridParameters parameters = on_hypercubes();
  parameters.near_null_vectors =
      std::make_shared<const SpinorField<float>>(field.lattice, SpinorParameters{.right_hand_sides = 24});
  KAON_EXPECT_ERROR(Multigrid<double>(field.at_mass(0.1), parameters), "give fields of 1 spins and 3 colours");
  parameters = on_hypercubes(25);
  KAON_EXPECT_ERROR(Multigrid<double>(field.at_mass(0.1), parameters), "their number must be even");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
