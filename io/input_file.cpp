// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "io/input_file.hpp"

#include "core/base/fnv.hpp"
#include "core/base/partial_file.hpp"
#include "io/collective.hpp"

#include <kaon/core/error.hpp>
#include <kaon/core/message.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

namespace kaon::io {

InputFile::InputFile(const std::filesystem::path& path, const Communicator& communicator)
    : path_(path), communicator_(communicator) {
  try {
    together(communicator_, [&] { open_own(); });
    const std::uint64_t own_size = size_;
    communicator_.broadcast(&size_, sizeof size_);
    together(communicator_, [&] {
      require(own_size == size_, [&] {
        return fmt::format("cannot read {}: processes see different files, of {} bytes here and {} on process 0",
                           path_.string(), own_size, size_);
      });
    });
    if (communicator_.size() > 1) require_same_content();
  } catch (...) {
    if (descriptor_ >= 0) ::close(descriptor_);
    throw;
  }
}

InputFile::~InputFile() { ::close(descriptor_); }

void InputFile::open_own() {
  // Opening a named pipe would wait for a writer, perhaps forever.
  descriptor_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  require(descriptor_ >= 0,
          [&] { return fmt::format("cannot open {} for reading: {}", path_.string(), kaon::detail::system_reason()); });
  struct stat status {};
  std::string problem;
  if (::fstat(descriptor_, &status) != 0) {
    problem = kaon::detail::system_reason();
  } else if (S_ISDIR(status.st_mode)) {
    problem = "it is a folder";
  } else if (!S_ISREG(status.st_mode)) {
    problem = "it is not a regular file";
  } else if (status.st_size == 0) {
    problem = "it is empty (0 bytes)";
  }
  require(problem.empty(), [&] { return fmt::format("cannot read {}: {}", path_.string(), problem); });
  size_ = static_cast<std::uint64_t>(status.st_size);
}

void InputFile::require_same_content() const {
  std::uint64_t own = 0;
  together(communicator_, [&] { own = fingerprint(); });
  std::uint64_t first = own;
  communicator_.broadcast(&first, sizeof first);
  together(communicator_, [&] {
    require(own == first, [&] {
      return fmt::format("cannot read {}: processes see different files, with other content here than on process 0",
                         path_.string());
    });
  });
}

std::uint64_t InputFile::fingerprint() const {
  constexpr std::uint64_t pieces = 64, longest = 4096;
  std::vector<std::byte> piece;
  std::uint64_t hash = kaon::detail::fnv1a({});
  for (std::uint64_t k = 0; k < pieces; ++k) {
    // Evenly spaced, from the first byte to the last; the whole of a small file.
    const std::uint64_t begin = size_ / pieces * k + size_ % pieces * k / pieces;
    const std::uint64_t end = size_ / pieces * (k + 1) + size_ % pieces * (k + 1) / pieces;
    piece.resize(static_cast<std::size_t>(std::min(end - begin, longest)));
    read_own(piece, end - piece.size());
    hash = kaon::detail::fnv1a(piece, hash);
  }
  return hash;
}

void InputFile::require_range(std::uint64_t offset, std::uint64_t length) const {
  require(offset <= size_ && length <= size_ - offset, [&] {
    return fmt::format("{} is truncated: {} bytes were expected from byte {} on, but the file has {} bytes",
                       path_.string(), length, offset, size_);
  });
}

void InputFile::read(std::span<std::byte> to, std::uint64_t offset) const {
  require_range(offset, to.size());
  together(communicator_, [&] {
    if (communicator_.rank() == 0) read_own(to, offset);
  });
  communicator_.broadcast(to.data(), to.size());
}

void InputFile::read_own(std::span<std::byte> to, std::uint64_t offset) const {
  require_range(offset, to.size());
  while (!to.empty()) {
    const ssize_t got = ::pread(descriptor_, to.data(), to.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    require(got > 0, [&] {
      return fmt::format("cannot read {} at byte {}: {}", path_.string(), offset,
                         got < 0 ? kaon::detail::system_reason() : "it became shorter while it was read");
    });
    to = to.subspan(static_cast<std::size_t>(got));
    offset += static_cast<std::uint64_t>(got);
  }
}

std::string InputFile::text(std::uint64_t offset, std::uint64_t length) const {
  require_range(offset, length);
  std::string text(static_cast<std::size_t>(length), '\0');
  read(std::as_writable_bytes(std::span(text)), offset);
  return text;
}

void InputFile::warn(const std::string& text) const {
  if (communicator_.rank() == 0) kaon::detail::tell(MessageKind::warning, fmt::format("{}: {}", path_.string(), text));
}

void InputFile::require_size(std::uint64_t expected, const std::string& why) const {
  require(size_ == expected, [&] {
    return fmt::format("{} is {}: it has {} bytes and should have {} ({})", path_.string(),
                       size_ < expected ? "truncated" : "too long", size_, expected, why);
  });
}

}  // namespace kaon::io
