// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/device/allocated_bytes.hpp"
#include "multigrid/setup/hierarchy_builder.hpp"
#include "tests/multigrid/quenched_field.hpp"
#include "tests/operators/test_fields.hpp"
#include "tests/operators/wilson_cases.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/measure/sources.hpp>
#include <kaon/multigrid/multigrid.hpp>
#include <kaon/operators/dirichlet.hpp>
#include <kaon/operators/schur.hpp>
#include <kaon/operators/twisted_mass.hpp>
#include <kaon/quarks/propagator_solver.hpp>
#include <kaon/solvers/krylov.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

// The whole of multigrid: effects of a cycle, and solves that converge regardless of the mass.
namespace kaon::test {
namespace KAON_TEST_FILE {

/// Solves M x = b for noise b and expects the solution. Returns the number of iterations.
template <class Dirac>
int expect_solution_by(const Multigrid<double>& multigrid, const Dirac& dirac, int right_hand_sides = 1) {
  SpinorField<double> x = dirac.make_field(right_hand_sides), image = dirac.make_field(right_hand_sides);
  const SpinorField<double> b = noise<double>(dirac, right_hand_sides);
  const SolveResult result = multigrid.solve(x, b);
  EXPECT_TRUE(result.converged());
  dirac.apply(image, x);
  EXPECT_LT(relative_difference(to_host(image), to_host(b)), 1e-10);
  return result.iterations();
}
template <class Dirac>
int expect_solution(const Dirac& dirac, const MultigridParameters& parameters, int right_hand_sides = 1) {
  return expect_solution_by(Multigrid(dirac, parameters), dirac, right_hand_sides);
}

// With blocks of one site and six vectors P is square, and the coarse correction alone is S^-1. It fails where A_p is
// left out, where the other parity travels, and where a sign is wrong.
TEST(Multigrid, OfFullRankSolvesInOneCycle) {
  const Lattice lattice({.extents = {4, 2, 2, 2}});
  for (const FermionCase& fermion : fermion_cases()) {
    SCOPED_TRACE(fermion.name);
    const auto exact = make_operator<double>(random_links<double>(lattice), fermion);
    const auto dirac = converted<float>(*exact, fermion, LinkStorage::full);
    const detail::Hierarchy hierarchy =
        detail::build_hierarchy(*dirac, {.levels = {{.block = {1, 1, 1, 1}, .vectors = 6, .bootstraps = 0}},
                                         .coarse_links = MultigridPrecision::single,
                                         .vectors = MultigridPrecision::single});
    const SpinorField<float> r = noise<float>(hierarchy.system(), 3);
    SpinorField<float> z = hierarchy.system().make_field(3), image = hierarchy.system().make_field(3);
    hierarchy.cycle().apply(z, r);
    hierarchy.system().apply(image, z);
    EXPECT_LT(relative_difference(to_host(image), to_host(r)), tolerance<float>);
  }
}

TEST(Multigrid, IterationsHardlyDependOnTheMass) {
  const GaugeField<double> links = quenched_links();
  std::vector<int> iterations, of_bicgstab;
  for (const double kappa : {0.1320, 0.1356}) {
    const WilsonClover<double> dirac(links, at_kappa(kappa));
    iterations.push_back(expect_solution(dirac, two_levels()));
    SpinorField<double> x = dirac.make_field(1);
    const PropagatorSolver bicgstab(dirac, {.method = KrylovMethod::bicgstab});
    of_bicgstab.push_back(bicgstab.solve(x, noise<double>(dirac, 1)).iterations());
  }
  EXPECT_LT(iterations.back(), 1.6 * iterations.front()) << iterations[0];
  EXPECT_GT(of_bicgstab.back(), 2 * of_bicgstab.front()) << "this ladder of masses shows nothing";
  EXPECT_LE(iterations.back(), 40);
}

TEST(Multigrid, SolvesEveryWilsonLikeOperator) {
  const GaugeField<double> links = quenched_links();
  const MultigridParameters parameters = two_levels(8);
  const BoundaryAngles angles{0.1, 0.0, 0.0, 2.0};
  expect_solution(Wilson<double>(links, {.mass = -0.6, .boundary = angles}), parameters);
  expect_solution(WilsonClover<double>(links, {.mass = 0.05, .csw = 1.0, .anisotropy = {.xi0 = 2.0, .nu = 0.9}}),
                  parameters);
  expect_solution(TwistedMass<double>(links, {.mass = -0.7, .mu = 0.05, .boundary = dirichlet_in_time}), parameters);
  expect_solution(TwistedClover<double>(links, {.mass = -0.2, .mu = -0.02, .csw = 1.769}), parameters);
}

TEST(Multigrid, HasLevelsOfAnyNumberAndShape) {
  const GaugeField<double> links = quenched_links();
  const WilsonClover<double> dirac(links, at_kappa(0.1345));
  const auto iterations = [&](const MultigridParameters& parameters) { return expect_solution(dirac, parameters); };
  MultigridCoarsening first{.block = {4, 4, 4, 4}, .vectors = 16, .bootstraps = 2};
  const Multigrid<double> of_two(dirac, {.levels = {first}});
  const int with_two = expect_solution_by(of_two, dirac);
  // Three levels; coarse extents of 1, whose sites have no parities; a V-cycle; all in single precision.
  const auto vectors = std::make_shared<const SpinorField<float>>(of_two.near_null_vectors());
  first.bootstraps = 0;
  EXPECT_LE(iterations({.levels = {first, {.block = {1, 1, 2, 2}, .vectors = 16}}, .near_null_vectors = vectors}),
            with_two + 4);
  EXPECT_LE(iterations({.levels = {{.block = {2, 2, 2, 2}, .vectors = 16, .bootstraps = 2},
                                   {.block = {2, 2, 2, 2}, .vectors = 24}}}),
            with_two + 4);
  EXPECT_LE(
      iterations(
          {.levels = {first, {.block = {2, 2, 2, 2}, .vectors = 24}}, .near_null_vectors = vectors, .cycle_steps = 1}),
      with_two + 8);
  EXPECT_LE(iterations({.levels = {first},
                        .near_null_vectors = vectors,
                        .smoothing = MultigridPrecision::single,
                        .coarse_links = MultigridPrecision::single}),
            with_two + 1);
}

// Heavy quarks reach the rounding of single precision within the probe. Solves do as the report says: n
// iterations bring the residual down to convergence^n.
TEST(Multigrid, MeasuresTheConvergenceOfHeavyQuarks) {
  const GaugeField<double> links = quenched_links();
  for (const double kappa : {0.1345, 0.11, 0.06, 0.02}) {
    SCOPED_TRACE(kappa);
    const WilsonClover<double> dirac(links, at_kappa(kappa));
    const Multigrid multigrid(dirac, {.levels = {{.block = {4, 4, 4, 4}, .vectors = 16}}});
    SpinorField<double> x = dirac.make_field(1);
    const int iterations = multigrid.solve(x, noise<double>(dirac, 1)).iterations();
    EXPECT_NEAR(std::log(1e-10) / std::log(multigrid.report().convergence), iterations, 2.0);
    if (kappa < 0.12) {
      EXPECT_EQ(multigrid.report().bootstraps, 0);  // relaxed noise is good enough
    }
  }
}

// Quarks so heavy that S is 1 to rounding have no near-null vectors: noise serves as well.
TEST(Multigrid, SolvesWhereThereIsNothingNearNull) {
  const GaugeField<double> links = quenched_links();
  for (const double mass : {1e4, 1e6}) {
    SCOPED_TRACE(mass);
    expect_solution(Wilson<double>(links, {.mass = mass}), two_levels(8), 2);
  }
}

// Few vectors improve slowly: a step that gains little is not the last.
TEST(Multigrid, GoesOnWithBootstrapsWhileConvergenceIsBad) {
  const WilsonClover<double> dirac(quenched_links(), at_kappa(0.1350));
  const MultigridReport report =
      Multigrid(dirac, {.levels = {{.block = {4, 4, 4, 4}, .vectors = 2}}, .smoothing_steps = 2, .max_bootstraps = 6})
          .report();
  ASSERT_GT(report.convergence, 0.6) << "two vectors are too good for this test";
  EXPECT_EQ(report.bootstraps, 6);
}

TEST(Multigrid, BootstrapsLowerLevelsWhereConvergenceIsBad) {
  const WilsonClover<double> dirac(quenched_links(), at_kappa(0.1350));
  const MultigridCoarsening first{.block = {2, 2, 2, 2}, .vectors = 2};
  int told = 0;
  const auto report = [&](std::optional<int> lower) {
    const MultigridCoarsening second{.block = {2, 2, 2, 2}, .vectors = 2, .bootstraps = lower};
    const auto count = [&](const std::string& step) { told += step.find("lower levels bootstrap") != step.npos; };
    return Multigrid(dirac, {.levels = {first, second}, .smoothing_steps = 2, .max_bootstraps = 5, .on_setup = count})
        .report();
  };
  const MultigridReport with = report(std::nullopt), without = report(0);
  ASSERT_GT(with.convergence, 0.6) << "two vectors are too good for this test";
  EXPECT_EQ(told, 2);
  EXPECT_EQ(with.bootstraps, 10);
  EXPECT_EQ(without.bootstraps, 10);
  EXPECT_NE(with.convergence, without.convergence);
}

TEST(Multigrid, TakesAVCycleWhereThatConvergesNearlyAsFast) {
  const WilsonClover<double> dirac(quenched_links(), at_kappa(0.1345));
  const auto report = [&](int bootstraps, std::optional<int> cycle_steps) {
    const MultigridCoarsening first{.block = {2, 2, 2, 2}, .vectors = 8, .bootstraps = bootstraps};
    const MultigridCoarsening second{.block = {2, 2, 2, 2}, .vectors = 16};
    return Multigrid(dirac, {.levels = {first, second}, .cycle_steps = cycle_steps}).report();
  };
  const MultigridReport v_cycle = report(0, 1), k_cycle = report(0, 2), chosen = report(0, std::nullopt);
  const bool nearly_as_fast = std::log(v_cycle.convergence) <= 0.85 * std::log(k_cycle.convergence);
  EXPECT_EQ(chosen.cycle_steps, nearly_as_fast ? 1 : 2);
  EXPECT_EQ(chosen.convergence, nearly_as_fast ? v_cycle.convergence : k_cycle.convergence);
  EXPECT_EQ(v_cycle.cycle_steps, 1);
  EXPECT_NE(v_cycle.convergence, k_cycle.convergence);
  EXPECT_EQ(report(1, 3).cycle_steps, 3);
}

TEST(Multigrid, WorksOnALatticeWithOddCoarseExtents) {
  const Lattice lattice({.extents = {4, 6, 2, 12}});
  const WilsonClover<double> dirac(test::random_links<double>(lattice), {.mass = 0.2, .csw = 1.0});
  expect_solution(dirac, {.levels = {{.block = {2, 2, 2, 4}, .vectors = 8, .bootstraps = 1}}}, 2);
}

TEST(Multigrid, SetUpTwiceIsTheSame) {
  const WilsonClover<double> dirac = small_clover();
  const SpinorField<double> b = noise<double>(dirac, 1);
  std::vector<reference::Spinor> solutions;
  for (int turn = 0; turn < 2; ++turn) {
    SpinorField<double> x = dirac.make_field(1);
    EXPECT_TRUE(Multigrid(dirac, small_levels()).solve(x, b).converged());
    solutions.push_back(x.to_host());
  }
  EXPECT_EQ(solutions[0], solutions[1]);
}

TEST(Multigrid, RightHandSidesDoNotKnowEachOther) {
  const WilsonClover<double> dirac = small_clover();
  const Multigrid multigrid(dirac, small_levels());
  const SpinorField<double> b = noise<double>(dirac, 5);
  SpinorField<double> x = dirac.make_field(5), alone = dirac.make_field(1);
  const SolveResult together = multigrid.solve(x, b);
  const SolveResult one = multigrid.solve(alone, b.right_hand_side(3));
  EXPECT_NEAR(one.iterations(), together.right_hand_sides[3].iterations, 1);
  EXPECT_LT(reference::relative_difference(alone.to_host(), x.to_host(3)), 1e-8);
}

TEST(Multigrid, SolvesMoreRightHandSidesInTurns) {
  const WilsonClover<double> dirac = small_clover();
  const Multigrid multigrid(dirac, small_levels());
  const SpinorField<double> b = noise<double>(dirac, 14);
  SpinorField<double> x = dirac.make_field(14), image = dirac.make_field(14);
  const SolveResult result = multigrid.solve(x, b);
  EXPECT_TRUE(result.converged());
  ASSERT_EQ(result.right_hand_sides.size(), 14U);
  dirac.apply(image, x);
  EXPECT_LT(relative_difference(to_host(image), to_host(b)), 1e-10);
  // The bounds of each are those of the batch in which it is solved.
  SolveRequest bounded{.active = std::vector<bool>(14, false), .iterations = std::vector<int>(14, 500)};
  for (const std::size_t k : {0U, 11U, 13U}) bounded.active[k] = true;
  bounded.iterations[11] = 2;
  bounded.iterations[13] = 3;
  blas::set_zero(x);
  const SolveResult some = multigrid.solve(x, b, bounded);
  EXPECT_EQ(some.right_hand_sides[0].status, SolveStatus::converged);
  EXPECT_EQ(some.right_hand_sides[11].iterations, 2);
  EXPECT_EQ(some.right_hand_sides[11].status, SolveStatus::max_iterations);
  EXPECT_EQ(some.right_hand_sides[12].iterations, 0);
  EXPECT_EQ(blas::norm2(x)[12], 0.0);
  EXPECT_EQ(some.right_hand_sides[13].iterations, 3);
  const SolveRequest for_some{.residual_norms = std::vector<double>(13, 1e-3)};
  KAON_EXPECT_ERROR(multigrid.solve(x, b, for_some), "13 residual norms were given for 14 right-hand sides");
}

TEST(Multigrid, TellsItsProgressThroughAllRefinements) {
  const WilsonClover<double> dirac = small_clover();
  std::vector<double> residuals;
  const OnIteration on_iteration = [&](int number, std::span<const double> of_all) {
    EXPECT_EQ(number, static_cast<int>(residuals.size()) + 1);
    residuals.push_back(of_all[0]);
    return true;
  };
  const Multigrid multigrid(dirac, small_levels());
  SpinorField<double> x = dirac.make_field(1);
  for (int turn = 0; turn < 2; ++turn) {
    residuals.clear();
    blas::set_zero(x);
    EXPECT_TRUE(multigrid.solve(x, noise<double>(dirac, 1), {.progress = on_iteration}).converged());
    EXPECT_LT(residuals.back(), 1e-9);
    for (std::size_t k = 1; k < residuals.size(); ++k) EXPECT_LT(residuals[k], residuals[k - 1]) << k;
  }
}

TEST(Multigrid, SolvesAgainWhereAReceiverHasThrown) {
  const WilsonClover<double> dirac = small_clover();
  MultigridParameters parameters = small_levels();
  parameters.tolerance = 0.1;
  struct Enough {};
  bool throws = true;
  const OnIteration on_iteration = [&](int, std::span<const double> of_all) {
    if (throws && of_all.size() == 2) throw Enough();
    return true;
  };
  const Multigrid multigrid(dirac, parameters);
  const SpinorField<double> b = noise<double>(dirac, 14);
  SpinorField<double> x = dirac.make_field(14);
  EXPECT_THROW(multigrid.solve(x, b, {.progress = on_iteration}), Enough);
  throws = false;
  EXPECT_TRUE(multigrid.solve(x, b, {.progress = on_iteration}).converged());
}

TEST(Multigrid, ChoosesItsLevelsByItself) {
  const WilsonClover<double> dirac(quenched_links(), at_kappa(0.1345));
  std::vector<std::string> steps;
  const Multigrid multigrid(dirac, {.on_setup = [&](const std::string& step) { steps.push_back(step); }});
  const MultigridReport& report = multigrid.report();
  ASSERT_EQ(report.levels.size(), 2U);
  EXPECT_EQ(report.levels[0].block, (Coordinates{4, 4, 4, 4}));
  EXPECT_EQ(report.levels[1].extents, (Coordinates{2, 2, 2, 2}));
  EXPECT_EQ(report.levels[1].components, 48);
  EXPECT_TRUE(report.exact_bottom);
  EXPECT_GE(report.bootstraps, 1);
  EXPECT_GE(static_cast<int>(steps.size()), report.bootstraps);
  EXPECT_GT(report.convergence, 0.0);
  EXPECT_LT(report.convergence, 0.5);
  EXPECT_NE(to_string(report).find("4x4x4x4"), std::string::npos);
  SpinorField<double> x = dirac.make_field(1);
  EXPECT_TRUE(multigrid.solve(x, noise<double>(dirac, 1)).converged());
}

TEST(Multigrid, IsASolverOfPropagators) {
  const WilsonClover<double> dirac = small_clover();
  SpinorField<double> source = dirac.make_field(12), x = dirac.make_field(12), expected = dirac.make_field(12);
  set_point_sources(source, {});
  const PropagatorSolver solver(dirac, {.method = KrylovMethod::multigrid, .multigrid = small_levels()});
  require_converged(solver.solve(x, source));
  require_converged(PropagatorSolver(dirac).solve(expected, source));
  EXPECT_LT(relative_difference(to_host(x), to_host(expected)), 1e-8);
  ASSERT_TRUE(solver.multigrid_report().has_value());
  EXPECT_FALSE(PropagatorSolver(dirac).multigrid_report().has_value());
}

TEST(Multigrid, OfSinglePrecisionSolvesInIt) {
  const WilsonClover<double> exact(quenched_links(), at_kappa(0.1345));
  const WilsonClover<float> dirac(exact, LinkStorage::full);
  MultigridParameters parameters = two_levels(8);
  parameters.tolerance = 1e-6;
  const Multigrid multigrid(dirac, parameters);
  SpinorField<float> x = dirac.make_field(2);
  EXPECT_TRUE(multigrid.solve(x, noise<float>(dirac, 2)).converged());
}

// An exception in the middle of a setup, here one of the caller's own.
TEST(Multigrid, FailedSetupLeavesNeitherMemoryNorState) {
  const WilsonClover<double> dirac(quenched_links(), at_kappa(0.1350));
  const MultigridReport before = Multigrid(dirac, two_levels()).report();
  MultigridParameters failing = two_levels();
  failing.on_setup = [](const std::string& step) {
    if (step.find("bootstrap 1") != step.npos) throw std::runtime_error("enough");
  };
  const detail::AllocatedBytes bytes;
  EXPECT_THROW(Multigrid(dirac, failing), std::runtime_error);
  EXPECT_LT(bytes.fields().now, 1'000'000);  // a field of near-null vectors has 6.3 MB
  const MultigridReport after = Multigrid(dirac, two_levels()).report();
  EXPECT_EQ(after.convergence, before.convergence);
}

TEST(Multigrid, RefusesWhatMakesNoSense) {
  const Wilson<double> dirac(quenched_links(), {.mass = 0.1});
  const auto with = [](const MultigridCoarsening& level) { return MultigridParameters{.levels = {level}}; };
  KAON_EXPECT_ERROR(Multigrid(dirac, with({.block = {3, 4, 4, 4}})), "aggregates of 3 sites in direction 0");
  KAON_EXPECT_ERROR(Multigrid(dirac, with({.block = {4, 4, 4, 0}})), "aggregates of 0 sites in direction 3");
  KAON_EXPECT_ERROR(Multigrid(dirac, with({.block = {4, 4, 4, 4}, .vectors = 7})), "must be even");
  KAON_EXPECT_ERROR(Multigrid(dirac, with({.block = {1, 1, 1, 2}, .vectors = 24})), "take larger blocks");
  KAON_EXPECT_ERROR(Multigrid(dirac, {.levels = {{.block = {4, 4, 4, 4}}, {.block = {2, 2, 2, 2}, .vectors = 16}}}),
                    "fewer than the 24");
  KAON_EXPECT_ERROR(Multigrid(dirac, {.smoothing_steps = 0}), "smoothing steps");
  KAON_EXPECT_ERROR(PropagatorSolver(dirac, {.method = KrylovMethod::multigrid, .schur = SchurForm::asymmetric}),
                    "leave the symmetric one");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
