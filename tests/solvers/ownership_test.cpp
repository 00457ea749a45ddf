// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/solvers/solver_cases.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/operators/normal.hpp>
#include <kaon/operators/schur.hpp>
#include <kaon/solvers/adapters.hpp>
#include <kaon/solvers/krylov.hpp>
#include <kaon/solvers/multi_shift_cg.hpp>

#include <memory>
#include <utility>

// Adapters and solvers own their arguments if these are temporaries, and only then.
namespace kaon::test {
namespace KAON_TEST_FILE {

/// out = 2 in; each object holds a token, so that the number of tokens is that of the remaining objects.
template <class T>
class Twice final : public LinearOperator<T>, public Adjointable<T> {
 public:
  Twice(const Lattice& lattice, std::shared_ptr<int> token) : lattice_(lattice), token_(std::move(token)) {}
  Twice(Twice&&) = default;
  Twice& operator=(Twice&&) = default;
  void apply(SpinorField<T>& out, const SpinorField<T>& in) const override {
    blas::copy(out, in);
    blas::scale(out, 2.0);
  }
  void apply_dagger(SpinorField<T>& out, const SpinorField<T>& in) const override { apply(out, in); }
  const Lattice& lattice() const override { return lattice_; }
  SpinorParameters domain() const override { return {}; }

 private:
  Lattice lattice_;
  std::shared_ptr<int> token_;
};

class Ownership : public ::testing::Test {
 protected:
  template <class T = double>
  Twice<T> twice() const {
    return Twice<T>(lattice, token);
  }
  /// How many `Twice` live.
  long living() const { return token.use_count() - 1; }

  /// `make` returns an adapter around temporaries and owns `kept` of them; then out = factor in.
  template <class Make>
  void expect_to_own(const Make& make, long kept, double factor) const {
    ASSERT_EQ(living(), 0);
    {
      const auto adapter = make();
      EXPECT_EQ(living(), kept);
      SpinorField<double> out(lattice);
      adapter.apply(out, in);
      EXPECT_LE(reference::relative_difference(
                    out.to_host(), reference::add(reference::zero_spinor(lattice.extents()), factor, in.to_host())),
                1e-9);
    }
    EXPECT_EQ(living(), 0);
  }

