// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/gauge/initial_links.hpp"

#include <kaon/gauge/heatbath.hpp>
#include <kaon/gauge/observables.hpp>

#include <cmath>

namespace kaon::test {

struct Average {
  double mean;
  double error;
};

/// <plaquette> of a quenched run from weak links: `thermalization` updates, then `updates` with a measurement each. The
/// error is that of 20 bins.
inline Average average_plaquette(const Coordinates& extents, double beta, std::uint32_t thermalization,
                                 std::uint32_t updates) {
  GaugeField<double> links = weak_links<double>(Lattice({.extents = extents}), 0.3, 1);
  std::uint32_t number = 0;
  const auto next = [&] {
    update(links, {.beta = beta, .overrelaxation_sweeps = 2, .seed = 1, .update = number++});
    return plaquette(links).average;
  };
  while (number < thermalization) next();
  constexpr std::uint32_t bins = 20;
  double sum = 0.0, sum_2 = 0.0;
  for (std::uint32_t bin = 0; bin < bins; ++bin) {
    double mean = 0.0;
    for (std::uint32_t k = 0; k < updates / bins; ++k) mean += next() / (updates / bins);
    sum += mean / bins;
    sum_2 += mean * mean / bins;
  }
  return {sum, std::sqrt((sum_2 - sum * sum) / (bins - 1))};
}

}  // namespace kaon::test
