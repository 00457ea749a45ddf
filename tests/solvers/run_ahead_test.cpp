// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/lattice/workspace.hpp"
#include "tests/gauge/test_lattices.hpp"
#include "tests/solvers/solver_cases.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/operators/normal.hpp>
#include <kaon/operators/schur.hpp>
#include <kaon/solvers/bicgstab.hpp>
#include <kaon/solvers/cg.hpp>
#include <kaon/solvers/mr.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace kaon::test {
namespace KAON_TEST_FILE {

/// M with another way to take reductions: `prepare(x)` may change what M is applied to, and `ahead` says whether
/// solvers may go on before the host knows the reductions.
template <class T>
class Through final : public LinearOperator<T>, public Adjointable<T>, public Counted {
 public:
  using Prepare = std::function<void(SpinorField<T>&)>;
  Through(const LinearOperator<T>& matrix, bool ahead, Prepare prepare = {})
      : matrix_(matrix), ahead_(ahead), prepare_(std::move(prepare)) {}

  void apply(SpinorField<T>& out, const SpinorField<T>& in) const override { matrix_.apply(out, in); }
  void apply_dagger(SpinorField<T>& out, const SpinorField<T>& in) const override {
    observe();
    if (!prepare_) return adjointable(matrix_).apply_dagger(out, in);
    adjointable(matrix_).apply_dagger(out, prepared(in));
  }
  blas::PendingReductions apply_and_reduce(SpinorField<T>& y, const SpinorField<T>& x,
                                           const blas::Reductions<T>& reductions) const override {
    return observed(prepare_ ? matrix_.apply_and_reduce(y, prepared(x), reductions)
                             : matrix_.apply_and_reduce(y, x, reductions));
  }
  blas::PendingReductions apply_dagger_and_reduce(SpinorField<T>& y, const SpinorField<T>& x,
                                                  const blas::Reductions<T>& reductions) const override {
    return observed(prepare_ ? adjointable(matrix_).apply_dagger_and_reduce(y, prepared(x), reductions)
                             : adjointable(matrix_).apply_dagger_and_reduce(y, x, reductions));
  }
  const Lattice& lattice() const override { return matrix_.lattice(); }
  SpinorParameters domain() const override { return matrix_.domain(); }
  double flops() const override { return flops_of(matrix_); }
  double bytes() const override { return bytes_of(matrix_); }

  /// Applications but for those of M without reductions.
  int applications() const { return applications_; }
  /// Operations that were enqueued while the host had not seen earlier reductions.
  int ran_ahead() const { return ran_ahead_; }

 private:
  SpinorField<T> prepared(const SpinorField<T>& x) const {
    SpinorField<T> in = this->make_field(x.right_hand_sides());
    blas::copy(in, x);
    prepare_(in);
    return in;
  }
  void observe() const {
    ++applications_;
    if (lattice().workspace().results_in_flight() > 0) ++ran_ahead_;
  }
  blas::PendingReductions observed(blas::PendingReductions reduced) const {
    observe();
    if (!ahead_) reduced.wait();
    return reduced;
  }

  const LinearOperator<T>& matrix_;
  bool ahead_;
  Prepare prepare_;
  mutable int applications_ = 0, ran_ahead_ = 0;
};

struct Method {
  const char* name;
  std::function<std::unique_ptr<Solver<double>>(const LinearOperator<double>&, const SolverParameters&)> make;
};
const std::vector<Method>& methods() {
  static const std::vector<Method> all{
      {"BiCGstab", [](const auto& m, const auto& p) { return std::make_unique<BiCgStab<double>>(m, p); }},
      {"CGNR", [](const auto& m, const auto& p) { return std::make_unique<Cgnr<double>>(m, p); }},
      {"CGNE", [](const auto& m, const auto& p) { return std::make_unique<Cgne<double>>(m, p); }}};
  return all;
}

template <class T>
class RunAheadIn : public ::testing::Test {
 protected:
  Lattice lattice_{LatticeParameters{.extents = {8, 4, 4, 8}}};
  std::unique_ptr<EvenOddOperator<T>> dirac_ = make_operator<T>(random_links<T>(lattice_), fermion_cases()[2]);
  Schur<T> schur_{*dirac_};
  Through<T> ahead_{schur_, true}, waiting_{schur_, false};

