// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/lattice/workspace.hpp"
#include "core/tuning/without_tuning.hpp"
#include "tests/gauge/test_lattices.hpp"
#include "tests/solvers/solver_cases.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/operators/normal.hpp>
#include <kaon/operators/schur.hpp>
#include <kaon/solvers/krylov.hpp>

#include <algorithm>
#include <functional>
#include <limits>
#include <string>
#include <type_traits>

namespace kaon::test {
namespace KAON_TEST_FILE {

/// M, applied to fields that `prepare(x)` may change; unless `ahead`, the host waits for the reductions.
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
  mutable int ran_ahead_ = 0;
};

/// An operator in T, and in S, in which iterations run ahead of the host or wait for it.
template <class T, class S = T>
struct System {
  System(const Lattice& lattice, const FermionCase& fermion)
      : dirac(make_operator<T>(random_links<T>(lattice), fermion)), low([&] {
          if constexpr (std::is_same_v<T, S>) {
            return make_operator<S>(random_links<S>(lattice), fermion);
          } else {
            return converted<S>(*dirac, fermion, LinkStorage::full);
          }
        }()) {}
  explicit System(const Lattice& lattice) : System(lattice, fermion_cases()[2]) {}
  SpinorField<T> source(int right_hand_sides) const {
    SpinorField<T> b = schur.make_field(right_hand_sides);
    set_gaussian(b, {.seed = 8});
    return b;
  }

  std::unique_ptr<EvenOddOperator<T>> dirac;
  std::unique_ptr<EvenOddOperator<S>> low;
  Schur<T> schur{*dirac};
  Schur<S> inner{*low};
  Through<S> ahead{inner, true}, waiting{inner, false};
  NormalOperator<T> normal{schur};
  NormalOperator<S> ahead_normal{ahead}, waiting_normal{waiting};

