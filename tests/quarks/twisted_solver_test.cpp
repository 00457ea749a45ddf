// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/gauge/test_lattices.hpp"
#include "tests/operators/twisted_cases.hpp"
#include "tests/solvers/solver_cases.hpp"
#include "tests/support/built_storages.hpp"

#include <kaon/operators/schur.hpp>
#include <kaon/quarks/propagator_solver.hpp>
#include <kaon/solvers/bicgstab.hpp>
#include <kaon/solvers/cg.hpp>
#include <kaon/solvers/even_odd_solver.hpp>
#include <kaon/solvers/gcr.hpp>
#include <kaon/solvers/in_precision.hpp>
#include <kaon/solvers/schwarz.hpp>

namespace kaon::test {
namespace KAON_TEST_FILE {

// Cases with the usual boundaries: Wilson and clover.
std::vector<TwistedCase> cases() { return {twisted_cases()[0], twisted_cases()[2]}; }

template <class T>
class TwistedSolvers : public ::testing::Test {};
TYPED_TEST_SUITE(TwistedSolvers, Precisions);

template <class T>
std::vector<std::unique_ptr<Solver<T>>> krylov_solvers(const LinearOperator<T>& matrix, double tolerance) {
  std::vector<std::unique_ptr<Solver<T>>> solvers;
  const SolverParameters parameters{.tolerance = tolerance};
  solvers.push_back(std::make_unique<BiCgStab<T>>(matrix, parameters));
  solvers.push_back(std::make_unique<Cgnr<T>>(matrix, parameters));
  solvers.push_back(std::make_unique<Cgne<T>>(matrix, parameters));
  solvers.push_back(std::make_unique<Gcr<T>>(matrix, GcrParameters{.solve = {.tolerance = tolerance}}));
  return solvers;
}

TYPED_TEST(TwistedSolvers, SolveTheFullSystem) {
  using T = TypeParam;
  const Lattice lattice({.extents = {8, 4, 4, 8}});
  for (const TwistedCase& twisted : cases()) {
    SCOPED_TRACE(describe(lattice, twisted.fermion));
    const auto dirac = make_operator<T>(random_links<T>(lattice), twisted);
    const SpinorField<T> b = gaussian<T>(lattice, 2);
    for (const auto& solver : krylov_solvers<T>(*dirac, reachable<T>)) {
      SpinorField<T> x = dirac->make_field(2);
      const SolveResult result = solver->solve(x, b);
      expect_solution(*dirac, x, b, result, reachable<T>);
    }
  }
}

TYPED_TEST(TwistedSolvers, SolveThroughSchurComplements) {
  using T = TypeParam;
  for (const Lanes lanes : {Lanes::native, Lanes::single}) {
    const Lattice lattice({.extents = {8, 4, 4, 8}, .lanes = lanes});
    for (const TwistedCase& twisted : cases()) {
      const auto dirac = make_operator<T>(random_links<T>(lattice), twisted);
      const SpinorField<T> b = gaussian<T>(lattice, 2);
      for (const SchurForm form : {SchurForm::symmetric, SchurForm::asymmetric}) {
        SCOPED_TRACE(describe(lattice, twisted.fermion));
        const Schur<T> schur(*dirac, {.form = form});
        for (const auto& solver : krylov_solvers<T>(schur, 2.0 * reachable<T>)) {
          SpinorField<T> x = dirac->make_field(2);
          const SolveResult result = EvenOddSolver<T>(schur, *solver).solve(x, b);
          expect_solution(*dirac, x, b, result, 2.0 * reachable<T>);
        }
      }
    }
  }
}

template <class S>
class TwistedMixedPrecision : public ::testing::Test {};
using InnerPrecisions = ::testing::Types<float, half>;
TYPED_TEST_SUITE(TwistedMixedPrecision, InnerPrecisions);

TYPED_TEST(TwistedMixedPrecision, ReachesDouble) {
  using S = TypeParam;
  const Lattice lattice({.extents = {8, 4, 4, 8}});
  for (const TwistedCase& twisted : cases()) {
    const auto dirac = make_operator<double>(random_links<double>(lattice), twisted);
    const Schur<double> schur(*dirac);
    const SpinorField<double> b = gaussian<double>(lattice, 3);
    for (const LinkStorage storage : built({LinkStorage::full, LinkStorage::two_rows, LinkStorage::minimal})) {
      SCOPED_TRACE(describe(lattice, twisted.fermion) + ", " + std::to_string(reals(storage)) + " reals");
      const auto rounded = converted<S>(*dirac, twisted, storage);
      const Schur<S> inner(*rounded);
      const BiCgStab<double, S> bicgstab(schur, inner, {.tolerance = 1e-11});
      const Cgnr<double, S> cgnr(schur, inner, {.tolerance = 1e-11});
      for (const Solver<double>* solver :
           {static_cast<const Solver<double>*>(&bicgstab), static_cast<const Solver<double>*>(&cgnr)}) {
        SpinorField<double> x = dirac->make_field(3);
        const SolveResult result = EvenOddSolver<double>(schur, *solver).solve(x, b);
        expect_solution(*dirac, x, b, result, 1e-11);
      }
    }
  }
}

TYPED_TEST(TwistedSolvers, SolveByTheDefaultOfTheLibrary) {
  using T = TypeParam;
  const Lattice lattice({.extents = {8, 4, 4, 8}});
  const GaugeField<T> links = random_links<T>(lattice);
  const SpinorField<T> b = gaussian<T>(lattice, 2);
  const TwistedMass<T> twisted(links, {.mass = -0.1, .mu = 0.2});
  TwistedCloverParameters parameters;
  parameters.mass = -0.1;
  parameters.mu = -0.2;
  const TwistedClover<T> clover(links, parameters);
  SpinorField<T> x = twisted.make_field(2), y = clover.make_field(2);
  const PropagatorSolver of_twisted(twisted, {.tolerance = 2.0 * reachable<T>});
  const PropagatorSolver of_clover(clover, {.tolerance = 2.0 * reachable<T>});
  expect_solution(twisted, x, b, of_twisted.solve(x, b), 2.0 * reachable<T>);
  expect_solution(clover, y, b, of_clover.solve(y, b), 2.0 * reachable<T>);
}

// The blocks of a Schwarz preconditioner have the twist of the whole.
TYPED_TEST(TwistedMixedPrecision, ReachesDoubleByGcrOnBlocks) {
  using S = TypeParam;
  const Lattice lattice({.extents = {8, 4, 4, 8}});
  for (const TwistedCase& twisted : cases()) {
    SCOPED_TRACE(describe(lattice, twisted.fermion));
    const auto dirac = make_operator<double>(random_links<double>(lattice), twisted);
    const Schur<double> schur(*dirac);
    const auto rounded = converted<S>(*dirac, twisted, LinkStorage::two_rows);
    const Schur<S> inner(*rounded);
    const Schwarz<S> schwarz(inner, {.block = {4, 4, 4, 4}, .steps = 6});
    const Gcr<S> gcr(inner, schwarz, {.solve = {.tolerance = 0.1}});
    const InPrecision<double, S> outer(schur, gcr, {.tolerance = 1e-11, .max_refinements = 100});
    const SpinorField<double> b = gaussian<double>(lattice, 2);
    SpinorField<double> x = dirac->make_field(2);
    const SolveResult result = EvenOddSolver<double>(schur, outer).solve(x, b);
    expect_solution(*dirac, x, b, result, 1e-11);
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
