// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/files/run_files.hpp"

#include "apps/cli/with_option.hpp"
#include "core/base/partial_file.hpp"
#include "io/collective.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

namespace kaon::apps {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view state_ending = ".checkpoint.json";

/// Endings after PREFIX in the names of a run's files.
bool is_ending_of_run(std::string_view ending) {
  if (ending == state_ending || ending == ".checkpoint-a.lime" || ending == ".checkpoint-b.lime") return true;
  constexpr std::size_t fewest_digits = 6;
  if (!ending.starts_with('_')) return false;
  const auto point = std::min(ending.find_first_not_of("0123456789", 1), ending.size());
  const std::string_view extension = ending.substr(point);
  return point > fewest_digits && (extension == ".lime" || extension == ".nersc");
}

bool is_of_run(std::string_view name, std::string_view stem) {
  return name.starts_with(stem) && is_ending_of_run(name.substr(stem.size()));
}

/// Runs on the first process; what it throws becomes a `Failure` of all.
template <class Action>
void on_first(const Session& session, Action&& action) {
  with_option("--output", [&] {
    io::together(session.communicator(), [&] {
      if (session.communicator().rank() == 0) action();
    });
  });
}

/// Names in the folder of PREFIX that `belongs` to the run.
template <class Belongs>
std::vector<fs::path> find(const std::string& prefix, const Belongs& belongs) {
  std::vector<fs::path> found;
  const fs::path folder = fs::path(prefix).parent_path();
  std::error_code error;
  for (fs::directory_iterator entry(folder.empty() ? "." : folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (belongs(entry->path().filename().native())) found.push_back(folder / entry->path().filename());
  }
  require(!error, [&] { return fmt::format("cannot search the folder of {}: {}", prefix, error.message()); });
  const auto is_state = [](const fs::path& path) { return path.native().ends_with(state_ending); };
  std::sort(found.begin(), found.end());
  std::stable_partition(found.begin(), found.end(), is_state);
  return found;
}

void remove_one(const fs::path& file) {
  require(::unlink(file.c_str()) == 0 || errno == ENOENT,
          [&] { return fmt::format("cannot remove {}: {}", file.string(), std::strerror(errno)); });
}

}  // namespace

std::vector<fs::path> files_of_run(const Session& session, const std::string& prefix) {
  const std::string stem = fs::path(prefix).filename();
  std::vector<fs::path> files;
  on_first(session, [&] { files = find(prefix, [&](std::string_view name) { return is_of_run(name, stem); }); });
  return files;
}

std::size_t remove_files_of_run(const Session& session, const std::string& prefix) {
  const std::string stem = fs::path(prefix).filename();
  const std::vector<fs::path> files = files_of_run(session, prefix);
  on_first(session, [&] {
    for (const fs::path& file : files) {
      require(!fs::is_directory(fs::symlink_status(file)),
              [&] { return fmt::format("cannot remove {}: it is a folder", file.string()); });
    }
    for (const fs::path& file : files) {
      remove_one(file);
      if (&file == &files.front()) detail::flush_folder_of(file);
    }
    const auto is_left_behind = [&](std::string_view name) {
      return is_of_run(detail::name_behind_partial(name), stem);
    };
    for (const fs::path& file : find(prefix, is_left_behind)) remove_one(file);
  });
  return files.size();
}

}  // namespace kaon::apps
