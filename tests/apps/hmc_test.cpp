// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
//
// Runs of hybrid Monte Carlo. Files and checkpoints are those of generate (generate_test.cpp).
#include "tests/apps/running_program.hpp"

#include <nlohmann/json.hpp>

#include <cmath>

namespace KAON_TEST_FILE {

using namespace kaon::test;
using Json = nlohmann::ordered_json;

class Hmc : public ::testing::Test {
 protected:
  std::string options(const std::string& prefix, const std::string& more, const std::string& size = "4,4,4,4") const {
    return "hmc --size " + size + " --beta 5.6 --output " + (folder_ / prefix) + " " + more;
  }
  /// Options of quarks whose solves take long.
  std::string small(const std::string& prefix, const std::string& more) const {
    return options(prefix, more, "4,2,2,4");
  }
  Json checkpoint(const std::string& prefix) const {
    return Json::parse(read_text(folder_ / (prefix + ".checkpoint.json")));
  }

  void expect_equal_runs(const std::string& one, const std::string& other) const {
    for (const char* series : {"plaquettes", "delta_energies", "accepted", "links_checksum"}) {
      EXPECT_EQ(checkpoint(one).at(series), checkpoint(other).at(series)) << series;
    }
  }
  /// dH of the first trajectory that counts is small, but not zero.
  void expect_small_change(const std::string& prefix, double bound) const {
    const double change = checkpoint(prefix).at("delta_energies").at(0);
    EXPECT_LT(std::abs(change), bound) << prefix;
    EXPECT_NE(change, 0.0) << prefix;
  }
  /// The links of a trajectory come back to their start.
  static void expect_reversal(const std::string& said) {
    const auto back = said.find("links to ");
    ASSERT_NE(back, std::string::npos) << said;
    EXPECT_LT(std::stod(said.substr(back + 9)), 1e-6);
  }

