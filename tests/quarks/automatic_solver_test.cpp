// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quarks/automatic_solver.hpp"
#include "tests/multigrid/quenched_field.hpp"
#include "tests/operators/test_fields.hpp"

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
constexpr int never = std::numeric_limits<int>::max();

/// How a solver pretends to converge: after `needed` iterations, for every right-hand side, with residuals that fall at
/// one rate, or that are constant during a part `stays` of the iterations. It stagnates at iteration `stagnates_at`. In
/// iteration `dips_at` its recurrence has residuals that are far too small. An iteration takes `seconds` for each
/// right-hand side.
struct Pretense {
  int needed;
  int stagnates_at = never;
  double stays = 0.0;
  double seconds = 0.01;
  int dips_at = never;
};

/// A solver that leaves the solution as it is, counts its calls and advances a clock.
class Pretender final : public Solver<double> {
 public:
  Pretender(const LinearOperator<double>& matrix, const Pretense& pretense, int& calls, double& clock)
      : matrix_(matrix), pretense_(pretense), calls_(calls), clock_(clock) {}

  using Solver<double>::solve;
  SolveResult solve(SpinorField<double>&, const SpinorField<double>& b, const SolveRequest& request) const override {
    ++calls_;
    SolveResult result;
    const auto [needed, stagnates_at, stays, seconds, dips_at] = pretense_;
    const auto n = static_cast<std::size_t>(b.right_hand_sides());
    const int last = std::min({needed, request.allowed(0, needed), stagnates_at});
    int done = 0;
    double residual = 1.0;
    while (done < last && !result.stopped) {
      ++done;
      clock_ += seconds * static_cast<double>(n);
      const double falls = std::max(0.0, done - stays * needed) / (1.0 - stays);
      residual = std::pow(tolerance(), (falls + 32.0) / (needed + 32.0));
      const std::vector<double> residuals(n, done == dips_at ? 1e-8 * residual : residual);
      result.stopped = request.progress && !request.progress.report(done, residuals);
    }
    for (std::size_t k = 0; k < n; ++k) {
      SolveResult::RightHandSide& r = result.right_hand_sides.emplace_back();
      r.iterations = done;
      r.true_residual = residual;
      r.status = done == needed         ? SolveStatus::converged
                 : done == stagnates_at ? SolveStatus::stagnated
                 : result.stopped       ? SolveStatus::stopped
                                        : SolveStatus::max_iterations;
    }
    result.stopped = result.stopped && done < needed;
    return result;
  }
  const LinearOperator<double>& solved_operator() const override { return matrix_; }
  double tolerance() const override { return 1e-10; }

 private:
  const LinearOperator<double>& matrix_;
  Pretense pretense_;
  int& calls_;
  double& clock_;
};

/// Takes a multiple of b for x, and fails with the residual |b - x|.
class Fails final : public Solver<double> {
 public:
  Fails(const LinearOperator<double>& matrix, double multiple) : matrix_(matrix), multiple_(multiple) {}

