// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/apps/cli_test.hpp"

#include <kaon/quarks/solve_options.hpp>

#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>

namespace KAON_TEST_FILE {

using namespace kaon::test;
using Json = nlohmann::json;

/// A folder in which the programs of the test store their measurements.
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

/// Times of iterations are differences of times, which a busy machine makes too small. The halos of a hop less would be
/// 0.75 of these at most.
constexpr double busy = 0.85;

TEST_F(Predict, TakesTheNetworkIntoAccount) {
  // With 10 steps the blocks of GCR-DD solve a lattice this small before as many iterations as are timed.
  const std::string lattice = "--size 4,4,8,8 --processes 1,2,4 --precision double --solvers ";
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
    EXPECT_GE(seconds.at("iteration"), busy * (hops * 2e-3 + sums * stages * 1e-3));
    EXPECT_GE(seconds.at("halo"), busy * hops * 1.5e-3) << "what of the latency no interior hides";
    EXPECT_LT(row.at("efficiency"), 1.0);
  }
  EXPECT_EQ(rows[1].at("grid"), Json({1, 1, 1, 2})) << "the later of directions that are as good";
  EXPECT_EQ(rows[1].at("local_extents"), Json({4, 4, 8, 4}));
  EXPECT_TRUE(contains(output, "us: 2000 us and 1 GB/s of messages") || contains(output, "2e+03 us")) << output;

  for (const char* solver : {"bicgstab", "cg", "gcr-dd"}) {
    EXPECT_TRUE(contains(output, std::string("measuring     ") + solver)) << output;
  }
  EXPECT_GT(slow.at("phases").at("solve"), 0.5 * slow.at("phases").at("total").get<double>()) << slow.at("phases");

  // Measurements are cached.
  const Json again = predict(lattice + "bicgstab --network 2000,1,1000");
  EXPECT_EQ(again.at("predictions")[2].at("seconds"), rows[2].at("seconds"));
  EXPECT_TRUE(std::filesystem::exists(folder / "tune.predict.json"));
}

TEST_F(Predict, ThatIsStoppedKeepsWhatItHasMeasured) {
  // Messages of two processes would take an hour.
  const std::string file = folder / "tune.predict.json";
  run_command("bash -c '" + std::string(KAON_PROGRAM) +
              " predict --size 4,4,4,8 --processes 1,2 --precision double --solvers cg --network 3600000000,1,1"
              " & program=$!; for n in $(seq 1200); do [ -e " +
              file + " ] && break; sleep 0.05; done; kill -KILL $program; wait $program'");
  ASSERT_TRUE(std::filesystem::exists(file));
  const Json kept = Json::parse(read_text(file));
  ASSERT_EQ(kept.size(), 1u) << kept;
  EXPECT_GE(kept.front().size(), 1u) << kept;
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
  // A busy machine adds a note of its noise.
  EXPECT_TRUE(contains(rows[0].at("note"), "does not fit in memory")) << rows[0];
  EXPECT_TRUE(contains(output, "devices at least")) << output;
}