  SpinorField<T> source(int right_hand_sides) const {
    SpinorField<T> b = schur_.make_field(right_hand_sides);
    set_gaussian(b, {.seed = 8});
    return b;
  }
};
TYPED_TEST_SUITE(RunAheadIn, Precisions);

// Whether a device runs ahead or waits for the host, it does the same. More right-hand sides than a kernel takes
// functions for wait, too.
TYPED_TEST(RunAheadIn, SolversTakeTheSameSteps) {
  using T = TypeParam;
  const SolverParameters parameters{.tolerance = reachable<T>};
  for (const int count : {1, 3, 17}) {
    const SpinorField<T> b = this->source(count);
    const auto expect_same = [&](const Solver<T>& ahead, const Solver<T>& waiting, const char* name) {
      SCOPED_TRACE(name);
      SpinorField<T> x = this->schur_.make_field(count), expected = this->schur_.make_field(count);
      const SolveResult result = ahead.solve(x, b), other = waiting.solve(expected, b);
      EXPECT_TRUE(result.converged());
      for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) {
        EXPECT_NEAR(result.right_hand_sides[k].iterations, other.right_hand_sides[k].iterations, 1);
      }
      EXPECT_LE(largest_difference(x, expected), 1e3 * reachable<T>);
    };
    expect_same(BiCgStab<T>(this->ahead_, parameters), BiCgStab<T>(this->waiting_, parameters), "BiCGstab");
    expect_same(Cgnr<T>(this->ahead_, parameters), Cgnr<T>(this->waiting_, parameters), "CGNR");
    expect_same(Cgne<T>(this->ahead_, parameters), Cgne<T>(this->waiting_, parameters), "CGNE");
  }
}

// The host waits once in an iteration, although that applies M twice: the second application is enqueued before the
// host has seen the reductions of the first, and the next iteration's first before it has seen those of this one.
TYPED_TEST(RunAheadIn, IterationsAreEnqueuedAsAWhole) {
  using T = TypeParam;
  const SolverParameters parameters{.tolerance = reachable<T>};
  for (const int count : {2, 17}) {
    const SpinorField<T> b = this->source(count);
    for (const bool normal : {false, true}) {
      const Through<T> matrix(this->schur_, true);
      SpinorField<T> x = this->schur_.make_field(count);
      const SolveResult result =
          normal ? Cgnr<T>(matrix, parameters).solve(x, b) : BiCgStab<T>(matrix, parameters).solve(x, b);
      EXPECT_TRUE(result.converged());
      const int starts = normal ? 1 : 0;  // p = M^dag r
      EXPECT_GE(matrix.applications(), 2 * result.iterations() + starts);
      if (count == 17) {
        EXPECT_EQ(matrix.ran_ahead(), 0);
      } else {  // all but the first one, two around the reliable update near the end, and two where that is put off
        EXPECT_GE(matrix.ran_ahead(), 2 * result.iterations() - 5);
        EXPECT_LT(matrix.ran_ahead(), 2 * result.iterations());
      }
    }
  }
}

// A solve that ends early has begun an iteration that nobody takes: it is gone with the solve, and the next solve is
// the same to the bit.
TYPED_TEST(RunAheadIn, SolversThatEndEarlyLeaveNothingBehind) {
  using T = TypeParam;
  const SpinorField<T> b = this->source(2);
  const auto expect_same = [&](const Solver<T>& solver, const char* name) {
    SCOPED_TRACE(name);
    SpinorField<T> expected = this->schur_.make_field(2), x = this->schur_.make_field(2);
    solver.solve(expected, b);
    for (const int last : {1, 2, 5}) {
      const auto on_iteration = [&](int iteration, std::span<const double>) { return iteration < last; };
      blas::set_zero(x);
      EXPECT_TRUE(solver.solve(x, b, {.progress = on_iteration}).stopped);
      EXPECT_EQ(this->lattice_.workspace().results_in_flight(), 0);
      EXPECT_EQ(this->lattice_.workspace().unreduced(), nullptr);
      blas::set_zero(x);
      EXPECT_EQ(solver.solve(x, b, {.iterations = {last, last}}).iterations(), last);
      EXPECT_EQ(this->lattice_.workspace().unreduced(), nullptr);
      blas::set_zero(x);
      solver.solve(x, b);
      EXPECT_EQ(x.to_host(), expected.to_host()) << last;
    }
  };
  const SolverParameters parameters{.tolerance = reachable<T>};
  expect_same(BiCgStab<T>(this->ahead_, parameters), "BiCGstab");
  expect_same(Cgnr<T>(this->ahead_, parameters), "CGNR");
  expect_same(Cgne<T>(this->ahead_, parameters), "CGNE");
  expect_same(Cg<T>(NormalOperator<T>(this->ahead_), parameters), "CG");
}

