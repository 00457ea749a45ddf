// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/base/partial_file.hpp"

#include "tests/support/error_text.hpp"
#include "tests/support/program.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <thread>

namespace kaon::test {
namespace KAON_TEST_FILE {

namespace fs = std::filesystem;
using detail::PartialFile;

/// How a child that runs `action` ends, as `waitpid` says.
int status_of_child(const std::function<void()>& action) {
  const pid_t child = fork();
  if (child == 0) {
    action();
    _exit(0);
  }
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return status;
}

bool ended_by(int status, int signal) { return WIFSIGNALED(status) && WTERMSIG(status) == signal; }

void replace(const fs::path& path, const std::string& content) {
  PartialFile file(path, "cannot write");
  ASSERT_EQ(::write(file.descriptor(), content.data(), content.size()), static_cast<ssize_t>(content.size()));
  file.replace();
}

void write_text(const fs::path& path, const std::string& content) { std::ofstream(path) << content; }

unsigned mode_of(const fs::path& path) {
  struct stat status {};
  EXPECT_EQ(::stat(path.c_str(), &status), 0);
  return status.st_mode & 07777;
}

TEST(PartialFile, HasANameOfItsOwn) {
  const TemporaryFolder folder;
  {
    const PartialFile a(folder / "a", "cannot write"), again(folder / "a", "cannot write"), b(folder / "b", "");
    EXPECT_NE(a.path(), again.path());
    EXPECT_EQ(detail::name_behind_partial(a.path().filename().native()), "a");
    EXPECT_EQ(detail::name_behind_partial(b.path().filename().native()), "b");
    EXPECT_EQ(folder.entries(), 3);
  }
  EXPECT_EQ(folder.entries(), 0);
  for (const char* other : {"", "a", ".partial", ".a.partial", ".a.4711-0.partial", ".a.0123456789abcdeg.partial"}) {
    EXPECT_EQ(detail::name_behind_partial(other), "") << other;
  }
}

TEST(PartialFile, OfAKilledProcessIsRemovedByTheNext) {
  const TemporaryFolder folder;
  for (int k = 0; k < 3; ++k) {
    const int status = status_of_child([&] {
      const PartialFile file(folder / "a", "cannot write");
      ::raise(SIGKILL);
    });
    EXPECT_TRUE(ended_by(status, SIGKILL));
    EXPECT_EQ(folder.entries(), 1);
  }
  write_text(folder / ".a.of-another-kind.partial", "kept");
  write_text(folder / ".b.0123456789abcdef.partial", "kept");
  replace(folder / "a", "new");
  EXPECT_EQ(folder.entries(), 3);
  EXPECT_EQ(read_text(folder / "a"), "new");
}

TEST(PartialFile, OfALivingProcessIsKept) {
  const TemporaryFolder folder;
  const PartialFile file(folder / "a", "cannot write");
  const int status = status_of_child([&] { replace(folder / "a", "by the child"); });
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_TRUE(fs::exists(file.path()));
  EXPECT_EQ(read_text(folder / "a"), "by the child");
}

TEST(PartialFile, IsRemovedBySignals) {
  const TemporaryFolder folder;
  for (const int signal : {SIGHUP, SIGINT, SIGTERM, SIGXCPU, SIGUSR1, SIGUSR2}) {
    const int status = status_of_child([&] {
      detail::handle_ending_signals();
      const PartialFile a(folder / "a", "cannot write"), b(folder / "b", "cannot write");
      replace(folder / "complete", "content");
      ::raise(signal);
    });
    EXPECT_TRUE(ended_by(status, signal)) << signal;
    EXPECT_EQ(folder.entries(), 1) << signal;
  }
  const int status = status_of_child([&] {
    std::signal(SIGHUP, SIG_IGN);
    detail::handle_ending_signals();
    ::raise(SIGHUP);
  });
  EXPECT_TRUE(WIFEXITED(status));
}

TEST(PartialFile, IsRemovedBySignalsAtAnyMoment) {
  const TemporaryFolder folder;
  for (int k = 0; k < 200; ++k) {
    const pid_t child = fork();
    if (child == 0) {
      detail::handle_ending_signals();
      for (replace(folder / "begun", "content");;) PartialFile(folder / "a", "cannot write");
    }
    int status = -1;
    while (!fs::exists(folder / "begun")) {
      ASSERT_EQ(waitpid(child, &status, WNOHANG), 0) << "signal " << k << ": ended before it, with status " << status;
      std::this_thread::yield();
    }
    std::this_thread::sleep_for(std::chrono::microseconds(7 * k));
    ::kill(child, SIGTERM);
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(ended_by(status, SIGTERM));
    fs::remove(folder / "begun");
    ASSERT_EQ(folder.entries(), 0) << "signal " << k;
  }
}

TEST(PartialFile, HandsDownTheModeOfTheOldFile) {
  const TemporaryFolder folder;
  for (const unsigned mode : {0600u, 0640u, 0755u}) {
    write_text(folder / "a", "old");
    ASSERT_EQ(::chmod((folder / "a").c_str(), mode), 0);
    {
      const PartialFile file(folder / "a", "cannot write");
      EXPECT_EQ(mode_of(file.path()) & 077, 0u);
    }
    replace(folder / "a", "new");
    EXPECT_EQ(mode_of(folder / "a"), mode);
    EXPECT_EQ(read_text(folder / "a"), "new");
  }
}

TEST(PartialFile, ReplacesTheFileBehindALink) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "far");
  write_text(folder / "far/file", "old");
  fs::create_symlink("far/file", folder / "link");
  fs::create_symlink(folder / "link", folder / "link-to-link");
  fs::create_symlink("far/absent", folder / "dangling");
  replace(folder / "link-to-link", "new");
  EXPECT_EQ(read_text(folder / "far/file"), "new");
  replace(folder / "dangling", "new");
  EXPECT_EQ(read_text(folder / "far/absent"), "new");
  for (const char* link : {"link", "link-to-link", "dangling"}) EXPECT_TRUE(fs::is_symlink(folder / link)) << link;
  EXPECT_EQ(folder.entries(), 4);
  fs::create_symlink("circle", folder / "circle");
  KAON_EXPECT_ERROR(PartialFile(folder / "circle", "cannot write"), "a symbolic link that leads nowhere");
}

TEST(PartialFile, DoesNotReplaceWhatMayNotBeChanged) {
  const TemporaryFolder folder;
  ASSERT_EQ(::chmod(folder.path().c_str(), 0777), 0);
  write_text(folder / "a", "old");
  ASSERT_EQ(::chmod((folder / "a").c_str(), 0444), 0);
  const int status = status_of_child([&] {
    constexpr uid_t nobody = 65534;
    if (::geteuid() == 0 && ::setuid(nobody) != 0) _exit(2);
    const std::string text = error_text([&] { PartialFile(folder / "a", "cannot write"); });
    _exit(contains(text, "cannot write: there is one that may not be changed (Permission denied)") ? 0 : 1);
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(folder.entries(), 1);
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
