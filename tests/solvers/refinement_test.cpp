// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "solvers/contract/refinement.hpp"

#include "solvers/contract/best_solution.hpp"
#include "tests/solvers/solver_cases.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/operators/schur.hpp>
#include <kaon/solvers/adapters.hpp>
#include <kaon/solvers/krylov.hpp>
#include <kaon/solvers/multi_shift_cg.hpp>

#include <cmath>
#include <limits>

namespace kaon::test {
namespace KAON_TEST_FILE {

using detail::BestSolution, detail::Refinement, detail::Restored, detail::Targets;

/// Three right-hand sides. The last one is not active.
Targets three() {
  return {.source_norm = {1.0, 2.0, 4.0}, .residual_norm = {1e-3, 2e-3, 4e-3}, .active = {true, true, false}};
}

/// An inner solve that took so many iterations for each right-hand side.
SolveResult solved(const std::vector<SolveStatus>& statuses, int iterations) {
  SolveResult result;
  for (const SolveStatus status : statuses)
    result.right_hand_sides.push_back({.status = status, .iterations = iterations});
  return result;
}
const std::vector<SolveStatus> all_converged(3, SolveStatus::converged);

SolveStatus status(Refinement& refinement, std::size_t k) { return refinement.result().right_hand_sides[k].status; }

TEST(Refinement, LowersTargetsByWhatResidualsMissedThem) {
  Refinement refinement(three(), {}, {});
  EXPECT_EQ(refinement.request().residual_norms, three().residual_norm);
  EXPECT_EQ(refinement.request().active, three().active);
  refinement.append(solved(all_converged, 7));
  EXPECT_TRUE(refinement.goes_on(std::vector{0.5e-3, 3e-3, 5.0}));
  EXPECT_EQ(status(refinement, 0), SolveStatus::converged);
  EXPECT_EQ(refinement.request().active, (std::vector<bool>{false, true, false}));
  EXPECT_NEAR(refinement.request().residual_norms[1], 0.9 * 2e-3 * 2e-3 / 3e-3, 1e-15);
  refinement.append(solved(all_converged, 5));
  EXPECT_FALSE(refinement.goes_on(std::vector{0.5e-3, 1.9e-3, 5.0}));
  const std::vector<SolveResult::RightHandSide>& sides = refinement.result().right_hand_sides;
  EXPECT_TRUE(refinement.result().converged());
  EXPECT_EQ(sides[0].iterations, 7);
  EXPECT_EQ(sides[1].iterations, 12);
  EXPECT_EQ(sides[2].iterations, 0);
  EXPECT_DOUBLE_EQ(sides[1].true_residual, 1.9e-3 / 2.0);
  EXPECT_DOUBLE_EQ(sides[2].true_residual, 5.0 / 4.0);
}

TEST(Refinement, EndsWithTheFailureOfAnInnerSolve) {
  Refinement refinement(three(), {}, {});
  refinement.append(solved({SolveStatus::breakdown, SolveStatus::max_iterations, SolveStatus::converged}, 7));
  // Good enough all the same, and not.
  EXPECT_FALSE(refinement.goes_on(std::vector{1e-3, 3e-3, 0.0}));
  EXPECT_EQ(status(refinement, 0), SolveStatus::converged);
  EXPECT_EQ(status(refinement, 1), SolveStatus::max_iterations);
}

TEST(Refinement, EndsAfterItsSolvesItsIterationsOrNaN) {
  Refinement solves(three(), {}, {.most_solves = 2});
  Refinement iterations(three(), {.iterations = {10, 9, 10}}, {});
  for (Refinement* refinement : {&solves, &iterations}) {
    refinement->append(solved(all_converged, 5));
    EXPECT_TRUE(refinement->goes_on(std::vector{2e-3, 3e-3, 0.0}));
  }
  EXPECT_EQ(iterations.request().iterations, (std::vector<int>{5, 4, 10}));
  solves.append(solved(all_converged, 5));
  EXPECT_FALSE(solves.goes_on(std::vector{2e-3, std::numeric_limits<double>::quiet_NaN(), 0.0}));
  EXPECT_EQ(status(solves, 0), SolveStatus::stagnated);
  EXPECT_EQ(status(solves, 1), SolveStatus::not_a_number);
  iterations.append(solved(all_converged, 4));
  EXPECT_TRUE(iterations.goes_on(std::vector{2e-3, 3e-3, 0.0}));
  EXPECT_EQ(status(iterations, 1), SolveStatus::max_iterations);
  EXPECT_EQ(iterations.request().active, (std::vector<bool>{true, false, false}));
}

TEST(Refinement, GoesOnWhileThereIsProgressAndSomethingIsUnmet) {
  Refinement refinement(three(), {}, {.least_progress = 0.5});
  EXPECT_TRUE(refinement.goes_on(std::vector{1.0, 1e-3, 0.0}, {false, true, false}));  // before the first
  EXPECT_EQ(refinement.request().residual_norms, three().residual_norm);
  refinement.append(solved({SolveStatus::stagnated, SolveStatus::converged, SolveStatus::converged}, 5));
  EXPECT_TRUE(refinement.goes_on(std::vector{0.4, 0.6e-3, 0.0}, {false, true, false}));
  EXPECT_EQ(refinement.request().active, (std::vector<bool>{true, false, false}));
  EXPECT_EQ(status(refinement, 1), SolveStatus::stagnated);
}

// A solve without iterations to make progress has not stagnated.
TEST(Refinement, RunsOutOfIterationsBeforeItStagnates) {
  Refinement refinement(three(), {.iterations = {10, 20, 10}}, {.least_progress = 0.5});
  for (const double norm : {1.0, 0.9}) {
    refinement.append(solved(all_converged, 5));
    EXPECT_EQ(refinement.goes_on(std::vector{norm, norm, 0.0}), norm == 1.0);
  }
  EXPECT_EQ(status(refinement, 0), SolveStatus::max_iterations);
  EXPECT_EQ(status(refinement, 1), SolveStatus::stagnated);
}

TEST(Refinement, EndsWhereItWasStopped) {
  Refinement refinement(three(), {}, {});
  SolveResult first = solved({SolveStatus::converged, SolveStatus::stopped, SolveStatus::converged}, 5);
  first.stopped = true;
  refinement.append(first);
  EXPECT_FALSE(refinement.goes_on(std::vector{2e-3, 3e-3, 0.0}));
  EXPECT_EQ(status(refinement, 0), SolveStatus::stopped);
  EXPECT_EQ(status(refinement, 1), SolveStatus::stopped);
}

TEST(BestSolution, RestoresWhatHadTheLeastResidual) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  const Targets targets{.source_norm = {1.0, 1.0, 1.0, 1.0}, .residual_norm = {0.1, 0.1, 0.1, 0.1}, .active = {}};
  BestSolution<double> best(targets);
  const std::vector<bool> active{true, true, true, false};
  const SpinorField<double> first = gaussian<double>(lattice, 4);
  SpinorField<double> x = gaussian<double>(lattice, 4);
  blas::scale(x, blas::Reals(4, 2.0));
  // Worse than zero; better, then worse; better twice; good enough, so that it is not stored.
  best.see(first, 0, std::vector{2.0, 0.5, 0.5, 0.5}, active);
  best.see(x, 0, std::vector{3.0, 0.6, 0.4, 0.05}, active);
  const std::vector<std::complex<double>> second = x.to_host(2), third = x.to_host(3);
  EXPECT_EQ(best.restore(x, 0), Restored::zero);
  EXPECT_EQ(best.restore(x, 1), Restored::earlier);
  EXPECT_EQ(best.restore(x, 2), Restored::nothing);
  EXPECT_EQ(best.restore(x, 3), Restored::nothing);
  EXPECT_EQ(blas::norm2(x)[0], 0.0);
  EXPECT_EQ(x.to_host(1), first.to_host(1));
  EXPECT_EQ(x.to_host(2), second);
  EXPECT_EQ(x.to_host(3), third);
  EXPECT_EQ(best.norm(0), 1.0);
  EXPECT_EQ(best.norm(1), 0.5);
  EXPECT_EQ(best.norm(2), 0.4);
  // A part of the right-hand sides, and NaN.
  best.see(first, 1, std::vector{0.3, std::numeric_limits<double>::quiet_NaN()}, active);
  EXPECT_EQ(best.restore(x, 1), Restored::nothing);
  EXPECT_EQ(best.restore(x, 2), Restored::earlier);
  EXPECT_EQ(x.to_host(2), second);
}

TEST(InPrecision, TellsOfAllIterationsAndOfResidualsOfTheWhole) {
  const Lattice lattice({.extents = {4, 4, 4, 8}});
  const auto dirac = make_operator<double>(random_links<double>(lattice), fermion_cases()[2]);
  const auto rounded = converted<float>(*dirac, fermion_cases()[2], LinkStorage::full);
  const InPrecision<double, float> solver(*dirac, BiCgStab<float>(*rounded, {.tolerance = 1e-3}), {.tolerance = 1e-9});
  const SpinorField<double> b = gaussian<double>(lattice, 2);
  SpinorField<double> x = dirac->make_field(2);
  int calls = 0, last = std::numeric_limits<int>::max();
  std::vector<double> residuals;
  std::vector<std::vector<double>> told;
  const auto on_iteration = [&](int iteration, std::span<const double> of_all) {
    EXPECT_EQ(iteration, ++calls);
    residuals.assign(of_all.begin(), of_all.end());
    told.push_back(residuals);
    return calls < last;
  };
  const SolveRequest request{.progress = on_iteration, .keep_history = true};
  const SolveResult result = solver.solve(x, b, request);
  EXPECT_TRUE(result.converged());
  EXPECT_EQ(result.history, told);
  EXPECT_GE(calls, result.iterations());  // in each inner solve the most of any right-hand side
  for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(residuals[k] / result.right_hand_sides[k].true_residual, 1.0, 0.1);
  last = calls - 1;
  calls = 0;
  blas::set_zero(x);
  const SolveResult stopped = solver.solve(x, b, request);
  EXPECT_EQ(calls, last);
  EXPECT_TRUE(stopped.stopped);
}

// The source on even sites is a small part of b.
TEST(EvenOddSolver, TellsOfResidualsOfTheWhole) {
  const Lattice lattice({.extents = {4, 4, 4, 8}});
  const auto dirac = make_operator<double>(random_links<double>(lattice), fermion_cases()[2]);
  const Schur<double> schur(*dirac, {.form = SchurForm::asymmetric});
  const EvenOddSolver<double> solver(BiCgStab<double>(schur, {.tolerance = 1e-3}));
  SpinorField<double> b = gaussian<double>(lattice, 2), source = schur.make_field(2);
  schur.prepare(source, b);
  SpinorField<double> even = b.parity(Parity::even);
  blas::axpy(even, source, blas::Reals(2, -1.0 + 1e-2));  // b_even + K A^-1 b_odd is 1e-2 of what it was
  SpinorField<double> x = dirac->make_field(2);
  std::vector<std::vector<double>> told;
  const auto on_iteration = [&](int, std::span<const double> of_all) {
    told.emplace_back(of_all.begin(), of_all.end());
    return true;
  };
  const SolveResult result = solver.solve(x, b, {.progress = on_iteration, .keep_history = true});
  EXPECT_TRUE(result.converged());
  EXPECT_EQ(result.history, told);
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_LT(told.front()[k], 0.1);
    EXPECT_NEAR(told.back()[k] / result.right_hand_sides[k].true_residual, 1.0, 1e-6);
  }
}

