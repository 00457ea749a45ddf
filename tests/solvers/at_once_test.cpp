// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/gauge/test_lattices.hpp"
#include "tests/solvers/solver_cases.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/operators/normal.hpp>
#include <kaon/operators/schur.hpp>
#include <kaon/solvers/bicgstab.hpp>
#include <kaon/solvers/cg.hpp>
#include <kaon/solvers/mr.hpp>

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
  void apply_dagger(SpinorField<T>& out, const SpinorField<T>& in) const override { matrix_.apply_dagger(out, in); }
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

 private:
  template <class Apply>
  blas::Products with_products(const SpinorField<T>& x, blas::ProductsWanted<T> wanted, const Apply& apply) const {
    if (!at_once_) wanted.at_once = nullptr;
    if (!prepare_) return apply(x, wanted);
    SpinorField<T> in = this->make_field(x.right_hand_sides());
    blas::copy(in, x);
    prepare_(in);
    return apply(in, wanted);
  }

  const LinearOperator<T>& matrix_;
  bool at_once_;
  Prepare prepare_;
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
  Through<T> waiting_{schur_, false};

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
      SpinorField<T> x = this->schur_.make_field(count), expected = this->schur_.make_field(count);
      const SolveResult result = at_once.solve(x, b), other = waiting.solve(expected, b);
      EXPECT_TRUE(result.converged());
      for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) {
        EXPECT_NEAR(result.right_hand_sides[k].iterations, other.right_hand_sides[k].iterations, 1);
      }
      EXPECT_LE(largest_difference(x, expected), 1e3 * reachable<T>);
    };
    expect_same(BiCgStab<T>(this->schur_, parameters), BiCgStab<T>(this->waiting_, parameters), "BiCGstab");
    expect_same(Cgnr<T>(this->schur_, parameters), Cgnr<T>(this->waiting_, parameters), "CGNR");
    expect_same(Cgne<T>(this->schur_, parameters), Cgne<T>(this->waiting_, parameters), "CGNE");
  }
}

TYPED_TEST(AtOnceIn, ConjugateGradientsTakeTheSameSteps) {
  using T = TypeParam;
  const NormalOperator<T> normal(this->schur_), of_waiting(this->waiting_);
  const SpinorField<T> b = this->source(3);
  SpinorField<T> x = normal.make_field(3), expected = normal.make_field(3);
  const SolverParameters parameters{.tolerance = 2 * reachable<T>};
  const SolveResult result = Cg<T>(normal, parameters).solve(x, b);
  const SolveResult other = Cg<T>(of_waiting, parameters).solve(expected, b);
  expect_solution<T>(normal, x, b, result, 2 * reachable<T>);
  EXPECT_NEAR(result.iterations(), other.iterations(), 1);
  EXPECT_LE(largest_difference(x, expected), 1e3 * reachable<T>);
}

// With quarks as heavy as these S itself is Hermitian enough for a few steps.
TYPED_TEST(AtOnceIn, ConjugateGradientsTakeTheSameStepsOnOneOperator) {
  using T = TypeParam;
  const auto heavy = make_operator<T>(random_links<T>(this->lattice_), {"heavy", false, {.mass = 8.0}});
  const Schur<T> schur(*heavy);
  const Through<T> waiting(schur, false);
  const SpinorField<T> b = this->source(3);
  SpinorField<T> x = schur.make_field(3), expected = schur.make_field(3);
  const SolverParameters parameters{.tolerance = 1e-30, .max_iterations = 4, .keep_history = true};
  const SolveResult result = Cg<T>(schur, parameters).solve(x, b);
  const SolveResult other = Cg<T>(waiting, parameters).solve(expected, b);
  ASSERT_EQ(result.history.size(), 4u);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_LT(result.history.back()[k], 0.1);
  for (std::size_t n = 0; n < 4; ++n) {
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(result.history[n][k], other.history[n][k], 1e2 * detail::spacing<T>());
    }
  }
  EXPECT_LE(largest_difference(x, expected), 1e2 * detail::spacing<T>());
}

TYPED_TEST(AtOnceIn, MinimalResidualsTakeTheSameSteps) {
  using T = TypeParam;
  for (const int steps : {1, 5}) {
    const Mr<T> at_once(this->schur_, {.steps = steps}), waiting(this->waiting_, {.steps = steps});
    const SpinorField<T> b = this->source(3);
    SpinorField<T> x = this->schur_.make_field(3), expected = this->schur_.make_field(3);
    at_once.apply(x, b);
    waiting.apply(expected, b);
    EXPECT_LE(largest_difference(x, expected), 1e2 * detail::spacing<T>());
    for (const double norm2 : blas::norm2(x)) EXPECT_GT(norm2, 0.0);
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
  expect_solution<float>(schur, x, b, BiCgStab<float>(schur, {.tolerance = 1e-5}).solve(x, b), 1e-5);
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
