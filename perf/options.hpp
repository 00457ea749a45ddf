// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/coordinates.hpp>
#include <kaon/operators/wilson.hpp>

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace kaon::perf {

/// Options of the benchmarks beside Google Benchmark's own.
struct Options {
  std::vector<Coordinates> lattices;  ///< --kaon_extents=X,Y,Z,T, once for each lattice
  Coordinates process_grid{};         ///< --kaon_grid=X,Y,Z,T; chosen by kaon unless given
  std::array<bool, 4> partition{};    ///< --kaon_partition=xyzt, directions that are cut on one process too
  HaloPrecision halo{};               ///< --kaon_halo=field|single|half, of hops and of iterations in whole solves
  std::string gauge;                  ///< --kaon_gauge=FILE, links for whole solves
  bool ignore_stated_plaquette{};     ///< --kaon_ignore_stated_plaquette, of that file
  double kappa = 0.1345;              ///< --kaon_kappa=K, of whole solves
  double staggered_mass = 0.02;       ///< --kaon_mass=M, of whole solves of staggered quarks
  std::size_t copy_mebibytes = 512;   ///< --kaon_copy_mib=N, the size of each array of the copy
};

/// Takes kaon's options out of the arguments. Throws `Error` for a value that makes no sense.
Options take_options(std::vector<std::string>& arguments);

/// Prints kaon's options, then Google Benchmark's.
void print_help();

}  // namespace kaon::perf
