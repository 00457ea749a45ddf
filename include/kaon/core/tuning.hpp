// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

namespace kaon {

/// Whether some launches of a kernel try other shapes, until the fastest is known. On, unless KAON_TUNE is `off` or
/// `0`. Throws `Error` where that variable is something other than on, 1, off or 0.
bool tuning_is_on();

/// Switches tuning on or off for the rest of the program, in all processes. Results remain valid.
void set_tuning(bool on);

/// The file that stores the results for later runs: KAON_TUNE_CACHE, or kaon/tune.json in the user's cache folder
/// ($XDG_CACHE_HOME or ~/.cache). Empty: memory only, because KAON_TUNE_CACHE is empty or there is no such folder.
std::filesystem::path tuning_cache();

/// Forgets everything that was found, here and in the cache file, which is removed. Throws `Error` if it cannot be.
void clear_tuning();

}  // namespace kaon
