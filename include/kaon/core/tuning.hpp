// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/coordinates.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace kaon {

/// How the work of a kernel on sites and right-hand sides is cut up. It decides how fast results come, never which, but
/// for rounding.
struct LaunchShape {
  int sites = 1;             ///< of a team, or of a thread's turn (on the host blocks of W sites); consecutive, or
  bool box = false;          ///< rows in x that lie beside each other in y, z and t, with neighbours in common (device)
  int threads_per_site = 1;  ///< of a team, each with right-hand sides of its own; 1 on the host
  int right_hand_sides = 1;  ///< that a thread takes one after the other; on the host before it goes on to the rest
  bool halo_first = false;   ///< hops over processes: one kernel when halos are there, or one beside and one after them
  bool edges_last = false;  ///< in one kernel: sites that wait for halos come after all others, not among them (device)
  int columns = 1;          ///< into which time slices are cut: each through all times before the next
  bool keep_links = false;  ///< in the second cache for the next kernel, rather than spinors alone (device)
  int prefetch = 1;    ///< so many sites before a site's turn its data are asked for; 0: the processor foresees (host)
  bool stream = true;  ///< output goes to memory past the caches (host)

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
  double standard_microseconds = 0.0;  ///< of a launch in the shape that is used without tuning
};

/// What was found on one device with one build of kaon: all that a cache file says elsewhere is of no use there.
struct TuningSection {
  std::string device;  ///< name; of a processor also the number of threads
  std::string build;   ///< version, commit, compiler, Kokkos, instruction set
  std::vector<TuningEntry> entries;
};

/// Whether kernels are timed on first use and run as was found best. On, unless KAON_TUNE is `off` or `0`. Throws
/// `Error` where that variable is something other than on, 1, off or 0.
bool tuning_is_on();

/// Switches tuning on or off for the rest of the program, in all processes. What was found is kept.
void set_tuning(bool on);

/// The file that keeps what was found for later runs: KAON_TUNE_CACHE, or kaon/tune.json in the user's cache folder
/// ($XDG_CACHE_HOME or ~/.cache). Empty: memory only, because KAON_TUNE_CACHE is empty or there is no such folder.
std::filesystem::path tuning_cache();

/// All that the cache file and this process know: first the section of this device and build, which may have no
/// entries, then those of others. `problem` is why the file cannot be used, empty if it can.
struct TuningResults {
  std::vector<TuningSection> sections;
  std::string problem;
};

/// Needs a `Session`.
TuningResults tuning_results();

/// Forgets everything that was found, here and in the cache file, which is removed. Throws `Error` if it cannot be.
void clear_tuning();

}  // namespace kaon
