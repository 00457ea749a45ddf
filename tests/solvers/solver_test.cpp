// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/gauge/test_lattices.hpp"
#include "tests/solvers/solver_cases.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/message.hpp>
#include <kaon/operators/normal.hpp>
#include <kaon/operators/schur.hpp>
#include <kaon/solvers/adapters.hpp>
#include <kaon/solvers/krylov.hpp>

#include <cmath>
#include <limits>

namespace kaon::test {
namespace KAON_TEST_FILE {

template <class T>
std::vector<std::unique_ptr<Solver<T>>> all_solvers(const LinearOperator<T>& matrix,
                                                    const SolverParameters& parameters) {
  std::vector<std::unique_ptr<Solver<T>>> solvers;
  solvers.push_back(std::make_unique<BiCgStab<T>>(matrix, parameters));
  solvers.push_back(std::make_unique<Cgnr<T>>(matrix, parameters));
  solvers.push_back(std::make_unique<Cgne<T>>(matrix, parameters));
  solvers.push_back(std::make_unique<Gcr<T>>(matrix, GcrParameters{.krylov_space = 8, .solve = parameters}));
  solvers.push_back(std::make_unique<Gcr<T>>(matrix, Mr<T>(matrix, {.steps = 2}),
                                             GcrParameters{.krylov_space = 6, .solve = parameters}));
  solvers.push_back(std::make_unique<Mr<T>>(matrix, MrParameters{.omega = 1.1, .solve = parameters}));
  return solvers;
}

template <class T>
class Solvers : public SolverTest<T> {};
TYPED_TEST_SUITE(Solvers, Precisions);

TYPED_TEST(Solvers, SolveTheFullSystem) {
  for (const auto& solver : all_solvers<TypeParam>(*this->dirac_, {.tolerance = reachable<TypeParam>})) {
    SpinorField<TypeParam> x = this->dirac_->make_field(3);
    const SolveResult result = solver->solve(x, this->b_);
    expect_solution<TypeParam>(*this->dirac_, x, this->b_, result, reachable<TypeParam>);
    EXPECT_GT(result.flops, 0.0);
    EXPECT_GT(result.seconds, 0.0);
    EXPECT_EQ(solver->solve(x, this->b_).iterations(), 0) << "from the solution";
  }
}

TYPED_TEST(Solvers, SolveTheFullSystemThroughEverySchurComplement) {
  for (const SolverCase<TypeParam>& test : solver_cases<TypeParam>(this->lattice_)) {
    SCOPED_TRACE(test.name);
    for (const SchurForm form : {SchurForm::symmetric, SchurForm::asymmetric}) {
      for (const Parity parity : {Parity::even, Parity::odd}) {
        const Schur<TypeParam> schur(*test.dirac, {form, parity});
        for (const auto& inner : all_solvers<TypeParam>(schur, {.tolerance = 2 * reachable<TypeParam>})) {
          const EvenOddSolver<TypeParam> solver(schur, *inner);
          SpinorField<TypeParam> x = test.dirac->make_field(3);
          const SolveResult result = solver.solve(x, this->b_);
          expect_solution<TypeParam>(*test.dirac, x, this->b_, result, 2 * reachable<TypeParam>);
        }
      }
    }
  }
}

TYPED_TEST(Solvers, CgSolvesTheNormalSystem) {
  const NormalOperator<TypeParam> normal(*this->dirac_);
  SpinorField<TypeParam> x = normal.make_field(3);
  const SolveResult result = Cg<TypeParam>(normal, {.tolerance = 2 * reachable<TypeParam>}).solve(x, this->b_);
  expect_solution<TypeParam>(normal, x, this->b_, result, 2 * reachable<TypeParam>);
}

TYPED_TEST(Solvers, ConvergeEachRightHandSideByItself) {
  // The second right-hand side starts close to its solution: it needs fewer iterations.
  for (const auto& solver : all_solvers<TypeParam>(*this->dirac_, {.tolerance = reachable<TypeParam>})) {
    SpinorField<TypeParam> x = this->dirac_->make_field(3), alone = this->dirac_->make_field(1);
    SpinorField<TypeParam> exact = this->dirac_->make_field(1);
    solver->solve(exact, this->b_.range(1, 1));
    SpinorField<TypeParam> x_1 = x.range(1, 1);
    blas::copy(x_1, exact);
    blas::scale(x_1, std::vector{1.001});
    const SolveResult result = solver->solve(x, this->b_);
    expect_solution<TypeParam>(*this->dirac_, x, this->b_, result, reachable<TypeParam>);
    EXPECT_LT(result.right_hand_sides[1].iterations, result.right_hand_sides[0].iterations);
    const SolveResult single = solver->solve(alone, this->b_.range(0, 1));
    EXPECT_NEAR(single.iterations(), result.right_hand_sides[0].iterations, 2);
  }
}

TYPED_TEST(Solvers, ApplyStepsToEachRightHandSideByItself) {
  using T = TypeParam;
  const Gcr<T> gcr(*this->dirac_, {.steps = 3});
  const Mr<T> mr(*this->dirac_, {.steps = 3});
  for (const Solver<T>* solver : {static_cast<const Solver<T>*>(&gcr), static_cast<const Solver<T>*>(&mr)}) {
    SpinorField<T> b = gaussian<T>(this->lattice_, 4), x = this->dirac_->make_field(4),
                   alone = this->dirac_->make_field(1);
    SpinorField<T> b_1 = b.range(1, 1), b_2 = b.range(2, 1);
    blas::set_zero(b_1);  // has no direction at all
    blas::scale(b_2, 1e-25);
    solver->apply(x, b);
    for (const int k : {0, 2, 3}) {
      solver->apply(alone, b.range(k, 1));
      EXPECT_EQ(x.to_host(k), alone.to_host());
    }
    EXPECT_EQ(blas::norm2(x)[1], 0.0);
    EXPECT_GT(blas::norm2(x)[2], 0.0);

    const auto sound = x.to_host(0);
    for (const double fault : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
      std::vector<std::complex<double>> values = b.to_host(3);
      values[100] = fault;
      b.from_host(values, 3);
      solver->apply(x, b);
      EXPECT_EQ(x.to_host(0), sound);
      EXPECT_EQ(blas::norm2(x)[3], 0.0);
    }
  }
}

TEST(SolversOfAnySize, TakeSourcesWhoseSquaresSquaredLeaveTheRange) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  const auto dirac = make_operator<double>(random_links<double>(lattice), fermion_cases()[2]);
  for (const double size : {1e-100, 1e100}) {
    SpinorField<double> b = gaussian<double>(lattice, 2);
    blas::scale(b, blas::Reals(2, size));
    const BiCgStab<double> bicgstab(*dirac, {.tolerance = 1e-10});
    const Mr<double> mr(*dirac, {.solve = {.tolerance = 1e-10}});
    for (const Solver<double>* solver :
         {static_cast<const Solver<double>*>(&bicgstab), static_cast<const Solver<double>*>(&mr)}) {
      SpinorField<double> x = dirac->make_field(2);
      const SolveResult result = solver->solve(x, b);
      expect_solution<double>(*dirac, x, b, result, 1e-10);
    }
  }
}

TYPED_TEST(Solvers, ReportWhatTheyDid) {
  std::vector<int> seen;
  const BiCgStab<TypeParam> solver(*this->dirac_, {.tolerance = 1e-4});
  const SolveRequest request{.progress =
                                 [&](int iteration, std::span<const double>) {
                                   seen.push_back(iteration);
                                   return true;
                                 },
                             .keep_history = true};
  SpinorField<TypeParam> x = this->dirac_->make_field(3);
  const SolveResult result = solver.solve(x, this->b_, request);
  EXPECT_EQ(static_cast<int>(result.history.size()), result.iterations());
  EXPECT_EQ(static_cast<int>(seen.size()), result.iterations());
  EXPECT_EQ(seen.front(), 1);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_LE(result.history.back()[k], 1e-4);
    EXPECT_GT(result.history.front()[k], 1e-4);
  }
}

