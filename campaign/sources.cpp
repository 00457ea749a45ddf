// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/base/fnv.hpp"

#include <kaon/campaign/measurement.hpp>
#include <kaon/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <span>

namespace kaon {
namespace {

bool is_point(SourceKind kind) { return kind == SourceKind::point || kind == SourceKind::gaussian; }

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

}  // namespace

std::vector<SourceParameters> sources_of(const MeasurementInput& input, const Coordinates& extents,
                                         const std::string& name) {
  const MeasuredSources& given = input.sources;
  const bool points = is_point(given.parameters.kind);
  const double possible = points ? double(extents[0]) * extents[1] * extents[2] * extents[3] : double(extents[3]);
  require(given.random <= possible, [&] {
    return fmt::format("source.random: {} different ones are more than the {} of the {} lattice", given.random,
                       possible, to_string(extents));
  });
  std::mt19937_64 engine(detail::fnv1a(std::as_bytes(std::span(name)), detail::fnv1a({}) ^ given.seed));
  std::vector<Coordinates> sites = given.random > 0 ? draw(given.random, points, extents, engine) : given.sites;
  for (const int time : given.times) sites.push_back({0, 0, 0, time});
  std::vector<SourceParameters> sources;
  for (const Coordinates& site : sites) {
    for (std::size_t mu = 0; mu < 4; ++mu) {
      require(site[mu] >= 0 && site[mu] < extents[mu], [&] {
        return fmt::format(
            "{}: {} is not on the {} lattice", points ? "source.sites" : "source.times",
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
  const double sites = double(extents[0]) * extents[1] * extents[2] * extents[3];
  constexpr double complex_bytes = 16.0, links_of_site = 36.0;
  const bool smears = input.links.method != "none";
  double spinors = 0.0;  // complex numbers of a site
  MeasurementPlan result;
  result.sources = input.sources.count();
  const auto together = static_cast<double>(std::min<std::size_t>(result.sources, input.sources.together));
  const std::size_t exact = input.sloppy ? static_cast<std::size_t>(input.sloppy->exact) : result.sources;
  bool has_spin = false, has_staggered = false;
  for (const MeasuredQuark& quark : input.quarks) {
    const double components = 3.0 * family_of(quark.parameters.action).spins();
    (components > 3.0 ? has_spin : has_staggered) = true;
    spinors += components * components * (together + (input.sinks.empty() ? 0.0 : 1.0));
    result.solves += exact * static_cast<std::size_t>(components);
    if (input.sloppy) result.sloppy_solves += result.sources * static_cast<std::size_t>(components);
  }
  spinors += together * ((has_spin ? 144.0 : 0.0) + (has_staggered ? 9.0 : 0.0));
  result.field_bytes = static_cast<std::uint64_t>(sites * complex_bytes * (spinors + links_of_site * (smears ? 2 : 1)));
  std::size_t numbers = 0;
  for (const MeasuredHadron& hadron : input.hadrons) {
    numbers += hadron.sinks.size() * hadron.momenta.size() * hadron.channels.size();
    const std::size_t sequential = hadron.three_point ? hadron.sinks.size() * 12 : 0;
    result.solves += exact * sequential;
    if (input.sloppy) result.sloppy_solves += result.sources * sequential;
  }
  const std::size_t estimates = input.sloppy ? 2 * result.sources + exact + 1 : result.sources;
  result.file_bytes = estimates * numbers * static_cast<std::uint64_t>(extents[3]) * 16;
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
