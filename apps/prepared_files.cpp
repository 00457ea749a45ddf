// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/prepared_files.hpp"

#include "apps/command.hpp"
#include "io/collective.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>

namespace kaon::apps {
namespace {

/// Names the option at fault.
template <class Action>
auto with_option(const std::string& option, const Action& action) {
  try {
    return action();
  } catch (const Error& error) {
    throw input_error(fmt::format("{}: {}", option, error.what()));
  }
}

}  // namespace

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
  for (const Prepared& prepared : files_) {
    with_option(prepared.option, [&] { prepared.file->commit(); });
    named(prepared.option, prepared.file->path());
  }
  files_.clear();
}

}  // namespace kaon::apps
