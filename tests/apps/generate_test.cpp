// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
//
// Files that generate leaves on the disk, for any kind of end, and runs on files that have changed meanwhile.
#include "tests/apps/running_program.hpp"
#include "tests/support/file_size_limit.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <sys/file.h>

#include <csignal>
#include <filesystem>
#include <thread>

namespace KAON_TEST_FILE {

using namespace kaon::test;
using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

/// A folder for runs of a 4^4 lattice.
class Generate : public ::testing::Test {
 protected:
  std::string options(const std::string& prefix, const std::string& more) const {
    return "generate --size 4,4,4,4 --beta 6 --overrelaxation 1 --output " + (folder_ / prefix) + " " + more;
  }

  void succeed(const std::string& prefix, const std::string& more) const { expect_success(options(prefix, more)); }

  void fail(const std::string& prefix, const std::string& more, int exit_code, const std::string& text) const {
    expect_failure(options(prefix, more), exit_code, text);
  }

  /// Ends a run by a signal when it has written `file`.
  void end_run(const std::string& arguments, const std::string& file, int signal) const {
    RunningCommand run = start_kaon(arguments);
    run.wait_until([&] { return exists(file); });
    run.send(signal);
    run.expect_end_by(signal);
  }

  void wait_for(const std::string& file) const {
    while (!exists(file)) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }

  std::string links(const std::string& file) const { return links_of(folder_ / file); }

  Json checkpoint(const std::string& prefix) const {
    return Json::parse(read_text(folder_ / (prefix + ".checkpoint.json")));
  }

  bool exists(const std::string& file) const { return fs::exists(folder_ / file); }

  /// Names in the folder that hold `part`.
  int count(const std::string& part) const {
    int found = 0;
    for (const auto& entry : fs::directory_iterator(folder_.path())) found += contains(entry.path().filename(), part);
    return found;
  }

  void write(const std::string& file, const std::string& content) const {
    std::ofstream(folder_ / file, std::ios::binary) << content;
  }

