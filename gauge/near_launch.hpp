// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/launch/launch.hpp"

namespace kaon::detail {

/// Runs `kernel(index, first, last)` on the sites of both parities; its calls [first, last) of `Kernel::calls` are what
/// it does on a site: parities, directions. The kernel reads neighbours and writes to what none of its calls reads.
///
/// On GPUs teams share the reads of neighbouring sites and of the directions of a site through their caches; the shape
/// in which they do so best is found on first use. On hosts a thread makes all calls on a site, one after the other.
template <class Kernel>
void run_near(const char* label, const Lattice& lattice, const Kernel& kernel) {
  const int sites = kernel.node.half_volume;
  if constexpr (on_device) {
    constexpr int link_reals = 18;
    for_each_site(tuning_key<double>(label, lattice, link_reals, Kernel::calls), lattice, sites, kernel,
                  [&](const auto& time) { time(kernel); });
  } else {
    for_each_site(label, lattice.execution(), sites, Kernel::calls, kernel);
  }
}

}  // namespace kaon::detail
