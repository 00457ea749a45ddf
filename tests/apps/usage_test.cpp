// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/apps/cli_test.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <map>
#include <regex>

namespace KAON_TEST_FILE {

using namespace kaon::test;

TEST(Program, HelpsWithEverySubcommand) {
  const Outcome help = expect_success("--help");
  for (const std::string command : {"info", "plaquette", "generate", "hmc", "convert", "propagator", "eigenvalues",
                                    "fix-gauge", "smear", "flow", "smear-links", "tune"}) {
    EXPECT_TRUE(contains(help.output, "  " + command + " ")) << help.output;
    const Outcome own = expect_success(command + " --help");
    EXPECT_TRUE(contains(own.output, "kaon " + command)) << own.output;
    EXPECT_TRUE(contains(own.output, "Exit codes: 0 success; 2 ")) << own.output;
  }
}

TEST(Program, HelpFitsOnAScreen) {
  for (const std::string command : {"propagator", "eigenvalues", "hmc", "smear", "flow"}) {
    const std::string help = expect_success(command + " --help").output;
    std::size_t start = 0;
    for (std::size_t end = help.find('\n'); end != std::string::npos; end = help.find('\n', start)) {
      const std::string line = help.substr(start, end - start);
      EXPECT_LE(line.find_last_not_of(' ') + 1, 120u) << line;  // CLI11 2.6 ends lines with a blank
      start = end + 1;
    }
  }
}

TEST(Program, TellsItsVersion) { EXPECT_TRUE(contains(expect_success("--version").output, KAON_VERSION)); }

TEST(Program, TellsHowItWasBuilt) {
  const Outcome text = expect_success("info");
  for (const char* word :
       {"kaon " KAON_VERSION, "Kokkos", "execution space", "lanes", "operators", "message passing", "device"}) {
    EXPECT_TRUE(contains(text.output, word)) << text.output;
  }
  const auto json = nlohmann::json::parse(expect_success("info --json").output);
  EXPECT_EQ(json.at("kaon"), KAON_VERSION);
  EXPECT_EQ(json.at("operators_left_out"), "") << "tests need all";
  EXPECT_GE(json.at("lanes").at("double").get<int>(), 1);
  EXPECT_EQ(json.at("processes"), 1);
  EXPECT_EQ(json.at("node_processes"), 1);
  EXPECT_EQ(json.at("sharing_cores"), 1);
  EXPECT_GE(json.at("cores").get<int>(), 1);
}

TEST(Program, PassesOptionsToKokkos) {
  const auto json = nlohmann::json::parse(expect_success("info --json --kokkos-num-threads=1").output);
  EXPECT_EQ(json.at("host_threads"), 1);
}

TEST(Program, TakesIntegersAsTheyAreRead) {
  const std::string run = "propagator --unit --size 4,4,4,4 --mass 1 --max-iterations ";
  for (const std::string number : {"0100", "+100", "100"}) {
    const std::string output = expect_success(run + number).output;
    EXPECT_TRUE(contains(output, "in at most 100 iterations")) << number << "\n" << output;
  }
  for (const std::string word : {"0x10", "1e3", "10.5", "ten", "+-5"}) {
    expect_failure(run + word, usage, "--max-iterations: '" + word + "' is not an integer");
  }
  expect_failure(run + "2147483648", usage,
                 "--max-iterations: '2147483648' is not an integer from -2147483648 to 2147483647");
}

// Versions of CLI11 drop commas, so that 0,1345 is 1345 there.
TEST(Program, RefusesCommasInEveryNumber) {
  // With the other options that are required: versions of CLI11 look for these earlier or later.
  const std::map<std::string, std::string> commands{{"generate", "--size 4,4,4,4 --beta 6 --output x"},
                                                    {"hmc", "--size 4,4,4,4 --beta 6 --output x"},
                                                    {"propagator", ""},
                                                    {"eigenvalues", ""},
                                                    {"fix-gauge", "x --output y --condition landau"},
                                                    {"smear", "x --output y --method stout"},
                                                    {"flow", "x"},
                                                    {"smear-links", "--gauge x --fat y --long z"},
                                                    {"predict", ""},
                                                    {"tune", ""}};
  const std::regex option("\\n +(--[a-z0-9-]+) (FLOAT|INT|UINT)");
  int options = 0;
  for (const auto& [command, required] : commands) {
    const std::string help = expect_success(command + " --help").output;
    for (std::sregex_iterator found(help.begin(), help.end(), option), none; found != none; ++found, ++options) {
      const std::string name = (*found)[1], kind = (*found)[2] == "FLOAT" ? "a number: use a point" : "an integer";
      const std::string others = std::regex_replace(required, std::regex(name + " [^ ]+"), "");
      expect_failure(command + " " + others + " " + name + " 0,5", usage, name + ": '0,5' is not " + kind);
    }
  }
  EXPECT_GT(options, 80);
  expect_failure("propagator --mass 0,05 --unit --size 4,4,4,4 --action staggered", usage,
                 "--mass: '05' in '0,05' begins with 0: commas separate numbers, in which use a point");
  expect_failure("propagator --mass 0,5 --unit --size 4,4,4,4", usage, "--mass: 2 masses are given");
}

// A script whose variable is not set makes empty words: nothing would be written.
TEST(Program, RefusesEmptyWords) {
  expect_failure("propagator --unit --size 4,4,4,4 --mass 1 --output ''", usage, "--output: nothing is given");
  expect_failure("generate --size 4,4,4,4 --beta 6 --output ''", usage, "--output: nothing is given");
  expect_failure("plaquette x --size= --json", usage, "--size: nothing is given");  // not "--json"
  expect_failure("generate --size 4,4,4,4 --output x --beta= --resume", usage, "--beta: '' is not a number");
  expect_failure("convert '' out", usage, "IN: nothing is given");
  expect_failure("plaquette --size 4,4,4,4, x", usage, "--size: '4,4,4,4,' is not four integers");
  expect_failure("generate --size 4,4,,4 --beta 6 --output x", usage, "--size: '' in '4,4,,4' is not an integer");
  expect_failure("info --size 4,4,4,4 --grid 1,1,1,1,", usage, "--grid: '1,1,1,1,' is not four integers");
  expect_failure("propagator --unit --size 4,4,4,4 --mass 1 --boundary 0,0,0,0,", usage,
                 "--boundary: '0,0,0,0,' is not four boundary conditions");
}

TEST(Program, SuggestsWhatWasMeant) {
  expect_failure("", usage, "subcommand is required");
  expect_failure("plaquett", usage, "plaquett: unknown subcommand; did you mean plaquette?");
  expect_failure("plaquette --jsno file", usage, "--jsno: unknown option; did you mean --json?");
  expect_failure("propagator --tolerence 1e-8", usage, "--tolerence: unknown option; did you mean --tolerance?");
  expect_failure("propagator --tolerence=1e-8", usage, "--tolerence: unknown option; did you mean --tolerance?");
  expect_failure("propagator --xyz", usage, "--xyz: unknown option\n");
  expect_failure("info surplus", usage, "surplus: not expected");
  expect_failure("plaquette", usage, "FILE is required");
}

TEST(Program, RefusesFilesThatAreNotGaugeFields) {
  const TemporaryFolder folder;
  expect_failure("plaquette " + (folder / "absent"), input, "No such file");
  std::ofstream(folder / "text") << "not a gauge field\n";
  expect_failure("plaquette " + (folder / "text"), input, "FILE: ");
  std::ofstream(folder / "empty");
  expect_failure("plaquette " + (folder / "empty"), input, "FILE: ");
  expect_failure("plaquette " + folder.path().string(), input, "FILE: ");
  expect_failure("plaquette --size 4,4,4 x", usage, "--size: '4,4,4' is not four integers separated by commas");
  expect_failure("plaquette --size 4,4,4,5 x", usage, "--size: 5 is not a usable extent");
}

/// Options of `propagator` that make it complete, except for the mass.
const std::string base = "propagator --unit --size 4,4,4,4 ";

TEST(Propagator, NeedsExactlyOneOfMassAndKappa) {
  expect_failure(base + "--mass -0.1 --kappa 0.13", usage, "--mass and --kappa are both given");
  expect_failure(base, usage, "--mass or --kappa must be given");
  expect_failure(base + "--kappa 0", usage, "--kappa: ");
  expect_failure(base + "--kappa -0.1", usage, "--kappa: ");
  expect_failure(base + "--mass heavy", usage, "--mass");
  expect_failure(base + "--mass nan", usage, "--mass: nan is not a finite number");
}

TEST(Propagator, NeedsExactlyOneGaugeField) {
  expect_failure("propagator --mass 0.1", usage, "--gauge: no gauge field is given");
  expect_failure(base + "--mass 0.1 --weak 0.1", usage, "--gauge, --unit and --weak: give one of them");
  expect_failure("propagator --unit --mass 0.1", usage, "--size: needed with --unit");
  expect_failure("propagator --unit --mass 0.1 --size 4,4,3,4", usage, "--size: 3 is not a usable extent");
  expect_failure("propagator --unit --mass 0.1 --size 4,4,0,4", usage, "--size: 0 is not a usable extent");
  expect_failure("propagator --unit --mass 0.1 --size 4,4,x,4", usage, "--size: 'x' in '4,4,x,4' is not an integer");
  expect_failure("propagator --gauge /nowhere/field --mass 0.1", input, "--gauge: ");
}

TEST(Propagator, RefusesOptionsThatContradictEachOther) {
  expect_failure(base + "--mass 0.1 --action wilson --csw 1", usage, "--csw: has no meaning with --action wilson");
  expect_failure(base + "--mass 0.1 --action clover", usage, "--action: clover needs --csw");
  expect_failure(base + "--mass 0.1 --csw 1 --csw-t 1", usage, "--csw: give either it or both");
  expect_failure(base + "--mass 0.1 --csw-s 1", usage, "--csw-t: needed with --csw-s");
  expect_failure(base + "--mass 0.1 --action domain", usage, "--action");
  expect_failure(base + "--mass 0.1 --solver gmres", usage, "--solver");
  expect_failure(base + "--mass 0.1 --precision half", usage, "--precision");
  expect_failure(base + "--mass 0.1 --links 10", usage, "--links: 10 is not one of 18, 12 and 8");
  expect_failure(base + "--mass 0.1 --halo double", usage, "--halo");
  expect_failure(base + "--mass 0.1 --delta 1.5", usage, "--delta: 1.5 does not lie between 0 and 1");
  expect_failure(base + "--mass 0.1 --xi0 0", usage, "--xi0: 0 is not positive");
  expect_failure(base + "--mass 0.1 --boundary periodic", usage, "--boundary: 'periodic' is not four");
  expect_failure(base + "--mass 0.1 --boundary 0,0,0,open", usage, "--boundary: 'open' is neither");
  expect_failure(base + "--mass 0.1 --boundary 1,1,1,-1", usage, "--boundary: '1,1,1,-1' are angles, not signs");
  expect_failure(base + "--mass 0.1 --source-site 0,0,0,4", usage, "--source-site: site 0,0,0,4 does not lie on");
  expect_failure(base + "--mass 0.1 --source-site 0,0,-1,0", usage, "--source-site: site 0,0,-1,0 does not lie on");
  expect_failure(base + "--mass 0.1 --tolerance 0", usage, "--tolerance: 0 does not lie between 0 and 1");
  expect_failure(base + "--mass 0.1 --precision single --tolerance 1e-10", usage, "--tolerance: 1e-10 is more than");
  expect_failure(base + "--mass 0.1 --max-iterations 0", usage, "--max-iterations");
  expect_failure(base + "--mass 0.1 --multigrid-file x", usage,
                 "--multigrid-file: has no meaning with --solver auto, only with multigrid");
}

TEST(Propagator, TakesDomainWallOptionsWithTheirActionAlone) {
  const std::string domain_wall = base + "--action domain-wall ";
  expect_failure(domain_wall, usage, "--mass: needed with --action domain-wall");
  expect_failure(domain_wall + "--kappa 0.12", usage, "--kappa: has no meaning with --action domain-wall");
  expect_failure(domain_wall + "--mass 0.1,0.2", usage, "--mass: 2 masses are given");
  expect_failure(domain_wall + "--mass 0.1 --ls 0", usage, "--ls");
  expect_failure(domain_wall + "--mass 0.1 --m5=-1.8", usage, "--m5: -1.8 is not positive");
  expect_failure(domain_wall + "--mass 0.1 --m5 5", usage, "--m5: b (4 - M5) + 1 of slice 0 is zero");
  expect_failure(domain_wall + "--mass 0.1 --b 0", usage, "--b: b of slice 0 is zero: B = b + c S has no inverse");
  expect_failure(domain_wall + "--mass=-1 --c 1", usage, "--mass, --b and --c: the matrix B of a domain wall operator");
  expect_failure(domain_wall + "--mass 0.1 --c nan", usage, "--c: 'nan' is no finite number");
  expect_failure(domain_wall + "--mass 0.1 --ls 3 --c 0.5,1", usage,
                 "--c: '0.5,1' is neither a real number nor one number for each of 3 slices: 1.1-0.2i,");
  expect_failure(domain_wall + "--mass 0.1 --ls 2 --b 0.5+1i,0", usage,
                 "--b: b of slice 1 is zero: B = b + c S has no inverse");
  expect_failure(domain_wall + "--mass 0.1 --ls 2 --b 0.5+i,1", usage,
                 "--b: '0.5+i' is no finite number, such as 1.5, 1.46+0.2i");
  expect_failure(domain_wall + "--mass 0.1 --b 1+1i", usage, "for each of 16 slices: 1.1-0.2i,0.9+0.1i,...");
  expect_failure(domain_wall + "--mass 0.1 --solver multigrid", usage,
                 "--solver: multigrid does not solve for domain wall quarks");
  expect_failure(domain_wall + "--mass 0.1 --precision single", usage, "--precision: single: domain-wall propagators");
  expect_failure(base + "--mass 0.1 --ls 8", usage, "--ls: has no meaning with --action wilson, only with domain-wall");
}

TEST(Propagator, TakesEpsilonWithATwistedDoubletAlone) {
  const std::string doublet = base + "--action twisted-doublet --mass 0.1 ";
  expect_failure(doublet, usage, "--mu: needed with --action twisted-doublet");
  expect_failure(doublet + "--mu 0.1", usage, "--epsilon: needed with --action twisted-doublet");
  expect_failure(doublet + "--mu 0.1 --epsilon nan", usage, "--epsilon: nan is not a finite number");
  expect_failure(doublet + "--mu 0.1 --epsilon 5", usage,
                 "--epsilon: (m + 1 + 3 nu/xi_0)^2 + mu^2 - epsilon^2 = -8.18 of a doublet");
  expect_failure(doublet + "--mu 0.1 --epsilon 5 --csw 1", usage, "--epsilon: the upper clover block C at site");
  expect_failure(
      doublet + "--mu 0.1 --epsilon 0.1 --solver bicgstab", usage,
      "--solver: bicgstab does not solve for domain wall quarks and twisted doublets: take auto, cgnr or cgne");
  expect_failure(base + "--mass 0.1 --epsilon 0.1", usage,
                 "--epsilon: has no meaning with --action wilson, only with twisted-doublet");
}

TEST(Propagator, TakesATwistedMassWithItsActionAlone) {
  const std::string twisted = base + "--action twisted-mass ";
  expect_failure(twisted + "--mass 0.1", usage, "--mu: needed with --action twisted-mass");
  expect_failure(twisted + "--mass 0.1 --mu nan", usage, "--mu: nan is not a finite number");
  expect_failure(twisted + "--mass 0.1 --mu 1e200", usage, "--mu: 1e+200 is too large");
  expect_failure(twisted + "--mu 0.1", usage, "--mass or --kappa must be given");
  expect_failure(twisted + "--mass -2.5 --nu 0.5 --mu 0", usage, "--mass: m + 1 + 3 nu/xi_0 and mu are both zero");
  expect_failure(twisted + "--mass 0.1 --mu 0.1 --csw-t 1", usage, "--csw-s: needed with --csw-t");
  for (const std::string action : {"wilson", "clover --csw 1", "staggered"}) {
    expect_failure(
        base + "--mass 0.1 --mu 0.1 --action " + action, usage,
        "--mu: has no meaning with --action " + action.substr(0, action.find(' ')) + ", only with twisted-mass");
  }
  expect_failure(base + "--mass 0.1 --mu 0.1", usage, "--mu: has no meaning with --action wilson");
}

TEST(Propagator, RefusesWhatStaggeredFermionsDoNotHave) {
  const std::string staggered = base + "--action staggered ";
  expect_failure(staggered, usage, "--mass: needed with --action staggered");
  expect_failure(staggered + "--mass 0.1,-0.1 --solver multigrid", usage, "--mass: -0.1 is not positive, as multigrid");
  expect_failure(staggered + "--mass 0", usage, "--mass: 0 has no staggered propagator here");
  expect_failure(staggered + "--mass 1e200", usage, "--mass: the mass 1e+200 is too large");
  expect_failure(staggered + "--mass 1e-200", usage, "--mass: 4m^2 of the staggered operator is 0 for m = 1e-200");
  for (const std::string option : {"--kappa 0.1", "--csw 1", "--csw-s 1", "--csw-t 1", "--xi0 1", "--nu 1",
                                   "--smearing-width 2", "--smearing-steps 20", "--schur none", "--schwarz-steps 4"}) {
    expect_failure(staggered + "--mass 0.1 " + option, usage,
                   option.substr(0, option.find(' ')) + ": has no meaning with --action staggered");
  }
  expect_failure(staggered + "--mass 0.1 --source gaussian", usage,
                 "--source: gaussian has no meaning with --action staggered");
  for (const std::string solver : {"bicgstab", "cgnr", "cgne", "gcr-dd"}) {
    expect_failure(staggered + "--mass 0.1 --solver " + solver, usage,
                   "--solver: " + solver + " does not solve for staggered quarks: take auto, cg or multigrid");
  }
  expect_failure(base + "--mass 0.1 --solver cg", usage, "--solver: cg does not solve for quarks of Wilson's kind");
}

TEST(Propagator, TakesSeveralMassesOfStaggeredActions) {
  expect_failure(base + "--mass 0.1,0.2", usage, "--mass: 2 masses are given, and wilson takes one");
  expect_failure(base + "--mass 0.1,0.2 --csw 1", usage, "--mass: 2 masses are given, and clover takes one");
  for (const std::string action : {"staggered", "asqtad --u0 1", "hisq"}) {
    const std::string staggered = base + "--action " + action + " --mass ";
    expect_failure(staggered + "0.1,,0.2", usage, "--mass: '' is not a number");
    expect_failure(staggered + "0.1,", usage, "--mass: '0.1,' lacks a number");
    expect_failure(staggered + "0.1,heavy", usage, "--mass: 'heavy' is not a number");
    expect_failure(staggered + "0.1,inf", usage, "--mass: inf is not a finite number");
    expect_failure(staggered + "0.1,0", usage, "--mass: 0 has no staggered propagator here");
    expect_failure(staggered + "0.1,0.2,0.10", usage, "--mass: 0.1 is given twice");
  }
}

TEST(Propagator, TakesOptionsOfImprovedActionsWithThemAlone) {
  expect_failure(base + "--action asqtad --mass 0.1", usage, "--u0: needed with --action asqtad");
  for (const std::string u0 : {"0", "-0.9", "1e-60", "1e60", "nan"}) {
    expect_failure(base + "--action asqtad --mass 0.1 --u0=" + u0, usage, "--u0: ");
  }
  for (const std::string action : {"wilson", "staggered", "hisq"}) {
    expect_failure(base + "--mass 0.1 --u0 1 --action " + action, usage,
                   "--u0: has no meaning with --action " + action + ", only with asqtad");
  }
  for (const std::string action : {"wilson", "staggered", "asqtad --u0 1"}) {
    expect_failure(base + "--mass 0.1 --naik-epsilon 0 --action " + action, usage,
                   "--naik-epsilon: has no meaning with --action " + action.substr(0, action.find(' ')));
  }
  const std::string hisq = base + "--action hisq --mass 0.1,0.2,0.3 --naik-epsilon ";
  expect_failure(hisq + "0,0", usage, "--naik-epsilon: 2 values for 3 masses: give one, or one for each");
  expect_failure(hisq + "charm", usage, "--naik-epsilon: 'charm' is not a number");
  expect_failure(base + "--action hisq --mass 0.1 --links 12", usage, "--links: 12 is not one of 18, 14 and 10");
  expect_failure(base + "--action asqtad --u0 1 --mass 0.1 --links 9", usage,
                 "--links: 9 is not one of 18, 14, 12, 10 and 8, the reals of third links");
  expect_failure(base + "--action staggered --mass 0.1 --links 14", usage, "--links: 14 is not one of 18, 12 and 8");
  expect_failure("propagator --unit --size 4,2,4,4 --action hisq --mass 0.1", usage, "--size: ");
  for (const std::string source : {"corner-wall", "even-wall"}) {
    expect_failure(base + "--mass 0.1 --source " + source, usage, "--source: " + source + " is for staggered actions");
  }
  for (const std::string option : {"--kappa 0.1", "--csw 1", "--schur none", "--source gaussian"}) {
    expect_failure(base + "--action hisq --mass 0.1 " + option, usage, "--action hisq");
  }
}

TEST(Propagator, PairsNeedSeveralMasses) {
  for (const std::string action : {"wilson", "hisq"}) {
    expect_failure(base + "--mass 0.1 --pairs --action " + action, usage, "--pairs: needs several values of --mass");
  }
}

TEST(Propagator, WritesFormatsOfStaggeredPropagatorsOfThemAlone) {
  for (const std::string format : {"usqcd", "milc"}) {
    expect_failure(base + "--mass 0.1 --output-format " + format, usage,
                   "--output-format: " + format + " is for staggered actions, not for --action wilson");
  }
  expect_failure(base + "--mass 0.1 --output-format hdf5", usage, "--output-format");
  for (const std::string run : {"--output-format scidac", "--action staggered --output-format milc"}) {
    expect_failure(base + "--mass 0.1 " + run, usage, "--output-format: has no meaning without --output");
  }
}

TEST(Propagator, KeepsItsFilesApart) {
  const std::string text = " is the file of --gauge, which it would replace: give another name";
  expect_failure(base + "--mass 0.1 --output x --correlator x", usage, "--correlator: x is the file of --output");
  expect_failure(base + "--mass 0.1 --output ./x --correlator x", usage, "--correlator: x is the file of --output");
  expect_failure(base + "--mass 0.1 --solver multigrid --multigrid-file ./x --correlator x", usage,
                 "--multigrid-file: ./x is the file of --correlator");
  expect_failure("propagator --gauge x --mass 0.1 --output x", usage, "--output: x" + text);
  expect_failure("propagator --gauge x --mass 0.1 --correlator ./x", usage, "--correlator: ./x" + text);
  const TemporaryFolder folder;
  const std::string field = folder / "field";
  std::ofstream(field) << "a gauge field";
  std::filesystem::create_symlink("field", folder / "link");
  std::filesystem::create_hard_link(field, folder / "hard");
  std::filesystem::create_directory_symlink(".", folder / "sub");
  for (const std::string name : {"field", "link", "hard", "sub/field", "sub/./link"}) {
    const std::string other = folder / name;
    expect_failure("propagator --mass 0.1 --gauge " + field + " --output " + other, usage, "--output: " + other + text);
    expect_failure("propagator --mass 0.1 --gauge " + other + " --correlator " + field, usage,
                   "--correlator: " + field + text);
    expect_failure("convert " + field + " " + other, usage, "OUT: " + other + " is the file of IN");
  }
  EXPECT_EQ(read_text(field), "a gauge field");

  const std::string pairs = "propagator --mass 0.1,0.2 --action staggered --pairs --correlator c.json ";
  expect_failure(pairs + "--gauge c_m0.1_m0.2.json", usage, "--correlator: c_m0.1_m0.2.json" + text);
  expect_failure(pairs + "--unit --size 4,4,4,4 --output c_m0.1.json", usage,
                 "--correlator: c_m0.1_m0.2.json is the file of --output");
}

TEST(Propagator, RefusesOptionsOfOtherSourcesAndSolvers) {
  const std::string run = "propagator --unit --size 4,4,4,4 --mass 0.5 ";
  expect_failure(run + "--smearing-width 3", usage, "--smearing-width: has no meaning with --source point");
  expect_failure(run + "--source wall --smearing-steps 3", usage,
                 "--smearing-steps: has no meaning with --source wall");
  expect_failure(run + "--schwarz-steps 3", usage, "--schwarz-steps: has no meaning with --solver auto");
  for (const std::string other :
       {"--solver bicgstab", "--source wall --solver cgnr", "--action staggered --solver cg"}) {
    expect_failure(run + "--seed 2 " + other, usage, "--seed: there are no random numbers with --source ");
  }
  for (const std::string other : {"--solver auto", "--solver bicgstab --source wall-z2"}) {
    expect_success(run + "--seed 2 " + other);
  }
}

TEST(Propagator, RefusesMultigridOnLatticesWithoutAggregates) {
  expect_failure("propagator --unit --size 2,2,2,2 --action staggered --mass 0.1 --solver multigrid", usage,
                 "--solver: multigrid: multigrid finds no aggregates on a local lattice of 1x1x1x1");
}

TEST(Propagator, RefusesOptionsOfIterationsThatHaveNone) {
  const std::string exact = base + "--mass 0.5 --precision ";
  for (const std::string run : {"double", "single", "double --solver gcr-dd", "double --action staggered"}) {
    expect_failure(exact + run + " --delta 0.2", usage, "--delta: has no meaning with --precision ");
  }
  for (const std::string run : {"double-half", "double --links 12", "single --action staggered"}) {
    expect_success(exact + run + " --delta 0.2");
  }
  const std::string together = base + "--mass 0.5,0.6 --precision double --action ";
  expect_failure(together + "staggered --links 12", usage,
                 "--links: has no meaning with --precision double and masses that are solved for together");
  expect_failure(together + "hisq --halo half", usage, "--halo: has no meaning with --precision double and masses");
  expect_success(together + "hisq --links 14 --naik-epsilon 0,0.1");
}

TEST(Propagator, RefusesEigenvectorsOfSeveralOperators) {
  const std::string run = base + "--action hisq --mass 0.1,0.2 --eigenvectors v --naik-epsilon ";
  expect_failure(run + "0,-0.3", usage, "--eigenvectors: those of one Naik epsilon are not those of another");
  expect_failure(run + "-0.3,-0.3", input, "--eigenvectors: cannot open v for reading");
}

TEST(Propagator, RefusesValuesThatOverflow) {
  expect_failure(base + "--mass 0.1 --boundary 0,0,0,nan", usage, "--boundary: 'nan' is neither");
  expect_failure(base + "--mass 0.1 --boundary 0,inf,0,0", usage, "--boundary: 'inf' is neither");
  expect_failure(base + "--kappa 1e308", usage, "--kappa: mass -4 has no kappa: it must be above -4");
  expect_failure(base + "--mass -2.5 --nu 0.5", usage, "--mass: the diagonal m + 1 + 3 nu/xi_0 is zero");
  expect_failure(base + "--kappa 1e-320", usage, "--kappa: the mass inf is not a finite number");
  expect_failure(base + "--mass 0.1 --xi0 1e-320", usage, "--xi0: nu/xi0 = 1/1e-320 = inf is not a finite number");
  expect_failure(base + "--mass 0.1 --nu 1e300", usage, "--xi0: nu/xi0 = 1e+300/1 = 1e+300 is too large");
  expect_failure(base + "--mass 1e300", usage, "--mass: the mass 1e+300 is too large");
  expect_failure(base + "--kappa 1e-300", usage, "--kappa: the mass 4.99");
  // Residuals of the even-odd system, or squares of the eigenvalues of M^dag M, leave the range of double.
  for (const std::string run : {"propagator", "eigenvalues"}) {
    const std::string clover = run + " --unit --size 4,4,4,4 --mass 0.1 --csw ";
    expect_failure(clover + "1e150", usage,
                   "--csw: 1e+150 is too large: squares of residuals overflow; give at most 1e+70");
  }
  expect_failure(base + "--kappa 1e-150", usage, "--kappa: the mass 5");
  expect_failure(base + "--mass 0.1 --csw 1e40 --precision single-half", usage,
                 "--csw: 1e+40 is too large for iterations in single precision (--precision single");
  expect_failure(base + "--mass 1e40 --precision single", usage,
                 "--mass: the mass 1e+40 is too large for iterations in single precision (--precision single): give at "
                 "most 1e+18");
  for (const std::string csw : {"--csw", "--csw-s 1 --csw-t"}) {
    expect_failure(base + "--mass 0.1 " + csw + " 1e300", usage, "1e+300 is too large");
  }
  expect_failure(base + "--action hisq --mass 0.1 --naik-epsilon 1e300", usage, "--naik-epsilon: 1e+300 is too large");
  expect_failure(base + "--action hisq --mass 0.1 --naik-epsilon 1e25 --precision single", usage,
                 "--naik-epsilon: 1e+25 is too large for iterations in single precision (--precision single");
  const std::string small = "propagator --unit --size 4,4,4,8 --solver multigrid ";
  const std::string trajectories =
      "hmc --size 4,4,4,4 --beta 5 --start cold --steps 2,2 --trajectories 1 --output none ";
  for (const std::string quark : {"", "--action staggered ", "--action hisq "}) {
    expect_failure(
        small + quark + "--mass 1e39", usage,
        "--mass: the mass 1e+39 is too large for iterations in single precision (--solver multigrid): give at most");
    expect_failure(trajectories + quark + "--mass 1e39", usage,
                   "--mass: the mass 1e+39 is too large for iterations in single precision (hybrid Monte Carlo)");
  }
  expect_failure(small + "--mass 0.1 --csw 1e39", usage,
                 "--csw: 1e+39 is too large for iterations in single precision");
  for (const char* numbers : {"1e30", "1e50", "1e70"}) {
    for (const std::string command : {"propagator", "eigenvalues"}) {
      expect_failure(
          command + " --unit --size 4,4,4,4 --action domain-wall --ls 4 --mass 0.1 --c " + numbers, usage,
          "--mass, --b and --c: numbers of the matrix B of a domain wall operator with 4 slices grow by 1e+");
    }
  }
  for (const std::string option : {"--m5", "--b", "--c"}) {
    const std::string wall = "propagator --unit --size 4,4,4,4 --action domain-wall --ls 4 --mass 0.1 " + option;
    expect_failure(wall + " 1e300", usage, option + ": 1e+300 is too large");
  }
  expect_failure(base + "--action domain-wall --mass 1e300", usage, "--mass: the mass 1e+300 is too large");
  expect_failure(base + "--action domain-wall --mass 0.1 --b 1e-300", usage, "--b: 1/1e-300 = ");
  const std::string predict = "predict --size 4,4,4,8 ";
  expect_failure(predict + "--csw 1e150", usage, "--csw: 1e+150 is too large");
  expect_failure(predict + "--csw 1e300", usage, "--csw: 1e+300 is too large");
  expect_failure(predict + "--action domain-wall --m5 1e300", usage, "--m5: 1e+300 is too large");
  const std::string hmc = "hmc --size 4,4,4,4 --beta 5 --output never ";
  expect_failure(hmc + "--mass 0.1 --csw 1e150", usage, "--csw: 1e+150 is too large");
  expect_failure(hmc + "--mass 1e300", usage, "--mass: the mass 1e+300 is too large");
  expect_failure(hmc + "--action hisq --mass 0.1 --naik-epsilon 1e300", usage, "1e+300 is too large");
  for (const std::string noise : {"1e200", "1e308"}) {
    const std::string weak = "propagator --size 4,4,4,4 --mass 0.1 --weak " + noise;
    expect_failure(weak, usage, "--weak: noise of 1e+" + noise.substr(2) + " overflows");
  }
  const std::string smeared = base + "--mass 0.1 --source gaussian --smearing-width ";
  expect_failure(smeared + "1e160", usage, "--smearing-width: smearing to 1e+160 in 20 steps overflows");
  expect_failure(smeared + "1e10 --smearing-steps 30", usage, "at most 2/3 of --smearing-steps");
  expect_failure(smeared + "inf", usage, "--smearing-width: inf is not a finite number");
}

TEST(Program, RefusesLatticesOfTooManySites) {
  for (const std::string size : {"65536,65536,65536,65536", "1048576,1048576,1048576,16"}) {
    const std::string text = "has more than 2^40 sites";
    expect_failure("generate --beta 6 --sweeps 1 --output x --size " + size, usage, text);
    expect_failure("propagator --unit --mass 1 --size " + size, usage, text);
    expect_failure("info --size " + size, usage, text);
  }
  expect_failure("info --size 4,4,4,4 --grid 2147483647,1,1,1", usage,
                 "--grid: process grid 2147483647x1x1x1 does not");
}

TEST(Program, SaysShortlyWhichNumbersItTakes) {
  for (const std::string value : {"nan", "inf", "-1", "1e999", "six"}) {
    const std::string kind =
        value == "1e999" || value == "six" ? " is not a number\n" : " is not a number of at least 0";
    const Outcome outcome =
        expect_failure("generate --size 4,4,4,4 --output x --beta " + value, usage, "--beta: '" + value + "'" + kind);
    EXPECT_LT(outcome.errors.size(), 200u) << outcome.errors;
  }
  const Outcome outcome =
      expect_failure("propagator --max-iterations 0", usage, "--max-iterations: '0' is not a positive number");
  EXPECT_LT(outcome.errors.size(), 200u) << outcome.errors;
}

TEST(Generate, TakesABetaOfZero) {
  const TemporaryFolder folder;
  expect_success("generate --size 4,4,4,4 --beta 0 --sweeps 1 --output " + (folder / "x"));
}

TEST(Generate, RefusesImpossibleNumbers) {
  const TemporaryFolder folder;
  const std::string start = "generate --size 4,4,4,4 --beta 6 --sweeps 2 --output " + (folder / "e") + " ";
  for (const std::string seed : {"-1", "18446744073709551616", "99999999999999999999", "1.5", "0x1", "1e3", "''"}) {
    expect_failure(start + "--seed=" + seed, usage, "--seed: ");
    expect_failure(base + "--mass 0.1 --seed=" + seed, usage, "--seed: ");
  }
  expect_failure(start + "--thermalization 2147483646", usage,
                 "--thermalization: 2147483646 updates and 2 that count are more than 2147483647");
  EXPECT_EQ(folder.entries(), 0);
  for (const std::string seed : {"18446744073709551615", "010"}) {
    const std::string said = expect_success(start + "--overwrite --seed=" + seed).output;
    EXPECT_TRUE(contains(said, seed == "010" ? "with seed 10\n" : "with seed " + seed + "\n")) << said;
  }
}

TEST(Generate, RefusesImpossibleOptions) {
  const std::string start = "generate --output x --size ";
  expect_failure("generate --beta 6 --output x", usage, "--size is required");
  expect_failure("generate --size 4,4,4,4 --output x", usage, "--beta is required");
  expect_failure(start + "4,4,4,4 --beta -1", usage, "--beta");
  expect_failure(start + "4,4,4,5 --beta 6", usage, "--size: 5 is not a usable extent");
  expect_failure(start + "4,4,4,4 --beta 6 --sweeps 0", usage, "--sweeps");
  expect_failure(start + "4,4,4,4 --beta 6 --resume --overwrite", usage, "--resume and --overwrite contradict");
  expect_failure(start + "4,4,4,4 --beta 6 --start lukewarm", input, "--start: ");
}

}  // namespace KAON_TEST_FILE
