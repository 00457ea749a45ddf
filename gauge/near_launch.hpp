// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/launch/launch.hpp"

#include <atomic>

namespace kaon::detail {

/// Tests set it: hosts, which do not tune these kernels, then rehearse them once before each launch.
inline std::atomic<bool> rehearse_on_hosts = false;

/// Runs `kernel(index, first, last)` on the sites of both parities; its calls [first, last) of `Kernel::calls` are what
/// it does on a site: parities, directions. The kernel reads neighbours and writes to what none of its calls reads, or
/// adds to `NearSums`, in which case it has `start_adding()`.
///
/// On GPUs teams share the reads of neighbouring sites and of the directions of a site through their caches; the shape
/// in which they do so best is found on first use, in rehearsals of the kernel before `start_adding()`. On hosts a
/// thread makes all calls on a site, in sequence.
template <class Kernel>
void run_near(const char* label, const Lattice& lattice, const Kernel& kernel) {
  const int sites = kernel.node.half_volume;
  Kernel adding = kernel;
  if constexpr (requires { adding.start_adding(); }) adding.start_adding();
  if constexpr (on_device) {
    constexpr int link_reals = 18;
    for_each_site(tuning_key<double>(label, lattice, link_reals, Kernel::calls), lattice, sites, adding,
                  [&](const auto& time) { time(kernel); });
  } else {
    if (rehearse_on_hosts) for_each_site(label, lattice.execution(), sites, Kernel::calls, kernel);
    for_each_site(label, lattice.execution(), sites, Kernel::calls, adding);
  }
}

}  // namespace kaon::detail
