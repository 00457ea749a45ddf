// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/operators/staggered_cases.hpp"
#include "tests/solvers/solver_cases.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/operators/normal.hpp>
#include <kaon/operators/schur.hpp>
#include <kaon/operators/staggered.hpp>
#include <kaon/quarks/multi_mass_solver.hpp>
#include <kaon/quarks/normal_shift_solver.hpp>
#include <kaon/quarks/propagator_solver.hpp>
#include <kaon/solvers/adapters.hpp>
#include <kaon/solvers/krylov.hpp>
#include <kaon/solvers/multi_shift_cg.hpp>

#include <fmt/format.h>

#include <limits>

namespace kaon::test {
namespace KAON_TEST_FILE {

/// An operator, in double and in single precision.
class SolverParameterRange : public ::testing::Test {
 protected:
  Lattice lattice_{LatticeParameters{.extents = {4, 4, 4, 4}}};
  GaugeField<double> links_ = random_links<double>(lattice_);
  Wilson<double> dirac_{links_, {.mass = 0.1}};
  Wilson<float> rounded_{dirac_};
  NormalOperator<double> normal_{dirac_};
  NormalOperator<float> rounded_normal_{rounded_};
};

// At a tolerance of 1 zero would be a solution.
TEST_F(SolverParameterRange, HasTolerancesBetweenZeroAndOne) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const double tolerance : {0.0, -1.0, 1.0, 2.0, infinity, std::numeric_limits<double>::quiet_NaN()}) {
    const std::string text = fmt::format("the tolerance {} of a solver does not lie between 0 and 1", tolerance);
    SCOPED_TRACE(text);
    const SolverParameters parameters{.tolerance = tolerance};
    KAON_EXPECT_ERROR(Cg<double>(normal_, parameters), text);
    KAON_EXPECT_ERROR(Cgnr<double>(dirac_, parameters), text);
    KAON_EXPECT_ERROR(Cgne<double>(dirac_, parameters), text);
    KAON_EXPECT_ERROR((BiCgStab<double, float>(dirac_, rounded_, parameters)), text);
    KAON_EXPECT_ERROR(Gcr<double>(dirac_, {.solve = parameters}), text);
    KAON_EXPECT_ERROR(Mr<double>(dirac_, {.solve = parameters}), text);
    KAON_EXPECT_ERROR((MultiShiftCg<double, float>(normal_, rounded_normal_, {0.1}, {.tolerance = tolerance})), text);
    KAON_EXPECT_ERROR((MultiShiftCg<double, float>(normal_, rounded_normal_, {0.1}, {.inner_tolerance = tolerance})),
                      text);
    const BiCgStab<float> inner(rounded_, {});
    KAON_EXPECT_ERROR((InPrecision<double, float>(dirac_, inner, {.tolerance = tolerance})), text);
    for (const KrylovMethod method : {KrylovMethod::automatic, KrylovMethod::cgnr, KrylovMethod::multigrid}) {
      KAON_EXPECT_ERROR(PropagatorSolver(dirac_, {.tolerance = tolerance, .method = method}), text);
    }
    const Staggered<double> staggered(links_, {.mass = 0.1});
    KAON_EXPECT_ERROR(MultiMassSolver(staggered, {0.1}, {.tolerance = tolerance}), text);
    KAON_EXPECT_ERROR(NormalShiftSolver(dirac_, {0.1}, {.tolerance = tolerance}), text);
  }
  KAON_EXPECT_ERROR((InPrecision<double, float>(dirac_, BiCgStab<float>(rounded_, {}), {.inner_tolerance = -0.1})),
                    "inner_tolerance is -0.1: it lies between 0 and 1, or is 0");
}

TEST_F(SolverParameterRange, HasIterations) {
  for (const int most : {0, -1}) {
    const std::string text = fmt::format("max_iterations of a solver is {}: give at least 1", most);
    const SolverParameters parameters{.max_iterations = most};
    KAON_EXPECT_ERROR(Cg<double>(normal_, parameters), text);
    KAON_EXPECT_ERROR((BiCgStab<double, float>(dirac_, rounded_, parameters)), text);
    KAON_EXPECT_ERROR(Gcr<double>(dirac_, {.solve = parameters}), text);
    KAON_EXPECT_ERROR(Mr<double>(dirac_, {.solve = parameters}), text);
    KAON_EXPECT_ERROR((MultiShiftCg<double, float>(normal_, rounded_normal_, {0.1}, {.max_iterations = most})), text);
    for (const KrylovMethod method : {KrylovMethod::automatic, KrylovMethod::gcr_dd, KrylovMethod::multigrid}) {
      KAON_EXPECT_ERROR(PropagatorSolver(dirac_, {.max_iterations = most, .method = method}), text);
    }
  }
  KAON_EXPECT_ERROR((InPrecision<double, float>(dirac_, BiCgStab<float>(rounded_, {}), {.max_iterations = -1})),
                    "max_iterations is -1: give 0, for no bound, or more");
  KAON_EXPECT_ERROR(Cg<double>(normal_, {.max_restarts = -1}), "max_restarts of a solver is -1: give at least 0");
  KAON_EXPECT_ERROR(Cg<double>(normal_, {.max_iterations_without_progress = 0}),
                    "max_iterations_without_progress of a solver is 0: give at least 1");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
