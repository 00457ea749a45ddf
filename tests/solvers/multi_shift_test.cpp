// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/gauge/test_lattices.hpp"
#include "tests/solvers/solver_cases.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/operators/normal.hpp>
#include <kaon/operators/schur.hpp>
#include <kaon/solvers/krylov.hpp>
#include <kaon/solvers/multi_shift_cg.hpp>

#include <algorithm>
#include <limits>

namespace kaon::test {
namespace KAON_TEST_FILE {

/// In no order, one twice, and more than one pass takes.
const std::vector<double> shifts{0.5, 0.0, 0.01, 4.0, 0.1, 0.5};

/// A residual that a normal system reaches in T without restarts.
template <class T>
constexpr double reachable_at_once = 10 * reachable<T>;

template <class T>
std::vector<SpinorField<T>> solutions(const LinearOperator<T>& matrix, std::size_t count, int right_hand_sides) {
  std::vector<SpinorField<T>> x;
  for (std::size_t s = 0; s < count; ++s) x.push_back(matrix.make_field(right_hand_sides));
  return x;
}

template <class T>
class MultiShift : public SolverTest<T> {
 protected:
  Schur<T> schur_{*this->dirac_};
  NormalOperator<T> normal_{schur_};
  SpinorField<T> b_ = SolverTest<T>::b_.parity(Parity::even);
};
TYPED_TEST_SUITE(MultiShift, Precisions);

TYPED_TEST(MultiShift, SolvesWhatSeparateSolvesSolve) {
  using T = TypeParam;
  for (const SolverCase<T>& test : solver_cases<T>(this->lattice_)) {
    SCOPED_TRACE(test.name);
    const Schur<T> schur(*test.dirac);
    const NormalOperator<T> normal(schur);
    const MultiShiftParameters parameters{.tolerance = reachable_at_once<T>};
    std::vector<SpinorField<T>> x = solutions<T>(normal, shifts.size(), 3);
    const std::vector<SolveResult> results = MultiShiftCg<T>(normal, shifts, parameters).solve(x, this->b_);
    ASSERT_EQ(results.size(), shifts.size());
    for (std::size_t s = 0; s < shifts.size(); ++s) {
      SCOPED_TRACE(shifts[s]);
      const Shifted<T> shifted(normal, shifts[s]);
      expect_solution<T>(shifted, x[s], this->b_, results[s], parameters.tolerance);
      SpinorField<T> separate = normal.make_field(3);
      const SolveResult alone = Cg<T>(shifted, {.tolerance = parameters.tolerance}).solve(separate, this->b_);
      EXPECT_LE(largest_difference(x[s], separate), 100 * parameters.tolerance);
      EXPECT_NEAR(results[s].iterations(), alone.iterations(), 1);
    }
  }
}

TYPED_TEST(MultiShift, StopsLargerShiftsEarlier) {
  std::vector<SpinorField<TypeParam>> x = solutions<TypeParam>(this->normal_, 3, 3);
  const auto results = MultiShiftCg<TypeParam>(this->normal_, {0.0, 1.0, 20.0}, {.tolerance = 1e-4})
                           .solve(x, this->b_, {.keep_history = true});
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_LT(results[1].right_hand_sides[k].iterations, results[0].right_hand_sides[k].iterations);
    EXPECT_LT(results[2].right_hand_sides[k].iterations, results[1].right_hand_sides[k].iterations);
  }
  for (const SolveResult& result : results) EXPECT_EQ(static_cast<int>(result.history.size()), result.iterations());
}

/// The solutions reach the tolerances of their shifts by the operator itself; the smallest shift continues for
/// larger ones, and ends at its own tolerance.
template <class T, class Solve>
void expect_tolerances_of_shifts(const LinearOperator<T>& normal, const SpinorField<T>& b, const Solve& solve,
                                 double loose, double tight) {
  const std::vector<double> shifts{0.5, 0.0, 4.0};
  int iterations[3];
  int number = 0;
  for (const std::vector<double>& tolerances :
       {std::vector<double>{tight, tight, tight}, {tight, loose, tight}, {loose, tight, std::sqrt(tight * loose)}}) {
    std::vector<SpinorField<T>> x = solutions<T>(normal, 3, 3);
    const std::vector<SolveResult> results = solve(shifts, tolerances, std::span(x));
    for (std::size_t s = 0; s < 3; ++s) {
      SCOPED_TRACE(testing::Message() << number << ' ' << s);
      expect_solution<T>(Shifted<T>(normal, shifts[s]), x[s], b, results[s], tolerances[s]);
    }
    iterations[number++] = results[1].iterations();
    const bool early = results[1].true_residual() > tight;
    EXPECT_EQ(early, tolerances[1] == loose);
  }
  EXPECT_LT(iterations[1], iterations[0]);
  EXPECT_EQ(iterations[2], iterations[0]);
}

TYPED_TEST(MultiShift, ReachesTheToleranceOfEachShift) {
  using T = TypeParam;
  const auto solve = [&](const auto& shifts, const auto& tolerances, auto x) {
    return MultiShiftCg<T>(this->normal_, shifts, {.tolerance = 0.5, .tolerances = tolerances}).solve(x, this->b_);
  };
  expect_tolerances_of_shifts<T>(this->normal_, this->b_, solve, 1e-1, 1e-4);
}

TYPED_TEST(MultiShift, ResidualsAreParallel) {
  // b - (A + sigma_s) x_s = zeta_s (b - (A + sigma_0) x_0) after any number of iterations.
  using T = TypeParam;
  const MultiShiftCg<T> solver(this->normal_, {0.0, 0.3, 2.0}, {.tolerance = 1e-15, .max_iterations = 4});
  std::vector<SpinorField<T>> x = solutions<T>(this->normal_, 3, 3), r = solutions<T>(this->normal_, 3, 3);
  const std::vector<SolveResult> results = solver.solve(x, this->b_);
  for (std::size_t s = 0; s < 3; ++s) {
    Shifted<T>(this->normal_, solver.shifts()[s]).apply(r[s], x[s]);
    const blas::Reals norm2 = blas::xmy_norm2(r[s], this->b_);
    const blas::ProductAndNorm with_base = blas::inner_product_norm2(r[0], r[s]);
    for (std::size_t k = 0; k < 3; ++k) {
      const auto& result = results[s].right_hand_sides[k];
      EXPECT_NEAR(result.iterated_residual, result.true_residual, tolerance<T>);
      const double cosine = with_base.product[k].real() / std::sqrt(norm2[k] * with_base.norm2[k]);
      EXPECT_NEAR(cosine, 1.0, tolerance<T> / result.true_residual);
    }
  }
}

TYPED_TEST(MultiShift, TakesShiftsInAnyOrder) {
  using T = TypeParam;
  const std::vector<double> sorted{0.01, 0.1, 0.5, 4.0}, shuffled{0.5, 0.01, 4.0, 0.1};
  std::vector<SpinorField<T>> x = solutions<T>(this->normal_, 4, 3), y = solutions<T>(this->normal_, 4, 3);
  for (SpinorField<T>& field : y) set_gaussian(field, {.seed = 77});  // and for any previous x
  const MultiShiftParameters parameters{.tolerance = reachable_at_once<T>};
  const auto one = MultiShiftCg<T>(this->normal_, sorted, parameters).solve(x, this->b_);
  const auto other = MultiShiftCg<T>(this->normal_, shuffled, parameters).solve(y, this->b_);
  for (std::size_t s = 0; s < 4; ++s) {
    const auto t = static_cast<std::size_t>(std::find(shuffled.begin(), shuffled.end(), sorted[s]) - shuffled.begin());
    EXPECT_EQ(one[s].iterations(), other[t].iterations());
    for (int k = 0; k < 3; ++k) EXPECT_EQ(x[s].to_host(k), y[t].to_host(k));
  }
}

TYPED_TEST(MultiShift, TakesEachRightHandSideByItself) {
  using T = TypeParam;
  const MultiShiftCg<T> solver(this->normal_, {0.0, 0.2}, {.tolerance = reachable_at_once<T>});
  SpinorField<T> source = gaussian<T>(this->lattice_, 3);
  SpinorField<T> b = source.parity(Parity::even), b_1 = b.range(1, 1);
  blas::set_zero(b_1);
  std::vector<SpinorField<T>> x = solutions<T>(this->normal_, 2, 3);
  const std::vector<SolveResult> results = solver.solve(x, b);
  for (int k = 0; k < 3; ++k) {
    std::vector<SpinorField<T>> alone = solutions<T>(this->normal_, 2, 1);
    const std::vector<SolveResult> single = solver.solve(alone, b.range(k, 1));
    for (std::size_t s = 0; s < 2; ++s) {
      EXPECT_TRUE(results[s].converged());
      EXPECT_EQ(single[s].iterations(), results[s].right_hand_sides[static_cast<std::size_t>(k)].iterations);
      EXPECT_EQ(x[s].to_host(k), alone[s].to_host());
    }
  }
  EXPECT_EQ(blas::norm2(x[0])[1], 0.0);
  EXPECT_EQ(results[0].right_hand_sides[1].iterations, 0);
}

TYPED_TEST(MultiShift, SaysWhenIterationsRunOut) {
  std::vector<SpinorField<TypeParam>> x = solutions<TypeParam>(this->normal_, 2, 3);
  const auto results =
      MultiShiftCg<TypeParam>(this->normal_, {0.0, 50.0}, {.tolerance = 1e-4, .max_iterations = 7}).solve(x, this->b_);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(results[0].right_hand_sides[k].status, SolveStatus::max_iterations);
    EXPECT_EQ(results[0].right_hand_sides[k].iterations, 7);
    EXPECT_GT(results[0].right_hand_sides[k].true_residual, 1e-4);
    EXPECT_EQ(results[1].right_hand_sides[k].status, SolveStatus::converged);
  }
}

