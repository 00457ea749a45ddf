// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "hmc/minimax.hpp"

#include <kaon/core/error.hpp>
#include <kaon/hmc/rational_approximation.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

namespace kaon {
namespace {

/// A sum of exponents that is zero, except for rounding.
constexpr double tiny = 1e-14;
/// Ratio of the upper end of y = x + shift to the lower one. Wider ranges have no solution in doubles.
constexpr double widest_ratio = 1e32;
/// A little more than the widest range takes for the smallest error.
constexpr int highest_degree = 150;

/// By rising shifts. Throws `Error` unless f or 1/f is a Stieltjes function: a function with a cut at negative x, where
/// its phase remains between 0 and -pi.
std::vector<PowerFactor> ordered(std::span<const PowerFactor> factors) {
  std::vector<PowerFactor> found;
  for (const PowerFactor& factor : factors) {
    require(std::isfinite(factor.exponent) && std::isfinite(factor.shift),
            [&] { return fmt::format("a power (x + {})^{} is none", factor.shift, factor.exponent); });
    if (factor.exponent != 0.0) found.push_back(factor);
  }
  require(!found.empty(), "a product of powers needs an exponent that is not zero");
  std::stable_sort(found.begin(), found.end(),
                   [](const PowerFactor& a, const PowerFactor& b) { return a.shift < b.shift; });
  double sum = 0.0, least = 0.0, most = 0.0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    sum += found[i].exponent;
    if (std::abs(sum) < tiny) sum = 0.0;
    if (i + 1 < found.size() && found[i + 1].shift == found[i].shift) continue;
    least = std::min(least, sum);
    most = std::max(most, sum);
  }
  require(least > -1.0 && most < 1.0 && (least == 0.0) != (most == 0.0), [&] {
    return fmt::format(
        "the sums of exponents in the order of rising shifts reach from {} to {}: they must lie between -1 and 0 or "
        "between 0 and 1; take several rational functions",
        least, most);
  });
  return found;
}

/// Whether f is a Stieltjes function itself: the exponents of the smallest shift have a negative sum.
bool falls(std::span<const PowerFactor> powers) {
  double sum = 0.0;
  for (std::size_t i = 0; i < powers.size() && std::abs(sum) < tiny; ++i) {
    const double shift = powers[i].shift;
    for (; i < powers.size() && powers[i].shift == shift; ++i) sum += powers[i].exponent;
    --i;
  }
  return sum < 0.0;
}

/// The solution for exp(log_f), by a path of functions from (y / (1 + w y))^(-1/2) on, w the inverse length of the cut.
std::optional<detail::Minimax> follow(const SpectralRange& range, int degree, double inverse_cut,
                                      const detail::Minimax::LogFunction& log_f) {
  const auto start = [&](double y) { return -0.5 * std::log(y / (1.0 + inverse_cut * y)); };
  detail::Minimax reached(range.lower, range.upper, degree, inverse_cut);
  for (double part = 0.0, step = 0.5; part < 1.0;) {
    const double next = std::min(1.0, part + step);
    detail::Minimax tried = reached;
    if (tried.solve([&](double y) { return next * log_f(y) + (1.0 - next) * start(y); })) {
      reached = tried;
      part = next;
      step *= 1.5;
    } else {
      step *= 0.5;
      if (step < 1e-3) return std::nullopt;
    }
  }
  return reached;
}

/// A degree that is not much too high: half of the one for Zolotarev's error of x^(-1/2).
int likely_degree(std::span<const PowerFactor> factors, const SpectralRange& range, double error) {
  double base = std::numeric_limits<double>::infinity();
  for (const PowerFactor& factor : factors) base = std::min(base, factor.shift);
  const double ratio = (range.upper + base) / (range.lower + base);
  const double degree = -std::log(error) * std::log(16.0 * ratio) / (4.0 * std::numbers::pi * std::numbers::pi);
  return degree > 1.0 && degree < 1000.0 ? static_cast<int>(degree) : 1;
}

}  // namespace

double PartialFractions::operator()(double x) const {
  double sum = constant;
  for (std::size_t i = 0; i < shifts.size(); ++i) sum += residues[i] / (x + shifts[i]);
  return sum;
}

double RationalApproximation::operator()(double x) const {
  double product = scale_;
  for (std::size_t i = 0; i < zeros_.size(); ++i) product *= (x + zeros_[i]) / (x + poles_[i]);
  return product;
}

RationalApproximation RationalApproximation::inverse() const {
  RationalApproximation found = *this;
  found.scale_ = 1.0 / scale_;
  std::swap(found.zeros_, found.poles_);
  return found;
}

