// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/communicator.hpp>

#include <optional>
#include <string>

namespace kaon::detail {

// All calls are collective.

/// The text that process `root` has.
std::string broadcast_text(const Communicator& communicator, const std::string& text, int root = 0);

/// Two texts that should be the same.
struct Disagreement {
  std::string first;  ///< of process 0
  std::string other;  ///< of `process`, the first that has another
  int process = 0;
};

/// Compares the texts of all processes; nothing where they agree. All processes get the same answer.
std::optional<Disagreement> find_disagreement(const Communicator& communicator, const std::string& text);

/// Throws `Error` on all processes unless all have the same `text`, what they were given; `what`: "trajectories".
void require_same(const Communicator& communicator, const char* what, const std::string& text);

}  // namespace kaon::detail
