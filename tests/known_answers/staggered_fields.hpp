// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/reference/layout.hpp"

#include <kaon/core/spinor_field.hpp>
#include <kaon/gauge/unitarity.hpp>

#include <cmath>
#include <complex>
#include <vector>

// Fields of the known answers of staggered quarks.
namespace kaon::test {

inline constexpr Lanes all_lanes[] = {Lanes::native, Lanes::single};

/// Links of a file, which are unitary to single precision, brought back to SU(3) in double.
inline GaugeField<double> reunitarized(const Lattice& lattice, const reference::Links& stored) {
  GaugeField<double> links(lattice);
  links.from_host(stored);
  reunitarize(links);
  return links;
}

/// X_k,c(x) = cos(1 + .37 n + .7 c + k) + i sin(.23 n + c + 2 k), n the lexicographic index.
inline SpinorField<double> deterministic_field(int k, const Lattice& lattice) {
  std::vector<std::complex<double>> values;
  for (std::int64_t n = 0; n < lattice.volume(); ++n) {
    for (int c = 0; c < 3; ++c) {
      const auto site = static_cast<double>(n);
      values.emplace_back(std::cos(1.0 + 0.37 * site + 0.7 * c + k), std::sin(0.23 * site + c + 2.0 * k));
    }
  }
  SpinorField<double> field(lattice, {.spins = 1});
  field.from_host(values);
  return field;
}

}  // namespace kaon::test
