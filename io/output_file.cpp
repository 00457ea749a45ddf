// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "io/output_file.hpp"
#include "core/base/partial_file.hpp"
#include "io/collective.hpp"

#include <kaon/core/error.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace kaon::io {

OutputFile::OutputFile(const std::filesystem::path& path, const Communicator& communicator)
    : path_(path), communicator_(communicator) {
  attempt([&] {
    if (communicator_.rank() == 0) create();
  });
  throw_together(communicator_, problem_);
  const std::string name = broadcast(communicator_, partial_ ? partial_->path().string() : "");
  if (communicator_.rank() != 0) {
    descriptor_ = ::open(name.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) {
      problem_ = fmt::format("cannot write {}: the file that process 0 makes in its folder cannot be opened here ({})",
                             path_.string(), kaon::detail::system_reason());
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
  if (descriptor_ >= 0 && !partial_) ::close(descriptor_);
  partial_.reset();
  descriptor_ = -1;
}

void OutputFile::create() {
  partial_.emplace(path_, fmt::format("cannot write {}", path_.string()));
  descriptor_ = partial_->descriptor();
}

/// Does what may fail on this process alone, unless something did already.
template <class Action>
void OutputFile::attempt(Action&& action) {
  if (communicator_.size() == 1) {
    action();
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    if (problem_) return;
  }
  try {
    action();
  } catch (const std::exception& error) {
    const std::lock_guard lock(mutex_);
    if (!problem_) problem_ = error.what();
  }
}

void OutputFile::write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (put < 0 && errno == EINTR) continue;
    require(put > 0, [&] {
      return fmt::format("cannot write {}: {} after {} bytes; nothing was left behind", path_.string(),
                         kaon::detail::system_reason(), offset);
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
                       kaon::detail::system_reason(), length);
  });
}

void OutputFile::edit(const std::function<void(const std::filesystem::path&)>& action) {
  attempt([&] {
    if (!partial_) return;
    action(partial_->path());
    size_ = std::filesystem::file_size(partial_->path());
    allocate(0, size_);
  });
  throw_together(communicator_, problem_);
  communicator_.broadcast(&size_, sizeof size_);
}

void OutputFile::write_own(std::uint64_t offset, std::span<const std::byte> bytes) {
  attempt([&] { write_at(offset, bytes); });
}

void OutputFile::flush_own() {
  attempt([&] {
    require(::fsync(descriptor_) == 0,
            [&] { return fmt::format("cannot complete {}: {}", path_.string(), kaon::detail::system_reason()); });
  });
}

void OutputFile::flush() {
  flush_own();
  throw_together(communicator_, problem_);
}

void OutputFile::rename(void (kaon::detail::PartialFile::*by)()) {
  flush();
  attempt([&] {
    if (partial_) ((*partial_).*by)();
  });
  throw_together(communicator_, problem_);
}

void OutputFile::commit() {
  rename(&kaon::detail::PartialFile::replace);
  abandon();
}

void OutputFile::take_name() { rename(&kaon::detail::PartialFile::take_name); }

void OutputFile::keep_name() {
  if (partial_) partial_->keep_name();
  abandon();
}

}  // namespace kaon::io
