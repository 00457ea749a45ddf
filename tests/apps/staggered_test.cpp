// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/apps/propagator_runs.hpp"
#include "tests/support/data.hpp"

#include <kaon/gauge/improved_links.hpp>
#include <kaon/operators/staggered.hpp>

#include <filesystem>

namespace KAON_TEST_FILE {

using namespace kaon;
using namespace kaon::test;

/// The program's propagators of staggered actions, of one mass and of several.
class StaggeredRuns : public PropagatorRuns {
 protected:
  /// The reports of a run for several masses that converges, which are files of their own.
  std::vector<Json> run_for(const std::vector<std::string>& masses, const std::string& arguments) {
    std::string list;
    for (const std::string& mass : masses) list += (list.empty() ? "" : ",") + mass;
    output_ = expect_success(arguments + " --mass=" + list + " --correlator " + (folder_ / "report.json")).output;
    std::vector<Json> reports;
    for (const std::string& mass : masses) {
      reports.push_back(Json::parse(read_text(folder_ / ("report_m" + mass + ".json"))));
      EXPECT_EQ(reports.back().at("action").at("mass"), std::stod(mass));
      EXPECT_TRUE(contains(output_, "\nmass " + mass + "\n")) << output_;
    }
    return reports;
  }
};

ImprovedStaggered<double> improved(const ImprovedLinks& links, double mass, const BoundaryAngles& boundary) {
  return {links.fat, links.third, {.mass = mass, .third_weight = links.third_weight, .boundary = boundary}};
}

TEST_F(StaggeredRuns, SolveWithTheOperatorsOfTheLibrary) {
  const GaugeField<double> links = weak_links(3);
  const BoundaryAngles twisted{0.0, 0.5, 0.0, 1.0};
  expect_propagator_of(improved(asqtad_links(links, 0.9), 0.2, antiperiodic_in_time),
                       "--action asqtad --u0 0.9 --mass 0.2");
  expect_propagator_of(improved(hisq_links(links), 0.2, twisted), "--action hisq --mass 0.2 --boundary 0,0.5,0,1");
  expect_propagator_of(improved(hisq_links(links, -0.1), -0.3, antiperiodic_in_time),
                       "--action hisq --naik-epsilon=-0.1 --mass=-0.3");
}

// asqtad's third links are in SU(3).
TEST_F(StaggeredRuns, TakeThirdLinksInFewReals) {
  const std::string asqtad = weak + "--action asqtad --u0 0.9 --mass 0.2 ";
  const auto expected = pion(run(asqtad + "--links 18 --tolerance 1e-12"));
  for (const std::string links : {"14", "12", "10", "8"}) {
    expect_near(pion(run(asqtad + "--tolerance 1e-12 --links " + links)), expected, 1e-9);
    EXPECT_TRUE(contains(output_, "links in " + links + " reals")) << output_;
  }
}

TEST_F(StaggeredRuns, AreNamedInReports) {
  Json action = run(weak + "--action asqtad --u0 0.9 --mass 0.2").at("action");
  EXPECT_EQ(action.at("name"), "asqtad");
  EXPECT_EQ(action.at("u0"), 0.9);
  EXPECT_FALSE(action.contains("naik_epsilon"));
  for (const char* text : {"asqtad, 2m + D, u0 = 0.9\n", "3 right-hand sides\n",
                           "auto on the normal operator of the even sites, double-half precision, links in 14 reals",
                           "The Goldstone pion of two quarks of one mass has no oscillating partner"}) {
    EXPECT_TRUE(contains(output_, text)) << text << "\n" << output_;
  }
  action = run(weak + "--action hisq --mass 0.2").at("action");
  EXPECT_EQ(action.at("name"), "hisq");
  EXPECT_EQ(action.at("naik_epsilon"), 0.0);
  EXPECT_FALSE(action.contains("u0"));
  EXPECT_TRUE(contains(output_, "HISQ, 2m + D, Naik epsilon 0\n")) << output_;
}

// All masses at once, of HISQ in groups of one Naik epsilon, have the results of each alone.
TEST_F(StaggeredRuns, SeveralMassesAreWhatEachIsAlone) {
  const std::vector<std::string> masses{"0.3", "0.15", "0.6"}, epsilons{"0", "0", "-0.2"};
  const std::string hisq = weak + "--action hisq --naik-epsilon=";
  for (const std::string precision : {" --precision double-half", " --precision single"}) {
    const bool single = contains(precision, "single");
    const auto reports = run_for(masses, hisq + "0,0,-0.2" + precision);
    EXPECT_TRUE(contains(output_, "Naik epsilon 0, 0, -0.2\n")) << output_;
    EXPECT_TRUE(contains(output_, "mass          0.3, 0.15, 0.6\n")) << output_;
    for (std::size_t n = 0; n < masses.size(); ++n) {
      expect_near(pion(reports[n]), pion(run(hisq + epsilons[n] + " --mass " + masses[n] + " --tolerance 1e-12")),
                  single ? 1e-4 : 1e-8);
    }
  }
}

TEST_F(StaggeredRuns, MultigridSolvesForSeveralMasses) {
  const std::vector<std::string> masses{"0.3", "0.15"};
  for (const std::string action : {"staggered", "hisq"}) {
    SCOPED_TRACE(action);
    const auto by_cg = run_for(masses, weak + "--action " + action + " --tolerance 1e-12");
    const auto by_multigrid = run_for(masses, weak + "--action " + action + " --tolerance 1e-12 --solver multigrid");
    EXPECT_TRUE(contains(output_, "multigrid on all sites")) << output_;
    EXPECT_TRUE(contains(output_, "on hypercubes an iteration brings the residual down to")) << output_;
    EXPECT_TRUE(contains(output_, "multigrid     1 of 2 masses, the lightest\n")) << output_;
    for (std::size_t n = 0; n < masses.size(); ++n) expect_near(pion(by_multigrid[n]), pion(by_cg[n]), 1e-9);
  }
}

TEST_F(StaggeredRuns, MultigridKeepsItsVectorsInAFile) {
  const std::string hisq = weak + "--action hisq --solver multigrid --multigrid-file " + (folder_ / "vectors");
  const auto first = pion(run(hisq + " --mass 0.2 --tolerance 1e-12"));
  EXPECT_TRUE(contains(output_, "relaxed noise")) << output_;
  EXPECT_TRUE(std::filesystem::exists(folder_ / "vectors"));
  expect_near(pion(run(hisq + " --mass 0.2 --tolerance 1e-12")), first, 1e-9);
  EXPECT_TRUE(contains(output_, "near-null vectors 48 of ")) << output_;
  EXPECT_TRUE(contains(output_, "given vectors")) << output_;
  expect_failure(
      "propagator --weak 0.2 --seed 3 --size 8,8,8,8 --action staggered --mass 0.2 --solver multigrid "
      "--multigrid-file " +
          (folder_ / "vectors"),
      input, "--multigrid-file: ");
}

TEST_F(StaggeredRuns, PropagatorsOfSeveralMassesAreFilesOfTheirOwn) {
  const std::string source = " --tolerance 1e-11 --source corner-wall --source-site 0,0,0,5 --output ";
  run_for({"0.3", "0.15"}, weak + "--action hisq" + source + (folder_ / "prop.lime"));
  EXPECT_TRUE(contains(output_, "corner wall at t = 5, 3 right-hand sides")) << output_;
  const ImprovedLinks links = hisq_links(weak_links(3));
  for (const std::string mass : {"0.3", "0.15"}) {
    const std::string file = folder_ / ("prop_m" + mass + ".lime");
    EXPECT_TRUE(contains(output_, "written       " + file)) << output_;
    const auto propagator = io::read_propagator<double>(links.fat.lattice(), file);
    SpinorField<double> sources(links.fat.lattice(), propagator.parameters());
    set_uniform_wall_sources(sources, {.time = 5, .sites = WallSites::corners});
    expect_solution(improved(links, std::stod(mass), antiperiodic_in_time), propagator, sources);
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "prop.lime"));
}

