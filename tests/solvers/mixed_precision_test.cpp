// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/gauge/test_lattices.hpp"
#include "tests/operators/wilson_cases.hpp"
#include "tests/solvers/solver_cases.hpp"
#include "tests/support/built_storages.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/gauge/heatbath.hpp>
#include <kaon/operators/normal.hpp>
#include <kaon/operators/schur.hpp>
#include <kaon/solvers/adapters.hpp>
#include <kaon/solvers/krylov.hpp>

#include <cmath>
#include <limits>

namespace kaon::test {
namespace KAON_TEST_FILE {

/// A clover operator in double and its copies in lower precision and fewer reals.
struct Problem {
  explicit Problem(const GaugeField<double>& links, const WilsonCloverParameters& parameters,
                   LinkStorage storage = LinkStorage::two_rows)
      : dirac(links, parameters), single(dirac, storage), coarse(dirac, storage) {}

  template <class S>
  const WilsonClover<S>& in() const {
    if constexpr (std::is_same_v<S, double>) return dirac;
    if constexpr (std::is_same_v<S, float>) return single;
    if constexpr (std::is_same_v<S, half>) return coarse;
  }

  WilsonClover<double> dirac;
  WilsonClover<float> single;
  WilsonClover<half> coarse;
};

GaugeField<double> quenched_links(const Coordinates& extents, double beta) {
  GaugeField<double> links = hot_links<double>(Lattice({.extents = extents}), 17);
  for (std::uint32_t number = 0; number < 20; ++number) update(links, {.beta = beta, .seed = 23, .update = number});
  return links;
}

/// The Krylov methods in mixed precision on one Schur complement.
template <class S>
std::vector<std::unique_ptr<Solver<double>>> all_solvers(const Schur<double>& outer, const Schur<S>& inner,
                                                         const SolverParameters& parameters) {
  std::vector<std::unique_ptr<Solver<double>>> solvers;
  solvers.push_back(std::make_unique<BiCgStab<double, S>>(outer, inner, parameters));
  solvers.push_back(std::make_unique<Cgnr<double, S>>(outer, inner, parameters));
  solvers.push_back(std::make_unique<Cgne<double, S>>(outer, inner, parameters));
  return solvers;
}

/// An even-odd system on a small rough lattice, in double and in S.
template <class S>
struct SmallCase {
  explicit SmallCase(int right_hand_sides)
      : full(gaussian<double>(problem.dirac.lattice(), right_hand_sides)), b(full.parity(Parity::even)) {}

