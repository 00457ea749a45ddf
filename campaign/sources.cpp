// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "campaign/document.hpp"
#include "campaign/quark_operators.hpp"
#include "core/base/fnv.hpp"
#include "measure/momentum_bounds.hpp"

#include <kaon/campaign/measurement.hpp>
#include <kaon/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <complex>
#include <random>
#include <span>
#include <string>

namespace kaon {
namespace {

/// Sites or times that differ from each other. Numbers come from the engine without a distribution of the standard
/// library, whose results differ between libraries.
std::vector<Coordinates> draw(int count, bool points, const Coordinates& extents, std::mt19937_64& engine) {
  std::vector<Coordinates> sites;
  while (static_cast<int>(sites.size()) < count) {
    Coordinates site{};
    for (std::size_t mu = points ? 0 : 3; mu < 4; ++mu) {
      site[mu] = static_cast<int>(engine() % static_cast<std::uint64_t>(extents[mu]));
    }
    if (std::ranges::find(sites, site) == sites.end()) sites.push_back(site);
  }
  return sites;
}

/// Currents and sinks have their distance from the source below the extent in time.
void require_times(const MeasurementInput& input, const Coordinates& extents) {
  const auto require_time = [&](int time, const auto& key) {
    require(time < extents[3], [&] {
      return fmt::format("{}: {} is not below {}, the extent of the lattice in time",
                         detail::place_of(input.file, input.lines, key()), time, extents[3]);
    });
  };
  for (const MeasuredQuark& quark : input.quarks) {
    if (!quark.current) continue;
    require_time(quark.current->time.value_or(0), [&] { return fmt::format("current.{}.time", quark.name); });
  }
  for (const MeasuredHadron& hadron : input.hadrons) {
    if (!hadron.three_point) continue;
    require_time(hadron.three_point->sink_time, [] { return std::string("three_point.sink_times"); });
  }
}

/// The lattice has the momenta of quarks, currents and hadrons.
void require_momenta(const MeasurementInput& input, const Coordinates& extents) {
  const auto require_one = [&](const SpatialMomentum& momentum, const std::string& key) {
    try {
      detail::require_momentum(momentum, extents);
    } catch (const Error& error) {
      throw Error(fmt::format("{}: {}", detail::place_of(input.file, input.lines, key), error.what()));
    }
  };
  for (const MeasuredQuark& quark : input.quarks) {
    if (quark.current) {
      require_one(quark.current->momentum, fmt::format("current.{}.momentum", quark.name));
    } else {
      require_one(quark.momentum, fmt::format("quark.{}.momentum", quark.name));
    }
  }
  for (const MeasuredHadron& hadron : input.hadrons) {
    for (const SpatialMomentum& momentum : hadron.momenta) require_one(momentum, hadron.key);
    if (hadron.three_point) require_one(hadron.three_point->sink_momentum, hadron.key + ".sink_momenta");
  }
}

}  // namespace

std::vector<SourceParameters> sources_of(const MeasurementInput& input, const Coordinates& extents,
                                         const std::string& name) {
  require_times(input, extents);
  require_momenta(input, extents);
  const MeasuredSources& given = input.sources;
  const bool points = given.are_points();
  const double possible = points ? double(extents[0]) * extents[1] * extents[2] * extents[3] : double(extents[3]);
  require(given.random <= possible, [&] {
    return fmt::format("{}: {} different ones are more than the {} of the {} lattice",
                       detail::place_of(input.file, input.lines, "source.random"), given.random, possible,
                       to_string(extents));
  });
  std::mt19937_64 engine(detail::fnv1a(std::as_bytes(std::span(name)), detail::fnv1a({}) ^ given.seed));
  std::vector<Coordinates> sites = given.random > 0 ? draw(given.random, points, extents, engine) : given.sites;
  for (const int time : given.times) sites.push_back({0, 0, 0, time});
  std::vector<SourceParameters> sources;
  for (const Coordinates& site : sites) {
    for (std::size_t mu = 0; mu < 4; ++mu) {
      require(site[mu] >= 0 && site[mu] < extents[mu], [&] {
        const std::string key = detail::key_of(points ? "source.sites" : "source.times", sources.size());
        return fmt::format(
            "{}: {} is not on the {} lattice", detail::place_of(input.file, input.lines, key),
            points ? fmt::format("{},{},{},{}", site[0], site[1], site[2], site[3]) : fmt::format("{}", site[3]),
            to_string(extents));
      });
    }
    SourceParameters source = given.parameters;
    source.site = site;
    source.seed = engine();
    sources.push_back(source);
  }
  return sources;
}

MeasurementPlan plan(const MeasurementInput& input, const Coordinates& extents) {
  MeasurementPlan result;
  result.sources = input.sources.count();
  const std::size_t exact = input.sloppy ? static_cast<std::size_t>(input.sloppy->exact) : result.sources;
  std::size_t columns = 0, numbers = 0;
  for (const std::size_t of_operator : detail::right_hand_sides_of_source(input)) columns += of_operator;
  for (const MeasuredHadron& hadron : input.hadrons) {
    numbers += hadron.sinks.size() * hadron.momenta.size() * hadron.channels.size();
  }
  result.solves = exact * columns;
  if (input.sloppy) result.sloppy_solves = result.sources * columns;
  const std::size_t estimates = input.sloppy ? 2 * result.sources + exact + 1 : result.sources;
  result.file_bytes = estimates * numbers * static_cast<std::uint64_t>(extents[3]) * sizeof(std::complex<double>);
  return result;
}

int reach_of(const MeasurementInput& input) {
  int reach = 1;
  for (const MeasuredQuark& quark : input.quarks) {
    reach = std::max(reach, family_of(quark.parameters.action).reach());
  }
  return reach;
}

}  // namespace kaon
