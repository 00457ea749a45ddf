// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/tuning/launch_shape.hpp"

#include <kaon/core/coordinates.hpp>

#include <string>
#include <vector>

namespace kaon {

/// The fastest way that was found to run one kernel.
struct TuningEntry {
  std::string kernel;  ///< its label, such as "kaon::wilson_hop"
  Coordinates extents{};
  int processes = 1;      ///< each with a lattice of `extents`
  int lanes = 1;          ///< W; 0 on coarse lattices
  std::string precision;  ///< in which fields are stored: "double", "single"
  int link_reals = 0;     ///< stored for each link; 0 where a kernel reads none
  int right_hand_sides = 1;
  LaunchShape shape;
  double microseconds = 0.0;           ///< of a launch in this shape
  double standard_microseconds = 0.0;  ///< of a launch in the shape that is used without tuning
};

/// Results of one device with one build of kaon: those of others are of no use there.
struct TuningSection {
  std::string device;  ///< name; of a processor also the number of threads
  std::string build;   ///< version, commit, compiler, Kokkos, instruction set
  std::vector<TuningEntry> entries;
};

/// All that the cache file and this process know: first the section of this device and build, which may have no
/// entries, then those of others. `problem` is why the file cannot be used, empty if it can.
struct TuningResults {
  std::vector<TuningSection> sections;
  std::string problem;
};

/// Needs a `Session`.
TuningResults tuning_results();

}  // namespace kaon
