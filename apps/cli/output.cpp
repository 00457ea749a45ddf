// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/cli/output.hpp"

#include "apps/cli/command.hpp"
#include "apps/cli/with_option.hpp"
#include "apps/files/prepared_files.hpp"
#include "core/base/partial_file.hpp"

#include <kaon/comm/build_info.hpp>
#include <kaon/core/error.hpp>

#include <fmt/ranges.h>
#include <sys/stat.h>

#include <array>
#include <chrono>
#include <cmath>
#include <ctime>
#include <map>
#include <memory>
#include <stdexcept>
#include <vector>

namespace kaon::apps {
namespace {

std::vector<std::string> command_line;

/// The word as a shell reads it.
std::string quoted(const std::string& word) {
  constexpr const char* plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%";
  if (!word.empty() && word.find_first_not_of(plain) == word.npos) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

/// Identity of a file under all its names, whether or not it exists; empty where it cannot be found.
std::string identity(const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) return fmt::format("{} {}", status.st_dev, status.st_ino);
  std::error_code error;
  return std::filesystem::weakly_canonical(std::filesystem::absolute(detail::behind_links(path), error), error);
}

}  // namespace

void require_writable(const Session& session, const std::string& option, const std::filesystem::path& path) {
  require_writable(session, std::array{NamedFile{option, path}});
}

void require_writable(const Session& session, std::span<const NamedFile> files) {
  std::vector<std::unique_ptr<io::OutputFile>> probes;  // all at once, as in the end
  for (const NamedFile& file : files) {
    probes.push_back(
        with_option(file.option, [&] { return std::make_unique<io::OutputFile>(file.name, session.communicator()); }));
  }
}

std::string to_text(const Json& content) { return content.dump(2, ' ', true, Json::error_handler_t::replace); }

Json parse_json(const std::string& text) {
  constexpr int deepest = 8;  // files of kaon have 3 levels
  return Json::parse(text, [](int depth, Json::parse_event_t, Json&) {
    if (depth > deepest) throw std::runtime_error("brackets within brackets");
    return true;
  });
}

void write_json(const Session& session, const std::string& option, const std::filesystem::path& path,
                const Json& content) {
  PreparedFiles file;
  file.add_json(session, option, path, content);
  file.commit([](const std::string&, const std::filesystem::path&) {});
}

void require_other_file(const Session& session, const std::string& option, const std::filesystem::path& file,
                        const std::string& other_option, const std::filesystem::path& other) {
  require_different_files(session, std::array{NamedFile{other_option, other}, NamedFile{option, file}});
}

void require_different_files(const Session& session, std::span<const NamedFile> files) {
  std::array<std::size_t, 2> one{};  // places of the same file, where there is one
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

bool exists(const Session& session, const std::filesystem::path& path) {
  std::error_code ignored;
  const bool first_sees_it = session.communicator().rank() == 0 && std::filesystem::exists(path, ignored);
  return session.communicator().any(first_sees_it);
}

std::string time_stamp() {
  const std::time_t time = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm utc{};
  gmtime_r(&time, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

Json provenance(const Session& session) {
  const BuildInfo build = build_info();
  const RunInfo run = run_info(session.communicator());
  return {{"command", fmt::format("{}", fmt::join(command_line, " "))},
          {"time", time_stamp()},
          {"kaon", build.version},
          {"commit", build.commit},
          {"compiler", build.compiler},
          {"kokkos", build.kokkos},
          {"execution_space", build.execution_space},
          {"instruction_set", build.instruction_set},
          {"message_passing", build.message_passing},
          {"device", run.device},
          {"processes", run.processes},
          {"host_threads", run.host_threads}};
}

Json provenance(const Session& session, const Lattice& lattice) {
  Json json = provenance(session);
  json["process_grid"] = lattice.process_grid();
  return json;
}

void set_command_line(int argc, char** argv) {
  for (int i = 0; i < argc; ++i) {
    command_line.push_back(i == 0 ? std::filesystem::path(argv[0]).filename().string() : argv[i]);
  }
}

std::string command_to_resume() {
  std::string text;
  for (const std::string& word : command_line) {
    if (word != "--resume" && word != "--overwrite") text += quoted(word) + " ";
  }
  return text + "--resume";
}

std::string describe_seconds(double seconds) {
  if (seconds < 60) return fmt::format("{:.1f} s", seconds);
  const long whole = std::lround(seconds);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

}  // namespace kaon::apps
