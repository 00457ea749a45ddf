// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/files/prepared_files.hpp"

#include "apps/cli/signal_report.hpp"
#include "apps/cli/with_option.hpp"
#include "io/collective.hpp"

namespace kaon::apps {
void PreparedFiles::add(const std::string& option, const std::function<std::unique_ptr<io::OutputFile>()>& prepare) {
  files_.push_back({option, with_option(option, prepare)});
}

void PreparedFiles::add_json(const Session& session, const std::string& option, const std::filesystem::path& path,
                             const Json& content) {
  add(option, [&] {
    auto file = std::make_unique<io::OutputFile>(path, session.communicator());
    // The times in reports differ between processes, and with them what is not of fixed length.
    file->write(io::broadcast(session.communicator(), to_text(content) + "\n"));
    file->flush();
    return file;
  });
}

void PreparedFiles::commit(
    const std::function<void(const std::string& option, const std::filesystem::path& file)>& named) {
  if (files_.size() == 1) {
    with_option(files_[0].option, [&] { files_[0].file->commit(); });
  } else {
    for (const Prepared& prepared : files_) with_option(prepared.option, [&] { prepared.file->take_name(); });
    for (const Prepared& prepared : files_) prepared.file->keep_name();
  }
  for (const Prepared& prepared : files_) {
    report_complete_file(prepared.file->path());
    named(prepared.option, prepared.file->path());
  }
  files_.clear();
}

}  // namespace kaon::apps
