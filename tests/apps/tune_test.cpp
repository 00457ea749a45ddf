// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/apps/cli_test.hpp"
#include "tests/apps/rewrite_records.hpp"

#include <nlohmann/json.hpp>

#include <thread>
#include <vector>

namespace KAON_TEST_FILE {

using namespace kaon::test;

/// A folder with a cache in it, which the programs that the test runs use.
class Tune : public ::testing::Test {
 protected:
  Tune() { setenv("KAON_TUNE_CACHE", cache.c_str(), 1); }
  ~Tune() override {
    setenv("KAON_TUNE_CACHE", "", 1);
    unsetenv("KAON_TUNE");
  }
  TemporaryFolder folder;
  std::string cache = folder / "cache/tune.json";
};

/// A propagator on X x 4^3: twelve right-hand sides, and enough iterations to try all shapes.
std::string propagator(int x) {
  return "propagator --weak 0.3 --mass -0.7 --csw 1 --solver cgnr --precision double --tolerance 1e-12 --size " +
         std::to_string(x) + ",4,4,4";
}

nlohmann::json tuned() { return nlohmann::json::parse(expect_success("tune --json").output); }

TEST_F(Tune, TellsWhatWasFound) {
  const Outcome before = expect_success("tune");
  EXPECT_TRUE(contains(before.output, "cache         " + cache + "\n")) << before.output;
  EXPECT_TRUE(contains(before.output, "tuning        on\n")) << before.output;
  EXPECT_TRUE(contains(before.output, "nothing has been tuned here yet")) << before.output;
  EXPECT_FALSE(std::filesystem::exists(cache));

  expect_success(propagator(8));
  const Outcome after = expect_success("tune");
  EXPECT_TRUE(contains(after.output, "kaon::wilson_hop_inverse_clover")) << after.output;
  EXPECT_TRUE(contains(after.output, "8x4x4x4")) << after.output;
  const auto json = tuned();
  EXPECT_EQ(json.at("cache"), cache);
  EXPECT_EQ(json.at("on"), true);
  EXPECT_TRUE(json.at("problem").is_null());
  ASSERT_EQ(json.at("sections").size(), 1u);
  EXPECT_GE(json.at("sections")[0].at("entries").size(), 2u);

  const std::string content = read_text(cache);
  expect_success(propagator(8));
  EXPECT_EQ(read_text(cache), content);

  EXPECT_EQ(expect_success("tune --clear").output, "cleared       " + cache + "\n");
  EXPECT_FALSE(std::filesystem::exists(cache));
  EXPECT_TRUE(contains(expect_success("tune").output, "nothing has been tuned here yet"));
  expect_success("tune --clear");
}

TEST_F(Tune, TellsOfOthersIfAsked) {
  expect_success(propagator(4));
  std::string content = read_text(cache);
  content.replace(content.find("\"build\": \"kaon"), 14, "\"build\": \"naok");
  std::ofstream(cache) << content;
  EXPECT_TRUE(contains(expect_success("tune").output, "nothing has been tuned here yet"));
  const Outcome all = expect_success("tune --all");
  EXPECT_TRUE(contains(all.output, "build         naok")) << all.output;
  EXPECT_TRUE(contains(all.output, "kaon::wilson_hop")) << all.output;
  expect_failure("tune --all --clear", usage, "--clear");
}

TEST_F(Tune, ProcessesLoseNothingToEachOther) {
  std::vector<std::thread> runs;
  const std::vector<int> sizes{4, 8, 12};
  for (const int x : sizes) runs.emplace_back([x] { expect_success(propagator(x)); });
  for (std::thread& run : runs) run.join();
  const auto sections = tuned().at("sections");
  ASSERT_EQ(sections.size(), 1u);
  for (const int x : sizes) {
    int found = 0;
    for (const auto& entry : sections[0].at("entries")) found += entry.at("extents")[0] == x;
    EXPECT_GE(found, 2) << x;
  }
}

TEST_F(Tune, MayBeSwitchedOff) {
  for (const char* off : {"off", "0"}) {
    setenv("KAON_TUNE", off, 1);
    expect_success(propagator(4));
    EXPECT_FALSE(std::filesystem::exists(cache));
    EXPECT_TRUE(contains(expect_success("tune").output, "tuning        off\n"));
  }
  for (const char* on : {"on", "1", ""}) {
    setenv("KAON_TUNE", on, 1);
    EXPECT_TRUE(contains(expect_success("tune").output, "tuning        on\n"));
  }
  setenv("KAON_TUNE", "perhaps", 1);
  const std::string text = "the environment variable KAON_TUNE is 'perhaps': set it to on (or 1) or to off (or 0)";
  expect_failure("tune", 1, text);
  expect_failure(propagator(4), 1, text);
}

TEST_F(Tune, IgnoresADamagedCacheWithOneWarning) {
  std::filesystem::create_directory(folder / "cache");
  std::ofstream(cache) << "{\"kaon_tuning\": 4, damaged";
  EXPECT_TRUE(contains(expect_success("tune").output, "note          the cache is not used: it is damaged"));
  const Outcome run = run_kaon(propagator(4));
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_EQ(count_of(run.errors, "\n"), 1) << run.errors;
  EXPECT_TRUE(contains(run.errors, "kaon: warning: the tuning cache " + cache + " is not used: it is damaged"))
      << run.errors;
  EXPECT_TRUE(tuned().at("problem").is_null());
}

TEST_F(Tune, KeepsWhatIsNoCache) {
  std::filesystem::create_directory(folder / "cache");
  for (const std::string content : {"precious", "[]", "{\"kaon\": 4}", "{\"kaon_checkpoint\": 2}", "\x1f\x8b"}) {
    std::ofstream(cache, std::ios::binary) << content;
    const std::string text = "the tuning cache " + cache + " is not used: it is another file, which is kept";
    const Outcome run = run_kaon(propagator(4));
    EXPECT_EQ(run.exit_code, 0) << run.errors;
    EXPECT_EQ(count_of(run.errors, "\n"), 1) << run.errors;
    EXPECT_TRUE(contains(run.errors, text)) << run.errors;
    EXPECT_TRUE(contains(expect_success("tune").output, "it is another file, which is kept"));
    expect_failure("tune --clear", input, "--clear: cannot write the tuning cache " + cache + ": it is another file");
    EXPECT_EQ(read_text(cache), content);
  }
}

TEST_F(Tune, LooksForItsCacheInTheUsersFolder) {
  unsetenv("KAON_TUNE_CACHE");
  const auto place = [&](const std::string& environment) {
    const Outcome outcome =
        run_command("env -u XDG_CACHE_HOME -u HOME " + environment + " " + KAON_PROGRAM + " tune --json");
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    return nlohmann::json::parse(outcome.output).at("cache");
  };
  EXPECT_EQ(place("XDG_CACHE_HOME=/a/b HOME=/c"), "/a/b/kaon/tune.json");
  EXPECT_EQ(place("XDG_CACHE_HOME=not/absolute HOME=/c"), "/c/.cache/kaon/tune.json");
  EXPECT_EQ(place("HOME=/c"), "/c/.cache/kaon/tune.json");
  EXPECT_TRUE(place("").is_null());
  EXPECT_TRUE(place("HOME=/c KAON_TUNE_CACHE=").is_null());
  setenv("KAON_TUNE_CACHE", "", 1);
  expect_failure("tune --clear", usage, "--clear: there is no tuning cache");
  EXPECT_TRUE(contains(expect_success("tune").output, "cache         none: what is found is kept in memory only"));
}

TEST_F(Tune, RecordsOfSolvesChooseTheSolverOfLaterRuns) {
  const std::string solve = "propagator --weak 0.3 --mass 0.1 --csw 1 --size 8,8,8,8";
  const std::string notice = "multigrid is predicted to be faster";
  // A solve without records is too short for multigrid. It adds a record, with which the next run chooses alike.
  expect_success(solve);
  expect_success(solve);
  rewrite_records(cache, {2e7, 1.0e7, 1.0e6});
  EXPECT_EQ(count_of(run_kaon(solve).errors, notice), 1);
  EXPECT_TRUE(
      contains(expect_success("tune").output, "kaon::multigrid_setup, kaon::WilsonClover<double>, 8x8x8x8, 0 rhs: "));
  // The program has replaced these times by true ones, which are shorter.
  expect_success(solve);
  rewrite_records(cache, {2e7, 1.0e7, 1.0e6});
  setenv("KAON_SOLVE_RECORDS", "off", 1);
  expect_success(solve);
  unsetenv("KAON_SOLVE_RECORDS");
  for (const double impossible : {0.0, -1.0, 1e300}) {
    rewrite_records(cache, {impossible, 1.0e6, 1.0});
    EXPECT_EQ(run_kaon(solve).exit_code, 0) << impossible;
  }
}

}  // namespace KAON_TEST_FILE
