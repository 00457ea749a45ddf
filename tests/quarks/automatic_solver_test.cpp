// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quarks/automatic_solver.hpp"
#include "tests/multigrid/quenched_field.hpp"
#include "tests/operators/test_fields.hpp"

#include <kaon/gauge/initial_links.hpp>
#include <kaon/measure/sources.hpp>
#include <kaon/operators/staggered.hpp>
#include <kaon/quarks/propagator_solver.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

namespace kaon::test {
namespace KAON_TEST_FILE {

using Automatic = detail::AutomaticSolver<double>;
constexpr detail::MultigridPrice price = detail::price_in_bicgstab;

/// Claims to need `needed` iterations for every right-hand side, and stops at the bound of the request or, as
/// stagnated, at `stagnates_at`. The solution remains as it is.
class Pretender final : public Solver<double> {
 public:
  Pretender(const LinearOperator<double>& matrix, const int& needed, const int& stagnates_at, int& calls)
      : matrix_(matrix), needed_(needed), stagnates_at_(stagnates_at), calls_(calls) {}

  using Solver<double>::solve;
  SolveResult solve(SpinorField<double>&, const SpinorField<double>& b, const SolveRequest& request) const override {
    ++calls_;
    SolveResult result;
    for (std::size_t k = 0; k < static_cast<std::size_t>(b.right_hand_sides()); ++k) {
      const int left = request.allowed(k, needed_);
      SolveResult::RightHandSide& r = result.right_hand_sides.emplace_back();
      r.status = needed_ <= left ? SolveStatus::converged : SolveStatus::max_iterations;
      r.iterations = std::min({needed_, left, stagnates_at_});
      if (r.iterations == stagnates_at_) r.status = SolveStatus::stagnated;
    }
    return result;
  }
  const LinearOperator<double>& solved_operator() const override { return matrix_; }
  double tolerance() const override { return 1e-10; }

 private:
  const LinearOperator<double>& matrix_;
  const int& needed_;
  const int& stagnates_at_;
  int& calls_;
};

/// Takes a multiple of b for x, and fails with the residual |b - x|.
class Fails final : public Solver<double> {
 public:
  Fails(const LinearOperator<double>& matrix, double multiple) : matrix_(matrix), multiple_(multiple) {}

  using Solver<double>::solve;
  SolveResult solve(SpinorField<double>& x, const SpinorField<double>& b, const SolveRequest&) const override {
    blas::copy(x, b);
    blas::scale(x, blas::Reals{multiple_});
    SolveResult result;
    result.right_hand_sides.push_back(
        {.status = SolveStatus::stagnated, .iterations = 1, .true_residual = 1.0 - multiple_});
    return result;
  }
  const LinearOperator<double>& solved_operator() const override { return matrix_; }
  double tolerance() const override { return 1e-10; }

 private:
  const LinearOperator<double>& matrix_;
  double multiple_;
};

GaugeField<double> unit_field(const Lattice& lattice) {
  GaugeField<double> links(lattice);
  set_unit(links);
  return links;
}

/// An automatic solver of pretenders, and what it does with them.
struct Stage {
  explicit Stage(bool possible = true, int max_iterations = 10000)
      : solver({{[this]() -> Ref<Solver<double>> { return Pretender(dirac, needed, stagnates_at, krylov_calls); },
                 [this]() -> Ref<Solver<double>> {
                   return Pretender(dirac, needed_by_next, next_stagnates_at, next_calls);
                 }},
                [this, possible]() -> Ref<Solver<double>> {
                  ++built;
                  require(possible, "this lattice has no aggregates");
                  return Pretender(dirac, ten, never, multigrid_calls);
                }},
               price, max_iterations,
               {.on_fallback = [this](const std::string& notice) { notices.push_back(notice); }}) {}

  SolveResult solve(int right_hand_sides) {
    SpinorField<double> x = dirac.make_field(right_hand_sides);
    return solver.solve(x, noise<double>(dirac, right_hand_sides));
  }

