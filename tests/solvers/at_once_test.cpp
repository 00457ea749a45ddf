// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/at_once.hpp"
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
namespace {

/// M with another way to take products: `prepare(x)` may change what M is applied to, and `at_once` says whether
/// solvers may go on before the host knows the products.
template <class T>
class Through final : public LinearOperator<T> {
 public:
  using Prepare = std::function<void(SpinorField<T>&)>;
  Through(const LinearOperator<T>& matrix, bool at_once, Prepare prepare = {})
      : matrix_(matrix), at_once_(at_once), prepare_(std::move(prepare)) {}

  void apply(SpinorField<T>& out, const SpinorField<T>& in) const override { matrix_.apply(out, in); }
  void apply_dagger(SpinorField<T>& out, const SpinorField<T>& in) const override {
    if (!prepare_) return matrix_.apply_dagger(out, in);
    matrix_.apply_dagger(out, prepared(in));
  }
  blas::Products apply_with_products(SpinorField<T>& y, const SpinorField<T>& x,
                                     const blas::ProductsWanted<T>& wanted) const override {
    return with_products(x, wanted, [&](const SpinorField<T>& in, const blas::ProductsWanted<T>& w) {
      return matrix_.apply_with_products(y, in, w);
    });
  }
  blas::Products apply_dagger_with_products(SpinorField<T>& y, const SpinorField<T>& x,
                                            const blas::ProductsWanted<T>& wanted) const override {
    return with_products(x, wanted, [&](const SpinorField<T>& in, const blas::ProductsWanted<T>& w) {
      return matrix_.apply_dagger_with_products(y, in, w);
    });
  }
  const Lattice& lattice() const override { return matrix_.lattice(); }
  SpinorParameters domain() const override { return matrix_.domain(); }
  double flops() const override { return matrix_.flops(); }
  double bytes() const override { return matrix_.bytes(); }

  /// How often whoever applied M with products went on at once.
  int went_on() const { return went_on_; }
  /// How many applications with products were under way at most.
  int most_under_way() const { return most_under_way_; }

 private:
  SpinorField<T> prepared(const SpinorField<T>& x) const {
    SpinorField<T> in = this->make_field(x.right_hand_sides());
    blas::copy(in, x);
    prepare_(in);
    return in;
  }
  template <class Apply>
  blas::Products with_products(const SpinorField<T>& x, blas::ProductsWanted<T> wanted, const Apply& apply) const {
    if (!at_once_) wanted.at_once = nullptr;
    most_under_way_ = std::max(most_under_way_, ++under_way_);
    blas::Products products = prepare_ ? apply(prepared(x), wanted) : apply(x, wanted);
    --under_way_;
    if (wanted.at_once != nullptr && wanted.at_once->called()) ++went_on_;
    return products;
  }

  const LinearOperator<T>& matrix_;
  bool at_once_;
  Prepare prepare_;
  mutable int went_on_ = 0, under_way_ = 0, most_under_way_ = 0;
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
class AtOnceIn : public ::testing::Test {
 protected:
  Lattice lattice_{LatticeParameters{.extents = {8, 4, 4, 8}}};
  std::unique_ptr<EvenOddOperator<T>> dirac_ = make_operator<T>(random_links<T>(lattice_), fermion_cases()[2]);
  Schur<T> schur_{*dirac_};
  Through<T> going_on_{schur_, true}, waiting_{schur_, false};