TYPED_TEST(Solvers, SayWhenIterationsRunOut) {
  for (const auto& solver :
       all_solvers<TypeParam>(*this->dirac_, {.tolerance = reachable<TypeParam>, .max_iterations = 3})) {
    SpinorField<TypeParam> x = this->dirac_->make_field(3);
    const SolveResult result = solver->solve(x, this->b_);
    for (const auto& r : result.right_hand_sides) {
      EXPECT_EQ(r.status, SolveStatus::max_iterations);
      EXPECT_EQ(r.iterations, 3);
      EXPECT_GT(r.true_residual, reachable<TypeParam>);
      EXPECT_LT(r.true_residual, 1.0);
    }
    KAON_EXPECT_ERROR(require_converged(result), "right-hand side 0 ran out of iterations after 3 iterations");
  }
}

TYPED_TEST(Solvers, SayWhenThePrecisionIsTooCoarse) {
  for (const auto& solver : all_solvers<TypeParam>(*this->dirac_, {.tolerance = 1e-20, .max_iterations = 2000})) {
    SpinorField<TypeParam> x = this->dirac_->make_field(3);
    const SolveResult result = solver->solve(x, this->b_);
    EXPECT_FALSE(result.converged());
    for (const auto& r : result.right_hand_sides) {
      EXPECT_NE(r.status, SolveStatus::converged);
      EXPECT_LT(r.true_residual, 10 * reachable<TypeParam>);  // the best x is returned
    }
  }
}