/// Solves for three sources, and for these and more than a kernel takes coefficients for, which wait for the host
/// throughout: histories and solutions of the three must agree.
template <class T>
SolveResult expect_as_in_a_large_batch(const Solver<T>& solver, const SpinorField<T>& many, double tolerance) {
  const SpinorField<T> few = many.range(0, 3);
  SpinorField<T> x(many.lattice(), few.parameters()), x_many(many.lattice(), many.parameters());
  const SolveResult result = solver.solve(x, few, {.keep_history = true}),
                    other = solver.solve(x_many, many, {.keep_history = true});
  for (std::size_t n = 0; n < std::min(result.history.size(), other.history.size()); ++n) {
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(result.history[n][k], other.history[n][k], tolerance) << "iteration " << n + 1;
    }
  }
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(result.right_hand_sides[k].iterations, other.right_hand_sides[k].iterations, 1);
  }
  EXPECT_LE(largest_difference<T>(x, x_many.range(0, 3)), tolerance);
  return result;
}

TYPED_TEST(RunAheadIn, ConjugateGradientsTakeTheSameSteps) {
  using T = TypeParam;
  const NormalOperator<T> normal(this->ahead_);
  const SolverParameters parameters{.tolerance = 2 * reachable<T>};
  const SolveResult result =
      expect_as_in_a_large_batch<T>(Cg<T>(normal, parameters), this->source(17), 1e3 * reachable<T>);
  EXPECT_TRUE(result.converged());
}

// With quarks as heavy as these S itself is Hermitian enough for a few steps.
TYPED_TEST(RunAheadIn, ConjugateGradientsTakeTheSameStepsOnOneOperator) {
  using T = TypeParam;
  const auto heavy = make_operator<T>(random_links<T>(this->lattice_), {"heavy", false, {.mass = 8.0}});
  const Schur<T> schur(*heavy);
  const Through<T> ahead(schur, true);
  const SolverParameters parameters{.tolerance = 1e-30, .max_iterations = 4};
  const SolveResult result =
      expect_as_in_a_large_batch<T>(Cg<T>(ahead, parameters), this->source(17), 1e2 * detail::spacing<T>());
  EXPECT_EQ(ahead.applications(), 2 * 4);
  ASSERT_EQ(result.history.size(), 4u);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_LT(result.history.back()[k], 0.1);
}

TYPED_TEST(RunAheadIn, MinimalResidualsTakeTheSameSteps) {
  using T = TypeParam;
  for (const int steps : {1, 5}) {
    const Mr<T> ahead(this->ahead_, {.steps = steps}), waiting(this->waiting_, {.steps = steps});
    const SpinorField<T> b = this->source(3);
    SpinorField<T> x = this->schur_.make_field(3), expected = this->schur_.make_field(3);
    const int before = this->ahead_.applications();
    ahead.apply(x, b);
    EXPECT_EQ(this->ahead_.applications() - before, steps);
    EXPECT_EQ(this->ahead_.ran_ahead(), 0);  // nobody asks for their reductions
    waiting.apply(expected, b);
    EXPECT_LE(largest_difference(x, expected), 1e2 * detail::spacing<T>());
    for (const double norm2 : blas::norm2(x)) EXPECT_GT(norm2, 0.0);
  }
}

