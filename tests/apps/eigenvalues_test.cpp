// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/apps/cli_test.hpp"
#include "tests/support/data.hpp"

#include <kaon/gauge/initial_links.hpp>
#include <kaon/operators/normal.hpp>
#include <kaon/operators/schur.hpp>
#include <kaon/operators/twisted_mass.hpp>
#include <kaon/operators/wilson.hpp>
#include <kaon/solvers/eigenvectors.hpp>

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace {

using namespace kaon;
using namespace kaon::test;
using Json = nlohmann::json;

const std::string weak = "eigenvalues --weak 0.3 --seed 3 --size 4,4,4,4 ";

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
    const Json report = run(weak + "--count 3 --tolerance 1e-9 " + arguments);
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

TEST_F(EigenvalueRuns, ThatFindTooFewSaySo) {
  expect_failure(weak + "--mass 0.1 --count 4 --basis 8 --max-restarts 0 --tolerance 1e-12", not_converged,
                 "--tolerance: some eigenvectors miss 1e-12 after 0 restarts");
}

TEST_F(EigenvalueRuns, RefuseOptionsWithoutMeaning) {
  expect_failure("eigenvalues --mass 0.1", usage, "--gauge: no gauge field is given");
  expect_failure(weak + "--mass 0.1,0.2 --action staggered", usage, "--mass: 2 masses are given");
  expect_failure(weak + "--mass 0.1 --action staggered --sites all", usage, "--sites: staggered actions");
  expect_failure(weak + "--mass 0.1 --sites odd", usage, "--sites");
  expect_failure(weak + "--mass 0.1 --count 0", usage, "--count");
  expect_failure(weak + "--mass 0.1 --tolerance 2", usage, "--tolerance: 2 does not lie between 0 and 1");
  expect_failure(weak + "--mass 0.1 --basis 5", usage, "--count: 10 eigenvectors");
  expect_failure(weak + "--mass 0.1 --solver cg", usage, "--solver");
  expect_failure("eigenvalues --gauge /nonexistent --mass 0.1", input, "/nonexistent");
  expect_failure(weak + "--mass 0.1 --output /nonexistent/report.json", input, "--output: ");
}

}  // namespace
