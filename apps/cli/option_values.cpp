// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/cli/option_values.hpp"

#include "apps/cli/command.hpp"
#include "apps/cli/output.hpp"
#include "core/base/number_of.hpp"

#include <kaon/core/error.hpp>
#include <kaon/operators/dirichlet.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <numbers>
#include <sstream>
#include <vector>

namespace kaon::apps {
namespace {

using detail::number_of;

/// The words of the formats that are HDF5.
const std::vector<std::string> hdf5_formats{"pyquda", "qdpxx"};

std::vector<std::string> split_four(const std::string& option, const std::string& text, const char* what) {
  std::vector<std::string> words = split(text);
  if (words.size() != 4 || text.ends_with(',')) {
    throw usage_error(fmt::format("{}: '{}' is not {} separated by commas, in the order x,y,z,t", option, text, what));
  }
  return words;
}

}  // namespace

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; std::getline(stream, word, ',');) words.push_back(word);
  return words;
}

std::vector<double> parse_numbers(const std::string& option, const std::string& text) {
  std::vector<double> numbers;
  for (const std::string& word : split(text)) {
    const auto number = number_of<double>(word);
    if (!number) throw usage_error(fmt::format("{}: {}", option, number_fault<double>(word)));
    if (!numbers.empty() && word.size() > 1 && word[0] == '0' && std::isdigit(static_cast<unsigned char>(word[1]))) {
      throw usage_error(fmt::format("{}: '{}' in '{}' begins with 0: commas separate numbers, in which use a point",
                                    option, word, text));
    }
    if (!std::isfinite(*number)) throw usage_error(fmt::format("{}: {} is not a finite number", option, *number));
    numbers.push_back(*number);
  }
  if (numbers.empty() || text.ends_with(',')) throw usage_error(fmt::format("{}: '{}' lacks a number", option, text));
  return numbers;
}

std::vector<int> parse_counts(const std::string& option, const std::string& text, const std::string& fault) {
  std::vector<int> counts;
  for (const double number : parse_numbers(option, text)) {
    if (number < 1.0 || number > 1e6 || number != std::floor(number)) {
      throw usage_error(fmt::format("{}: {} is {}", option, number, fault));
    }
    counts.push_back(static_cast<int>(number));
  }
  return counts;
}

void refuse_without_meaning(std::string_view option, const std::string& condition, const std::string& only) {
  const char* const colon = option.find(':') == option.npos ? ":" : "";
  throw usage_error(
      fmt::format("{}{} has no meaning {}{}{}", option, colon, condition, only.empty() ? "" : ", only with ", only));
}

void refuse_named(const std::set<std::string>& named, std::initializer_list<const char*> options,
                  const std::string& condition, const std::string& only) {
  for (const char* option : options) {
    if (named.contains(option)) refuse_without_meaning(option, condition, only);
  }
}

bool is_hdf5(const std::string& format) { return std::ranges::count(hdf5_formats, format) > 0; }

void require_name_of_format(const std::string& option, const std::string& file, const std::string& format_option,
                            const std::string& format) {
  struct FileType {
    std::string article, name;
    std::vector<std::string> endings, formats;
  };
  static const std::vector<FileType> types{{"an", "HDF5", {".h5", ".hdf5"}, hdf5_formats},
                                           {"a", "NERSC", {".nersc"}, {"nersc", "nersc3x3"}},
                                           {"a", "MILC", {".milc"}, {"milc"}},
                                           {"a",
                                            "LIME",
                                            {".lime", ".ildg", ".scidac", ".usqcd"},
                                            {"ildg", "scidac", "grid", "usqcd", "usqcd-scalar-source"}}};
  for (const auto& [article, name, endings, formats] : types) {
    const bool is_named = std::ranges::any_of(endings, [&](const auto& ending) { return file.ends_with(ending); });
    if (!is_named || std::ranges::count(formats, format) > 0) continue;
    throw usage_error(fmt::format(
        "{}: {} is the name of {} {} file, but the format {} is not {} ({}): give another {}, or another name", option,
        file, article, name, format, name, fmt::join(formats, ", "), format_option));
  }
}

void require_part(bool compiled, const std::string& part, const std::string& option, const std::string& value) {
  if (compiled) return;
  throw usage_error(fmt::format("{}: {} needs kaon's part '{}', which this build lacks: ./dev build makes all of kaon",
                                option, value, part));
}

void require_range(const std::string& option, double number, const NumberRange& range, const std::string& value) {
  const double size = std::abs(number);
  if (!std::isfinite(number)) throw usage_error(fmt::format("{}: {}{} is not a finite number", option, value, number));
  if (size <= range.largest) return;
  const NumberRange in_double;
  throw usage_error(size > in_double.largest
                        ? fmt::format("{}: {}{} is too large: squares of residuals overflow; give at most {}", option,
                                      value, number, in_double.largest)
                        : fmt::format("{}: {}{} is too large for iterations in single precision ({}): give at most {}",
                                      option, value, number, range.reason, range.largest));
}