  SpinorField<T> source(int right_hand_sides) const {
    SpinorField<T> b = schur_.make_field(right_hand_sides);
    set_gaussian(b, {.seed = 8});
    return b;
  }
};
TYPED_TEST_SUITE(AtOnceIn, Precisions);

// Whether a device goes on by itself or waits for the host, it does the same. More right-hand sides than a kernel takes
// coefficients for wait, too.
TYPED_TEST(AtOnceIn, SolversTakeTheSameSteps) {
  using T = TypeParam;
  const SolverParameters parameters{.tolerance = reachable<T>};
  for (const int count : {1, 3, 17}) {
    const SpinorField<T> b = this->source(count);
    const auto expect_same = [&](const Solver<T>& at_once, const Solver<T>& waiting, const char* name) {
      SCOPED_TRACE(name);
      const int before = this->going_on_.went_on();
      SpinorField<T> x = this->schur_.make_field(count), expected = this->schur_.make_field(count);
      const SolveResult result = at_once.solve(x, b), other = waiting.solve(expected, b);
      EXPECT_TRUE(result.converged());
      for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) {
        EXPECT_NEAR(result.right_hand_sides[k].iterations, other.right_hand_sides[k].iterations, 1);
      }
      EXPECT_LE(largest_difference(x, expected), 1e3 * reachable<T>);
      const int went_on = this->going_on_.went_on() - before;
      if (count <= detail::blas_batch) {
        EXPECT_GE(went_on, result.iterations());
      } else {
        EXPECT_EQ(went_on, 0);
      }
    };
    expect_same(BiCgStab<T>(this->going_on_, parameters), BiCgStab<T>(this->waiting_, parameters), "BiCGstab");
    expect_same(Cgnr<T>(this->going_on_, parameters), Cgnr<T>(this->waiting_, parameters), "CGNR");
    expect_same(Cgne<T>(this->going_on_, parameters), Cgne<T>(this->waiting_, parameters), "CGNE");
  }
  EXPECT_EQ(this->waiting_.most_under_way(), 1);
}

// The host waits once in an iteration, although that applies M twice.
TYPED_TEST(AtOnceIn, IterationsAreEnqueuedAsAWhole) {
  using T = TypeParam;
  const SpinorField<T> b = this->source(2);
  const SolverParameters parameters{.tolerance = reachable<T>};
  for (const bool normal : {false, true}) {
    const Through<T> matrix(this->schur_, true);
    SpinorField<T> x = this->schur_.make_field(2);
    const SolveResult result =
        normal ? Cgnr<T>(matrix, parameters).solve(x, b) : BiCgStab<T>(matrix, parameters).solve(x, b);
    EXPECT_TRUE(result.converged());
    EXPECT_EQ(matrix.went_on(), 2 * result.iterations());
    EXPECT_EQ(matrix.most_under_way(), 2);
  }
}

/// Solves for three sources, and for these and more than a kernel takes coefficients for, which wait for the host
/// throughout: histories and solutions of the three must agree.
template <class T>
SolveResult expect_as_in_a_large_batch(const Solver<T>& solver, const SpinorField<T>& many, double tolerance) {
  const SpinorField<T> few = many.range(0, 3);
  SpinorField<T> x(many.lattice(), few.parameters()), x_many(many.lattice(), many.parameters());
  const SolveResult result = solver.solve(x, few), other = solver.solve(x_many, many);
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

TYPED_TEST(AtOnceIn, ConjugateGradientsTakeTheSameSteps) {
  using T = TypeParam;
  const NormalOperator<T> normal(this->going_on_);
  const SolverParameters parameters{.tolerance = 2 * reachable<T>, .keep_history = true};
  const SolveResult result =
      expect_as_in_a_large_batch<T>(Cg<T>(normal, parameters), this->source(17), 1e3 * reachable<T>);
  EXPECT_TRUE(result.converged());
  EXPECT_GE(this->going_on_.went_on(), result.iterations());
}

// With quarks as heavy as these S itself is Hermitian enough for a few steps.
TYPED_TEST(AtOnceIn, ConjugateGradientsTakeTheSameStepsOnOneOperator) {
  using T = TypeParam;
  const auto heavy = make_operator<T>(random_links<T>(this->lattice_), {"heavy", false, {.mass = 8.0}});
  const Schur<T> schur(*heavy);
  const Through<T> going_on(schur, true);
  const SolverParameters parameters{.tolerance = 1e-30, .max_iterations = 4, .keep_history = true};
  const SolveResult result =
      expect_as_in_a_large_batch<T>(Cg<T>(going_on, parameters), this->source(17), 1e2 * detail::spacing<T>());
  EXPECT_EQ(going_on.went_on(), 4);
  ASSERT_EQ(result.history.size(), 4u);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_LT(result.history.back()[k], 0.1);
}

TYPED_TEST(AtOnceIn, MinimalResidualsTakeTheSameSteps) {
  using T = TypeParam;
  for (const int steps : {1, 5}) {
    const Mr<T> at_once(this->going_on_, {.steps = steps}), waiting(this->waiting_, {.steps = steps});
    const SpinorField<T> b = this->source(3);
    SpinorField<T> x = this->schur_.make_field(3), expected = this->schur_.make_field(3);
    const int before = this->going_on_.went_on();
    at_once.apply(x, b);
    EXPECT_EQ(this->going_on_.went_on() - before, steps);
    waiting.apply(expected, b);
    EXPECT_LE(largest_difference(x, expected), 1e2 * detail::spacing<T>());
    for (const double norm2 : blas::norm2(x)) EXPECT_GT(norm2, 0.0);
  }
}

/// Double with iterations in S, which go on at once or wait.
template <class S>
class MixedAtOnce : public ::testing::Test {
 protected:
  struct System {
    System(const Lattice& lattice, double mass)
        : dirac(make_operator<double>(random_links<double>(lattice), {"", false, {.mass = mass}})),
          low(converted<S>(*dirac, {"", false, {.mass = mass}}, LinkStorage::full)) {}
    std::unique_ptr<EvenOddOperator<double>> dirac;
    std::unique_ptr<EvenOddOperator<S>> low;
    Schur<double> schur{*dirac};
    Schur<S> inner{*low};
    Through<S> going_on{inner, true}, waiting{inner, false};
    NormalOperator<double> normal{schur};
    NormalOperator<S> inner_normal{going_on}, waiting_normal{waiting};

    /// Calls `check(matrix, solver that goes on at once, solver that waits, name)` for each method.
    template <class Check>
    void with_each_method(const SolverParameters& parameters, const Check& check) const {
      check(schur, BiCgStab<double, S>(schur, going_on, parameters), BiCgStab<double, S>(schur, waiting, parameters),
            "BiCGstab");
      check(schur, Cgnr<double, S>(schur, going_on, parameters), Cgnr<double, S>(schur, waiting, parameters), "CGNR");
      check(schur, Cgne<double, S>(schur, going_on, parameters), Cgne<double, S>(schur, waiting, parameters), "CGNE");
      check(normal, Cg<double, S>(normal, inner_normal, parameters), Cg<double, S>(normal, waiting_normal, parameters),
            "CG");
    }
  };
  Lattice lattice_{LatticeParameters{.extents = {8, 4, 4, 8}}};
};
using LowerPrecisions = ::testing::Types<float, half>;
TYPED_TEST_SUITE(MixedAtOnce, LowerPrecisions);

// Iterations in which a reliable update is expected wait for the host; one that comes unexpected is put off by one.
TYPED_TEST(MixedAtOnce, SolversNeedHardlyMoreIterations) {
  const typename TestFixture::System system(this->lattice_, 0.1);
  const SolverParameters parameters{.tolerance = 1e-11};
  SpinorField<double> b = system.schur.make_field(3);
  set_gaussian(b, {.seed = 8});
  const auto compare = [&](const LinearOperator<double>& matrix, const Solver<double>& at_once,
                           const Solver<double>& waiting, const char* name) {
    SCOPED_TRACE(name);
    const int before = system.going_on.went_on();
    SpinorField<double> x = system.schur.make_field(3), y = system.schur.make_field(3);
    const SolveResult result = at_once.solve(x, b), other = waiting.solve(y, b);
    expect_solution<double>(matrix, x, b, result, 1e-11);
    EXPECT_TRUE(other.converged());
    EXPECT_GT(system.going_on.went_on(), before);
    EXPECT_GT(result.reliable_updates, 0);
    EXPECT_LE(result.reliable_updates, other.reliable_updates + 2);
    EXPECT_LE(result.iterations(), other.iterations() + 3);
  };
  system.with_each_method(parameters, compare);
}

// With heavy quarks the lower precision has done what it can after an iteration or two, to the last bit with very heavy
// ones, and the iteration before the update that is due has nothing to gain.
TYPED_TEST(MixedAtOnce, SolversHaveNothingLeftToDoForHeavyQuarks) {
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

// The rule must leave what is not finite alone, and the solver must see it although the others have gone on.
TEST(AtOnce, OneRightHandSideMeetsNanAndTheOthersAreSolved) {
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
TEST(AtOnce, OneRightHandSideIsOutOfRangeAndAllAreSolved) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  const auto dirac = make_operator<float>(random_links<float>(lattice), fermion_cases()[2]);
  const Schur<float> schur(*dirac);
  const NormalOperator<float> normal(schur);
  SpinorField<float> b = schur.make_field(3);
  set_gaussian(b, {.seed = 8});
  blas::scale(b, std::vector{1.0, 1e-19, 1.0});
  SpinorField<float> x = schur.make_field(3);
  const Through<float> waiting(schur, false);
  const SolverParameters with_history{.tolerance = 1e-5, .keep_history = true};
  const SolveResult by_waiting = BiCgStab<float>(waiting, with_history).solve(x, b);
  blas::set_zero(x);
  const SolveResult result = BiCgStab<float>(schur, with_history).solve(x, b);
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

}  // namespace
}  // namespace kaon::test
