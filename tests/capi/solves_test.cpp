// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/capi/handles.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/random.hpp>
#include <kaon/gauge/observables.hpp>
#include <kaon/io/spinors.hpp>
#include <kaon/quarks/propagator_solver.hpp>
#include <kaon/solvers/solver.hpp>

#include <cmath>
#include <filesystem>
#include <type_traits>

namespace kaon::test {
namespace KAON_TEST_FILE {

struct Case {
  kaon_action c;
  FermionAction cpp;
};
constexpr Case wilson{KAON_WILSON, FermionAction::wilson}, clover{KAON_WILSON_CLOVER, FermionAction::wilson_clover},
    staggered{KAON_STAGGERED, FermionAction::staggered};

/// All families of thin links.
std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const FermionFamily& family : fermion_families()) {
    if (family.links == FamilyLinks::thin) cases.push_back({static_cast<kaon_action>(family.action), family.action});
  }
  return cases;
}

/// One operator and source in C and in C++.
template <class T>
struct Both : Links {
  static constexpr bool narrow = std::is_same_v<T, float>;
  OperatorHandle dirac;
  SpinorHandle b, x;
  Quark<T> cpp_dirac;
  SpinorField<T> cpp_b, cpp_x;

  explicit Both(const Case& of)
      : Links({4, 4, 4, 8}, 1, narrow ? KAON_SINGLE : KAON_DOUBLE),
        cpp_dirac(make_quark(
            weak_links<T>(),
            {.action = of.cpp, .mass = 0.2, .mu = 0.1, .csw = 1.3, .slices = 4, .b = 1.5, .c = 0.5, .epsilon = 0.3})),
        cpp_b(cpp_dirac->make_field(2)),
        cpp_x(cpp_dirac->make_field(2)) {
    auto options = defaults(kaon_operator_options_init);
    options.action = of.c;
    options.mass = 0.2;
    const FermionFamily& family = family_of(of.cpp);
    if (family.reads("mu")) options.mu = 0.1;
    if (family.reads("csw")) options.csw = 1.3;
    if (family.reads("epsilon")) options.epsilon = 0.3;
    const int spins = family.spins(), slices = cpp_dirac->domain().slices;
    if (slices == 4) options.slices = 4, options.b = 1.5, options.c = 0.5;
    expect_ok(kaon_operator_create(gauge, &options, &dirac));
    make_spinor(b, lattice, 2, spins, narrow ? KAON_SINGLE : KAON_DOUBLE, slices);
    make_spinor(x, lattice, 2, spins, narrow ? KAON_SINGLE : KAON_DOUBLE, slices);
    set_gaussian(cpp_b, {.seed = 4});
    for (int k = 0; k < 2; ++k) set_values(b, k, cpp_b.to_host(k));
  }
  void expect_same_x() const {
    for (int k = 0; k < 2; ++k) {
      EXPECT_EQ(values_of(x, k), cpp_x.to_host(k));
    }
  }
};

template <class T>
void check_operators() {
  for (const Case& of : all_cases()) {
    SCOPED_TRACE(of.c);
    Both<T> both(of);
    SpinorField<T> product = both.cpp_dirac->make_field(2);
    expect_ok(kaon_operator_apply(both.dirac, KAON_M, both.x, both.b));
    both.cpp_dirac->apply(both.cpp_x, both.cpp_b);
    both.expect_same_x();
    expect_ok(kaon_operator_apply(both.dirac, KAON_M_DAGGER, both.x, both.b));
    adjointable(*both.cpp_dirac).apply_dagger(product, both.cpp_b);
    blas::copy(both.cpp_x, product);
    both.expect_same_x();
    expect_ok(kaon_operator_apply(both.dirac, KAON_M_DAGGER_M, both.x, both.b));
    both.cpp_dirac->apply(product, both.cpp_b);
    adjointable(*both.cpp_dirac).apply_dagger(both.cpp_x, product);
    both.expect_same_x();
  }
}

TEST(CSolves, ApplyTheOperatorsOfCpp) {
  check_operators<double>();
  check_operators<float>();
}

