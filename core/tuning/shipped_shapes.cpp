// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
//
// tools/launch-shape-table writes the table.
#include "core/tuning/shipped_shapes.hpp"

#include <vector>

namespace kaon::detail {

std::span<const ShippedShape> shipped_shapes() {
  // clang-format off
  static const std::vector<ShippedShape> table{
      {"H200", "kaon::add_loop_force", "double", 18, 8, 65536.0, {32, false, 4, 2, false, false, 1, false, 1, true}},
      {"H200", "kaon::clover", "double", 0, 1, 65536.0, {128, false, 1, 1, false, false, 1, false, 1, true}},
      {"H200", "kaon::clover", "double", 0, 12, 2097152.0, {32, false, 4, 1, false, false, 1, false, 1, true}},
      {"H200", "kaon::clover", "single", 0, 1, 65536.0, {128, false, 1, 1, false, false, 1, false, 1, true}},
      {"H200", "kaon::clover", "single", 0, 2, 2097152.0, {64, false, 2, 1, false, false, 1, false, 1, true}},
      {"H200", "kaon::clover", "single", 0, 3, 2097152.0, {32, false, 3, 1, false, false, 1, false, 1, true}},
      {"H200", "kaon::clover", "single", 0, 8, 2097152.0, {32, false, 4, 1, false, false, 1, false, 1, true}},
      {"H200", "kaon::clover", "single", 0, 9, 2097152.0, {32, false, 4, 1, false, false, 1, false, 1, true}},
      {"H200", "kaon::clover", "single", 0, 12, 2097152.0, {32, false, 4, 1, false, false, 1, false, 1, true}},
      {"H200", "kaon::clover", "single", 0, 24, 65536.0, {32, false, 4, 1, false, false, 1, false, 1, true}},
      {"H200", "kaon::coarse_hop_along", "single with half links", 4608, 16, 8192.0, {1, false, 96, 8, false, false, 1, false, 1, true}},
      {"H200", "kaon::coarse_hop_along", "single with half links", 4608, 24, 8192.0, {1, false, 96, 12, false, false, 1, false, 1, true}},
      {"H200", "kaon::coarse_hop_along", "single with half links", 8192, 16, 512.0, {1, false, 256, 8, false, false, 1, false, 1, true}},
      {"H200", "kaon::coarse_hop_along", "single with half links", 8192, 24, 512.0, {1, false, 256, 12, false, false, 1, false, 1, true}},
      {"H200", "kaon::coarse_hop_half", "single with half links", 4608, 1, 256.0, {1, false, 384, 1, false, false, 1, false, 1, true}},
      {"H200", "kaon::coarse_hop_half", "single with half links", 4608, 2, 8192.0, {1, false, 192, 2, false, false, 1, false, 1, true}},
      {"H200", "kaon::coarse_hop_half", "single with half links", 4608, 8, 8192.0, {1, false, 192, 8, false, false, 1, false, 1, true}},
      {"H200", "kaon::coarse_hop_half", "single with half links", 4608, 12, 8192.0, {1, false, 192, 12, false, false, 1, false, 1, true}},
      {"H200", "kaon::coarse_hop_half", "single with half links", 8192, 1, 32.0, {1, false, 512, 1, false, false, 1, false, 1, true}},
      {"H200", "kaon::coarse_hop_half", "single with half links", 8192, 2, 512.0, {1, false, 512, 2, false, false, 1, false, 1, true}},
      {"H200", "kaon::coarse_hop_half", "single with half links", 8192, 8, 512.0, {1, false, 128, 4, false, false, 1, false, 1, true}},
      {"H200", "kaon::coarse_hop_half", "single with half links", 8192, 12, 512.0, {1, false, 256, 12, false, false, 1, false, 1, true}},
      {"H200", "kaon::coarse_hop_half", "single with half links", 8192, 64, 32.0, {1, false, 256, 4, false, false, 1, false, 1, true}},
      {"H200", "kaon::coarse_site_term", "single", 4608, 1, 256.0, {2, false, 192, 1, false, false, 1, false, 1, true}},
      {"H200", "kaon::coarse_site_term", "single", 4608, 2, 8192.0, {4, false, 24, 2, false, false, 1, false, 1, true}},
      {"H200", "kaon::coarse_site_term", "single", 4608, 8, 8192.0, {4, false, 24, 4, false, false, 1, false, 1, true}},
      {"H200", "kaon::coarse_site_term", "single", 4608, 12, 8192.0, {4, false, 24, 4, false, false, 1, false, 1, true}},
      {"H200", "kaon::coarse_site_term", "single", 4608, 16, 8192.0, {4, false, 24, 4, false, false, 1, false, 1, true}},
      {"H200", "kaon::coarse_site_term", "single", 4608, 24, 8192.0, {4, false, 24, 4, false, false, 1, false, 1, true}},
      {"H200", "kaon::coarse_site_term", "single", 4608, 48, 8192.0, {4, false, 24, 4, false, false, 1, false, 1, true}},
      {"H200", "kaon::coarse_site_term", "single", 8192, 1, 16.0, {1, false, 512, 1, false, false, 1, false, 1, true}},
      {"H200", "kaon::coarse_site_term", "single", 8192, 2, 512.0, {1, false, 256, 2, false, false, 1, false, 1, true}},
      {"H200", "kaon::coarse_site_term", "single", 8192, 8, 512.0, {1, false, 128, 4, false, false, 1, false, 1, true}},
      {"H200", "kaon::coarse_site_term", "single", 8192, 12, 512.0, {1, false, 128, 4, false, false, 1, false, 1, true}},
      {"H200", "kaon::coarse_site_term", "single", 8192, 16, 512.0, {2, false, 64, 4, false, false, 1, false, 1, true}},
      {"H200", "kaon::coarse_site_term", "single", 8192, 24, 512.0, {1, false, 64, 4, false, false, 1, false, 1, true}},
      {"H200", "kaon::coarse_site_term", "single", 8192, 64, 512.0, {1, false, 64, 4, false, false, 1, false, 1, true}},
      {"H200", "kaon::field_strength_force", "double", 18, 8, 65536.0, {32, false, 4, 1, false, false, 1, false, 1, true}},
      {"H200", "kaon::first_staples", "double", 18, 6, 2097152.0, {16, false, 6, 1, false, false, 4, false, 1, true}},
      {"H200", "kaon::improved_staggered_hop", "double", 36, 3, 2097152.0, {32, false, 3, 1, false, false, 1, false, 1, true}},
      {"H200", "kaon::improved_staggered_hop", "double", 36, 12, 1048576.0, {8, false, 4, 1, false, false, 4, false, 1, true}},
      {"H200", "kaon::improved_staggered_hop", "half", 32, 3, 2097152.0, {32, false, 3, 1, false, false, 1, false, 1, true}},
      {"H200", "kaon::improved_staggered_hop_products", "half", 32, 3, 2097152.0, {128, false, 1, 1, false, false, 1, false, 1, true}},
      {"H200", "kaon::last_staples", "double", 18, 2, 2097152.0, {64, false, 2, 1, false, false, 4, false, 1, true}},
      {"H200", "kaon::second_staples", "double", 18, 6, 2097152.0, {16, false, 6, 1, false, false, 4, false, 1, true}},
      {"H200", "kaon::third_links", "double", 18, 8, 2097152.0, {32, false, 4, 1, false, false, 8, false, 1, true}},
      {"H200", "kaon::wilson_hop", "double", 18, 1, 65536.0, {128, true, 1, 1, false, false, 1, false, 1, true}},
      {"H200", "kaon::wilson_hop", "double", 18, 12, 1048576.0, {128, true, 1, 1, false, false, 8, false, 1, true}},
      {"H200", "kaon::wilson_hop", "double", 18, 12, 2097152.0, {128, true, 1, 1, false, false, 1, false, 1, true}},
      {"H200", "kaon::wilson_hop", "half", 12, 24, 131072.0, {32, false, 4, 1, false, false, 1, false, 1, true}},
      {"H200", "kaon::wilson_hop", "single", 12, 8, 2097152.0, {128, true, 1, 1, false, false, 4, false, 1, true}},
      {"H200", "kaon::wilson_hop", "single", 12, 12, 1048576.0, {128, true, 1, 1, false, false, 4, false, 1, true}},
      {"H200", "kaon::wilson_hop_clover", "double", 18, 1, 65536.0, {128, false, 1, 1, false, false, 1, false, 1, true}},
      {"H200", "kaon::wilson_hop_clover", "double", 18, 12, 2097152.0, {32, false, 4, 1, false, false, 8, true, 1, true}},
      {"H200", "kaon::wilson_hop_inverse_clover", "double", 18, 1, 65536.0, {128, true, 1, 1, false, false, 1, false, 1, true}},
      {"H200", "kaon::wilson_hop_inverse_clover", "double", 18, 12, 1048576.0, {8, false, 4, 1, false, false, 8, false, 1, true}},
      {"H200", "kaon::wilson_hop_inverse_clover", "double", 18, 12, 2097152.0, {128, true, 1, 1, false, false, 8, true, 1, true}},
      {"H200", "kaon::wilson_hop_inverse_clover", "half", 12, 1, 65536.0, {128, true, 1, 1, false, false, 1, false, 1, true}},
      {"H200", "kaon::wilson_hop_inverse_clover", "half", 12, 2, 2097152.0, {64, false, 2, 1, false, false, 1, false, 1, true}},
      {"H200", "kaon::wilson_hop_inverse_clover", "half", 12, 8, 2097152.0, {128, false, 1, 2, false, false, 1, false, 1, true}},
      {"H200", "kaon::wilson_hop_inverse_clover", "half", 12, 12, 1048576.0, {32, false, 4, 1, false, false, 1, false, 1, true}},
      {"H200", "kaon::wilson_hop_inverse_clover", "half", 12, 12, 2097152.0, {32, false, 4, 1, false, false, 1, false, 1, true}},
      {"H200", "kaon::wilson_hop_inverse_clover", "single", 12, 1, 65536.0, {64, true, 1, 1, false, false, 1, false, 1, true}},
      {"H200", "kaon::wilson_hop_inverse_clover", "single", 12, 2, 2097152.0, {64, false, 2, 1, false, false, 1, false, 1, true}},
      {"H200", "kaon::wilson_hop_inverse_clover", "single", 12, 8, 2097152.0, {128, true, 1, 2, false, false, 4, false, 1, true}},
      {"H200", "kaon::wilson_hop_inverse_clover", "single", 12, 12, 1048576.0, {32, false, 4, 1, false, false, 8, false, 1, true}},
      {"H200", "kaon::wilson_hop_inverse_clover", "single", 12, 12, 2097152.0, {128, true, 1, 1, false, false, 8, false, 1, true}},
      {"H200", "kaon::wilson_hop_inverse_clover_products", "double", 18, 12, 1048576.0, {32, false, 4, 1, false, false, 8, false, 1, true}},
      {"H200", "kaon::wilson_hop_inverse_clover_products", "half", 12, 1, 65536.0, {128, false, 1, 1, false, false, 1, false, 1, true}},
      {"H200", "kaon::wilson_hop_inverse_clover_products", "half", 12, 2, 2097152.0, {128, false, 1, 1, false, false, 1, false, 1, true}},
      {"H200", "kaon::wilson_hop_inverse_clover_products", "half", 12, 8, 2097152.0, {32, false, 4, 1, false, false, 1, false, 1, true}},
      {"H200", "kaon::wilson_hop_inverse_clover_products", "half", 12, 12, 1048576.0, {32, false, 4, 1, false, false, 4, false, 1, true}},
      {"H200", "kaon::wilson_hop_inverse_clover_products", "half", 12, 12, 2097152.0, {32, false, 4, 1, false, false, 4, false, 1, true}},
      {"H200", "kaon::wilson_hop_inverse_clover_products", "single", 12, 1, 65536.0, {128, true, 1, 1, false, false, 1, false, 1, true}},
      {"H200", "kaon::wilson_hop_slices", "double", 18, 12, 1048576.0, {8, false, 12, 1, false, false, 8, false, 1, true}},
      {"H200", "kaon::wilson_hop_slices", "double", 18, 24, 131072.0, {8, false, 12, 1, false, false, 1, false, 1, true}},
      {"H200", "kaon::wilson_hop_slices", "half", 12, 24, 131072.0, {8, false, 12, 1, false, false, 1, false, 1, true}},
      {"H200", "kaon::wilson_hop_slices", "single", 12, 12, 1048576.0, {8, false, 12, 1, false, false, 4, false, 1, true}},
  };
  // clang-format on
  return table;
}

}  // namespace kaon::detail
