// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/base/nearest_word.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace kaon::detail {
namespace {

/// Returns the smallest number of insertions, deletions, substitutions and swaps of neighbours that turn one word into
/// the other.
int edit_distance(const std::string& a, const std::string& b) {
  // rows[i][j] is the distance between the first i letters of a and the first j of b.
  std::vector<std::vector<int>> rows(a.size() + 1, std::vector<int>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        rows[i][j] = static_cast<int>(i + j);
        continue;
      }
      const int substituted = rows[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      rows[i][j] = std::min({rows[i - 1][j] + 1, rows[i][j - 1] + 1, substituted});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        rows[i][j] = std::min(rows[i][j], rows[i - 2][j - 2] + 1);
      }
    }
  }
  return rows[a.size()][b.size()];
}

}  // namespace

std::string suggestion(const std::string& word, const std::vector<std::string>& known) {
  const auto distance = [&](const std::string& other) { return edit_distance(word, other); };
  const auto nearest = std::min_element(known.begin(), known.end(),
                                        [&](const auto& a, const auto& b) { return distance(a) < distance(b); });
  if (nearest == known.end() || 3 * distance(*nearest) > static_cast<int>(word.size())) return {};
  return fmt::format("; did you mean {}?", *nearest);
}

}  // namespace kaon::detail