  Problem problem{random_links<double>(Lattice({.extents = {8, 4, 4, 8}})), {.mass = 0.1, .csw = 1.3}};
  Schur<double> outer{problem.dirac};
  Schur<S> inner{problem.template in<S>()};
  SpinorField<double> full, b;
};

template <class S>
class MixedPrecision : public ::testing::Test {
 protected:
  template <class Check>
  void for_each_field(const Check& check) const {
    const Lattice lattice({.extents = {8, 8, 4, 8}});
    check("weak", Problem(random_links<double>(lattice), {.mass = 0.1, .csw = 1.3}));
    check("quenched, beta = 6.0", Problem(quenched_links({8, 8, 8, 8}, 6.0), {.mass = -0.25, .csw = 1.769}));
    for (const LinkStorage storage : built({LinkStorage::minimal})) {
      check("quenched, beta = 5.7, eight reals",
            Problem(quenched_links({8, 8, 8, 8}, 5.7), {.mass = 0.1, .csw = 1.5}, storage));
    }
  }
};
using InnerPrecisions = ::testing::Types<float, half>;
TYPED_TEST_SUITE(MixedPrecision, InnerPrecisions);

TYPED_TEST(MixedPrecision, ReachesDoubleOnWeakAndQuenchedFields) {
  using S = TypeParam;
  this->for_each_field([](const char* name, const Problem& problem) {
    const Schur<double> outer(problem.dirac);
    const Schur<S> inner(problem.in<S>());
    const SpinorField<double> full = gaussian<double>(problem.dirac.lattice(), 3);
    const SpinorField<double> b = full.parity(Parity::even);
    SpinorField<double> exact = outer.make_field(3);
    const int in_double = BiCgStab<double>(outer, {.tolerance = 1e-12}).solve(exact, b).iterations();
    int method = 0;
    for (const auto& solver : all_solvers<S>(outer, inner, {.tolerance = 1e-12})) {
      SCOPED_TRACE(std::string(name) + ", method " + std::to_string(method));
      SpinorField<double> x = outer.make_field(3);
      const SolveResult result = solver->solve(x, b);
      expect_solution<double>(outer, x, b, result, 1e-12);
      EXPECT_GE(result.reliable_updates, 3);
      // One Krylov space: not many more iterations than in double.
      if (method++ == 0) {
        EXPECT_LE(result.iterations(), 2 * in_double + 20);
      }
    }
  });
}

TYPED_TEST(MixedPrecision, CgReachesDouble) {
  using S = TypeParam;
  const Problem problem(random_links<double>(Lattice({.extents = {8, 4, 4, 8}})), {.mass = 0.1, .csw = 1.3});
  const Schur<double> outer_schur(problem.dirac);
  const Schur<S> inner_schur(problem.in<S>());
  const NormalOperator<double> outer(outer_schur);
  const NormalOperator<S> inner(inner_schur);
  const SpinorField<double> full = gaussian<double>(problem.dirac.lattice(), 3);
  const SpinorField<double> b = full.parity(Parity::even);
  SpinorField<double> x = outer.make_field(3);
  const SolveResult result = Cg<double, S>(outer, inner, {.tolerance = 1e-12}).solve(x, b);
  expect_solution<double>(outer, x, b, result, 1e-12);
  SpinorField<double> y = outer.make_field(3);
  const SolveResult plain = Cg<double>(outer, {.tolerance = 1e-12}).solve(y, b);
  EXPECT_LE(result.iterations(), plain.iterations() * 3 / 2 + 10);
}

TYPED_TEST(MixedPrecision, IsTheSameForManyRightHandSidesAndForOne) {
  using S = TypeParam;
  const SmallCase<S> small(5);
  const BiCgStab<double, S> solver(small.outer, small.inner, {.tolerance = 1e-12});
  SpinorField<double> x = small.outer.make_field(5), alone = small.outer.make_field(1);
  const SolveResult together = solver.solve(x, small.b);
  const SolveResult by_itself = solver.solve(alone, small.b.range(3, 1));
  EXPECT_NEAR(by_itself.iterations(), together.right_hand_sides[3].iterations, 10);
  EXPECT_LE(reference::relative_difference(x.to_host(3), alone.to_host()), 1e-10);
}

TYPED_TEST(MixedPrecision, ConvergesABatchOfUnequalRightHandSidesByTheTruth) {
  using S = TypeParam;
  const SmallCase<S> small(12);
  for (const auto& solver : all_solvers<S>(small.outer, small.inner, {.tolerance = 1e-11})) {
    SpinorField<double> x = small.outer.make_field(12);
    solver->solve(x, small.b);
    // Guesses from useless to nearly perfect: each reaches its target at another time.
    std::vector<double> error(12);
    for (std::size_t k = 0; k < error.size(); ++k) error[k] = 1.0 + std::pow(10.0, -static_cast<double>(k));
    blas::scale(x, error);
    const SolveResult result = solver->solve(x, small.b);
    expect_solution<double>(small.outer, x, small.b, result, 1e-11, 0);
    for (const auto& r : result.right_hand_sides) EXPECT_EQ(r.restarts, 0);
    EXPECT_LT(result.right_hand_sides[9].iterations, result.right_hand_sides[0].iterations);
  }
}

// Squares of the vectors of such solves leave the range of single precision.
TYPED_TEST(MixedPrecision, SolvesForVerySmallAndLargeSources) {
  const Problem problem(random_links<double>(Lattice({.extents = {4, 4, 4, 8}})), {.mass = 0.2, .csw = 1.1});
  const Schur<double> outer(problem.dirac);
  const Schur<TypeParam> inner(problem.template in<TypeParam>());
  for (const double magnitude : {1e-20, 1e-12, 1e18}) {
    SCOPED_TRACE(magnitude);
    SpinorField<double> b = outer.make_field(2), x = outer.make_field(2);
    set_gaussian(b, {.seed = 8});
    blas::scale(b, std::vector(2, magnitude));
    for (const auto& solver : all_solvers<TypeParam>(outer, inner, {.tolerance = 1e-10})) {
      blas::set_zero(x);
      expect_solution<double>(outer, x, b, solver->solve(x, b), 1e-10);
    }
  }
}

TYPED_TEST(MixedPrecision, IsPatientOnlyWithWhatImproves) {
  using S = TypeParam;
  const SmallCase<S> small(1);
  // So little patience that it runs out again and again, but the truth improves each time.
  for (const auto& solver :
       all_solvers<S>(small.outer, small.inner,
                      {.tolerance = 1e-11, .reliable_delta = 1e-6, .max_iterations_without_progress = 6})) {
    SpinorField<double> x = small.outer.make_field(1);
    expect_solution<double>(small.outer, x, small.b, solver->solve(x, small.b), 1e-11);
  }
}

TYPED_TEST(MixedPrecision, TakesAnyDelta) {
  using S = TypeParam;
  const SmallCase<S> small(2);
  for (const double delta : {0.999, 0.1, 1e-3, 1e-14}) {  // the last is far beyond what S can do
    for (const auto& solver : all_solvers<S>(small.outer, small.inner, {.tolerance = 1e-12, .reliable_delta = delta})) {
      SpinorField<double> x = small.outer.make_field(2);
      const SolveResult result = solver->solve(x, small.b);
      expect_solution<double>(small.outer, x, small.b, result, 1e-12);
    }
  }
  for (const double delta : {0.0, 1.0, -0.1, std::numeric_limits<double>::quiet_NaN()}) {
    KAON_EXPECT_ERROR((BiCgStab<double, S>(small.outer, small.inner, {.reliable_delta = delta})),
                      "must lie between 0 and 1");
  }
}

TYPED_TEST(MixedPrecision, StartsFromAGuess) {
  using S = TypeParam;
  const SmallCase<S> small(1);
  const BiCgStab<double, S> solver(small.outer, small.inner, {.tolerance = 1e-12});
  SpinorField<double> x = small.outer.make_field(1);
  const int from_zero = solver.solve(x, small.b).iterations();
  blas::scale(x, std::vector{1.0 + 1e-6});
  const SolveResult again = solver.solve(x, small.b);
  expect_solution<double>(small.outer, x, small.b, again, 1e-12);
  EXPECT_LT(again.iterations(), from_zero * 3 / 4);
}

TYPED_TEST(MixedPrecision, SaysWhenIterationsRunOutAndKeepsWhatItHas) {
  using S = TypeParam;
  const SmallCase<S> small(1);
  for (const auto& solver : all_solvers<S>(small.outer, small.inner, {.tolerance = 1e-12, .max_iterations = 7})) {
    SpinorField<double> x = small.outer.make_field(1);
    const SolveResult result = solver->solve(x, small.b);
    EXPECT_EQ(result.right_hand_sides[0].status, SolveStatus::max_iterations);
    EXPECT_EQ(result.iterations(), 7);
    const double residual = residuals(small.outer, x, small.b)[0];
    EXPECT_NEAR(result.true_residual(), residual, 1e-3 * residual);
    EXPECT_LT(residual, 0.5);
  }
}

/// M + noise: the operator of a precision so coarse that it is another operator.
Changed<float> disturbed_by(const LinearOperator<float>& matrix, double size) {
  return {matrix, [size, count = 0U](SpinorField<float>& out, const SpinorField<float>& in) mutable {
            SpinorField<float> noise(in.lattice(), in.parameters());
            set_gaussian(noise, {.seed = 1, .stream = ++count});
            const std::vector<double> in_norm2 = blas::norm2(in), noise_norm2 = blas::norm2(noise);
            std::vector<double> factor(in_norm2.size());
            for (std::size_t k = 0; k < factor.size(); ++k) factor[k] = size * std::sqrt(in_norm2[k] / noise_norm2[k]);
            blas::axpy(out, noise, factor);
          }};
}

struct CoarseProblem {
  Problem problem{random_links<double>(Lattice({.extents = {8, 4, 4, 8}})), {.mass = 0.1, .csw = 1.3}};
  Schur<double> outer{problem.dirac};
  Schur<float> inner{problem.single};
  Changed<float> disturbed = disturbed_by(inner, 2.0);  // noise above the signal: no step helps
  SpinorField<double> full = gaussian<double>(problem.dirac.lattice(), 2);
  SpinorField<double> b = full.parity(Parity::even);
};

TEST(CoarsePrecision, EndsAsStagnationOrBreakdown) {
  const CoarseProblem coarse;
  const BiCgStab<double, float> solver(coarse.outer, coarse.disturbed,
                                       {.tolerance = 1e-12, .max_iterations_without_progress = 100});
  SpinorField<double> x = coarse.outer.make_field(2);
  const SolveResult result = solver.solve(x, coarse.b);
  const std::vector<double> residual = residuals(coarse.outer, x, coarse.b);
  for (std::size_t k = 0; k < 2; ++k) {
    const auto& r = result.right_hand_sides[k];
    EXPECT_TRUE(r.status == SolveStatus::stagnated || r.status == SolveStatus::breakdown ||
                r.status == SolveStatus::not_a_number)
        << to_string(r.status);
    EXPECT_LE(r.iterations, 1000) << "it must not loop on";
    EXPECT_NEAR(r.true_residual, residual[k], 1e-3 * residual[k]);
    EXPECT_LE(r.true_residual, 1.0) << "zero is better";
  }
}

// With c = 1/5 each reliable update finds a residual four times larger than the one before.
TEST(CoarsePrecision, GivesBackTheBestX) {
  const CoarseProblem coarse;
  const auto diverging = scaled(coarse.inner, 0.2);
  const BiCgStab<double, float> solver(coarse.outer, diverging, {.tolerance = 1e-12});
  SpinorField<double> x = coarse.outer.make_field(2);
  const SolveResult from_zero = solver.solve(x, coarse.b);
  EXPECT_FALSE(from_zero.converged());
  for (const double norm2 : blas::norm2(x)) EXPECT_EQ(norm2, 0.0);
  EXPECT_EQ(from_zero.true_residual(), 1.0);

  // A start that is better than all that follows.
  Cgne<double>(coarse.outer, {.tolerance = 1e-3}).solve(x, coarse.b);
  const std::vector<double> at_start = residuals(coarse.outer, x, coarse.b);
  const SolveResult from_there = solver.solve(x, coarse.b);
  EXPECT_FALSE(from_there.converged());
  const std::vector<double> at_end = residuals(coarse.outer, x, coarse.b);
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_LE(at_end[k], at_start[k]);
    EXPECT_NEAR(from_there.right_hand_sides[k].true_residual, at_end[k], 1e-9 * at_end[k]);
  }

