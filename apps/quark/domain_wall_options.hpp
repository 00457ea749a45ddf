// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "apps/cli/options.hpp"

#include <kaon/operators/domain_wall.hpp>

#include <string>

namespace kaon::apps {

struct DomainWallOptions {
  double m5 = DomainWallParameters{}.m5;
  int slices = DomainWallParameters{}.slices;
  std::string b = "1", c = "0";  ///< one number, or one of each slice such as 1.1-0.2i
};

/// --m5, --ls, --b and --c, in a group of the help.
void add_domain_wall_options(const Command& command, DomainWallOptions& options, const std::string& group);

/// M5, L_s, b and c alone. Throws `Failure` for texts that are not numbers, numbers that are not finite, other numbers
/// of b and c than one or L_s, M5 that is not positive, and where B = b + c S or b d + 1 has no inverse, d = 1 + 3
/// nu/xi0 - M5.
DomainWallParameters check_domain_wall(const DomainWallOptions& given, const Anisotropy& anisotropy);

/// Options whose values may leave a matrix on slices without an inverse.
inline constexpr const char* domain_wall_numbers = "--mass, --b and --c";

}  // namespace kaon::apps