  TemporaryFolder folder_;
};

/// Options of runs that are killed: none may end before, even on a busy machine.
constexpr const char* endless = "--sweeps 100000000 --save-every 1 --checkpoint-every ";

TEST_F(Generate, OverwritingThatIsKilledIsNotResumed) {
  succeed("e", "--seed 3 --sweeps 6");
  end_run(options("e", "--seed 99 --overwrite " + std::string(endless) + "100000000"), "e_000002.lime", SIGKILL);
  EXPECT_FALSE(exists("e.checkpoint.json"));
  fail("e", "--seed 3 --sweeps 10 --resume", input, "--resume: there is no checkpoint");
  fail("e", "--seed 99 --sweeps 10 --resume", input, "--resume: there is no checkpoint");
  fail("e", "--seed 3 --sweeps 6", usage, "--overwrite replaces it");
}

TEST_F(Generate, KilledRunsGoOnAsIfNothingHadHappened) {
  succeed("whole", "--sweeps 40 --save-every 1");
  const std::string more = std::string(endless) + "1 ";
  end_run(options("e", more), "e_000005.lime", SIGKILL);
  EXPECT_TRUE(exists("e.lock"));  // that the system has released
  end_run(options("e", more + "--resume"), "e_000015.lime", SIGTERM);
  EXPECT_EQ(count(".partial"), 0);
  end_run(options("e", more + "--resume"), "e_000040.lime", SIGTERM);
  for (const std::string name : {"_000001.lime", "_000006.lime", "_000016.lime", "_000040.lime"}) {
    EXPECT_TRUE(links("e" + name) == links("whole" + name)) << name;
  }
  EXPECT_EQ(count(".partial"), 0);
  EXPECT_EQ(count("whole.lock"), 0);
}

// Without --checkpoint-every a checkpoint goes with each configuration, however many updates come before the first.
TEST_F(Generate, CheckpointsAreThoseOfTheConfigurations) {
  const std::string more = "--sweeps 100000000 --thermalization 3 --save-every 4 ";
  end_run(options("e", more), "e_000008.lime", SIGKILL);
  const int updates = checkpoint("e").at("updates").get<int>();
  EXPECT_GE(updates, 7);
  EXPECT_EQ((updates - 3) % 4, 0) << updates;
}

#ifdef __linux__
// Files may not grow from some update on, as on a full disk, beside the updates.
TEST_F(Generate, LeavesTheLastGoodFilesOnAFullDisk) {
  const FileSizeLimit none(RLIM_INFINITY);  // the program ignores SIGXFSZ
  for (const auto& [format, extension, start] : {std::tuple("", ".lime", "ildg-binary-data"),  // the date is before it
                                                 std::tuple("--format nersc", ".nersc", "END_HEADER")}) {
    SCOPED_TRACE(extension);  // one file for each update, or two
    RunningCommand run = start_kaon(options("f", std::string(endless) + "1 --overwrite " + format));
    run.wait_until([&] { return exists("f_000005" + std::string(extension)); });
    run.limit_files(10000);
    const int status = run.status();
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), input);
    EXPECT_EQ(count_of(run.errors(), "--output: cannot write "), 1) << run.errors();
    EXPECT_TRUE(contains(run.errors(), "File too large")) << run.errors();
    EXPECT_EQ(count(".partial"), 0);
    // The checkpoint is that of the last update whose files are complete. A run from it is as one from the start.
    const int updates = checkpoint("f").at("updates").get<int>();
    EXPECT_TRUE(contains(run.errors(), fmt::format("f.checkpoint.json has {} updates; continue by: ", updates)));
    EXPECT_TRUE(contains(run.errors(), " --resume\n")) << run.errors();
    const auto configuration = [ending = extension](int number) { return fmt::format("_{:06}{}", number, ending); };
    EXPECT_TRUE(exists("f" + configuration(updates)));
    end_run(options("f", std::string(endless) + "1 --resume " + format), "f" + configuration(updates + 1), SIGTERM);
    succeed("whole", fmt::format("--overwrite --sweeps {} {}", updates + 1, format));
    const auto data = [&, start = start](const std::string& prefix) {
      const std::string file = read_text(folder_ / (prefix + configuration(updates + 1)));
      EXPECT_TRUE(contains(file, start));
      return file.substr(std::min(file.size(), file.find(start)));
    };
    EXPECT_TRUE(data("f") == data("whole"));
  }
}
#endif

