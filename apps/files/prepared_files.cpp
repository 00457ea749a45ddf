// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/files/prepared_files.hpp"

#include "apps/cli/command.hpp"
#include "apps/cli/output.hpp"
#include "core/base/partial_file.hpp"
#include "core/tuning/phases.hpp"
#include "io/collective.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <array>
#include <map>

namespace kaon::apps {
namespace {

/// Identity of a file under all its names, whether or not it exists; empty where it cannot be found.
std::string identity(const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) return fmt::format("{} {}", status.st_dev, status.st_ino);
  std::error_code error;
  return std::filesystem::weakly_canonical(std::filesystem::absolute(detail::behind_links(path), error), error);
}

/// Compares each of these files with all files before it.
void require_different_files(const Session& session, const std::vector<NamedFile>& files) {
  std::array<std::size_t, 2> one{};  // places of the same file, if two are the same
  if (session.communicator().rank() == 0) {
    std::map<std::string, std::size_t> known;
    for (std::size_t k = 0; k < files.size() && one[1] == 0; ++k) {
      const std::string own = identity(files[k].name);
      if (own.empty()) continue;
      const auto [found, is_new] = known.emplace(own, k);
      if (!is_new) one = {found->second, k};
    }
  }
  session.communicator().broadcast(one.data(), sizeof one);
  if (one[1] == 0) return;
  const NamedFile &first = files[one[0]], &second = files[one[1]];
  throw usage_error(fmt::format("{}: {} is the file of {}, {}", second.option, second.name.string(), first.option,
                                first.is_read && second.is_read ? "too, and has the content of one of them at most"
                                                                : "which it would replace: give another name"));
}

void write_text(io::OutputFile& file, const Communicator& communicator, const Json& content) {
  // The times in reports differ between processes, and with them what is not of fixed length.
  file.write(io::broadcast(communicator, to_text(content) + "\n"));
  file.flush();
}

}  // namespace

void write_json(const Session& session, const std::string& option, const std::filesystem::path& path,
                const Json& content) {
  PreparedFiles file;
  file.add(option, [&] {
    auto text = std::make_unique<io::OutputFile>(path, session.communicator());
    write_text(*text, session.communicator(), content);
    return text;
  });
  file.commit([](const std::string&, const std::filesystem::path&) {});
}

void require_usable_files(const Session& session, std::vector<NamedFile> files) {
  std::erase_if(files, [](const NamedFile& file) { return file.name.empty(); });
  require_different_files(session, files);
  std::vector<std::unique_ptr<io::OutputFile>> probes;  // all at once, as in the end
  for (const NamedFile& file : files) {
    if (file.is_read) continue;
    with_option(file.option, [&] {
      probes.push_back(std::make_unique<io::OutputFile>(file.name, session.communicator()));
      if (file.bytes > 0) probes.back()->reserve(file.bytes);
    });
  }
}

bool exists(const Session& session, const std::filesystem::path& path) {
  std::error_code ignored;
  const bool first_sees_it = session.communicator().rank() == 0 && std::filesystem::exists(path, ignored);
  return session.communicator().any(first_sees_it);
}

void PreparedFiles::add(const std::string& option, const std::function<std::unique_ptr<io::OutputFile>()>& prepare) {
  const detail::Phase phase(detail::PhaseName::write);
  files_.push_back({option, with_option(option, prepare), {}});
}

void PreparedFiles::add_json(const Session& session, const std::string& option, const std::filesystem::path& path,
                             const Json& content) {
  add(option, [&] { return std::make_unique<io::OutputFile>(path, session.communicator()); });
  files_.back().write = [content, communicator = session.communicator()](io::OutputFile& file) {
    Json report = content;
    report["phases"] = phases_json();
    write_text(file, communicator, report);
  };
}

void PreparedFiles::commit(
    const std::function<void(const std::string& option, const std::filesystem::path& file)>& named) {
  const detail::Phase phase(detail::PhaseName::write);
  for (const Prepared& prepared : files_) {
    if (prepared.write) with_option(prepared.option, [&] { prepared.write(*prepared.file); });
  }
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