TEST_F(Predict, KnowsOtherQuarks) {
  struct Case {
    std::string action;
    int hops;  // of the normal operator
    std::string solvers;
  };
  const std::string several = "multi-shift --shifts 3";
  for (const auto& [action, hops, solvers] :
       {Case{"staggered", 2, "cg"}, Case{"asqtad", 2, "cg"}, Case{"hisq", 2, "cg," + several},
        Case{"wilson", 4, several}, Case{"domain-wall --ls 4", 4, "cg," + several}}) {
    SCOPED_TRACE(action);
    const bool improved = action == "asqtad" || action == "hisq";
    // Hops over three sites need local lattices of four.
    const Json json = predict("--action " + action + " --size 4,4,4,16 --processes " + (improved ? "1,2,8" : "1,8") +
                              " --solvers " + solvers + " --cut t --network 2000,1,1000");
    ASSERT_EQ(json.at("predictions").size(), solvers.starts_with("cg,") ? 4u : 2u);
    EXPECT_EQ(json.at("notes").size(), improved ? 1u : 0u);
    EXPECT_EQ(json.at("slices"), action == "domain-wall --ls 4" ? 4 : 1);
    for (const Json& row : json.at("predictions")) {
      const Json& seconds = row.at("seconds");
      EXPECT_EQ(row.at("precision"), row.at("solver") == "cg" ? "half" : "single");
      EXPECT_NEAR(seconds.at("interior").get<double>() + seconds.at("noise").get<double>(),
                  hops * row.at("hop").get<double>(), 1.001 * seconds.at("noise").get<double>() + 1e-9);
      if (row.at("processes") == 1) continue;
      EXPECT_GE(seconds.at("halo"), busy * hops * 1.5e-3);
      EXPECT_GE(seconds.at("iteration"), busy * (hops * 2e-3 + 1e-3));
    }
  }
}

// Setups on rough links take 64 vectors in place of 48.
TEST_F(Predict, MultigridOfStaggeredQuarksHasTheVectorsOfItsSetup) {
  expect_success("generate --size 4,4,8,16 --beta 6 --start cold --seed 2 --sweeps 2 --output " + (folder / "run"));
  const std::string arguments = "--action staggered --gauge " + (folder / "run_000002.lime") +
                                " --mass 0.2 --tolerance 1e-4 --cut t --solvers multigrid --network 0,1000";
  const std::string file = folder / "tune.predict.json";
  for (const int vectors : {48, 64}) {
    SCOPED_TRACE(vectors);
    const Json json = predict(arguments + (vectors == 48 ? " --processes 1" : " --processes 2"));
    ASSERT_EQ(json.at("predictions").size(), 1u) << output;
    const Json& row = json.at("predictions")[0];
    EXPECT_GE(row.at("level_shares").size(), 2u) << "hypercubes and the levels below";
    EXPECT_GT(row.at("seconds").at("iteration"), 0.0);
    EXPECT_GT(row.at("iterations"), 0);
    Json numbers = Json::parse(read_text(file));
    int timed = 0, setups = 0;
    for (auto& [name, number] : numbers.front().items()) {
      const Json what = Json::parse(name);
      const bool is_of_setup = what.value("number", Json()) == "vectors";
      EXPECT_TRUE(!is_of_setup || number == vectors) << number;
      setups += is_of_setup ? 1 : 0;
      timed += what.value("vectors", 0) == vectors ? 1 : 0;
      if (is_of_setup) number = 64.0;  // as if the links were rough
    }
    EXPECT_GT(timed, 0);
    EXPECT_EQ(setups, vectors == 48 ? 1 : 2);
    std::ofstream(file) << numbers;
  }
}

TEST_F(Predict, MultigridIteratesInSinglePrecisionAtMost) {
  for (const auto& [given, precision] : {std::pair("double", "single"), {"single", "single"}, {"half", "half"}}) {
    const Json json = predict(std::string("--size 4,4,4,8 --processes 1 --solvers multigrid --precision ") + given);
    ASSERT_EQ(json.at("predictions").size(), 1u) << output;
    EXPECT_EQ(json.at("predictions")[0].at("precision"), precision);
  }
}

TEST_F(Predict, CutsTheDirectionsThatAreGiven) {
  const std::string lattice = "--size 4,8,8,8 --processes 4 --solvers cg --precision single --network 0,1000 --cut ";
  EXPECT_EQ(predict(lattice + "zt").at("predictions")[0].at("grid"), Json({1, 1, 2, 2}));
  EXPECT_EQ(predict(lattice + "yz").at("predictions")[0].at("grid"), Json({1, 2, 2, 1}));
}

