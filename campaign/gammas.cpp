// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "campaign/gammas.hpp"

#include "core/base/nearest_word.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace kaon::detail {
namespace {

void require_gamma(const std::string& word) {
  const std::vector<std::string> words(gamma_words.begin(), gamma_words.end());
  require(std::ranges::find(words, word) != words.end(), [&] {
    return fmt::format("'{}' is none of the gamma matrices {}{}", word, fmt::join(words, ", "),
                       suggestion(word, words));
  });
}

}  // namespace

std::string hadrons_gamma(std::string_view word) {
  if (word == "1") return "Identity";
  std::string name, axes;
  for (const char c : word) {
    if (c == '5') name += "Gamma5";
    if (c >= '1' && c <= '4') axes += "XYZT"[c - '1'];
  }
  return axes.size() == 2 ? "Sigma" + axes : (axes.empty() ? "" : "Gamma" + axes) + name;
}

std::vector<GammaPair> gamma_pairs(const std::string& word) {
  std::vector<GammaPair> pairs;
  if (word == "all") {
    for (const std::string_view sink : gamma_words) {
      for (const std::string_view source : gamma_words) pairs.push_back({std::string(sink), std::string(source)});
    }
    return pairs;
  }
  const std::size_t colon = word.find(':');
  const std::string sink = word.substr(0, colon), source = colon == word.npos ? sink : word.substr(colon + 1);
  const bool is_vector = (sink + source).find('i') != std::string::npos;
  for (const char direction : is_vector ? std::string("123") : std::string("1")) {
    GammaPair pair{sink, source};
    std::ranges::replace(pair.sink, 'i', direction);
    std::ranges::replace(pair.source, 'i', direction);
    require_gamma(pair.sink);
    require_gamma(pair.source);
    pairs.push_back(pair);
  }
  return pairs;
}

std::vector<std::string> projector_words() {
  std::vector<std::string> words;
  for (const char* axis : {"", "_x", "_y", "_z"}) {
    for (const char* parity : {"positive", "negative"}) words.push_back(std::string(parity) + axis);
  }
  return words;
}

SpinMatrix projector(std::string_view word) {
  const int parity = word.starts_with("positive") ? 1 : -1;
  const std::size_t axis = word.find('_');
  return axis == word.npos ? parity_projector(parity) : polarization_projector(parity, word[axis + 1] - 'x');
}

}  // namespace kaon::detail
