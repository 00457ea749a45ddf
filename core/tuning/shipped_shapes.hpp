// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/tuning/tuning_results.hpp"

#include <span>
#include <string_view>

namespace kaon::detail {

/// The fastest shape of one kernel on one kind of device, as tuning found it there: the first that others use.
struct ShippedShape {
  std::string_view device;  ///< a part of its name
  std::string_view kernel;
  std::string_view precision;
  int link_reals = 0;
  int right_hand_sides = 1;
  double sites = 0.0;  ///< of the local lattice
  LaunchShape shape;
};

/// The table of kaon, which tools/launch-shape-table writes.
std::span<const ShippedShape> shipped_shapes();

}  // namespace kaon::detail
