// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/hmc/milc_rational_functions.hpp"
#include "tests/support/data.hpp"
#include "tests/support/error_text.hpp"
#include "tests/support/largest_difference.hpp"

#include <kaon/hmc/rational_approximation.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace kaon::test {
namespace KAON_TEST_FILE {

/// Rounding of ln r - ln f, from terms as large as ln(upper/lower).
constexpr double rounding = 3e-14;

double log_powers(std::span<const PowerFactor> factors, double x) {
  double sum = 0.0;
  for (const auto& [exponent, shift] : factors) sum += exponent * std::log(x + shift);
  return sum;
}

/// `count` + 1 places in a range, equally far from each other in ln(x + shift).
std::vector<double> places(const SpectralRange& range, double shift, int count) {
  const double lower = std::log(range.lower + shift), upper = std::log(range.upper + shift);
  std::vector<double> x{range.lower};
  for (int i = 1; i < count; ++i) x.push_back(std::exp(lower + (upper - lower) * i / count) - shift);
  x.push_back(range.upper);
  return x;
}

double smallest_shift(std::span<const PowerFactor> factors) {
  double smallest = factors[0].shift;
  for (const PowerFactor& factor : factors) smallest = std::min(smallest, factor.shift);
  return smallest;
}

/// Expects the best r: |ln r - ln f| is nowhere above the error, and reaches it 2n + 2 times with alternating signs
/// (de La Vallee Poussin).
void expect_equioscillation(const RationalApproximation& r, std::span<const PowerFactor> factors) {
  int reached = 0;
  double sign = 0.0, largest = 0.0;
  for (const double x : places(r.range(), smallest_shift(factors), 40000)) {
    const double difference = std::log(r(x)) - log_powers(factors, x);
    largest = larger(largest, std::abs(difference));
    if (std::abs(difference) < 0.999 * r.error() - rounding || difference * sign > 0.0) continue;
    sign = difference;
    ++reached;
  }
  EXPECT_LE(largest, r.error() * (1.0 + 1e-6) + rounding);
  EXPECT_EQ(reached, 2 * r.degree() + 2);
}

TEST(MinimaxPower, ReachesItsErrorWithAlternatingSigns) {
  for (const double exponent : {-0.5, 0.5, 0.25, -0.25, 0.125, 0.375, -0.75, 0.95, 0.01}) {
    for (const SpectralRange range : {SpectralRange{0.3, 1.0}, SpectralRange{1e-4, 1.0}, SpectralRange{1e-8, 100.0}}) {
      for (const int degree : {1, 2, 5, 9, 12}) {
        if (degree > 5 && range.lower > 0.1) continue;  // below rounding
        const RationalApproximation r = minimax_power(exponent, range, degree);
        if (r.error() < 1e3 * rounding) continue;
        SCOPED_TRACE(testing::Message() << "x^" << exponent << " from " << range.lower << ", degree " << degree);
        const PowerFactor factor[] = {{exponent}};
        expect_equioscillation(r, factor);
      }
    }
  }
}

// 41 and 61 unknowns on a range of ten orders of magnitude.
TEST(MinimaxPower, IsFoundOnWideRanges) {
  for (const double exponent : {-0.5, 0.25, -0.125, 0.75}) {
    for (const int degree : {20, 30}) {
      const RationalApproximation r = minimax_power(exponent, {1e-10, 1.0}, degree);
      SCOPED_TRACE(testing::Message() << "x^" << exponent << ", degree " << degree);
      const PowerFactor factor[] = {{exponent}};
      expect_equioscillation(r, factor);
      EXPECT_LT(r.error(), degree == 20 ? 1e-6 : 3e-10);
    }
  }
}

/// sum_n q^(n^2), n over all integers, or over all halves of odd ones
double theta(double log_q, double offset) {
  double sum = 0.0;
  for (int n = -200; n <= 200; ++n) sum += std::exp(log_q * (n + offset) * (n + offset));
  return sum;
}

double complete_elliptic(double complementary_modulus) {
  double a = 1.0, b = complementary_modulus;
  for (int step = 0; step < 40; ++step) {
    const double mean = 0.5 * (a + b);
    b = std::sqrt(a * b);
    a = mean;
  }
  return 0.5 * std::numbers::pi / a;
}

// x r(x^2) is Zolotarev's approximation of the sign function of degree 2n + 1 on [k, 1], k^2 = lower / upper. Its
// smallest value l relative to its largest one is the modulus that the transformation of this degree makes of k:
// ln q(l') = (2n + 1) ln q(k'), ln q(k') = -pi K(k) / K(k') with complementary moduli, l'^(1/2) = theta_2 / theta_3.
TEST(MinimaxPower, HasZolotarevsErrorForTheInverseRoot) {
  for (const double ratio : {1e-2, 1e-4, 1e-6, 1e-10}) {
    for (const int degree : {1, 3, 6, 10, 14}) {
      const double k = std::sqrt(ratio), other = std::sqrt(1.0 - ratio);
      const double log_q = -std::numbers::pi * complete_elliptic(other) / complete_elliptic(k) * (2 * degree + 1);
      const double root = theta(log_q, 0.5) / theta(log_q, 0.0), squared = std::pow(root, 4);  // l'^2
      const double expected = -0.25 * std::log1p(-squared);                                    // -(1/2) ln l
      if (expected < 1e3 * rounding) continue;
      for (const double exponent : {-0.5, 0.5}) {
        EXPECT_NEAR(minimax_power(exponent, {3.0 * ratio, 3.0}, degree).error(), expected, 1e-8 * expected + rounding)
            << ratio << ", degree " << degree;
      }
    }
  }
}

// MILC's bounds are [1e-15, 90]. Its r has the smallest |r/f - 1|.
TEST(MinimaxPowers, AreThoseOfMilc) {
  struct Errors {
    double md, gr;
  };
  struct Case {
    const char* file;
    std::vector<Errors> errors;  // as MILC prints them in the file
  };
  const Errors heavy{2.398230e-07, 1.700228e-09};
  for (const Case& of : {Case{"rationals.sample.su3_omelyan_rhmc", {{4.741443e-05, 2.683478e-07}}},
                         Case{"rationals.sample.su3_rhmc_hisq", {{7.142803e-07, 2.609214e-08}, heavy, heavy, heavy}}}) {
    KAON_TEST_DATA_FILE(path, std::string("staggered/milc_out/") + of.file);
    const auto pseudofermions = read_milc_rational_functions(path);
    ASSERT_EQ(pseudofermions.size(), of.errors.size());
    for (std::size_t i = 0; i < pseudofermions.size(); ++i) {
      SCOPED_TRACE(testing::Message() << of.file << ", pseudofermion " << i);
      const auto& [md, gr, fa] = pseudofermions[i];
      for (const MilcRationalFunction* function : {&md, &gr, &fa}) {
        const PartialFractions& milc = function->fractions;
        const int degree = static_cast<int>(milc.shifts.size());
        const RationalApproximation r = minimax_powers(function->factors, {1e-15, 90.0}, degree);
        const double expected = function == &md ? of.errors[i].md : of.errors[i].gr;
        EXPECT_NEAR(r.error(), expected, 1e-6 * expected);
        const double factor = 1.0 / std::cosh(r.error());
        for (const double x : places(r.range(), smallest_shift(function->factors), 100)) {
          EXPECT_NEAR(milc(x) / (factor * r(x)), 1.0, 1e-4 * r.error() + 1e-13) << x;
        }
        const PartialFractions fractions = r.partial_fractions();
        EXPECT_NEAR(factor * fractions.constant / milc.constant, 1.0, 1e-5);
        for (std::size_t k = 0; k < milc.shifts.size(); ++k) {
          EXPECT_NEAR(fractions.shifts[k] / milc.shifts[k], 1.0, 1e-5);
          EXPECT_NEAR(factor * fractions.residues[k] / milc.residues[k], 1.0, 1e-4);
        }
      }
    }
  }
}

TEST(MinimaxPowers, ReachTheirErrorWithAlternatingSigns) {
  const std::vector<std::vector<PowerFactor>> products{
      {{-0.5, 4e-4}, {-0.25, 0.01}},
      {{0.25, 1e-6}, {0.125, 1e-4}, {-0.375, 0.16}},
      {{-0.25, 1e-4}, {0.25, 0.5}},
      {{0.5, 2.0}, {0.25, -0.1}},
  };
  for (const auto& factors : products) {
    for (const int degree : {3, 7}) {
      SCOPED_TRACE(testing::Message() << factors.size() << " factors, degree " << degree);
      const double lower = std::max(0.0, 1e-3 - smallest_shift(factors));
      expect_equioscillation(minimax_powers(factors, {lower, 30.0}, degree), factors);
    }
  }
}

TEST(MinimaxPowers, DependOnTheProductAlone) {
  const PowerFactor one[] = {{-0.375, 0.2}}, two[] = {{-0.5, 0.2}, {0.0, 7.0}, {0.125, 0.2}};
  const RationalApproximation a = minimax_powers(one, {0.1, 5.0}, 6), b = minimax_powers(two, {0.1, 5.0}, 6),
                              c = minimax_power(-0.375, {0.3, 5.2}, 6);
  for (const double x : places(a.range(), 0.0, 20)) {
    EXPECT_NEAR(b(x) / a(x), 1.0, rounding);
    EXPECT_NEAR(c(x + 0.2) / a(x), 1.0, rounding);
  }
}

// Homogeneity: (s x)^p = s^p x^p.
TEST(MinimaxPower, ScalesWithItsRange) {
  const RationalApproximation a = minimax_power(0.25, {1e-3, 1.0}, 7), b = minimax_power(0.25, {16e-3, 16.0}, 7);
  EXPECT_NEAR(a.error(), b.error(), 1e-6 * a.error());
  for (const double x : places(a.range(), 0.0, 20)) EXPECT_NEAR(b(16.0 * x) / (2.0 * a(x)), 1.0, 1e-6 * a.error());
}

TEST(RationalApproximation, HasTheBestInverse) {
  const RationalApproximation r = minimax_power(0.25, {1e-5, 2.0}, 8), direct = minimax_power(-0.25, {1e-5, 2.0}, 8),
                              inverse = r.inverse();
  EXPECT_EQ(inverse.error(), r.error());
  EXPECT_EQ(inverse.zeros(), r.poles());
  for (const double x : places(r.range(), 0.0, 20)) {
    EXPECT_NEAR(r(x) * inverse(x), 1.0, rounding);
    EXPECT_NEAR(inverse(x) / direct(x), 1.0, rounding);
  }
}

TEST(RationalApproximation, IsASumOfPartialFractions) {
  for (const double exponent : {-0.5, -0.25, 0.25, 0.5}) {
    const SpectralRange range{1e-4, 4.0};
    const RationalApproximation r = minimax_power(exponent, range, 10);
    const PartialFractions sum = r.partial_fractions();
    ASSERT_EQ(sum.shifts, r.poles());
    // Zeros and poles alternate, and residues have one sign.
    for (std::size_t i = 0; i < r.poles().size(); ++i) {
      EXPECT_GT(r.poles()[i], 0.0);
      EXPECT_EQ(sum.residues[i] > 0.0, exponent < 0.0);
      EXPECT_EQ(r.poles()[i] < r.zeros()[i], exponent < 0.0);
      if (i == 0) continue;
      EXPECT_LT(std::max(r.poles()[i - 1], r.zeros()[i - 1]), std::min(r.poles()[i], r.zeros()[i]));
    }
    const double lost = exponent > 0.0 ? std::pow(range.upper / range.lower, exponent) : 1.0;
    for (const double x : places(range, 0.0, 50)) EXPECT_NEAR(sum(x) / r(x), 1.0, lost * rounding) << exponent;
  }
}

TEST(MinimaxPower, HasTheLowestDegreeForAnError) {
  for (const double error : {1e-2, 1e-6, 1e-10, 1e-11}) {
    const RationalApproximation r = minimax_power_within(-0.25, {1e-4, 2.0}, error);
    EXPECT_LE(r.error(), error);
    ASSERT_GT(r.degree(), 1);
    EXPECT_GT(minimax_power(-0.25, {1e-4, 2.0}, r.degree() - 1).error(), error);
  }
}

// Degrees for which the error is below rounding: r agrees with f to nearly the digits of doubles.
TEST(MinimaxPower, EndsAtTheDigitsOfDoubles) {
  for (const SpectralRange range : {SpectralRange{1e-4, 1.0}, SpectralRange{0.3, 1.0}, SpectralRange{0.9, 1.0}}) {
    for (const double exponent : {-0.5, 0.125}) {
      for (const int degree : {8, 16, 20, 30}) {
        const RationalApproximation r = minimax_power(exponent, range, degree);
        if (range.lower < 0.1 && degree < 20) continue;
        EXPECT_LT(r.error(), 1e-9);
        for (const double x : places(range, 0.0, 1000)) {
          EXPECT_NEAR(r(x) / std::pow(x, exponent), 1.0, r.error() * 1.2 + rounding) << range.lower << " " << degree;
        }
      }
    }
  }
}

TEST(MinimaxPower, SaysWhatIsWrong) {
  const SpectralRange range{0.1, 1.0};
  KAON_EXPECT_ERROR(minimax_power(1.0, range, 4), "they must lie between -1 and 0 or between 0 and 1");
  KAON_EXPECT_ERROR(minimax_power(-1.5, range, 4), "reach from -1.5 to 0");
  KAON_EXPECT_ERROR(minimax_power(0.0, range, 4), "an exponent that is not zero");
  KAON_EXPECT_ERROR(minimax_power(std::nan(""), range, 4), "(x + 0)^nan is none");
  KAON_EXPECT_ERROR(minimax_power(0.5, {0.0, 1.0}, 4), "x + shift be above zero");
  KAON_EXPECT_ERROR(minimax_power(0.5, {1.0, 1.0}, 4), "the range must have a length");
  KAON_EXPECT_ERROR(minimax_power(0.5, {1.0, std::numeric_limits<double>::infinity()}, 4), "on [1, inf]");
  KAON_EXPECT_ERROR(minimax_power(0.5, {std::nan(""), 1.0}, 4), "on [nan, 1]");
  KAON_EXPECT_ERROR(minimax_power(0.5, range, 0), "of degree 0: take one from 1 on");
  // Shifts 4m^2 of masses down to those whose square is no normal number.
  for (const double mass : {1e-16, 1e-150, 1e-160}) {
    const PowerFactor factor[] = {{-0.25, 4.0 * mass * mass}};
    KAON_EXPECT_ERROR(minimax_powers_within(factor, {0.0, 90.0}, 1e-10), "doubles do not hold ranges of x + shift");
  }
  KAON_EXPECT_ERROR(minimax_power(0.5, {1e-310, 1e-309}, 4), "doubles do not hold ranges");
  KAON_EXPECT_ERROR(minimax_power_within(0.5, range, 1e-15), "an error of 1e-15");
  KAON_EXPECT_ERROR(minimax_power_within(0.5, range, std::nan("")), "an error of nan");
  const PowerFactor back_and_forth[] = {{0.5, 0.0}, {-0.75, 0.1}};
  KAON_EXPECT_ERROR(minimax_powers(back_and_forth, range, 4), "reach from -0.25 to 0.5");
  KAON_EXPECT_ERROR(minimax_powers({}, range, 4), "an exponent that is not zero");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
