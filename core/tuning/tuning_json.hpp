// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/tuning/tuning_results.hpp"

#include <nlohmann/json.hpp>

#include <concepts>

// How results of tuning are written as JSON: found by nlohmann's library.

namespace kaon {

/// Calls `visit(name, member)` for each member of a result, in the order of the file.
template <class Shape, class Visit>
requires std::same_as<std::remove_const_t<Shape>, LaunchShape>
void for_members(Shape& shape, const Visit& visit) {
  visit("sites", shape.sites);
  visit("box", shape.box);
  visit("threads_per_site", shape.threads_per_site);
  visit("right_hand_sides", shape.right_hand_sides);
  visit("halo_first", shape.halo_first);
  visit("edges_last", shape.edges_last);
  visit("columns", shape.columns);
  visit("keep_links", shape.keep_links);
  visit("prefetch", shape.prefetch);
  visit("stream", shape.stream);
}
template <class Entry, class Visit>
requires std::same_as<std::remove_const_t<Entry>, TuningEntry>
void for_members(Entry& entry, const Visit& visit) {
  visit("kernel", entry.kernel);
  visit("extents", entry.extents);
  visit("processes", entry.processes);
  visit("lanes", entry.lanes);
  visit("precision", entry.precision);
  visit("link_reals", entry.link_reals);
  visit("right_hand_sides", entry.right_hand_sides);
  visit("shape", entry.shape);
  visit("microseconds", entry.microseconds);
  visit("standard_microseconds", entry.standard_microseconds);
}
template <class Section, class Visit>
requires std::same_as<std::remove_const_t<Section>, TuningSection>
void for_members(Section& section, const Visit& visit) {
  visit("device", section.device);
  visit("build", section.build);
  visit("entries", section.entries);
}

template <class Result>
concept IsTuningResult =
    std::same_as<Result, LaunchShape> || std::same_as<Result, TuningEntry> || std::same_as<Result, TuningSection>;

template <class Json, IsTuningResult Result>
void to_json(Json& json, const Result& result) {
  for_members(result, [&](const char* name, const auto& member) { json[name] = member; });
}
template <class Json, IsTuningResult Result>
void from_json(const Json& json, Result& result) {
  for_members(result, [&](const char* name, auto& member) { json.at(name).get_to(member); });
}

}  // namespace kaon