  TemporaryFolder folder_;
};

void expect_texts(const std::string& said, const std::vector<std::string>& texts) {
  for (const std::string& text : texts) EXPECT_TRUE(contains(said, text)) << text << "\n" << said;
}

const std::string quarks = "--kappa 0.12 --csw 1 --hasenbusch 0.4 --steps 2,2 --start hot ";

TEST_F(Hmc, SaysWhatItDoes) {
  const std::string said =
      expect_success(options("e", quarks + "--accept-first 2 --trajectories 2 --thermalization 1 --check-reversal 3"))
          .output;
  expect_texts(said,
               {"    2 steps: two flavours, mass = 0.1666666667, c_sw = 1, mu = 0.4 over 0\n",
                "    2 steps: two flavours, mass = 0.1666666667, c_sw = 1, mu = 0.4\n",
                "    2 steps: gauge action, beta = 5.6, c_0 = 1, c_1 = 0\n", "(thermalizing)\n",
                "there and back: dH = ", " % accepted, <exp(-dH)> = ", "\ndH = ", "averaged over 2 trajectories\n",
                "accepted  iterations    seconds  acc. %", "<exp(-dH)>       time left\n"});
  const Json state = checkpoint("e");
  EXPECT_EQ(state.at("plaquettes").size(), 2u);
  EXPECT_EQ(state.at("delta_energies").size(), 2u);
  EXPECT_EQ(state.at("accepted").size(), 2u);
}

// A parameter is named by the option that the command line has or had, with values as they are given there.
TEST_F(Hmc, NamesTheOptionThatDiffersFromTheCheckpoint) {
  const std::string run = " --trajectories 1 --length 0.1 --steps ",
                    resume = " --resume --trajectories 2 --length 0.1 --steps ";
  const auto refused = [&](const std::string& prefix, const std::string& more, const std::string& here,
                           const std::string& then) {
    expect_failure(
        small(prefix, more + resume + "1,1"), usage,
        here + " here, but the checkpoint " + (folder_ / (prefix + ".checkpoint.json")) + " was made " + then);
  };
  expect_success(small("quarks", "--kappa 0.12 --csw 1.1" + run + "1,1"));
  refused("quarks", "--kappa 0.121 --csw 1.1", "--kappa: 0.121", "with 0.12\n");
  refused("quarks", "--kappa 0.121 --csw 1.2", "--kappa: 0.121", "with 0.12\n");
  refused("quarks", "--mass 0.2 --csw 1.1", "--mass: 0.2", "with 0.166666666667\n");
  refused("quarks", "--kappa 0.12 --csw 1.2", "--csw: 1.2", "with 1.1\n");
  refused("quarks", "--kappa 0.12", "--csw: 0", "with 1.1\n");
  refused("quarks", "--kappa 0.12 --csw 1.1 --hasenbusch 0.5,0.25", "--hasenbusch: 0.5,0.25", "with none\n");
  refused("quarks", "--action staggered --mass 0.1", "--mass: 0.1", "with 0.166666666667\n");
  expect_success(small("quarks", "--mass 0.16666666666666696 --csw 1.1" + resume + "1,1"));  // the same number
  expect_success(small("pure", run + "1"));
  refused("pure", "--kappa 0.12", "--kappa: 0.12", "without it\n");
  expect_failure(small("quarks", "--resume --trajectories 2 --length 0.1"), usage,
                 "--kappa: not given here, but the checkpoint ");
  const std::string walls = "--action domain-wall --ls 4 --b 1.5 --mass 0.1 --c ";
  expect_success(small("walls", walls + "0.5" + run + "1,1"));
  refused("walls", walls + "0.25", "--c: 0.25", "with 0.5\n");
}

// The energy of a hot start falls by more than the largest logarithm of a number.
TEST_F(Hmc, SaysWhenTheMeanExponentialIsNoNumber) {
  const std::string said =
      expect_success(options("e", "--gauge-action dbw2 --start hot --accept-first 1 --trajectories 1", "4,4,4,12"))
          .output;
  EXPECT_TRUE(contains(said, "<exp(-dH)> is too large a number: dH is down to -")) << said;
  EXPECT_FALSE(contains(said, "inf")) << said;
}

TEST_F(Hmc, StopsBetweenStepsWithTheStateBeforeTheTrajectory) {
  for (const int number : {SIGTERM, SIGUSR1}) {
    RunningCommand run = start_kaon(options("long", "--steps 1000000"));
    run.wait_for_output("time left");
    run.send(number);
    run.expect_end_by(number);
    EXPECT_TRUE(contains(run.output(), " before the end of the first trajectory: there is no checkpoint\n"))
        << run.output();
    EXPECT_EQ(folder_.entries(), 0);
  }
  const std::string more = quarks + "--accept-first 2 --trajectories ", endless = more + "1000000 ";
  int done = 0;
  const auto progress = [&] { done = checkpoint("parts").at("updates").get<int>(); };
  for (const auto& [option, number] : {std::pair("", SIGINT), {"--resume", SIGTERM}}) {
    RunningCommand run = start_kaon(options("parts", endless + option));
    const std::string second = std::to_string(done + 2);
    run.wait_for_output("\n" + std::string(10 - second.size(), ' ') + second + "  ");
    run.send(number);
    run.expect_end_by(number);
    progress();
    EXPECT_TRUE(contains(run.output(), " after " + std::to_string(done) + " trajectories, ")) << run.output();
  }
  RunningCommand limited = start_kaon(options("parts", endless + "--resume --time-limit 3"));
  const int status = limited.status();
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 5) << status << limited.errors();
  progress();
  expect_success(options("whole", more + std::to_string(done)));
  expect_equal_runs("parts", "whole");
}

