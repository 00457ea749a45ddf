// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/campaign/measurement_input.hpp>
#include <kaon/core/gauge_field.hpp>
#include <kaon/core/spinor_field.hpp>
#include <kaon/measure/spin_taste.hpp>

#include <complex>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace kaon::detail {

/// The channel of the Goldstone pion, which needs no solve of its own.
inline constexpr std::string_view goldstone = "g5";

/// Returns whether a channel is an operator of spin and taste, which needs a solve of its own.
inline bool is_spin_taste(std::string_view channel) { return channel.find('-') != channel.npos; }

/// Returns the channels of a word of the input: "g5", spin and taste "g5-g4", or "g5-all" for 16 tastes. "g5-g5" is
/// "g5". Throws `Error` for a word that is none.
std::vector<std::string> spin_taste_words(const std::string& word);
/// Returns the operator of such a word.
SpinTaste spin_taste_of(std::string_view word);

/// The fields of a source that staggered mesons need.
struct StaggeredFields {
  const GaugeField<double>& links;  ///< of the operators of quarks, without phases
  const SpinorField<double>& quark;
  const SpinorField<double>& antiquark;  ///< both at the sink
  SourceParameters source{};
  /// Returns the propagator of the quark, at the sink, from the source with this operator on it.
  std::function<SpinorField<double>(const std::string& channel, const GaugeField<double>& phased)> solve{};
};

/// Returns C[momentum][channel][t] of a staggered meson, by `apply_spin_taste` at source and sink with links that hold
/// MILC's phases and the sign of the boundary. Collective.
std::vector<std::complex<double>> staggered_mesons(const MeasuredHadron& hadron, const MeasurementInput& input,
                                                   const StaggeredFields& fields);

}  // namespace kaon::detail
