// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/tuning/tuning_results.hpp"

#include <nlohmann/json.hpp>

// How results of tuning are written as JSON: found by nlohmann's library.

namespace kaon {

template <class Json>
void to_json(Json& json, const LaunchShape& shape) {
  json = Json{{"sites", shape.sites},
              {"box", shape.box},
              {"threads_per_site", shape.threads_per_site},
              {"right_hand_sides", shape.right_hand_sides},
              {"halo_first", shape.halo_first},
              {"edges_last", shape.edges_last},
              {"columns", shape.columns},
              {"keep_links", shape.keep_links},
              {"prefetch", shape.prefetch},
              {"stream", shape.stream}};
}

template <class Json>
void from_json(const Json& json, LaunchShape& shape) {
  json.at("sites").get_to(shape.sites);
  json.at("box").get_to(shape.box);
  json.at("threads_per_site").get_to(shape.threads_per_site);
  json.at("right_hand_sides").get_to(shape.right_hand_sides);
  json.at("halo_first").get_to(shape.halo_first);
  json.at("edges_last").get_to(shape.edges_last);
  json.at("columns").get_to(shape.columns);
  json.at("keep_links").get_to(shape.keep_links);
  json.at("prefetch").get_to(shape.prefetch);
  json.at("stream").get_to(shape.stream);
}

template <class Json>
void to_json(Json& json, const TuningEntry& entry) {
  json = Json{{"kernel", entry.kernel},
              {"extents", entry.extents},
              {"processes", entry.processes},
              {"lanes", entry.lanes},
              {"precision", entry.precision},
              {"link_reals", entry.link_reals},
              {"right_hand_sides", entry.right_hand_sides},
              {"shape", entry.shape},
              {"microseconds", entry.microseconds},
              {"standard_microseconds", entry.standard_microseconds}};
}

template <class Json>
void from_json(const Json& json, TuningEntry& entry) {
  json.at("kernel").get_to(entry.kernel);
  json.at("extents").get_to(entry.extents);
  json.at("processes").get_to(entry.processes);
  json.at("lanes").get_to(entry.lanes);
  json.at("precision").get_to(entry.precision);
  json.at("link_reals").get_to(entry.link_reals);
  json.at("right_hand_sides").get_to(entry.right_hand_sides);
  json.at("shape").get_to(entry.shape);
  json.at("microseconds").get_to(entry.microseconds);
  json.at("standard_microseconds").get_to(entry.standard_microseconds);
}

template <class Json>
void to_json(Json& json, const TuningSection& section) {
  json = Json{{"device", section.device}, {"build", section.build}, {"entries", section.entries}};
}

template <class Json>
void from_json(const Json& json, TuningSection& section) {
  json.at("device").get_to(section.device);
  json.at("build").get_to(section.build);
  json.at("entries").get_to(section.entries);
}

}  // namespace kaon