TEST_F(Hmc, SplitsTheDeterminantOfTwistedQuarks) {
  const std::string said =
      expect_success(small("e",
                           "--kappa 0.12 --mu 0.1 --csw 1.1 --hasenbusch 0.9,0.4 --steps 2,2,3,2 --length 0.2 "
                           "--trajectories 1 --start hot"))
          .output;
  expect_texts(
      said,
      {"twisted mass = 0.1, c_sw = 1.1, divided by those of mass = 0.1666666667, twisted mass = 0.4, c_sw = 1.1\n",
       "twisted mass = 0.4, c_sw = 1.1, divided by those of mass = 0.1666666667, twisted mass = 0.9, c_sw = 1.1\n",
       "    3 steps: two flavours, mass = 0.1666666667, twisted mass = 0.9, c_sw = 1.1\n"});
  expect_small_change("e", 5.0);
  EXPECT_EQ(checkpoint("e").at("options").at("mu"), 0.1);
}

const std::string heavy = "--kappa 0.12 --mu 0.1 --mu-bar 0.3 --csw 1.1 --start hot --epsilon-bar ";

// 2 + 1 + 1 flavours, from the links of some trajectories on.
TEST_F(Hmc, RunsAHeavyDoublet) {
  const std::string run =
      "--hasenbusch 0.5 --steps 4,4 --length 0.3 --accept-first 2 --thermalization 2 --trajectories 1 "
      "--check-reversal 3";
  const std::string said = expect_success(small("e", heavy + "0.2 " + run)).output;
  EXPECT_TRUE(contains(said,
                       "    4 steps: one doublet, mass = 0.1666666667, twisted mass = 0.3, epsilon = 0.2, c_sw = 1.1, "
                       "rational\n"))
      << said;
  expect_small_change("e", 0.5);
  const Json state = checkpoint("e");
  EXPECT_EQ(state.at("options").at("mu-bar"), 0.3);
  expect_reversal(said);
}

const std::string walls = "--action domain-wall --ls 4 --b 1.5 --c 0.5 --mass 0.1 --hasenbusch 0.4 --start hot ";

struct ResumedRun {
  std::string quarks, others, text;  ///< a run of other quarks is refused
};

TEST_F(Hmc, ResumesWhereItWas) {
  const std::string steps = " --steps 2,3,2 --length 0.2 ", wall = walls + "--steps 2,2 --length 0.2 ";
  const ResumedRun runs[] = {
      {quarks, quarks + "--seed 2 ", "--seed: 2 here, but"},
      {heavy + "0.2" + steps, heavy + "0.1" + steps, "--epsilon-bar: 0.1 here, but"},
      {quarks + "--stout 0.1,2 ", quarks + "--stout 0.125,2 ", "--stout: 0.125,0.125,0.125,0.125,2 here"},
      {quarks + "--stout 0.1,1 ", quarks, "--stout: not given here"},
      {wall, wall + "--m5 1.7 ", "--m5: 1.7 here, but"}};
  int number = 0;
  for (const auto& [of, others, text] : runs) {
    SCOPED_TRACE(of);
    const std::string whole = "whole" + std::to_string(number), parts = "parts" + std::to_string(number++);
    expect_success(small(whole, of + "--accept-first 4 --trajectories 2"));
    expect_success(small(parts, of + "--accept-first 4 --trajectories 1"));
    expect_failure(small(parts, others + "--accept-first 4 --trajectories 2 --resume"), usage, text);
    expect_success(small(parts, of + "--accept-first 4 --trajectories 2 --resume"));
    expect_equal_runs(parts, whole);
  }
}

// From the links of some trajectories on: dH is small, and links come back to their start.
TEST_F(Hmc, RunsDomainWallQuarks) {
  const std::string said = expect_success(small("e", walls + "--steps 4,4 --length 0.3 --accept-first 2 "
                                                             "--thermalization 2 --trajectories 1 --check-reversal 3"))
                               .output;
  const std::string numbers = ", M5 = 1.8, 4 slices, b = 1.5, c = 0.5";
  expect_texts(said,
               {"    4 steps: two flavours, mass = 0.1" + numbers + ", divided by those of mass = 0.4" + numbers + "\n",
                "    4 steps: two flavours, mass = 0.4" + numbers + ", divided by those of mass = 1" + numbers + "\n"});
  expect_small_change("e", 0.5);
  const Json state = checkpoint("e");
  for (const auto& [option, value] : {std::pair("m5", 1.8), std::pair("b", 1.5), std::pair("c", 0.5)}) {
    EXPECT_EQ(state.at("options").at(option), value);
  }
  expect_reversal(said);
}

