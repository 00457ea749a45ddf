// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "capi/handles.hpp"

#include <kaon/campaign/measurement.hpp>
#include <kaon/comm/build_info.hpp>
#include <kaon/gauge/observables.hpp>

#include <string>
#include <string_view>

using namespace kaon::capi;

namespace {

/// Returns an argument whose text processes compare; for NULL, one that is refused as such.
Argument text_of(const char* name, const char* text) {
  if (text == nullptr) return {name, static_cast<const void*>(nullptr)};
  return {name, std::string_view(text)};
}

}  // namespace

kaon_status kaon_measure(const kaon_gauge* links, const char* input, const char* name, int write, const char** json) {
  return collective(
      __func__, {{"links", links}, text_of("input", input), text_of("name", name), {"write", write}, {"json", json}},
      [&](Call& call) {
        *json = nullptr;
        const auto* const in_double = std::get_if<kaon::GaugeField<double>>(&links->links);
        if (in_double == nullptr) throw Unsupported("measurements are of links in double");
        const kaon::MeasurementInput given = kaon::parse_measurement_input(input, "input", false);
        const kaon::Measurement measured = kaon::measure(*in_double, given, name);
        call.failure = KAON_NOT_CONVERGED;
        if (!measured.failure.empty()) throw kaon::Error(measured.failure);
        call.failure = KAON_FILE;
        const kaon::BuildInfo build = kaon::build_info();
        const kaon::MeasurementRecord record{
            .configuration = name,
            .checksum = {},
            .plaquette = kaon::plaquette(*in_double).average,
            .provenance = fmt::format("{{\"kaon\": \"{}\", \"commit\": \"{}\"}}", build.version, build.commit)};
        if (write != 0) {
          kaon::write_measurement(given.folder, name, measured, given, record, in_double->lattice().communicator());
        }
        thread_local std::string text;
        text = kaon::to_json(measured, given, record);
        *json = text.c_str();
      });
}