TYPED_TEST(Solvers, GiveZeroForAZeroSourceAmongOthers) {
  SpinorField<TypeParam> b = this->dirac_->make_field(3);
  blas::copy(b, this->b_);
  blas::set_zero(b.range(1, 1));
  std::vector<std::string> notices;
  set_message_handler([&](MessageKind, const std::string& text) { notices.push_back(text); });
  for (const auto& solver : all_solvers<TypeParam>(*this->dirac_, {.tolerance = reachable<TypeParam>})) {
    SpinorField<TypeParam> x = this->dirac_->make_field(3);
    SpinorField<TypeParam> x_1 = x.range(1, 1);
    set_gaussian(x_1, {.seed = 8});  // a first x, which is not the solution
    notices.clear();
    const SolveResult result = solver->solve(x, b);
    EXPECT_TRUE(result.converged());
    EXPECT_EQ(blas::norm2(x)[1], 0.0);
    EXPECT_EQ(result.right_hand_sides[1].true_residual, 0.0);
    EXPECT_EQ(result.right_hand_sides[1].iterations, 0);
    EXPECT_GT(result.right_hand_sides[2].iterations, 0);
    EXPECT_EQ(notices, std::vector<std::string>{"right-hand side 1 is zero, and so is its solution"});
  }
  set_message_handler({});
}

// Their squares vanish in double, or overflow.
TEST(Solvers, SolveForSourcesOfAnyLength) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  const auto dirac = make_operator<double>(random_links<double>(lattice), fermion_cases()[2]);
  const SpinorField<double> b = gaussian<double>(lattice, 3);
  SpinorField<double> scaled = blas::clone(b);
  const int power = 650;
  blas::scale(scaled, blas::Reals{std::ldexp(1.0, -power), 1.0, std::ldexp(1.0, power)});
  for (const auto& solver : all_solvers<double>(*dirac, {.tolerance = 1e-10})) {
    SpinorField<double> x = dirac->make_field(3), of_scaled = dirac->make_field(3);
    ASSERT_TRUE(solver->solve(x, b).converged());
    const SolveResult result = solver->solve(of_scaled, scaled);
    EXPECT_TRUE(result.converged());
    EXPECT_LE(result.true_residual(), 1e-10);
    blas::scale(of_scaled, blas::Reals{std::ldexp(1.0, power), 1.0, std::ldexp(1.0, -power)});
    const blas::Reals norm2 = blas::norm2(x), difference2 = blas::xmy_norm2(of_scaled, x);
    for (std::size_t k = 0; k < norm2.size(); ++k) EXPECT_LE(difference2[k], 1e-18 * norm2[k]) << k;
    SpinorField<double> x_0 = of_scaled.range(0, 1);
    KAON_EXPECT_ERROR(solver->solve(x_0, scaled.range(0, 1), {.residual_norms = {1e-3}}), "shorter than 1e-140");
  }
}

