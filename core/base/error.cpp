// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include <kaon/core/error.hpp>

#include "core/base/parts.hpp"
#include "core/base/printable.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kaon {
namespace {

/// Bytes of the UTF-8 character that `text` starts with; 0 if it starts with none, or with one to be obeyed.
std::size_t character(std::string_view text) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return (first >= 0x20 && first != 0x7f) || first == '\n' || first == '\t' ? 1 : 0;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  std::uint32_t code = first & (0xffu >> (length + 1));
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte(k) & 0xc0) != 0x80) return 0;
    code = (code << 6) | (byte(k) & 0x3fu);
  }
  constexpr std::uint32_t least[] = {0, 0, 0xa0, 0x800, 0x10000};  // below 0xa0: control characters in two bytes
  const bool is_surrogate = code >= 0xd800 && code < 0xe000;
  return code >= least[length] && code <= 0x10ffff && !is_surrogate ? length : 0;
}

/// File name without its folders: enough to find the line, and free of the builder's paths.
std::string location(const std::source_location& where) {
  const std::string_view file = where.file_name();
  const auto slash = file.find_last_of('/');
  return std::string(slash == std::string_view::npos ? file : file.substr(slash + 1)) + ":" +
         std::to_string(where.line());
}

/// Whether the message ends with the place of another error, whose message is part of it.
bool has_location(std::string_view message) {
  const auto start = message.rfind(" ["), colon = message.rfind(':');
  return message.ends_with(']') && start != std::string_view::npos && colon != std::string_view::npos &&
         start < colon && message.find_first_not_of("0123456789", colon + 1) == message.size() - 1;
}

}  // namespace

Error::Error(const std::string& message, std::source_location where)
    : std::runtime_error(detail::printable(message) + (has_location(message) ? "" : " [" + location(where) + "]")) {}

std::string detail::printable(std::string_view text) {
  constexpr char digits[] = "0123456789abcdef";
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = character(text);
    if (length > 0) {
      out += text.substr(0, length);
    } else {
      const auto byte = static_cast<unsigned char>(text.front());
      out += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
    }
    text.remove_prefix(length > 0 ? length : 1);
  }
  return out;
}

void detail::refuse_part(const std::string& part) {
  throw Error("this kaon was built without its part '" + part +
              "': build it with all of CMake's KAON_PARTS (./dev build)");
}

}  // namespace kaon
