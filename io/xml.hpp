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
  Xml() = default;
  /// Throws `Error` that names file, record and place for a text that starts with '<' and is not well-formed.
  /// Definitions of entities are not read.
  Xml(const std::filesystem::path& file, std::string_view record, std::string_view text);

  /// Reads the record of a user, whose text some writers do not escape. If it is no XML, as `problem` then says, an
  /// element is the text between its first start tag and the next end tag.
  static Xml of_user(const std::filesystem::path& file, std::string_view record, std::string_view text);

  /// Says why the text of a user is no XML; empty for XML.
  const std::string& problem() const { return problem_; }

  bool has(std::string_view tag) const { return !values(tag).empty(); }

  /// The texts in all elements of this name, CDATA included and without the blanks around them.
  std::vector<std::string> values(std::string_view tag) const;

  /// The text in the element; nothing if there is no such element. Throws if there are two with different texts.
  std::optional<std::string> value(std::string_view tag) const;

  /// The text in the first element of this name; empty if there is none.
  std::string first(std::string_view tag) const;

  /// The whole number in the element; throws if it is missing or holds none.
  int integer(std::string_view tag) const;

  /// "<tag> in its record RECORD".
  std::string element_of(std::string_view tag) const;

  /// "FILE: <tag> in its record RECORD", to start an error with.
  std::string place_of(std::string_view tag) const;

 private:
  /// Fills `elements_`; returns why the text is no XML, if it is none.
  std::string parse(std::string_view text);

  std::string file_, record_, problem_;
  std::string unreadable_;  ///< the text that is no XML
  std::vector<std::pair<std::string, std::string>> elements_;
};

/// <tag>text</tag> with the text's special characters replaced.
std::string xml_element(std::string_view tag, std::string_view text);

/// Names and texts of elements.
using XmlElements = std::vector<std::pair<std::string_view, std::string>>;

/// A line for each element.
std::string xml_lines(const XmlElements& elements);

/// A document of one root around lines.
std::string xml_around(std::string_view root, std::string_view lines, std::string_view attributes = {});

/// A document of one root with elements, each on a line of its own: some readers parse lines.
std::string xml_document(std::string_view root, const XmlElements& elements, std::string_view attributes = {});

/// A document of a text in one element.
std::string xml_document(std::string_view root, std::string_view text);

}  // namespace kaon::io
