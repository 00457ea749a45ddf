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
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace kaon::test {
namespace KAON_TEST_FILE {

using Automatic = detail::AutomaticSolver<double>;
constexpr detail::MultigridPrice price{.iterations_of_setup = 4000, .iterations_of_solve = 120};

const double never_stays = 0.0;

/// Claims to need `needed` iterations for every right-hand side, with residuals that fall at one rate, and stops at the
/// bound of the request or, as stagnated, at `stagnates_at`. An iteration takes `seconds` of `clock` for each
/// right-hand side. The solution remains as it is. The residual is constant during a part
/// `stays` of the iterations.
class Pretender final : public Solver<double> {
 public:
  Pretender(const LinearOperator<double>& matrix, const int& needed, const int& stagnates_at, int& calls, double& clock,
            const double& seconds, const double& stays = never_stays)
      : matrix_(matrix),
        needed_(needed),
        stagnates_at_(stagnates_at),
        calls_(calls),
        clock_(clock),
        seconds_(seconds),
        stays_(stays) {}

  using Solver<double>::solve;
  SolveResult solve(SpinorField<double>&, const SpinorField<double>& b, const SolveRequest& request) const override {
    ++calls_;
    SolveResult result;
    const auto n = static_cast<std::size_t>(b.right_hand_sides());
    const int left = request.allowed(0, needed_);
    const int last = std::min({needed_, left, stagnates_at_});
    int done = 0;
    while (done < last && !result.stopped) {
      ++done;
      clock_ += seconds_ * static_cast<double>(n);
      const double falls = std::max(0.0, done - stays_ * needed_) / (1.0 - stays_);
      const std::vector<double> residuals(n, std::pow(tolerance(), (falls + 32.0) / (needed_ + 32.0)));
      result.stopped = request.progress && !request.progress.report(done, residuals);
    }
    for (std::size_t k = 0; k < n; ++k) {
      SolveResult::RightHandSide& r = result.right_hand_sides.emplace_back();
      r.iterations = done;
      r.status = done == needed_         ? SolveStatus::converged
                 : done == stagnates_at_ ? SolveStatus::stagnated
                 : result.stopped        ? SolveStatus::stopped
                                         : SolveStatus::max_iterations;
    }
    result.stopped = result.stopped && done < needed_;
    return result;
  }
  const LinearOperator<double>& solved_operator() const override { return matrix_; }
  double tolerance() const override { return 1e-10; }

 private:
  const LinearOperator<double>& matrix_;
  const int& needed_;
  const int& stagnates_at_;
  int& calls_;
  double& clock_;
  const double& seconds_;
  const double& stays_;
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

/// A solver whose fallback has continued every solve.
class FallenBack final : public Solver<double> {
 public:
  explicit FallenBack(Ref<Solver<double>> solver) : solver_(std::move(solver)) {}

  using Solver<double>::solve;
  SolveResult solve(SpinorField<double>& x, const SpinorField<double>& b, const SolveRequest& request) const override {
    SolveResult result = solver_->solve(x, b, request);
    for (SolveResult::RightHandSide& r : result.right_hand_sides) ++r.fallbacks;
    return result;
  }
  const LinearOperator<double>& solved_operator() const override { return solver_->solved_operator(); }
  double tolerance() const override { return solver_->tolerance(); }

 private:
  Ref<Solver<double>> solver_;
};

GaugeField<double> unit_field(const Lattice& lattice) {
  GaugeField<double> links(lattice);
  set_unit(links);
  return links;
}

/// An automatic solver of pretenders, and what it does with them. A setup takes as long as the price says.
struct Stage {
  struct Given {
    bool possible = true;
    int max_iterations = 10000;
    std::map<int, detail::SolveRecord>* records = nullptr;
    std::shared_ptr<detail::SeriesOfSolves> series = std::make_shared<detail::SeriesOfSolves>();
  };
  Stage() : Stage(Given{}) {}
  explicit Stage(const Given& given) : solver(methods(given), given.max_iterations, fallback()) {}

  Automatic::Methods methods(const Given& given) {
    Automatic::Methods all{
        .krylov = {{[this]() -> Ref<Solver<double>> {
                     return Pretender(dirac, needed, stagnates_at, krylov_calls, clock, seconds_of_iteration);
                   }},
                   {[this]() -> Ref<Solver<double>> {
                     return Pretender(dirac, needed_by_next, next_stagnates_at, next_calls, clock, seconds_of_iteration,
                                      next_stays_for);
                   }}},
        .multigrid = [this, possible = given.possible](double worst) -> Ref<Solver<double>> {
          ++built;
          require(possible, "this lattice has no aggregates");
          clock += seconds_of_setup;
          if (convergence > worst) throw SolveError("multigrid converges badly");
          const auto pretender = [this] {
            return Pretender(dirac, needed_by_multigrid, never, multigrid_calls, clock, seconds_of_iteration);
          };
          if (falls_back) return FallenBack(pretender());
          return pretender();
        },
        .drop_multigrid = [this] { ++dropped; },
        .price = [](int) { return price; },
        .series = given.series};
    if (given.records == nullptr) return all;
    all.recall = [records = given.records](int n) {
      const auto found = records->find(n);
      return found == records->end() ? detail::SolveRecord{} : found->second;
    };
    all.remember = [this, records = given.records](int n, const detail::SolveRecord& record) {
      ++written;
      (*records)[n] = record;
    };
    all.clock = [this] { return clock; };
    return all;
  }
  FallbackParameters fallback() {
    return {.on_fallback = [this](const std::string& notice) { notices.push_back(notice); }};
  }

  SolveResult solve(int right_hand_sides, const SolveRequest& request = {}) {
    SpinorField<double> x = dirac.make_field(right_hand_sides);
    return solver.solve(x, noise<double>(dirac, right_hand_sides), request);
  }

  Lattice lattice{{.extents = {2, 2, 2, 2}}};
  Wilson<double> dirac{unit_field(lattice), {.mass = 1.0}};
  const int ten = 10, never = std::numeric_limits<int>::max();
  int needed = 100, needed_by_next = ten, needed_by_multigrid = ten, stagnates_at = never, next_stagnates_at = never;
  int krylov_calls = 0, next_calls = 0, multigrid_calls = 0, built = 0, dropped = 0, written = 0;
  double convergence = 0.3;  // of multigrid
  double next_stays_for = 0.0;
  bool falls_back = false;  // from multigrid
  double clock = 0.0, seconds_of_setup = 40.0, seconds_of_iteration = 0.01;
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

TEST(AutomaticSolver, BuildsMultigridWhenTheRateOfIterationsPredictsThatItPays) {
  Stage stage;
  stage.needed = 1000;  // 600 are predicted
  const SolveResult result = stage.solve(12);
  EXPECT_TRUE(result.converged());
  EXPECT_EQ(result.iterations(), 16 + 10);  // the first look
  EXPECT_EQ(stage.built, 1);
  EXPECT_EQ(stage.krylov_calls, 1);
  EXPECT_EQ(stage.next_calls, 0);
  ASSERT_EQ(stage.notices.size(), 1U);  // nothing has failed
  EXPECT_NE(stage.notices[0].find("multigrid is predicted to be faster"), std::string::npos) << stage.notices[0];
  // With one right-hand side that is cheaper than a setup.
  Stage one;
  one.needed = 1000;
  EXPECT_EQ(one.solve(1).iterations(), 1000);
  EXPECT_EQ(one.built, 0);
}

TEST(AutomaticSolver, GoesOnWhereASetupCostsMoreThanIsLeft) {
  Stage stage;
  stage.needed = 350;  // 434 are predicted after 16: 12 (434 - 16 - 107) is less than 4000
  EXPECT_EQ(stage.solve(12).iterations(), 350);
  EXPECT_EQ(stage.built, 0);
  EXPECT_EQ(stage.next_calls, 0);
  EXPECT_TRUE(stage.notices.empty());
}

TEST(AutomaticSolver, BuildsMultigridBeforeTheSolveInWhichItPays) {
  Stage stage;
  stage.needed = 320;  // 200 more than multigrid costs: 2400 of 4000 for the first solve
  EXPECT_EQ(stage.solve(12).iterations(), 320);
  EXPECT_EQ(stage.built, 0);
  EXPECT_EQ(stage.solve(12).iterations(), 10);
  EXPECT_EQ(stage.solve(12).iterations(), 10);
  EXPECT_EQ(stage.krylov_calls, 1);
  EXPECT_EQ(stage.multigrid_calls, 2);
  EXPECT_EQ(stage.next_calls, 0);
  EXPECT_EQ(stage.built, 1);
}

TEST(AutomaticSolver, ChoosesWhatWasFasterBefore) {
  std::map<int, detail::SolveRecord> records;
  Stage first(Stage::Given{.records = &records});
  first.needed = 320;
  EXPECT_EQ(first.solve(12).iterations(), 320);
  ASSERT_EQ(records.count(12), 1U);
  EXPECT_EQ(records[12].iterations, 320.0);
  EXPECT_NEAR(records[12].per_iteration, 0.12, 1e-12);
  // The setup was never timed. Once it is known to be short, multigrid is built after eight iterations.
  records[12].setup = 10.0;
  Stage second(Stage::Given{.records = &records});
  second.needed = 320;
  EXPECT_EQ(second.solve(12).iterations(), 8 + 10);
  EXPECT_EQ(second.built, 1);
  EXPECT_EQ(records[12].setup, 10.0) << "the least of all runs";
  EXPECT_EQ(records[12].setups, 1);
  EXPECT_EQ(records[12].iterations, 320.0);
  EXPECT_NEAR(records[12].by_multigrid, 1.2 * 32.4 / 29.4, 0.01);  // log2 of the residual at first and then
  // 320 iterations take 38.4 s, and a setup 40.
  records[12].setup = 40.0;
  Stage third(Stage::Given{.records = &records});
  third.needed = 320;
  EXPECT_EQ(third.solve(12).iterations(), 320);
  EXPECT_EQ(third.built, 0);
  EXPECT_EQ(third.written, 0);  // nothing new
}

TEST(AutomaticSolver, MeasuresAPriceAgainThatExcludesMultigrid) {
  // The setup was timed beside other programs: it usually takes 40 s here, the 1000 iterations of twelve columns 120 s.
  std::map<int, detail::SolveRecord> records{{12,
                                              {.iterations = 1000.0,
                                               .per_iteration = 0.12,
                                               .setup = 400.0,
                                               .by_multigrid = 60.0,
                                               .setups = 1,
                                               .early_fall = 2}}};
  Stage stage(Stage::Given{.records = &records});
  stage.needed = 1000;
  EXPECT_EQ(stage.solve(12).iterations(), 8 + 10);
  EXPECT_NEAR(records[12].setup, 40.0, 1e-9);
  EXPECT_LT(records[12].by_multigrid, 2.0);
  EXPECT_EQ(records[12].setups, 2);
  // The setup does take so long: a second run confirms it, and later runs believe it.
  records[12].setup = 400.0;
  records[12].setups = 1;
  Stage slow(Stage::Given{.records = &records});
  slow.needed = 1000;
  slow.seconds_of_setup = 390.0;
  EXPECT_EQ(slow.solve(12).iterations(), 8 + 10);
  EXPECT_NEAR(records[12].setup, 390.0, 1e-9);
  Stage later(Stage::Given{.records = &records});
  later.needed = 1000;
  EXPECT_EQ(later.solve(12).iterations(), 1000);
  EXPECT_EQ(later.built, 0);
}

TEST(AutomaticSolver, RecordsTheLeastTimeOfAnIteration) {
  std::map<int, detail::SolveRecord> records;
  for (const double slower : {1.0, 10.0, 0.5, 3.0}) {
    Stage stage(Stage::Given{.records = &records});
    stage.needed = 100;
    stage.seconds_of_iteration = 0.01 * slower;
    stage.solve(1);
    EXPECT_NEAR(records[1].per_iteration, slower < 1.0 || slower == 3.0 ? 0.005 : 0.01, 1e-12) << slower;
  }
}

TEST(AutomaticSolver, TakesNoRecordOfAnotherField) {
  std::map<int, detail::SolveRecord> records{
      {12, {.iterations = 5000.0, .per_iteration = 0.12, .setup = 10.0, .by_multigrid = 1.0, .early_fall = 0}}};
  Stage stage(Stage::Given{.records = &records});
  stage.needed = 20;  // the residual falls by 2^6.8 in eight iterations
  EXPECT_EQ(stage.solve(12).iterations(), 20);
  EXPECT_EQ(stage.built, 0);
  EXPECT_EQ(records[12].iterations, 20.0);
}

TEST(AutomaticSolver, BuildsMultigridAfterASolveThatWasLongEnough) {
  Stage stage;
  stage.needed = 3000;
  EXPECT_EQ(stage.solve(1).iterations(), 3000);
  EXPECT_EQ(stage.built, 0);
  EXPECT_EQ(stage.solve(1).iterations(), 10);
  EXPECT_EQ(stage.krylov_calls, 1);
  EXPECT_EQ(stage.built, 1);
}

TEST(AutomaticSolver, GoesOnWhereMultigridIsNotPossible) {
  Stage stage(Stage::Given{.possible = false});
  stage.needed = 4000;
  EXPECT_TRUE(stage.solve(12).converged());
  EXPECT_EQ(stage.krylov_calls, 2);  // in the same precision
  EXPECT_EQ(stage.next_calls, 0);
  EXPECT_EQ(stage.solve(12).iterations(), 4000);  // within half of max_iterations
  EXPECT_EQ(stage.built, 1);
  EXPECT_NE(stage.notices.back().find("no aggregates"), std::string::npos);
}

TEST(AutomaticSolver, GoesOnWhereMultigridConvergesTooBadly) {
  std::map<int, detail::SolveRecord> records;
  Stage first(Stage::Given{.records = &records});
  first.needed =
      1000;  // 600 are predicted after 16. With a factor of 0.95 multigrid takes 2100, with 0.9 it takes 1000
  first.convergence = 0.95;
  EXPECT_EQ(first.solve(12).iterations(), 16 + 1000);
  EXPECT_EQ(first.solve(12).iterations(), 1000);
  EXPECT_EQ(first.built, 1) << "it is not tried again";
  EXPECT_EQ(first.multigrid_calls, 0);
  ASSERT_EQ(first.notices.size(), 2U);
  EXPECT_NE(first.notices[1].find("iterations go on without: multigrid converges badly"), std::string::npos);
  Stage better;
  better.needed = 1000;
  better.convergence = 0.9;
  EXPECT_EQ(better.solve(12).iterations(), 16 + 10);
  // Two runs have seen it: a third one does not try.
  Stage second(Stage::Given{.records = &records});
  second.needed = 1000;
  second.convergence = 0.95;
  second.solve(12);
  EXPECT_EQ(second.built, 1);
  EXPECT_EQ(records[12].setups, 2);
  Stage third(Stage::Given{.records = &records});
  third.needed = 1000;
  EXPECT_EQ(third.solve(12).iterations(), 1000);
  EXPECT_EQ(third.built, 0);
}

TEST(AutomaticSolver, GivesUpAMultigridThatDoesNotConverge) {
  Stage stage;
  stage.needed = 1000;
  stage.falls_back = true;
  stage.needed_by_multigrid = 500;  // fewer than the iterations that it replaces
  stage.solve(12);
  EXPECT_EQ(stage.solve(12).iterations(), 500);
  EXPECT_EQ(stage.dropped, 0);
  stage.needed_by_multigrid = 1500;
  EXPECT_EQ(stage.solve(12).iterations(), 1500);
  EXPECT_EQ(stage.dropped, 1);
  EXPECT_EQ(stage.solve(12).iterations(), 1000);
  EXPECT_EQ(stage.multigrid_calls, 3);
  EXPECT_EQ(stage.built, 1);
  EXPECT_EQ(stage.notices.back(), detail::not_converged);
}

TEST(AutomaticSolver, KeepsToTheMaximumOfIterations) {
  Stage stage(Stage::Given{.max_iterations = 99});  // too few for multigrid
  stage.needed = 100000;
  EXPECT_EQ(stage.solve(1).iterations(), 50 + 10);
  EXPECT_EQ(stage.next_calls, 1);
  stage.needed_by_next = 100000;
  EXPECT_FALSE(stage.solve(1).converged());
  EXPECT_EQ(stage.built, 0);
}

TEST(AutomaticSolver, LeavesIterationsThatCannotConvergeWithinTheirBound) {
  std::map<int, detail::SolveRecord> records;
  Stage first(Stage::Given{.max_iterations = 1001, .records = &records});
  first.needed = first.needed_by_next = 3000;
  const SolveResult result = first.solve(1);
  EXPECT_TRUE(result.converged()) << "a setup costs more iterations than are allowed";
  EXPECT_LT(result.iterations(), 1001);
  EXPECT_EQ(first.built, 1);
  ASSERT_FALSE(first.notices.empty());
  EXPECT_NE(first.notices.back().find("predicted not to converge"), std::string::npos) << first.notices.back();
  EXPECT_GT(records[1].iterations, 1001.0);
  // The record is enough, even if multigrid is slow.
  records[1].setup = 4000.0;
  records[1].setups = 2;
  Stage second(Stage::Given{.max_iterations = 1001, .records = &records});
  second.needed = second.needed_by_next = 3000;
  EXPECT_EQ(second.solve(1).iterations(), 8 + 10);
  // A record that needs the iterations of both precisions is no reason.
  records[1].iterations = 900.0;
  Stage both(Stage::Given{.max_iterations = 1001, .records = &records});
  both.needed = 900;
  both.needed_by_next = 400;
  EXPECT_EQ(both.solve(1).iterations(), 501 + 400);
  EXPECT_EQ(both.built, 0);
  EXPECT_EQ(records[1].iterations, 901.0);
}

TEST(AutomaticSolver, ConvergesForALightQuarkWithinFewIterations) {
  const WilsonClover<double> dirac(quenched_links(), at_kappa(0.1365));
  const SpinorField<double> b = noise(dirac, 1);
  SpinorField<double> x = dirac.make_field(1), image = dirac.make_field(1);
  constexpr int few = 100;
  const PropagatorSolver bicgstab(dirac, {.max_iterations = few, .method = KrylovMethod::bicgstab});
  ASSERT_FALSE(bicgstab.solve(x, b).converged()) << "the quark is too heavy for this test";
  const PropagatorSolver solver(
      dirac, {.max_iterations = few, .multigrid = two_levels(), .on_fallback = [](const std::string&) {}});
  blas::set_zero(x);
  require_converged(solver.solve(x, b));
  EXPECT_TRUE(solver.multigrid_report().has_value());
  dirac.apply(image, x);
  EXPECT_LT(relative_difference(to_host(image), to_host(b)), 1.001e-10);
}

TEST(AutomaticSolver, StopsWhereTheReceiverWantsTo) {
  Stage stage;
  stage.needed = 1000;
  int seen = 0;
  const SolveResult result = stage.solve(12, {.progress = [&](int iteration, std::span<const double> residuals) {
                                           seen = iteration;
                                           EXPECT_EQ(residuals.size(), 12U);
                                           return iteration < 12;
                                         }});
  EXPECT_EQ(seen, 12);
  EXPECT_TRUE(result.stopped);
  EXPECT_EQ(result.right_hand_sides[0].status, SolveStatus::stopped);
  EXPECT_EQ(stage.built, 0);
}

// A solver for each step of a trajectory, for example.
TEST(AutomaticSolver, CountsTheLossesOfASeriesOfSolvers) {
  const auto series = std::make_shared<detail::SeriesOfSolves>();
  const int lost = 50;
  int solvers = 0;
  for (int built = 0; built == 0 && solvers < 1000; ++solvers) {
    Stage stage(Stage::Given{.series = series});
    stage.needed = price.iterations_of_solve + lost;
    EXPECT_TRUE(stage.solve(1).converged());
    built = stage.built;
  }
  EXPECT_NEAR(solvers * lost, price.iterations_of_setup, 2 * lost);
  // Later solvers do not try a multigrid again that is impossible.
  const auto without = std::make_shared<detail::SeriesOfSolves>();
  for (const int tries : {1, 0, 0}) {
    Stage impossible(Stage::Given{.possible = false, .series = without});
    impossible.needed = 2 * price.iterations_of_setup;
    EXPECT_TRUE(impossible.solve(1).converged());
    EXPECT_EQ(impossible.built, tries);
  }
}

// The links of a trajectory become smoother, or its quarks lighter.
TEST(AutomaticSolver, TriesAMultigridAgainThatWasGivenUpInASeries) {
  const auto series = std::make_shared<detail::SeriesOfSolves>();
  constexpr int needed = 2 * price.iterations_of_setup, lost = needed - price.iterations_of_solve;
  constexpr double bad = 0.999, good = 0.3, solves = detail::setups_between_tries * price.iterations_of_setup / lost;
  const auto solve = [&](double convergence) {
    Stage stage(Stage::Given{.max_iterations = 3 * needed, .series = series});
    stage.needed = needed;
    stage.convergence = convergence;
    EXPECT_TRUE(stage.solve(1).converged());
    return stage.built;
  };
  ASSERT_EQ(solve(bad), 1);
  for (const double convergence : {bad, good}) {
    int between = 0;
    while (between < 1000 && solve(convergence) == 0) ++between;
    EXPECT_NEAR(between, solves, 2) << "factor " << convergence;
  }
  // It is not tried again for the same operator.
  Stage stage(Stage::Given{.max_iterations = 3 * needed});
  stage.needed = needed;
  stage.convergence = bad;
  for (int k = 0; k < 3 * solves; ++k) EXPECT_TRUE(stage.solve(1).converged());
  EXPECT_EQ(stage.built, 1);
}

// Conjugate gradients of light staggered quarks in double precision have such residuals.
TEST(AutomaticSolver, WaitsForAResidualThatStaysAfterAChangeOfPrecision) {
  Stage stage(Stage::Given{.max_iterations = 8000});  // which cost less than two setups
  stage.needed = 3000;
  stage.stagnates_at = 2000;
  stage.needed_by_next = 2500;
  stage.next_stays_for = 0.8;
  EXPECT_EQ(stage.solve(1).iterations(), 2000 + 2500);
  EXPECT_EQ(stage.built, 0);
  // For twelve columns multigrid gains more.
  Stage twelve;
  twelve.needed = 20000;
  twelve.stagnates_at = 300;
  twelve.needed_by_next = 2500;
  twelve.next_stays_for = 0.8;
  EXPECT_LT(twelve.solve(12).iterations(), 2000);
  EXPECT_EQ(twelve.built, 1);
}

TEST(AutomaticSolver, CountsTheIterationsOfAllPrecisions) {
  Stage stage;
  stage.needed = 3000;
  stage.needed_by_next = 100000;
  stage.stagnates_at = 2000;
  const SolveResult result = stage.solve(1);
  EXPECT_TRUE(result.converged());
  EXPECT_EQ(result.iterations(), 2000 + 432 + 10);  // forecast to cost two setups
  EXPECT_EQ(stage.next_calls, 1);
  EXPECT_EQ(stage.multigrid_calls, 1);
}

TEST(AutomaticSolver, BuildsMultigridWhereAllPrecisionsFail) {
  Stage stage;
  stage.needed = stage.needed_by_next = 2500;
  stage.stagnates_at = 300;
  stage.next_stagnates_at = 700;
  const SolveResult result = stage.solve(1);
  EXPECT_TRUE(result.converged());
  EXPECT_EQ(result.iterations(), 300 + 700 + 10);
  EXPECT_EQ(result.right_hand_sides[0].fallbacks, 2);
  EXPECT_EQ(stage.built, 1);
  // If it is impossible iterations continue.
  Stage impossible(Stage::Given{.possible = false});
  impossible.needed = impossible.needed_by_next = 2500;
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
  const detail::MultigridPrice usual = detail::usual_price(KrylovMethod::bicgstab, dirac.lattice(), 12);
  int lost = 0, solves = 0;
  for (const auto& r : by_bicgstab.right_hand_sides) lost += std::max(0, r.iterations - usual.iterations_of_solve);
  ASSERT_GT(lost, 500) << "the quark is too heavy for this test";
  while (!solver.multigrid_report() && solves < 10) {
    blas::set_zero(x);
    require_converged(solver.solve(x, source));
    EXPECT_LT(relative_difference(to_host(x), to_host(expected)), 1e-7);
    ++solves;
  }
  EXPECT_TRUE(solver.multigrid_report().has_value());
  EXPECT_LE(solves, usual.iterations_of_setup / lost + 1);
  EXPECT_FALSE(notices.empty());
  blas::set_zero(x);
  EXPECT_LT(solver.solve(x, source).iterations(), by_bicgstab.iterations() / 2);
  // A setup that has paid is retained.
  const Quark<double> next = make_quark(
      quenched_links(),
      {.action = FermionAction::wilson_clover, .mass = mass_from_kappa(0.1361), .csw = at_kappa(0.1361).csw});
  EXPECT_TRUE(solver.updated(next).multigrid_report().has_value());
  EXPECT_FALSE(bicgstab.updated(next).multigrid_report().has_value());
  EXPECT_EQ(solver.kept(next).multigrid_report()->setup_seconds, solver.multigrid_report()->setup_seconds);
  EXPECT_FALSE(bicgstab.kept(next).multigrid_report().has_value());
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
    const Automatic solver({.krylov = {{[&]() -> Ref<Solver<double>> { return Fails(dirac, 0.75); }}},
                            .multigrid = [&](double) -> Ref<Solver<double>> { return Fails(dirac, of_multigrid); },
                            .price = [](int) { return price; }},
                           10000, {.on_fallback = [](const std::string&) {}});
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
