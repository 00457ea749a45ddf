// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "io/gauge/su3.hpp"
#include "tests/support/largest_difference.hpp"

#include <kaon/io/gauge_file.hpp>
#include <kaon/io/propagator_file.hpp>

#include <random>

namespace kaon::test {

/// Random SU(3) links: two Gaussian rows made orthonormal, the third completed.
inline io::HostLinks random_links(const Coordinates& extents, unsigned seed = 1) {
  io::HostLinks field(extents);
  std::mt19937_64 generator(seed);
  std::normal_distribution<double> normal;
  for (std::size_t at = 0; at < field.links.size(); at += 9) {
    std::complex<double>* u = &field.links[at];
    const auto normalise = [](std::complex<double>* row) {
      const double length = std::sqrt(std::norm(row[0]) + std::norm(row[1]) + std::norm(row[2]));
      for (int k = 0; k < 3; ++k) row[k] /= length;
    };
    for (int k = 0; k < 6; ++k) u[k] = {normal(generator), normal(generator)};
    normalise(u);
    std::complex<double> overlap = 0;
    for (int k = 0; k < 3; ++k) overlap += std::conj(u[k]) * u[3 + k];
    for (int k = 0; k < 3; ++k) u[3 + k] -= overlap * u[k];
    normalise(u + 3);
    io::complete_third_row(u);
  }
  return field;
}

/// The numbers as read from a file of 32 bits.
inline std::vector<std::complex<double>> rounded_to_float(std::vector<std::complex<double>> values) {
  for (auto& z : values) z = std::complex<double>(std::complex<float>(z));
  return values;
}

/// A propagator of normal numbers.
inline io::HostPropagator random_propagator(const Coordinates& extents, int spins = 4, int colors = 3,
                                            std::uint64_t seed = 7) {
  io::HostPropagator propagator(extents, spins, colors);
  std::mt19937_64 generator(seed);
  std::normal_distribution<double> normal;
  for (auto& value : propagator.values) value = {normal(generator), normal(generator)};
  return propagator;
}

}  // namespace kaon::test
