// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/communicator.hpp>
#include <kaon/io/checksum.hpp>

#include <cstdint>
#include <exception>
#include <optional>
#include <string>

namespace kaon::io {

// Work of all processes together. All calls are collective.

/// Throws `Error` on every process if any has a problem: that of the first of them, and which processes have one.
void throw_together(const Communicator& communicator, const std::optional<std::string>& problem);

/// Runs `action` on this process; where it throws on any, all throw, so that none waits for another in vain. On one
/// process what is thrown passes unchanged. `action` itself communicates only by calls that throw together.
template <class Action>
void together(const Communicator& communicator, Action&& action) {
  if (communicator.size() == 1) {
    action();
    return;
  }
  std::optional<std::string> problem;
  try {
    action();
  } catch (const std::exception& error) {
    problem = error.what();
  }
  throw_together(communicator, problem);
}

/// The text that process `root` has.
std::string broadcast(const Communicator& communicator, const std::string& text, int root = 0);

/// Checksum of a body, to which every process has added its own items.
Checksum combine(const Communicator& communicator, const Checksum& part);

/// A sum whose digits depend neither on the order of its terms nor on how they are spread over processes: all are
/// rounded to multiples of 2^-60, and whole numbers are added. Terms beyond 2^20 make it NaN.
class ExactSum {
 public:
  void add(double term);
  void add(const ExactSum& other);
  /// Over all processes.
  double total(const Communicator& communicator) const;

 private:
  void add(std::uint64_t high, std::uint64_t low);

  // Two's complement modulo 2^128. Not every compiler of GPU code has integers of 128 bits.
  std::uint64_t high_ = 0;
  std::uint64_t low_ = 0;
  bool too_large_ = false;
};

}  // namespace kaon::io
