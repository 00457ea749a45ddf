// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/io/random_links.hpp"

#include <kaon/io/gauge_writer.hpp>
#include <kaon/io/propagator_file.hpp>

#include <map>
#include <random>
#include <string>
#include <vector>

namespace kaon::test {

// What parallel_test.cpp and the program that it runs have in common.

/// More than one piece of a file, and as few sites in a row as one process may hold.
inline const Coordinates parallel_extents{8, 4, 12, 8};

inline io::HostLinks parallel_links() { return random_links(parallel_extents); }

inline io::HostPropagator parallel_propagator() {
  io::HostPropagator propagator(parallel_extents);
  std::mt19937_64 generator(7);
  std::normal_distribution<double> normal;
  for (auto& value : propagator.values) value = {normal(generator), normal(generator)};
  return propagator;
}

/// Grids that cut the lattice in every direction, and several at once.
inline std::vector<Coordinates> parallel_grids(int processes) {
  switch (processes) {
    case 2:
      return {{1, 1, 1, 2}, {1, 1, 2, 1}, {1, 2, 1, 1}, {2, 1, 1, 1}};
    case 4:
      return {{1, 1, 1, 4}, {1, 1, 2, 2}, {4, 1, 1, 1}, {2, 2, 1, 1}};
    case 8:
      return {{1, 1, 2, 4}, {2, 1, 2, 2}, {4, 2, 1, 1}};
    default:
      return {{1, 1, 1, processes}};
  }
}

inline const std::map<std::string, io::WriteOptions> parallel_gauge_files{
    {"nersc64", {.format = io::GaugeFormat::nersc}},
    {"nersc32", {.format = io::GaugeFormat::nersc, .bits = 32, .rows = 2, .byte_order = io::ByteOrder::little}},
    {"ildg64", {.format = io::GaugeFormat::ildg}},
    {"scidac32", {.format = io::GaugeFormat::scidac, .bits = 32}}};

inline const std::map<std::string, io::PropagatorWriteOptions> parallel_propagator_files{
    {"propagator64", {.bits = 64, .info = "mass = 0.1"}}, {"propagator32", {.bits = 32}}};

}  // namespace kaon::test
