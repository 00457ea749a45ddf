// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kaon::io {

/// The XML in a record of a LIME file: elements at its top and directly below, by their names without prefixes. Writers
/// of SciDAC files may put plain text in its place, which has no elements.
class Xml {
 public:
  /// Throws `Error` that names file, record and place for a text that starts with '<' and is not well-formed.
  /// Definitions of entities are not read.
  Xml(const std::filesystem::path& file, std::string_view record, std::string_view text);

  bool has(std::string_view tag) const { return !values(tag).empty(); }

  /// The texts in all elements of this name, CDATA included and without the blanks around them.
  std::vector<std::string> values(std::string_view tag) const;

  /// The text in the element; nothing if there is no such element. Throws if there are two with different texts.
  std::optional<std::string> value(std::string_view tag) const;

  /// The whole number in the element; throws if it is missing or holds none.
  int integer(std::string_view tag) const;

  /// "FILE: <tag> in its record RECORD", to start an error with.
  std::string place_of(std::string_view tag) const;

 private:
  std::string file_, record_;
  std::vector<std::pair<std::string, std::string>> elements_;
};

/// <tag>text</tag> with the text's special characters replaced.
std::string xml_element(std::string_view tag, std::string_view text);

}  // namespace kaon::io
