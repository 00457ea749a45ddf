// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "campaign/document.hpp"

#include <string>

namespace kaon::detail {

/// Returns the content of a document with the defaults of all keys that are missing and have one. Throws `Error` for
/// unknown keys and tables, wrong types, wrong words, and numbers out of range (`input_keys`).
Json checked(const Document& document);

}  // namespace kaon::detail
