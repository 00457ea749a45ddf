// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>

namespace kaon::detail {

/// This process's links on a lattice of its own (`Lattice::isolated`), with zeros for those that lead from one block of
/// these extents to another; zeros in `block` mean the local extents. A link leads from x to x + `step` mu: third links
/// have step 3. Links in eight and ten reals, which cannot hold a zero, become links in two rows.
/// Throws `Error` unless blocks of even extents divide the local lattice.
template <class T>
GaugeField<T> cut_links(const GaugeField<T>& links, Coordinates block, int step = 1);

}  // namespace kaon::detail
