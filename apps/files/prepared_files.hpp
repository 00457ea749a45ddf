// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "apps/cli/output.hpp"
#include "io/output_file.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace kaon::apps {

// The following functions are collective; all processes throw a `Failure`.

struct NamedFile {
  std::string option;
  std::filesystem::path name;  ///< empty: there is no such file
  bool is_read = false;
  std::uint64_t bytes = 0;  ///< a lower bound of the size of a file to be written, or 0
};

/// Checks the files of a run before long work, and leaves no file behind. Throws `Failure` if two options name the same
/// file (by one name, by two spellings or by a link), and if a process cannot write a file that the run writes, or the
/// disk has no space for all of them together.
void require_usable_files(const Session& session, std::vector<NamedFile> files);

/// Writes the JSON of the first process. A file of that name is replaced as a whole or not touched.
void write_json(const Session& session, const std::string& option, const std::filesystem::path& path,
                const Json& content);

/// Does the first process see a file of that name?
bool exists(const Session& session, const std::filesystem::path& path);

/// The files of one run: complete under temporary names, until `commit` renames all of them. A failure removes all of
/// them and restores the files that had their names. All calls are collective.
class PreparedFiles {
 public:
  /// Adds the complete file that `prepare` makes. An `Error` of `prepare` becomes a `Failure` that starts with
  /// `option`.
  void add(const std::string& option, const std::function<std::unique_ptr<io::OutputFile>()>& prepare);
  /// Adds the file of a JSON object of the first process. `commit` writes it, with its "phases", after all other files.
  void add_json(const Session& session, const std::string& option, const std::filesystem::path& path,
                const Json& content);

  /// Names all files, in the order in which they were added, or none, and then calls `named(option, file)` for each.
  /// Destroy the object after a failure: that puts back what was replaced.
  void commit(const std::function<void(const std::string& option, const std::filesystem::path& file)>& named);

 private:
  struct Prepared {
    std::string option;
    std::unique_ptr<io::OutputFile> file;
    std::function<void(io::OutputFile&)> write;  ///< writes its bytes before files are named; empty: it has them
  };
  std::vector<Prepared> files_;
};

}  // namespace kaon::apps
