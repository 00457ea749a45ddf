// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/number_of.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kaon::io {

// Words and numbers of headers. A number is a whole word: what follows its digits is not dropped.

inline bool is_blank(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0 || c == '\0'; }

/// The text without the blanks, ends of lines and zero bytes around it.
inline std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// The words between blanks of any kind.
inline std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> found;
  for (text = trimmed(text); !text.empty(); text = trimmed(text)) {
    const auto length = static_cast<std::size_t>(std::find_if(text.begin(), text.end(), is_blank) - text.begin());
    found.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return found;
}

/// The text for a message: its start if it is long.
inline std::string excerpt(std::string_view text) {
  constexpr std::size_t most = 80;
  return fmt::format("'{}{}'", text.substr(0, most), text.size() > most ? "..." : "");
}

/// The text in capitals: writers differ in the case of words.
inline std::string capitals(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::toupper(c); });
  return out;
}

using kaon::detail::number_of;

/// The number that hexadecimal digits are, padded or not, with or without 0x.
inline std::optional<std::uint32_t> hexadecimal_of(std::string_view text) {
  return number_of<std::uint32_t>(text.substr(text.starts_with("0x") || text.starts_with("0X") ? 2 : 0), 16);
}

}  // namespace kaon::io