TEST_F(Hmc, RunsTwoAndOneDomainWallQuarks) {
  for (const std::string form : {"rational", "eofa"}) {
    const std::string said =
        expect_success(small(form,
                             "--action domain-wall --ls 4 --b 1.5 --c 0.5 --mass 0.1,0.3 --flavors 2,1 --start "
                             "hot --steps 3,4 --length 0.2 --accept-first 2 --thermalization 1 --trajectories "
                             "1 --one-flavor " +
                                 form))
            .output;
    const std::string name = "    3 steps: one flavour, mass = 0.3, M5 = 1.8, 4 slices, b = 1.5, c = 0.5, ";
    EXPECT_TRUE(contains(said, name + (form == "eofa" ? "exact" : form))) << said;
    expect_small_change(form, 0.5);
    EXPECT_EQ(checkpoint(form).at("options").at("one-flavor"), form);
  }
}

TEST_F(Hmc, RunsSeveralMassesAndStaggeredQuarks) {
  const std::string clover = expect_success(options("clover",
                                                    "--kappa 0.12,0.11 --flavors 2,1 --csw 1 --steps 3,2 "
                                                    "--eigenvalues 0.05,60 --trajectories 1 --start hot"))
                                 .output;
  EXPECT_TRUE(contains(clover, "    3 steps: two flavours, mass = 0.1666666667, c_sw = 1\n")) << clover;
  EXPECT_TRUE(contains(clover, "    3 steps: one flavour, mass = 0.5454545455, c_sw = 1, rational\n")) << clover;
  for (const std::string action : {"staggered", "hisq --naik-epsilon 0,-0.1", "asqtad --u0 0.9"}) {
    const std::string prefix = action.substr(0, 4);
    expect_success(options(prefix, "--action " + action +
                                       " --mass 0.2,0.5 --flavors 2,1 --steps 8,2 --length 0.3 "
                                       "--trajectories 1"));
    expect_small_change(prefix, 1.0);
  }
}

// 2 flavours of 0.2 and 1 of 0.3 over the same of 0.6, and 3 of 0.6 beside them: the theory of 0.2, 0.3 and 0.7.
TEST_F(Hmc, DividesByAHeavierMass) {
  const std::string quarks = "--action staggered --mass 0.2,0.3,0.7 --flavors 2,1,1 --heavier-mass 0.6 ";
  const std::string output =
      expect_success(options("heavier", quarks + "--steps 8,2 --length 0.3 --trajectories 1")).output;
  EXPECT_TRUE(contains(output,
                       "    8 steps: naive quarks: 2 of mass 0.2, -2 of mass 0.6; 1 of mass 0.3, -1 of mass "
                       "0.6; 1 of mass 0.7; 1 of mass 0.6; 1 of mass 0.6; 1 of mass 0.6\n"))
      << output;
  expect_small_change("heavier", 1.0);
  EXPECT_EQ(checkpoint("heavier").at("options").at("heavier-mass"), 0.6);
}

// From a cold start with steps this small nothing is lost: pure gauge, and each of the gauge actions.
TEST_F(Hmc, RunsEveryGaugeActionAndIntegrator) {
  const auto run = [&](const std::string& action, const std::string& integrator, const std::string& steps) {
    const std::string prefix = action + integrator;
    expect_success(options(prefix, "--gauge-action " + action + " --integrator " + integrator + " --steps " + steps +
                                       " --length 0.5 --trajectories 1"));
    expect_small_change(prefix, 2.0);
  };
  for (const std::string action : {"wilson", "symanzik", "iwasaki", "dbw2"}) run(action, "omelyan", "100");
  for (const std::string integrator :
       {"leapfrog", "fourth-order", "badab", "abadaba", "badabadab", "babadabab", "adada"}) {
    run("symanzik", integrator, "60");
  }
}

