// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quda/client/call.hpp"
#include "quda/client/process.hpp"

#include <kaon/core/message.hpp>

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <set>

namespace kaon::quda {

std::optional<Session>& session() {
  static auto& instance = *new std::optional<Session>;  // never destroyed: the end of the program resets it
  return instance;
}

bool is_first_process() { return !session() || session()->communicator().rank() == 0; }

void end_processes(const std::string& message) {
  int code = 1;
  if (session()) {
    code = session()->fail(message);
  } else {
    fmt::print(stderr, "{}\n", message);
  }
  std::fflush(nullptr);
  std::_Exit(code);
}

Output& output() {
  static Output instance;
  return instance;
}

void say(const std::string& line) {
  if (output().silent || !is_first_process()) return;
  fmt::print(output().file, "{}{}\n", output().prefix, line);
  std::fflush(output().file);
}

void say_once(const std::string& line) {
  if (output().silent) return;  // a later call may want it
  static std::set<std::string> said;
  if (said.insert(line).second) say(line);
}

void take_messages() {
  output();  // lives longer than the handler
  set_message_handler([](MessageKind, const std::string& text) {
    if (is_first_process()) return say("kaon: " + text);
    if (!output().silent) detail::write_to_standard_error("kaon: " + text + "\n");
  });
}

void fail(const char* function, const std::string& message) {
  const std::string text = fmt::format("kaon (as QUDA): {}: {}", function, message);
  if (output().file != nullptr && output().file != stdout && output().file != stderr) {
    fmt::print(output().file, "{}\n", text);
    std::fflush(output().file);
  }
  end_processes(text);
}

void unsupported(const char* function) {
  fail(function, "this function is not supported; docs/quda.md lists those that are");
}

bool traces() {
  static const bool wanted = [] {
    const char* value = std::getenv("KAON_QUDA_TRACE");
    return value != nullptr && *value != '\0' && std::strcmp(value, "0") != 0;
  }();
  return wanted;
}

void trace(const char* function, const std::string& arguments) {
  if (is_first_process()) fmt::print(stderr, "KAON_QUDA_TRACE: {}({})\n", function, arguments);
}

}  // namespace kaon::quda