TEST(MultiShiftCg, RefusesWhatItCannotDoForOneRightHandSide) {
  const Lattice lattice({.extents = {4, 4, 4, 8}});
  const auto dirac = make_operator<double>(random_links<double>(lattice), fermion_cases()[2]);
  const MultiShiftCg<double> solver(*dirac, {0.1}, {});
  SpinorField<double> x = dirac->make_field(1);
  const SpinorField<double> b = gaussian<double>(lattice, 1);
  for (const SolveRequest& request : {SolveRequest{.residual_norms = {1.0}}, SolveRequest{.active = {true}}}) {
    KAON_EXPECT_ERROR(solver.solve(std::span(&x, 1), b, request),
                      "a request can name iterations, on_iteration and keep_history alone");
  }
  const SolveResult bounded = solver.solve(std::span(&x, 1), b, {.iterations = {5}})[0];
  EXPECT_EQ(bounded.iterations(), 5);
  EXPECT_EQ(bounded.right_hand_sides[0].status, SolveStatus::max_iterations);
}

TEST(SolveResult, AddsHistoriesOfFurtherRightHandSides) {
  SolveResult all;
  SolveResult first = solved({SolveStatus::converged, SolveStatus::converged}, 1);
  first.history = {{0.5, 0.25}};
  SolveResult second = solved({SolveStatus::converged}, 2);
  second.history = {{0.125}, {0.0625}};
  all.append_right_hand_sides(first);
  all.append_right_hand_sides(second);
  EXPECT_EQ(all.history, (std::vector<std::vector<double>>{{0.5, 0.25, 0.125}, {0.5, 0.25, 0.0625}}));
}

