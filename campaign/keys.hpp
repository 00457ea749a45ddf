// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "campaign/document.hpp"

#include <string>
#include <vector>

namespace kaon::detail {

/// Returns the content of a document with the defaults of all keys that are missing and have one. Throws `Error` for
/// unknown keys and tables, wrong types, wrong words, and numbers out of range (`input_keys`).
Json checked(const Document& document);

/// Throws `Error` unless the elements of a list differ: a correlator would be measured twice.
void require_different(const Document& document, const std::string& key, const Json& list);

/// Returns the words of a list. Throws `Error` unless they differ and `choices` has all of them.
std::vector<std::string> chosen(const Document& document, const std::string& key, const Json& list,
                                const std::vector<std::string>& choices);

}  // namespace kaon::detail
