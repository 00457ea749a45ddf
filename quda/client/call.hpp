// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/error.hpp>

#include <cstdio>
#include <optional>
#include <string>

// The frame of the functions of QUDA's interface. They return no status: an error ends the program, as in QUDA.

namespace kaon::quda {

/// The destination of messages, which `setVerbosityQuda` sets. Only process 0 writes messages that are no errors.
struct Output {
  bool silent = false;
  std::string prefix;
  std::FILE* file = stdout;
};
Output& output();

/// Replaces the silence of the output during its lifetime, if a client's structure sets a verbosity.
class ScopedSilence {
 public:
  explicit ScopedSilence(std::optional<bool> silent) : before_(output().silent) {
    if (silent) output().silent = *silent;
  }
  ~ScopedSilence() { output().silent = before_; }
  ScopedSilence(const ScopedSilence&) = delete;
  ScopedSilence& operator=(const ScopedSilence&) = delete;

 private:
  bool before_;
};

/// Writes a line on process 0, unless the output is silent.
void say(const std::string& line);
/// Writes a line once in a program.
void say_once(const std::string& line);

/// Writes the message and ends all processes with exit code 1.
[[noreturn]] void fail(const char* function, const std::string& message);
/// `fail` for a function that kaon does not have.
[[noreturn]] void unsupported(const char* function);

/// Redirects kaon's own messages to the client's output.
void take_messages();

/// Whether the environment variable `KAON_QUDA_TRACE` requests a line about each call.
bool traces();
/// Writes such a line.
void trace(const char* function, const std::string& arguments);

/// Runs the body of a function and passes its exceptions to `fail`.
template <class Body>
auto call(const char* function, Body&& body) {
  try {
    return body();
  } catch (const std::exception& error) {
    fail(function, error.what());
  }
}

}  // namespace kaon::quda
