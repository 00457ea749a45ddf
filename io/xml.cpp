// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "io/xml.hpp"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <utility>

namespace kaon::io {
namespace {

constexpr std::array<std::pair<char, std::string_view>, 5> entities{
    {{'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&apos;"}, {'&', "&amp;"}}};

bool is_blank(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0 || c == '\0'; }

std::string unescaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    std::size_t used = 1;
    char c = text.front();
    for (const auto& [character, entity] : entities) {
      if (text.starts_with(entity)) {
        c = character;
        used = entity.size();
      }
    }
    out += c;
    text.remove_prefix(used);
  }
  return out;
}

}  // namespace

std::optional<std::string> xml_value(std::string_view xml, std::string_view tag) {
  const std::string opening = fmt::format("<{}", tag), closing = fmt::format("</{}", tag);
  // Each text is sought once, not from every opening on: files of unclosed tags must not take quadratic time.
  std::size_t end_of_tag = 0, closed = 0;
  for (auto start = xml.find(opening); start != xml.npos; start = xml.find(opening, start + 1)) {
    const std::size_t name_end = start + opening.size();
    if (name_end == xml.size() || !(is_blank(xml[name_end]) || xml[name_end] == '>')) continue;  // a longer name
    if (end_of_tag < name_end) end_of_tag = xml.find('>', name_end);
    if (closed < name_end) closed = xml.find(closing, name_end);
    if (end_of_tag == xml.npos || closed == xml.npos) return std::nullopt;
    if (closed <= end_of_tag) continue;
    std::string_view text = xml.substr(end_of_tag + 1, closed - end_of_tag - 1);
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return unescaped(text);
  }
  return std::nullopt;
}

std::string xml_element(std::string_view tag, std::string_view text) {
  std::string out = fmt::format("<{}>", tag);
  for (const char c : text) {
    std::string_view piece(&c, 1);
    for (const auto& [character, entity] : entities) {
      if (c == character) piece = entity;
    }
    out += piece;
  }
  return out + fmt::format("</{}>", tag);
}

}  // namespace kaon::io
