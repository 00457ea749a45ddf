// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "hmc/zolotarev.hpp"

#include <cmath>
#include <numbers>

namespace kaon::detail {
namespace {

/// tan^2 of Jacobi's amplitude at `fraction` K, 0 <= fraction <= 1/2, by the arithmetic-geometric mean. Source: M.
/// Abramowitz and I. A. Stegun, Handbook of Mathematical Functions, 16.4.
double squared_tangent(double fraction, double complementary_modulus) {
  std::vector<double> means{1.0}, ratios{0.0};  // a_n, c_n / a_n
  double a = 1.0, b = complementary_modulus;
  while (std::abs(a - b) > 1e-15 * a) {
    const double c = 0.5 * (a - b), geometric = std::sqrt(a * b);
    a = 0.5 * (a + b);
    b = geometric;
    means.push_back(a);
    ratios.push_back(c / a);
  }
  // K = pi / (2 a_N), the amplitude of order N is 2^N a_N u.
  const std::size_t last = means.size() - 1;
  double amplitude = std::ldexp(0.5 * std::numbers::pi * fraction, static_cast<int>(last));
  for (std::size_t n = last; n > 0; --n) {
    amplitude = 0.5 * (amplitude + std::asin(ratios[n] * std::sin(amplitude)));
  }
  return std::tan(amplitude) * std::tan(amplitude);
}

}  // namespace

Zolotarev zolotarev(double lower, double upper, int degree) {
  const double squared_modulus = lower / upper;  // k'^2
  const int parts = 2 * degree + 1;
  std::vector<double> c(static_cast<std::size_t>(parts));
  for (int j = 0; 2 * j < parts; ++j) {
    c[static_cast<std::size_t>(j)] = squared_tangent(static_cast<double>(j) / parts, std::sqrt(squared_modulus));
    // sn/cn (K - u) = 1 / (k' sn/cn (u))
    if (j > 0) c[static_cast<std::size_t>(parts - j)] = 1.0 / (squared_modulus * c[static_cast<std::size_t>(j)]);
  }
  Zolotarev found;
  for (std::size_t j = 1; j < c.size(); ++j) (j % 2 == 1 ? found.poles : found.zeros).push_back(lower * c[j]);
  for (const double c_j : c) found.extrema.push_back(lower * (1.0 + c_j) / (1.0 + squared_modulus * c_j));
  found.extrema.push_back(upper);
  return found;
}

}  // namespace kaon::detail
