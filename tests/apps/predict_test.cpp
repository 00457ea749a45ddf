// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/apps/cli_test.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>

namespace KAON_TEST_FILE {

using namespace kaon::test;
using Json = nlohmann::json;

/// A folder in which the programs that the test runs keep what they have measured.
class Predict : public ::testing::Test {
 protected:
  Predict() { setenv("KAON_TUNE_CACHE", (folder / "tune.json").c_str(), 1); }
  ~Predict() override { setenv("KAON_TUNE_CACHE", "", 1); }

  Json predict(const std::string& arguments) {
    const std::string file = folder / "predicted.json";
    output = expect_success("predict " + arguments + " --json " + file).output;
    return Json::parse(read_text(file));
  }
  TemporaryFolder folder;
  std::string output;
};

TEST_F(Predict, TakesTheNetworkIntoAccount) {
  const std::string lattice = "--size 4,4,4,8 --processes 1,2,4 --precision double --solvers ";
  const Json slow = predict(lattice + "bicgstab,cg,gcr-dd --schwarz-steps 2 --network 2000,1,1000");
  const Json& rows = slow.at("predictions");
  ASSERT_EQ(rows.size(), 9u);
  for (const Json& row : rows) {
    SCOPED_TRACE(row.dump());
    const Json& seconds = row.at("seconds");
    const int processes = row.at("processes");
    EXPECT_GT(seconds.at("interior"), 0.0);
    for (const char* part : {"halo", "vectors", "sums", "noise"}) EXPECT_GE(seconds.at(part), 0.0) << part;
    EXPECT_DOUBLE_EQ(seconds.at("iteration"), seconds.at("interior").get<double>() + seconds.at("halo").get<double>() +
                                                  seconds.at("vectors").get<double>() +
                                                  seconds.at("sums").get<double>());
    if (processes == 1) continue;
    const bool gcr_dd = row.at("solver") == "gcr-dd";
    const double hops = gcr_dd ? 2 : 4, sums = gcr_dd ? 1 : 2, stages = processes / 2;
    EXPECT_GE(seconds.at("iteration"), hops * 2e-3 + sums * stages * 1e-3);
    EXPECT_GE(seconds.at("halo"), hops * 1.5e-3) << "what of the latency no interior hides";
    EXPECT_LT(row.at("efficiency"), 1.0);
  }
  EXPECT_EQ(rows[1].at("grid"), Json({1, 1, 1, 2})) << "the later of directions that are as good";
  EXPECT_EQ(rows[1].at("local_extents"), Json({4, 4, 4, 4}));
  EXPECT_TRUE(contains(output, "us: 2000 us and 1 GB/s of messages") || contains(output, "2e+03 us")) << output;

  // Measurements are kept.
  const Json again = predict(lattice + "bicgstab --network 2000,1,1000");
  EXPECT_EQ(again.at("predictions")[2].at("seconds"), rows[2].at("seconds"));
  EXPECT_TRUE(std::filesystem::exists(folder / "tune.predict.json"));
}

TEST_F(Predict, CountsIterationsOnAField) {
  const std::string field = std::string(KAON_EXAMPLES) + "/quenched_b6.0_8x8x8x16.nersc";
  const Json json = predict("--gauge " + field +
                            " --kappa 0.13 --csw 1.769 --processes 1,4 --solvers bicgstab,gcr-dd --network 0,1000"
                            " --precision single --tolerance 1e-8 --memory 0.02");
  const Json& rows = json.at("predictions");
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0].at("iterations"), rows[1].at("iterations")) << "BiCGstab has no blocks";
  EXPECT_GT(rows[3].at("iterations"), rows[2].at("iterations")) << "smaller blocks take more iterations";
  for (const Json& row : rows) {
    EXPECT_DOUBLE_EQ(row.at("solve_seconds"),
                     row.at("iterations").get<double>() * row.at("seconds").at("iteration").get<double>());
  }
  EXPECT_EQ(rows[0].at("note"), "does not fit in memory");
  EXPECT_TRUE(contains(output, "devices at least")) << output;
}

TEST_F(Predict, RefusesWhatHasNoMeaning) {
  expect_failure("predict", usage, "--size or --gauge: one of them must be given");
  expect_failure("predict --size 4,4,4,8 --network pigeon", usage, "--network: 'pigeon' is no network to emulate");
  expect_failure("predict --size 4,4,4,8 --network ndr,64", usage, "--network: sums run over each of --processes");
  expect_failure("predict --size 4,4,4,8 --processes 1,2.5", usage, "--processes: 2.5 is no number of processes");
  expect_failure("predict --size 4,4,4,8 --solvers cgs", usage, "--solvers: 'cgs' is none of bicgstab");
  expect_failure("predict --size 4,4,4,8 --iterations cg", usage, "--iterations: 'cg' has no =");
  expect_failure("predict --gauge file", usage, "--gauge: needs --mass or --kappa");
  expect_failure("predict --size 4,4,4,8 --mass 0.1", usage, "--mass: iterations are counted on the links of --gauge");
  expect_failure("predict --size 4,4,4,8 --csw nan", usage, "--csw: nan is not a finite number");
  expect_failure("predict --gauge file --mass nan", usage, "--mass: nan is not a finite number");
  expect_failure("predict --size 4,4,4,8 --schwarz-steps 2147483647", usage, "2147483647 is more than 1000");
  expect_failure("predict --size 4,4,4,8 --tolerance 5", usage, "--tolerance: 5 does not lie between 0 and 1");
  expect_failure("predict --size 4,4,4,8 --solvers gcr-dd --iterations cg=90", usage,
                 "--iterations: cg is none of --solvers gcr-dd");
  const Json none = predict("--size 4,4,4,8 --processes 3 --solvers bicgstab");
  EXPECT_TRUE(none.at("predictions").empty());
  // Other numbers of processes and other solvers are predicted.
  const Json some = predict("--size 4,4,4,4 --processes 1,16 --solvers multigrid,cg");
  EXPECT_EQ(some.at("predictions").size(), 3u);
  EXPECT_TRUE(contains(output, "16 processes cannot be measured: multigrid finds no aggregates")) << output;
  predict("--size 4,4,4,8 --processes 3 --solvers bicgstab");
  EXPECT_TRUE(contains(output, "3 processes cannot cut 4x4x4x8 into even parts")) << output;
}

TEST_F(Predict, LeavesOutWhatCannotBeMeasured) {
  const Json small = predict("--size 4,4,4,4 --processes 1,16 --solvers multigrid --memory 1e-300");
  ASSERT_EQ(small.at("predictions").size(), 1u);
  EXPECT_TRUE(contains(output, "16 processes cannot be measured: multigrid finds no aggregates")) << output;
  EXPECT_FALSE(contains(output, "-2147483648")) << output;
  const Json large = predict("--size 512,512,512,512 --processes 1,16 --solvers bicgstab");
  EXPECT_TRUE(large.at("predictions").empty());
  EXPECT_TRUE(contains(output, "1 process cannot be measured here: one takes")) << output;
}

}  // namespace KAON_TEST_FILE
