// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/operators/staggered_cases.hpp"
#include "tests/reference/schur.hpp"
#include "tests/solvers/solver_cases.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/operators/domain_wall.hpp>
#include <kaon/operators/normal.hpp>
#include <kaon/quarks/make_quark.hpp>
#include <kaon/quarks/normal_shift_solver.hpp>
#include <kaon/solvers/eigenvectors.hpp>

namespace kaon::test {
namespace KAON_TEST_FILE {

const std::vector<double> shifts{0.2, 0.0, 3.0};  // in no order
constexpr double wanted = 1e-11;

const DomainWallParameters walls{.mass = 0.05, .m5 = 1.8, .slices = 6, .b = 1.5, .c = 0.5};

/// `slow` is the reference operator, which knows nothing of the fast one.
template <class Slow>
void expect_solutions(const NormalShiftSolver& solver, const Slow& slow, const LinearOperator<double>& dirac,
                      const SpinorField<double>& b) {
  std::vector<SpinorField<double>> x;
  for (std::size_t i = 0; i < shifts.size(); ++i) x.push_back(dirac.make_field(b.right_hand_sides()));
  for (SpinorField<double>& field : x) set_gaussian(field, {.seed = 77});  // for any previous x
  const std::vector<SolveResult> results = solver.solve(x, b);
  ASSERT_EQ(results.size(), shifts.size());
  for (std::size_t i = 0; i < shifts.size(); ++i) {
    SCOPED_TRACE(shifts[i]);
    EXPECT_TRUE(results[i].converged());
    for (int k = 0; k < b.right_hand_sides(); ++k) {
      const auto values = x[i].to_host(k);
      auto product = slow.apply_dagger(slow.apply(values));
      for (std::size_t n = 0; n < product.size(); ++n) product[n] += shifts[i] * values[n];
      const double residual = reference::relative_difference(product, b.to_host(k));
      EXPECT_LE(residual, 1.001 * wanted);
      EXPECT_NEAR(results[i].right_hand_sides[static_cast<std::size_t>(k)].true_residual, residual, 1e-2 * wanted);
    }
  }
}

TEST(NormalShift, SolvesWilsonSystemsOfTheReference) {
  const Lattice lattice({.extents = {8, 4, 4, 8}});
  const GaugeField<double> links = random_links<double>(lattice);
  const FermionCase fermion = fermion_cases()[3];
  const WilsonClover<double> dirac(links, fermion.parameters);
  const reference::WilsonOperator slow(links.to_host(), lattice.extents(), reference_parameters(fermion));
  for (const InnerPrecision inner : {InnerPrecision::outer, InnerPrecision::single, InnerPrecision::half}) {
    const NormalShiftSolver solver(dirac, shifts, {.tolerance = wanted, .inner = inner});
    EXPECT_EQ(solver.shifts(), shifts);
    expect_solutions(solver, slow, dirac, gaussian<double>(lattice, 2));
  }
}

// Both forms on both parities, of clover and twisted clover quarks.
TEST(NormalShift, SolvesSchurComplementsOfTheReference) {
  const Lattice lattice({.extents = {4, 4, 2, 4}});
  const GaugeField<double> links = random_links<double>(lattice);
  for (const double mu : {0.0, 0.3}) {
    reference::WilsonParameters of_slow = reference_parameters(fermion_cases()[2]);
    of_slow.twisted_mass = mu;
    const reference::WilsonOperator slow(links.to_host(), lattice.extents(), of_slow);
    const FermionAction action = mu == 0.0 ? FermionAction::wilson_clover : FermionAction::twisted_clover;
    const Quark<double> dirac = make_quark(links, {.action = action, .mass = 0.1, .mu = mu, .csw = 1.3});
    for (const SchurForm form : {SchurForm::symmetric, SchurForm::asymmetric}) {
      for (const Parity parity : {Parity::even, Parity::odd}) {
        const bool symmetric = form == SchurForm::symmetric;
        const int p = parity == Parity::even ? 0 : 1;
        SpinorField<double> b(lattice,
                              {.subset = parity == Parity::even ? Subset::even : Subset::odd, .right_hand_sides = 2});
        set_gaussian(b, {.seed = 4});
        std::vector<SpinorField<double>> x;
        for (std::size_t i = 0; i < shifts.size(); ++i) x.emplace_back(lattice, b.parameters());
        const NormalShiftSolver solver(dirac, {.form = form, .parity = parity}, shifts, {.tolerance = wanted});
        const std::vector<SolveResult> results = solver.solve(x, b);
        for (std::size_t i = 0; i < shifts.size(); ++i) {
          EXPECT_TRUE(results[i].converged());
          for (int k = 0; k < 2; ++k) {
            const reference::Spinor values = x[i].to_host(k);
            const reference::Spinor product = reference::add(
                symmetric ? reference::schur_symmetric_dagger(slow, reference::schur_symmetric(slow, values, p), p)
                          : reference::schur_asymmetric_dagger(slow, reference::schur_asymmetric(slow, values, p), p),
                shifts[i], values);
            EXPECT_LE(reference::relative_difference(product, b.to_host(k)), 1.001 * wanted);
          }
        }
      }
    }
  }
}

TEST(NormalShift, SolvesStaggeredSystemsOfTheReference) {
  const Lattice lattice({.extents = {8, 4, 4, 8}});
  const GaugeField<double> links = rough_links<double>(lattice);
  const Quark<double> dirac = make_quark(links, {.action = FermionAction::staggered, .mass = 0.1});
  expect_solutions(NormalShiftSolver(dirac, shifts, {.tolerance = wanted}),
                   slow_staggered(links, StaggeredParameters{.mass = 0.1}), *dirac,
                   gaussian_colors<double>(lattice, 2));
}

TEST(NormalShift, SolvesDomainWallSystems) {
  const Lattice lattice({.extents = {8, 4, 4, 8}});
  const DomainWall<double> dirac(random_links<double>(lattice), walls);
  const NormalOperator<double> normal(dirac);
  SpinorField<double> b = dirac.make_field(1);
  set_gaussian(b, {.seed = 8});
  std::vector<SpinorField<double>> x;
  for (std::size_t i = 0; i < shifts.size(); ++i) x.push_back(dirac.make_field(1));
  const auto results = NormalShiftSolver(dirac, shifts, {.tolerance = 1e-9}).solve(x, b);
  for (std::size_t i = 0; i < shifts.size(); ++i) {
    expect_solution(Shifted<double>(normal, shifts[i]), x[i], b, results[i], 1e-9);
  }
}

TEST(DomainWallEigenvectors, AreThoseOfTheNormalOperator) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  const DomainWall<double> dirac(random_links<double>(lattice), walls);
  const Schur<double> schur(dirac, {SchurForm::asymmetric, Parity::even});
  const NormalOperator<double> normal(schur);
  const Eigenvectors<double> found = find_eigenvectors(normal, {.count = 3, .tolerance = 1e-9});
  ASSERT_TRUE(found.converged && found.complete);
  for (std::size_t k = 0; k < 3; ++k) {
    const SpinorField<double>& v = found.vectors[k];
    EXPECT_EQ(v.slices(), walls.slices);
    EXPECT_NEAR(blas::norm2(v)[0], 1.0, 1e-10);
    SpinorField<double> image = normal.make_field(1);
    normal.apply(image, v);
    EXPECT_NEAR(blas::inner_product(v, image)[0].real(), found.values[k], 1e-9);
    blas::axpy(image, v, -found.values[k]);
    EXPECT_LT(std::sqrt(blas::norm2(image)[0]), 1e-7);
  }
  // The smallest eigenvalue bounds |N v|^2 of every vector v.
  SpinorField<double> v = schur.make_field(1);
  set_gaussian(v, {.seed = 8});
  SpinorField<double> image = schur.make_field(1);
  schur.apply(image, v);
  EXPECT_GT(blas::norm2(image)[0], found.values[0] * blas::norm2(v)[0]);
}

TEST(NormalShift, RefusesShiftsAndFieldsThatDoNotFit) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  const Wilson<double> dirac(random_links<double>(lattice), {.mass = 0.1});
  const SpinorField<double> b = gaussian<double>(lattice, 1);
  std::vector<SpinorField<double>> x;
  KAON_EXPECT_ERROR(NormalShiftSolver(dirac, {}), "at least one shift");
  KAON_EXPECT_ERROR(NormalShiftSolver(dirac, {0.1, -0.5}), "shift 1 is -0.5");
  KAON_EXPECT_ERROR(NormalShiftSolver(dirac, {0.1}).solve(x, b), "0 fields were given for 1 shifts");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
