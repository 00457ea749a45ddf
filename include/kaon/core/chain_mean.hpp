// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>

namespace kaon {

/// Mean of the numbers of a Markov chain, its statistical error and the integrated autocorrelation time.
struct ChainMean {
  double mean = 0.0;
  std::optional<double> error{};  ///< none where the chain is too short for an estimate
  double tau_int = 0.5;           ///< in steps of the chain; 0.5 for independent numbers
  double tau_int_error = 0.0;
  int window = 0;  ///< the largest distance of two numbers whose correlation counts
};

/// Mean of N consecutive numbers a_i of a chain in equilibrium, with its error by the Gamma method:
///
///   Gamma(t) = 1/(N - t) sum_i (a_i - mean) (a_{i+t} - mean),   C(W) = Gamma(0) + 2 sum_{t=1}^W Gamma(t),
///   tau_int = C(W) / (2 Gamma(0)),   error^2 = C(W) / N = 2 tau_int Gamma(0) / N,
///   error of tau_int = 2 tau_int sqrt((W + 1/2 - tau_int) / N).
///
/// The window W is the first one where exp(-W/tau) < tau / sqrt(W N) with tau = 1.5 / log((2 tau_int + 1) / (2 tau_int
/// - 1)). C(W)/N is added to each Gamma(t) because the mean comes from the same numbers. tau_int is at least 1/2, so
/// that the error of a chain of alternating signs is overestimated. There is no error for fewer than 10 numbers and
/// where no window up to N/2 is found.
///
/// Source: U. Wolff, arXiv:hep-lat/0306017, section 3, with S = 1.5.
ChainMean chain_mean(std::span<const double> values);

}  // namespace kaon
