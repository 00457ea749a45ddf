// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "io/output_file.hpp"
#include "io/collective.hpp"

#include <kaon/core/error.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

namespace kaon::io {
namespace {

std::string reason() { return std::strerror(errno); }

/// ".prop.lime.4711-0.partial" beside "prop.lime": the same folder, so that the renaming is atomic.
std::filesystem::path temporary_name(const std::filesystem::path& path) {
  static std::atomic<int> count{0};
  auto name = path;
  name.replace_filename(fmt::format(".{}.{}-{}.partial", path.filename().string(), ::getpid(), count++));
  return name;
}

}  // namespace

OutputFile::OutputFile(const std::filesystem::path& path, const Communicator& communicator)
    : path_(path), communicator_(communicator) {
  attempt([&] {
    if (communicator_.rank() == 0) create();
  });
  throw_together(communicator_, problem_);
  temporary_ = broadcast(communicator_, temporary_.string());
  if (communicator_.rank() != 0) {
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) {
      problem_ = fmt::format("cannot write {}: the file that process 0 makes in its folder cannot be opened here ({})",
                             path_.string(), reason());
    }
  }
  try {
    throw_together(communicator_, problem_);
  } catch (...) {
    abandon();
    throw;
  }
}

OutputFile::~OutputFile() { abandon(); }

void OutputFile::abandon() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  if (communicator_.rank() == 0) ::unlink(temporary_.c_str());
}

void OutputFile::create() {
  std::error_code ignored;
  const auto status = std::filesystem::status(path_, ignored);
  const auto fail = [&](const std::string& problem) {
    throw Error(fmt::format("cannot write {}: {}", path_.string(), problem));
  };
  if (!path_.has_filename()) fail("the name of a file is missing");
  if (std::filesystem::is_directory(status)) fail("it is a folder");
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) fail("it is not a regular file");
  temporary_ = temporary_name(path_);
  descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail(fmt::format("no file can be made in its folder ({})", reason()));
}

/// Does what may fail on this process alone, unless something did already.
template <class Action>
void OutputFile::attempt(Action&& action) {
  if (communicator_.size() == 1) {
    action();
    return;
  }
  if (problem_) return;
  try {
    action();
  } catch (const std::exception& error) {
    problem_ = error.what();
  }
}

void OutputFile::write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (put < 0 && errno == EINTR) continue;
    require(put > 0, [&] {
      return fmt::format("cannot write {}: {} after {} bytes; nothing was left behind", path_.string(), reason(),
                         offset);
    });
    bytes = bytes.subspan(static_cast<std::size_t>(put));
    offset += static_cast<std::uint64_t>(put);
  }
}

void OutputFile::write(std::span<const std::byte> bytes) {
  attempt([&] {
    if (communicator_.rank() == 0) write_at(size_, bytes);
  });
  size_ += bytes.size();
}

void OutputFile::rewrite(std::uint64_t offset, std::string_view text) {
  attempt([&] {
    if (communicator_.rank() == 0) write_at(offset, std::as_bytes(std::span(text)));
  });
}

std::uint64_t OutputFile::reserve(std::uint64_t length) {
  const std::uint64_t offset = size_;
  std::uint64_t first = offset;
  communicator_.broadcast(&first, sizeof first);
  attempt([&] {
    require(first == offset, [&] {
      return fmt::format(
          "cannot write {}: {} bytes here, but {} on process 0, stand before what all write: give the "
          "same options and texts to all processes",
          path_.string(), offset, first);
    });
    if (communicator_.rank() == 0) allocate(offset, length);
  });
  throw_together(communicator_, problem_);
  size_ += length;
  return offset;
}

void OutputFile::allocate(std::uint64_t offset, std::uint64_t length) {
  int result = -1;
#if defined(__linux__)
  do {
    result = ::fallocate(descriptor_, 0, static_cast<off_t>(offset), static_cast<off_t>(length));
  } while (result != 0 && errno == EINTR);
  const bool is_known = result == 0 || (errno != EOPNOTSUPP && errno != ENOSYS);
#else
  const bool is_known = false;
#endif
  // Without it a full disk is only noticed as the bytes are written.
  if (!is_known) result = ::ftruncate(descriptor_, static_cast<off_t>(offset + length));
  require(result == 0, [&] {
    return fmt::format("cannot write {}: {} when {} bytes were reserved; nothing was left behind", path_.string(),
                       reason(), length);
  });
}

void OutputFile::write_own(std::uint64_t offset, std::span<const std::byte> bytes) {
  attempt([&] { write_at(offset, bytes); });
}

void OutputFile::commit() {
  const auto check = [&](bool done) {
    require(done, [&] { return fmt::format("cannot complete {}: {}", path_.string(), reason()); });
  };
  attempt([&] { check(::fsync(descriptor_) == 0); });
  throw_together(communicator_, problem_);
  attempt([&] {
    if (communicator_.rank() == 0) check(::rename(temporary_.c_str(), path_.c_str()) == 0);
  });
  throw_together(communicator_, problem_);
  ::close(descriptor_);
  descriptor_ = -1;
  if (communicator_.rank() != 0) return;
  // The renaming itself is on the disk when the folder is; not every file system can do that, and none needs it to be
  // consistent, so a failure is not one of the file.
  const auto folder = path_.has_parent_path() ? path_.parent_path() : std::filesystem::path(".");
  const int opened = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (opened >= 0) {
    static_cast<void>(::fsync(opened));
    ::close(opened);
  }
}

}  // namespace kaon::io
