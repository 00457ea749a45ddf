// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#pragma GCC visibility push(default)
#include <quda_milc_interface.h>
#pragma GCC visibility pop

#include "quda/interface.hpp"

// What MILC's functions for solves and those for gauge fields share. MILC's links come with phases and the sign of
// antiperiodic boundaries in them.

namespace kaon::quda {

/// Settings of MILC that hold for all later calls.
struct Milc {
  int local_extents[4] = {0, 0, 0, 0};
  bool makes_links = false;  ///< MILC has its fat links made here, and says when they are new
  bool momenta_resident = false;
};

Milc& milc();

QudaPrecision precision_of_milc(int milcs);

/// Of arrays of links in MILC's order.
QudaGaugeParam link_parameters(int precision, QudaLinkType type);

}  // namespace kaon::quda
