// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/tuning/launch_shape.hpp"
#include "multigrid/coarse/coarse_sum.hpp"

#include <kaon/core/lattice.hpp>

#include <optional>
#include <string_view>
#include <vector>

namespace kaon::detail {

/// The launch shapes of `CoarsePartKernel`, the standard one first. `LaunchShape::sites` is the number of sites of a
/// team, `threads_per_site` the words of a column times the parts of the sum, `right_hand_sides` the number that a
/// thread takes with one load of its links: 1, 2 or 4. Shapes with 8 or 12 are those of `CoarseTileKernel`.
template <class T, class L>
std::vector<LaunchShape> coarse_part_shapes(int components, int terms, int right_hand_sides);
/// The shape that splits nothing but sites: one thread takes all rows and columns of a site.
LaunchShape coarse_sites_only();

/// Set, hops on coarse lattices run as `CoarsePartKernel` in that shape, on hosts too: for tests and benchmarks.
std::optional<LaunchShape>& forced_coarse_shape();

/// Runs a sum on `out`'s sites in the shape that was found best for this label, n and lattice. On hosts, that is
/// `CoarsePackKernel`. `label` lives as long as the program.
template <class T, class L>
void run_coarse_sum(std::string_view label, const Lattice& lattice, const CoarseSum<T, L>& sum);

}  // namespace kaon::detail
