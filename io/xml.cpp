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
  for (auto start = xml.find(opening); start != xml.npos; start = xml.find(opening, start + 1)) {
    const std::string_view rest = xml.substr(start + opening.size());
    if (rest.empty() || !(is_blank(rest.front()) || rest.front() == '>')) continue;  // a longer name
    const auto from = rest.find('>');
    const auto to = rest.find(closing);
    if (from == rest.npos || to == rest.npos || to <= from) continue;
    std::string_view text = rest.substr(from + 1, to - from - 1);
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