TEST_F(Hmc, RunsTheActionAtOneLoop) {
  const std::string said =
      expect_success(options("e",
                             "--gauge-action one-loop --gauge-u0 0.86 --gauge-flavors 3 --steps 40 --length 0.5 "
                             "--trajectories 1"))
          .output;
  expect_texts(said, {"gauge action, beta = 5.6, c_0 = 1, c_1 = -0.0380615, c_2 = "});
  expect_small_change("e", 2.0);
  EXPECT_EQ(checkpoint("e").at("options").at("gauge-flavors"), 3.0);
}

TEST_F(Hmc, SmearsTheLinksOfQuarks) {
  const std::string run =
      "--start hot --accept-first 2 --thermalization 2 --trajectories 1 --check-reversal 3 --length 0.3 ";
  const std::string families[][2] = {
      {"clover", "--kappa 0.12,0.11 --flavors 2,1 --csw 1 --hasenbusch 0.4 --steps 4,4 --eigenvalues 0.05,60"},
      {"walls", "--action domain-wall --ls 4 --mass 0.2 --steps 4,4"},
      {"naive", "--action staggered --mass 0.2 --steps 8,4"}};
  for (const auto& [prefix, options] : families) {
    const std::string said = expect_success(small(prefix, run + "--stout 0.1,2 " + options)).output;
    EXPECT_TRUE(contains(said, ", on stout links (rho = 0.1, 2 levels)\n")) << said;
    EXPECT_TRUE(contains(said, "    4 steps: gauge action, beta = 5.6, c_0 = 1, c_1 = 0\n")) << said;
    expect_small_change(prefix, 0.5);
    expect_reversal(said);
  }
  const std::string space =
      expect_success(small("space", run + "--kappa 0.12 --steps 4,4 --stout 0.14,0.14,0.14,0,1")).output;
  EXPECT_TRUE(contains(space, ", on stout links (rho = 0.14, 0.14, 0.14, 0, 1 level)\n")) << space;
  EXPECT_EQ(checkpoint("space").at("options").at("stout"), Json::parse("[0.14, 0.14, 0.14, 0.0, 1]"));
}

/// The steps of the first time scale that the program finds for an acceptance.
int steps_found(const std::string& said) {
  const auto at = said.find("\n--steps ");
  EXPECT_NE(at, std::string::npos) << said;
  return at == std::string::npos ? 0 : std::stoi(said.substr(at + 9));
}

// From steps that are too large and from steps that are too small; larger acceptances need more of them.
TEST_F(Hmc, FindsStepsForAnAcceptance) {
  const std::string run = "--integrator leapfrog --start hot --accept-first 10 --thermalization 30 --output " +
                          (folder_ / "none") + " --tune-steps ";
  std::vector<int> found;
  for (const std::string more : {"0.6 --steps 3", "0.9 --steps 3", "0.9 --steps 60"}) {
    const std::string said = expect_success("hmc --size 4,4,4,4 --beta 5.6 " + run + more).output;
    expect_texts(said,
                 {"rounds of 10 trajectories of length 1\n", "from a hot start, after 30 trajectories to thermalize",
                  "       steps  width of dH  expected %  accepted %  iterations    seconds\n", " % is expected\n"});
    found.push_back(steps_found(said));
  }
  EXPECT_LT(found[0], found[1]);
  EXPECT_NEAR(found[1], found[2], 0.4 * found[1]);
  EXPECT_EQ(folder_.entries(), 0);
  // Two time scales: the steps of the second one remain.
  const std::string two = expect_success(small("none",
                                               "--kappa 0.12 --steps 2,3 --start hot --accept-first 5 "
                                               "--thermalization 5 --length 0.5 --tune-steps 0.7"))
                              .output;
  EXPECT_TRUE(contains(two, "\n         2,3 ")) << two;
  EXPECT_TRUE(contains(two, ",3: an acceptance of ")) << two;
}

