// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "apps/cli/output.hpp"
#include "io/output_file.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace kaon::apps {

// The following functions are collective; all processes throw a `Failure`.

/// Throws `Failure` unless all processes can write a file where `path` says; leaves nothing behind. Called before long
/// work.
void require_writable(const Session& session, const std::string& option, const std::filesystem::path& path);

struct NamedFile {
  std::string option;
  std::filesystem::path name;
  bool is_read = false;
};

/// Checks several files that are to be written together.
void require_writable(const Session& session, std::span<const NamedFile> files);

/// Writes the JSON of the first process. A file of that name is replaced as a whole or not touched.
void write_json(const Session& session, const std::string& option, const std::filesystem::path& path,
                const Json& content);

/// Throws `Failure`, which starts with `option`, if its `file` is the file of another option: by the same name, another
/// spelling of it, or a link.
void require_other_file(const Session& session, const std::string& option, const std::filesystem::path& file,
                        const std::string& other_option, const std::filesystem::path& other);

/// Compares each of these files with all files before it.
void require_different_files(const Session& session, std::span<const NamedFile> files);

/// Does the first process see a file of that name?
bool exists(const Session& session, const std::filesystem::path& path);

/// The files of one run: complete under temporary names, until `commit` renames all of them. A failure removes all of
/// them and restores the files that had their names. All calls are collective.
class PreparedFiles {
 public:
  /// Adds the complete file that `prepare` makes. An `Error` of `prepare` becomes a `Failure` that starts with
  /// `option`.
  void add(const std::string& option, const std::function<std::unique_ptr<io::OutputFile>()>& prepare);
  /// Adds the file of a JSON object of the first process.
  void add_json(const Session& session, const std::string& option, const std::filesystem::path& path,
                const Json& content);

  /// Names all files, in the order in which they were added, or none, and then calls `named(option, file)` for each.
  /// Destroy the object after a failure: that puts back what was replaced.
  void commit(const std::function<void(const std::string& option, const std::filesystem::path& file)>& named);

 private:
  struct Prepared {
    std::string option;
    std::unique_ptr<io::OutputFile> file;
  };
  std::vector<Prepared> files_;
};

}  // namespace kaon::apps
