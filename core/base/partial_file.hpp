// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/ending_signals.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include <sys/types.h>

namespace kaon::detail {

/// The system's words for `errno`, such as "No such file or directory".
inline std::string system_reason() { return std::strerror(errno); }

/// Outcome of an attempt to lock a file.
enum class LockState {
  taken,
  held,    ///< by another open file, of this process or another
  unknown  ///< the file system has no locks
};

/// Tries to lock an open file for itself, without waiting. The system frees the lock when the file is closed, so also
/// when its process is killed.
LockState try_lock(int descriptor);

/// Is the open file the regular file of this name still, and not one that was removed or replaced meanwhile?
bool has_name(int descriptor, const std::filesystem::path& name);

/// The file `.NAME.RANDOM.partial` beside a file NAME: new content is written to it before it takes the place of NAME.
///
/// It is removed unless it took that place: by the destructor, by a signal (`handle_ending_signals`), and where its
/// process was killed by the next `PartialFile` of the same NAME, which finds it without a lock.
class PartialFile {
 public:
  /// Makes the file. For a symbolic link the target of NAME is replaced. Throws `Error`, which starts with
  /// `failing`, where NAME is something other than a regular file or may not be written to, or no file can be made
  /// beside it.
  PartialFile(const std::filesystem::path& name, std::string failing);
  ~PartialFile();
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  int descriptor() const { return descriptor_; }

  /// Renames: NAME is the old file or the new one at any time. Content must be on the disk before. The new file has the
  /// mode of the old one and, where the system allows it, owner and group. Throws `Error`.
  void replace();

  /// Renames one of several files that belong together: until `keep_name` the old file remains beside the new one,
  /// as
  /// `.NAME.RANDOM.old`. Destroyed before that, the old file has NAME again, or no file has NAME.
  void take_name();
  /// The old file goes.
  void keep_name();

 private:
  struct Owner {
    mode_t mode;
    uid_t user;
    gid_t group;
  };

  void check_target();
  void rename_to_target();
  void give_name_back() const;
  void remove_stale() const;
  [[noreturn]] void fail(const std::string& problem) const;

  std::string failing_;
  std::filesystem::path target_;  ///< NAME, or the file behind the link
  std::filesystem::path path_;    ///< empty once it is NAME
  std::filesystem::path kept_;    ///< the old file, between `take_name` and `keep_name`
  bool may_give_back_ = false;    ///< between these two
  std::optional<Owner> old_;      ///< of the file to be replaced
  int descriptor_ = -1;
  std::optional<RemovedBySignals> removed_by_signals_;  ///< until it is NAME
};

/// The end of a chain of symbolic links, whether or not it exists.
std::filesystem::path behind_links(std::filesystem::path path);

/// NAME of ".NAME.RANDOM.partial"; empty for other names.
std::string name_behind_partial(std::string_view name);

/// Waits until new names in the folder of `file`, and the lack of old ones, are on the disk. Not every file system can
/// do that, and none needs it to be consistent, so a failure is none of the file.
void flush_folder_of(const std::filesystem::path& file);

}  // namespace kaon::detail