// Everything that can stop a run at its defaults, in sequence: the checkpoint is that of a run as long as it.
TEST_F(Generate, StopsWithACheckpointThatContinuesTheRun) {
  const std::string run = "--thermalization 5 --sweeps 100000000 --report-every 1 ";
  const auto start = [&](const std::string& more) { return start_kaon(options("e", run + more)); };
  int before = 0;
  const auto expect_progress = [&](RunningCommand& ended) {
    const int updates = checkpoint("e").at("updates").get<int>();
    EXPECT_GT(updates, before) << ended.output() << ended.errors();
    before = updates;
  };
  {
    RunningCommand killed = start("");  // behind the end of thermalization
    killed.wait_until([&] { return exists("e.checkpoint.json"); });
    killed.send(SIGKILL);
    killed.expect_end_by(SIGKILL);
    EXPECT_EQ(checkpoint("e").at("updates"), 5);
    expect_progress(killed);
  }
  for (const auto& [number, name] : {std::pair(SIGINT, "SIGINT"),
                                     {SIGTERM, "SIGTERM"},
                                     {SIGHUP, "SIGHUP"},
                                     {SIGXCPU, "SIGXCPU"},
                                     {SIGUSR1, "SIGUSR1"},
                                     {SIGUSR2, "SIGUSR2"}}) {
    SCOPED_TRACE(name);
    RunningCommand stopped = start("--resume");
    stopped.wait_for_output("  " + std::to_string(before - 5 + 3) + " ");
    stopped.send(number);
    stopped.send(number);  // as coreutils' timeout does, which signals the process and its group
    stopped.expect_end_by(number);
    expect_progress(stopped);
    const std::string said = stopped.output();
    EXPECT_TRUE(contains(said, "stopped by " + std::string(name) + " after " + std::to_string(before) + " updates, " +
                                   std::to_string(before - 5) + " of which count: "))
        << said;
    EXPECT_TRUE(contains(said, "continue by: kaon " + options("e", run) + "--resume\n")) << said;
    EXPECT_EQ(stopped.errors(), "kaon generate: " + std::string(name) + ": the run ends as soon as it can, with a " +
                                    "checkpoint; a second signal ends it at once\n");
    EXPECT_FALSE(exists("e.lock"));
    EXPECT_EQ(count(".partial"), 0);  // also of the run that SIGKILL ended
  }
  {
    RunningCommand limited = start("--resume --time-limit 3");
    const int status = limited.status();
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 5) << status << limited.errors();
    EXPECT_TRUE(contains(limited.output(), "stopped by --time-limit after ")) << limited.output();
    EXPECT_EQ(limited.errors(), "");
    expect_progress(limited);
  }
  {
    RunningCommand killed = start("--resume --checkpoint-interval 0.01");
    killed.wait_until([&] { return checkpoint("e").at("updates").get<int>() > before; });
    killed.send(SIGKILL);
    killed.expect_end_by(SIGKILL);
    expect_progress(killed);
  }
  succeed("whole", "--thermalization 5 --sweeps " + std::to_string(before - 5));
  for (const char* part : {"links_checksum", "plaquettes", "updates"}) {
    EXPECT_EQ(checkpoint("e").at(part), checkpoint("whole").at(part)) << part;
  }
}

TEST_F(Generate, ASecondSignalEndsItAtOnce) {
  RunningCommand run =
      start_kaon("generate --size 4,4,4,4 --beta 6 --overrelaxation 100000000 --output " + (folder_ / "e"));
  run.wait_for_output("time left");
  run.send(SIGTERM);
  run.wait_until([&] { return contains(run.errors(), "a second signal ends it at once\n"); });
  std::this_thread::sleep_for(std::chrono::milliseconds(600));
  run.send(SIGINT);
  run.expect_end_by(SIGINT);
  EXPECT_TRUE(
      contains(run.errors(), "kaon generate: SIGINT: the run ends, before its first checkpoint: its work is lost\n"))
      << run.errors();
  EXPECT_EQ(folder_.entries(), 0);
}

TEST_F(Generate, OtherCommandsSayWhatIsLost) {
  succeed("e", "--sweeps 1");
  RunningCommand flow =
      start_kaon("flow " + (folder_ / "e_000001.lime") + " --steps 100000000 --output " + (folder_ / "f"));
  flow.wait_for_output("t^2 E");
  flow.send(SIGINT);
  flow.expect_end_by(SIGINT);
  EXPECT_EQ(flow.errors(), "kaon flow: SIGINT: the run ends, and has written no file: its work is lost\n");
  EXPECT_FALSE(exists("f"));
}

TEST_F(Generate, TimesAreRead) {
  const std::pair<const char*, bool> times[] = {
      {"1:00:00", true}, {"1-00:00:00", true}, {"99:59", true},    {"1e3", true},    {"0", false},
      {"00:00", false},  {"1:60", false},      {"1:2:3:4", false}, {"1-1:1", false}, {"1-24:0:0", false},
      {"1h", false},     {"-5:00", false},     {"1:", false},      {"5,5", false},   {"nan", false}};
  for (const auto& [time, good] : times) {
    SCOPED_TRACE(time);
    const std::string more = "--sweeps 1 --overwrite --time-limit=" + std::string(time);
    if (good) {
      succeed("e", more);
    } else {
      fail("e", more, usage, fmt::format("--time-limit: '{}' is not a time above 0: give HH:MM:SS", time));
    }
  }
  fail("e", "--sweeps 1 --checkpoint-interval 0", usage, "--checkpoint-interval: '0' is not a time above 0");
}

