// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace kaon::apps {

/// Smallest number of insertions, deletions, substitutions and swaps of neighbours that turn one word into the other.
int edit_distance(const std::string& a, const std::string& b);

/// "; did you mean --tolerance?" for the known word that is closest to the given one, or nothing where none is close.
std::string suggestion(const std::string& word, const std::vector<std::string>& known);

}  // namespace kaon::apps