TEST_F(Hmc, StartsSolvesFromForecasts) {
  const std::string two =
      "--kappa 0.12 --steps 4,2 --length 0.4 --start hot --accept-first 2 --forecast 3 --trajectories ";
  const std::string said = expect_success(small("parts", two + "1 --check-reversal 1")).output;
  expect_texts(said, {"; iterations of forces: ", ", without forecasts "});
  expect_reversal(said);
  expect_success(small("parts", two + "2 --resume"));
  expect_success(small("whole", two + "2"));
  expect_equal_runs("parts", "whole");
}

TEST_F(Hmc, HasAnIntegratorForEachTimeScale) {
  const std::string two = "--kappa 0.12 --steps 2,2 --length 0.3 --trajectories ";
  expect_success(small("both", two + "1 --integrator badab,abadaba"));
  EXPECT_EQ(checkpoint("both").at("options").at("integrator"), "badab,abadaba");
  expect_success(small("both", two + "2 --integrator badab,abadaba --resume"));
  expect_success(small("whole", two + "2 --integrator badab,abadaba"));
  expect_equal_runs("both", "whole");
  expect_failure(small("both", two + "3 --resume"), usage, "--integrator: \"omelyan\" here, but the checkpoint ");
  expect_success(small("one", two + "1 --integrator badab"));
  EXPECT_EQ(checkpoint("one").at("options").at("integrator"), "badab");
  expect_success(small("one", two + "2 --integrator badab,badab --resume"));
}

