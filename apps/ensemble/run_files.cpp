// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/ensemble/run_files.hpp"

#include "apps/cli/command.hpp"
#include "apps/cli/output.hpp"
#include "core/base/partial_file.hpp"
#include "io/collective.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

namespace kaon::apps {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view state_ending = ".checkpoint.json";

/// Endings after PREFIX in the names of a run's files.
bool is_ending_of_run(std::string_view ending) {
  if (ending == state_ending || ending == ".checkpoint-a.lime" || ending == ".checkpoint-b.lime") return true;
  constexpr std::size_t fewest_digits = 6;
  if (!ending.starts_with('_')) return false;
  const auto point = std::min(ending.find_first_not_of("0123456789", 1), ending.size());
  const std::string_view extension = ending.substr(point);
  return point > fewest_digits && (extension == ".lime" || extension == ".nersc" || extension == ".h5");
}

bool is_of_run(std::string_view name, std::string_view stem) {
  return name.starts_with(stem) && is_ending_of_run(name.substr(stem.size()));
}

/// Runs on the first process; what it throws becomes a `Failure` of all.
template <class Action>
void on_first(const Session& session, Action&& action) {
  with_option("--output", [&] {
    io::together(session.communicator(), [&] {
      if (session.communicator().rank() == 0) action();
    });
  });
}

/// Names in the folder of PREFIX that `belongs` to the run.
template <class Belongs>
std::vector<fs::path> find(const std::string& prefix, const Belongs& belongs) {
  std::vector<fs::path> found;
  const fs::path folder = fs::path(prefix).parent_path();
  std::error_code error;
  for (fs::directory_iterator entry(folder.empty() ? "." : folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (belongs(entry->path().filename().native())) found.push_back(folder / entry->path().filename());
  }
  require(!error, [&] { return fmt::format("cannot search the folder of {}: {}", prefix, error.message()); });
  const auto is_state = [](const fs::path& path) { return path.native().ends_with(state_ending); };
  std::sort(found.begin(), found.end());
  std::stable_partition(found.begin(), found.end(), is_state);
  return found;
}

void remove_one(const fs::path& file) {
  require(::unlink(file.c_str()) == 0 || errno == ENOENT,
          [&] { return fmt::format("cannot remove {}: {}", file.string(), std::strerror(errno)); });
}

}  // namespace

std::vector<fs::path> files_of_run(const Session& session, const std::string& prefix) {
  const std::string stem = fs::path(prefix).filename();
  std::vector<fs::path> files;
  on_first(session, [&] { files = find(prefix, [&](std::string_view name) { return is_of_run(name, stem); }); });
  return files;
}

std::size_t remove_files_of_run(const Session& session, const std::string& prefix) {
  const std::string stem = fs::path(prefix).filename();
  const std::vector<fs::path> files = files_of_run(session, prefix);
  on_first(session, [&] {
    for (const fs::path& file : files) {
      require(!fs::is_directory(fs::symlink_status(file)),
              [&] { return fmt::format("cannot remove {}: it is a folder", file.string()); });
    }
    for (const fs::path& file : files) {
      remove_one(file);
      if (&file == &files.front()) detail::flush_folder_of(file);
    }
    const auto is_left_behind = [&](std::string_view name) {
      return is_of_run(detail::name_behind_partial(name), stem);
    };
    for (const fs::path& file : find(prefix, is_left_behind)) remove_one(file);
  });
  return files.size();
}

namespace {

bool add_name(const fs::path& file, const fs::path& name) {
  struct stat status {};
  const bool exists = ::lstat(name.c_str(), &status) == 0;
  if (exists && (!S_ISREG(status.st_mode) || ::access(name.c_str(), W_OK) != 0)) return false;
  if (exists) ::unlink(name.c_str());
  if (::linkat(AT_FDCWD, file.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) != 0) return false;
  detail::flush_folder_of(name);
  return true;
}

void copy_whole(const fs::path& file, const fs::path& name) {
  const std::string failing = fmt::format("cannot write {}", name.string());
  detail::PartialFile partial(name, failing);
  std::error_code error;
  fs::copy_file(file, partial.path(), fs::copy_options::overwrite_existing, error);
  require(!error, [&] { return fmt::format("{}: {}", failing, error.message()); });
  require(::fsync(partial.descriptor()) == 0, [&] { return fmt::format("{}: {}", failing, std::strerror(errno)); });
  partial.replace();
}

}  // namespace

void name_or_copy(const Session& session, const fs::path& file, const fs::path& name) {
  on_first(session, [&] {
    if (!add_name(file, name)) copy_whole(file, name);
  });
}

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
  on_first(session, [&] { take(prefix); });
  if (descriptor_ >= 0 && !is_locked_) {
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

bool is_locked(const Session& session, const std::string& prefix) {
  bool held = false;
  if (session.communicator().rank() == 0) {
    const int opened = ::open((prefix + ".lock").c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (opened >= 0) {
      held = detail::try_lock(opened) == detail::LockState::held;
      ::close(opened);
    }
  }
  return session.communicator().any(held);
}

}  // namespace kaon::apps
