// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/tuning/tuning_file.hpp"

#include "core/base/partial_file.hpp"
#include "core/tuning/tuning_json.hpp"

#include <kaon/core/error.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <thread>

namespace kaon::detail {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* format_key = "kaon_tuning";
constexpr int format_version = 6;
/// Devices and builds that a file remembers; the one that was silent longest goes first.
constexpr std::size_t most_sections = 32;
/// Largest size of a file, which is read as a whole: some 10 000 kernels.
constexpr std::size_t most_bytes = std::size_t{1} << 23;

std::string failure_of(const std::filesystem::path& path) {
  return fmt::format("cannot write the tuning cache {}", path.string());
}

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& problem) {
  throw Error(fmt::format("{}: {}", failure_of(path), problem));
}

/// Held by one process at a time, and released when a process ends.
class FileLock {
 public:
  explicit FileLock(const std::filesystem::path& path) {
    auto name = path;
    name += ".lock";
    descriptor_ = ::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor_ < 0) fail(path, fmt::format("no file can be made in its folder ({})", system_reason()));
    constexpr auto patience = std::chrono::seconds(10);
    const auto end = std::chrono::steady_clock::now() + patience;
    // A file system without locks is used without: renaming still replaces the file as a whole.
    while (try_lock(descriptor_) == LockState::held) {
      if (std::chrono::steady_clock::now() >= end) {
        ::close(descriptor_);
        fail(path, fmt::format("another process has held {} for {} seconds", name.string(), patience.count()));
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }
  ~FileLock() { ::close(descriptor_); }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  int descriptor_ = -1;
};

/// Refuses what a file cannot replace, such as /dev/null, and files that are something else than a cache.
void require_replaceable(const std::filesystem::path& path) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  if (!path.has_filename()) fail(path, "the name of a file is missing");
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) fail(path, "it is not a file");
  if (!may_be_tuning_file(path)) fail(path, "it is another file, which is kept");
}

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t put = ::write(descriptor, text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(put));
  }
  return ::fsync(descriptor) == 0;
}

/// The file has the old content or the new one, never a part.
void replace(const std::filesystem::path& path, std::string_view text) {
  PartialFile file(path, failure_of(path));
  if (!write_all(file.descriptor(), text)) fail(path, system_reason());
  file.replace();
}

/// The content of a file. The section that was silent longest is left out where it would be too long to be read again.
std::string text_within_bounds(std::vector<TuningSection> sections) {
  while (true) {
    const Json json{{format_key, format_version}, {"sections", sections}};
    std::string text = json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
    if (text.size() <= most_bytes) return text;
    std::vector<TuningEntry>& entries = sections.back().entries;
    if (sections.size() > 1) {
      sections.erase(sections.begin());
    } else {
      entries.erase(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(entries.size() / 2 + 1));
    }
  }
}

}  // namespace

bool may_be_tuning_file(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored) || std::filesystem::file_size(path, ignored) == 0) return true;
  std::ifstream file(path);
  const std::string start = fmt::format("{{\"{}\":", format_key);
  for (const char expected : start) {
    char found = '\0';
    if (!(file >> found) || found != expected) return false;  // blanks are skipped
  }
  return true;
}

TuningResults read_tuning_file(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return {};
  if (!std::filesystem::is_regular_file(path, ignored)) return {{}, "it is not a file"};
  std::ifstream file(path);
  if (!file) return {{}, "it cannot be read"};
  if (!may_be_tuning_file(path)) return {{}, "it is another file, which is kept"};
  if (const auto bytes = std::filesystem::file_size(path, ignored); bytes > most_bytes) {
    return {{}, fmt::format("it is damaged ({} bytes are more than the {} that kaon writes)", bytes, most_bytes)};
  }
  try {
    const Json json = Json::parse(file);
    if (json.at(format_key) != format_version) return {{}, "it is of another version of kaon"};
    return {json.at("sections").get<std::vector<TuningSection>>(), {}};
  } catch (const std::exception& error) {
    return {{}, fmt::format("it is damaged ({})", error.what())};
  }
}

void merge_into_tuning_file(const std::filesystem::path& name, const TuningSection& found) {
  const std::filesystem::path path = behind_links(name);  // one lock for all names
  std::error_code error;
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), error);
  if (error) fail(path, fmt::format("its folder cannot be made ({})", error.message()));
  require_replaceable(path);
  const FileLock lock(path);
  require_replaceable(path);  // as it is now
  std::vector<TuningSection> sections = read_tuning_file(path).sections;
  TuningSection section = take_section(sections, found);
  merge_entries(section, found.entries);
  sections.push_back(section);
  if (sections.size() > most_sections) sections.erase(sections.begin());
  replace(path, text_within_bounds(std::move(sections)));
}

void remove_tuning_file(const std::filesystem::path& name) {
  const std::filesystem::path path = behind_links(name);
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return;
  require_replaceable(path);
  const FileLock lock(path);
  require_replaceable(path);  // as it is now
  std::filesystem::remove(path, error);
  require(!error,
          [&] { return fmt::format("the tuning cache {} cannot be removed: {}", path.string(), error.message()); });
}

void merge_entries(TuningSection& section, const std::vector<TuningEntry>& entries) {
  for (const TuningEntry& entry : entries) {
    const auto old = std::find_if(section.entries.begin(), section.entries.end(),
                                  [&](const TuningEntry& other) { return same_kernel(other, entry); });
    if (old != section.entries.end()) {
      *old = entry;
    } else {
      section.entries.push_back(entry);
    }
  }
}

TuningSection take_section(std::vector<TuningSection>& sections, const TuningSection& like) {
  TuningSection taken{like.device, like.build, {}};
  std::erase_if(sections, [&](const TuningSection& section) {
    const bool same = section.device == like.device && section.build == like.build;
    if (same) taken = section;
    return same;
  });
  return taken;
}

}  // namespace kaon::detail
