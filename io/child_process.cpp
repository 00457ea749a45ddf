// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "io/child_process.hpp"
#include "core/base/partial_file.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <exception>
#include <string_view>
#include <utility>

namespace kaon::io {
namespace {

void require_system(bool done, const std::filesystem::path& path) {
  require(done, [&] { return fmt::format("cannot read {}: {}", path.string(), kaon::detail::system_reason()); });
}

void close(int& descriptor) {
  if (descriptor >= 0) ::close(std::exchange(descriptor, -1));
}

/// Ends this process if the reader has closed the pipe.
void write_all(int descriptor, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) ::_exit(1);
    bytes = bytes.subspan(static_cast<std::size_t>(std::max<ssize_t>(written, 0)));
  }
}

}  // namespace

ChildProcess::ChildProcess(const std::filesystem::path& path, std::string library, double seconds,
                           const std::function<void(const Send&)>& action)
    : path_(path), library_(std::move(library)) {
  const bool has_pipes = ::pipe2(data_, O_CLOEXEC) == 0 && ::pipe2(error_, O_CLOEXEC) == 0;
  if (has_pipes) child_ = ::fork();
  if (has_pipes && child_ == 0) run(action, seconds);
  close(data_[1]);
  close(error_[1]);
  if (child_ < 0) {
    const int reason = errno;
    close(data_[0]);
    close(error_[0]);
    errno = reason;
  }
  require_system(child_ > 0, path_);
}

ChildProcess::~ChildProcess() {
  close(data_[0]);
  close(error_[0]);
  if (child_ < 0) return;
  ::kill(child_, SIGKILL);
  while (::waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void ChildProcess::run(const std::function<void(const Send&)>& action, double seconds) const {
  // The handlers of this program are not for a child that crashes.
  for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGXCPU, SIGTERM, SIGINT, SIGHUP, SIGPIPE}) {
    std::signal(signal, SIG_DFL);
  }
  constexpr rlimit no_core{};
  const auto most = static_cast<rlim_t>(std::ceil(seconds));
  const rlimit processor{.rlim_cur = most, .rlim_max = most};
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::setrlimit(RLIMIT_CPU, &processor);
  try {
    action([&](std::span<const std::byte> bytes) { write_all(data_[1], bytes); });
  } catch (const std::exception& error) {
    const std::string_view text = error.what();
    write_all(error_[1], std::as_bytes(std::span(text)));
    ::_exit(1);
  }
  ::_exit(0);
}

std::size_t ChildProcess::receive_some(std::span<std::byte> to) const {
  ssize_t got = 0;
  do {
    got = ::read(data_[0], to.data(), to.size());
  } while (got < 0 && errno == EINTR);
  require_system(got >= 0, path_);
  return static_cast<std::size_t>(got);
}

void ChildProcess::receive(std::span<std::byte> to) {
  while (!to.empty()) {
    const std::size_t got = receive_some(to);
    if (got == 0) require_success();
    require(got > 0, [&] { return fmt::format("{}: {} reads less than was expected", path_.string(), library_); });
    to = to.subspan(got);
  }
}

std::string ChildProcess::receive_all() {
  std::string text;
  std::array<std::byte, 4096> piece{};
  while (const std::size_t got = receive_some(piece)) text.append(reinterpret_cast<const char*>(piece.data()), got);
  require_success();
  return text;
}

void ChildProcess::require_success() {
  std::array<char, 4096> text{};
  ssize_t length = 0;
  do {
    length = ::read(error_[0], text.data(), text.size());
  } while (length < 0 && errno == EINTR);
  int status = 0;
  while (::waitpid(child_, &status, 0) < 0 && errno == EINTR) {
  }
  child_ = -1;
  // An error has the place in the source, which the new one adds.
  const std::string_view thrown(text.data(), static_cast<std::size_t>(std::max<ssize_t>(length, 0)));
  require(thrown.empty(), [&] { return std::string(thrown.substr(0, thrown.rfind(" ["))); });
  require(WIFEXITED(status) && WEXITSTATUS(status) == 0,
          [&] { return fmt::format("{} is damaged: {} fails when it reads the file", path_.string(), library_); });
}

}  // namespace kaon::io