// usage_test.cpp has refusals of the options that quarks of all subcommands share.
TEST_F(Hmc, RefusesWhatMakesNoSense) {
  const std::string none = ": without --kappa or --mass there are no quarks", both = " --mu-bar 0.3 --epsilon-bar 0.2 ",
                    lone = "--mu-bar: the heavy doublet is beside a light one", hisq = "--action hisq --mass 0.1 ",
                    wall = "--action domain-wall --mass 0.1 ", method = "--solver: is for two flavours of Wilson or cl";
  for (const std::string option :
       {"--csw 1", "--mu 0.1", "--hasenbusch 0.1", "--boundary 0,0,0,0", "--tolerance 1e-8", "--force-tolerance 1e-8",
        "--solver auto", "--forecast 2", "--stout 0.1,1", "--flavors 1", "--action wilson", "--action hisq"}) {
    expect_failure(options("x", option), usage, option.substr(0, option.find(' ')) + none);
  }
  expect_refusals(
      options("x", ""),
      {{"--kappa 0.12 --mass 0.1", "--mass and --kappa are both given"},
       {"--mass 0.1,-5 --flavors 2,1", "--mass: mass -5 has no kappa"},
       {"--action staggered --mass 1e-160", "--mass: a rational function on [0, 90]"},
       {"--kappa 0.12 --mu -0.1 --hasenbusch 0.4,0.1", "--hasenbusch: 0.4,0.1: give falling twisted masses above --mu"},
       {"--kappa 0.12 --hasenbusch 0.1,0.4", "--hasenbusch: 0.1,0.4: give falling numbers above 0"},
       {"--kappa 0.12 --hasenbusch 0.1,", "--hasenbusch"},
       {"--kappa 0.12 --hasenbusch 1e200,0.1", "--hasenbusch: 1e+200 is too large"},
       {"--kappa 0.12 --flavors 1 --hasenbusch 0.4", "--hasenbusch: splits the determinant of two flavours"},
       {hisq + "--hasenbusch 0.4", "--hasenbusch: is for Wilson-like quarks"},
       {"--steps 2,3", "--steps: 2 numbers for the gauge action: give 1"},
       {"--steps 2.5", "--steps: 2.5 is not a number of steps"},
       {"--steps 0", "--steps: 0 is not a number of steps"},
       {"--kappa 0.12 --steps 2", "--steps: 1 numbers for 1 terms of quarks and the gauge action: give 2"},
       {"--kappa 0.12 --hasenbusch 0.4,0.1 --steps 2,2,2", "give 2 or 4"},
       {"--length 0", "--length: '0' is not a positive number"},
       {"--gauge-action one-loop", "--gauge-action: one-loop needs --gauge-u0"},
       {"--gauge-u0 0.9", "--gauge-u0: is for --gauge-action one-loop"},
       {"--forecast -1", "--forecast"},
       {hisq + "--forecast 4", "--forecast: is for two flavours and --one-flavor eofa: rational functions solve from"},
       {wall + "--flavors 1 --forecast 4", "--forecast: is for two flavours"},
       {"--tune-steps 80", "--tune-steps: 80 is not an acceptance between 0 and 1, such as 0.8"},
       {"--tune-steps nan", "--tune-steps: nan is not an acceptance"},
       {"--tune-steps 0.8 --resume", "--tune-steps: has no meaning with --resume"},
       {"--kappa 0.12 --stout 0.1", "--stout: 0.1: give rho and the number of levels, 0.125,1"},
       {"--kappa 0.12 --stout 0.1,1.5", "--stout: 1.5 is not a number of levels"},
       {"--kappa 0.12 --stout 0.1,0", "--stout: 0 is not a number of levels"},
       {"--kappa 0.12 --stout=-0.1,1", "--stout: stout smearing with rho = -0.1, -0.1, -0.1, -0.1: numbers from 0"},
       {"--kappa 0.12 --stout 0.1,0,0,0.1,1", "--stout: stout smearing with rho = 0.1, 0, 0, 0.1 in x, y, z, t"},
       {"--integrator euler", "--integrator: 'euler' is none of leapfrog, omelyan, fourth-order, badab"},
       {"--integrator badab,omelyan", "--integrator: 2 names for 1 time scales, those of --steps: give 1"},
       {"--action hisq --kappa 0.12", "--kappa: has no meaning with --action hisq, only with wilson"},
       {hisq + "--csw 1", "--csw: has no meaning with --action hisq, only with wilson"},
       {hisq + "--heavier-mass 0.1", "--heavier-mass: no quark is lighter"},
       {"--mass 0.1 --heavier-mass 0.2", "--heavier-mass: is for staggered quarks"},
       {hisq + "--boundary 1,0,0,0", "--boundary: staggered quarks are periodic in space"},
       {"--mass 0.1,0.2,0.3 --flavors 2,1", "--flavors: 2 values for 3 masses: give one, or one for each"},
       {"--mass 0.1 --flavors 3", "--flavors: 3 flavours by a rational function"},
       {hisq + "--flavors -2", "--flavors: -2 is not a number above 0"},
       {"--action hisq --mass=-0.1", "--mass: 2 staggered flavours of mass -0.1"},
       {"--mass 0.1 --mu 0.1 --flavors 1", "--mu: is for doublets, two flavours of each mass"},
       {"--mass 0.1 --flavors 1 --eigenvalues 5,1", "--eigenvalues: a rational function on [5, 1]"},
       {"--mass 0.1 --flavors 1 --eigenvalues 2", "--eigenvalues: give the smallest and the largest"},
       {hisq + "--eigenvalues 1,80", "--eigenvalues: 1,80: those of -D_eo D_oe"},
       {"--kappa 0.12 --eigenvalues 1e-3,20", "--eigenvalues: is for rational functions"},
       {hisq + "--solver multigrid", method},
       {wall + "--solver bicgstab", method},
       {"--kappa 0.12 --mu 0.1 --solver bicgstab", method},
       {"--kappa 0.12 --flavors 1 --solver bicgstab", method},
       {"--kappa 0.12 --tolerance 2", "--tolerance: 2 does not lie between 0 and 1"},
       {"--kappa 0.12 --force-tolerance 1", "--force-tolerance: 1 does not lie between 0 and 1"},
       {"--mass 0.1 --mu 0.1 --mu-bar 0.3", "--mu-bar: needs --epsilon-bar"},
       {"--mass 0.1 --mu 0.1 --epsilon-bar 0.3", "--epsilon-bar: needs --mu-bar"},
       {"--mass 0.1" + both, lone},
       {"--mass 0.1,0.2 --mu 0.1" + both, lone},
       {"--mu 0.1" + both, lone},
       {"--mass 0.1 --mu 0.1 --mu-bar nan --epsilon-bar 0.2", "--mu-bar: nan is not a finite number"},
       {"--mass 0.1 --mu 0.1 --mu-bar 0.3 --epsilon-bar 1e200", "--epsilon-bar: 1e+200 is too large"},
       {"--mass 0.1 --mu 0.1 --steps 2,2,2" + both + "--hasenbusch 0.4", "3 terms of quarks and the gauge action"},
       {"--mass 0.1 --mu 0.1 --eigenvalues 5,1" + both, "--eigenvalues: a rational function on [5, 1]"},
       {"--action domain-wall --mass 1", "--mass: domain wall quarks of mass 1: give one from 0 to below 1, that of"},
       {"--action domain-wall --mass=-0.1", "--mass: domain wall quarks of mass -0.1: give one from 0"},
       {wall + "--m5 5", "--m5: b (4 - M5) + 1 of slice 0 is zero"},
       {wall + "--ls 2 --b 1.5,1.4", "--b: hybrid Monte Carlo takes one number for all slices"},
       {wall + "--ls 3 --b 1 --c 1", "3 slices and mass 1 has no inverse"},
       {wall + "--hasenbusch 1,0.4", "--hasenbusch: 1,0.4: give falling masses below 1"},
       {wall + "--hasenbusch 0.4,0.1", "--hasenbusch: 0.4,0.1: give falling masses below 1"},
       {wall + "--one-flavor eofa", "--one-flavor: no quark has one flavour: --flavors 1"},
       {"--action domain-wall --mass 0 --flavors 1 --one-flavor eofa",
        "--flavors: an exact one flavour of mass 0: mas"},
       {"--mass 0.1 --flavors 1 --one-flavor eofa", "--one-flavor: is for domain wall quarks"}});
}

