// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

// Clang 14 cannot compile the <source_location> of GCC's library.
namespace std {
struct source_location {
  static consteval source_location current() { return {}; }
  constexpr uint_least32_t line() const { return 0; }
  constexpr const char* file_name() const { return ""; }
  constexpr const char* function_name() const { return ""; }
};
}  // namespace std
