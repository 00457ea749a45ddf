// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/parameter_error.hpp>

#include <source_location>
#include <string>

namespace kaon::detail {

/// Throws `ParameterError(parameter, message())` unless `condition` holds.
template <class Message>
void require_parameter(bool condition, const char* parameter, const Message& message,
                       std::source_location where = std::source_location::current()) {
  if (!condition) throw ParameterError(parameter, message(), where);
}

}  // namespace kaon::detail
