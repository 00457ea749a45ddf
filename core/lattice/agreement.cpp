// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/lattice/agreement.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <utility>

namespace kaon::detail {

std::string broadcast_text(const Communicator& communicator, const std::string& text, int root) {
  if (communicator.size() == 1) return text;
  std::uint64_t length = text.size();
  communicator.broadcast(&length, sizeof length, root);
  std::string received = text;
  received.resize(static_cast<std::size_t>(length));
  communicator.broadcast(received.data(), received.size(), root);
  return received;
}

std::optional<Disagreement> find_disagreement(const Communicator& communicator, const std::string& text) {
  std::string first = broadcast_text(communicator, text);
  const std::optional<int> differing = communicator.first(first != text);
  if (!differing) return std::nullopt;
  return Disagreement{std::move(first), broadcast_text(communicator, text, *differing), *differing};
}

void require_same(const Communicator& communicator, const char* what, const std::string& text) {
  if (communicator.size() == 1) return;
  if (const auto differing = find_disagreement(communicator, text)) {
    throw Error(fmt::format("processes were given different {}: {} (process 0) and {} (process {}); give all the same",
                            what, differing->first, differing->other, differing->process));
  }
}

}  // namespace kaon::detail