TYPED_TEST(MultiShift, SaysWhenThePrecisionIsTooCoarse) {
  std::vector<SpinorField<TypeParam>> x = solutions<TypeParam>(this->normal_, 2, 3);
  const auto results = MultiShiftCg<TypeParam>(this->normal_, {0.0, 1.0}, {.tolerance = 1e-20, .max_iterations = 2000})
                           .solve(x, this->b_);
  for (const SolveResult& result : results) {
    for (const auto& r : result.right_hand_sides) {
      EXPECT_EQ(r.status, SolveStatus::stagnated);
      EXPECT_LT(r.true_residual, reachable_at_once<TypeParam>);
    }
  }
}

TYPED_TEST(MultiShift, ReachesTolerancesThatRoundingMisses) {
  // Tolerances are the iterated residuals of a first solve, and some true ones are above them: no restart serves all
  // shifts.
  using T = TypeParam;
  int missed = 0;
  for (int k = 0; k < 3; ++k) {
    const SpinorField<T> b = this->b_.range(k, 1);
    std::vector<SpinorField<T>> x = solutions<T>(this->normal_, shifts.size(), 1);
    std::vector<double> tolerances;
    for (const SolveResult& first :
         MultiShiftCg<T>(this->normal_, shifts, {.tolerance = reachable_at_once<T>}).solve(x, b)) {
      tolerances.push_back((1.0 + 1e-10) * first.right_hand_sides[0].iterated_residual);
      missed += first.true_residual() > tolerances.back() ? 1 : 0;
    }
    const auto results = MultiShiftCg<T>(this->normal_, shifts, {.tolerances = tolerances}).solve(x, b);
    for (std::size_t s = 0; s < shifts.size(); ++s) {
      SCOPED_TRACE(shifts[s]);
      expect_solution<T>(Shifted<T>(this->normal_, shifts[s]), x[s], b, results[s], tolerances[s]);
    }
  }
  EXPECT_GT(missed, 0);
}

