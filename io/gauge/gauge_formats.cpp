// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "io/gauge/gauge_formats.hpp"
#include "io/header_text.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
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
    case GaugeFormat::grid:
      return "Grid SciDAC (LIME)";
    case GaugeFormat::milc:
      return "MILC v5";
    case GaugeFormat::openqcd:
      return "openQCD";
    case GaugeFormat::pyquda:
      return "PyQUDA (HDF5)";
    case GaugeFormat::qdpxx:
      return "QDP++ (HDF5)";
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

StatedNumber stated_number(const InputFile& file, const std::string& source, std::string_view text) {
  const auto value = number_of<double>(text);
  require(value && std::isfinite(*value), [&] {
    return fmt::format("{}: {} is {}, which is no number, or none that kaon can hold", file.path().string(), source,
                       excerpt(text));
  });
  const auto exponent_at = std::min(text.find_first_of("eE"), text.size());
  const auto point = text.find('.');
  const double exponent = exponent_at < text.size() ? number_of<int>(text.substr(exponent_at + 1)).value_or(0) : 0;
  const double decimals = point < exponent_at ? static_cast<double>(exponent_at - point) - 1 : 0;
  return {.value = *value, .rounding = std::min(0.5 * std::pow(10.0, exponent - decimals), 1e-5), .source = source};
}

}  // namespace kaon::io