  Lattice lattice{{.extents = {2, 2, 2, 2}}};
  Wilson<double> dirac{unit_field(lattice), {.mass = 1.0}};
  const int ten = 10, never = std::numeric_limits<int>::max();
  int needed = 100, needed_by_next = ten, stagnates_at = never, next_stagnates_at = never;
  int krylov_calls = 0, next_calls = 0, multigrid_calls = 0, built = 0;
  std::vector<std::string> notices{};
  Automatic solver;
};

TEST(AutomaticSolver, BuildsNothingForShortSolves) {
  Stage stage;
  stage.needed = price.iterations_of_solve;
  for (int solve = 0; solve < 100; ++solve) EXPECT_TRUE(stage.solve(12).converged());
  EXPECT_EQ(stage.krylov_calls, 100);
  EXPECT_EQ(stage.built, 0);
  EXPECT_TRUE(stage.notices.empty());
}

TEST(AutomaticSolver, BuildsMultigridInTheSolveInWhichItPays) {
  Stage stage;
  stage.needed = 320;  // 200 more than multigrid costs: 2400 of 4000 for the first solve
  EXPECT_EQ(stage.solve(12).iterations(), 320);
  EXPECT_EQ(stage.built, 0);
  const SolveResult second = stage.solve(12);
  EXPECT_TRUE(second.converged());
  EXPECT_EQ(second.iterations(), 120 + 134 + 10);  // the 1600 that are left, shared by twelve
  EXPECT_EQ(second.right_hand_sides[3].fallbacks, 1);
  EXPECT_EQ(stage.built, 1);
  EXPECT_EQ(stage.solve(12).iterations(), 10);
  EXPECT_EQ(stage.krylov_calls, 2);
  EXPECT_EQ(stage.multigrid_calls, 2);
  EXPECT_EQ(stage.next_calls, 0);
  EXPECT_EQ(stage.built, 1);
}

TEST(AutomaticSolver, BuildsMultigridAfterASolveThatWasLongEnough) {
  Stage stage;
  stage.needed = 120 + price.iterations_of_setup;
  EXPECT_EQ(stage.solve(1).iterations(), stage.needed);
  EXPECT_EQ(stage.built, 0);  // no further solve is allowed
  EXPECT_EQ(stage.solve(1).iterations(), 10);
  EXPECT_EQ(stage.krylov_calls, 1);
  EXPECT_EQ(stage.built, 1);
}

TEST(AutomaticSolver, GoesOnWhereMultigridIsNotPossible) {
  Stage stage(false);
  stage.needed = 4000;
  EXPECT_TRUE(stage.solve(12).converged());
  EXPECT_EQ(stage.next_calls, 1);
  EXPECT_EQ(stage.solve(12).iterations(), 4000);  // within half of max_iterations
  EXPECT_EQ(stage.built, 1);
  EXPECT_NE(stage.notices.back().find("no aggregates"), std::string::npos);
}

TEST(AutomaticSolver, KeepsToTheMaximumOfIterations) {
  Stage stage(true, 1001);
  stage.needed = 100000;
  EXPECT_EQ(stage.solve(1).iterations(), 501 + 10);
  EXPECT_EQ(stage.next_calls, 1);
  EXPECT_EQ(stage.built, 0);
}

TEST(AutomaticSolver, CountsTheIterationsInHigherPrecision) {
  Stage stage;
  stage.needed = stage.needed_by_next = 100000;
  stage.stagnates_at = 2000;
  const SolveResult result = stage.solve(1);
  EXPECT_TRUE(result.converged());
  // 1880 of 4000 are lost in the first precision, so that 120 + 2120 may be used in the next one.
  EXPECT_EQ(result.iterations(), 2000 + 2240 + 10);
  EXPECT_EQ(stage.next_calls, 1);
  EXPECT_EQ(stage.multigrid_calls, 1);
}

TEST(AutomaticSolver, BuildsMultigridWhereAllPrecisionsFail) {
  Stage stage;
  stage.needed = stage.needed_by_next = 100000;
  stage.stagnates_at = 300;
  stage.next_stagnates_at = 700;
  const SolveResult result = stage.solve(1);
  EXPECT_TRUE(result.converged());
  EXPECT_EQ(result.iterations(), 300 + 700 + 10);
  EXPECT_EQ(result.right_hand_sides[0].fallbacks, 2);
  EXPECT_EQ(stage.built, 1);
  // Not where the caller allows fewer iterations than the setup costs, and if it is impossible iterations continue.
  Stage bounded(true, price.iterations_of_setup - 1);
  bounded.needed = bounded.needed_by_next = 100000;
  bounded.stagnates_at = bounded.next_stagnates_at = 300;
  EXPECT_EQ(bounded.solve(1).right_hand_sides[0].status, SolveStatus::stagnated);
  EXPECT_EQ(bounded.built, 0);
  Stage impossible(false);
  impossible.needed = impossible.needed_by_next = 100000;
  impossible.stagnates_at = impossible.next_stagnates_at = 300;
  EXPECT_EQ(impossible.solve(1).right_hand_sides[0].status, SolveStatus::stagnated);
  EXPECT_EQ(impossible.next_calls, 2);
}

TEST(AutomaticSolver, IsWhatPropagatorSolversAreByDefault) {
  const WilsonClover<double> dirac(quenched_links(), at_kappa(0.1360));
  SpinorField<double> source = dirac.make_field(12), x = dirac.make_field(12), expected = dirac.make_field(12);
  set_point_sources(source, {});
  std::vector<std::string> notices;
  const PropagatorSolver solver(
      dirac, {.multigrid = two_levels(), .on_fallback = [&](const std::string& n) { notices.push_back(n); }});
  const PropagatorSolver bicgstab(dirac, {.method = KrylovMethod::bicgstab});
  const SolveResult by_bicgstab = bicgstab.solve(expected, source);
  require_converged(by_bicgstab);
  int lost = 0, solves = 0;
  for (const auto& r : by_bicgstab.right_hand_sides) lost += std::max(0, r.iterations - price.iterations_of_solve);
  ASSERT_GT(lost, 500) << "the quark is too heavy for this test";
  while (!solver.multigrid_report() && solves < 10) {
    blas::set_zero(x);
    require_converged(solver.solve(x, source));
    EXPECT_LT(relative_difference(to_host(x), to_host(expected)), 1e-7);
    ++solves;
  }
  EXPECT_TRUE(solver.multigrid_report().has_value());
  // Iterations of the same solve vary a little.
  EXPECT_NEAR(solves, price.iterations_of_setup / lost + 1, 1);
  EXPECT_FALSE(notices.empty());
  blas::set_zero(x);
  EXPECT_LT(solver.solve(x, source).iterations(), by_bicgstab.iterations() / 2);
  // A setup that has paid is retained.
  const Quark<double> next = make_quark(
      quenched_links(),
      {.action = FermionAction::wilson_clover, .mass = mass_from_kappa(0.1361), .csw = at_kappa(0.1361).csw});
  EXPECT_TRUE(solver.updated(next).multigrid_report().has_value());
  EXPECT_FALSE(bicgstab.updated(next).multigrid_report().has_value());
}

TEST(AutomaticSolver, TakesCgForStaggeredFermions) {
  const Staggered<double> dirac(quenched_links(), {.mass = 0.1});
  SpinorField<double> x = dirac.make_field(1), expected = dirac.make_field(1);
  const SpinorField<double> b = noise<double>(dirac, 1);
  const SolveResult result = PropagatorSolver(dirac).solve(x, b);
  require_converged(result);
  const SolveResult by_cg = PropagatorSolver(dirac, {.method = KrylovMethod::cg}).solve(expected, b);
  EXPECT_EQ(result.iterations(), by_cg.iterations());
  EXPECT_EQ(to_host(x), to_host(expected));
}

TEST(AutomaticSolver, KeepsTheBetterSolutionWhereAllFail) {
  const Lattice lattice = Lattice({.extents = {4, 4, 4, 4}});
  const Staggered<double> dirac(unit_field(lattice), {.mass = 0.1});
  for (const double of_multigrid : {0.0, 0.9}) {
    const Automatic solver({{[&]() -> Ref<Solver<double>> { return Fails(dirac, 0.75); }},
                            [&]() -> Ref<Solver<double>> { return Fails(dirac, of_multigrid); }},
                           price, 10000, {.on_fallback = [](const std::string&) {}});
    SpinorField<double> x = dirac.make_field(1);
    const SpinorField<double> b = noise<double>(dirac, 1);
    const SolveResult result = solver.solve(x, b);
    const double best = std::max(0.75, of_multigrid);
    EXPECT_EQ(result.true_residual(), 1.0 - best);
    EXPECT_NEAR(blas::norm2(x)[0], best * best * blas::norm2(b)[0], 1e-9);
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
