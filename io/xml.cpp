// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "io/xml.hpp"
#include "io/header_text.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>
#include <pugixml.hpp>

#include <sstream>

namespace kaon::io {
namespace {

/// The content of an element; elements within it remain as they are.
std::string content_of(const pugi::xml_node& element) {
  std::ostringstream out;
  for (const pugi::xml_node& child : element.children()) {
    if (child.type() == pugi::node_element) {
      child.print(out, "", pugi::format_raw | pugi::format_no_declaration);
    } else {
      out << child.value();
    }
  }
  return std::string(trimmed(out.str()));
}

}  // namespace

Xml::Xml(const std::filesystem::path& file, std::string_view record, std::string_view text)
    : file_(file.string()), record_(record) {
  const std::string problem = parse(text);
  require(problem.empty(), [&] { return fmt::format("{} is damaged: {}", file_, problem); });
}

Xml Xml::of_user(const std::filesystem::path& file, std::string_view record, std::string_view text) {
  Xml xml;
  xml.file_ = file.string();
  xml.record_ = record;
  xml.problem_ = xml.parse(text);
  if (!xml.problem_.empty()) xml.unreadable_ = text;
  return xml;
}

std::string Xml::parse(std::string_view text) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  text = trimmed(text);
  if (!text.starts_with('<')) return {};
  pugi::xml_document document;
  const pugi::xml_parse_result result =
      document.load_buffer(text.data(), text.size(), pugi::parse_cdata | pugi::parse_escapes, pugi::encoding_utf8);
  if (result.status == pugi::status_no_document_element) return {};  // a declaration alone, or with plain text
  if (!result) {
    return fmt::format("the XML of its record {} cannot be read: {} at byte {} of {}", record_, result.description(),
                       result.offset, text.size());
  }
  const auto add = [&](const pugi::xml_node& element) {
    if (element.type() != pugi::node_element) return;
    const std::string_view name = element.name();
    elements_.emplace_back(name.substr(name.rfind(':') + 1), content_of(element));
  };
  for (const pugi::xml_node& top : document.children()) {
    add(top);
    for (const pugi::xml_node& below : top.children()) add(below);
  }
  return {};
}

std::vector<std::string> Xml::values(std::string_view tag) const {
  std::vector<std::string> found;
  for (const auto& [name, text] : elements_) {
    if (name == tag) found.push_back(text);
  }
  const std::string start = fmt::format("<{}>", tag);
  if (const std::size_t at = unreadable_.find(start); at != unreadable_.npos) {
    const std::size_t begin = at + start.size(), end = unreadable_.find(fmt::format("</{}>", tag), begin);
    if (end != unreadable_.npos) found.emplace_back(trimmed(std::string_view(unreadable_).substr(begin, end - begin)));
  }
  return found;
}

std::string Xml::first(std::string_view tag) const {
  const std::vector<std::string> found = values(tag);
  return found.empty() ? std::string() : found.front();
}

std::optional<std::string> Xml::value(std::string_view tag) const {
  const std::vector<std::string> found = values(tag);
  if (found.empty()) return std::nullopt;
  for (const std::string& other : found) {
    require(other == found.front(), [&] {
      return fmt::format("{} stands twice: {} and {}", place_of(tag), excerpt(found.front()), excerpt(other));
    });
  }
  return found.front();
}

int Xml::integer(std::string_view tag) const {
  const auto text = value(tag);
  require(text.has_value(), [&] { return fmt::format("{} is missing", place_of(tag)); });
  const auto number = number_of<int>(*text);
  require(number.has_value(),
          [&] { return fmt::format("{} is {}, which is no whole number", place_of(tag), excerpt(*text)); });
  return *number;
}

std::string Xml::element_of(std::string_view tag) const { return fmt::format("<{}> in its record {}", tag, record_); }

std::string Xml::place_of(std::string_view tag) const { return fmt::format("{}: {}", file_, element_of(tag)); }

std::string xml_element(std::string_view tag, std::string_view text) {
  std::string out = fmt::format("<{}>", tag);
  for (const char c : text) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&apos;";
        break;
      case '&':
        out += "&amp;";
        break;
      default:
        out += c;
    }
  }
  return out + fmt::format("</{}>", tag);
}

namespace {
constexpr std::string_view declaration = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
}

std::string xml_lines(const XmlElements& elements) {
  std::string out;
  for (const auto& [tag, text] : elements) out += xml_element(tag, text) + "\n";
  return out;
}

std::string xml_around(std::string_view root, std::string_view lines, std::string_view attributes) {
  return fmt::format("{0}<{1}{2}{3}>\n{4}</{1}>\n", declaration, root, attributes.empty() ? "" : " ", attributes,
                     lines);
}

std::string xml_document(std::string_view root, const XmlElements& elements, std::string_view attributes) {
  return xml_around(root, xml_lines(elements), attributes);
}

std::string xml_document(std::string_view root, std::string_view text) {
  return fmt::format("{}{}\n", declaration, xml_element(root, text));
}

}  // namespace kaon::io