TYPED_TEST(MultiShift, GivesUpOnOperatorsThatAreNotPositive) {
  using T = TypeParam;
  const auto singular = singular_operator<T>(this->lattice_);
  const SpinorField<T> b = constant_field<T>(this->lattice_);
  std::vector<SpinorField<T>> x = solutions<T>(*singular, 2, 1);
  for (const SolveResult& result : MultiShiftCg<T>(*singular, {0.0, 1.0}, {}).solve(x, b)) {
    EXPECT_EQ(result.right_hand_sides[0].status, SolveStatus::breakdown);
    EXPECT_EQ(result.right_hand_sides[0].true_residual, 1.0);
  }
  for (const SolveResult& result : MultiShiftCg<T>(*singular, {1.0, 2.0}, {}).solve(x, b)) {
    EXPECT_TRUE(result.converged());
    EXPECT_EQ(result.iterations(), 1);
  }
}

TEST(MultiShiftCg, StopsOneRightHandSideAtNanAndSolvesTheOthers) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  const auto dirac = make_operator<double>(random_links<double>(lattice), fermion_cases()[2]);
  const NormalOperator<double> normal(*dirac);
  const SpinorField<double> b = gaussian<double>(lattice, 3);
  for (const double fault : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    for (const int first : {1, 2, 5}) {
      SCOPED_TRACE(first);
      const auto matrix = faulty(normal, 1, first, fault);
      std::vector<SpinorField<double>> x = solutions<double>(normal, 3, 3);
      const auto results = MultiShiftCg<double>(matrix, {0.0, 0.1, 1.0}, {.tolerance = 1e-11}).solve(x, b);
      for (std::size_t s = 0; s < 3; ++s) expect_nan_in_one(results[s], x[s]);
    }
  }
}