TYPED_TEST(Solvers, RefuseNanSources) {
  const BiCgStab<TypeParam> solver(*this->dirac_, {});
  SpinorField<TypeParam> x = this->dirac_->make_field(3);
  SpinorField<TypeParam> one = this->b_.range(1, 1);
  std::vector<std::complex<double>> values(static_cast<std::size_t>(this->lattice_.volume() * 12));
  values[100] = std::numeric_limits<double>::quiet_NaN();
  one.from_host(values);
  KAON_EXPECT_ERROR(solver.solve(x, this->b_), "right-hand side 1 holds NaN or infinity");
}

TYPED_TEST(Solvers, StopAtNanInTheOperatorAndKeepTheGuess) {
  GaugeField<TypeParam> links = random_links<TypeParam>(this->lattice_);
  const Wilson<TypeParam> dirac(links, {.mass = 0.1});
  std::vector<std::complex<double>> values = links.to_host();
  values[77] = std::numeric_limits<double>::quiet_NaN();
  links.from_host(values);  // the operator has a handle to these links
  for (const auto& solver : all_solvers<TypeParam>(dirac, {.tolerance = reachable<TypeParam>})) {
    SpinorField<TypeParam> x = dirac.make_field(3);
    const SolveResult result = solver->solve(x, this->b_);
    for (const auto& r : result.right_hand_sides) EXPECT_EQ(r.status, SolveStatus::not_a_number);
    for (const double norm2 : blas::norm2(x)) EXPECT_EQ(norm2, 0.0);
  }
}

TEST(Solvers, StopOneRightHandSideAtNanAndSolveTheOthers) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  const auto dirac = make_operator<double>(random_links<double>(lattice), fermion_cases()[2]);
  const NormalOperator<double> normal(*dirac);
  const SpinorField<double> b = gaussian<double>(lattice, 3);
  for (const double fault : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    for (int first = 1; first < 6; ++first) {
      SCOPED_TRACE(first);
      SpinorField<double> x = dirac->make_field(3);
      const auto positive = faulty(normal, 1, first, fault);
      expect_nan_in_one(Cg<double>(positive, {.tolerance = 1e-12}).solve(x, b), x);
      for (std::size_t method = 0; first > 1 && method < all_solvers<double>(*dirac, {}).size(); ++method) {
        SCOPED_TRACE(method);
        const auto matrix = faulty(*dirac, 1, first, fault);
        blas::set_zero(x);
        expect_nan_in_one(all_solvers<double>(matrix, {.tolerance = 1e-12})[method]->solve(x, b), x);
      }
    }
  }
}

// The whole source may sit where the Schur complement does not see it.
TEST(EvenOddSolver, SolvesForASourceWhoseSchurSourceVanishes) {
  const Lattice lattice({.extents = {4, 4, 4, 8}});
  const GaugeField<double> links = unit_links<double>(lattice);
  const Wilson<double> dirac(links, {.mass = 0.5});
  SpinorField<double> x = dirac.make_field(1), b = dirac.make_field(1), exact = gaussian<double>(lattice, 1);
  blas::set_zero(exact.parity(Parity::even));
  dirac.apply(b, exact);
  const Schur<double> schur(dirac);
  const BiCgStab<double> inner(schur, {.tolerance = 1e-12});
  const SolveResult result = EvenOddSolver<double>(schur, inner).solve(x, b);
  EXPECT_TRUE(result.converged());
  EXPECT_LT(reference::relative_difference(x.to_host(), exact.to_host()), 1e-11);
}