  const Lattice lattice{{.extents = {4, 4, 4, 4}}};
  const std::shared_ptr<int> token = std::make_shared<int>();
  const SpinorField<double> in = gaussian<double>(lattice, 1);
};

TEST_F(Ownership, OfTemporariesIsWithTheAdapters) {
  expect_to_own([&] { return NormalOperator<double>(twice()); }, 1, 4.0);
  expect_to_own([&] { return Shifted<double>(twice(), 0.5); }, 1, 2.5);
  expect_to_own([&] { return Shifted<double>(NormalOperator<double>(twice()), 0.5); }, 1, 4.5);
}

TEST_F(Ownership, OfTemporariesIsWithTheSolvers) {
  expect_to_own([&] { return Cg<double>(twice(), {}); }, 1, 0.5);
  expect_to_own([&] { return Cgnr<double>(twice(), {}); }, 1, 0.5);
  expect_to_own([&] { return Cgne<double>(twice(), {}); }, 1, 0.5);
  expect_to_own([&] { return BiCgStab<double>(twice(), {}); }, 1, 0.5);
  expect_to_own([&] { return Gcr<double>(twice(), {}); }, 1, 0.5);
  expect_to_own([&] { return Gcr<double>(twice(), twice(), {}); }, 2, 0.5);
  expect_to_own([&] { return Mr<double>(twice(), {}); }, 1, 0.5);
  expect_to_own([&] { return Cg<double, float>(twice(), twice<float>(), {}); }, 2, 0.5);
  expect_to_own(
      [&] { return InPrecision<double, float>(twice(), BiCgStab<float>(twice<float>(), {.tolerance = 1e-4}), {}); }, 2,
      0.5);
}

TEST_F(Ownership, OfWhatHasANameStaysWithIt) {
  const Twice<double> matrix = twice();
  const NormalOperator<double> normal(matrix);
  const Cg<double> cg(normal, {});
  EXPECT_EQ(living(), 1);
  EXPECT_EQ(&cg.solved_operator(), &normal);
}

TEST_F(Ownership, OfShiftedSystemsIsWithTheirSolver) {
  {
    const MultiShiftCg<double> solver(twice(), {0.5, 1.0}, {});
    const MultiShiftCg<double, float> mixed(twice(), twice<float>(), {0.5, 1.0}, {});
    EXPECT_EQ(living(), 3);
    std::vector<SpinorField<double>> x;
    for (int s = 0; s < 2; ++s) x.emplace_back(lattice);
    for (const SolveResult& result : solver.solve(x, in)) EXPECT_TRUE(result.converged());
    for (const SolveResult& result : mixed.solve(x, in)) EXPECT_TRUE(result.converged());
  }
  EXPECT_EQ(living(), 0);
}

TEST_F(Ownership, OfAFallbackIsWithIt) {
  const Twice<double> matrix = twice();
  {
    // Two solvers of one operator: the first gets no iteration that helps.
    const auto next = [&] { return Cg<double, float>(matrix, twice<float>(), {}); };
    const Fallback<double> solver(
        InPrecision<double, float>(matrix, Mr<float>(Shifted<float>(twice<float>(), 1e6), {}), {.tolerance = 1e-10}),
        next, {.how = "in another way"});
    EXPECT_EQ(living(), 2);
    SpinorField<double> x(lattice);
    const SolveResult result = solver.solve(x, in);
    EXPECT_TRUE(result.converged());
    EXPECT_EQ(result.right_hand_sides[0].fallbacks, 1);
    EXPECT_EQ(living(), 3);  // with that of the second solver, which the next solve reuses
  }
  EXPECT_EQ(living(), 1);
}

// The whole chain from links to a solver in one expression, against objects with names.
TEST(Temporaries, SolveAsObjectsWithNamesDo) {
  const Lattice lattice({.extents = {8, 4, 4, 8}});
  const GaugeField<double> links = random_links<double>(lattice);
  const WilsonCloverParameters physics{.mass = 0.1, .csw = 1.3};
  const SpinorField<double> b = gaussian<double>(lattice, 2);

  const WilsonClover<double> dirac(links, physics);
  const Schur<double> schur(dirac);
  const BiCgStab<double> bicgstab(schur, {.tolerance = 1e-11});
  const EvenOddSolver<double> named(schur, bicgstab);
  const EvenOddSolver<double> in_one(
      BiCgStab<double>(Schur<double>(WilsonClover<double>(links, physics)), {.tolerance = 1e-11}));
  const EvenOddSolver<double> half_named(schur, BiCgStab<double>(schur, {.tolerance = 1e-11}));

  SpinorField<double> expected = dirac.make_field(2), x = dirac.make_field(2), y = dirac.make_field(2);
  expect_solution(dirac, expected, b, named.solve(expected, b), 1e-11);
  expect_solution(in_one.solved_operator(), x, b, in_one.solve(x, b), 1e-11);
  half_named.solve(y, b);
  for (int k = 0; k < 2; ++k) {
    EXPECT_EQ(x.to_host(k), expected.to_host(k));
    EXPECT_EQ(y.to_host(k), expected.to_host(k));
  }
}

TEST(Temporaries, MakeSchwarzPreconditionersThatMove) {
  const Lattice lattice({.extents = {8, 4, 4, 8}});
  const GaugeField<double> links = random_links<double>(lattice);
  const WilsonCloverParameters physics{.mass = 0.1, .csw = 1.3};
  const WilsonClover<double> dirac(links, physics);
  const Schur<double> schur(dirac);
  const SchwarzParameters blocks{.block = {4, 4, 4, 4}, .steps = 6};
  const Schwarz<double> named(schur, blocks);
  Schwarz<double> temporary(Schur<double>(WilsonClover<double>(links, physics)), blocks);
  const Schwarz<double> moved = std::move(temporary);
  const SpinorField<double> b = gaussian<double>(lattice, 1).parity(Parity::even);
  SpinorField<double> expected = schur.make_field(1), found = schur.make_field(1);
  named.apply(expected, b);
  moved.apply(found, b);
  EXPECT_EQ(found.to_host(), expected.to_host());

  const Gcr<double> gcr(schur, Schwarz<double>(schur, blocks), {.solve = {.tolerance = 1e-11}});
  SpinorField<double> x = schur.make_field(1);
  expect_solution(schur, x, b, gcr.solve(x, b), 1e-11);
}

TEST(EvenOddSolvers, RefuseSolversOfOtherOperators) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  const Wilson<double> dirac(random_links<double>(lattice), {.mass = 0.1});
  const Schur<double> schur(dirac);
  const BiCgStab<double> of_all_sites(dirac, {});
  const BiCgStab<double> of_schur(schur, {});
  KAON_EXPECT_ERROR(EvenOddSolver<double>(Ref<Solver<double>>(of_all_sites)), "must solve an even-odd system");
  KAON_EXPECT_ERROR(EvenOddSolver<double>(Schur<double>(dirac), of_schur),
                    "must solve the even-odd system that it is given with");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
