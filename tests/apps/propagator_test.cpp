// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/apps/propagator_runs.hpp"
#include "tests/support/file_size_limit.hpp"

#include <kaon/io/spinors.hpp>

#include <filesystem>

namespace KAON_TEST_FILE {

using namespace kaon;
using namespace kaon::test;
namespace fs = std::filesystem;

/// A clover propagator on a weak field of 4^3 x 8.
const std::string clover = weak + "--csw 1.1 ", kappa = clover + "--kappa 0.12 ";

class Propagators : public PropagatorRuns {};

void expect_near(const Json& a, const Json& b, double relative) { test::expect_near(pion(a), pion(b), relative); }

TEST_F(Propagators, ReportIsComplete) {
  const Json report = run(kappa + "--tolerance 1e-11");
  EXPECT_EQ(report.at("action").at("name"), "clover");
  EXPECT_NEAR(report.at("action").at("mass").get<double>(), 1 / 0.24 - 4, 1e-14);
  EXPECT_EQ(report.at("action").at("kappa"), 0.12);
  EXPECT_EQ(report.at("gauge").at("extents"), Json({4, 4, 4, 8}));
  EXPECT_EQ(report.at("pion_correlator").size(), 8u);
  EXPECT_EQ(report.at("effective_mass").size(), 8u);
  EXPECT_GT(report.at("solver").at("flops").get<double>(), 0);
  ASSERT_EQ(report.at("solver").at("right_hand_sides").size(), 12u);
  for (const Json& side : report.at("solver").at("right_hand_sides")) {
    EXPECT_EQ(side.at("status"), "converged");
    EXPECT_GT(side.at("iterations").get<int>(), 0);
    EXPECT_LE(side.at("true_residual").get<double>(), 1e-11);
  }
  const Json& residuals = report.at("solver").at("residuals");
  ASSERT_FALSE(residuals.empty());
  EXPECT_GT(residuals.front().get<double>(), 1e-11);
  EXPECT_LE(residuals.back().get<double>(), 1e-11);
  for (const char* key : {"command", "time", "kaon", "kokkos", "compiler", "device"}) {
    EXPECT_NE(report.at("provenance").at(key), "") << key;
  }
  for (const char* text :
       {"plaquette ", "mass          0.1666666667, kappa 0.12", "12 right-hand sides", "iterated residual",
        "true residual", "error of x", "Gflop/s", "pion C(t)", "effective mass"}) {
    EXPECT_TRUE(contains(output_, text)) << text << "\n" << output_;
  }
}

TEST_F(Propagators, OfTwoRunsHaveTheSameDigits) {
  for (const std::string quark : {"--csw 1.2 --mass 0.2", "--action twisted-doublet --mass 0.2 --mu 0.2 --epsilon 0.1",
                                  "--action domain-wall --mass 0.1 --ls 4 --m5 1.6", "--action staggered --mass 0.1"}) {
    const Json one = run(weak + quark), other = run(weak + quark);
    EXPECT_EQ(one.at("pion_correlator"), other.at("pion_correlator")) << quark;
    EXPECT_EQ(one.at("solver").at("residuals"), other.at("solver").at("residuals")) << quark;
  }
}

TEST_F(Propagators, MassAndKappaAreTheSameThing) {
  expect_near(run(clover + "--mass 0.1666666666666667"), run(kappa), 1e-9);
}

// families_test.cpp solves by every combination of methods, precisions and links: here each word has its meaning.
TEST_F(Propagators, EveryWordOfSolversFindsTheSame) {
  const Json reference = run(kappa + "--precision double --links 18 --tolerance 1e-12");
  for (const std::string options :
       {"--solver bicgstab --schur asymmetric", "--solver cgnr --schur none", "--solver cgne", "--lanes single",
        "--precision double --links 12", "--precision double --links 8", "--precision double-single --links 18",
        "--precision double-single --links 12", "--precision double-half --links 8"}) {
    const Json report = run(kappa + "--tolerance 1e-11 " + options);
    expect_near(report, reference, 1e-9);
    if (contains(options, "--links")) {
      EXPECT_EQ(report.at("solver").at("links"), std::stoi(options.substr(options.rfind(' '))));
    }
  }
  const Json by_blocks = run(kappa + "--tolerance 1e-11 --solver block-cg");
  expect_near(by_blocks, reference, 1e-9);
  EXPECT_EQ(by_blocks.at("solver").at("precision"), "double-single");
  for (const std::string options : {"single --links 18", "single --links 8", "single-half"}) {
    expect_near(run(kappa + "--precision " + options), reference, 1e-4);
  }
}

TEST_F(Propagators, ActionsDiffer) {
  const std::string wilson = weak + "--kappa 0.12 ";
  const Json plain = run(wilson);
  EXPECT_EQ(plain.at("action").at("name"), "wilson");
  expect_near(run(wilson + "--csw 0"), plain, 1e-8);
  expect_near(run(wilson + "--csw-s 1.1 --csw-t 1.1"), run(kappa), 1e-8);
  const auto value = [](const Json& report) { return report.at("pion_correlator").at(1).get<double>(); };
  EXPECT_NE(value(run(kappa)), value(plain));
  EXPECT_NE(value(run(wilson + "--xi0 1.2 --nu 0.9")), value(plain));
  EXPECT_NE(value(run(wilson + "--boundary 0,0,0,0.5")), value(plain));
}

TEST_F(Propagators, AnyTimeMayBeTheSource) {
  const std::string free = unit + "--mass 0.3 --source-site ";
  expect_near(run(free + "0,0,0,0"), run(free + "3,1,2,6"), 1e-8);
}

TEST_F(Propagators, SourcesMayBeSmearedOrWalls) {
  const Json smeared = run(unit + "--mass 0.3 --source gaussian --smearing-width 1.5 --smearing-steps 10");
  EXPECT_TRUE(contains(output_, "gaussian at 0,0,0,0, width 1.5 in 10 steps")) << output_;
  EXPECT_EQ(smeared.at("source").at("smearing_steps"), 10);
  run(unit + "--mass 0.3 --source wall-z2 --source-site 0,0,0,3");
  EXPECT_TRUE(contains(output_, "Z2 wall at t = 3")) << output_;
}

TEST_F(Propagators, NotConvergingHasItsExitCode) {
  expect_failure(
      kappa + "--max-iterations 2 --output " + (folder_ / "prop.lime") + " --correlator " + (folder_ / "pion.json"),
      not_converged, "--tolerance: 12 of 12 right-hand sides did not reach 1e-10");
  EXPECT_EQ(folder_.entries(), 0);
}

TEST_F(Propagators, UnwritableOutputIsFoundBeforeTheSolve) {
  const std::string good = " --correlator " + (folder_ / "pion.json");
  for (const std::string& bad : {folder_ / "absent/prop.lime", folder_.path().string()}) {
    const Outcome outcome = expect_failure(kappa + "--output " + bad + good, input, "--output: ");
    EXPECT_FALSE(contains(outcome.output, "iteration")) << outcome.output;
    expect_failure(kappa + "--correlator " + bad + " --output " + (folder_ / "prop.lime"), input, "--correlator: ");
    EXPECT_EQ(folder_.entries(), 0);
  }
}

constexpr rlim_t body = 4 * 4 * 4 * 8 * 144 * 16;  // of a propagator's file, without its header

TEST_F(Propagators, NeedSpaceOnTheDiskBeforeTheSolve) {
  const FileSizeLimit none_beyond(body - 1);
  const Outcome outcome = expect_failure(kappa + "--output " + (folder_ / "prop.lime"), input,
                                         "--output: cannot write " + (folder_ / "prop.lime") + ": File too large");
  EXPECT_FALSE(contains(outcome.output, "iteration")) << outcome.output;
  EXPECT_EQ(folder_.entries(), 0);
}

// A disk that is full when the propagator is written, which comes after the report.
TEST_F(Propagators, AreWrittenWithTheirReportsOrNotAtAll) {
  const std::string report = folder_ / "pion.json";
  std::ofstream(report) << "an older report";
  {
    const FileSizeLimit none_beyond(body);
    expect_failure(kappa + "--correlator " + report + " --output " + (folder_ / "prop.lime"), input,
                   "--output: cannot write ");
  }
  EXPECT_EQ(read_text(report), "an older report");
  EXPECT_EQ(folder_.entries(), 1);
}

TEST_F(Propagators, AreWritten) {
  run(kappa + "--output " + (folder_ / "prop.lime"));
  const auto size = fs::file_size(folder_ / "prop.lime");
  EXPECT_GT(size, body);
  run(kappa + "--precision single --output " + (folder_ / "single.lime"));
  EXPECT_LT(fs::file_size(folder_ / "single.lime"), size);
}

// The elements that Chroma's `Propagator_t`, SINK_SMEAR and HADRON_SPECTRUM read.
TEST_F(Propagators, HaveTheHeaderOfChroma) {
  const std::string file = folder_ / "propagator.lime";
  const auto header = [&](const std::string& arguments) {
    expect_success(arguments + " --tolerance 1e-2 --source-site 1,0,2,3 --output " + file);
    return test::read_text(file).substr(0, 8192);
  };
  const std::string boundary = "<FermionBC>\n<FermBC>SIMPLE_FERMBC</FermBC>\n<boundary>1 1 1 -1</boundary>\n",
                    place = "<j_decay>3</j_decay>\n<t_srce>1 0 2 3</t_srce>";
  const std::string point = header(weak + "--mass 0.25 --csw 1.5");
  for (const std::string& text :
       {std::string("<Propagator>\n<version>1</version>"), std::string("<ForwardProp>\n<version>10</version>"),
        std::string("<quarkSpinType>FULL</quarkSpinType>\n<obsvP>false</obsvP>"), boundary, place,
        std::string("<FermAct>CLOVER</FermAct>\n<Mass>0.25</Mass>\n<clovCoeff>1.5</clovCoeff>"),
        std::string("<PropSource>\n<version>6</version>\n<Source>\n<version>1</version>\n<SourceType>POINT_SOURCE")}) {
    EXPECT_TRUE(contains(point, text)) << text << "\n" << point;
  }
  const std::string shell = header(weak + "--mass 0.25 --action twisted-mass --mu 0.1 --source gaussian");
  EXPECT_TRUE(contains(shell, "<FermAct>KAON twisted-mass</FermAct>")) << shell;
  EXPECT_TRUE(contains(shell, "<SourceType>SHELL_SOURCE</SourceType>\n" + place)) << shell;
  const std::string wall = header(weak + "--mass 0.25 --action wilson --source wall-z2");
  EXPECT_TRUE(contains(wall, "RAND_Z2_WALL_SOURCE</SourceType>\n<j_decay>3</j_decay>\n<t_source>3</t_source>"));
  EXPECT_FALSE(contains(header(weak + "--mass 0.25 --action staggered"), "<Propagator>"));
}

TEST_F(Propagators, NearNullVectorsAreKeptInAFile) {
  const std::string file = folder_ / "vectors.lime", keep = " --solver multigrid --multigrid-file " + file;
  const Json reference = run(clover + "--kappa 0.121");
  run(kappa + keep);
  EXPECT_TRUE(contains(output_, "written       " + file)) << output_;
  const std::string bytes = read_text(file);

  expect_near(run(clover + "--kappa 0.121" + keep), reference, 1e-8);
  EXPECT_TRUE(contains(output_, "near-null vectors 24 of " + file)) << output_;
  EXPECT_TRUE(contains(output_, ", 0 bootstraps")) << output_;
  EXPECT_FALSE(contains(output_, "warning")) << output_;
  expect_near(run(clover + "--kappa 0.121 --precision single" + keep), reference, 1e-4);

  const std::string other = "propagator --weak 0.2 --seed 4 --size 4,4,4,8 --csw 1.1 --kappa 0.121 ";
  const Json of_other = run(other);
  expect_near(run(other + keep), of_other, 1e-8);
  EXPECT_TRUE(contains(output_, "warning       they belong to links of plaquette 0.65")) << output_;
  EXPECT_EQ(read_text(file), bytes);
}

TEST_F(Propagators, FilesThatAreNoNearNullVectorsAreRefusedAndKept) {
  const std::string file = folder_ / "vectors.lime", keep = " --solver multigrid --multigrid-file " + file;
  run(kappa + keep);
  const auto expect_refused = [&](const std::string& arguments, const std::string& text) {
    const std::string bytes = read_text(file);
    expect_failure(arguments + keep, input, "--multigrid-file: " + file + text);
    EXPECT_EQ(read_text(file), bytes);
  };
  expect_refused("propagator --unit --size 4,4,4,4 --mass 0.3", " has extents 4x4x4x8 (x, y, z, t), but the lattice");
  SpinorField<float> vectors = io::read_spinors(Lattice({.extents = {4, 4, 4, 8}}), file).spinors;
  const auto expect_refused_vectors = [&](const SpinorField<float>& other, const std::string& text) {
    io::write_spinors(file, other);
    expect_failure(kappa + keep, input, "--multigrid-file: " + text);
  };
  expect_refused_vectors(vectors.range(0, 4), "4 near-null vectors are given");
  blas::set_zero(vectors.right_hand_side(3));
  expect_refused_vectors(vectors, "near-null vector 3 is zero everywhere");
  fs::resize_file(file, fs::file_size(file) / 2);
  expect_refused(kappa, " is truncated");
  run(kappa + "--output " + (folder_ / "prop.lime"));
  fs::copy_file(folder_ / "prop.lime", file, fs::copy_options::overwrite_existing);
  expect_refused(kappa, " holds Lattice (1 of 2304 bytes at each site");
  expect_failure(kappa + "--solver multigrid --multigrid-file " + (folder_ / "absent/v.lime"), input,
                 "--multigrid-file: ");
}

TEST_F(Propagators, GaugeFileGivesTheSameAsTheFieldItHolds) {
  expect_success("generate --size 4,4,4,4 --beta 8 --sweeps 3 --output " + (folder_ / "run"));
  const std::string arguments = " --kappa 0.12 --csw 1 --boundary periodic,periodic,periodic,periodic";
  const Json from_ildg = run("propagator --gauge " + (folder_ / "run_000003.lime") + arguments);
  expect_success("convert --format nersc " + (folder_ / "run_000003.lime") + " " + (folder_ / "field.nersc"));
  expect_near(run("propagator --gauge " + (folder_ / "field.nersc") + arguments), from_ildg, 1e-9);
  EXPECT_TRUE(contains(output_, "NERSC archive")) << output_;
  expect_failure("propagator --size 4,4,4,8 --gauge " + (folder_ / "field.nersc") + arguments, input, "--gauge: ");
}

}  // namespace KAON_TEST_FILE
