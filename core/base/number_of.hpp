// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace kaon::detail {

/// Returns the number that the whole of `text` is, in any locale; nothing if it is none or out of range. A plus sign
/// is allowed. `base` is that of whole numbers.
template <class Number, class... Base>
std::optional<Number> number_of(std::string_view text, Base... base) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, value, base...);
  return error == std::errc() && last == end ? std::optional(value) : std::nullopt;
}

}  // namespace kaon::detail