  // A solver that falls back from it needs no more than from the start.
  const BiCgStab<double> sound(coarse.outer, {.tolerance = 1e-12});
  const Fallback<double> both(solver, [&]() -> const Solver<double>& { return sound; }, {.how = "in double precision"});
  SpinorField<double> y = coarse.outer.make_field(2), z = coarse.outer.make_field(2);
  testing::internal::CaptureStderr();
  const SolveResult fallen = both.solve(y, coarse.b);
  testing::internal::GetCapturedStderr();
  expect_solution<double>(coarse.outer, y, coarse.b, fallen, 1e-12);
  EXPECT_EQ(fallen.iterations() - from_zero.iterations(), sound.solve(z, coarse.b).iterations());
}

TEST(CoarsePrecision, SharesItsIterationsWithTheNext) {
  const CoarseProblem coarse;
  SpinorField<double> x = coarse.outer.make_field(2);
  const BiCgStab<double, float> first(coarse.outer, coarse.inner, {.tolerance = 1e-12});
  const BiCgStab<double> second(coarse.outer, {.tolerance = 1e-12});
  const Fallback<double> solver(first, [&]() -> const Solver<double>& { return second; },
                                {.share = 0.6, .how = "in double precision"});
  testing::internal::CaptureStderr();
  const SolveResult result = solver.solve(x, coarse.b, {.iterations = {8, 10}});
  testing::internal::GetCapturedStderr();
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_EQ(result.right_hand_sides[k].status, SolveStatus::max_iterations);
    EXPECT_EQ(result.right_hand_sides[k].iterations, k == 0 ? 8 : 10);
    EXPECT_EQ(result.right_hand_sides[k].fallbacks, 1);
  }
  // Nothing is left for another solve.
  EXPECT_EQ(second.solve(x, coarse.b, SolveRequest{.iterations = {8, 10}}.after(result)).iterations(), 0);
  for (const double share : {0.0, 1.0, std::numeric_limits<double>::quiet_NaN()}) {
    KAON_EXPECT_ERROR(Fallback<double>(first, [&]() -> const Solver<double>& { return second; }, {.share = share}),
                      "must lie between 0 and 1");
  }
}

