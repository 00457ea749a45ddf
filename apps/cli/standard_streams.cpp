// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/cli/standard_streams.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

namespace kaon::apps {
namespace {

int output_error = 0;  // errno

}  // namespace

void prepare_streams() {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
    if (::fcntl(stream, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest free number is this one. Reading from it and writing to it fail, as they do on a closed stream.
    if (::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) return;
  }
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  constexpr rlim_t many = 1 << 16;  // bounded: some libraries close every possible descriptor after fork()
  struct rlimit open_files {};
  if (::getrlimit(RLIMIT_NOFILE, &open_files) == 0 && open_files.rlim_cur < many) {
    open_files.rlim_cur = std::min(open_files.rlim_max, many);
    static_cast<void>(::setrlimit(RLIMIT_NOFILE, &open_files));
  }
}

void write_to_standard_output(const std::string& text) {
  errno = 0;
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if ((!written || std::fflush(stdout) != 0) && output_error == 0) output_error = errno != 0 ? errno : EIO;
}

std::string standard_output_problem() {
  return output_error == 0 ? "" : std::string("standard output cannot be written: ") + std::strerror(output_error);
}

}  // namespace kaon::apps
