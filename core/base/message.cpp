// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include <kaon/core/message.hpp>

#include <cstdio>
#include <memory>
#include <mutex>
#include <utility>

namespace kaon {
namespace {

/// A handler may send messages itself, and set another handler.
struct Receiver {
  std::recursive_mutex mutex;
  std::shared_ptr<const MessageHandler> handler = std::make_shared<const MessageHandler>();
};

/// Never destroyed: the tuner saves its results, and may have to warn, when the program ends.
Receiver& receiver() {
  static auto& instance = *new Receiver;
  return instance;
}

}  // namespace

MessageHandler set_message_handler(MessageHandler handler) {
  const std::lock_guard lock(receiver().mutex);
  return *std::exchange(receiver().handler, std::make_shared<const MessageHandler>(std::move(handler)));
}

void detail::tell(MessageKind kind, const std::string& text) noexcept {
  try {
    const std::lock_guard lock(receiver().mutex);
    if (const auto handler = receiver().handler; *handler) {
      (*handler)(kind, text);
    } else {
      write_to_standard_error((kind == MessageKind::warning ? "kaon: warning: " : "kaon: ") + text + "\n");
    }
  } catch (...) {
    // No message ends a computation.
  }
}

void detail::write_to_standard_error(const std::string& text) noexcept {
  std::fflush(stdout);  // earlier output must precede it
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace kaon