TEST_F(Generate, LinksOfAnotherRunAreRefused) {
  succeed("e", "--seed 3 --sweeps 6 --checkpoint-every 1");
  succeed("other", "--seed 77 --sweeps 6 --checkpoint-every 1");
  const std::string resume = "--seed 3 --sweeps 10 --checkpoint-every 1 --resume";
  for (const std::string half : {"a", "b"}) {  // of another update first, then of another run
    const std::string own = folder_ / ("e.checkpoint-" + half + ".lime");
    fs::copy_file(own, folder_ / ("kept-" + half));
  }
  for (const std::string from : {"kept-a", "kept-b", "other.checkpoint-a.lime", "other.checkpoint-b.lime"}) {
    const std::string named =
        folder_ / ("e." + Json::parse(read_text(folder_ / "e.checkpoint.json")).at("links").get<std::string>());
    const std::string before = read_text(named);
    if (read_text(folder_ / from) == before) continue;
    fs::copy_file(folder_ / from, named, fs::copy_options::overwrite_existing);
    fail("e", resume, input, "is not the file that ");
    std::ofstream(named, std::ios::binary) << before;
  }
  succeed("e", resume);
}

// The file of the last configuration is that of the checkpoint's links, and damaged with it.
TEST_F(Generate, NamesAnIntactConfigurationForADamagedCheckpoint) {
  succeed("e", "--sweeps 4 --save-every 2");
  const std::string state = folder_ / "e.checkpoint.json",
                    links = folder_ / ("e." + Json::parse(read_text(state)).at("links").get<std::string>());
  std::string bytes = read_text(links);
  bytes[bytes.size() / 2] ^= 4;
  std::ofstream(links, std::ios::in | std::ios::binary) << bytes;
  const std::string resume = "--sweeps 6 --save-every 2 --resume", intact = "e_000002.lime is intact: another run, ";
  fail("e", resume, input, intact);
  std::ofstream(state) << "{";
  fail("e", resume, input, intact);
  succeed("f", "--sweeps 1 --start " + (folder_ / "e_000002.lime"));
}

TEST_F(Generate, CheckpointsShareTheFilesOfConfigurations) {
  const auto shares = [&](const std::string& options, const std::string& configuration) {
    succeed("e", "--sweeps 2 --overwrite " + options);
    const Json state = Json::parse(read_text(folder_ / "e.checkpoint.json"));
    const fs::path links = folder_ / ("e." + state.at("links").get<std::string>());
    const bool same = fs::equivalent(links, folder_ / configuration);
    EXPECT_EQ(fs::hard_link_count(links), same ? 2 : 1);
    return same;
  };
  EXPECT_TRUE(shares("", "e_000002.lime"));
  EXPECT_TRUE(shares("--save-every 1", "e_000002.lime"));
  EXPECT_FALSE(shares("--precision single", "e_000002.lime"));
  EXPECT_FALSE(shares("--format nersc3x3", "e_000002.nersc"));
}

TEST_F(Generate, CheckpointsBehindSymbolicLinksAreWritten) {
  succeed("whole", "--sweeps 4 --save-every 2");
  succeed("e", "--sweeps 2 --save-every 2");
  const fs::path next = folder_ / "e.checkpoint-b.lime", elsewhere = folder_ / "elsewhere.lime";
  fs::create_symlink(elsewhere, next);
  succeed("e", "--sweeps 4 --save-every 2 --resume");
  EXPECT_TRUE(fs::is_symlink(next));
  EXPECT_FALSE(fs::equivalent(elsewhere, folder_ / "e_000004.lime"));
  EXPECT_TRUE(links_of(elsewhere) == links("whole_000004.lime"));
}

