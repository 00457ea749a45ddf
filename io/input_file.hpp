// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/communicator.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace kaon::io {

/// A regular file open for reading at any place, by all processes of a communicator. A process that reads beyond its
/// end is informed that it is truncated.
///
/// Headers are read by process 0 and handed to all, which therefore decide alike; large data each
/// process reads for itself.
class InputFile {
 public:
  /// Opens `path`; throws if there is no such file, or it is no regular file, or empty, or may not be read, or
  /// processes find files of different length or content; some pieces are compared. Collective.
  explicit InputFile(const std::filesystem::path& path, const Communicator& communicator = {});
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::uint64_t size() const { return size_; }

  const Communicator& communicator() const { return communicator_; }

  /// Fills `to` with the bytes that start at `offset`, as process 0 reads them. Collective.
  void read(std::span<std::byte> to, std::uint64_t offset) const;

  /// Reads by this process alone, in any thread.
  void read_own(std::span<std::byte> to, std::uint64_t offset) const;

  /// The `length` bytes that start at `offset`, as text. Collective.
  std::string text(std::uint64_t offset, std::uint64_t length) const;

  /// Warns the user once for all processes: FILE: `text`.
  void warn(const std::string& text) const;

  /// Throws, naming both lengths, unless the file has exactly `expected` bytes. `why` says what they consist of.
  void require_size(std::uint64_t expected, const std::string& why) const;

 private:
  void require_range(std::uint64_t offset, std::uint64_t length) const;

  void open_own();
  void require_same_content() const;
  /// Checksum of 64 pieces of at most 4096 bytes, which differs for any two gauge fields. By this process alone.
  std::uint64_t fingerprint() const;

  std::filesystem::path path_;
  Communicator communicator_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace kaon::io
