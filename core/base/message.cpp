// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include <kaon/core/message.hpp>

#include <cstdio>
#include <mutex>
#include <utility>

namespace kaon {
namespace {

struct Receiver {
  std::mutex mutex;
  MessageHandler handler;
};

/// Never destroyed: the tuner saves its results, and may have to warn, when the program ends.
Receiver& receiver() {
  static auto& instance = *new Receiver;
  return instance;
}

}  // namespace

MessageHandler set_message_handler(MessageHandler handler) {
  const std::lock_guard lock(receiver().mutex);
  return std::exchange(receiver().handler, std::move(handler));
}

void detail::tell(MessageKind kind, const std::string& text) noexcept {
  try {
    const std::lock_guard lock(receiver().mutex);
    if (receiver().handler) {
      receiver().handler(kind, text);
    } else {
      write_to_standard_error((kind == MessageKind::warning ? "kaon: warning: " : "kaon: ") + text + "\n");
    }
  } catch (...) {
    // No message ends a computation.
  }
}

void detail::write_to_standard_error(const std::string& text) noexcept {
  std::fflush(stdout);  // what was said before stands before it
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace kaon
