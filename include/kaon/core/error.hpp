// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <source_location>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace kaon {

/// kaon's exception for every mistake that a caller or a file can make. The message says what is wrong, with which
/// values, and what to do about it; the place in the source that noticed it is appended.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message, std::source_location where = std::source_location::current());
};

/// Throws `Error(message)` unless `condition` holds.
///
/// Decisions that processes may take differently are reduced first (`Communicator::any`), so that all throw together.
inline void require(bool condition, const char* message, std::source_location where = std::source_location::current()) {
  if (!condition) throw Error(message, where);
}

/// A check with a message made only when it is needed: `require(n > 0, [&] { return fmt::format(...); })`.
template <class Message>
requires std::is_invocable_r_v<std::string, Message>
void require(bool condition, Message&& message, std::source_location where = std::source_location::current()) {
  if (!condition) throw Error(message(), where);
}

}  // namespace kaon
