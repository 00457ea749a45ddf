// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "io/gauge_formats.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace kaon::io {

const char* to_string(GaugeFormat format) {
  switch (format) {
    case GaugeFormat::nersc:
      return "NERSC archive";
    case GaugeFormat::ildg:
      return "ILDG (LIME)";
    case GaugeFormat::scidac:
      return "SciDAC (LIME)";
    case GaugeFormat::milc:
      return "MILC v5";
    case GaugeFormat::openqcd:
      return "openQCD";
    case GaugeFormat::dd_alphaamg:
      break;
  }
  return "DD-alphaAMG raw";
}

void check_extents(const InputFile& file, const Coordinates& extents, const ReadOptions& options) {
  const bool even = std::all_of(extents.begin(), extents.end(), [](int extent) { return extent % 2 == 0; });
  require(even && has_possible_volume(extents), [&] {
    return fmt::format("{} has extents {} (x, y, z, t): each must be even and at least 2, for at most 2^40 sites",
                       file.path().string(), to_string(extents));
  });
  require(!options.extents || *options.extents == extents, [&] {
    return fmt::format("{} has extents {} (x, y, z, t), but the lattice has {}", file.path().string(),
                       to_string(extents), to_string(*options.extents));
  });
}

ParsedGauge parsed_gauge(GaugeFormat format, const Coordinates& extents, int bits, ByteOrder byte_order) {
  return {.header = {.format = format, .extents = extents, .bits = bits, .byte_order = byte_order},
          .body = {.extents = extents, .bits = bits, .byte_order = byte_order},
          .notes = {}};
}

std::optional<StatedNumber> stated_number(std::string_view text) {
  StatedNumber number;
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number.value);
  if (result.ec != std::errc()) return std::nullopt;
  const std::string_view digits = text.substr(0, static_cast<std::size_t>(result.ptr - text.data()));
  const auto exponent_at = std::min(digits.find_first_of("eE"), digits.size());
  const auto point = digits.find('.');
  int exponent = 0;
  if (exponent_at < digits.size()) {
    auto power = digits.substr(exponent_at + 1);
    if (power.starts_with('+')) power.remove_prefix(1);
    std::from_chars(power.data(), power.data() + power.size(), exponent);
  }
  const auto decimals = point < exponent_at ? static_cast<int>(exponent_at - point) - 1 : 0;
  number.rounding = std::min(0.5 * std::pow(10.0, exponent - decimals), 1e-5);
  return number;
}

}  // namespace kaon::io