  using Solver<double>::solve;
  SolveResult solve(SpinorField<double>& x, const SpinorField<double>& b, const SolveRequest&) const override {
    blas::copy(x, b);
    blas::scale(x, multiple_);
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

GaugeField<double> unit_field(const Lattice& lattice) { return unit_links<double>(lattice); }

/// The solvers of a stage. The price of multigrid is a setup of `setup` and a solve of 120 iterations.
struct Given {
  int columns = 12;
  Pretense first, second{.needed = 10}, multigrid{.needed = 10};  // in the first precision, the second one
  int max_iterations = 10000;
  bool possible = true;       // multigrid
  double convergence = 0.3;   // of multigrid
  bool falls_back = false;    // from multigrid
  int setup = 4000;           // iterations
  double setup_seconds = 40;  // as long as the price says
};
constexpr int price_of_solve = 120, price_of_setup = 4000;

/// An automatic solver of pretenders, and what it does with them.
struct Stage {
  using Records = std::map<int, detail::SolveRecord>;

  explicit Stage(const Given& given, Records* records = nullptr,
                 std::shared_ptr<detail::SeriesOfSolves> series = std::make_shared<detail::SeriesOfSolves>())
      : given_(given),
        solver_(methods(records, std::move(series)), given.max_iterations,
                {.on_fallback = [this](const std::string& notice) { notices.push_back(notice); }}) {}

  SolveResult solve(const SolveRequest& request = {}) {
    SpinorField<double> x = dirac_.make_field(given_.columns);
    return solver_.solve(x, noise<double>(dirac_, given_.columns), request);
  }
  int iterations() {
    const SolveResult result = solve();
    EXPECT_TRUE(result.converged());
    return result.iterations();
  }

  int first_calls = 0, second_calls = 0, multigrid_calls = 0, built = 0, dropped = 0, written = 0;
  std::vector<std::string> notices{};

 private:
  Automatic::Methods methods(Records* records, std::shared_ptr<detail::SeriesOfSolves> series) {
    Automatic::Methods all{
        .krylov = {{[this]() -> Ref<Solver<double>> { return Pretender(dirac_, given_.first, first_calls, clock_); }},
                   {[this]() -> Ref<Solver<double>> {
                     return Pretender(dirac_, given_.second, second_calls, clock_);
                   }}},
        .multigrid = [this](double worst) -> Ref<Solver<double>> {
          ++built;
          require(given_.possible, "this lattice has no aggregates");
          clock_ += given_.setup_seconds;
          if (given_.convergence > worst) throw SolveError("multigrid converges badly");
          Pretender multigrid(dirac_, given_.multigrid, multigrid_calls, clock_);
          if (given_.falls_back) return FallenBack(std::move(multigrid));
          return multigrid;
        },
        .drop_multigrid = [this] { ++dropped; },
        .price =
            [this](int) {
              return detail::MultigridPrice{given_.setup, price_of_solve};
            },
        .series = std::move(series)};
    if (records == nullptr) return all;
    all.recall = [records](int n) { return records->contains(n) ? records->at(n) : detail::SolveRecord{}; };
    all.remember = [this, records](int n, const detail::SolveRecord& record) {
      ++written;
      (*records)[n] = record;
    };
    all.clock = [this] { return clock_; };
    return all;
  }

  Given given_;
  Lattice lattice_{{.extents = {2, 2, 2, 2}}};
  Wilson<double> dirac_{unit_field(lattice_), {.mass = 1.0}};
  double clock_ = 0.0;
  Automatic solver_;
};

// Multigrid is built by the first look at residuals, after 16 iterations, and takes 10.
TEST(AutomaticSolver, ChoosesByThePredictedIterations) {
  const Pretense stagnates{.needed = 3000, .stagnates_at = 2000}, stays{.needed = 2500, .stays = 0.8};
  struct Case {
    const char* what;
    Given given;
    std::vector<int> iterations;  // of consecutive solves
    int built = 0;
    const char* notice = nullptr;  // the last one, a part of it; null: there is none
  };
  const std::vector<Case> cases{
      {"solves shorter than multigrid's", {.first = {price_of_solve}}, std::vector<int>(100, price_of_solve)},
      {"long solves", {.first = {1000}}, {16 + 10}, 1, "predicted to be faster"},
      {"a solve of one column, shorter than a setup", {.columns = 1, .first = {1000}}, {1000}},
      // 434 are predicted after 16, and 12 (434 - 16 - 107) is less than 4000.
      {"a setup that costs more than is left", {.first = {350}}, {350}},
      // The first solve costs 2400 of 4000 iterations more than multigrid's.
      {"a second solve in which it pays", {.first = {320}}, {320, 10, 10}, 1, "cost as much as the setup"},
      {"a solve after one that was long enough", {.columns = 1, .first = {3000}}, {3000, 10}, 1, "cost as much"},
      {"multigrid that is not possible", {.first = {4000}, .possible = false}, {16 + 4000, 4000}, 1, "no aggregates"},
      // 600 are predicted after 16. With a factor of 0.95 multigrid takes 2100, with 0.9 it takes 1000.
      {"multigrid that converges badly",
       {.first = {1000}, .convergence = 0.95},
       {1016, 1000},
       1,
       "go on without: mult"},
      {"multigrid of half the speed", {.first = {1000}, .convergence = 0.9}, {26}, 1, "predicted to be faster"},
      {"a bound too small for multigrid",
       {.columns = 1, .first = {100000}, .max_iterations = 99},
       {50 + 10},
       0,
       "going on"},
      {"a bound smaller than a setup",
       {.columns = 1, .first = {3000}, .second = {3000}, .max_iterations = 1001},
       {200 + 10},
       1,
       "predicted not to converge"},
      {"a second precision", {.columns = 1, .first = stagnates, .second = {100000}}, {2000 + 432 + 10}, 1, "faster"},
      // Conjugate gradients of light staggered quarks in double precision have such residuals.
      {"a constant residual after a change of precision, of less than two setups",
       {.columns = 1, .first = stagnates, .second = stays, .max_iterations = 8000},
       {2000 + 2500},
       0,
       "going on"},
      {"the same for twelve columns", {.first = {3000, 12}, .second = stays}, {12 + 24 + 10}, 1, "faster"},
      {"failure in all precisions",
       {.columns = 1, .first = {2500, 300}, .second = {2500, 700}},
       {300 + 700 + 10},
       1,
       "have failed"},
      {"stagnation that leaves too few iterations for another precision",
       {.columns = 1, .first = {15000, 2000}, .second = {7000}, .setup = 30000},
       {2000 + 10},
       1,
       "have failed"},
      {"stagnation that leaves enough",
       {.columns = 1, .first = {7000, 2000}, .second = {7000}, .setup = 30000},
       {9000},
       0,
       "going on"},
  };
  for (const Case& of : cases) {
    SCOPED_TRACE(of.what);
    Stage stage(of.given);
    for (const int expected : of.iterations) EXPECT_EQ(stage.iterations(), expected);
    EXPECT_EQ(stage.built, of.built);
    EXPECT_EQ(stage.notices.empty(), of.notice == nullptr);
    if (of.notice != nullptr && !stage.notices.empty()) {
      EXPECT_NE(stage.notices.back().find(of.notice), std::string::npos) << stage.notices.back();
    }
  }
}

TEST(AutomaticSolver, FailsWhereNothingConverges) {
  Stage bounded({.columns = 1, .first = {100000}, .second = {100000}, .max_iterations = 99});
  EXPECT_FALSE(bounded.solve().converged());
  EXPECT_EQ(bounded.built, 0);
  Stage impossible({.columns = 1, .first = {2500, 300}, .second = {2500, 300}, .possible = false});
  EXPECT_EQ(impossible.solve().right_hand_sides[0].status, SolveStatus::stagnated);
  EXPECT_EQ(impossible.second_calls, 2);
}

// Iterations, seconds of an iteration of all columns, of a setup and of a solve by multigrid, setups, log2 of the fall
// of the residual in eight iterations, precisions that are skipped.
TEST(AutomaticSolver, ChoosesByRecordsOfEarlierSolves) {
  struct Case {
    const char* what;
    detail::SolveRecord before;
    Given given;
    int iterations, built;
    detail::SolveRecord after;
    bool writes = true;
  };
  const std::vector<Case> cases{
      {"no record", {}, {.first = {320}}, 320, 0, {320, 0.12, 0, 0, 0, 3}},
      {"a short setup", {320, 0.12, 10, 0, 0, 3}, {.first = {320}}, 8 + 10, 1, {320, 0.12, 10, 1.3207, 1, 3}},
      {"a setup longer than a solve",
       {320, 0.12, 40, 1.3, 1, 3},
       {.first = {320}},
       320,
       0,
       {320, 0.12, 40, 1.3, 1, 3},
       false},
      // The setup takes 40 s, and 1000 iterations of twelve columns 120 s.
      {"one setup beside other programs",
       {1000, 0.12, 400, 60, 1, 3},
       {.first = {1000}},
       8 + 10,
       1,
       {1000, 0.12, 40, 1.2949, 2, 3}},
      {"one long setup",
       {1000, 0.12, 400, 1.2, 1, 3},
       {.first = {1000}, .setup_seconds = 390},
       8 + 10,
       1,
       {1000, 0.12, 390, 1.2, 2, 3}},
      {"two long setups",
       {1000, 0.12, 390, 1.2, 2, 3},
       {.first = {1000}},
       1000,
       0,
       {1000, 0.12, 390, 1.2, 2, 3},
       false},
      {"another field", {5000, 0.12, 10, 1, 1, 0}, {.first = {20}}, 20, 0, {20, 0.12, 10, 1, 1, 7}},
      {"a faster iteration", {100, 0.24, 0, 0, 0, 4}, {.first = {100}}, 100, 0, {100, 0.12, 0, 0, 0, 4}},
      {"a slower iteration", {100, 0.06, 0, 0, 0, 4}, {.first = {100}}, 100, 0, {100, 0.06, 0, 0, 0, 4}, false},
      {"more iterations than are allowed",
       {3000, 0.12, 4000, 60, 2, 2},
       {.first = {3000}, .second = {3000}, .max_iterations = 1001},
       8 + 10,
       1,
       {3000, 0.12, 40, 1.287, 3, 2}},
      {"as many iterations as both precisions are allowed",
       {900, 0.12, 0, 0, 0, 3},
       {.columns = 1, .first = {900}, .second = {400}, .max_iterations = 1001},
       501 + 400,
       0,
       {400, 0.01, 0, 0, 0, 3, 1}},
      {"a first precision that fails early",
       {},
       {.columns = 1, .first = {3000, 500}, .second = {.needed = 600, .seconds = 0.03}},
       500 + 600,
       0,
       {600, 0.03, 0, 0, 0, 2, 1}},
      {"a first precision that fails early after its recurrence had forgotten the residual",
       {},
       {.columns = 1, .first = {.needed = 3000, .stagnates_at = 500, .dips_at = 400}, .second = {.needed = 600}},
       500 + 600,
       0,
       {600, 0.01, 0, 0, 0, 2, 1}},
      {"a first precision that had failed early",
       {600, 0.03, 0, 0, 0, 2, 1},
       {.columns = 1, .first = {3000, 500}, .second = {.needed = 620, .seconds = 0.02}},
       620,
       0,
       {620, 0.02, 0, 0, 0, 3, 1}},
      {"failure in the second precision",
       {20000, 0.01, 400, 1, 2, 2, 1},
       {.columns = 1, .first = {3000, 500}, .second = {3000}, .setup = 30000},
       8 + 10,
       1,
       {20000, 0.01, 40, 0.1073, 3, 2, 1}},
      {"a first precision that failed at the end",
       {},
       {.columns = 1, .first = {1000, 900}, .second = {100}},
       900 + 100,
       0,
       {1000, 0.01, 0, 0, 0, 3}},
  };
  for (const Case& of : cases) {
    SCOPED_TRACE(of.what);
    Stage::Records records{{of.given.columns, of.before}};
    detail::SolveRecord& record = records[of.given.columns];
    Stage stage(of.given, &records);
    EXPECT_EQ(stage.iterations(), of.iterations);
    EXPECT_EQ(stage.built, of.built);
    EXPECT_EQ(record.iterations, of.after.iterations);
    EXPECT_NEAR(record.per_iteration, of.after.per_iteration, 1e-9);
    EXPECT_NEAR(record.setup, of.after.setup, 1e-9);
    EXPECT_NEAR(record.by_multigrid, of.after.by_multigrid, 1e-3);
    EXPECT_EQ(record.setups, of.after.setups);
    EXPECT_EQ(record.early_fall, of.after.early_fall);
    EXPECT_EQ(record.skipped, of.after.skipped);
    EXPECT_EQ(stage.written > 0, of.writes);
  }
}

TEST(AutomaticSolver, RemembersAMultigridThatConvergesBadly) {
  Stage::Records records;
  const Given bad{.first = {1000}, .convergence = 0.97};
  for (const int built : {1, 1, 0}) {  // two runs have to see it
    Stage stage(bad, &records);
    (void)stage.iterations();
    EXPECT_EQ(stage.built, built);
  }
  EXPECT_EQ(records[12].setups, 2);
}

TEST(AutomaticSolver, GivesUpAMultigridThatDoesNotConverge) {
  Stage slow({.first = {1000}, .multigrid = {500}, .falls_back = true});  // fewer than the iterations that it replaces
  EXPECT_EQ(slow.iterations(), 16 + 500);
  EXPECT_EQ(slow.iterations(), 500);
  EXPECT_EQ(slow.dropped, 0);
  Stage wrong({.first = {1000}, .multigrid = {1500}, .falls_back = true});
  EXPECT_EQ(wrong.iterations(), 16 + 1500);
  EXPECT_EQ(wrong.dropped, 1);
  EXPECT_EQ(wrong.notices.back(), detail::not_converged);
  EXPECT_EQ(wrong.iterations(), 1000);
  EXPECT_EQ(wrong.built, 1);
}

TEST(AutomaticSolver, StopsWhereTheReceiverWantsTo) {
  Stage stage({.first = {1000}});
  int seen = 0;
  const SolveResult result = stage.solve({.progress = [&](int iteration, std::span<const double> residuals) {
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
    Stage stage({.columns = 1, .first = {price_of_solve + lost}}, nullptr, series);
    (void)stage.iterations();
    built = stage.built;
  }
  EXPECT_NEAR(solvers * lost, price_of_setup, 2 * lost);
  // Later solvers do not try a multigrid again that is impossible.
  const auto without = std::make_shared<detail::SeriesOfSolves>();
  for (const int tries : {1, 0, 0}) {
    Stage impossible({.columns = 1, .first = {2 * price_of_setup}, .possible = false}, nullptr, without);
    (void)impossible.iterations();
    EXPECT_EQ(impossible.built, tries);
  }
}

// The links of a trajectory become smoother, or its quarks lighter.
TEST(AutomaticSolver, TriesAMultigridAgainThatWasGivenUpInASeries) {
  const auto series = std::make_shared<detail::SeriesOfSolves>();
  constexpr int needed = 2 * price_of_setup, lost = needed - price_of_solve;
  constexpr double bad = 0.999, good = 0.3, solves = detail::setups_between_tries * price_of_setup / lost;
  const auto given = [&](double convergence) {
    return Given{.columns = 1, .first = {needed}, .max_iterations = 3 * needed, .convergence = convergence};
  };
  const auto solve = [&](double convergence) {
    Stage stage(given(convergence), nullptr, series);
    (void)stage.iterations();
    return stage.built;
  };
  ASSERT_EQ(solve(bad), 1);
  for (const double convergence : {bad, good}) {
    int between = 0;
    while (between < 1000 && solve(convergence) == 0) ++between;
    EXPECT_NEAR(between, solves, 2) << "factor " << convergence;
  }
  // It is not tried again for the same operator.
  Stage stage(given(bad));
  for (int k = 0; k < 3 * solves; ++k) (void)stage.iterations();
  EXPECT_EQ(stage.built, 1);
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
                            .price =
                                [](int) {
                                  return detail::MultigridPrice{price_of_setup, price_of_solve};
                                }},
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
