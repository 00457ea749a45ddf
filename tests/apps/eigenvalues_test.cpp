// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/apps/propagator_runs.hpp"
#include "tests/support/data.hpp"
#include "tests/support/file_size_limit.hpp"

#include <kaon/gauge/initial_links.hpp>
#include <kaon/gauge/observables.hpp>
#include <kaon/io/spinors.hpp>
#include <kaon/operators/normal.hpp>
#include <kaon/operators/schur.hpp>
#include <kaon/operators/twisted_mass.hpp>
#include <kaon/operators/wilson.hpp>
#include <kaon/solvers/eigenvectors.hpp>

#include <filesystem>

namespace KAON_TEST_FILE {

using namespace kaon;
using namespace kaon::test;

const std::string noisy = "eigenvalues --weak 0.3 --seed 3 --size 4,4,4,4 ";

class EigenvalueRuns : public ::testing::Test {
 protected:
  /// The report of a run that finds them.
  Json run(const std::string& arguments) {
    const std::string file = folder_ / "report.json";
    output_ = expect_success(arguments + " --output " + file).output;
    return Json::parse(read_text(file));
  }
  /// The program finds on the weak field the eigenvalues that the library has of the matrix.
  void expect_eigenvalues_of(const LinearOperator<double>& matrix, const std::string& arguments) {
    SCOPED_TRACE(arguments);
    const Eigenvectors<double> expected = find_eigenvectors<double>(matrix, {.count = 3, .tolerance = 1e-9, .seed = 3});
    ASSERT_TRUE(expected.converged);
    const Json report = run(noisy + "--count 3 --tolerance 1e-9 " + arguments);
    EXPECT_TRUE(report.at("converged").get<bool>());
    const auto values = report.at("eigenvalues").get<std::vector<double>>();
    ASSERT_EQ(values.size(), 3u);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(values[i], expected.values[i], 1e-10);
  }
  GaugeField<double> links() const {
    GaugeField<double> links(Lattice({.extents = {4, 4, 4, 4}}));
    set_weak(links, 0.3, {.seed = 3});
    return links;
  }

