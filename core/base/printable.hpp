// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace kaon::detail {

/// The text with "\x1b" and its like in the place of bytes that a terminal would obey: control characters other than
/// the ends of lines and tabs, and what is not UTF-8. For all that is shown and may quote a file.
std::string printable(std::string_view text);

}  // namespace kaon::detail
