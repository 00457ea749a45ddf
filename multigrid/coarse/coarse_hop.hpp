// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/tuning/tuning_results.hpp"
#include "multigrid/coarse/coarse_sum.hpp"

#include <kaon/core/lattice.hpp>

#include <optional>
#include <string_view>
#include <vector>

namespace kaon::detail {

/// The launch shapes of `CoarsePartKernel`, the standard one first. `LaunchShape::sites` is the number of sites of a
/// team, `threads_per_site` the words of a column times the parts of the sum, `right_hand_sides` the number of sums
/// that share a load of the links: 1, 2 or 4. Shapes with 8 or 12 are those of `CoarseTileKernel`.
template <class L>
std::vector<LaunchShape> coarse_part_shapes(int components, int terms, int right_hand_sides);
/// The shape that `ForcedCoarseShape` (test_seams.hpp) forces on hops; none outside tests.
std::optional<LaunchShape> forced_coarse_shape();

/// Runs a sum on `out`'s sites in the best shape for this label, n and lattice that tuning has found. Hosts run
/// `CoarsePackKernel`. `label` must live as long as the program.
template <class L, class Inputs>
void run_coarse_sum(std::string_view label, const Lattice& lattice, const CoarseSum<L, Inputs>& sum);

}  // namespace kaon::detail