TEST_F(Predict, CountsIterationsOfStaggeredQuarks) {
  const Json json = predict("--action hisq --gauge " + std::string(KAON_EXAMPLES) +
                            "/quenched_b6.0_8x8x8x16.nersc --mass 0.2 --processes 1 --solvers cg,multi-shift"
                            " --precision single --tolerance 1e-8");
  const Json& rows = json.at("predictions");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_GT(rows[0].at("iterations"), 20);
  EXPECT_EQ(rows[0].at("iterations"), rows[1].at("iterations")) << "those of the smallest shift, which is zero";
}

TEST_F(Predict, KeptMeasurementsNeedNoMemory) {
  const std::string arguments = " --processes 1 --solvers cg --precision double";
  const Json small = predict("--size 4,4,4,8" + arguments);
  const std::string file = folder / "tune.predict.json";
  std::string numbers = read_text(file);
  for (std::size_t at = 0; (at = numbers.find("4x4x4x8", at)) != std::string::npos;) {
    numbers.replace(at, 7, "512x512x512x512");
  }
  std::ofstream(file) << numbers;
  const Json large = predict("--size 512,512,512,512" + arguments);
  ASSERT_EQ(large.at("predictions").size(), 1u) << output;
  EXPECT_EQ(large.at("predictions")[0].at("seconds"), small.at("predictions")[0].at("seconds"));
}

// Times of solves are compared with times of solves.
TEST_F(Predict, SolvesThatDoNotConvergeHaveNoEfficiency) {
  expect_success("generate --size 4,4,4,8 --beta 5.7 --start hot --seed 7 --sweeps 1 --output " + (folder / "run"));
  const std::string arguments = "--gauge " + (folder / "run_000001.lime") +
                                " --kappa 0.12 --processes 1,2 --solvers gcr-dd --network 0,1000 --precision double"
                                " --tolerance 1e-4";
  const Json all = predict(arguments);
  ASSERT_EQ(all.at("predictions").size(), 2u) << output;
  const std::string file = folder / "tune.predict.json";
  Json numbers = Json::parse(read_text(file));
  for (Json& of_device : numbers) {
    for (const auto& [name, number] : of_device.items()) {
      const Json what = Json::parse(name);
      if (what.at("what") != "iterations" || what.at("blocks") != "4x4x4x8") continue;
      EXPECT_EQ(what.at("solver"), "gcr-dd");
      EXPECT_EQ(what.at("steps"), 10);
      of_device[name] = 0.0;
    }
  }
  std::ofstream(file) << numbers;
  const Json rows = predict(arguments).at("predictions");
  EXPECT_TRUE(rows[0].at("efficiency").is_null()) << rows[0];
  EXPECT_EQ(rows[1].at("efficiency"), 1.0);
  EXPECT_TRUE(contains(rows[0].at("note"), "does not converge")) << rows[0];
}

TEST_F(Predict, LeavesTheGaugeFileAlone) {
  const std::string field = folder / "gauge.nersc";
  std::filesystem::copy_file(std::string(KAON_EXAMPLES) + "/quenched_b6.0_8x8x8x16.nersc", field);
  const std::string before = read_text(field);
  expect_failure("predict --gauge " + field + " --kappa 0.12 --processes 3 --json " + field, usage,
                 "--json: " + field + " is the file of --gauge, which it would replace");
  EXPECT_EQ(read_text(field), before);
}

