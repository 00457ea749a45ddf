// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kaon::io {

/// The text between the first <tag ...> and its </tag>, without the blanks around it and with &lt; &gt; &amp; &quot;
/// &apos; replaced; nothing where there is no such tag. Enough for the flat XML in the records of lattice files.
std::optional<std::string> xml_value(std::string_view xml, std::string_view tag);

/// <tag>text</tag> with the text's special characters replaced.
std::string xml_element(std::string_view tag, std::string_view text);

}  // namespace kaon::io