// The part of a name behind a point may belong to a number.
TEST_F(StaggeredRuns, NamesOfFilesWithMassesKeepTheWholeName) {
  for (const auto& [name, of_mass] : {std::pair("prop_b6.0", "prop_b6.0_m0.5"),
                                      {"prop", "prop_m0.5"},
                                      {"b6.0.scidac", "b6.0_m0.5.scidac"},
                                      {"b6.0.dat", "b6.0_m0.5.dat"}}) {
    expect_success(unit + "--action staggered --mass 0.5,0.6 --output " + (folder_ / name));
    EXPECT_TRUE(std::filesystem::exists(folder_ / of_mass)) << of_mass;
  }
  EXPECT_EQ(folder_.entries(), 8);
}

// The correlator of a uniform wall is the plain sum of the propagator's squares.
TEST_F(StaggeredRuns, WallsAreSources) {
  const std::string file = folder_ / "prop.lime";
  for (const auto& [name, sites] : {std::pair("wall", WallSites::all), std::pair("even-wall", WallSites::even),
                                    std::pair("corner-wall", WallSites::corners)}) {
    SCOPED_TRACE(name);
    const Json report = run(weak + "--action staggered --mass 0.2 --tolerance 1e-11 --source " + name +
                            " --source-site 0,0,0,3 --output " + file);
    EXPECT_EQ(report.at("source").at("kind"), name);
    const Staggered<double> dirac(weak_links(), {.mass = 0.2});
    const auto propagator = io::read_propagator<double>(dirac.lattice(), file);
    SpinorField<double> sources(dirac.lattice(), propagator.parameters());
    set_uniform_wall_sources(sources, {.time = 3, .sites = sites});
    expect_solution(dirac, propagator, sources);
    EXPECT_EQ(pion(report), pion_correlator(propagator, {.source_site = {0, 0, 0, 3}}));
  }
  const Json report = run(weak +
                          "--action staggered --mass 0.2 --tolerance 1e-11 --source wall-z2 "
                          "--source-site 0,0,0,5 --output " +
                          file);
  EXPECT_TRUE(contains(output_, "Z2 wall at t = 5, seed 3, 3 right-hand sides")) << output_;
  const Staggered<double> dirac(weak_links(), {.mass = 0.2});
  const auto propagator = io::read_propagator<double>(dirac.lattice(), file);
  SpinorField<double> sources(dirac.lattice(), propagator.parameters());
  set_z2_wall_source(sources, {.time = 5, .key = {.seed = 3}});
  expect_solution(dirac, propagator, sources);
  std::vector<double> correlator = pion_correlator(propagator, {.source_site = {0, 0, 0, 5}});
  for (double& value : correlator) value /= 64.0;
  EXPECT_EQ(pion(report), correlator);
  run(unit + "--mass 0.3 --source wall");
  EXPECT_TRUE(contains(output_, "wall at t = 0, 12 right-hand sides")) << output_;
}