TEST(SolveResult, AddsPartsOfASystem) {
  SolveResult even = solved({SolveStatus::converged, SolveStatus::stagnated}, 5);
  SolveResult odd = solved({SolveStatus::max_iterations, SolveStatus::converged}, 3);
  even.right_hand_sides[0].iterated_residual = odd.right_hand_sides[1].iterated_residual = 0.5;
  odd.stopped = true;
  even.append_part(odd);
  EXPECT_EQ(even.right_hand_sides[0].status, SolveStatus::max_iterations);
  EXPECT_EQ(even.right_hand_sides[1].status, SolveStatus::stagnated);
  for (const auto& side : even.right_hand_sides) {
    EXPECT_EQ(side.iterations, 8);
    EXPECT_EQ(side.iterated_residual, 0.5);
  }
  EXPECT_TRUE(even.stopped);
}

TEST(SolveResult, HasNoResidualWhereOneIsNone) {
  for (const std::size_t k : {0, 1}) {
    SolveResult result = solved({SolveStatus::converged, SolveStatus::converged}, 1), more = result;
    result.right_hand_sides[1 - k].true_residual = more.right_hand_sides[1 - k].true_residual = 1e-10;
    result.right_hand_sides[1 - k].error = 1e-8;
    SolveResult::RightHandSide& wrong = result.right_hand_sides[k];
    wrong.true_residual = wrong.iterated_residual = wrong.error = std::nan("");
    EXPECT_TRUE(std::isnan(result.true_residual()));
    EXPECT_TRUE(std::isnan(result.error()));
    more.append_part(result);
    EXPECT_TRUE(std::isnan(more.true_residual()));
    EXPECT_TRUE(std::isnan(more.right_hand_sides[k].iterated_residual));
    result.append_part(solved({SolveStatus::converged, SolveStatus::converged}, 1));
    EXPECT_TRUE(std::isnan(result.true_residual()));
  }
}

