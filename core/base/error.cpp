// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include <kaon/core/error.hpp>

#include "core/base/parts.hpp"
#include "core/base/printable.hpp"

#include <string_view>

namespace kaon {
namespace {

/// File name without its folders: enough to find the line, and free of the builder's paths.
std::string location(const std::source_location& where) {
  const std::string_view file = where.file_name();
  const auto slash = file.find_last_of('/');
  return std::string(slash == std::string_view::npos ? file : file.substr(slash + 1)) + ":" +
         std::to_string(where.line());
}

}  // namespace

Error::Error(const std::string& message, std::source_location where)
    : std::runtime_error(detail::printable(message) + " [" + location(where) + "]") {}

void detail::refuse_part(const std::string& part) {
  throw Error("this kaon was built without its part '" + part +
              "': build it with all of CMake's KAON_PARTS (./dev build)");
}

}  // namespace kaon
