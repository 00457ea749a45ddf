// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/lattice/agreement.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <span>
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
  const int rank = communicator.rank(), size = communicator.size();
  std::string first = broadcast_text(communicator, text);
  double differing = first != text ? size - rank : 0;  // the smaller the rank, the larger
  communicator.maximum(std::span(&differing, 1));
  if (differing == 0) return std::nullopt;
  const int process = size - static_cast<int>(differing);
  return Disagreement{std::move(first), broadcast_text(communicator, text, process), process};
}

void require_same(const Communicator& communicator, const char* what, const std::string& text) {
  if (communicator.size() == 1) return;
  if (const auto differing = find_disagreement(communicator, text)) {
    throw Error(fmt::format("processes were given different {}: {} (process 0) and {} (process {}); give all the same",
                            what, differing->first, differing->other, differing->process));
  }
}

}  // namespace kaon::detail
