// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/apps/cli_test.hpp"

#include <sys/resource.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <string>
#include <thread>

namespace kaon::test {

/// A command that runs while the test continues, on one thread. All signals have their usual actions there.
class RunningCommand {
 public:
  explicit RunningCommand(const std::string& command) {
    process_ = fork();
    if (process_ != 0) return;
    for (const int number : {SIGHUP, SIGINT, SIGTERM, SIGXCPU, SIGUSR1, SIGUSR2}) std::signal(number, SIG_DFL);
    const std::string line = "export OMP_NUM_THREADS=1; exec " + command + " >" + (streams_ / "output") + " 2>" +
                             (streams_ / "errors") + " </dev/null";
    execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
    _exit(127);
  }

  std::string output() const { return read_text(streams_ / "output"); }
  std::string errors() const { return read_text(streams_ / "errors"); }
  bool runs() const {
    siginfo_t info{};
    return waitid(P_PID, static_cast<id_t>(process_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == 0;
  }
  /// Waits for the condition. A test fails where the command ends before, or does not meet it within five minutes.
  void wait_until(const std::function<bool()>& condition) const {
    poll([&] { return condition() || !runs(); }, std::chrono::minutes(5));
    ASSERT_TRUE(condition()) << output() << errors();
  }
  void wait_for_output(const std::string& text) const {
    wait_until([&] { return contains(output(), text); });
  }
  void send(int number) const { kill(process_, number); }
#ifdef __linux__
  /// From now on the command cannot make files longer than that. See `FileSizeLimit`.
  void limit_files(rlim_t bytes) const {
    const rlimit limit{.rlim_cur = bytes, .rlim_max = RLIM_INFINITY};
    ASSERT_EQ(prlimit(process_, RLIMIT_FSIZE, &limit, nullptr), 0);
  }
#endif
  /// Whether the command ends in this time.
  bool ends(std::chrono::seconds time) const {
    poll([&] { return !runs(); }, time);
    return !runs();
  }

  /// Returns the status of `waitpid`. A command that has not ended after five minutes is killed, and the test fails.
  int status() {
    if (!ends(std::chrono::minutes(5))) {
      ADD_FAILURE() << "the command does not end\n" << output() << errors();
      send(SIGKILL);
    }
    EXPECT_EQ(waitpid(process_, &status_, 0), process_);
    return status_;
  }
  void expect_end_by(int number) {
    const int status = this->status();
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == number) << number << "\n" << output() << errors();
  }

 private:
  static void poll(const std::function<bool()>& condition, std::chrono::seconds time) {
    const auto end = std::chrono::steady_clock::now() + time;
    while (!condition() && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }

  TemporaryFolder streams_;
  pid_t process_ = -1;
  int status_ = 0;
};

/// The program kaon with these arguments.
inline RunningCommand start_kaon(const std::string& arguments) {
  return RunningCommand(std::string(KAON_PROGRAM) + " " + arguments);
}

}  // namespace kaon::test
