// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/base/partial_file.hpp"

#include <kaon/core/error.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <random>
#include <string_view>

namespace kaon::detail {
namespace {

namespace fs = std::filesystem;

fs::path folder_of(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

constexpr std::string_view ending = ".partial";
constexpr std::size_t random_digits = 16;

/// `.NAME.RANDOM.partial` beside NAME, or another ending.
fs::path hidden_path(const fs::path& target, std::string_view its_ending) {
  std::random_device random;
  fs::path path = target;
  path.replace_filename(fmt::format(".{}.{:08x}{:08x}{}", target.filename().string(), random(), random(), its_ending));
  return path;
}

}  // namespace

LockState try_lock(int descriptor) {
  int result = -1;
  do {
    result = ::flock(descriptor, LOCK_EX | LOCK_NB);
  } while (result != 0 && errno == EINTR);
  if (result == 0) return LockState::taken;
  return errno == EWOULDBLOCK ? LockState::held : LockState::unknown;
}

bool has_name(int descriptor, const std::filesystem::path& name) {
  struct stat open {};
  struct stat named {};
  return ::fstat(descriptor, &open) == 0 && ::lstat(name.c_str(), &named) == 0 && S_ISREG(open.st_mode) &&
         open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

fs::path behind_links(fs::path path) {
  constexpr int longest = 40;  // as for the system
  std::error_code error;
  for (int link = 0; link < longest && fs::is_symlink(path, error); ++link) {
    const fs::path next = fs::read_symlink(path, error);
    if (error) break;
    path = next.is_absolute() ? next : path.parent_path() / next;
  }
  return path;
}

std::string name_behind_partial(std::string_view name) {
  if (!name.starts_with('.') || !name.ends_with(ending)) return {};
  name = name.substr(1, name.size() - 1 - ending.size());
  const auto point = name.rfind('.');
  if (point == name.npos || name.size() - point - 1 != random_digits) return {};
  const bool is_random = name.find_first_not_of("0123456789abcdef", point + 1) == name.npos;
  return is_random ? std::string(name.substr(0, point)) : std::string();
}

void flush_folder_of(const fs::path& file) {
  const int folder = ::open(folder_of(file).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  static_cast<void>(::fsync(folder));
  ::close(folder);
}

PartialFile::PartialFile(const fs::path& name, std::string failing)
    : failing_(std::move(failing)), target_(behind_links(name)) {
  check_target();
  remove_stale();
  // A file with restricted access is restricted while it is written, too.
  const mode_t mode = old_ ? S_IRUSR | S_IWUSR : S_IRUSR | S_IWUSR | S_IRGRP | S_IWGRP | S_IROTH | S_IWOTH;
  constexpr int attempts = 100;  // a name that exists, or a file that another process took for one left behind
  for (int attempt = 0; attempt < attempts; ++attempt) {
    path_ = hidden_path(target_, ending);
    // Before the file exists: a signal may come as soon as it does.
    removed_by_signals_.emplace(path_);
    const int opened = ::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    const int error = errno;
    if (opened >= 0 && try_lock(opened) != LockState::held && has_name(opened, path_)) {
      descriptor_ = opened;
      return;
    }
    removed_by_signals_.reset();
    if (opened >= 0) {
      ::close(opened);
    } else if (error != EEXIST) {
      const std::string reason =
          error == ENOENT ? folder_of(target_).string() + " does not exist" : std::string(std::strerror(error));
      fail(fmt::format("no file can be made in its folder ({})", reason));
    }
  }
  fail("files made in its folder are taken away by others");
}

PartialFile::~PartialFile() {
  if (may_give_back_) give_name_back();
  if (!path_.empty()) ::unlink(path_.c_str());
  removed_by_signals_.reset();
  ::close(descriptor_);
}

void PartialFile::check_target() {
  old_.reset();
  if (!target_.has_filename()) fail("the name of a file is missing");
  struct stat status {};
  if (::stat(target_.c_str(), &status) != 0) {
    if (errno == ELOOP) fail("it is a symbolic link that leads nowhere");
    return;
  }
  if (S_ISDIR(status.st_mode)) fail("it is a folder");
  if (!S_ISREG(status.st_mode)) fail("it is not a regular file");
  if (::access(target_.c_str(), W_OK) != 0)
    fail(fmt::format("there is one that may not be changed ({})", system_reason()));
  old_ = {.mode = status.st_mode & 0777, .user = status.st_uid, .group = status.st_gid};
}

/// Removes files that killed processes have left: their locks are free. They remain on a file system without locks.
void PartialFile::remove_stale() const {
  std::error_code error;
  for (fs::directory_iterator entry(folder_of(target_), error), end; !error && entry != end; entry.increment(error)) {
    if (name_behind_partial(entry->path().filename().native()) != target_.filename()) continue;
    const int opened = ::open(entry->path().c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (opened < 0) continue;
    if (try_lock(opened) == LockState::taken && has_name(opened, entry->path())) ::unlink(entry->path().c_str());
    ::close(opened);
  }
}

void PartialFile::replace() {
  rename_to_target();
  flush_folder_of(target_);
}

void PartialFile::take_name() {
  check_target();  // as it is now
  if (old_) {
    const fs::path kept = hidden_path(target_, ".old");
    // On a file system without hard links nothing has NAME for a moment.
    if (::link(target_.c_str(), kept.c_str()) != 0 && ::rename(target_.c_str(), kept.c_str()) != 0) {
      fail(fmt::format("the old file cannot be kept until the new one has its name ({})", system_reason()));
    }
    kept_ = kept;
  }
  may_give_back_ = true;
  rename_to_target();
}

void PartialFile::keep_name() {
  if (!kept_.empty()) ::unlink(kept_.c_str());
  may_give_back_ = false;
  flush_folder_of(target_);
}

void PartialFile::give_name_back() const {
  if (kept_.empty()) {
    if (path_.empty()) ::unlink(target_.c_str());
  } else if (::rename(kept_.c_str(), target_.c_str()) == 0) {
    ::unlink(kept_.c_str());  // where both are names of the old file, the system leaves both
  }
  flush_folder_of(target_);
}

void PartialFile::rename_to_target() {
  if (old_) {
    // Only the superuser may change owners; a group that cannot be set does not make the new content useless.
    if (::fchown(descriptor_, old_->user, old_->group) != 0) {
      static_cast<void>(::fchown(descriptor_, static_cast<uid_t>(-1), old_->group) == 0);
    }
    static_cast<void>(::fchmod(descriptor_, old_->mode) == 0);
  }
  require(::rename(path_.c_str(), target_.c_str()) == 0,
          [&] { return fmt::format("{}: {}", failing_, system_reason()); });
  path_.clear();
  removed_by_signals_.reset();
}

void PartialFile::fail(const std::string& problem) const { throw Error(fmt::format("{}: {}", failing_, problem)); }

}  // namespace kaon::detail
