// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/coarse/coarse_hop_launch.hpp"

namespace kaon::detail {

template std::vector<LaunchShape> coarse_part_shapes<double, double>(int, int, int);
template void run_coarse_sum(std::string_view, const Lattice&, const CoarseSum<double, double>&);
template std::vector<LaunchShape> coarse_part_shapes<double, half>(int, int, int);
template void run_coarse_sum(std::string_view, const Lattice&, const CoarseSum<double, half>&);

}  // namespace kaon::detail
