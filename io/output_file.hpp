// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

namespace kaon::io {

/// A file being written under a temporary name in the folder of `path`, which takes its final name, and replaces what
/// had that name, only when it is complete: `commit`. Destroyed before that, it is removed and leaves nothing behind.
class OutputFile {
 public:
  /// Creates the temporary file; throws where the folder does not exist or may not be written to, or where `path` is
  /// something other than a regular file.
  explicit OutputFile(const std::filesystem::path& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  const std::filesystem::path& path() const { return path_; }

  /// Number of bytes written up to now.
  std::uint64_t size() const { return size_; }

  /// Appends.
  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }

  /// Overwrites bytes that were written before.
  void rewrite(std::uint64_t offset, std::string_view text);

  /// Waits until the bytes are on the disk, then renames.
  void commit();

 private:
  void write_at(std::uint64_t offset, std::span<const std::byte> bytes);

  std::filesystem::path path_;
  std::filesystem::path temporary_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace kaon::io