TEST(MultiShiftCg, RefusesShiftsAndFieldsThatDoNotFit) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  const auto dirac = make_operator<double>(random_links<double>(lattice), fermion_cases()[2]);
  const NormalOperator<double> normal(*dirac);
  const SpinorField<double> b = gaussian<double>(lattice, 2);
  std::vector<SpinorField<double>> x = solutions<double>(normal, 2, 2), narrow = solutions<double>(normal, 1, 1);
  KAON_EXPECT_ERROR(MultiShiftCg<double>(normal, {}, {}), "at least one shift");
  KAON_EXPECT_ERROR(MultiShiftCg<double>(normal, {0.1, -0.5}, {}), "shift 1 is -0.5: it must be a number that is not");
  KAON_EXPECT_ERROR(MultiShiftCg<double>(normal, {std::numeric_limits<double>::quiet_NaN()}, {}), "shift 0 is nan");
  KAON_EXPECT_ERROR(MultiShiftCg<double>(normal, {0.1}, {.tolerances = {0.1, 0.2}}),
                    "2 tolerances were given for 1 shifts");
  KAON_EXPECT_ERROR(MultiShiftCg<double>(normal, {0.1, 0.2}, {.tolerances = {0.1, 0.0}}),
                    "tolerance 0 of a solver does not lie");
  KAON_EXPECT_ERROR(MultiShiftCg<double>(normal, {0.1}, {}).solve(x, b), "2 fields were given for 1 shifts");
  std::vector<SpinorField<double>> same;
  for (int s = 0; s < 2; ++s) same.push_back(x[0].range(0, 2));
  KAON_EXPECT_ERROR(MultiShiftCg<double>(normal, {0.1, 0.2}, {}).solve(same, b), "solutions 0 and 1 share numbers");
  KAON_EXPECT_ERROR(MultiShiftCg<double>(normal, {0.1}, {}).solve(narrow, b), "x and b of a solve must have the same");
}

class MixedMultiShift : public ::testing::Test {
 protected:
  Lattice lattice_{LatticeParameters{.extents = {8, 4, 4, 8}}};
  WilsonClover<double> dirac_{random_links<double>(lattice_), fermion_cases()[2].parameters};
  WilsonClover<float> rounded_{dirac_};
  Schur<double> schur_{dirac_};
  Schur<float> rounded_schur_{rounded_};
  NormalOperator<double> normal_{schur_};
  NormalOperator<float> rounded_normal_{rounded_schur_};
  SpinorField<double> source_ = gaussian<double>(lattice_, 3);
  SpinorField<double> b_ = source_.parity(Parity::even);
};

TEST_F(MixedMultiShift, ReachesDoubleWithWorkInSingle) {
  const MultiShiftCg<double, float> solver(normal_, rounded_normal_, shifts, {.tolerance = 1e-12});
  std::vector<SpinorField<double>> x = solutions<double>(normal_, shifts.size(), 3);
  for (const double length : {1.0, 1e-30}) {
    blas::scale(b_, std::vector(3, length));
    const std::vector<SolveResult> results = solver.solve(x, b_);
    for (std::size_t s = 0; s < shifts.size(); ++s) {
      const Shifted<double> shifted(normal_, shifts[s]);
      expect_solution<double>(shifted, x[s], b_, results[s], 1e-12);
      SpinorField<double> separate = normal_.make_field(3);
      Cg<double>(shifted, {.tolerance = 1e-12}).solve(separate, b_);
      EXPECT_LE(largest_difference(x[s], separate), 1e-10);
      EXPECT_GT(results[s].flops, 0.0);
    }
  }
}

