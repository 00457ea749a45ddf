// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace kaon::detail {

/// Returns "; did you mean --tolerance?" for the known word that is nearest to `word`, and an empty text if none is
/// near: for messages about misspelt words.
std::string suggestion(const std::string& word, const std::vector<std::string>& known);

}  // namespace kaon::detail
