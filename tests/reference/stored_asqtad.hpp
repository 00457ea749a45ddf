// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "staggered.hpp"

#include <filesystem>

namespace kaon::reference {

/// MILC's asqtad links of lat.sample.l8, u0 = 0.502, in single precision, without the phases and the antiperiodic
/// boundary that the files hold, and third links without their weight.
struct StoredAsqtad {
  Coordinates extents{8, 8, 8, 8};
  double third_weight = -1.0 / (24.0 * 0.502 * 0.502);
  Links fat, third;
  ColorField source;  ///< ksvector.src.sample.l8

  /// Reads the files in folder `milc`. Throws std::runtime_error where one is missing.
  explicit StoredAsqtad(const std::filesystem::path& milc);
};

/// A stored colour field of the same extents.
ColorField read_milc_color_field(const std::filesystem::path& path, const Coordinates& extents);

}  // namespace kaon::reference
