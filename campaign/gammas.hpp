// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/campaign/measurement_input.hpp>
#include <kaon/measure/contractions.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace kaon::detail {

/// Returns the name of one of `gamma_words` in Hadrons' files: "GammaTGamma5" of "g4g5", "SigmaXY" of "g1g2".
std::string hadrons_gamma(std::string_view word);

/// Returns the pairs that a word of the input means: "g5", "g4g5:g5", "gi" (three pairs), "all" (256 pairs). Throws
/// `Error` for a word that is none, with the nearest one.
std::vector<GammaPair> gamma_pairs(const std::string& word);

enum class CurrentKind { local, conserved, derivative };

/// A current on a quark.
struct Current {
  CurrentKind kind = CurrentKind::local;
  SpinMatrix gamma{};
  int direction = 0;  ///< of its link
};

/// Returns the currents that a word of the input means: "g4", "gi" (three currents), "all" (16 gamma matrices), with a
/// derivative "g4d4", conserved "conserved4". Throws `Error` for a word that is none, with the nearest one.
std::vector<std::string> current_words(const std::string& word);
/// Returns the current of a word of `current_words`, which the channels of mesons have before ":".
Current current_of(const std::string& channel);

/// The words of projectors: "positive" and "negative" parity, and "positive_x" and its like, which are polarised.
std::vector<std::string> projector_words();
/// Returns the projector of such a word.
SpinMatrix projector(std::string_view word);

}  // namespace kaon::detail