/// Solves in C, and compares with the result of `solver` in C++ to the digit.
template <class T, class Solver>
void expect_equal_solves(Both<T>& both, const kaon_solver_options& options, const Solver& cpp_solver) {
  SolverHandle solver;
  expect_ok(kaon_solver_create(both.dirac, &options, &solver));
  kaon_report reports[2];
  expect_ok(kaon_solver_solve(solver, both.x, both.b, reports));
  blas::set_zero(both.cpp_x);
  const SolveResult result = cpp_solver.solve(both.cpp_x, both.cpp_b);
  both.expect_same_x();
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_EQ(reports[k].converged, 1);
    EXPECT_EQ(reports[k].iterations, result.right_hand_sides[k].iterations);
    EXPECT_EQ(reports[k].residual, result.right_hand_sides[k].true_residual);
    EXPECT_LE(reports[k].residual, options.tolerance);
    EXPECT_EQ(reports[k].flops, result.flops);
    EXPECT_GT(reports[k].seconds, 0.0);
    EXPECT_EQ(reports[k].error, result.right_hand_sides[k].error);
    EXPECT_EQ(reports[k].error_at_least != 0, result.right_hand_sides[k].error_at_least);
    EXPECT_GT(reports[k].error, 0.0);
  }
}

kaon_solver_options solver_options(double tolerance) {
  auto options = defaults(kaon_solver_options_init);
  options.tolerance = tolerance;
  return options;
}

TEST(CSolves, EqualThoseOfCppForAllFamilies) {
  for (const Case& of : all_cases()) {
    SCOPED_TRACE(of.c);
    Both<double> both(of);
    const KrylovMethod automatic = of.c == KAON_STAGGERED            ? KrylovMethod::cg
                                   : both.cpp_dirac->is_indefinite() ? KrylovMethod::automatic
                                                                     : KrylovMethod::bicgstab;
    expect_equal_solves(both, solver_options(1e-10),
                        PropagatorSolver<double>(both.cpp_dirac, {.tolerance = 1e-10, .method = automatic}));
    double relative[2], heavy_quark[2];
    expect_ok(kaon_operator_residual(both.dirac, both.x, both.b, relative, heavy_quark));
    SpinorField<double> residual = both.cpp_dirac->make_field(2);
    both.cpp_dirac->apply(residual, both.cpp_x);
    const blas::Reals r = blas::xmy_norm2(residual, both.cpp_b), norm2 = blas::norm2(both.cpp_b);
    const std::vector<double> expected = heavy_quark_residual(residual, both.cpp_x);
    for (std::size_t k = 0; k < 2; ++k) {
      EXPECT_EQ(relative[k], std::sqrt(r[k] / norm2[k]));
      EXPECT_EQ(heavy_quark[k], expected[k]);
    }
  }
}

TEST(CSolves, RefusePropagatorsThatDoubletsDoNotHave) {
  Both<double> both({KAON_TWISTED_CLOVER, FermionAction::twisted_clover});
  auto physics = defaults(kaon_operator_options_init);
  physics.action = KAON_TWISTED_CLOVER_DOUBLET;
  physics.mass = 0.2;
  physics.csw = 1.3;
  physics.mu = 0.1;
  OperatorHandle doublet, none;
  expect_ok(kaon_operator_create(both.gauge, &physics, &doublet));
  SolverHandle solver;
  expect_ok(kaon_solver_create(doublet, nullptr, &solver));
  SpinorHandle no_field;
  expect_refusal(kaon_solver_propagate(solver, both.b, nullptr, &no_field, 0, nullptr, nullptr), KAON_INVALID,
                 "there is no propagator 'propagator': quarks of this operator have 0, 1_to_0, 0_to_1, 1");
  physics.epsilon = 10.0;
  expect_refusal(kaon_operator_create(both.gauge, &physics, &none), KAON_INVALID, "epsilon");
  physics.epsilon = 0.05;
  TermHandle term;
  expect_refusal(kaon_action_term_create_quarks(&physics, nullptr, &term), KAON_INVALID,
                 "flavors of twisted doublets is their number: 1");
}

TEST(CSolves, EqualThoseOfCppByAllMethods) {
  const std::pair<kaon_method, KrylovMethod> methods[] = {{KAON_CGNR, KrylovMethod::cgnr},
                                                          {KAON_CGNE, KrylovMethod::cgne},
                                                          {KAON_BLOCK_CG, KrylovMethod::block_cg},
                                                          {KAON_BICGSTAB, KrylovMethod::bicgstab},
                                                          {KAON_GCR_DD, KrylovMethod::gcr_dd}};
  for (const auto& [method, cpp_method] : methods) {
    SCOPED_TRACE(method);
    Both<double> both(clover);
    kaon_solver_options options = solver_options(1e-10);
    options.method = method;
    options.inner = KAON_INNER_SINGLE;
    options.links = 18;
    expect_equal_solves(
        both, options,
        PropagatorSolver<double>(
            both.cpp_dirac,
            {.tolerance = 1e-10, .method = cpp_method, .inner = InnerPrecision::single, .links = LinkStorage::full}));
  }
}

