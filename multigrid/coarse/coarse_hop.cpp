// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/coarse/coarse_hop_launch.hpp"
#include "multigrid/test_seams.hpp"

namespace kaon::detail {
namespace {

std::optional<LaunchShape> forced_shape;

}  // namespace

std::optional<LaunchShape> forced_coarse_shape() { return forced_shape; }

ForcedCoarseShape::ForcedCoarseShape(const LaunchShape& shape) { forced_shape = shape; }
ForcedCoarseShape::~ForcedCoarseShape() { forced_shape.reset(); }

template std::vector<LaunchShape> coarse_part_shapes<float>(int, int, int);
template void run_coarse_sum(std::string_view, const Lattice&, const CoarseSum<float>&);
template std::vector<LaunchShape> coarse_part_shapes<half>(int, int, int);
template void run_coarse_sum(std::string_view, const Lattice&, const CoarseSum<half>&);

}  // namespace kaon::detail
