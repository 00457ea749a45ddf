// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "apps/options.hpp"

#include <kaon/operators/domain_wall.hpp>

#include <string>

namespace kaon::apps {

/// --m5, --ls, --b and --c, in a group of the help.
void add_domain_wall_options(const Command& command, DomainWallParameters& options, const std::string& group);

/// Throws `Failure` for numbers that are not finite, M5 that is not positive, and where B = b + c S or b d + 1 has no
/// inverse, d = 1 + 3 nu/xi0 - M5.
void check_domain_wall(const DomainWallParameters& given, const Anisotropy& anisotropy);

}  // namespace kaon::apps