TEST(Solvers, RefuseAWrongNumberOfResidualNormsAndOneField) {
  const Lattice lattice({.extents = {4, 4, 4, 8}});
  const auto dirac = make_operator<double>(random_links<double>(lattice), fermion_cases()[2]);
  SpinorField<double> b = gaussian<double>(lattice, 2);
  SpinorField<double> x = dirac->make_field(2);
  const Schur<double> schur(*dirac);
  const BiCgStab<double> krylov(schur, {}), full(*dirac, {});
  const SolveRequest one{.residual_norms = {1e-3}};
  KAON_EXPECT_ERROR(full.solve(b, b), "x and b of a solve must be two fields");
  KAON_EXPECT_ERROR(EvenOddSolver<double>(schur, krylov).solve(b, b), "x and b of a solve must be two fields");
  SpinorField<double> both = gaussian<double>(lattice, 3), beginning = both.range(0, 2);
  KAON_EXPECT_ERROR(full.solve(beginning, both.range(1, 2)), "x and b of a solve must be two fields");
  KAON_EXPECT_ERROR(full.solve(x, b, one), "1 residual norms were given for 2 right-hand sides");
  KAON_EXPECT_ERROR(EvenOddSolver<double>(schur, krylov).solve(x, b, one), "1 residual norms were given for 2");
  for (const double impossible : {-1.0, std::numeric_limits<double>::quiet_NaN()}) {
    KAON_EXPECT_ERROR(full.solve(x, b, {.residual_norms = {1e-5, impossible}}),
                      "of right-hand side 1 cannot be reached");
  }
  KAON_EXPECT_ERROR(full.solve(x, b, {.active = {true}}), "1 flags of activity were given for 2 right-hand sides");
  KAON_EXPECT_ERROR(full.solve(x, b, {.iterations = {1, 2, 3}}), "3 bounds of iterations were given for 2");
}

TYPED_TEST(Solvers, GiveUpOnASingularOperator) {
  const auto dirac = singular_operator<TypeParam>(this->lattice_);
  const SpinorField<TypeParam> b = constant_field<TypeParam>(this->lattice_);
  for (const auto& solver : all_solvers<TypeParam>(*dirac, {})) {
    SpinorField<TypeParam> x(this->lattice_);
    const SolveResult result = solver->solve(x, b);
    EXPECT_EQ(result.right_hand_sides[0].status, SolveStatus::breakdown);
    EXPECT_EQ(result.right_hand_sides[0].true_residual, 1.0);
  }
}

TEST(Cg, SaysThatAnOperatorIsNotPositive) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  const GaugeField<double> links = unit_links<double>(lattice);
  const Wilson<double> dirac(links, {.mass = -9.0});  // negative definite real part
  const SpinorField<double> b = gaussian<double>(lattice, 1);
  SpinorField<double> x(lattice);
  const SolveResult result = Cg<double>(dirac, {}).solve(x, b);
  EXPECT_EQ(result.right_hand_sides[0].status, SolveStatus::breakdown);
}

TEST(InPrecision, ReachesDoubleWithASolverInSingle) {
  const Lattice lattice({.extents = {8, 4, 4, 8}});
  const auto dirac = make_operator<double>(random_links<double>(lattice), fermion_cases()[2]);
  const WilsonClover<float> rounded(dynamic_cast<const WilsonClover<double>&>(*dirac));
  const Schur<float> schur(rounded);
  const BiCgStab<float> krylov(schur, {.tolerance = 1e-5});
  const EvenOddSolver<float> inner(schur, krylov);
  const InPrecision<double, float> solver(*dirac, inner, {.tolerance = 1e-13});
  const SpinorField<double> b = gaussian<double>(lattice, 3);
  SpinorField<double> x(lattice, {.right_hand_sides = 3});
  const SolveResult result = solver.solve(x, b);
  expect_solution<double>(*dirac, x, b, result, 1e-13);
}

TEST(Solver, IsAnOperatorThatInverts) {
  const Lattice lattice({.extents = {4, 4, 4, 8}});
  const auto dirac = make_operator<double>(random_links<double>(lattice), fermion_cases()[2]);
  const BiCgStab<double> solver(*dirac, {.tolerance = 1e-13});
  const SpinorField<double> b = gaussian<double>(lattice, 1);
  SpinorField<double> x(lattice), again(lattice);
  solver.apply(x, b);
  dirac->apply(again, x);
  EXPECT_LT(reference::relative_difference(again.to_host(), b.to_host()), 1e-12);
  KAON_EXPECT_ERROR(adjointable(solver), "this operator has no adjoint");
  KAON_EXPECT_ERROR(Cgnr<double>(solver, {}), "this operator has no adjoint");
  KAON_EXPECT_ERROR(Cgne<double>(solver, {}), "this operator has no adjoint");
  KAON_EXPECT_ERROR(NormalOperator<double>(solver), "this operator has no adjoint");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