/// A solver that loses its first x.
class GivesUp final : public Solver<double> {
 public:
  explicit GivesUp(const LinearOperator<double>& matrix) : matrix_(matrix) {}

  using Solver<double>::solve;
  SolveResult solve(SpinorField<double>& x, const SpinorField<double>&, const SolveRequest&) const override {
    blas::set_zero(x);
    SolveResult result;
    result.right_hand_sides.assign(2, {.status = SolveStatus::stagnated, .true_residual = 1.0});
    return result;
  }
  const LinearOperator<double>& solved_operator() const override { return matrix_; }
  double tolerance() const override { return 1e-12; }

 private:
  const LinearOperator<double>& matrix_;
};

TEST(CoarsePrecision, KeepsTheBetterSolutionWhereBothFail) {
  const CoarseProblem coarse;
  const BiCgStab<double, float> first(coarse.outer, coarse.inner, {.tolerance = 1e-12, .max_iterations = 8});
  const GivesUp second(coarse.outer);
  const Fallback<double> solver(first, [&]() -> const Solver<double>& { return second; },
                                {.on_fallback = [](const std::string&) {}});
  SpinorField<double> x = coarse.outer.make_field(2), image = coarse.outer.make_field(2);
  const SolveResult result = solver.solve(x, coarse.b);
  coarse.outer.apply(image, x);
  const blas::Reals norm2 = blas::xmy_norm2(image, coarse.b), b_norm2 = blas::norm2(coarse.b);
  for (std::size_t k = 0; k < 2; ++k) {
    const auto& r = result.right_hand_sides[k];
    EXPECT_EQ(r.status, SolveStatus::stagnated);
    EXPECT_LT(r.true_residual, 0.9);
    EXPECT_NEAR(std::sqrt(norm2[k] / b_norm2[k]), r.true_residual, 1e-10);
  }
}

