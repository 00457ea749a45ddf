// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/blas/solver_blas.hpp"
#include "tests/operators/staggered_cases.hpp"
#include "tests/solvers/solver_cases.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/operators/staggered.hpp>
#include <kaon/quarks/propagator_solver.hpp>
#include <kaon/solvers/eigenvectors.hpp>
#include <kaon/solvers/krylov.hpp>

#include <limits>
#include <memory>

namespace kaon::test {
namespace KAON_TEST_FILE {

/// Light quarks, and the eigenvectors of their normal operator on even sites.
struct LightQuarks {
  Lattice lattice{{.extents = {4, 4, 4, 8}}};
  GaugeField<double> links = rough_links<double>(lattice);
  Staggered<double> dirac{links, {.mass = 0.01}};
  StaggeredNormal<double> normal{dirac, Parity::even};
  std::shared_ptr<const Eigenvectors<double>> low = std::make_shared<const Eigenvectors<double>>(
      find_eigenvectors<double>(normal, {.count = 12, .basis = 60, .tolerance = 1e-11}));
};

class Deflation : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { shared = std::make_unique<LightQuarks>(); }
  static void TearDownTestSuite() { shared.reset(); }
  static inline std::unique_ptr<LightQuarks> shared;
  const LightQuarks& quarks = *shared;
};

// The part in the space of the eigenvectors needs no iteration.
TEST_F(Deflation, SolvesInTheSpaceOfTheEigenvectorsAlone) {
  ASSERT_TRUE(quarks.low->converged);
  SpinorField<double> b = quarks.normal.make_field(1), x = quarks.normal.make_field(1);
  std::vector<blas::Complexes> parts, expected;
  for (std::size_t i = 0; i < quarks.low->values.size(); ++i) {
    const std::complex<double> part(1.0 + static_cast<double>(i), -0.5 * static_cast<double>(i));
    parts.push_back({part});
    expected.push_back({-part / quarks.low->values[i]});
  }
  blas::block_caxpy<double>(b, quarks.low->vectors, parts);
  const Deflated<double> solver(Cg<double>(quarks.normal, {.tolerance = 1e-7}), quarks.low);
  const SolveResult result = solver.solve(x, b);
  EXPECT_TRUE(result.converged());
  EXPECT_EQ(result.iterations(), 0);
  const double norm = std::sqrt(blas::norm2(x)[0]);
  blas::block_caxpy<double>(x, quarks.low->vectors, expected);
  EXPECT_LE(std::sqrt(blas::norm2(x)[0]), 1e-6 * norm);
}

TEST_F(Deflation, SavesIterationsInEveryPrecision) {
  const SpinorField<double> b = gaussian_colors<double>(quarks.lattice, 3);
  for (const InnerPrecision inner : {InnerPrecision::half, InnerPrecision::single, InnerPrecision::outer}) {
    SCOPED_TRACE(static_cast<int>(inner));
    const double tolerance = 1e-9;
    SolveOptions parameters{.tolerance = tolerance, .inner = inner};
    SpinorField<double> x = quarks.dirac.make_field(3);
    const SolveResult plain = PropagatorSolver(quarks.dirac, parameters).solve(x, b);
    expect_solution(quarks.dirac, x, b, plain, tolerance);
    blas::set_zero(x);
    parameters.eigenvectors = quarks.low;
    const SolveResult deflated = PropagatorSolver(quarks.dirac, parameters).solve(x, b);
    expect_solution(quarks.dirac, x, b, deflated, tolerance);
    EXPECT_LT(3 * deflated.iterations(), 2 * plain.iterations()) << plain.iterations();
    EXPECT_EQ(deflated.right_hand_sides[0].fallbacks, 0);
  }
}

// Eigenvectors do not depend on the mass, and a solve starts from the given x.
TEST_F(Deflation, ServesAllMassesAndFirstGuesses) {
  const Staggered<double> heavier(quarks.links, {.mass = 0.02});
  const SpinorField<double> b = gaussian_colors<double>(quarks.lattice, 2);
  const PropagatorSolver solver(heavier, {.tolerance = 1e-10, .eigenvectors = quarks.low});
  SpinorField<double> x = heavier.make_field(2);
  const SolveResult first = solver.solve(x, b);
  expect_solution(heavier, x, b, first, 1e-10);
  const SolveResult again = solver.solve(x, b);
  EXPECT_TRUE(again.converged());
  EXPECT_EQ(again.iterations(), 0);
}

// At the end of a stage, too, where all right-hand sides have reached what they were to.
TEST_F(Deflation, StopsAtAnyIteration) {
  const Staggered<double> heavier(quarks.links, {.mass = 0.3});
  const SpinorField<double> b = gaussian_colors<double>(quarks.lattice, 2);
  for (const InnerPrecision inner : {InnerPrecision::half, InnerPrecision::outer}) {
    int calls = 0, last = std::numeric_limits<int>::max();
    SolveOptions parameters{.tolerance = 1e-9, .inner = inner, .eigenvectors = quarks.low};
    parameters.on_iteration = [&](int, std::span<const double>) { return ++calls < last; };
    const PropagatorSolver solver(heavier, parameters);
    SpinorField<double> x = heavier.make_field(2);
    ASSERT_TRUE(solver.solve(x, b).converged());
    const int all = calls;
    ASSERT_GT(all, 20);
    for (last = 1; last < all; ++last) {
      SCOPED_TRACE(last);
      calls = 0;
      blas::set_zero(x);
      const SolveResult result = solver.solve(x, b);
      EXPECT_EQ(calls, last);
      EXPECT_TRUE(result.stopped);
      // Solves aim a little lower than at the tolerance.
      if (last < all - 3) {
        EXPECT_FALSE(result.converged());
      }
      for (const auto& r : result.right_hand_sides) {
        EXPECT_TRUE(r.status == SolveStatus::stopped || r.status == SolveStatus::converged) << to_string(r.status);
        EXPECT_EQ(r.fallbacks, 0);
      }
    }
  }
}

// Right-hand sides that are good enough are not corrected: others may be better, or worse.
TEST_F(Deflation, LeavesSolutionsAlone) {
  SpinorField<double> b = quarks.normal.make_field(2), x = quarks.normal.make_field(2);
  set_gaussian(b, {.seed = 4});
  const Deflated<double> solver(Cg<double>(quarks.normal, {}), quarks.low);
  blas::copy(x, b);
  const std::vector<std::complex<double>> before = x.to_host(0);
  const std::vector<double> targets{std::numeric_limits<double>::infinity(), 1e-8};
  EXPECT_TRUE(solver.solve(x, b, {.residual_norms = targets}).converged());
  EXPECT_EQ(x.to_host(0), before);
}

TEST_F(Deflation, RefusesOtherVectors) {
  const auto refused = [&](std::vector<SpinorField<double>> vectors, const char* text) {
    const auto others = std::make_shared<Eigenvectors<double>>();
    others->vectors = std::move(vectors);
    KAON_EXPECT_ERROR(Deflated<double>(Cg<double>(quarks.normal, {}), others), text);
  };
  refused({}, "a deflation needs eigenvectors");
  SpinorField<double> noise = gaussian_colors<double>(quarks.lattice, 1);
  std::vector<SpinorField<double>> vectors;
  vectors.push_back(noise.parity(Parity::even));
  refused(std::move(vectors), "vector 0 does not suit the deflation of this operator");
  vectors.clear();
  vectors.push_back(std::move(noise));
  refused(std::move(vectors), "eigenvector 0 is a field of another lattice, other sites or other spins");
  KAON_EXPECT_ERROR(PropagatorSolver(quarks.dirac, {.method = KrylovMethod::multigrid, .eigenvectors = quarks.low}),
                    "eigenvectors deflate conjugate gradients of staggered operators only");
  const Staggered<float> single(quarks.dirac, LinkStorage::full, HaloPrecision::field);
  KAON_EXPECT_ERROR(PropagatorSolver(single, {.eigenvectors = quarks.low}), "solvers in double only");
  // Eigenvectors of one parity are none of the other.
  KAON_EXPECT_ERROR(PropagatorSolver(quarks.dirac, {.parity = Parity::odd, .eigenvectors = quarks.low}), "other sites");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
