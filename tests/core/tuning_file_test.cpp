// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/tuning/tuning_file.hpp"

#include "tests/support/error_text.hpp"
#include "tests/support/program.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace kaon::test {
namespace KAON_TEST_FILE {

TuningEntry entry_of(int right_hand_sides, double microseconds = 1.0) {
  return {.kernel = "kaon::hop",
          .extents = {8, 8, 8, 16},
          .lanes = 8,
          .precision = "double",
          .link_reals = 18,
          .right_hand_sides = right_hand_sides,
          .shape = {64, true, 2, 1},
          .microseconds = microseconds,
          .standard_microseconds = 2.0};
}

TuningSection section_of(const std::string& build, std::vector<TuningEntry> entries) {
  return {"a processor", build, std::move(entries)};
}

struct TuningFile : testing::Test {
  const TemporaryFolder folder;
  const std::string path = folder / "tune.json";
};

TEST_F(TuningFile, ComesBackAsItWasWritten) {
  const std::filesystem::path path = folder / "new/folder/tune.json";
  EXPECT_TRUE(detail::read_tuning_file(path).sections.empty());
  detail::merge_into_tuning_file(path, section_of("one", {entry_of(1), entry_of(2)}));
  const TuningResults results = detail::read_tuning_file(path);
  EXPECT_EQ(results.problem, "");
  ASSERT_EQ(results.sections.size(), 1u);
  EXPECT_EQ(results.sections[0].device, "a processor");
  EXPECT_EQ(results.sections[0].build, "one");
  EXPECT_EQ(results.sections[0].entries, (std::vector{entry_of(1), entry_of(2)}));
}

TEST_F(TuningFile, KeepsWhatOthersWrote) {
  detail::merge_into_tuning_file(path, section_of("one", {entry_of(1), entry_of(2)}));
  detail::merge_into_tuning_file(path, section_of("two", {entry_of(1)}));
  detail::merge_into_tuning_file(path, section_of("one", {entry_of(2, 0.5), entry_of(3)}));
  auto sections = detail::read_tuning_file(path).sections;
  ASSERT_EQ(sections.size(), 2u);
  EXPECT_EQ(detail::take_section(sections, section_of("one", {})).entries,
            (std::vector{entry_of(1), entry_of(2, 0.5), entry_of(3)}));
  EXPECT_EQ(folder.entries(), 2);  // the file and its lock
}

TEST_F(TuningFile, ForgetsBuildsThatWereSilentLongest) {
  for (int build = 0; build < 40; ++build) {
    detail::merge_into_tuning_file(path, section_of(std::to_string(build), {entry_of(1)}));
    detail::merge_into_tuning_file(path, section_of("0", {entry_of(1)}));
  }
  auto sections = detail::read_tuning_file(path).sections;
  EXPECT_EQ(sections.size(), 32u);
  EXPECT_EQ(detail::take_section(sections, section_of("0", {})).entries.size(), 1u);
  EXPECT_TRUE(detail::take_section(sections, section_of("1", {})).entries.empty());
}

// For example, entries of many lattices.
TEST_F(TuningFile, StaysShortEnoughToBeRead) {
  std::vector<TuningEntry> many;
  for (int n = 1; n <= 16000; ++n) many.push_back(entry_of(n));
  detail::merge_into_tuning_file(path, section_of("old", {entry_of(1)}));
  detail::merge_into_tuning_file(path, section_of("new", many));
  const TuningResults results = detail::read_tuning_file(path);
  EXPECT_EQ(results.problem, "");
  ASSERT_EQ(results.sections.size(), 1u);
  EXPECT_EQ(results.sections[0].entries.back().right_hand_sides, 16000);
  std::ofstream(path, std::ios::app) << std::string(1 << 23, ' ');
  EXPECT_TRUE(contains(detail::read_tuning_file(path).problem, "it is damaged ("))
      << detail::read_tuning_file(path).problem;
  detail::merge_into_tuning_file(path, section_of("two", {entry_of(1)}));
  EXPECT_EQ(detail::read_tuning_file(path).sections.size(), 1u);
}

TEST_F(TuningFile, SaysWhyItCannotBeUsedAndIsReplaced) {
  const auto problem = [&](const std::string& content) {
    std::ofstream(path) << content;
    const TuningResults results = detail::read_tuning_file(path);
    EXPECT_TRUE(results.sections.empty()) << content;
    return results.problem;
  };
  detail::merge_into_tuning_file(path, section_of("one", {entry_of(1)}));
  const std::string whole = read_text(path);
  for (const std::string& damaged :
       {std::string(), whole.substr(0, whole.size() / 2), std::string("{\"kaon_tuning\": 6}"),
        std::string("{\"kaon_tuning\": 6, \"sections\": [{\"device\": 3}]}")}) {
    EXPECT_TRUE(contains(problem(damaged), "it is damaged (")) << damaged;
  }
  EXPECT_EQ(problem("{\"kaon_tuning\": 0, \"sections\": []}"), "it is of another version of kaon");
  EXPECT_EQ(detail::read_tuning_file(folder.path()).problem, "it is not a file");
  detail::merge_into_tuning_file(path, section_of("two", {entry_of(1)}));
  EXPECT_EQ(detail::read_tuning_file(path).sections.size(), 1u);
}

TEST_F(TuningFile, IsNotMadeOfAnotherFile) {
  const std::string path = folder / "file";
  for (const std::string content : {"precious", "[]", " {\"kaon_tuninh\": 4}", "{\"kaon_tuning"}) {
    std::ofstream(path) << content;
    EXPECT_EQ(detail::read_tuning_file(path).problem, "it is another file, which is kept");
    const std::string text = "cannot write the tuning cache " + path + ": it is another file, which is kept";
    KAON_EXPECT_ERROR(detail::merge_into_tuning_file(path, section_of("one", {entry_of(1)})), text);
    KAON_EXPECT_ERROR(detail::remove_tuning_file(path), text);
    EXPECT_EQ(read_text(path), content);
    EXPECT_EQ(folder.entries(), 1);
  }
  std::filesystem::resize_file(path, 0);
  std::ofstream(path) << "{\"kaon_tuning\": 6,";
  std::filesystem::resize_file(path, std::uintmax_t{1} << 40);
  EXPECT_TRUE(contains(detail::read_tuning_file(path).problem, "it is damaged (1099511627776 bytes are more"));
}

TEST_F(TuningFile, IsTheOneBehindALink) {
  std::filesystem::create_symlink("tune.json", folder / "link");
  detail::merge_into_tuning_file(folder / "link", section_of("one", {entry_of(1)}));
  EXPECT_EQ(detail::read_tuning_file(folder / "tune.json").sections.size(), 1u);
  detail::merge_into_tuning_file(folder / "tune.json", section_of("two", {entry_of(1)}));
  EXPECT_EQ(detail::read_tuning_file(folder / "link").sections.size(), 2u);
  EXPECT_EQ(folder.entries(), 3);  // the file, its lock and the link
  detail::remove_tuning_file(folder / "link");
  EXPECT_FALSE(std::filesystem::exists(folder / "tune.json"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
}

TEST_F(TuningFile, IsNotWrittenWhereNoFileCanBe) {
  std::ofstream(folder / "file") << "content";
  const TuningSection section = section_of("one", {entry_of(1)});
  KAON_EXPECT_ERROR(detail::merge_into_tuning_file(folder / "file/tune.json", section), "its folder cannot be made");
  KAON_EXPECT_ERROR(detail::merge_into_tuning_file("/dev/null", section), "/dev/null: it is not a file");
  KAON_EXPECT_ERROR(detail::merge_into_tuning_file(folder.path(), section), "it is not a file");
  KAON_EXPECT_ERROR(detail::remove_tuning_file(folder.path()), "it is not a file");
  EXPECT_FALSE(std::filesystem::is_regular_file("/dev/null"));
}

TEST_F(TuningFile, LosesNothingToOtherThreadsAndProcesses) {
  constexpr int writers = 4, each = 10;
  const auto write = [&](int writer) {
    for (int n = 0; n < each; ++n) {
      detail::merge_into_tuning_file(path, section_of("one", {entry_of(1 + writer * each + n)}));
    }
  };
  std::vector<pid_t> children;
  for (int writer = 0; writer < writers; ++writer) {
    children.push_back(fork());
    ASSERT_GE(children.back(), 0);
    if (children.back() == 0) {
      int code = 0;
      try {
        write(writer);
      } catch (...) {
        code = 1;
      }
      _exit(code);
    }
  }
  std::vector<std::thread> threads;
  for (int writer = writers; writer < 2 * writers; ++writer) threads.emplace_back(write, writer);
  while (detail::read_tuning_file(path).sections.empty()) std::this_thread::yield();
  for (int n = 0; n < 200; ++n) {
    EXPECT_EQ(detail::read_tuning_file(path).problem, "");  // readers meet whole files
  }
  for (std::thread& thread : threads) thread.join();
  for (const pid_t child : children) {
    int status = -1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  const auto sections = detail::read_tuning_file(path).sections;
  ASSERT_EQ(sections.size(), 1u);
  EXPECT_EQ(sections[0].entries.size(), static_cast<std::size_t>(2 * writers * each));
  EXPECT_EQ(folder.entries(), 2);
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