TEST(CoarsePrecision, IsRepairedByFallingBack) {
  const CoarseProblem coarse;
  const BiCgStab<double, float> hopeless(coarse.outer, coarse.disturbed,
                                         {.tolerance = 1e-12, .max_iterations_without_progress = 100});
  const BiCgStab<double, float> sound(coarse.outer, coarse.inner, {.tolerance = 1e-12});
  int made = 0;
  const auto next = [&]() -> const Solver<double>& {
    ++made;
    return sound;
  };
  std::string notice;
  const Fallback<double> solver(
      hopeless, next, {.how = "in single precision", .on_fallback = [&](const std::string& text) { notice += text; }});
  SpinorField<double> x = coarse.outer.make_field(2);
  testing::internal::CaptureStderr();
  const SolveResult result = solver.solve(x, coarse.b);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << "the caller decides where notices go";
  EXPECT_NE(notice.find("2 of 2 right-hand sides did not converge"), std::string::npos) << notice;
  EXPECT_NE(notice.find("going on in single precision"), std::string::npos) << notice;
  EXPECT_EQ(made, 1);
  expect_solution<double>(coarse.outer, x, coarse.b, result, 1e-12);
  for (const auto& r : result.right_hand_sides) EXPECT_EQ(r.fallbacks, 1);
  // Through the whole system too, which names the residual that it wants.
  const EvenOddSolver<double> whole(coarse.outer, solver);
  SpinorField<double> y = coarse.problem.dirac.make_field(2);
  SolveRequest request{.residual_norms = blas::norm2(coarse.full)};
  for (double& norm : request.residual_norms) norm = 1e-11 * std::sqrt(norm);
  expect_solution<double>(coarse.problem.dirac, y, coarse.full, whole.solve(y, coarse.full, request), 1e-11);
  EXPECT_EQ(made, 1);
}