  TemporaryFolder folder_;
  std::string output_;
};

TEST_F(EigenvalueRuns, FindThoseOfTheLibrarysOperators) {
  const WilsonClover<double> clover(links(), {.mass = 0.1, .csw = 1.2});
  expect_eigenvalues_of(NormalOperator<double>(clover), "--mass 0.1 --csw 1.2");
  EXPECT_TRUE(contains(output_, "matrix        M^dag M\n")) << output_;
  expect_eigenvalues_of(NormalOperator<double>(Schur<double>(clover)), "--mass 0.1 --csw 1.2 --sites even");
  const TwistedMass<double> twisted(links(), {.mass = 0.1, .mu = 0.2});
  expect_eigenvalues_of(NormalOperator<double>(twisted), "--action twisted-mass --mu 0.2 --mass 0.1");
  const TwistedDoublet<double> doublet(links(), {.mass = 0.1, .mu = 0.2, .epsilon = 0.15, .csw = 1.2});
  expect_eigenvalues_of(NormalOperator<double>(doublet),
                        "--action twisted-doublet --mu 0.2 --epsilon 0.15 --mass 0.1 --csw 1.2");
}

// Printed by MILC's program, to six digits of its own.
TEST_F(EigenvalueRuns, FindThoseOfMilc) {
  KAON_TEST_DATA_FILE(path, "milc/lat.sample.l8888");
  const Json report =
      run("eigenvalues --gauge " + path.string() + " --action hisq --mass 0 --count 4 --tolerance 1e-7");
  const double expected[] = {0.133305300, 0.136610500, 0.153418337, 0.157610511};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(report.at("eigenvalues")[i].get<double>(), expected[i], 1e-8) << i;
  EXPECT_TRUE(contains(output_, "matrix        4m^2 - D_eo D_oe on even sites\n")) << output_;
  EXPECT_TRUE(contains(output_, "without 4m^2")) << output_;
  EXPECT_EQ(report.at("action").at("name"), "hisq");
}

TEST_F(EigenvalueRuns, KeepTheEigenvectorsForTheLibrary) {
  const std::string file = folder_ / "vectors.lime";
  const Json report = run(noisy + "--mass 0.1 --csw 1.2 --count 3 --tolerance 1e-9 --vectors " + file);
  EXPECT_TRUE(contains(output_, "\n\nwritten       " + file + "\nwritten       ")) << output_;
  const WilsonClover<double> clover(links(), {.mass = 0.1, .csw = 1.2});
  const auto read = read_eigenvectors<double>(file, NormalOperator<double>(clover));
  ASSERT_EQ(read.values.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(read.values[i], report.at("eigenvalues")[i].get<double>(), 1e-11);
  const io::SpinorFileInfo info = io::read_spinor_fields<double>(clover.lattice(), file).info;
  EXPECT_NEAR(info.plaquette.value_or(0.0), plaquette(links()).average, 1e-12);
  EXPECT_EQ(Json::parse(info.info).at("matrix"), "M^dag M");
  const auto size = std::filesystem::file_size(file);
  run(noisy + "--mass 0.1 --csw 1.2 --count 3 --tolerance 1e-9 --bits 32 --vectors " + file);
  EXPECT_LT(std::filesystem::file_size(file), size * 6 / 10);
}

TEST_F(EigenvalueRuns, LeaveNoReportWithoutItsVectors) {
  constexpr rlim_t body = 3 * (4 * 4 * 4 * 4) * 12 * 16;  // of a file of three vectors, without its headers
  for (const bool before_the_search : {true, false}) {
    const FileSizeLimit none_beyond(before_the_search ? body - 1 : body);
    const Outcome outcome = expect_failure(noisy + "--mass 0.1 --count 3 --tolerance 1e-5 --output " +
                                               (folder_ / "report.json") + " --vectors " + (folder_ / "vectors.lime"),
                                           input, "--vectors: cannot write ");
    EXPECT_NE(contains(outcome.output, "applications of the matrix"), before_the_search) << outcome.output;
    EXPECT_EQ(folder_.entries(), 0);
  }
}

TEST_F(EigenvalueRuns, DeflatePropagatorsOfAllMasses) {
  const std::string file = folder_ / "vectors.lime", correlator = folder_ / "pion.json";
  const std::string field = "--weak 0.3 --seed 3 --size 4,4,4,8 --action staggered ";
  expect_success("eigenvalues " + field + "--mass 0.3 --count 16 --vectors " + file);
  const auto solve = [&](const std::string& more) {
    output_ =
        expect_success("propagator " + field + "--mass 0.02,0.05 --precision double --correlator " + correlator + more)
            .output;
    std::vector<Json> reports;
    for (const char* mass : {"0.02", "0.05"}) {
      reports.push_back(Json::parse(read_text(folder_ / ("pion_m" + std::string(mass) + ".json"))));
    }
    return reports;
  };
  const std::vector<Json> plain = solve(""), deflated = solve(" --eigenvectors " + file);
  EXPECT_TRUE(contains(output_, "eigenvectors  16 of " + file)) << output_;
  for (std::size_t n = 0; n < 2; ++n) {
    expect_near(pion(deflated[n]), pion(plain[n]), 1e-7);
    EXPECT_EQ(deflated[n].at("solver").at("eigenvectors"), file);
    EXPECT_TRUE(plain[n].at("solver").at("eigenvectors").is_null());
    const auto iterations = [](const Json& report) {
      return report.at("solver").at("right_hand_sides")[0].at("iterations").get<int>();
    };
    EXPECT_LT(iterations(deflated[n]), iterations(plain[n]));
  }
  const std::vector<Json> rounded = solve(" --eigenvector-bits 16 --eigenvectors " + file);
  for (std::size_t n = 0; n < 2; ++n) expect_near(pion(rounded[n]), pion(plain[n]), 1e-7);
  expect_failure("propagator " + field + "--mass 0.1 --eigenvector-bits 32 --eigenvectors " + file, usage,
                 "--eigenvector-bits: 32 is neither 64 nor 16");
  expect_failure("propagator " + field + "--mass 0.1 --eigenvector-bits 16", usage,
                 "--eigenvector-bits: has no meaning without --eigenvectors");
  expect_failure("propagator --weak 0.3 --seed 4 --size 4,4,4,8 --action staggered --mass 0.1 --eigenvectors " + file,
                 input,
                 "--eigenvectors: " + file + ": vector 0 is no eigenvector of this operator A: |A v - lambda v| =");
  expect_failure("propagator " + field + "--mass 0.1 --eigenvectors " + (folder_ / "absent"), input,
                 "--eigenvectors: ");
  expect_failure("propagator " + field + "--mass 0.1 --output " + file + " --eigenvectors " + file, usage,
                 "--output: " + file + " is the file of --eigenvectors, which it would replace");
  expect_failure(
      "propagator --action staggered --mass 0.1 --gauge " + file + " --eigenvectors " + file, usage,
      "--eigenvectors: " + file + " is the file of --gauge, too, and has the content of one of them at most");
}

TEST_F(EigenvalueRuns, ThatFindTooFewSaySo) {
  const std::string report = folder_ / "report.json";
  expect_failure(noisy + "--mass 0.1 --count 4 --basis 8 --max-restarts 0 --tolerance 1e-12 --output " + report +
                     " --vectors " + (folder_ / "vectors"),
                 not_converged, "--max-restarts: after 0 restarts some eigenvectors miss the tolerance");
  const Json json = Json::parse(read_text(report));
  EXPECT_FALSE(json.at("converged").get<bool>());
  EXPECT_EQ(json.at("residuals").size(), 4u);
  EXPECT_EQ(folder_.entries(), 1);
}

TEST_F(EigenvalueRuns, SayWhetherTheyAreComplete) {
  const std::string report = folder_ / "report.json",
                    small = "eigenvalues --weak 0.3 --seed 3 --size 4,2,2,4 --mass 0.1 ";
  const std::string search = small + "--sites all --count 8 --output " + report + " --max-restarts ";
  expect_failure(search + "4", not_converged, "it is not known whether one that belongs among them is missing");
  EXPECT_TRUE(Json::parse(read_text(report)).at("converged").get<bool>());
  EXPECT_FALSE(Json::parse(read_text(report)).at("complete").get<bool>());
  expect_success(search + "200");
  EXPECT_TRUE(Json::parse(read_text(report)).at("complete").get<bool>());
}

TEST_F(EigenvalueRuns, DeflateWithAccurateVectorsOnly) {
  const std::string file = folder_ / "vectors", field = "--weak 0.3 --seed 3 --size 4,4,4,8 --action staggered ";
  expect_success("eigenvalues " + field + "--mass 0 --count 2 --basis 5 --tolerance 0.05 --vectors " + file);
  const Outcome outcome =
      expect_failure("propagator " + field + "--mass 0.01 --eigenvectors " + file, input, "--eigenvectors: ");
  EXPECT_TRUE(contains(outcome.errors, "does not suit the deflation of this operator")) << outcome.errors;
  // They suit a heavy quark, which is not solved for before a light one is refused.
  const std::string deflated = " --correlator " + (folder_ / "pion.json") + " --eigenvectors " + file;
  expect_success("propagator " + field + "--mass 2" + deflated);
  const Outcome both =
      expect_failure("propagator " + field + "--mass 2,0.01 --max-iterations 2" + deflated, input, "--eigenvectors: ");
  EXPECT_FALSE(contains(both.errors, "did not converge")) << both.errors;
}

TEST_F(EigenvalueRuns, RefuseOptionsWithoutMeaning) {
  const std::string run = noisy + "--mass 0.1 ", staggered = "--action staggered ";
  expect_refusals(run, {{staggered + "--sites all", "--sites: staggered actions"},
                        {"--sites odd", "--sites"},
                        {"--count 0", "--count"},
                        {"--count 2147483647", "--count: 2147483647 eigenvectors"},
                        {"--tolerance 2", "--tolerance: 2 does not lie between 0 and 1"},
                        {"--basis 5", "--basis: 10 eigenvectors"},
                        {"--solver cg", "--solver"},
                        {"--bits 32", "--bits: has no meaning without --vectors"},
                        {"--bits 16 --vectors v", "--bits: 16 is neither 64 nor 32"},
                        {"--vectors v --output ./v", "--vectors: v is the file of --output"},
                        {"--vectors /nonexistent/v", "--vectors: ", input},
                        {"--output /nonexistent/report.json", "--output: ", input}});
  expect_refusals("",
                  {{noisy + staggered + "--mass 0.1,0.2", "--mass: 2 masses are given"},
                   {noisy + staggered + "--mass 1e160", "--mass: the mass 1e+160 is too large"},
                   {"eigenvalues --gauge /nonexistent --mass 0.1", "/nonexistent", input},
                   {"propagator --weak 0.3 --size 4,4,4,4 --mass 0.1 --eigenvectors v --precision single " + staggered,
                    "--eigenvectors: not with --precision single: they deflate solves in double"}});
}

}  // namespace KAON_TEST_FILE
