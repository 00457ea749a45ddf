// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include <kaon/hmc/rational_functions.hpp>

namespace kaon {

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
