// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/error.hpp>

#include <charconv>
#include <string_view>

/// The number that an argument of the command line spells. Throws `kaon::Error` for other words.
inline double number(std::string_view word) {
  double value = 0.0;
  const auto [end, fault] = std::from_chars(word.data(), word.data() + word.size(), value);
  kaon::require(fault == std::errc() && end == word.data() + word.size(),
                [&] { return std::string(word) + " is not a number"; });
  return value;
}