// Multigrid continues with masses that are out of iterations.
TEST(SolveResult, NamesTheGraverFailureOfTwoParts) {
  const SolveStatus rising[] = {SolveStatus::converged, SolveStatus::stagnated, SolveStatus::max_iterations,
                                SolveStatus::stopped,   SolveStatus::breakdown, SolveStatus::not_a_number};
  for (const SolveStatus& grave : rising) {
    for (const SolveStatus* less = rising; less <= &grave; ++less) {
      SolveResult result = solved({grave, *less}, 1);
      result.append_part(solved({*less, grave}, 1));
      for (const auto& side : result.right_hand_sides) EXPECT_EQ(side.status, grave) << to_string(*less);
    }
  }
}

TEST(SolveResult, SaysOfTheErrorAtLeastWhereAPartDoes) {
  for (const bool first : {true, false}) {
    SolveResult with = solved({SolveStatus::converged}, 5), without = with, exact = with;
    with.right_hand_sides[0].true_residual = without.right_hand_sides[0].true_residual = 1e-10;
    with.right_hand_sides[0].error_per_residual = 2.0;
    with.right_hand_sides[0].error_at_least = false;
    exact.right_hand_sides[0].true_residual = 0.0;  // like that of a source on one parity
    SolveResult both = exact, all = first ? with : without;
    both.append_part(with);
    EXPECT_EQ(both.right_hand_sides[0].error_per_residual, 2.0);
    EXPECT_FALSE(both.right_hand_sides[0].error_at_least);
    all.append_part(first ? without : with);
    all.append_part(exact);
    EXPECT_TRUE(all.right_hand_sides[0].error_at_least);
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
