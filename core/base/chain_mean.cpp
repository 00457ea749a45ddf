// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include <kaon/core/chain_mean.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace kaon {
namespace {

constexpr std::size_t fewest = 10;
/// Wolff's S: an exponential autocorrelation time over tau_int.
constexpr double tau_ratio = 1.5;

/// Gamma(t) of numbers without their mean.
double autocorrelation(std::span<const double> values, double mean, std::size_t t) {
  double sum = 0.0;
  for (std::size_t i = 0; i + t < values.size(); ++i) sum += (values[i] - mean) * (values[i + t] - mean);
  return sum / static_cast<double>(values.size() - t);
}

/// Whether a larger window than W would add more noise than correlation.
bool is_wide_enough(double tau_int, double window, double count) {
  if (tau_int <= 0.5) return true;
  const double tau = tau_ratio / std::log((2.0 * tau_int + 1.0) / (2.0 * tau_int - 1.0));
  return std::exp(-window / tau) < tau / std::sqrt(window * count);
}

}  // namespace

ChainMean chain_mean(std::span<const double> values) {
  const auto count = static_cast<double>(values.size());
  if (values.empty()) return {};
  ChainMean result{.mean = std::accumulate(values.begin(), values.end(), 0.0) / count};
  if (values.size() < fewest) return result;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  if (*least == *most) {  // their mean may differ by rounding
    result.mean = *least;
    result.error = 0.0;
    return result;
  }
  const double variance = autocorrelation(values, result.mean, 0);
  if (!std::isfinite(variance)) return result;
  double sum = variance;
  for (std::size_t window = 1; window <= values.size() / 2; ++window) {
    sum += 2.0 * autocorrelation(values, result.mean, window);
    if (!is_wide_enough(sum / (2.0 * variance), static_cast<double>(window), count)) continue;
    const double width = static_cast<double>(window);
    const double bias = std::max(sum, variance) / count;
    const double corrected = std::max(sum + (2.0 * width + 1.0) * bias, variance + bias);
    result.window = static_cast<int>(window);
    result.tau_int = corrected / (2.0 * (variance + bias));
    result.error = std::sqrt(corrected / count);
    result.tau_int_error = 2.0 * result.tau_int * std::sqrt(std::max(width + 0.5 - result.tau_int, 0.0) / count);
    return result;
  }
  return result;
}

}  // namespace kaon
