// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/campaign/measurement_input.hpp>
#include <kaon/core/gauge_field.hpp>
#include <kaon/core/spinor_field.hpp>
#include <kaon/measure/propagate.hpp>

#include <complex>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kaon::detail {

/// The fields of a source that a three-point function needs.
struct ThreePointFields {
  const GaugeField<double>& links;     ///< of the operators of quarks
  const GaugeField<double>& smearing;  ///< by which sinks are smeared
  /// In the order of `MeasurementInput::quarks`, as they are and at the sink.
  const std::vector<SpinorField<double>>& propagators;
  const std::vector<SpinorField<double>>& at_sink;
  /// `current_fields` of the quarks that have them, in the same order.
  const std::vector<std::optional<SpinorField<double>>>& current_fields;
  const MeasuredSink* sink = nullptr;  ///< its smearing; null: none
  SourceParameters source{};
  /// Solves for the propagators `wanted` of the quark of a place from a sequential source.
  std::function<QuarkPropagators<double>(std::size_t quark, const SpinorField<double>& eta,
                                         std::span<const std::string> wanted)>
      solve{};
};

/// Returns C[momentum][channel][t] of a hadron with `three_point`: one sequential solve. Collective.
std::vector<std::complex<double>> three_point(const MeasuredHadron& hadron, const MeasurementInput& input,
                                              const ThreePointFields& fields);

}  // namespace kaon::detail
