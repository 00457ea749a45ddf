// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

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
  int prefetch = 1;         ///< distance in sites; 0: the hardware's prefetcher alone (host)
  bool stream = true;       ///< output goes to memory past the caches (host)

  friend bool operator==(const LaunchShape&, const LaunchShape&) = default;
};

}  // namespace kaon
