// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>

#include <map>
#include <string>

namespace kaon::detail {

/// Members remain in the order in which they were added.
using Json = nlohmann::ordered_json;

/// Returns "FILE:LINE: KEY", without what is not known.
std::string place_of(const std::string& file, const std::map<std::string, int>& lines, const std::string& key);

/// The content of an input file, with the lines of its keys.
struct Document {
  std::string name;  ///< of the file
  Json content;
  std::map<std::string, int> lines{};  ///< by key, "quark.l.kappa"; none for JSON

  /// Throws `Error` with the message "FILE:LINE: KEY: PROBLEM".
  [[noreturn]] void fail(const std::string& key, const std::string& problem) const;
};

/// Parses TOML, or JSON. Throws `Error` for what is neither, with the line.
Document parse_document(const std::string& text, const std::string& name, bool is_toml);

/// Returns the key of a member or of an element of a list: "quark.l", "meson[0]".
std::string key_of(const std::string& table, const std::string& member);
std::string key_of(const std::string& list, std::size_t place);

}  // namespace kaon::detail
