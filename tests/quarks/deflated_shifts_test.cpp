// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/operators/staggered_cases.hpp"
#include "tests/reference/vectors.hpp"
#include "tests/solvers/solver_cases.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/operators/normal.hpp>
#include <kaon/operators/staggered.hpp>
#include <kaon/operators/twisted_mass.hpp>
#include <kaon/quarks/multi_mass_solver.hpp>
#include <kaon/quarks/normal_shift_solver.hpp>
#include <kaon/quarks/propagator_solver.hpp>
#include <kaon/solvers/krylov.hpp>

#include <algorithm>
#include <memory>
#include <vector>

namespace kaon::test {
namespace KAON_TEST_FILE {

using Low = std::shared_ptr<const Eigenvectors<double>>;

Low low_modes(const LinearOperator<double>& matrix, int count, double tolerance) {
  return std::make_shared<const Eigenvectors<double>>(
      find_eigenvectors<double>(matrix, {.count = count, .tolerance = tolerance}));
}

/// Vectors with errors: |A v - lambda v| is about `part` of lambda.
Low inexact(const LinearOperator<double>& matrix, const Eigenvectors<double>& exact, double part) {
  const auto low = std::make_shared<Eigenvectors<double>>();
  for (std::size_t i = 0; i < exact.vectors.size(); ++i) {
    SpinorField<double> v = matrix.make_field(1), error = matrix.make_field(1), image = matrix.make_field(1);
    set_gaussian(error, {.seed = 100 + i});
    matrix.apply(image, error);
    blas::copy(v, exact.vectors[i]);
    blas::axpy(v, error, part * exact.values[i] / std::sqrt(blas::norm2(image)[0]));
    blas::scale(v, 1.0 / std::sqrt(blas::norm2(v)[0]));
    low->vectors.push_back(std::move(v));
  }
  return low;
}

const std::vector<double> masses{0.03, 0.01, 1.0, 0.02};  // in no order

/// Light quarks, and the eigenvectors of their normal operator on even sites.
struct LightQuarks {
  Lattice lattice{{.extents = {4, 4, 4, 8}}};
  GaugeField<double> links = rough_links<double>(lattice);
  Staggered<double> dirac{links, {.mass = 0.1}};  // a mass that is none of those
  StaggeredNormal<double> normal{Staggered<double>(links, {.mass = 0.01}), Parity::even};
  Low low = low_modes(normal, 12, 1e-13);
};

class DeflatedShifts : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { shared = std::make_unique<LightQuarks>(); }
  static void TearDownTestSuite() { shared.reset(); }
  static inline std::unique_ptr<LightQuarks> shared;
  const LightQuarks& quarks = *shared;