// Codes distinguish solves that end too early from steps that are too large.
TEST_F(Hmc, NamesTheTrajectoryThatFails) {
  const std::string start = "--trajectories 1 --start hot --overwrite --steps 1,1 ";
  for (const std::string tolerance :
       {"--tolerance 1e-30", "--force-tolerance 1e-30"}) {  // in drawing, and during the trajectory
    expect_failure(options("x", start + "--kappa 0.12 --csw 1 " + tolerance), not_converged,
                   "trajectory 1: the solve did not converge");
  }
  for (const std::string quark : {"--length 1e30 --kappa 0.12", "--length 1e6 --kappa 0.12 --csw 1"}) {
    expect_failure(options("x", start + quark), usage,
                   "--steps: the integration of trajectories fails; give more steps, or a smaller --length: "
                   "trajectory 1: ");
  }
  const std::string ranges = "--trajectories 1 --mass 0.1 --overwrite ";
  expect_failure(options("x", ranges + "--mu 0.1 --mu-bar 0.3 --epsilon-bar 0.2 --eigenvalues 0.1,2"), not_converged,
                 "widen the range, --eigenvalues LOW,HIGH");
  expect_failure(options("x", ranges + "--flavors 1 --eigenvalues 0.1,2"), not_converged,
                 "widen the range, --eigenvalues LOW,HIGH");
  expect_failure(options("x", ranges + "--action staggered --eigenvalues 0,1"), not_converged,
                 "raise --eigenvalues 0,HIGH");
}

// Eigenvalues of the cold start lie within the range, those behind its first trajectory do not.
TEST_F(Hmc, LeavesACheckpointBeforeTheTrajectoryThatFails) {
  expect_failure(small("e", "--mass 0.5 --flavors 1 --steps 2,2 --length 0.3 --eigenvalues 3.5,23 --trajectories 8"),
                 not_converged, "trajectory 2: ");
  EXPECT_EQ(checkpoint("e").at("updates"), 1);
}

}  // namespace KAON_TEST_FILE
