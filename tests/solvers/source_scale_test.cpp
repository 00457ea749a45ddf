// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/operators/staggered_cases.hpp"
#include "tests/solvers/solver_cases.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/operators/staggered.hpp>
#include <kaon/quarks/propagator_solver.hpp>
#include <kaon/solvers/krylov.hpp>

namespace kaon::test {
namespace KAON_TEST_FILE {

template <class S>
class SourceScale : public ::testing::Test {};
using LowPrecisions = ::testing::Types<float, half>;
TYPED_TEST_SUITE(SourceScale, LowPrecisions);

// Numbers of single precision end at 1e-38, and the residual of a source of 1e-30 after a solve is below that.
TYPED_TEST(SourceScale, DoesNotMatterToMixedPrecision) {
  using S = TypeParam;
  const Lattice lattice({.extents = {4, 4, 4, 8}});
  const Staggered<double> staggered(rough_links<double>(lattice), {.mass = 0.1});
  const Staggered<S> rounded_staggered(staggered, LinkStorage::full);
  const StaggeredNormal<double> normal(staggered);
  const StaggeredNormal<S> rounded_normal(rounded_staggered);
  const Wilson<double> wilson(random_links<double>(lattice), {.mass = 0.5});
  const Wilson<S> rounded(wilson);
  const Cg<double, S> cg(normal, rounded_normal, {});
  const Cgnr<double, S> cgnr(wilson, rounded, {});
  const Cgne<double, S> cgne(wilson, rounded, {});
  const BiCgStab<double, S> bicgstab(wilson, rounded, {});
  const Solver<double>* const solvers[] = {&cg, &cgnr, &cgne, &bicgstab};
  for (const Solver<double>* solver : solvers) {
    int iterations = 0;
    for (const double length : {1.0, 1e-25, 1e-40, 1e-100, 1e-200, 1e-300, 1e40, 1e100, 1e200}) {
      SCOPED_TRACE(length);
      SpinorField<double> b = solver->make_field(1), x = solver->make_field(1);
      set_gaussian(b, {.seed = 3});
      blas::scale(b, length);
      const SolveResult result = solver->solve(x, b);
      for (SpinorField<double>* field : {&x, &b}) blas::scale(*field, 1.0 / length);
      expect_solution<double>(solver->solved_operator(), x, b, result, 1e-10);
      if (length == 1.0) iterations = result.iterations();
      EXPECT_LE(result.iterations(), 1.1 * iterations + 2);
    }
  }
}

// Each right-hand side has a scale of its own, and a first x is scaled as well.
TEST(SourceScales, AreThoseOfEachRightHandSide) {
  const Lattice lattice({.extents = {4, 4, 4, 8}});
  const WilsonClover<double> dirac(random_links<double>(lattice), {.mass = 0.2, .csw = 1.0});
  const WilsonClover<float> rounded(dirac);
  SpinorField<double> b = gaussian<double>(lattice, 4), x = dirac.make_field(4);
  blas::scale(b, blas::Reals{1.0, 1e-35, 0.0, 1e50});
  const BiCgStab<double, float> solver(dirac, rounded, {.tolerance = 1e-11});
  const SolveRequest none;
  const auto expect_all = [&](const SolveResult& result, double tolerance) {
    SpinorField<double> r = dirac.make_field(4);
    dirac.apply(r, x);
    const blas::Reals r2 = blas::xmy_norm2(r, b), b2 = blas::norm2(b);
    EXPECT_TRUE(result.converged());
    for (std::size_t k = 0; k < 4; ++k) EXPECT_LE(std::sqrt(r2[k]), tolerance * std::sqrt(b2[k])) << k;
  };
  const SolveResult first = solver.solve(x, b, none);
  expect_all(first, 1e-11);
  const SolveResult again = solver.solve(x, b, none);
  EXPECT_EQ(again.iterations(), 0);
  // Norms that are given are those of b as it is.
  blas::set_zero(x);
  std::vector<double> norms;
  for (const double norm2 : blas::norm2(b)) norms.push_back(1e-5 * std::sqrt(norm2));
  const SolveResult rough = solver.solve(x, b, {.residual_norms = norms});
  expect_all(rough, 1e-5);
  EXPECT_LT(rough.iterations(), first.iterations());
  KAON_EXPECT_ERROR(solver.solve(b, b, none), "x and b of a solve must be two fields");
  KAON_EXPECT_ERROR(solver.solve(x, b, {.residual_norms = std::vector<double>(3, 1.0)}),
                    "3 residual norms were given for 4");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
