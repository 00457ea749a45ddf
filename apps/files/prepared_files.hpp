// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "apps/cli/output.hpp"
#include "io/output_file.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace kaon::apps {

/// The files of one run: complete under temporary names, until `commit` gives all of them their own. A failure leaves
/// none of them, and what had their names. All calls are collective.
class PreparedFiles {
 public:
  /// Keeps the complete file that `prepare` makes. An `Error` of `prepare` becomes a `Failure` that begins with
  /// `option`.
  void add(const std::string& option, const std::function<std::unique_ptr<io::OutputFile>()>& prepare);
  /// The file of a JSON object, as the first process has it.
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