// Refined in single or in 16 bits, after any sweep.
TEST_F(MixedMultiShift, ReachesDoubleByAnySweep) {
  const WilsonClover<half> coarse(dirac_, LinkStorage::two_rows);
  const Schur<half> coarse_schur(coarse);
  const NormalOperator<half> coarse_normal(coarse_schur);
  for (const ShiftSweep sweep : {ShiftSweep::falling, ShiftSweep::reliable, ShiftSweep::inner}) {
    const MultiShiftParameters parameters{.tolerance = 1e-11, .sweep = sweep};
    const auto expect_all = [&](const auto& solver) {
      std::vector<SpinorField<double>> x = solutions<double>(normal_, shifts.size(), 3);
      const std::vector<SolveResult> results = solver.solve(x, b_);
      for (std::size_t s = 0; s < shifts.size(); ++s) {
        SCOPED_TRACE(shifts[s]);
        expect_solution<double>(Shifted<double>(normal_, shifts[s]), x[s], b_, results[s], 1e-11);
      }
    };
    expect_all(MultiShiftCg<double, float>(normal_, rounded_normal_, shifts, parameters));
    expect_all(MultiShiftCg<double, float, half>(normal_, rounded_normal_, coarse_normal, shifts, parameters));
  }
}

TEST_F(MixedMultiShift, ReachesTheToleranceOfEachShift) {
  for (const ShiftSweep sweep : {ShiftSweep::falling, ShiftSweep::reliable}) {
    const auto solve = [&](const auto& shifts, const auto& tolerances, auto x) {
      return MultiShiftCg<double, float>(normal_, rounded_normal_, shifts, {.sweep = sweep, .tolerances = tolerances})
          .solve(x, b_);
    };
    expect_tolerances_of_shifts<double>(normal_, b_, solve, 1e-3, 1e-11);
  }
}

// The sweep starts in double if single precision would affect the answer: few iterations more than in double alone.
TEST_F(MixedMultiShift, TakesTheIterationsOfDouble) {
  std::vector<SpinorField<double>> x = solutions<double>(normal_, shifts.size(), 3),
                                   y = solutions<double>(normal_, shifts.size(), 3);
  const auto exact = MultiShiftCg<double>(normal_, shifts, {.tolerance = 1e-11}).solve(x, b_);
  const auto mixed = MultiShiftCg<double, float>(normal_, rounded_normal_, shifts, {.tolerance = 1e-11}).solve(y, b_);
  for (std::size_t s = 0; s < shifts.size(); ++s) {
    EXPECT_LE(mixed[s].iterations(), exact[s].iterations() + 5);
    EXPECT_LE(largest_difference(x[s], y[s]), 1e-9);
  }
}

// A negative shift is refused, but the solver does not know the spectrum of an operator that was shifted before.
TEST_F(MixedMultiShift, GivesUpOnIndefiniteOperators) {
  const Shifted<double> indefinite(normal_, -1.0);
  const Shifted<float> rounded(rounded_normal_, -1.0);
  const std::vector<double> sigma{0.0, 0.01};
  for (const ShiftSweep sweep : {ShiftSweep::falling, ShiftSweep::reliable, ShiftSweep::inner}) {
    std::vector<SpinorField<double>> x = solutions<double>(normal_, 2, 3);
    const MultiShiftCg<double, float> solver(indefinite, rounded, sigma, {.sweep = sweep});
    for (const SolveResult& result : solver.solve(x, b_)) {
      for (const auto& r : result.right_hand_sides) {
        EXPECT_EQ(r.status, SolveStatus::breakdown);
        EXPECT_GT(r.true_residual, 1e-10);
        EXPECT_LE(r.true_residual, 1.0);
      }
    }
  }
  KAON_EXPECT_ERROR((MultiShiftCg<double, float>(normal_, rounded_normal_, {-1.0}, {})), "shift 0 is -1");
}

TEST_F(MixedMultiShift, SolvesForAZeroRightHandSide) {
  blas::set_zero(b_.range(1, 1));
  std::vector<SpinorField<double>> x = solutions<double>(normal_, 2, 3);
  for (const auto& result : MultiShiftCg<double, float>(normal_, rounded_normal_, {0.0, 1.0}, {}).solve(x, b_)) {
    EXPECT_TRUE(result.converged());
    EXPECT_EQ(result.right_hand_sides[1].iterations, 0);
  }
  EXPECT_EQ(blas::norm2(x[0])[1], 0.0);
}

