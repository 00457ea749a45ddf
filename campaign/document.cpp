// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "campaign/document.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>

#ifdef KAON_HAS_TOML
#define TOML_EXCEPTIONS 1
#include <toml++/toml.h>
#endif

#include <algorithm>

namespace kaon::detail {
namespace {

#ifdef KAON_HAS_TOML
Json to_json(Document& document, const toml::node& node, const std::string& key) {
  document.lines[key] = static_cast<int>(node.source().begin.line);
  if (const auto* const table = node.as_table()) {
    Json json = Json::object();
    for (const auto& [name, member] : *table) {
      const std::string word(name.str());
      json[word] = to_json(document, member, key_of(key, word));
      document.lines[key_of(key, word)] = static_cast<int>(name.source().begin.line);
    }
    return json;
  }
  if (const auto* const list = node.as_array()) {
    Json json = Json::array();
    for (std::size_t n = 0; n < list->size(); ++n) json.push_back(to_json(document, (*list)[n], key_of(key, n)));
    return json;
  }
  if (const auto* const word = node.as_string()) return word->get();
  if (const auto* const integer = node.as_integer()) return integer->get();
  if (const auto* const number = node.as_floating_point()) return number->get();
  if (const auto* const flag = node.as_boolean()) return flag->get();
  document.fail(key, "dates and times have no meaning here");
}

void parse_toml(Document& document, const std::string& text) {
  try {
    const toml::table table = toml::parse(text);
    document.content = to_json(document, table, "");
  } catch (const toml::parse_error& error) {
    throw Error(
        fmt::format("{}:{}: this is no TOML: {}", document.name, error.source().begin.line, error.description()));
  }
}
#else
void parse_toml(Document& document, const std::string&) {
  throw Error(fmt::format("{}: this build of kaon reads no TOML, because toml++ was missing: write the input as JSON",
                          document.name));
}
#endif

void parse_json(Document& document, const std::string& text) {
  constexpr int deepest = 8;
  const auto check_depth = [](int depth, Json::parse_event_t, Json&) {
    require(depth <= deepest, "brackets within brackets");
    return true;
  };
  try {
    document.content = Json::parse(text, check_depth);
  } catch (const Json::parse_error& error) {
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(error.byte, text.size()));
    throw Error(fmt::format("{}:{}: this is no JSON: {}", document.name, 1 + std::count(text.begin(), end, '\n'),
                            error.what()));
  }
}

}  // namespace

std::string place_of(const std::string& file, const std::map<std::string, int>& lines, const std::string& key) {
  // Keys that are missing have the line of their table.
  for (std::string known = key;; known.erase(known.find_last_of(".["))) {
    const auto found = lines.find(known);
    if (found != lines.end()) return fmt::format("{}:{}: {}", file, found->second, key);
    if (known.find_last_of(".[") == known.npos) return file.empty() ? key : fmt::format("{}: {}", file, key);
  }
}

void Document::fail(const std::string& key, const std::string& problem) const {
  throw Error(fmt::format("{}{}{}", place_of(name, lines, key), key.empty() ? "" : ": ", problem));
}

Document parse_document(const std::string& text, const std::string& name, bool is_toml) {
  Document document{.name = name, .content = {}, .lines = {}};
  if (is_toml) {
    parse_toml(document, text);
  } else {
    parse_json(document, text);
  }
  if (!document.content.is_object()) document.fail("", "the input is no table of keys");
  return document;
}

std::string key_of(const std::string& table, const std::string& member) {
  return table.empty() ? member : table + "." + member;
}

std::string key_of(const std::string& list, std::size_t place) { return fmt::format("{}[{}]", list, place); }

}  // namespace kaon::detail
