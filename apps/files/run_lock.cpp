// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/files/run_lock.hpp"

#include "apps/cli/output.hpp"
#include "apps/cli/with_option.hpp"
#include "core/base/file_lock.hpp"
#include "io/collective.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace kaon::apps {
namespace {

constexpr const char* signature = "kaon run: ";

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& problem) {
  throw Error(fmt::format("cannot lock {}: {}", path.string(), problem));
}

/// The first line.
std::string content(int descriptor) {
  std::array<char, 512> text{};
  const ssize_t got = ::pread(descriptor, text.data(), text.size(), 0);
  const std::string all(text.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
  return all.substr(0, all.find('\n'));
}

}  // namespace

RunLock::RunLock(const Session& session, const std::string& prefix) : path_(prefix + ".lock") {
  const bool is_first = session.communicator().rank() == 0;
  with_option("--output", [&] {
    io::together(session.communicator(), [&] {
      if (is_first) take(prefix);
    });
  });
  if (is_first && !is_locked_) {
    say(session, "note          the file system of {} has no locks: let no other run write these files\n", prefix);
  }
}

RunLock::~RunLock() {
  if (descriptor_ < 0) return;
  // The name is removed before the lock: a process that opened the file meanwhile finds that it has no name any more.
  if (detail::has_name(descriptor_, path_)) ::unlink(path_.c_str());
  removed_by_signals_.reset();
  ::close(descriptor_);
}

void RunLock::take(const std::string& prefix) {
  constexpr int attempts = 100;  // each follows a run that has just ended
  for (int attempt = 0; attempt < attempts; ++attempt) {
    if (try_once(prefix)) return sign();
  }
  fail(path_, "other runs take it again and again");
}

bool RunLock::try_once(const std::string& prefix) {
  const int opened = ::open(path_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
  if (opened < 0) fail(path_, fmt::format("the file can be neither opened nor made ({})", std::strerror(errno)));
  struct stat status {};
  const bool is_regular = ::fstat(opened, &status) == 0 && S_ISREG(status.st_mode);
  const std::string holder = is_regular ? content(opened) : "";
  if (!is_regular || (status.st_size > 0 && !holder.starts_with(signature))) {
    ::close(opened);
    fail(path_, "it is not kaon's, and is kept as it is");
  }
  const detail::LockState state = detail::try_lock(opened);
  if (state == detail::LockState::held) {
    ::close(opened);
    fail(path_, fmt::format("another run writes the files of {} ({}): wait for its end, or end it", prefix,
                            holder.empty() ? "it has just begun" : holder.substr(std::strlen(signature))));
  }
  if (!detail::has_name(opened, path_)) {
    ::close(opened);
    return false;
  }
  descriptor_ = opened;
  removed_by_signals_.emplace(path_);
  is_locked_ = state == detail::LockState::taken;
  return true;
}

/// Writes the process and its host for the messages of other runs. The lock holds without this text.
void RunLock::sign() const {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host.fill('\0');
  const std::string text =
      fmt::format("{}process {} on {}, since {}\n", signature, ::getpid(), host.data(), time_stamp());
  if (::ftruncate(descriptor_, 0) == 0) {
    static_cast<void>(::pwrite(descriptor_, text.data(), text.size(), 0) > 0);
  }
}

}  // namespace kaon::apps
