// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "io/output_file.hpp"

#include <kaon/core/error.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

namespace kaon::io {
namespace {

std::string reason() { return std::strerror(errno); }

/// ".prop.lime.4711-0.partial" beside "prop.lime": the same folder, so that the renaming is atomic.
std::filesystem::path temporary_name(const std::filesystem::path& path) {
  static std::atomic<int> count{0};
  auto name = path;
  name.replace_filename(fmt::format(".{}.{}-{}.partial", path.filename().string(), ::getpid(), count++));
  return name;
}

}  // namespace

OutputFile::OutputFile(const std::filesystem::path& path) : path_(path), temporary_(temporary_name(path)) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  const auto fail = [&](const std::string& problem) {
    throw Error(fmt::format("cannot write {}: {}", path_.string(), problem));
  };
  if (!path.has_filename()) fail("the name of a file is missing");
  if (std::filesystem::is_directory(status)) fail("it is a folder");
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) fail("it is not a regular file");
  descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail(fmt::format("no file can be made in its folder ({})", reason()));
}

OutputFile::~OutputFile() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  ::unlink(temporary_.c_str());
}

void OutputFile::write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (put < 0 && errno == EINTR) continue;
    require(put > 0, [&] {
      return fmt::format("cannot write {}: {} after {} bytes; nothing was left behind", path_.string(), reason(),
                         offset);
    });
    bytes = bytes.subspan(static_cast<std::size_t>(put));
    offset += static_cast<std::uint64_t>(put);
  }
}

void OutputFile::write(std::span<const std::byte> bytes) {
  write_at(size_, bytes);
  size_ += bytes.size();
}

void OutputFile::rewrite(std::uint64_t offset, std::string_view text) {
  write_at(offset, std::as_bytes(std::span(text)));
}

void OutputFile::commit() {
  const auto check = [&](bool done) {
    require(done, [&] { return fmt::format("cannot complete {}: {}", path_.string(), reason()); });
  };
  check(::fsync(descriptor_) == 0);
  check(::rename(temporary_.c_str(), path_.c_str()) == 0);
  ::close(descriptor_);
  descriptor_ = -1;
  // The renaming itself is on the disk when the folder is; not every file system can do that, and none needs it to be
  // consistent, so a failure is not one of the file.
  const auto folder = path_.has_parent_path() ? path_.parent_path() : std::filesystem::path(".");
  const int opened = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (opened >= 0) {
    static_cast<void>(::fsync(opened));
    ::close(opened);
  }
}

}  // namespace kaon::io
