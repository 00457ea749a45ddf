// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/quark/domain_wall_options.hpp"

#include "apps/cli/command.hpp"
#include "apps/cli/option_values.hpp"

#include <kaon/quarks/families.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <exception>
#include <utility>
#include <vector>

namespace kaon::apps {
namespace {

using Numbers = std::vector<std::complex<double>>;

/// "1.5", or "1.46+0.2i,0.73-0.1i".
Numbers parse_complex_numbers(const std::string& option, const std::string& text) {
  Numbers numbers;
  for (const std::string& word : split(text)) {
    const auto part = [&](const std::string& digits) {
      try {
        return parse_numbers(option, digits).at(0);
      } catch (const std::exception&) {
        throw usage_error(fmt::format("{}: '{}' is no finite number, such as 1.5, 1.46+0.2i or -1i", option, word));
      }
    };
    if (!word.ends_with('i')) {
      numbers.emplace_back(part(word));
      continue;
    }
    std::size_t sign = word.find_last_of("+-");
    while (sign != std::string::npos && sign > 0 && (word[sign - 1] == 'e' || word[sign - 1] == 'E')) {
      sign = word.find_last_of("+-", sign - 1);
    }
    const std::size_t real = sign == std::string::npos ? 0 : sign;
    numbers.emplace_back(real > 0 ? part(word.substr(0, real)) : 0.0, part(word.substr(real, word.size() - real - 1)));
  }
  if (numbers.empty() || text.ends_with(',')) throw usage_error(fmt::format("{}: '{}' lacks a number", option, text));
  return numbers;
}

/// One number for all slices, or one of each.
void set_of_slices(const std::string& option, const std::string& text, int slices, double& one, Numbers& of_slices) {
  const Numbers numbers = parse_complex_numbers(option, text);
  if (numbers.size() == 1 && numbers[0].imag() == 0.0) {
    one = numbers[0].real();
    return;
  }
  if (numbers.size() != static_cast<std::size_t>(slices)) {
    throw usage_error(
        fmt::format("{}: '{}' is neither a real number nor one number for each of {} slices: "
                    "1.1-0.2i,0.9+0.1i,...",
                    option, text, slices));
  }
  of_slices = numbers;
}

}  // namespace

void add_domain_wall_options(const Command& command, DomainWallOptions& options, const std::string& group) {
  const auto text_of = [](std::string_view name) {
    return std::string(std::ranges::find(family_parameters, name, &FermionParameter::name)->text);
  };
  command.add_option("--m5", options.m5, text_of("m5")).capture_default_str().group(group);
  command.add_option("--ls", options.slices, text_of("slices")).check(positive()).capture_default_str().group(group);
  for (const auto& [name, value] : {std::pair("b", &options.b), std::pair("c", &options.c)}) {
    const std::string text = text_of(name) + "; or of each slice: 1.1-0.2i,...";
    command.add_option(std::string("--") + name, *value, text).type_name("Z[,Z...]").capture_default_str().group(group);
  }
}

DomainWallParameters check_domain_wall(const DomainWallOptions& given, const Anisotropy& anisotropy) {
  DomainWallParameters walls{.m5 = given.m5, .slices = given.slices};
  set_of_slices("--b", given.b, given.slices, walls.b, walls.b_of_slices);
  set_of_slices("--c", given.c, given.slices, walls.c, walls.c_of_slices);
  require_range("--m5", given.m5);
  if (!(given.m5 > 0.0)) throw usage_error(fmt::format("--m5: {} is not positive", given.m5));
  const double d = 1.0 + 3.0 * anisotropy.spatial_weight() - given.m5;
  for (const std::complex<double>& b : walls.b_of_slices.empty() ? Numbers{walls.b} : walls.b_of_slices) {
    if (b == 0.0) throw usage_error("--b: 0 leaves b + c S without an inverse");
    require_range("--b", std::abs(b));
    require_range("--b", 1.0 / std::abs(b), {}, fmt::format("1/{} = ", std::abs(b)));
    if (b * d == -1.0) {
      throw usage_error(fmt::format("--m5: with {}, the even-odd forms divide by b d + 1 = 0", given.m5));
    }
  }
  require_range("--c", std::abs(walls.c));
  for (const std::complex<double>& c : walls.c_of_slices) require_range("--c", std::abs(c));
  return walls;
}

}  // namespace kaon::apps
