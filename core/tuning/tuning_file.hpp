// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/tuning/tuning_results.hpp"

#include <filesystem>
#include <string_view>
#include <vector>

namespace kaon::detail {

/// The results in a cache file: nothing if there is none, and nothing but a `problem` if it is damaged or of
/// another version of the format.
TuningResults read_tuning_file(const std::filesystem::path& path);

/// Does the file start as a cache does, or does it not exist? Other files of the name are not replaced.
bool may_be_tuning_file(const std::filesystem::path& path);

/// Adds the entries of `found` to the file, where they replace those for the same kernel, device and build; makes file
/// and folder as needed, and replaces a cache that cannot be used.
///
/// The file is read and replaced as a whole (written beside it and renamed) while a lock on its name with ".lock" is
/// held: of several processes none loses what another wrote, and readers meet the old or the new file. Throws `Error`,
/// also for a file that is no cache. For a symbolic link its target is used.
void merge_into_tuning_file(const std::filesystem::path& name, const TuningSection& found);

/// Removes the file if there is one. Throws `Error`, also for a file that is no cache.
void remove_tuning_file(const std::filesystem::path& name);

/// Ends the label of a kernel whose shapes could not all be tried: the entry has no shape, and its microseconds are the
/// number of launches that were too few.
inline constexpr std::string_view too_few_launches = ", too few launches";

/// Whether two results, or a result and a key, are for the same kernel on the same fields.
template <class Key>
bool same_kernel(const TuningEntry& a, const Key& b) {
  return a.kernel == b.kernel && a.extents == b.extents && a.processes == b.processes && a.lanes == b.lanes &&
         a.precision == b.precision && a.link_reals == b.link_reals && a.right_hand_sides == b.right_hand_sides;
}

/// Adds entries to `section`, replacing those for the same kernel.
void merge_entries(TuningSection& section, const std::vector<TuningEntry>& entries);

/// Removes the section of a device and build from `sections` and returns it; one without entries if there is none.
TuningSection take_section(std::vector<TuningSection>& sections, const TuningSection& like);

}  // namespace kaon::detail
