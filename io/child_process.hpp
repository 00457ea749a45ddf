// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string>

#include <sys/types.h>

namespace kaon::io {

/// A child of this process that works on a file for it, so that a library that crashes on damaged files, or never
/// returns from them, ends the child alone.
class ChildProcess {
 public:
  using Send = std::function<void(std::span<const std::byte>)>;

  /// Starts a child that runs `action` for at most `seconds` of the processor; `library` names who fails in it.
  ChildProcess(const std::filesystem::path& path, std::string library, double seconds,
               const std::function<void(const Send& send)>& action);
  /// Ends the child.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Waits for the next bytes that the child sends. Throws `Error` if it fails before: what its action threw, or that
  /// the file is damaged.
  void receive(std::span<std::byte> to);

  /// Returns all that the child still sends, in the same way.
  std::string receive_all();

 private:
  /// Returns the number of bytes received; 0 at the end.
  std::size_t receive_some(std::span<std::byte> to) const;
  [[noreturn]] void run(const std::function<void(const Send&)>& action, double seconds) const;
  /// Waits for the end of the child and throws if it failed.
  void require_success();

  std::filesystem::path path_;
  std::string library_;
  int data_[2] = {-1, -1}, error_[2] = {-1, -1};  ///< pipes
  pid_t child_ = -1;
};

}  // namespace kaon::io