TEST(CSolves, OfQuarksAreThoseOfTheirMethods) {
  Both<double> both(staggered), of_wilson(clover);
  kaon_solver* refused = nullptr;
  kaon_solver_options given = solver_options(1e-10);
  given.method = KAON_CG;
  expect_refusal(kaon_solver_create(of_wilson.dirac, &given, &refused), KAON_UNSUPPORTED,
                 "method: cg does not solve for quarks of Wilson's kind: take auto, bicgstab, gcr-dd, multigrid, cgnr, "
                 "cgne or block-cg");
  for (const kaon_method method : {KAON_BICGSTAB, KAON_GCR_DD, KAON_CGNR, KAON_CGNE}) {
    kaon_solver_options options = solver_options(1e-10);
    options.method = method;
    expect_refusal(kaon_solver_create(both.dirac, &options, &refused), KAON_UNSUPPORTED,
                   "does not solve for staggered quarks: take auto, cg, multigrid or block-cg");
  }
}

TEST(CSolves, EqualThoseOfCppInSinglePrecision) {
  kaon_solver_options options = solver_options(3e-6);
  Both<double> rounded(clover);
  options.outer = KAON_SINGLE;
  expect_equal_solves(rounded, options,
                      PropagatorSolver(rounded.cpp_dirac, {.tolerance = 3e-6, .outer = OuterPrecision::single}));
  Both<float> single(wilson);
  expect_equal_solves(single, options, PropagatorSolver<float>(single.cpp_dirac, {.tolerance = 3e-6}));
}

/// Multigrid through kaon.h, for one Wilson-like and one staggered operator.
class CMultigrid : public ::testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Solves, CMultigrid, ::testing::Values(clover, staggered));

TEST_P(CMultigrid, EqualsThatOfCppAndKeepsItsVectors) {
  Both<double> both(GetParam());
  kaon_solver_options options = solver_options(1e-9);
  options.method = KAON_MULTIGRID;
  options.seed = 3;
  const SolveOptions parameters{.tolerance = 1e-9, .method = KrylovMethod::multigrid, .multigrid = {.seed = 3}};
  SolverHandle solver;
  expect_ok(kaon_solver_create(both.dirac, &options, &solver));
  kaon_report reports[2];
  expect_ok(kaon_solver_solve(solver, both.x, both.b, reports));
  EXPECT_LE(reports[0].residual, 1e-9);
  require_converged(PropagatorSolver<double>(both.cpp_dirac, parameters).solve(both.cpp_x, both.cpp_b));
  both.expect_same_x();
  const std::string path = ::testing::TempDir() + "c_vectors.lime";
  expect_ok(kaon_solver_save(solver, path.c_str()));
  EXPECT_GT(std::filesystem::file_size(path), 8 * both.cpp_x.to_host(0).size());
  const double average = plaquette(weak_links()).average;
  EXPECT_NEAR(io::read_spinors(both.cpp_b.lattice(), path).info.plaquette.value_or(0.0), average, 1e-14);
  kaon_solver_options warm = options;
  warm.near_null_file = path.c_str();
  SolverHandle again;
  expect_ok(kaon_solver_create(both.dirac, &warm, &again));
  SpinorHandle y;
  make_spinor(y, both.lattice, 2, both.cpp_x.spins());
  expect_ok(kaon_solver_solve(again, y, both.b, nullptr));
  std::filesystem::remove(path);
}

TEST(CSolves, AreWhatTheyWereWhereAnUpdateFails) {
  Both<double> both(clover), elsewhere(staggered);
  Both<float> single(clover);
  SolverHandle solver;
  const kaon_solver_options options = solver_options(1e-10);
  expect_ok(kaon_solver_create(both.dirac, &options, &solver));
  expect_refusal(kaon_solver_update(solver, single.dirac), KAON_INVALID,
                 "dirac is in single precision, but double is needed");
  expect_refusal(kaon_solver_update(solver, elsewhere.dirac), KAON_INVALID, "the operator has 1");
  LatticeHandle other;
  make_lattice(other, {4, 4, 4, 4});
  GaugeHandle links;
  make_random_links(links, other);
  OperatorHandle dirac;
  make_operator(dirac, links, KAON_WILSON_CLOVER);
  expect_refusal(kaon_solver_update(solver, dirac), KAON_INVALID, "on the lattice of the one before");
  expect_ok(kaon_solver_solve(solver, both.x, both.b, nullptr));
  PropagatorSolver<double>(both.cpp_dirac, {.tolerance = 1e-10, .method = KrylovMethod::bicgstab})
      .solve(both.cpp_x, both.cpp_b);
  both.expect_same_x();
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