TEST_F(Generate, ChangedCheckpointsAreRefused) {
  succeed("e", "--sweeps 6 --save-every 2 --thermalization 1");
  const std::string name = "e.checkpoint.json", whole = read_text(folder_ / name);
  const std::string resume = "--sweeps 10 --save-every 2 --thermalization 1 --resume";
  const auto refused = [&](const std::string& content) {
    write(name, content);
    fail("e", resume, input, name + " is not a checkpoint of kaon: ");
    write(name, whole);
  };
  const Json state = Json::parse(whole);
  const auto changed = [&](const std::string& key, const Json& value) {
    Json json = state;
    json[key] = value;
    return json.dump(2);
  };
  refused(changed("updates", 5));
  refused(changed("updates", 1e30));
  refused(changed("plaquettes", Json::array({0.5})));
  refused(changed("links", "../x.lime"));
  refused(changed("links_checksum", "suma 0 sumb 0"));
  refused(changed("kaon_checkpoint", 1));
  Json other_seed = state;
  other_seed["options"]["seed"] = 2;
  refused(other_seed.dump(2));
  refused(whole.substr(0, whole.size() / 2));
  refused(std::string(100000, '['));
  refused("{}");
  refused("\"\x1b[2J\"");
  succeed("e", resume);
}

TEST_F(Generate, CheckpointsOfAnySizeAreNotRead) {
  succeed("e", "--sweeps 2");
  fs::resize_file(folder_ / "e.checkpoint.json", std::uintmax_t{1} << 40);
  fail("e", "--sweeps 4 --resume", input, "1099511627776 bytes are too many for 4 updates");
}

TEST_F(Generate, TwoRunsOfOnePrefixAreNoticed) {
  succeed("e", "--sweeps 2");
  const auto entries = folder_.entries();
  const int lock = open((folder_ / "e.lock").c_str(), O_RDWR | O_CREAT, 0666);
  ASSERT_EQ(flock(lock, LOCK_EX), 0);
  ASSERT_GT(::write(lock, "kaon run: process 12 on \x1bhost\n", 29), 0);
  const std::string text = "--output: cannot lock " + (folder_ / "e.lock") + ": another run writes the files of " +
                           (folder_ / "e") + " (process 12 on \\x1bhost): wait for its end";
  for (const std::string more : {"--sweeps 4 --resume", "--sweeps 4 --overwrite", "--sweeps 4"}) {
    fail("e", more, input, text);
  }
  expect_success("generate --size 4,4,4,4 --beta 6 --sweeps 1 --output " + (folder_ / "f"));
  close(lock);  // as the system does it where a run is killed
  succeed("e", "--sweeps 4 --resume");
  EXPECT_EQ(folder_.entries(), entries + 2 + 3);  // a configuration, the other links, and the run f
}

TEST_F(Generate, RunsHoldTheirLockAllTheTime) {
  const std::string running = "--seed 5 " + std::string(endless) + "1";
  std::thread second([&] {
    wait_for("e.checkpoint.json");
    fail("e", running + " --resume", input, "another run writes the files of");
    write("done", "");
  });
  end_run(options("e", running), "done", SIGKILL);
  second.join();
}

TEST_F(Generate, AFileThatIsNoLockIsKept) {
  write("e.lock", "precious");
  fail("e", "--sweeps 1", input, "e.lock: it is not kaon's, and is kept as it is");
  EXPECT_EQ(read_text(folder_ / "e.lock"), "precious");
  fs::create_symlink("elsewhere", folder_ / "f.lock");
  fail("f", "--sweeps 1", input, "f.lock: the file can be neither opened nor made");
  EXPECT_EQ(folder_.entries(), 2);
}