TEST_F(StaggeredRuns, SolvesThatFailNameTheirMassAndLeaveNoFile) {
  const Outcome outcome =
      expect_failure(weak + "--action asqtad --u0 1 --mass 3,0.01 --tolerance 1e-12 --max-iterations 40 --correlator " +
                         (folder_ / "pion.json") + " --output " + (folder_ / "prop.lime"),
                     not_converged, "--tolerance: mass 0.01: 3 of 3 right-hand sides did not reach 1e-12");
  EXPECT_FALSE(contains(outcome.errors, "try --solver")) << outcome.errors;
  EXPECT_EQ(folder_.entries(), 0);
}

TEST_F(StaggeredRuns, EveryFormatHoldsThePropagator) {
  const std::string arguments = weak + "--action asqtad --u0 0.9 --mass 0.2 --source even-wall --output ";
  run(arguments + (folder_ / "scidac"));
  run(arguments + (folder_ / "usqcd") + " --output-format usqcd");
  run(arguments + (folder_ / "milc") + " --output-format milc");
  const auto expected = io::read_propagator(folder_ / "scidac").propagator.values;
  EXPECT_EQ(io::read_propagator(folder_ / "usqcd").propagator.values, expected);
  const auto rounded = io::read_propagator(folder_ / "milc").propagator.values;
  ASSERT_EQ(rounded.size(), expected.size());
  for (std::size_t k = 0; k < rounded.size(); ++k) {
    EXPECT_EQ(rounded[k], std::complex<double>(std::complex<float>(expected[k])));
  }
}

