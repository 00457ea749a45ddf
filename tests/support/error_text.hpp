// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/error.hpp>

#include <string>

namespace kaon::test {

/// The text of the `Error` that `action()` throws; a text that says "no error" if it throws none.
template <class Action>
std::string error_text(Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "(no error was thrown)";
}

}  // namespace kaon::test

/// Expects that the expression throws an `Error` whose text holds `part`.
#define KAON_EXPECT_ERROR(expression, part)                                                           \
  do {                                                                                                \
    const std::string text_of_error = kaon::test::error_text([&] { static_cast<void>(expression); }); \
    EXPECT_NE(text_of_error.find(part), std::string::npos) << text_of_error;                          \
  } while (false)
