// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace kaon::io {

/// A regular file open for reading at any place. Whoever reads beyond its end is told that it is truncated.
class InputFile {
 public:
  /// Opens `path`; throws where there is no such file, or it is a folder, or empty, or may not be read.
  explicit InputFile(const std::filesystem::path& path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::uint64_t size() const { return size_; }

  /// Fills `to` with the bytes that start at `offset`. May be called from several threads.
  void read(std::span<std::byte> to, std::uint64_t offset) const;

  /// The `length` bytes that start at `offset`, as text.
  std::string text(std::uint64_t offset, std::uint64_t length) const;

  /// Throws, naming both lengths, unless the file has exactly `expected` bytes. `why` says what they consist of.
  void require_size(std::uint64_t expected, const std::string& why) const;

 private:
  void require_range(std::uint64_t offset, std::uint64_t length) const;

  std::filesystem::path path_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace kaon::io