PartialFractions RationalApproximation::partial_fractions() const {
  PartialFractions found{.constant = scale_, .residues = {}, .shifts = poles_};
  for (std::size_t i = 0; i < poles_.size(); ++i) {
    double residue = scale_ * (zeros_[i] - poles_[i]);
    for (std::size_t j = 0; j < poles_.size(); ++j) {
      if (j != i) residue *= (zeros_[j] - poles_[i]) / (poles_[j] - poles_[i]);
    }
    found.residues.push_back(residue);
  }
  return found;
}

RationalApproximation minimax_powers(std::span<const PowerFactor> factors, const SpectralRange& range, int degree) {
  const std::vector<PowerFactor> powers = ordered(factors);
  require(degree >= 1, [&] { return fmt::format("a rational function of degree {}: take one from 1 on", degree); });
  const double base = powers.front().shift;
  const SpectralRange shifted{range.lower + base, range.upper + base};  // of y = x + base
  require(std::isfinite(range.upper) && shifted.lower > 0.0 && range.lower < range.upper, [&] {
    return fmt::format("a rational function on [{}, {}] of powers of x + {}: {}", range.lower, range.upper, base,
                       "the range must have a length and x + shift be above zero in it");
  });
  require(shifted.upper / shifted.lower <= widest_ratio && std::isnormal(1e-16 * shifted.lower), [&] {
    return fmt::format(
        "a rational function on [{}, {}] of powers of x + {}: doubles do not hold ranges of x + shift that begin at {} "
        "and end at {}; their ratio may be {:g}: take a larger mass or a higher lower end",
        range.lower, range.upper, base, shifted.lower, shifted.upper, widest_ratio);
  });
  const double sign = falls(powers) ? 1.0 : -1.0;
  // ln f or, where f rises, ln 1/f
  const auto log_f = [&](double y) {
    double sum = 0.0;
    for (const PowerFactor& power : powers) sum += sign * power.exponent * std::log(y + (power.shift - base));
    return sum;
  };
  double sum = 0.0;
  for (const PowerFactor& power : powers) sum += power.exponent;
  const double inverse_cut = std::abs(sum) < tiny ? 1.0 / (powers.back().shift - base) : 0.0;
  // Errors below rounding have no extrema. Closer to the cut they are larger.
  std::optional<detail::Minimax> solution = follow(shifted, degree, inverse_cut, log_f);
  for (SpectralRange wider = shifted; !solution && wider.lower > 1e-12 * shifted.lower;) {
    wider.lower *= 0.5;
    solution = follow(wider, degree, inverse_cut, log_f);
  }
  require(solution.has_value(), [&] {
    return fmt::format("double precision is not enough for the rational function of degree {} on [{}, {}]: lower it",
                       degree, range.lower, range.upper);
  });
  RationalApproximation found;
  found.scale_ = std::exp(solution->log_scale());
  found.range_ = range;
  found.error_ = solution->error();
  const std::vector<double> positions = solution->positions();
  for (std::size_t i = 0; i < positions.size(); i += 2) {
    found.poles_.push_back(positions[i] + base);
    found.zeros_.push_back(positions[i + 1] + base);
  }
  return sign > 0.0 ? found : found.inverse();
}

RationalApproximation minimax_powers_within(std::span<const PowerFactor> factors, const SpectralRange& range,
                                            double error) {
  require(error >= detail::smallest_minimax_error, [&] {
    return fmt::format("a rational function with an error of {}: doubles allow {}", error,
                       detail::smallest_minimax_error);
  });
  int degree = likely_degree(factors, range, error);
  RationalApproximation found = minimax_powers(factors, range, degree);
  while (found.error() > error) {
    require(degree < highest_degree, [&] {
      return fmt::format("no rational function up to degree {} has an error of {} on [{}, {}]: take a larger error",
                         highest_degree, error, range.lower, range.upper);
    });
    found = minimax_powers(factors, range, ++degree);
  }
  while (degree > 1) {
    RationalApproximation lower = minimax_powers(factors, range, --degree);
    if (lower.error() > error) break;
    found = std::move(lower);
  }
  return found;
}

RationalApproximation minimax_power(double exponent, const SpectralRange& range, int degree) {
  const PowerFactor factor{exponent};
  return minimax_powers({&factor, 1}, range, degree);
}

RationalApproximation minimax_power_within(double exponent, const SpectralRange& range, double error) {
  const PowerFactor factor{exponent};
  return minimax_powers_within({&factor, 1}, range, error);
}

RationalFunctions rational_functions(std::span<const PowerFactor> factors, const SpectralRange& range,
                                     const RationalErrors& errors) {
  std::vector<PowerFactor> halves(factors.begin(), factors.end());
  for (PowerFactor& factor : halves) factor.exponent *= 0.5;
  const RationalApproximation root = minimax_powers_within(halves, range, errors.value);
  return {.draw = root.inverse().partial_fractions(),
          .value = root.partial_fractions(),
          .force = minimax_powers_within(factors, range, errors.force).partial_fractions()};
}

}  // namespace kaon
