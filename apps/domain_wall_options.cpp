// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/domain_wall_options.hpp"

#include "apps/command.hpp"

#include <kaon/propagators/families.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace kaon::apps {

void add_domain_wall_options(const Command& command, DomainWallParameters& options, const std::string& group) {
  const auto text_of = [](std::string_view name) {
    return std::string(std::ranges::find(family_parameters, name, &FermionParameter::name)->text);
  };
  command.add_option("--m5", options.m5, text_of("m5")).capture_default_str().group(group);
  command.add_option("--ls", options.slices, text_of("slices")).check(positive()).capture_default_str().group(group);
  command.add_option("--b", options.b, text_of("b")).capture_default_str().group(group);
  command.add_option("--c", options.c, text_of("c")).capture_default_str().group(group);
}

void check_domain_wall(const DomainWallParameters& given, const Anisotropy& anisotropy) {
  for (const auto& [option, value] :
       {std::pair("--m5", given.m5), std::pair("--b", given.b), std::pair("--c", given.c)}) {
    if (!std::isfinite(value)) throw usage_error(fmt::format("{}: {} is not a finite number", option, value));
  }
  if (!(given.m5 > 0.0)) throw usage_error(fmt::format("--m5: {} is not positive", given.m5));
  if (given.b == 0.0) throw usage_error("--b: 0 leaves b + c S without an inverse");
  const double d = 1.0 + 3.0 * anisotropy.spatial_weight() - given.m5;
  if (given.b * d == -1.0) {
    throw usage_error(fmt::format("--m5: with {}, the even-odd forms divide by b d + 1 = 0", given.m5));
  }
}

}  // namespace kaon::apps