/// Double with iterations in S, which run ahead or wait.
template <class S>
class MixedRunAhead : public ::testing::Test {
 protected:
  struct System {
    System(const Lattice& lattice, double mass)
        : dirac(make_operator<double>(random_links<double>(lattice), {"", false, {.mass = mass}})),
          low(converted<S>(*dirac, {"", false, {.mass = mass}}, LinkStorage::full)) {}
    std::unique_ptr<EvenOddOperator<double>> dirac;
    std::unique_ptr<EvenOddOperator<S>> low;
    Schur<double> schur{*dirac};
    Schur<S> inner{*low};
    Through<S> ahead{inner, true}, waiting{inner, false};
    NormalOperator<double> normal{schur};
    NormalOperator<S> inner_normal{ahead}, waiting_normal{waiting};

    /// Calls `check(matrix, solver that runs ahead, solver that waits, name)` for each method.
    template <class Check>
    void with_each_method(const SolverParameters& parameters, const Check& check) const {
      check(schur, BiCgStab<double, S>(schur, ahead, parameters), BiCgStab<double, S>(schur, waiting, parameters),
            "BiCGstab");
      check(schur, Cgnr<double, S>(schur, ahead, parameters), Cgnr<double, S>(schur, waiting, parameters), "CGNR");
      check(schur, Cgne<double, S>(schur, ahead, parameters), Cgne<double, S>(schur, waiting, parameters), "CGNE");
      check(normal, Cg<double, S>(normal, inner_normal, parameters), Cg<double, S>(normal, waiting_normal, parameters),
            "CG");
    }
  };
  Lattice lattice_{LatticeParameters{.extents = {8, 4, 4, 8}}};
};
using LowerPrecisions = ::testing::Types<float, half>;
TYPED_TEST_SUITE(MixedRunAhead, LowerPrecisions);

// Iterations in which a reliable update is expected wait for the host; one that comes unexpected is put off by one.
TYPED_TEST(MixedRunAhead, SolversNeedHardlyMoreIterations) {
  const typename TestFixture::System system(this->lattice_, 0.1);
  const SolverParameters parameters{.tolerance = 1e-11};
  SpinorField<double> b = system.schur.make_field(3);
  set_gaussian(b, {.seed = 8});
  const auto compare = [&](const LinearOperator<double>& matrix, const Solver<double>& ahead,
                           const Solver<double>& waiting, const char* name) {
    SCOPED_TRACE(name);
    const int before = system.ahead.ran_ahead();
    SpinorField<double> x = system.schur.make_field(3), y = system.schur.make_field(3);
    const SolveResult result = ahead.solve(x, b), other = waiting.solve(y, b);
    expect_solution<double>(matrix, x, b, result, 1e-11);
    EXPECT_TRUE(other.converged());
    // Conjugate gradients apply the operator once in an iteration, before there are reductions.
    if (name != std::string("CG")) {
      EXPECT_GT(system.ahead.ran_ahead(), before);
    }
    EXPECT_GT(result.reliable_updates, 0);
    EXPECT_LE(result.reliable_updates, other.reliable_updates + 2);
    EXPECT_LE(result.iterations(), other.iterations() + 3);
  };
  system.with_each_method(parameters, compare);
}

// With heavy quarks the lower precision has done what it can after an iteration or two, to the last bit with very heavy
// ones, and the iteration before the update that is due has nothing to gain.
TYPED_TEST(MixedRunAhead, SolversHaveNothingLeftToDoForHeavyQuarks) {
  for (const double mass : {1e1, 1e2, 1e3, 1e6, 1e9}) {
    const typename TestFixture::System system(this->lattice_, mass);
    for (const int max_restarts : {0, 10}) {
      const SolverParameters parameters{.tolerance = 1e-11, .max_iterations = 100, .max_restarts = max_restarts};
      for (const int count : {1, 3}) {
        SpinorField<double> b = system.schur.make_field(count), x = system.schur.make_field(count);
        set_gaussian(b, {.seed = 8});
        const auto expect = [&](const LinearOperator<double>& matrix, const Solver<double>& solver,
                                const Solver<double>& waiting, const char* name) {
          SCOPED_TRACE(std::string(name) + ", mass " + std::to_string(mass) + ", " + std::to_string(count) + " sides");
          blas::set_zero(x);
          const int needed = waiting.solve(x, b).iterations();
          blas::set_zero(x);
          const SolveResult result = solver.solve(x, b);
          expect_solution<double>(matrix, x, b, result, 1e-11);
          EXPECT_LE(result.iterations(), needed + 1);
        };
        system.with_each_method(parameters, expect);
      }
    }
  }
}

