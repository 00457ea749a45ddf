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

constexpr std::string_view conserved = "conserved";

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

std::vector<std::string> current_words(const std::string& word) {
  if (word == "all") return {gamma_words.begin(), gamma_words.end()};
  std::vector<std::string> words;
  const bool is_vector = word.find("gi") != std::string::npos;
  for (const char direction : is_vector ? std::string("123") : std::string("1")) {
    std::string one = word;
    if (is_vector) one[word.find("gi") + 1] = direction;
    const std::size_t derivative = one.find('d');
    const bool has_direction = one.size() > 1 && one.back() >= '1' && one.back() <= '4';
    const bool is_conserved = one.starts_with(conserved) && one.size() == conserved.size() + 1 && has_direction;
    if (!is_conserved) {
      const bool is_derivative = derivative + 2 == one.size() && has_direction;
      const std::string gamma = is_derivative ? one.substr(0, derivative) : one;
      const std::vector<std::string> gammas(gamma_words.begin(), gamma_words.end());
      require(std::ranges::find(gammas, gamma) != gammas.end(), [&] {
        return fmt::format(
            "'{}' is no current: give a gamma matrix ({}), one with a derivative such as g4d4, or {}1 to {}4{}", word,
            fmt::join(gammas, ", "), conserved, conserved, suggestion(gamma, gammas));
      });
    }
    words.push_back(std::move(one));
  }
  return words;
}

Current current_of(const std::string& channel) {
  const std::string word = channel.substr(0, channel.find(':'));
  const std::size_t derivative = word.find('d');
  const bool is_conserved = word.starts_with(conserved);
  if (!is_conserved && derivative == word.npos) return {CurrentKind::local, gamma_matrix(word), 0};
  const int direction = word.back() - '1';
  if (is_conserved) return {CurrentKind::conserved, gamma_product(1 << direction), direction};
  return {CurrentKind::derivative, gamma_matrix(word.substr(0, derivative)), direction};
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
