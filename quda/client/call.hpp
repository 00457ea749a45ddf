// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/error.hpp>

#include <cstdio>
#include <optional>
#include <string>

// How functions of QUDA's interface begin and end. They return nothing: an error ends the program, as QUDA does.

namespace kaon::quda {

/// Where the library writes to, as `setVerbosityQuda` says. Process 0 alone writes what is no error.
struct Output {
  bool silent = false;
  std::string prefix;
  std::FILE* file = stdout;
};
Output& output();

/// Silence or not while it lives, where a client's structure says so.
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

/// One line, from process 0, unless the client wants silence.
void say(const std::string& line);
/// The same once in a program for each text.
void say_once(const std::string& line);

/// Writes the message and ends all processes with exit code 1.
[[noreturn]] void fail(const char* function, const std::string& message);
/// `fail` for a function that kaon does not have.
[[noreturn]] void unsupported(const char* function);

/// Messages of kaon's own go where the client's other output goes.
void take_messages();

/// Whether `KAON_QUDA_TRACE` asks for a line about each call.
bool traces();
/// Writes such a line.
void trace(const char* function, const std::string& arguments);

/// Runs the body of a function; what it throws goes to `fail`.
template <class Body>
auto call(const char* function, Body&& body) {
  try {
    return body();
  } catch (const std::exception& error) {
    fail(function, error.what());
  }
}

}  // namespace kaon::quda
