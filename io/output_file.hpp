// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/partial_file.hpp"

#include <kaon/core/communicator.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace kaon::io {

/// A file being written under a temporary name (`kaon::detail::PartialFile`) in the folder of `path`, which gets its
/// final name, and replaces what had that name, only when it is complete: `commit`. Destroyed before that, it is
/// removed and leaves nothing behind. If `path` is a symbolic link, its target is replaced; a file that is
/// replaced passes on its mode.
///
/// Several processes write one file: process 0 makes it and writes the common parts, and each writes its own parts
/// of the places that were reserved. A failure is thrown at once by one process alone; of several it is deferred until
/// the next collective call, where all throw together.
class OutputFile {
 public:
  /// Creates the temporary file; throws where the folder does not exist, may not be written to or is not the same for
  /// all processes, or where `path` is something other than a regular file or may not be changed. Collective.
  explicit OutputFile(const std::filesystem::path& path, const Communicator& communicator = {});
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  const Communicator& communicator() const { return communicator_; }

  /// Number of bytes written or reserved up to now.
  std::uint64_t size() const { return size_; }

  /// Appends bytes that are equal on all processes.
  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }

  /// Overwrites bytes by others that are equal on all processes.
  void rewrite(std::uint64_t offset, std::string_view text);

  /// Appends `length` bytes that processes will write by `write_own`, and makes sure of their place on the disk;
  /// returns where they start. Collective.
  std::uint64_t reserve(std::uint64_t length);

  /// Calls `action`, which changes the file by its temporary name, on process 0, and makes sure of its place on the
  /// disk. Afterwards `size` is that of the file. Collective.
  void edit(const std::function<void(const std::filesystem::path&)>& action);

  /// Writes bytes of this process, at a place that was reserved. May be called by several threads.
  void write_own(std::uint64_t offset, std::span<const std::byte> bytes);

  /// Waits until the bytes of this process are on the disk. May be called by another thread.
  void flush_own();

  /// Waits until the bytes of all processes are on the disk. Collective.
  void flush();

  /// Closes the file, then renames it. Collective.
  void commit();

  /// `commit` of one of several files that belong together: all are renamed, and renamed back if one fails.
  /// Destroyed between the two, a file has gone, and the one that it replaced is back. Collective.
  void take_name();
  void keep_name();

 private:
  template <class Action>
  void attempt(Action&& action);
  void rename(void (kaon::detail::PartialFile::*by)());
  void create();
  void abandon();
  void allocate(std::uint64_t offset, std::uint64_t length);
  void write_at(std::uint64_t offset, std::span<const std::byte> bytes);

  std::filesystem::path path_;
  Communicator communicator_;
  std::optional<kaon::detail::PartialFile> partial_;  ///< of process 0
  std::optional<std::string> problem_;                ///< what failed here, of several processes
  std::mutex mutex_;                                  ///< of `problem_`
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace kaon::io