  static std::vector<SpinorField<double>> fields(std::size_t count, const SpinorField<double>& b) {
    std::vector<SpinorField<double>> x;
    for (std::size_t i = 0; i < count; ++i) {
      x.emplace_back(b.lattice(), b.parameters());
      set_gaussian(x.back(), {.seed = 77});  // for any previous x
    }
    return x;
  }
  /// Solves for all masses by conjugate gradients; residuals by an operator of each mass, solutions without vectors.
  std::vector<SolveResult> solve(SolveOptions given, const SpinorField<double>& b) const {
    given.method = KrylovMethod::cg;
    std::vector<SpinorField<double>> x = fields(masses.size(), b), plain = fields(masses.size(), b);
    std::vector<SolveResult> results = MultiMassSolver(quarks.dirac, masses, given).solve(x, b);
    MultiMassSolver(quarks.dirac, masses,
                    {.tolerance = 1e-13, .method = KrylovMethod::cg, .inner = InnerPrecision::outer})
        .solve(plain, b);
    for (std::size_t i = 0; i < masses.size(); ++i) {
      SCOPED_TRACE(masses[i]);
      expect_solution(Staggered<double>(quarks.links, {.mass = masses[i]}), x[i], b, results[i], given.tolerance);
      for (int k = 0; k < b.right_hand_sides(); ++k) {
        const double error = reference::relative_difference(x[i].to_host(k), plain[i].to_host(k));
        EXPECT_LT(error, 1e-8) << k;
        EXPECT_LT(error, 1.01 * results[i].right_hand_sides[static_cast<std::size_t>(k)].error) << k;
      }
    }
    return results;
  }
};

TEST_F(DeflatedShifts, SaveIterationsOfAllMassesInEveryPrecision) {
  ASSERT_TRUE(quarks.low->converged);
  const SpinorField<double> b = gaussian_colors<double>(quarks.lattice, 3);  // on both parities
  for (const InnerPrecision inner : {InnerPrecision::half, InnerPrecision::single, InnerPrecision::outer}) {
    SCOPED_TRACE(static_cast<int>(inner));
    const std::vector<SolveResult> plain = solve({.tolerance = 1e-10, .inner = inner}, b);
    const std::vector<SolveResult> deflated =
        solve({.tolerance = 1e-10, .inner = inner, .eigenvectors = quarks.low}, b);
    EXPECT_LT(3 * deflated[1].iterations(), 2 * plain[1].iterations()) << plain[1].iterations();
    // With exact vectors the common iterations are enough: all masses end with the lightest.
    EXPECT_LE(deflated[0].iterations(), deflated[1].iterations());
  }
}

// Errors of the vectors are different for each mass, and corrected one by one.
TEST_F(DeflatedShifts, ConvergeWithInexactVectors) {
  const SpinorField<double> b = gaussian_colors<double>(quarks.lattice, 2);
  const SolveOptions single{.tolerance = 1e-10, .inner = InnerPrecision::single};
  const std::vector<SolveResult> plain = solve(single, b);
  for (const double part : {1e-3, 3e-2}) {
    SCOPED_TRACE(part);
    SolveOptions given = single;
    given.eigenvectors = inexact(quarks.normal, *quarks.low, part);
    const std::vector<SolveResult> deflated = solve(given, b);
    EXPECT_LT(deflated[1].iterations(), 2 * plain[1].iterations()) << plain[1].iterations();
  }
}

// Rounded vectors deflate one mass after the other, in as many iterations as exact ones.
TEST_F(DeflatedShifts, KeepVectorsIn16Bits) {
  const auto exact = std::make_shared<Eigenvectors<double>>();
  for (const SpinorField<double>& v : quarks.low->vectors) {
    exact->vectors.push_back(quarks.normal.make_field(1));
    blas::copy(exact->vectors.back(), v);
  }
  const auto rounded = std::make_shared<const Eigenvectors<double>>(in_16_bits(std::move(*exact)));
  EXPECT_TRUE(rounded->vectors.empty());
  EXPECT_EQ(rounded->rounded.size(), 12U);
  const SpinorField<double> b = gaussian_colors<double>(quarks.lattice, 2);
  const Staggered<double> light(quarks.links, {.mass = 0.01});
  const auto iterations = [&](const Low& low) {
    SpinorField<double> x = light.make_field(2);
    const SolveResult result =
        PropagatorSolver<double>(light, {.method = KrylovMethod::cg, .eigenvectors = low}).solve(x, b);
    expect_solution(light, x, b, result, 1e-10);
    return result.iterations();
  };
  EXPECT_LE(iterations(rounded), 1.1 * iterations(quarks.low));
  EXPECT_LT(3 * iterations(rounded), 2 * iterations(nullptr));
  SolveOptions given{.tolerance = 1e-10, .inner = InnerPrecision::half, .eigenvectors = rounded};
  solve(given, b);
  int calls = 0;
  given.on_iteration = [&](int, std::span<const double>) { return ++calls < 20; };
  std::vector<SpinorField<double>> x = fields(masses.size(), b);
  const std::vector<SolveResult> results = MultiMassSolver(quarks.dirac, masses, given).solve(x, b);
  EXPECT_EQ(calls, 20);
  for (const SolveResult& result : results) EXPECT_TRUE(result.stopped && !result.converged());
  MultiMassSolver(quarks.dirac, masses, {.eigenvectors = rounded}).solve(x, b);
  // Rounding is allowed for, and no more: noise is refused.
  Eigenvectors<double> noise;
  noise.vectors.push_back(quarks.normal.make_field(1));
  set_gaussian(noise.vectors[0], {.seed = 3});
  blas::scale(noise.vectors[0], 1.0 / std::sqrt(blas::norm2(noise.vectors[0])[0]));
  const auto bad = std::make_shared<const Eigenvectors<double>>(in_16_bits(std::move(noise)));
  KAON_EXPECT_ERROR(MultiMassSolver(quarks.dirac, masses, {.eigenvectors = bad}), "vector 0 does not suit");
}

// The part in the space of the eigenvectors needs no iteration, on either parity.
TEST_F(DeflatedShifts, SolveInTheSpaceOfTheEigenvectorsAlone) {
  for (const Parity parity : {Parity::even, Parity::odd}) {
    SpinorField<double> b = quarks.dirac.make_field(1), v = quarks.dirac.make_field(1),
                        image = quarks.dirac.make_field(1);
    SpinorField<double> v_e = v.parity(Parity::even), b_p = b.parity(parity);
    blas::copy(v_e, quarks.low->vectors[2]);
    quarks.dirac.apply(image, v);
    blas::copy(b_p, image.parity(parity));
    std::vector<SpinorField<double>> x = fields(masses.size(), b);
    const MultiMassSolver solver(quarks.dirac, masses, {.tolerance = 1e-8, .eigenvectors = quarks.low});
    for (const SolveResult& result : solver.solve(x, b)) {
      EXPECT_TRUE(result.converged());
      EXPECT_EQ(result.iterations(), 0);
      EXPECT_LE(result.true_residual(), 1e-8);
    }
  }
}

TEST_F(DeflatedShifts, SolveForZeroAndForSourcesOfAnySize) {
  const MultiMassSolver solver(quarks.dirac, masses, {.tolerance = 1e-9, .eigenvectors = quarks.low});
  SpinorField<double> b = gaussian_colors<double>(quarks.lattice, 3);
  blas::scale(b, blas::Reals{1e-170, 0.0, 1e170});
  std::vector<SpinorField<double>> x = fields(masses.size(), b);
  const std::vector<SolveResult> results = solver.solve(x, b);
  for (std::size_t i = 0; i < masses.size(); ++i) {
    EXPECT_TRUE(results[i].converged());
    EXPECT_EQ(blas::norm2(x[i].right_hand_side(1))[0], 0.0);
    EXPECT_LE(results[i].true_residual(), 1e-9);
    EXPECT_GT(results[i].iterations(), 0);
  }
}

TEST_F(DeflatedShifts, StopAtAnyIteration) {
  int calls = 0, last = 100000;
  SolveOptions given{.tolerance = 1e-9, .inner = InnerPrecision::single};
  given.eigenvectors = inexact(quarks.normal, *quarks.low, 1e-2);  // so that masses continue alone
  given.on_iteration = [&](int, std::span<const double>) { return ++calls < last; };
  const MultiMassSolver solver(quarks.dirac, masses, given);
  const SpinorField<double> b = gaussian_colors<double>(quarks.lattice, 1);
  std::vector<SpinorField<double>> x = fields(masses.size(), b);
  for (const SolveResult& result : solver.solve(x, b)) ASSERT_TRUE(result.converged());
  const int all = calls;
  for (last = 1; last < all; last += all / 9) {
    SCOPED_TRACE(last);
    calls = 0;
    const std::vector<SolveResult> results = solver.solve(x, b);
    EXPECT_EQ(calls, last);
    bool some = false;
    for (const SolveResult& result : results) {
      EXPECT_TRUE(result.stopped);
      some = some || !result.converged();
      const SolveStatus status = result.right_hand_sides[0].status;
      EXPECT_TRUE(status == SolveStatus::stopped || status == SolveStatus::converged) << to_string(status);
    }
    EXPECT_TRUE(some || last > all - 4);
  }
}

TEST_F(DeflatedShifts, RefuseOtherVectors) {
  const auto refused = [&](Low low, KrylovMethod method, const char* text) {
    KAON_EXPECT_ERROR(MultiMassSolver(quarks.dirac, masses, {.method = method, .eigenvectors = low}), text);
  };
  const auto others = std::make_shared<Eigenvectors<double>>();
  refused(others, KrylovMethod::cg, "a deflation needs eigenvectors");
  others->vectors.push_back(quarks.normal.make_field(1));
  set_gaussian(others->vectors[0], {.seed = 3});
  blas::scale(others->vectors[0], 1.0 / std::sqrt(blas::norm2(others->vectors[0])[0]));
  refused(others, KrylovMethod::cg, "vector 0 does not suit the deflation of this operator");
  refused(quarks.low, KrylovMethod::multigrid, "eigenvectors deflate conjugate gradients");
  KAON_EXPECT_ERROR(NormalShiftSolver(quarks.dirac, {0.1}, {.eigenvectors = quarks.low}), "other sites");
}

/// Shifts of `matrix`, with and without eigenvectors of it.
template <class... Schur>
void expect_fewer_iterations(const Quark<double>& dirac, const LinearOperator<double>& matrix,
                             const SpinorField<double>& b, const Schur&... schur) {
  const std::vector<double> shifts{0.02, 0.0, 0.5};
  const auto solve = [&](Low low) {
    std::vector<SpinorField<double>> x;
    for (std::size_t i = 0; i < shifts.size(); ++i) x.push_back(matrix.make_field(2));
    const NormalShiftSolver solver(dirac, schur..., shifts, {.tolerance = 1e-10, .eigenvectors = low});
    std::vector<SolveResult> results = solver.solve(x, b);
    for (std::size_t i = 0; i < shifts.size(); ++i) {
      SCOPED_TRACE(shifts[i]);
      expect_solution(Shifted<double>(matrix, shifts[i]), x[i], b, results[i], 1e-10);
      if (low) {
        EXPECT_GT(results[i].error(), 0.0);
      }
    }
    return results;
  };
  const Low low = low_modes(matrix, 24, 1e-13);
  const int plain = solve(nullptr)[1].iterations(), deflated = solve(low)[1].iterations();
  EXPECT_LT(deflated, 0.9 * plain) << plain;
  solve(inexact(matrix, *low, 1e-2));
}

TEST(DeflatedNormalShifts, AreThoseOfWilsonAndOfTwistedQuarks) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  const GaugeField<double> links = weak_links<double>(lattice, 0.4, 6);
  const Quark<double> wilson = make_quark(links, {.action = FermionAction::wilson, .mass = -0.4});
  SpinorField<double> b = wilson->make_field(2);
  set_gaussian(b, {.seed = 9});
  expect_fewer_iterations(wilson, NormalOperator<double>(*wilson), b);
  const Quark<double> twisted =
      make_quark(links, {.action = FermionAction::twisted_clover, .mass = -0.4, .mu = 0.02, .csw = 1.0});
  for (const Parity parity : {Parity::even, Parity::odd}) {
    const SchurParameters form{.form = SchurForm::symmetric, .parity = parity};
    const Schur<double> schur(*twisted, form);
    expect_fewer_iterations(twisted, NormalOperator<double>(schur), b.parity(parity), form);
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
