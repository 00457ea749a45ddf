// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/apps/cli_test.hpp"

#include <kaon/quarks/solve_options.hpp>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <filesystem>
#include <map>
#include <regex>

namespace KAON_TEST_FILE {

using namespace kaon;
using namespace kaon::test;

TEST(Program, HelpsWithEverySubcommand) {
  const Outcome help = expect_success("--help");
  for (const std::string command : {"info", "plaquette", "generate", "hmc", "convert", "propagator", "measure",
                                    "eigenvalues", "fix-gauge", "smear", "flow", "smear-links", "tune"}) {
    EXPECT_TRUE(contains(help.output, "  " + command + " ")) << help.output;
    const Outcome own = expect_success(command + " --help");
    EXPECT_TRUE(contains(own.output, "kaon " + command)) << own.output;
    EXPECT_TRUE(contains(own.output, "Exit codes: 0 success; 2 ")) << own.output;
  }
}

TEST(Program, HelpFitsOnAScreen) {
  for (const std::string command : {"propagator", "measure", "eigenvalues", "hmc", "smear", "flow"}) {
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
  expect_refusals("", {{"propagator --unit --size 4,4,4,4 --mass 1 --output ''", "--output: nothing is given"},
                       {"generate --size 4,4,4,4 --beta 6 --output ''", "--output: nothing is given"},
                       {"plaquette x --size= --json", "--size: nothing is given"},  // not "--json"
                       {"generate --size 4,4,4,4 --output x --beta= --resume", "--beta: '' is not a number"},
                       {"convert '' out", "IN: nothing is given"},
                       {"plaquette --size 4,4,4,4, x", "--size: '4,4,4,4,' is not four integers"},
                       {"generate --size 4,4,,4 --beta 6 --output x", "--size: '' in '4,4,,4' is not an integer"},
                       {"info --size 4,4,4,4 --grid 1,1,1,1,", "--grid: '1,1,1,1,' is not four integers"}});
}

TEST(Program, SuggestsWhatWasMeant) {
  expect_refusals("", {{"", "subcommand is required"},
                       {"plaquett", "plaquett: unknown subcommand; did you mean plaquette?"},
                       {"plaquette --jsno file", "--jsno: unknown option; did you mean --json?"},
                       {"propagator --tolerence 1e-8", "--tolerence: unknown option; did you mean --tolerance?"},
                       {"propagator --tolerence=1e-8", "--tolerence: unknown option; did you mean --tolerance?"},
                       {"propagator --xyz", "--xyz: unknown option\n"},
                       {"info surplus", "surplus: not expected"},
                       {"propagator --gauge", "--gauge: FILE is missing"},
                       {"propagator --mass 1 --mass 2", "--mass: it is given 2 times"},
                       {"plaquette", "FILE is required"}});
}

TEST(Program, RefusesFilesThatAreNotGaugeFields) {
  const TemporaryFolder folder;
  std::ofstream(folder / "text") << "not a gauge field\n";
  std::ofstream(folder / "empty");
  expect_refusals("plaquette ", {{folder / "absent", "No such file", input},
                                 {folder / "text", "FILE: ", input},
                                 {folder / "empty", "FILE: ", input},
                                 {folder.path().string(), "FILE: ", input},
                                 {"--size 4,4,4 x", "--size: '4,4,4' is not four integers separated by commas"},
                                 {"--size 4,4,4,5 x", "--size: 5 is not a usable extent"}});
}

/// Options of `propagator` that make it complete, except for the mass.
const std::string base = "propagator --unit --size 4,4,4,4 ", heavy = base + "--mass 0.1 ";

TEST(Propagator, NeedsOneGaugeFieldAndOneMass) {
  expect_refusals("propagator --mass 0.1 ", {{"", "--gauge: no gauge field is given"},
                                             {"--unit", "--size: needed with --unit"},
                                             {"--unit --size 4,4,3,4", "--size: 3 is not a usable extent"},
                                             {"--unit --size 4,4,0,4", "--size: 0 is not a usable extent"},
                                             {"--unit --size 4,4,x,4", "--size: 'x' in '4,4,x,4' is not an integer"},
                                             {"--unit --weak 0.1", "--gauge, --unit and --weak: give one of them"},
                                             {"--gauge /nowhere/field", "--gauge: ", input},
                                             {"--size 4,4,4,4 --weak 1e308", "--weak: noise of 1e+308 overflows"}});
  expect_refusals(base, {{"", "--mass or --kappa must be given"},
                         {"--mass -0.1 --kappa 0.13", "--mass and --kappa are both given"},
                         {"--kappa 0", "--kappa: "},
                         {"--kappa -0.1", "--kappa: "},
                         {"--kappa 1e308", "--kappa: mass -4 has no kappa: it must be above -4"},
                         {"--mass heavy", "--mass"},
                         {"--mass nan", "--mass: nan is not a finite number"}});
}

TEST(Propagator, RefusesOptionsThatContradictEachOther) {
  expect_refusals(heavy, {{"--action wilson --csw 1", "--csw: has no meaning with --action wilson, only with clover"},
                          {"--action clover", "--csw: needed with --action clover"},
                          {"--csw 1 --csw-t 1", "--csw: give either it or both"},
                          {"--csw-s 1", "--csw-t: needed with --csw-s"},
                          {"--action domain", "--action"},
                          {"--solver gmres", "--solver"},
                          {"--solver cg", "--solver: cg does not solve for quarks of Wilson's kind"},
                          {"--precision half", "--precision"},
                          {"--links 10", "--links: 10 is not one of 18, 12 and 8"},
                          {"--halo double", "--halo"},
                          {"--delta 1.5", "--delta: 1.5 does not lie between 0 and 1"},
                          {"--tolerance 0", "--tolerance: 0 does not lie between 0 and 1"},
                          {"--max-iterations 0", "--max-iterations: '0' is not a positive number\n"},
                          {"--precision single --tolerance 1e-10", "--tolerance: 1e-10 is more than"},
                          {"--multigrid-file x", "--multigrid-file: has no meaning with --solver auto, only with "},
                          {"--xi0 0", "--xi0: 0 is not positive"},
                          {"--boundary periodic", "--boundary: 'periodic' is not four"},
                          {"--boundary 0,0,0,0,", "--boundary: '0,0,0,0,' is not four boundary conditions"},
                          {"--boundary 0,0,0,open", "--boundary: 'open' is neither"},
                          {"--boundary 0,inf,0,0", "--boundary: 'inf' is neither"},
                          {"--solver multigird", "--solver: 'multigird' is none of auto, cg, bicgstab,"},
                          {"--solver multigird", "; did you mean multigrid?"},
                          {"--boundary 0,0,0,180", "--boundary: '180' is neither"},
                          {"--boundary 1,1,1,-1", "--boundary: '1,1,1,-1' are angles, not signs"},
                          {"--source-site 0,0,0,4", "--source-site: site 0,0,0,4 does not lie on"},
                          {"--source-site 0,0,-1,0", "--source-site: site 0,0,-1,0 does not lie on"},
                          {"--pairs", "--pairs: needs several values of --mass"},
                          {"--output-format hdf5", "--output-format"},
                          {"--output-format scidac", "--output-format: has no meaning without --output"}});
}

// Refusals of options and words that some quarks do not have list the actions that read them.
TEST(Propagator, TakesOptionsWithTheirActionsAlone) {
  const std::string wall = "--action domain-wall ", doublet = "--action twisted-doublet ", staggered = "--action hisq ";
  expect_refusals(heavy,
                  {{"--ls 8", "--ls: has no meaning with --action wilson, only with domain-wall"},
                   {"--epsilon 0.1", "--epsilon: has no meaning with --action wilson, only with twisted-doublet"},
                   {"--mu 0.1", "--mu: has no meaning with --action wilson, only with twisted-mass"},
                   {"--u0 1", "--u0: has no meaning with --action wilson, only with asqtad"},
                   {staggered + "--mu 0.1", "--mu: has no meaning with --action hisq, only with twisted-mass"},
                   {staggered + "--u0 1", "--u0: has no meaning with --action hisq, only with asqtad"},
                   {"--action asqtad --u0 1 --naik-epsilon 0", "--naik-epsilon: has no meaning with --action as"},
                   {"--action asqtad", "--u0: needed with --action asqtad"},
                   {wall + "--kappa 0.12", "--kappa: has no meaning with --action domain-wall"},
                   {doublet, "--mu: needed with --action twisted-doublet"},
                   {doublet + "--mu 0.1", "--epsilon: needed with --action twisted-doublet"},
                   {"--action twisted-mass", "--mu: needed with --action twisted-mass"},
                   {"--action twisted-mass --mu 0.1 --csw-t 1", "--csw-s: needed with --csw-t"}});
  for (const std::string option : {"--kappa 0.1", "--csw 1", "--csw-s 1", "--csw-t 1", "--xi0 1", "--nu 1",
                                   "--smearing-width 2", "--smearing-steps 20", "--schur none"}) {
    expect_failure(heavy + staggered + option, usage, option.substr(0, option.find(' ')) + ": has no meaning with ");
  }
  expect_failure(heavy + staggered + "--source gaussian", usage,
                 "--source: gaussian has no meaning with --action hisq");
  for (const std::string word :
       {"--source corner-wall", "--source even-wall", "--output-format milc", "--eigenvectors x"}) {
    const auto blank = word.find(' ');
    const std::string text = word.substr(0, blank) + (word.ends_with(" x") ? ":" : ":" + word.substr(blank));
    expect_failure(heavy + word, usage,
                   text + " has no meaning with --action wilson, only with staggered, asqtad, hisq, improved");
  }
  expect_refusals(base, {{staggered, "--mass: needed with --action hisq"},
                         {wall, "--mass: needed with --action domain-wall"},
                         {"--action twisted-mass --mu 0.1", "--mass or --kappa must be given"}});
}

// Options of one method, with every other method.
TEST(Propagator, TakesOptionsWithTheirMethodsAlone) {
  for_each_solver_number([](const SolverOption& option, auto) {
    if (!option.method) return;
    for (const SolvingMethod& method : krylov_methods) {
      if (method.value == *option.method || !method.solves_for(OperatorKind::definite)) continue;
      expect_failure(fmt::format("{} --solver {} {} 3", heavy, method.word, option.option), usage,
                     fmt::format("{}: has no meaning with --solver {}, only with {}", option.option, method.word,
                                 entry_of(*option.method).word));
    }
    expect_failure(fmt::format("{} --action hisq {} 3", heavy, option.option), usage,
                   fmt::format("{}: has no meaning with --action hisq", option.option));
  });
}

TEST(Propagator, RefusesNumbersThatOperatorsCannotHave) {
  const std::string wall = heavy + "--action domain-wall ", doublet = heavy + "--action twisted-doublet --mu 0.1 ";
  expect_refusals(wall, {{"--ls 0", "--ls"},
                         {"--m5=-1.8", "--m5: -1.8 is not positive"},
                         {"--m5 5", "--m5: b (4 - M5) + 1 of slice 0 is zero"},
                         {"--b 0", "--b: b of slice 0 is zero: B = b + c S has no inverse"},
                         {"--c nan", "--c: 'nan' is no finite number"},
                         {"--ls 3 --c 0.5,1", "--c: '0.5,1' is neither a real number nor one number for each of 3 "},
                         {"--ls 2 --b 0.5+1i,0", "--b: b of slice 1 is zero: B = b + c S has no inverse"},
                         {"--ls 2 --b 0.5+i,1", "--b: '0.5+i' is no finite number, such as 1.5, 1.46+0.2i"},
                         {"--b 1+1i", "for each of 16 slices: 1.1-0.2i,0.9+0.1i,..."},
                         {"--solver bicgstab", "--solver: bicgstab does not solve for domain wall quarks"},
                         {"--solver multigrid --multigrid-file vectors", "--multigrid-file"},
                         {"--solver multigrid --schur symmetric",
                          "--schur: multigrid of domain-wall quarks works on the asymmetric form, not on symmetric"},
                         {"--precision single", "--precision: single: domain-wall propagators"}});
  expect_refusals(doublet, {{"--epsilon nan", "--epsilon: nan is not a finite number"},
                            {"--epsilon 5", "--epsilon: (m + 1 + 3 nu/xi_0)^2 + mu^2 - epsilon^2 = -8.18 of a doublet"},
                            {"--epsilon 5 --csw 1", "--epsilon: the upper clover block C at site"},
                            {"--epsilon 0.1 --solver multigrid --schur symmetric", "works on the asymmetric form"},
                            {"--epsilon 0.1 --solver bicgstab", "wisted doublets: take auto, multigrid, cgnr, cgne"}});
  expect_refusals(base, {{"--mass=-1 --action domain-wall --c 1", "--mass, --b and --c: the matrix B of a domain wall"},
                         {"--action twisted-mass --mass -2.5 --nu 0.5 --mu 0", "--mass: m + 1 + 3 nu/xi_0 and mu are"},
                         {"--mass -2.5 --nu 0.5", "--mass: the diagonal m + 1 + 3 nu/xi_0 is zero"},
                         {"--action hisq --mass 0.1 --links 12", "--links: 12 is not one of 18, 14 and 10"},
                         {"--action asqtad --u0 1 --mass 0.1 --links 9",
                          "--links: 9 is not one of 18, 14, 12, 10 and 8, the reals of third links"},
                         {"--action staggered --mass 0.1 --links 14", "--links: 14 is not one of 18, 12 and 8"}});
  for (const std::string u0 : {"0", "-0.9", "1e-60", "1e60", "nan"}) {
    expect_failure(heavy + "--action asqtad --u0=" + u0, usage, "--u0: ");
  }
  expect_failure("propagator --unit --size 4,2,4,4 --action hisq --mass 0.1", usage, "--size: ");
  expect_failure("propagator --unit --size 2,2,2,2 --action staggered --mass 0.1 --solver multigrid", usage,
                 "--solver: multigrid: multigrid finds no aggregates on a local lattice of 1x1x1x1");
}

TEST(Propagator, TakesSeveralMassesOfStaggeredActions) {
  expect_refusals(base, {{"--mass 0.1,0.2", "--mass: 2 masses are given, and wilson takes one"},
                         {"--mass 0.1,0.2 --csw 1", "--mass: 2 masses are given, and clover takes one"},
                         {"--action domain-wall --mass 0.1,0.2", "--mass: 2 masses are given"}});
  expect_refusals(base + "--action staggered --mass ",
                  {{"0.1,,0.2", "--mass: '' is not a number"},
                   {"0.1,", "--mass: '0.1,' lacks a number"},
                   {"0.1,heavy", "--mass: 'heavy' is not a number"},
                   {"0.1,inf", "--mass: inf is not a finite number"},
                   {"0.1,0", "--mass: 0 has no staggered propagator here"},
                   {"0.1,0.2,0.10", "--mass: 0.1 is given twice"},
                   {"0.1,-0.1 --solver multigrid", "--mass: -0.1 is not positive, as multigrid"},
                   {"1e-200", "--mass: 4m^2 of the staggered operator is 0 for m = 1e-200"},
                   {"0.1,0.2 --solver block-cg", "--solver: block-cg solves for one mass at a time, in double"},
                   {"0.1 --solver block-cg --precision single", "--solver: block-cg solves for one mass at a time"},
                   {"0.1 --solver bicgstab", "does not solve for staggered quarks: take auto, cg, multigrid or"},
                   {"0.1 --pairs", "--pairs: needs several values of --mass"}});
  expect_refusals(base + "--action hisq --mass 0.1,0.2,0.3 ",
                  {{"--naik-epsilon 0,0", "--naik-epsilon: 2 values for 3 masses: give one, or one for each"},
                   {"--naik-epsilon charm", "--naik-epsilon: 'charm' is not a number"},
                   {"--eigenvectors v --naik-epsilon 0,0,-0.3", "--eigenvectors: those of one Naik epsilon are not "},
                   {"--eigenvectors v --naik-epsilon -0.3", "--eigenvectors: cannot open v for reading", input}});
}

TEST(Propagator, KeepsItsFilesApart) {
  const std::string text = " is the file of --gauge, which it would replace: give another name";
  expect_failure(base + "--mass 0.1 --output x --correlator x", usage, "--correlator: x is the file of --output");
  expect_failure(base + "--mass 0.1 --output ./x --correlator x", usage, "--correlator: x is the file of --output");
  expect_failure(base + "--mass 0.1 --solver multigrid --multigrid-file ./x --correlator x", usage,
                 "--multigrid-file: ./x is the file of --correlator");
  expect_failure("propagator --gauge x --mass 0.1 --output x", usage, "--output: x" + text);
  expect_failure("propagator --gauge x --mass 0.1 --correlator ./x", usage, "--correlator: ./x" + text);
  const std::string hdf5 = " is the name of an HDF5 file, but the format ";
  expect_failure(base + "--mass 0.1 --output x.h5", usage, "--output: x.h5" + hdf5 + "scidac is not HDF5");
  expect_failure("convert a x.hdf5 --format grid", usage, "OUT: x.hdf5" + hdf5 + "grid is not HDF5");
  expect_failure("smear a --method ape --output x.h5", usage, "--output: x.h5" + hdf5 + "ildg is not HDF5");
  expect_failure("convert a x.nersc", usage,
                 "OUT: x.nersc is the name of a NERSC file, but the format ildg is not NERSC (nersc, nersc3x3): give "
                 "another --format");
  expect_failure("convert a x.lime --format nersc3x3", usage, "a LIME file, but the format nersc3x3 is not LIME");
  expect_failure(base + "--mass 0.1 --output x.milc", usage, "--output: x.milc is the name of a MILC file");
  for (const std::string end : {".h5 --format qdpxx", ".nersc --format nersc", ".ildg", ".scidac --format grid"}) {
    expect_failure("convert a x" + end, input, "IN: cannot open a");
  }
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

TEST(Propagator, RefusesOptionsOfOtherSourcesAndIterations) {
  const std::string run = base + "--mass 0.5 ", together = base + "--mass 0.5,0.6 --precision double --action ";
  expect_refusals(run, {{"--smearing-width 3", "--smearing-width: has no meaning with --source point"},
                        {"--source wall --smearing-steps 3", "--smearing-steps: has no meaning with --source wall"}});
  for (const std::string other :
       {"--solver bicgstab", "--source wall --solver cgnr", "--action staggered --solver cg"}) {
    expect_failure(run + "--seed 2 " + other, usage, "--seed: there are no random numbers with --source ");
  }
  for (const std::string exact : {"double", "single", "double --solver gcr-dd", "double --action staggered"}) {
    expect_failure(run + "--precision " + exact + " --delta 0.2", usage, "--delta: has no meaning with --precision ");
  }
  expect_refusals(together,
                  {{"staggered --links 12",
                    "--links: has no meaning with --precision double and masses that are solved for together"},
                   {"hisq --halo half", "--halo: has no meaning with --precision double and masses"}});
  for (const std::string good :
       {"--seed 2", "--seed 2 --solver bicgstab --source wall-z2", "--precision double-half --delta 0.2",
        "--precision double --links 12 --delta 0.2", "--precision single --action staggered --delta 0.2"}) {
    expect_success(run + good);
  }
  expect_success(together + "hisq --links 14 --naik-epsilon 0,0.1");
}

// Residuals of the even-odd system, or squares of the eigenvalues of M^dag M, leave the range of double.
TEST(Program, RefusesValuesThatOverflow) {
  const std::string hisq = "--action hisq ", wall = "--action domain-wall --ls 4 ", smeared = "--source gaussian ";
  expect_refusals(base, {{"--kappa 1e-320", "--kappa: the mass inf is not a finite number"},
                         {"--kappa 1e-150", "--kappa: the mass 5"},
                         {"--mass 1e300", "--mass: the mass 1e+300 is too large"},
                         {"--mass 1e40 --precision single",
                          "--mass: the mass 1e+40 is too large for iterations in single precision (--precision "
                          "single): give at most 1e+18"},
                         {hisq + "--mass 1e300", "--mass: the mass 1e+300 is too large"}});
  expect_refusals(
      heavy,
      {{"--xi0 1e-320", "--xi0: nu/xi0 = 1/1e-320 = inf is not a finite number"},
       {"--nu 1e300", "--xi0: nu/xi0 = 1e+300/1 = 1e+300 is too large"},
       {"--csw 1e40 --precision single-half", "--csw: 1e+40 is too large for iterations in single precision"},
       {"--csw 1e300", "1e+300 is too large"},
       {"--csw-s 1 --csw-t 1e300", "--csw-t: 1e+300 is too large"},
       {"--action twisted-mass --mu 1e200", "--mu: 1e+200 is too large"},
       {hisq + "--naik-epsilon 1e300", "--naik-epsilon: 1e+300 is too large"},
       {hisq + "--naik-epsilon 1e25 --precision single", "--naik-epsilon: 1e+25 is too large for iterations"},
       {wall + "--c 1e70", "--mass, --b and --c: numbers of the matrix B of a domain wall operator with 4 slices"},
       {wall + "--m5 1e300", "--m5: 1e+300 is too large"},
       {wall + "--b 1e300", "--b: 1e+300 is too large"},
       {wall + "--b 1e-300", "--b: 1/1e-300 = "},
       {smeared + "--smearing-width 1e160", "--smearing-width: smearing to 1e+160 in 20 steps grows without bound"},
       {smeared + "--smearing-width 4.48 --smearing-steps 30", "width^2 is at most 2/3 of the steps"},
       {smeared + "--smearing-width inf", "--smearing-width: inf is not a finite number"}});
  const std::string multigrid = "propagator --unit --size 4,4,4,8 --solver multigrid ",
                    hmc = "hmc --size 4,4,4,4 --beta 5 --output never ";
  for (const std::string quark : {"", "--action staggered "}) {
    const std::string text = "--mass: the mass 1e+39 is too large for iterations in single precision ";
    expect_failure(multigrid + quark + "--mass 1e39", usage, text + "(--solver multigrid): give at most");
    expect_failure(hmc + quark + "--mass 1e39", usage, text + "(hybrid Monte Carlo)");
  }
  for (const std::string& run : {base + "--mass 0.1", std::string("eigenvalues --unit --size 4,4,4,4 --mass 0.1"),
                                 std::string("predict --size 4,4,4,8"), hmc + "--mass 0.1"}) {
    expect_failure(run + " --csw 1e150", usage, "--csw: 1e+150 is too large");
  }
}

TEST(Program, RefusesLatticesOfTooManySites) {
  for (const std::string run : {"generate --beta 6 --sweeps 1 --output x", "propagator --unit --mass 1", "info"}) {
    for (const std::string size : {"65536,65536,65536,65536", "1048576,1048576,1048576,16"}) {
      expect_failure(run + " --size " + size, usage, "has more than 2^40 sites");
    }
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
  expect_success("generate --size 4,4,4,4 --beta 0 --sweeps 1 --output " + (folder / "x"));
}

TEST(Generate, RefusesImpossibleOptions) {
  expect_refusals("generate --output x ", {{"--beta 6", "--size is required"},
                                           {"--size 4,4,4,4", "--beta is required"},
                                           {"--size 4,4,4,5 --beta 6", "--size: 5 is not a usable extent"},
                                           {"--size 4,4,4,4 --beta 6 --sweeps 0", "--sweeps"},
                                           {"--size 4,4,4,4 --beta 6 --resume --overwrite", "--resume and --overwrite"},
                                           {"--size 4,4,4,4 --beta 6 --start lukewarm", "--start: ", input}});
}

}  // namespace KAON_TEST_FILE