// Functions must decline what is not finite, and the solver must see it although the others have gone on.
TEST(RunAhead, OneRightHandSideMeetsNanAndTheOthersAreSolved) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  const auto dirac = make_operator<double>(random_links<double>(lattice), fermion_cases()[2]);
  const Schur<double> schur(*dirac);
  SpinorField<double> b = schur.make_field(3);
  set_gaussian(b, {.seed = 8});
  for (int first = 1; first < 6; ++first) {
    for (const Method& method : methods()) {
      SCOPED_TRACE(std::string(method.name) + " " + std::to_string(first));
      int count = 0;
      const Through<double> faulty(schur, true, [&](SpinorField<double>& in) {
        if (++count < first || in.right_hand_sides() < 3) return;
        auto values = in.to_host(1);
        for (auto& value : values) {
          if (value != 0.0) value = std::numeric_limits<double>::quiet_NaN();
        }
        in.from_host(values, 1);
      });
      SpinorField<double> x = schur.make_field(3);
      const SolveResult result = method.make(faulty, {.tolerance = 1e-12})->solve(x, b);
      EXPECT_EQ(result.right_hand_sides[0].status, SolveStatus::converged);
      EXPECT_EQ(result.right_hand_sides[1].status, SolveStatus::not_a_number);
      EXPECT_EQ(result.right_hand_sides[2].status, SolveStatus::converged);
      for (const double norm2 : blas::norm2(x)) EXPECT_TRUE(std::isfinite(norm2));
    }
  }
}

// In single precision, products of one right-hand side leave the range of `float`; it is solved by the host's numbers
// beside others that go on at once.
TEST(RunAhead, OneRightHandSideIsOutOfRangeAndAllAreSolved) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  const auto dirac = make_operator<float>(random_links<float>(lattice), fermion_cases()[2]);
  const Schur<float> schur(*dirac);
  const NormalOperator<float> normal(schur);
  SpinorField<float> b = schur.make_field(3);
  set_gaussian(b, {.seed = 8});
  blas::scale(b, std::vector{1.0, 1e-19, 1.0});
  SpinorField<float> x = schur.make_field(3);
  const Through<float> waiting(schur, false);
  const SolverParameters parameters{.tolerance = 1e-5};
  const SolveResult by_waiting = BiCgStab<float>(waiting, parameters).solve(x, b, {.keep_history = true});
  blas::set_zero(x);
  const SolveResult result = BiCgStab<float>(schur, parameters).solve(x, b, {.keep_history = true});
  expect_solution<float>(schur, x, b, result, 1e-5);
  for (std::size_t iteration = 0; iteration < 3; ++iteration) {
    const double expected = by_waiting.history.at(iteration)[1];
    EXPECT_NEAR(result.history.at(iteration)[1], expected, 1e-4 * expected);
  }
  blas::set_zero(x);
  expect_solution<float>(schur, x, b, Cgnr<float>(schur, {.tolerance = 1e-5}).solve(x, b), 1e-5);
  blas::set_zero(x);
  expect_solution<float>(schur, x, b, Cgne<float>(schur, {.tolerance = 1e-5}).solve(x, b), 1e-5);
  blas::set_zero(x);
  expect_solution<float>(normal, x, b, Cg<float>(normal, {.tolerance = 1e-5}).solve(x, b), 1e-5);
  SpinorField<float> out = schur.make_field(3), b_1 = schur.make_field(1), alone = schur.make_field(1);
  const Mr<float> mr(schur, {.steps = 4});
  mr.apply(out, b);
  blas::copy(b_1, b.range(1, 1));
  blas::scale(b_1, std::vector{1e19});
  mr.apply(alone, b_1);
  blas::scale(alone, std::vector{1e-19});
  EXPECT_LE(largest_difference<float>(out.range(1, 1), alone), 1e-5);
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