TEST(CoarsePrecision, IsNotAskedTwiceWhereItDoes) {
  const CoarseProblem coarse;
  const BiCgStab<double, float> sound(coarse.outer, coarse.inner, {.tolerance = 1e-12});
  const Fallback<double> solver(sound, []() -> const Solver<double>& { throw Error("nothing to fall back to"); },
                                {.how = "elsewhere"});
  SpinorField<double> x = coarse.outer.make_field(2);
  const SolveResult result = solver.solve(x, coarse.b);
  EXPECT_TRUE(result.converged());
  for (const auto& r : result.right_hand_sides) EXPECT_EQ(r.fallbacks, 0);
}

TEST(NearlySingularOperators, EndInAnHonestStatus) {
  // The free Wilson operator, periodic, at a mass of 1e-13: the constant mode's eigenvalue is nearly zero.
  const Lattice lattice({.extents = {8, 4, 4, 8}});
  const GaugeField<double> links = unit_links<double>(lattice);
  for (const double mass : {1e-13, -0.4}) {
    const Wilson<double> dirac(links, {.mass = mass, .boundary = periodic});
    const Wilson<half> coarse(dirac, LinkStorage::two_rows);
    const Schur<double> outer(dirac);
    const Schur<half> inner(coarse);
    const SpinorField<double> full = gaussian<double>(lattice, 1);
    const SpinorField<double> b = full.parity(Parity::even);
    for (const auto& solver : all_solvers<half>(
             outer, inner, {.tolerance = 1e-12, .max_iterations = 3000, .max_iterations_without_progress = 300})) {
      SpinorField<double> x = outer.make_field(1);
      const SolveResult result = solver->solve(x, b);
      const double residual = residuals(outer, x, b)[0];
      EXPECT_EQ(result.converged(), residual <= 1e-12) << to_string(result.right_hand_sides[0].status);
      EXPECT_NEAR(result.true_residual(), residual, 1e-3 * residual);
      EXPECT_LE(result.iterations(), 3000);
    }
  }
}

TEST(HalfSolvers, ReachWhatSixteenBitsHold) {
  const SmallCase<half> small(2);
  SpinorField<half> b(small.b.lattice(), small.b.parameters());
  blas::copy(b, small.b);
  const double tolerance = 3e-3;  // a few hundred roundings of 1.5e-5
  std::vector<std::unique_ptr<Solver<half>>> solvers;
  solvers.push_back(std::make_unique<BiCgStab<half>>(small.inner, SolverParameters{.tolerance = tolerance}));
  solvers.push_back(std::make_unique<Cgnr<half>>(small.inner, SolverParameters{.tolerance = tolerance}));
  solvers.push_back(std::make_unique<Gcr<half>>(small.inner, GcrParameters{.solve = {.tolerance = tolerance}}));
  solvers.push_back(std::make_unique<Mr<half>>(small.inner, MrParameters{.solve = {.tolerance = tolerance}}));
  for (const auto& solver : solvers) {
    SpinorField<half> x = small.inner.make_field(2);
    EXPECT_TRUE(solver->solve(x, b).converged());
    SpinorField<double> in_double = small.outer.make_field(2);
    blas::copy(in_double, x);
    for (const double residual : residuals(small.outer, in_double, small.b)) EXPECT_LE(residual, 2.0 * tolerance);
  }
}

TEST(HalfSolvers, RefineToDouble) {
  const SmallCase<half> small(2);
  const BiCgStab<half> inner(small.inner, {.tolerance = 1e-2});
  const InPrecision<double, half> solver(small.outer, inner, {.tolerance = 1e-11});
  SpinorField<double> x = small.outer.make_field(2);
  expect_solution<double>(small.outer, x, small.b, solver.solve(x, small.b), 1e-11);
}

TEST(MixedPrecisionSolvers, RefuseOperatorsThatDoNotMatch) {
  const Problem problem(random_links<double>(Lattice({.extents = {8, 4, 4, 8}})), {.mass = 0.1, .csw = 1.3});
  const Schur<double> outer(problem.dirac);
  KAON_EXPECT_ERROR((BiCgStab<double, float>(outer, problem.single, {})), "fields of the same shape and lattice");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