TEST_F(Predict, RefusesWhatHasNoMeaning) {
  expect_refusals("predict ",
                  {{"", "--size or --gauge: one of them must be given"},
                   {"--gauge file", "--gauge: needs --mass or --kappa"},
                   {"--gauge file --mass nan", "--mass: nan is not a finite number"},
                   {"--gauge file --mass 0.1 --tolerance 5", "--tolerance: 5 does not lie between 0 and 1"}});
  expect_refusals(
      "predict --size 4,4,4,8 ",
      {{"--network pigeon", "--network: 'pigeon' is no network to emulate"},
       {"--network ndr,64", "--network: sums run over each of --processes"},
       {"--processes 1,2.5", "--processes: 2.5 is no number of processes"},
       {"--solvers cgs", "--solvers: 'cgs' is none of bicgstab"},
       {"--iterations cg", "--iterations: 'cg' has no ="},
       {"--mass 0.1", "--mass: iterations are counted on the links of --gauge"},
       {"--csw nan", "--csw: nan is not a finite number"},
       {"--tolerance 1e-8", "--tolerance: has no meaning without --gauge"},
       {"--shifts 3", "--shifts: has no meaning without --solvers multi-shift"},
       {"--shifts 100000", "--shifts: 100000 is more than 1000"},
       {"--solvers gcr-dd --iterations cg=90", "--iterations: cg is none of --solvers gcr-dd"},
       {"--action hisq --solvers bicgstab", "--solvers: times of bicgstab are not predicted for --action hisq"},
       {"--action domain-wall --solvers multigrid",
        "--solvers: times of multigrid are not predicted for --action domain-wall"},
       {"--action hisq --csw 1", "--csw: has no meaning with --action hisq"},
       {"--ls 8", "--ls: has no meaning with --action clover"},
       {"--action twisted-mass", "--action"},
       {"--action domain-wall --ls 2 --b 1,2", "one number for all slices"},
       {"--cut time", "--cut: 'time' has a letter beside x, y, z, t"}});
  kaon::for_each_solver_number([](const kaon::SolverOption& row, auto) {
    if (!row.method) return;
    const std::string option(row.option), word(kaon::entry_of(*row.method).word);
    expect_refusals("predict --size 4,4,4,8 " + option + " ",
                    {{"2147483647", option + ": 2147483647 is more than 1000"},
                     {"3 --solvers cg", option + ": has no meaning with --solvers cg, only with " + word}});
  });
}

TEST_F(Predict, SaysWhyNothingCanBePredicted) {
  for (const auto& [arguments, reason] :
       {std::pair("--size 4,4,4,8 --processes 3,5", "3 processes cannot cut 4x4x4x8 into even parts; 5 processes"),
        std::pair("--size 4,4,4,4 --action hisq --processes 2",
                  "2 processes cannot cut 4x4x4x4 into parts of 4 sites or more in each direction, which hops over 3 "
                  "sites need"),
        std::pair("--size 4,4,4,2 --action hisq --processes 1", "1 process cannot cut 4x4x4x2 into parts of 4 sites"),
        std::pair("--size 4,8,8,8 --processes 4 --cut xyz",
                  "4 processes cannot cut 4x8x8x8 into even parts in the directions of --cut"),
        std::pair("--size 4,8,8,8 --action hisq --processes 2 --cut x",
                  "which hops over 3 sites need in the directions of --cut"),
        std::pair("--size 4,4,4,4 --action hisq --processes 2 --cut x", "which hops over 3 sites need"),
        std::pair("--size 512,512,512,512 --processes 1", "1 process cannot be measured here: one takes")}) {
    const std::string file = folder / "none.json";
    const auto outcome = expect_failure(
        std::string("predict ") + arguments + " --solvers cg --network ndr --json " + file, usage, reason);
    EXPECT_TRUE(contains(outcome.errors, "--processes: nothing can be predicted: ")) << outcome.errors;
    EXPECT_FALSE(std::filesystem::exists(file));
  }
}

TEST_F(Predict, LeavesOutWhatCannotBeMeasured) {
  const Json some = predict("--size 4,4,4,4 --processes 1,16 --solvers multigrid,cg --memory 1e-300");
  ASSERT_EQ(some.at("predictions").size(), 3u) << "other numbers of processes and other solvers are predicted";
  EXPECT_TRUE(contains(output, "16 processes cannot be measured here: multigrid finds no aggregates")) << output;
  EXPECT_FALSE(contains(output, "-2147483648")) << output;
}

}  // namespace KAON_TEST_FILE