// Files of all masses are open together in the end: no work is done where they cannot be.
TEST_F(StaggeredRuns, OpenAllTheirFilesBeforeTheyBegin) {
  const auto run_with_limit = [&](const std::string& limit) {
    return run_command("sh -c 'ulimit " + limit + "; OMP_NUM_THREADS=1 exec " + KAON_PROGRAM +
                       " propagator --unit --size 4,4,4,4 --action staggered --pairs --correlator " +
                       (folder_ / "c.json") + " --mass 0.5,0.6,0.7,0.8,0.9,1.0,1.1,1.2,1.3'");  // 45 files
  };
  const Outcome outcome = run_with_limit("-n 40");
  EXPECT_EQ(outcome.exit_code, input) << outcome.errors;
  EXPECT_TRUE(contains(outcome.errors, "--correlator: cannot write ")) << outcome.errors;
  EXPECT_FALSE(contains(outcome.output, "iterations")) << outcome.output;
  EXPECT_EQ(folder_.entries(), 0);
  EXPECT_EQ(run_with_limit("-S -n 40").exit_code, 0);
  EXPECT_EQ(folder_.entries(), 45);
}

// MILC's spectrum programs print seven digits of correlators that are ours times their factor: 0.000244141 (1/4096) for
// a point source, and for the wall 1/3072.
TEST_F(StaggeredRuns, ReproducePionsOfMilc) {
  KAON_TEST_DATA_FILE(gauge, "milc/lat.sample.l4448.gf");
  struct Case {
    std::string arguments;
    double factor;
    std::vector<std::vector<double>> expected;  // of masses 0.05 and 0.02
  };
  const std::string periodic = " --boundary periodic,periodic,periodic,periodic";
  const Case cases[] = {
      {"--action asqtad --u0 1" + periodic,
       0.000244141,
       {{1.857816e-4, 7.530411e-5, 7.859495e-5, 5.383015e-5, 4.539211e-5, 3.412695e-5, 5.141754e-5, 7.112644e-5},
        {3.089112e-4, 1.761815e-4, 2.439791e-4, 1.800286e-4, 1.634964e-4, 1.113147e-4, 1.474210e-4, 1.514964e-4}}},
      {"--action hisq" + periodic,
       0.000244141,
       {{9.715229e-5, 4.619954e-5, 4.720820e-5, 3.425617e-5, 2.959002e-5, 2.138899e-5, 2.852638e-5, 3.737071e-5},
        {1.145110e-4, 7.652691e-5, 7.597605e-5, 6.675119e-5, 4.706535e-5, 4.307549e-5, 4.190508e-5, 6.089643e-5}}},
      {"--action asqtad --u0 1 --source wall",
       1.0 / 3072.0,
       {{4.577375e-2, 2.886340e-2, 3.004875e-2, 2.538912e-2, 2.059722e-2, 1.653082e-2, 2.295957e-2, 2.835590e-2},
        {8.902637e-2, 7.358023e-2, 7.997642e-2, 7.854312e-2, 5.999163e-2, 5.164261e-2, 5.917766e-2, 7.448775e-2}}}};
  for (const Case& known : cases) {
    SCOPED_TRACE(known.arguments);
    const auto reports = run_for({"0.05", "0.02"}, "propagator --gauge " + gauge.string() + " " + known.arguments);
    for (std::size_t n = 0; n < reports.size(); ++n) {
      std::vector<double> correlator = pion(reports[n]);
      for (double& value : correlator) value *= known.factor;
      expect_near(correlator, known.expected[n], 5e-7);
    }
  }
}

// MILC's pions of two masses: of HISQ the real parts of its correlators.
TEST_F(StaggeredRuns, PionsOfTwoMassesAreThoseOfMilc) {
  KAON_TEST_DATA_FILE(gauge, "milc/lat.sample.l4448.gf");
  run_for({"0.05", "0.02"}, "propagator --gauge " + gauge.string() +
                                " --action hisq --boundary periodic,periodic,periodic,periodic --pairs");
  EXPECT_TRUE(contains(output_, "\nmasses 0.05 and 0.02\n")) << output_;
  EXPECT_TRUE(contains(output_, "(-1)^t cosh, which is taken out")) << output_;
  const Json report = Json::parse(read_text(folder_ / "report_m0.05_m0.02.json"));
  EXPECT_EQ(report.at("actions").at(0).at("mass"), 0.05);
  EXPECT_EQ(report.at("actions").at(1).at("mass"), 0.02);
  std::vector<double> correlator = pion(report);
  for (double& value : correlator) value *= 0.000244141;
  expect_near(correlator,
              {1.016976e-4, 5.540539e-5, 5.506483e-5, 4.387239e-5, 3.418495e-5, 2.785545e-5, 3.184050e-5, 4.463268e-5},
              5e-7);
}

}  // namespace KAON_TEST_FILE