  /// Calls `check(matrix, solver that runs ahead, solver that waits)` for each method.
  template <class Check>
  void with_each_method(const SolverParameters& parameters, const Check& check) const {
    const auto call = [&]<class Solver>(const char* name, std::type_identity<Solver>, const auto& matrix,
                                        const auto& runs, const auto& waits) {
      SCOPED_TRACE(name);
      check(matrix, Solver(matrix, runs, parameters), Solver(matrix, waits, parameters));
    };
    call("BiCGstab", std::type_identity<BiCgStab<T, S>>(), schur, ahead, waiting);
    call("CGNR", std::type_identity<Cgnr<T, S>>(), schur, ahead, waiting);
    call("CGNE", std::type_identity<Cgne<T, S>>(), schur, ahead, waiting);
    call("CG", std::type_identity<Cg<T, S>>(), normal, ahead_normal, waiting_normal);
  }
};

template <class Pair>
class RunAheadIn : public ::testing::Test {
 protected:
  Lattice lattice_{LatticeParameters{.extents = {8, 4, 4, 8}}};
};
template <class T, class S>
struct In {
  using Outer = T;
  using Inner = S;
};
using PrecisionPairs = ::testing::Types<In<double, double>, In<float, float>, In<double, float>, In<double, half>>;
TYPED_TEST_SUITE(RunAheadIn, PrecisionPairs);

// More right-hand sides than a kernel takes functions for wait, too.
TYPED_TEST(RunAheadIn, SolversConvergeAsIfTheyWaited) {
  using T = typename TypeParam::Outer;
  using S = typename TypeParam::Inner;
  constexpr bool mixed = !std::is_same_v<T, S>;
  const double tolerance = mixed ? 1e-11 : reachable<T>;
  const System<T, S> system(this->lattice_);
  for (const int count : {1, 3, 17}) {
    SCOPED_TRACE(count);
    const SpinorField<T> b = system.source(count);
    const int before = system.ahead.ran_ahead();
    system.with_each_method({.tolerance = 2 * tolerance},
                            [&](const auto& matrix, const auto& ahead, const auto& waiting) {
                              SpinorField<T> x = matrix.make_field(count), expected = matrix.make_field(count);
                              const SolveResult result = ahead.solve(x, b), other = waiting.solve(expected, b);
                              expect_solution<T>(matrix, x, b, result, 2 * tolerance);
                              EXPECT_NEAR(result.iterations(), other.iterations(), mixed ? 3 : 1);
                              EXPECT_LE(largest_difference(x, expected), 1e3 * tolerance);
                            });
    EXPECT_EQ(system.ahead.ran_ahead() > before, count < 17);
  }
}

// A solve that ends early has enqueued an iteration whose reductions are not used: the next solve is the same to the
// bit.
TYPED_TEST(RunAheadIn, SolversThatEndEarlyLeaveNothingBehind) {
  const detail::WithoutTuning off;  // launch shapes change the order of sums on GPUs
  using T = typename TypeParam::Outer;
  const System<T, typename TypeParam::Inner> system(this->lattice_);
  const SpinorField<T> b = system.source(2);
  system.with_each_method({.tolerance = reachable<T>}, [&](const auto& matrix, const auto& solver, const auto&) {
    SpinorField<T> expected = matrix.make_field(2), x = matrix.make_field(2);
    solver.solve(expected, b);
    for (const int last : {1, 2, 5}) {
      const auto on_iteration = [&](int iteration, std::span<const double>) { return iteration < last; };
      blas::set_zero(x);
      EXPECT_TRUE(solver.solve(x, b, {.progress = on_iteration}).stopped);
      blas::set_zero(x);
      EXPECT_EQ(solver.solve(x, b, {.iterations = {last, last}}).iterations(), last);
      EXPECT_EQ(this->lattice_.workspace().results_in_flight(), 0);
      blas::set_zero(x);
      solver.solve(x, b);
      EXPECT_EQ(x.to_host(), expected.to_host()) << last;
    }
  });
}

// With heavy quarks the lower precision has done what it can after an iteration or two, to the last bit with very heavy
// ones, and the iteration before the update that is due has nothing to gain.
TYPED_TEST(RunAheadIn, SolversHaveNothingLeftToDoForHeavyQuarks) {
  using T = typename TypeParam::Outer;
  using S = typename TypeParam::Inner;
  if (std::is_same_v<T, S>) return;
  for (const double mass : {1e1, 1e2, 1e3, 1e6, 1e9}) {
    SCOPED_TRACE(mass);
    const System<T, S> system(this->lattice_, {"", false, {.mass = mass}});
    for (const int max_restarts : {0, 10}) {
      for (const int count : {1, 3}) {
        const SpinorField<T> b = system.source(count);
        system.with_each_method({.tolerance = 1e-11, .max_iterations = 100, .max_restarts = max_restarts},
                                [&](const auto& matrix, const auto& solver, const auto& waiting) {
                                  SpinorField<T> x = matrix.make_field(count), y = matrix.make_field(count);
                                  const int needed = waiting.solve(y, b).iterations();
                                  const SolveResult result = solver.solve(x, b);
                                  expect_solution<T>(matrix, x, b, result, 1e-11);
                                  EXPECT_LE(result.iterations(), needed + 1);
                                });
      }
    }
  }
}

TEST(RunAhead, MinimalResidualsTakeTheSameSteps) {
  const System<float> system(Lattice({.extents = {8, 4, 4, 8}}));
  const SpinorField<float> b = system.source(3);
  for (const int steps : {1, 5}) {
    SpinorField<float> x = system.schur.make_field(3), expected = system.schur.make_field(3);
    Mr<float>(system.ahead, {.steps = steps}).apply(x, b);
    Mr<float>(system.waiting, {.steps = steps}).apply(expected, b);
    EXPECT_LE(largest_difference(x, expected), 1e2 * detail::spacing<float>());
    for (const double norm2 : blas::norm2(x)) EXPECT_GT(norm2, 0.0);
  }
}

// Functions must decline numbers that are not finite, and the solver must see it although the others have continued.
TEST(RunAhead, OneRightHandSideMeetsNanAndTheOthersAreSolved) {
  const System<double> system(Lattice({.extents = {4, 4, 4, 4}}));
  const SpinorField<double> b = system.source(3);
  for (int first = 1; first < 6; ++first) {
    int count = 0;
    const Through<double> faulty(system.schur, true, [&](SpinorField<double>& in) {
      if (++count < first || in.right_hand_sides() < 3) return;
      auto values = in.to_host(1);
      for (auto& value : values) {
        if (value != 0.0) value = std::numeric_limits<double>::quiet_NaN();
      }
      in.from_host(values, 1);
    });
    const auto expect = [&](const char* name, const Solver<double>& solver) {
      SCOPED_TRACE(std::string(name) + " " + std::to_string(first));
      count = 0;
      SpinorField<double> x = system.schur.make_field(3);
      expect_nan_in_one(solver.solve(x, b), x);
    };
    expect("BiCGstab", BiCgStab<double>(faulty, {.tolerance = 1e-12}));
    expect("CGNR", Cgnr<double>(faulty, {.tolerance = 1e-12}));
    expect("CGNE", Cgne<double>(faulty, {.tolerance = 1e-12}));
  }
}

// In single precision, products of one right-hand side leave the range of `float`: the host solves it beside the
// others.
TEST(RunAhead, OneRightHandSideIsOutOfRangeAndAllAreSolved) {
  const System<float> system(Lattice({.extents = {4, 4, 4, 4}}));
  SpinorField<float> b = system.source(3);
  blas::scale(b, std::vector{1.0, 1e-19, 1.0});
  system.with_each_method({.tolerance = 1e-5}, [&](const auto& matrix, const auto& solver, const auto& waiting) {
    SpinorField<float> x = matrix.make_field(3), y = matrix.make_field(3);
    expect_solution<float>(matrix, x, b, solver.solve(x, b), 1e-5);
    expect_solution<float>(matrix, y, b, waiting.solve(y, b), 1e-5);
  });
  SpinorField<float> out = system.schur.make_field(3), alone = system.schur.make_field(1);
  SpinorField<float> b_1 = system.schur.make_field(1);
  const Mr<float> mr(system.schur, {.steps = 4});
  mr.apply(out, b);
  blas::copy(b_1, b.range(1, 1));
  blas::scale(b_1, std::vector{1e19});
  mr.apply(alone, b_1);
  blas::scale(alone, std::vector{1e-19});
  EXPECT_LE(largest_difference<float>(out.range(1, 1), alone), 1e-5);
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