void require_finite(const std::string& option, double number) {
  if (!std::isfinite(number)) throw usage_error(fmt::format("{}: {} is not a finite number", option, number));
}

void require_tadpole_factor(double u0) {
  const double sixth = std::pow(u0, 6);
  if (u0 > 0 && std::isnormal(sixth) && std::isnormal(1.0 / sixth)) return;
  throw usage_error(fmt::format("--u0: {} is no tadpole factor: it is positive, and 1/u0^6 must not overflow", u0));
}

Coordinates parse_coordinates(const std::string& option, const std::string& text) {
  const std::vector<std::string> words = split_four(option, text, "four integers");
  Coordinates values{};
  for (std::size_t mu = 0; mu < 4; ++mu) {
    const auto value = number_of<int>(words[mu]);
    if (!value) throw usage_error(fmt::format("{}: '{}' in '{}' is not an integer", option, words[mu], text));
    values[mu] = *value;
  }
  return values;
}

Coordinates parse_extents(const std::string& option, const std::string& text) {
  const Coordinates extents = parse_coordinates(option, text);
  for (const int extent : extents) {
    if (extent < 2 || extent % 2 != 0) {
      throw usage_error(
          fmt::format("{}: {} is not a usable extent in '{}': each must be even and at least 2", option, extent, text));
    }
  }
  return extents;
}

BoundaryAngles parse_boundary(const std::string& option, const std::string& text) {
  const std::vector<std::string> words = split_four(option, text, "four boundary conditions");
  BoundaryAngles angles{};
  for (std::size_t mu = 0; mu < 4; ++mu) {
    const auto angle = number_of<double>(words[mu]);
    if (words[mu] == "periodic") {
      angles[mu] = 0.0;
    } else if (words[mu] == "antiperiodic") {
      angles[mu] = std::numbers::pi;
    } else if (words[mu] == "dirichlet") {
      angles[mu] = dirichlet;
    } else if (angle && std::abs(*angle) <= 2.0 * std::numbers::pi) {
      angles[mu] = *angle;
    } else {
      throw usage_error(
          fmt::format("{}: '{}' is neither periodic, antiperiodic, dirichlet nor an angle in radians, at most 2 pi",
                      option, words[mu]));
    }
  }
  if (std::ranges::all_of(angles, [](double angle) { return std::abs(angle) == 1.0; })) {
    throw usage_error(fmt::format("{}: '{}' are angles, not signs: 0 is periodic", option, text));
  }
  return angles;
}

std::string describe(const BoundaryAngles& boundary) {
  std::string text;
  for (const double angle : boundary) {
    if (!text.empty()) text += ",";
    if (angle == 0.0) {
      text += "periodic";
    } else if (angle == std::numbers::pi) {
      text += "antiperiodic";
    } else if (angle == dirichlet) {
      text += "dirichlet";
    } else {
      text += fmt::format("{}", angle);
    }
  }
  return text;
}

void require_site(const std::string& option, const Coordinates& site, const Coordinates& extents) {
  for (std::size_t mu = 0; mu < 4; ++mu) {
    if (site[mu] < 0 || site[mu] >= extents[mu]) {
      throw usage_error(fmt::format("{}: site {},{},{},{} does not lie on the {} lattice", option, site[0], site[1],
                                    site[2], site[3], to_string(extents)));
    }
  }
}

void add_grid_option(const Command& command, LayoutOptions& options) {
  command.add_option("--grid", options.grid, "Processes in each direction; default: chosen by kaon")
      ->type_name("X,Y,Z,T");
}

namespace {

Coordinates parse_grid(const std::string& text) {
  const Coordinates grid = parse_coordinates("--grid", text);
  for (const int processes : grid) {
    if (processes < 1) {
      throw usage_error(fmt::format("--grid: {} is no number of processes in '{}'", processes, text));
    }
  }
  return grid;
}

}  // namespace

void check(const LayoutOptions& options) {
  if (!options.grid.empty()) parse_grid(options.grid);
}

Lattice make_lattice(const Session& session, const std::string& option, const Coordinates& extents,
                     const LayoutOptions& options) {
  LatticeParameters parameters{.extents = extents, .lanes = options.lanes, .reach = options.reach};
  if (!options.grid.empty()) parameters.process_grid = parse_grid(options.grid);
  try {
    return {session.communicator(), parameters};
  } catch (const Error& error) {
    throw usage_error(fmt::format("{}: {}", options.grid.empty() ? option : "--grid", error.what()));
  }
}

std::string describe_grid(const Lattice& lattice) {
  const int processes = lattice.communicator().size();
  return fmt::format("{} ({} process{}), {} sites on each", to_string(lattice.process_grid()), processes,
                     processes == 1 ? "" : "es", to_string(lattice.local_extents()));
}

void report_grid(const Session& session, const Lattice& lattice) {
  say(session, "process grid  {}\n", describe_grid(lattice));
}

}  // namespace kaon::apps
