// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/tuning/tuning.hpp"

#include "core/tuning/tuning_file.hpp"
#include "tests/support/error_text.hpp"
#include "tests/support/program.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>

namespace kaon::test {
namespace KAON_TEST_FILE {

using detail::Tuner;
using detail::TuningKey;

const TuningKey key{.kernel = "kaon::hop", .extents = {4, 4, 4, 8}, .precision = "double", .right_hand_sides = 12};
const std::vector<LaunchShape> shapes{{1, false, 1, 12}, {16, false, 1, 1}, {16, false, 1, 2}};

/// The time that launches of fake kernels take, independent of the machine's load.
std::chrono::steady_clock::time_point fake_time;

/// A kernel that takes 2 ms in the shape `fastest`, and 20 ms in others.
struct FakeKernel {
  LaunchShape fastest;
  int launches = 0;
  int slow_launches = 0;

  explicit FakeKernel(const LaunchShape& shape) : fastest(shape) {
    detail::tuning_clock = [] { return fake_time; };
  }
  ~FakeKernel() { detail::tuning_clock = &std::chrono::steady_clock::now; }

  void launch(const LaunchShape& shape) {
    ++launches;
    if (shape != fastest) ++slow_launches;
    fake_time += std::chrono::milliseconds(shape == fastest ? 2 : 20);
  }
  /// Launches until the shape is found.
  LaunchShape choose(Tuner& tuner, const TuningKey& which = key, const std::vector<LaunchShape>& of = shapes,
                     const Communicator& communicator = {}) {
    tuner.set_ahead(true);
    while (!tuner.find(which)) once(tuner, which, of, communicator);
    return *tuner.find(which);
  }
  void once(Tuner& tuner, const TuningKey& which = key, const std::vector<LaunchShape>& of = shapes,
            const Communicator& communicator = {}) {
    const auto stages = [&](int stage, const LaunchShape&) { return stage == 0 ? of : std::vector<LaunchShape>(); };
    const Tuner::Turn turn = tuner.next(which, communicator, Execution(), stages);
    if (!turn.timer && tuner.find(which)) return;
    launch(turn.shape);
    if (turn.timer) turn.timer->stop();
  }
};

Tuner::Parameters parameters(const std::filesystem::path& file, const std::string& build = "one") {
  return {.on = true, .file = file, .device = "a processor", .build = build};
}

/// Text that `action` writes to standard error.
template <class Action>
std::string warnings_of(const Action& action) {
  testing::internal::CaptureStderr();
  action();
  return testing::internal::GetCapturedStderr();
}

struct TunerInAFile : testing::Test {
  const TemporaryFolder folder;
  const std::string path = folder / "tune.json";
};

TEST(Tuner, TakesTheFastestShapeAndTimesItOnce) {
  for (const LaunchShape& fastest : shapes) {
    Tuner tuner(parameters({}));
    FakeKernel kernel{fastest};
    const double before = detail::tuning_seconds();
    EXPECT_FALSE(tuner.find(key).has_value());
    EXPECT_EQ(kernel.choose(tuner), fastest);
    const int launches = kernel.launches;
    EXPECT_GT(launches, 0);
    EXPECT_NEAR(detail::tuning_seconds() - before, 0.018 * kernel.slow_launches, 1e-9);
    EXPECT_EQ(tuner.find(key), fastest);
    EXPECT_EQ(kernel.choose(tuner), fastest);
    EXPECT_EQ(kernel.launches, launches);

    const TuningResults results = tuner.results();
    ASSERT_EQ(results.sections.size(), 1u);
    ASSERT_EQ(results.sections[0].entries.size(), 1u);
    const TuningEntry& entry = results.sections[0].entries[0];
    EXPECT_EQ(entry.shape, fastest);
    EXPECT_GE(entry.microseconds, 2000.0);
    EXPECT_GE(entry.standard_microseconds, fastest == shapes[0] ? 2000.0 : 20000.0);
  }
}

TEST(Tuner, TriesOneOfFourLaunchesAndShapesThatAreFarBehindOnce) {
  Tuner tuner(parameters({}));
  FakeKernel kernel{shapes[1]};
  int launches = 0;
  for (; !tuner.find(key) && launches < 1000; ++launches) kernel.once(tuner);
  EXPECT_EQ(tuner.find(key), shapes[1]);
  EXPECT_GT(launches, 4 * 5);
  Tuner good_start([] {
    static const detail::ShippedShape shipped{"processor", "kaon::hop", "double", 0, 12, 512.0, shapes[1]};
    Tuner::Parameters with = parameters({});
    with.shipped = std::span(&shipped, 1);
    return with;
  }());
  FakeKernel again{shapes[1]};
  again.once(good_start);
  EXPECT_EQ(again.slow_launches, 0) << "the shipped shape comes first";
  while (!good_start.find(key)) again.once(good_start);
  EXPECT_EQ(again.slow_launches, on_device ? again.slow_launches : 2) << "each of the others once";
}

TEST(Tuner, GoesThroughStages) {
  Tuner tuner(parameters({}));
  LaunchShape refined = shapes[1];
  refined.columns = 4;
  FakeKernel kernel{refined};
  const auto stages = [&](int stage, const LaunchShape& best) -> std::vector<LaunchShape> {
    if (stage == 0) return shapes;
    LaunchShape cut = best;
    cut.columns = 4;
    return stage == 1 ? std::vector{best, cut} : std::vector<LaunchShape>();
  };
  tuner.set_ahead(true);
  for (int n = 0; n < 1000 && !tuner.find(key); ++n) {
    const Tuner::Turn turn = tuner.next(key, Communicator(), Execution(), stages);
    fake_time += std::chrono::milliseconds(turn.shape.sites != 16 ? 20 : turn.shape.columns == 4 ? 1 : 2);
    if (turn.timer) turn.timer->stop();
  }
  ASSERT_TRUE(tuner.find(key).has_value());
  EXPECT_EQ(tuner.find(key)->columns, 4);
  EXPECT_EQ(tuner.find(key)->sites, 16);
}

TEST(Tuner, TellsKeysApart) {
  Tuner tuner(parameters({}));
  FakeKernel kernel{shapes[1]};
  kernel.choose(tuner);
  std::vector<TuningKey> others(9, key);
  others[0].kernel = "kaon::hop_inverse";
  others[1].extents = {4, 4, 8, 4};
  others[2].processes = 2;
  others[3].lanes = 8;
  others[4].precision = "single";
  others[5].link_reals = 18;
  others[6].right_hand_sides = 6;
  const std::string same_text("kaon::hop");
  others[7].group = 1;
  others[8].kernel = same_text;
  for (std::size_t n = 0; n < 8; ++n) EXPECT_FALSE(tuner.find(others[n]).has_value()) << n;
  EXPECT_TRUE(tuner.find(others[8]).has_value());
}

TEST(Tuner, TellsOtherProcessesWhatItFound) {
  Tuner tuner(parameters({}));
  FakeKernel kernel{shapes[1]};
  kernel.choose(tuner);
  TuningKey with_others = key;
  with_others.group = 1;
  const int launches = kernel.launches;
  EXPECT_EQ(kernel.choose(tuner, with_others), shapes[1]);
  EXPECT_EQ(kernel.launches, launches);
}

TEST(Tuner, HasNothingToTimeWhereThereIsOneShape) {
  Tuner tuner(parameters({}));
  FakeKernel kernel{shapes[0]};
  EXPECT_EQ(kernel.choose(tuner, key, {shapes[0]}), shapes[0]);
  EXPECT_EQ(kernel.launches, 0);
  EXPECT_TRUE(tuner.results().sections[0].entries.empty());
}

TEST(Tuner, DoesNotTakeShapesWhoseLaunchesFailed) {
  Tuner tuner(parameters({}));
  FakeKernel kernel{shapes[1]};
  const auto stages = [](int stage, const LaunchShape&) { return stage == 0 ? shapes : std::vector<LaunchShape>(); };
  tuner.set_ahead(true);
  for (int n = 0; n < 1000 && !tuner.find(key); ++n) {
    const Tuner::Turn turn = tuner.next(key, Communicator(), Execution(), stages);
    kernel.launch(turn.shape);
    if (turn.timer && turn.shape != shapes[1]) turn.timer->stop();
  }
  EXPECT_EQ(tuner.find(key), shapes[0]);
}

/// Message of the first process to the others before its first launch.
struct Start {
  bool is_known;
  LaunchShape shape;
  long launches = 0;
};

/// The second of two processes. The clock readings of the first one are `slowest` seconds.
struct Second : Communicator::Backend {
  Start start;
  double slowest;
  Second(const Start& its_start, double its_slowest) : start(its_start), slowest(its_slowest) {}
  int rank() const override { return 1; }
  int size() const override { return 2; }
  void sum(std::span<double>) const override {}
  void maximum(std::span<double> values) const override {
    for (double& value : values) value = std::max(value, slowest);
  }
  void broadcast(void* data, std::size_t bytes, int) const override { std::memcpy(data, &start, bytes); }
  void barrier() const override {}
  void exclusive_or(std::span<std::uint64_t>) const override {}
  std::unique_ptr<Exchange> make_exchange(std::span<const Message>, std::span<const Message>) const override {
    return nullptr;
  }
  std::string name() const override { return "second of two"; }
};

TEST(Tuner, ChoosesAsTheOtherProcessesDo) {
  const TemporaryFolder folder;
  FakeKernel kernel{shapes[1]};
  const auto choose = [&](const Start& start, double slowest) {
    Tuner tuner(parameters(folder / "tune.json"));
    return kernel.choose(tuner, key, shapes, Communicator(std::make_shared<Second>(start, slowest)));
  };
  EXPECT_EQ(choose({true, shapes[2]}, 0.0), shapes[2]);  // from the file
  EXPECT_EQ(kernel.launches, 0);
  EXPECT_EQ(choose({false, shapes[0]}, 0.0), shapes[1]);
  EXPECT_EQ(choose({false, shapes[0]}, 1.0), shapes[0]);  // all shapes are as slow for the other
  EXPECT_EQ(folder.entries(), 0);                         // the first process writes
}

TEST_F(TunerInAFile, RemembersInAFile) {
  FakeKernel kernel{shapes[1]};
  EXPECT_EQ(warnings_of([&] {
              Tuner tuner(parameters(path));
              kernel.choose(tuner);
            }),
            "");
  const int launches = kernel.launches;
  EXPECT_EQ(warnings_of([&] {
              Tuner tuner(parameters(path));
              EXPECT_FALSE(tuner.find(key).has_value());
              EXPECT_EQ(kernel.choose(tuner), shapes[1]);
              EXPECT_EQ(tuner.find(key), shapes[1]);
            }),
            "");
  EXPECT_EQ(kernel.launches, launches);
}

TEST_F(TunerInAFile, DoesNotTryShapesInEachOfManyShortPrograms) {
  const auto slow_launches_of = [&](int launches) {
    FakeKernel kernel{shapes[0]};
    Tuner tuner(parameters(path));
    for (int n = 0; n < launches; ++n) kernel.once(tuner);
    return kernel.slow_launches;
  };
  EXPECT_GT(slow_launches_of(12), 0);
  for (int program = 0; program < 5; ++program) EXPECT_EQ(slow_launches_of(12 + program % 2), 0);
  EXPECT_GT(slow_launches_of(100), 0);  // all shapes, from the sixteenth launch on
  Tuner tuner(parameters(path));
  FakeKernel kernel{shapes[0]};
  EXPECT_EQ(kernel.choose(tuner), shapes[0]);
  EXPECT_EQ(kernel.launches, 0);
}

TEST_F(TunerInAFile, WritesAtMostOncePerIntervalAndAtTheEnd) {
  const auto written = [&] { return detail::read_tuning_file(path).sections.at(0).entries.size(); };
  TuningKey other = key, third = key;
  other.right_hand_sides = 6;
  third.right_hand_sides = 3;
  {
    Tuner::Parameters slow = parameters(path);
    slow.save_interval = std::chrono::hours(1);
    Tuner tuner(slow);
    FakeKernel kernel{shapes[0]};
    kernel.choose(tuner);
    EXPECT_EQ(written(), 1u);
    kernel.choose(tuner, other);
    EXPECT_EQ(written(), 1u);
  }
  EXPECT_EQ(written(), 2u);

  Tuner::Parameters quick = parameters(path);
  quick.save_interval = std::chrono::milliseconds(1);
  Tuner tuner(quick);
  FakeKernel kernel{shapes[0]};
  kernel.choose(tuner, third);
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  tuner.find(key);
  EXPECT_EQ(written(), 3u);
}

TEST(Tuner, WarnsOnceOfAFileThatItCannotUse) {
  struct Case {
    const char *name, *content, *warning;
    bool is_replaced;
  };
  const Case cases[] = {{"tune.json", "{\"kaon_tuning\": 2, \"sect", " is not used: it is damaged (", true},
                        {"field.lime", "a gauge field", " is not used: it is another file, which is kept", false}};
  for (const Case& c : cases) {
    const TemporaryFolder folder;
    const std::string path = folder / c.name;
    std::ofstream(path) << c.content;
    FakeKernel kernel{shapes[2]};
    const std::string warnings = warnings_of([&] {
      Tuner tuner(parameters(path));
      EXPECT_EQ(kernel.choose(tuner), shapes[2]);
      TuningKey other = key;
      other.right_hand_sides = 6;
      kernel.choose(tuner, other);
    });
    EXPECT_EQ(count_of(warnings, "kaon: warning: "), 1) << warnings;
    EXPECT_EQ(count_of(warnings, "\n"), 1) << warnings;
    EXPECT_TRUE(contains(warnings, path + c.warning)) << warnings;
    if (c.is_replaced) {
      EXPECT_EQ(detail::read_tuning_file(path).sections.at(0).entries.size(), 2u);
    } else {
      EXPECT_EQ(read_text(path), c.content);
      EXPECT_EQ(folder.entries(), 1);
    }
  }
}

TEST_F(TunerInAFile, WarnsOnceOfAnotherBuildAndKeepsIt) {
  FakeKernel kernel{shapes[1]};
  {
    Tuner tuner(parameters(path));
    kernel.choose(tuner);
  }
  const int launches = kernel.launches;
  const std::string warnings = warnings_of([&] {
    Tuner tuner(parameters(path, "two"));
    kernel.choose(tuner);
  });
  EXPECT_GT(kernel.launches, launches);
  EXPECT_EQ(warnings,
            "kaon: warning: the tuning cache " + path + " is of another build of kaon; launches are tuned again\n");
  const std::string silence = warnings_of([&] {
    Tuner again(parameters(path, "two"));
    kernel.choose(again);
    Tuner::Parameters elsewhere = parameters(path, "two");
    elsewhere.device = "another processor";
    Tuner other(elsewhere);
    kernel.choose(other);
  });
  EXPECT_EQ(silence, "");
  const TuningResults results = Tuner(parameters(path)).results();
  ASSERT_EQ(results.sections.size(), 3u);
  EXPECT_EQ(results.sections[0].build, "one");
}

TEST_F(TunerInAFile, DoesNotTrustShapesThatItWouldNotTry) {
  FakeKernel kernel{shapes[1]};
  {
    Tuner tuner(parameters(path));
    kernel.choose(tuner);
  }
  std::string text = read_text(path);
  text.replace(text.find("\"sites\": 16"), 11, "\"sites\": -7");
  std::ofstream(path) << text;
  Tuner tuner(parameters(path));
  EXPECT_EQ(kernel.choose(tuner), shapes[1]);
}

TEST(Tuner, WarnsOnceWhereItCannotWrite) {
  const TemporaryFolder folder;
  std::ofstream(folder / "file") << "content";
  FakeKernel kernel{shapes[1]};
  const std::string warnings = warnings_of([&] {
    Tuner::Parameters quick = parameters(folder / "file/tune.json");
    quick.save_interval = std::chrono::milliseconds(0);
    Tuner tuner(quick);
    kernel.choose(tuner);
    TuningKey other = key;
    other.right_hand_sides = 6;
    kernel.choose(tuner, other);
    EXPECT_EQ(tuner.find(key), shapes[1]);
  });
  EXPECT_EQ(count_of(warnings, "\n"), 1) << warnings;
  EXPECT_TRUE(contains(warnings, "kaon: warning: cannot write the tuning cache ")) << warnings;
  EXPECT_TRUE(contains(warnings, "; what is found is kept in memory only\n")) << warnings;
}

TEST_F(TunerInAFile, ForgetsWhenCleared) {
  Tuner tuner(parameters(path));
  FakeKernel kernel{shapes[1]};
  kernel.choose(tuner);
  tuner.clear();
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_FALSE(tuner.find(key).has_value());
  EXPECT_TRUE(tuner.results().sections[0].entries.empty());
  kernel.choose(tuner);
  EXPECT_EQ(tuner.find(key), shapes[1]);
}

TEST(Tuner, MayBeUsedByThreads) {
  Tuner tuner(parameters({}));
  FakeKernel kernel{shapes[1]};
  std::mutex launching;
  std::vector<std::thread> threads;
  for (int n = 0; n < 4; ++n) {
    threads.emplace_back([&] {
      while (!tuner.find(key)) {
        const std::lock_guard lock(launching);
        kernel.once(tuner);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(tuner.find(key), shapes[1]);
  EXPECT_EQ(tuner.results().sections[0].entries.size(), 1u);
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
