// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>

namespace kaon {

enum class MessageKind {
  notice,  ///< a solve continues in another way than was requested
  warning  ///< a setting or a file cannot be used, and kaon continues without it
};

/// Takes the text of a message, without a newline.
using MessageHandler = std::function<void(MessageKind kind, const std::string& text)>;

/// Sets the receiver of messages that kaon's library has beside its results, and returns the one before.
///
/// Without a handler, and with an empty one, messages are lines on standard error, "kaon: " and the text. A message
/// that concerns all processes is given to the first one's handler alone. No message ends a computation: exceptions of
/// a handler are dropped, and so is a line that standard error does not take. Handlers may be called until the program
/// ends, from any thread, one at a time. A handler may set another one.
///
///     kaon::set_message_handler([&](kaon::MessageKind, const std::string& text) { log << text << '\n'; });
MessageHandler set_message_handler(MessageHandler handler);

namespace detail {

/// Passes a message to the handler.
void tell(MessageKind kind, const std::string& text) noexcept;

/// Writes to standard error. A stream that is closed or full is no error.
void write_to_standard_error(const std::string& text) noexcept;

}  // namespace detail

}  // namespace kaon