TEST_F(Generate, ReplacesNothingUnasked) {
  for (const std::string name : {"e_000002.lime", "e_000001.nersc", "e.checkpoint-b.lime", "e_1000000.lime"}) {
    write(name, "precious");
    fail("e", "--sweeps 2", usage, "there is a run already, with the file " + (folder_ / name) + "; --overwrite");
    EXPECT_EQ(read_text(folder_ / name), "precious");
    fs::remove(folder_ / name);
  }
  for (const std::string name : {"e_2.lime", "e_000002.lime.old", "e_000002_000003.lime", "e2_000002.lime"}) {
    write(name, "another's");
  }
  succeed("e", "--sweeps 2");
}

TEST_F(Generate, OverwritingRemovesTheWholeEarlierRun) {
  succeed("e", "--sweeps 6 --save-every 2");
  write("e_000004.nersc", "of an earlier run, too");
  write(".e_000004.lime.0123456789abcdef.partial", "left behind");
  write("e_2.lime", "another's");
  expect_success("generate --size 4,4,4,4 --beta 5 --sweeps 2 --overwrite --output " + (folder_ / "e"));
  EXPECT_EQ(count("e_00000"), 1);
  EXPECT_EQ(count("e.checkpoint"), 2);  // the JSON file and its links
  EXPECT_TRUE(exists("e_2.lime"));
  EXPECT_EQ(folder_.entries(), 4);
}

TEST_F(Generate, OverwritingKeepsTheRunUntilTheNewOneCanBegin) {
  succeed("e", "--sweeps 2");
  const auto entries = folder_.entries();
  const std::string own = folder_ / "e_000002.lime";
  fail("e", "--sweeps 2 --overwrite --start " + own, usage, "--start: " + own + " is a file of the run that");
  fail("e", "--sweeps 2 --overwrite --start absent", input, "--start: ");
  fail("e", "--sweeps 2 --overwrite --grid 2,1,1,1", usage, "--grid: ");
  EXPECT_EQ(folder_.entries(), entries);
  fs::create_directory(folder_ / "e_000001.lime");
  fail("e", "--sweeps 2 --overwrite", input, "e_000001.lime: it is a folder");
  EXPECT_EQ(folder_.entries(), entries + 1);
  succeed("e", "--sweeps 3 --resume");
}

TEST_F(Generate, ResumedRunsMustAgreeInAllThatIsWritten) {
  const std::string same = "--save-every 2 --checkpoint-every 1 ";
  succeed("e", same + "--sweeps 4");
  const std::string resume = same + "--resume ";
  fail("e", resume + "--sweeps 2", usage, "--sweeps: 2 here, but the checkpoint");
  fail("e", resume + "--sweeps 6 --precision single", usage, "--precision: \"single\" here, but the checkpoint");
  fail("e", resume + "--sweeps 6 --format nersc", usage, "--format: \"nersc\" here, but the checkpoint");
  fail("e", "--save-every 3 --resume --sweeps 6", usage, "--save-every: 3 here, but the checkpoint");
  EXPECT_EQ(count("e_0000"), 2);
  succeed("e", "--save-every 2 --checkpoint-every 4 --report-every 3 --resume --sweeps 6");
  succeed("e", resume + "--sweeps 6");  // it is complete
  fail("e", resume + "--sweeps 4", usage, "it may be larger, not smaller");
}

TEST_F(Generate, PrefixesMayBeOdd) {
  fail("absent/e", "--sweeps 1", input,
       "no file can be made in its folder (" + (folder_ / "absent") + " does not exist)");
  fs::create_directory(folder_ / "sub");
  fail("sub/", "--sweeps 1", usage, "is a folder: names of files begin with what follows it");
  EXPECT_TRUE(fs::is_empty(folder_ / "sub"));
  for (const std::string prefix : {"with blank", "caf\xe9", "sub/../e.checkpoint"}) {
    const std::string quoted = "'" + prefix + "'";
    succeed(quoted, "--sweeps 1");
    succeed(quoted, "--sweeps 2 --resume");
  }
}

}  // namespace KAON_TEST_FILE
