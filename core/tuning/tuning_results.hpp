// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/coordinates.hpp>

#include <string>
#include <vector>

namespace kaon {

/// How the work of a kernel on sites and right-hand sides is cut up. It decides how fast results come, never which, but
/// for rounding.
struct LaunchShape {
  int sites = 1;             ///< of a team, or of a thread's turn (on the host blocks of W sites)
  bool box = false;          ///< sites are rows in x side by side in y, z and t, not consecutive ones (device)
  int threads_per_site = 1;  ///< of a team, each with right-hand sides of its own; 1 on the host
  int right_hand_sides = 1;  ///< that a thread takes in sequence; on the host before it continues to the rest
  bool halo_first = false;   ///< hops over processes: one kernel after the halos, or one beside and one after them
  bool edges_last = false;  ///< in one kernel: sites that wait for halos come after all others, not among them (device)
  int columns = 1;          ///< into which time slices are cut: each through all times before the next
  bool keep_links = false;  ///< the L2 cache holds links, too, for the next kernel, not only spinors (device)
  int prefetch = 1;         ///< distance in sites; 0: none; -1: the next right-hand side (host)
  bool stream = true;       ///< output goes to memory past the caches (host)

  friend bool operator==(const LaunchShape&, const LaunchShape&) = default;
};

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
  double standard_microseconds = 0.0;  ///< of a launch in the shape that was used at first

  friend bool operator==(const TuningEntry&, const TuningEntry&) = default;
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
