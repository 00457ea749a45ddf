// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

namespace kaon::detail {

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

}  // namespace kaon::detail