TEST_F(MixedMultiShift, SolvesForSourcesOfAnyLength) {
  const MultiShiftCg<double> in_double(normal_, {0.0, 1.0}, {});
  const MultiShiftCg<double, float> mixed(normal_, rounded_normal_, {0.0, 1.0}, {});
  std::vector<SpinorField<double>> expected = solutions<double>(normal_, 2, 3);
  (void)in_double.solve(expected, b_);
  const blas::Reals scale{std::ldexp(1.0, -650), 1.0, std::ldexp(1.0, 650)};
  const blas::Reals back{scale[2], 1.0, scale[0]};
  blas::scale(b_, scale);
  const auto check = [&](const auto& solver) {
    std::vector<SpinorField<double>> x = solutions<double>(normal_, 2, 3);
    for (const SolveResult& result : solver.solve(x, b_)) {
      EXPECT_TRUE(result.converged());
      EXPECT_LE(result.true_residual(), 1e-10);
    }
    for (std::size_t s = 0; s < 2; ++s) {
      blas::scale(x[s], back);
      const blas::Reals difference2 = blas::xmy_norm2(x[s], expected[s]), norm2 = blas::norm2(expected[s]);
      for (std::size_t k = 0; k < 3; ++k) EXPECT_LE(difference2[k], 1e-16 * norm2[k]) << s << " " << k;
    }
  };
  check(in_double);
  check(mixed);
}

// A falling sweep has two parts, and each of two refinements has what the sweep has left.
TEST_F(MixedMultiShift, BoundsTheIterationsOfTheWholeSweep) {
  std::vector<SpinorField<double>> x = solutions<double>(normal_, 2, 3);
  int last = 0;
  const auto count = [&](int number, std::span<const double>) {
    EXPECT_EQ(number, ++last);
    return true;
  };
  for (const int most : {3, 17, 20, 10000}) {
    last = 0;
    const MultiShiftParameters parameters{.tolerance = 1e-12, .max_iterations = most};
    (void)MultiShiftCg<double, float>(normal_, rounded_normal_, {0.0, 1.0}, parameters)
        .solve(x, b_, {.progress = count});
    EXPECT_LE(last, 3 * most);
    EXPECT_GE(last, std::min(most, 20));
  }
}

TEST_F(MixedMultiShift, BoundsTheIterationsOfSweepAndRefinement) {
  const WilsonClover<half> coarse(dirac_, LinkStorage::two_rows);
  const Schur<half> coarse_schur(coarse);
  const NormalOperator<half> coarse_normal(coarse_schur);
  for (const ShiftSweep sweep : {ShiftSweep::falling, ShiftSweep::reliable, ShiftSweep::inner}) {
    for (const int most : {1, 12, 20, 24, 28}) {
      SCOPED_TRACE(most);
      const MultiShiftParameters parameters{.tolerance = 1e-12, .max_iterations = most, .sweep = sweep};
      const auto expect_bound = [&](const auto& solver) {
        std::vector<SpinorField<double>> x = solutions<double>(normal_, 2, 3);
        for (const SolveResult& result : solver.solve(x, b_)) {
          EXPECT_LE(result.iterations(), most);
          for (const auto& r : result.right_hand_sides) {
            EXPECT_TRUE(r.status == SolveStatus::max_iterations || r.true_residual <= 1e-12) << to_string(r.status);
          }
        }
      };
      expect_bound(MultiShiftCg<double, float>(normal_, rounded_normal_, {0.0, 1.0}, parameters));
      expect_bound(MultiShiftCg<double, float, half>(normal_, rounded_normal_, coarse_normal, {0.0, 1.0}, parameters));
    }
  }
}

TEST_F(MixedMultiShift, SaysWhatWentWrong) {
  std::vector<SpinorField<double>> x = solutions<double>(normal_, 2, 3);
  const auto short_of =
      MultiShiftCg<double, float>(normal_, rounded_normal_, {0.0, 1.0}, {.tolerance = 1e-12, .max_iterations = 2})
          .solve(x, b_);
  const auto too_fine =
      MultiShiftCg<double, float>(normal_, rounded_normal_, {0.0, 1.0}, {.tolerance = 1e-18}).solve(x, b_);
  for (std::size_t s = 0; s < 2; ++s) {
    for (const auto& r : short_of[s].right_hand_sides) EXPECT_EQ(r.status, SolveStatus::max_iterations);
    for (const auto& r : too_fine[s].right_hand_sides) {
      EXPECT_EQ(r.status, SolveStatus::stagnated);
      EXPECT_LT(r.true_residual, 1e-13);
    }
  }
  KAON_EXPECT_ERROR((MultiShiftCg<double, float>(normal_, rounded_, {0.0}, {})), "fields of two shapes");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
