// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/apps/measure_input.hpp"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace KAON_TEST_FILE {

using namespace kaon;
using namespace kaon::test;

TEST_F(Measure, ReadsItsExampleAndDocumentsItsKeys) {
  const std::string name = folder_ / "example.toml";
  std::ofstream(name) << expect_success("measure --example spectrum").output;
#ifdef KAON_TEST_HAS_HDF5
  expect_success("measure --dry-run " + name + " " + std::string(KAON_EXAMPLES) + "/quenched_b6.0_8x8x8x16.nersc");
#endif
  const std::string documents = read_text(std::string(KAON_EXAMPLES) + "/../docs/measure.md");
  EXPECT_TRUE(contains(documents, expect_success("measure --keys").output))
      << "docs/measure.md lacks kaon measure --keys";
  const std::string fence = "\n```toml\n";
  const std::size_t begin = documents.find(fence) + fence.size();
  std::ofstream(folder_ / "document.toml") << documents.substr(begin, documents.find("```", begin) - begin);
#ifdef KAON_TEST_HAS_HDF5
  expect_success("measure --dry-run " + (folder_ / "document.toml") + " " + field(1));
#endif
}

/// Three-point functions of mesons of one quark, before [solver].
std::string of_mesons(const std::string& quark) {
  return "[[three_point]]\nkind = \"meson\"\nquarks = [\"" + quark + "\", \"" + quark +
         "\"]\nsink_times = [3]\ncurrents = [\"conserved4\"]\n[solver]";
}

TEST_F(Measure, NamesLineAndKeyOfWrongInputs) {
  struct Wrong {
    std::string start, line, text;
  };
  const std::vector<Wrong> cases{
      // unknown keys and tables
      {"csw", "cws = 1.0", ":3: quark.l.cws: unknown key; did you mean csw?"},
      {"kind = \"point\"", "knd = \"point\"", ":10: source.knd: unknown key; did you mean kind?"},
      {"[solver]", "[slover]", ": slover: unknown key; did you mean solver?"},
      {"tolerance", "tolerence = 1e-9", ":26: solver.tolerence: unknown key; did you mean tolerance?"},
      {"gammas", "gamma = [\"g5\"]", ":17: meson[0].gamma: unknown key; did you mean gammas?"},
      {"width", "widht = 1.5", ":13: sink.wide.widht: unknown key; did you mean width?"},
      {"[quark.l]", "bondary = [0, 0, 0, 0]\n[quark.l]", ":1: bondary: unknown key; did you mean boundary?"},
      {"[source]", "[link]\nsmearing = \"ape\"\n[source]", ":9: link: unknown key; did you mean links?"},
      {"kind = \"nucleon\"", "kind = \"nucleon\"\nchanels = [\"positive\"]",
       ":24: baryon[0].chanels: unknown key; did you mean channels?"},
      {"tolerance", "max_iteration = 5", ":26: solver.max_iteration: unknown key; did you mean max_iterations?"},
      // wrong types
      {"mass", "mass = \"0.3\"", ":4: quark.l.mass: \"0.3\" is not a number"},
      {"action", "action = 3", ":2: quark.l.action: 3 is not a word in quotes"},
      {"steps", "steps = 4.5", ":14: sink.wide.steps: 4.5 is not an integer"},
      {"sites", "sites = [0, 0, 0, 0]", ":11: source.sites: [0,0,0,0] is not a list of sites"},
      {"momenta", "momenta = [[0, 0]]", ":18: meson[0].momenta: [[0,0]] is not a list of momenta"},
      {"gammas", "gammas = \"g5\"", ":17: meson[0].gammas: \"g5\" is not a list of words"},
      {"sinks", "sinks = []", ":19: meson[0].sinks: [] is not a list of words"},
      {"[source]", "[[source]]", "source: [{"},
      {"csw", "csw = true", ":3: quark.l.csw: true is not a number"},
      {"[quark.l]", "boundary = [0, 0, 0]\n[quark.l]", ":1: boundary: [0,0,0] is not a list of four of "},
      {"[source]", "[links]\nquarks = \"yes\"\n[source]", ":10: links.quarks: \"yes\" is not true or false"},
      {"[[baryon]]", "[baryon]", ":22: baryon: a list of tables is needed: write [[baryon]]"},
      // numbers out of range
      {"mass", "mass = nan", ":4: quark.l.mass: nan is not a finite number"},
      {"width", "width = -1", ":13: sink.wide.width: -1 is not positive"},
      {"width", "width = 5.0", ":13: sink.wide.width: smearing to 5 in 4 steps grows without bound"},
      {"steps", "steps = 0", ":14: sink.wide.steps: 0 is below 1"},
      {"tolerance", "tolerance = 1.5", ":26: solver.tolerance: 1.5 is not below 1"},
      {"tolerance", "max_iterations = 0", ":26: solver.max_iterations: 0 is below 1"},
      {"sites", "sites = [[0, 0, 0, -1]]", ":11: source.sites: -1 is below 0"},
      {"momenta", "momentum_squared = 101", ":18: meson[0].momentum_squared: 101 is above 100"},
      {"mass", "mass = inf", ":4: quark.l.mass: inf is not a finite number"},
      {"tolerance", "tolerance = 0", ":26: solver.tolerance: 0 is not positive"},
      {"tolerance", "tolerance = 9e-16", ":26: solver.tolerance: 9e-16 is more than double precision can reach"},
      // words
      {"action", "action = \"clovr\"", ":2: quark.l.action: 'clovr' is none of "},
      {"kind = \"point\"", "kind = \"pont\"", "did you mean point?"},
      {"gammas", "gammas = [\"g6\"]", ":17: meson[0].gammas[0]: 'g6' is none of the gamma matrices"},
      {"sinks", "sinks = [\"wid\"]", ":19: meson[0].sinks[0]: there is no sink 'wid', only point, wide"},
      {"quarks = [\"l\", \"l\"]", "quarks = [\"l\", \"u\"]",
       ":16: meson[0].quarks[1]: there is no quark 'u', only l, s"},
      {"kind = \"nucleon\"", "kind = \"nuclon\"", ":23: baryon[0].kind: 'nuclon' is none of "},
      {"tolerance", "method = \"cg\"", ":26: solver.method: quark l: "},
      {"tolerance", "method = \"bicgtab\"", ":26: solver.method: 'bicgtab' is none of "},
      {"[source]", "[links]\nsmearing = \"stot\"\n[source]",
       ":10: links.smearing: 'stot' is none of none, stout, ape, hyp; did you mean stout?"},
      {"kind = \"nucleon\"", "kind = \"nucleon\"\nchannels = [\"positve\"]",
       ":24: baryon[0].channels[0]: 'positve' is none of "},
      // what does not fit
      {"csw", "", ":1: quark.l: csw is missing"},
      {"mass", "", ":1: quark.l: mass or kappa is missing"},
      {"mass", "mass = 0.3\nkappa = 0.12", "quark.l: mass and kappa are both given"},
      {"mass", "mass = 1e80",
       ":4: quark.l.mass: mass 1e+80 is too large: squares of residuals overflow; give at most 1e+70"},
      {"mass", "kappa = 1e-80", ":4: quark.l.kappa: mass 5e+79 is too large"},
      {"csw", "csw = -1e80", ":3: quark.l.csw: csw -1e+80 is too large"},
      {"mass", "mass = nan", ":4: quark.l.mass: nan is not a finite number"},
      {"mass", "mass = -inf", ":4: quark.l.mass: -inf is not a finite number"},
      {"tolerance", "tolerance = nan", ":26: solver.tolerance: nan is not a finite number"},
      {"width", "width = inf", ":13: sink.wide.width: inf is not a finite number"},
      {"width", "width = -0.0", ":13: sink.wide.width: -0 is not positive"},
      {"[solver]", "[links]\nsmearing = \"ape\"\nstrength = 1e80\n[solver]", ":27: links.strength: 1e+80 is too large"},
      {"[quark.l]", "boundary = [0, 0, 0, 180]\n[quark.l]", ":1: boundary: [0,0,0,180] is not a list of four of"},
      {"mass", "mass = -4", ":4: quark.l.mass: mass -4 has no kappa: it must be above -4"},
      {"[source]", "[links]\nstrength = 0.2\n[source]", ":10: links.strength: has no meaning without links.smearing"},
      {"[source]", "[links]\nsmearing = \"hyp\"\nstrength = 0.2\n[source]",
       ":11: links.strength: has no meaning with smearing = \"hyp\""},
      {"sites", "sites = [[0, 0, 0, 0]]\nwidth = 3.0", ":12: source.width: has no meaning with kind = \"point\""},
      {"mass", "mass = 0.3\nm5 = 1.8", ":5: quark.l.m5: has no meaning with action = \"clover\""},
      {"sites", "", ":9: source: sites or random is missing"},
      {"sites", "sites = [[0, 0, 0, 0]]\nrandom = 1", ":9: source: sites and random are both given"},
      {"sites", "sites = [[0, 0, 0, 0]]\ntimes = [0]", ":12: source.times: has no meaning with kind = \"point\""},
      {"sites", "sites = [[0, 0, 0, 0], [0, 0, 0, 0]]", "source.sites[1]: [0,0,0,0] is in the list twice"},
      {"sites", "sites = [[0, 0, 0, 0]]\ntogether = 0", "source.together: 0 is below 1"},
      {"tolerance", "[sloppy]", "sloppy: tolerance or iterations is missing"},
      {"tolerance", "[sloppy]\ntolerance = 1e-3\niterations = 4", "sloppy: tolerance and iterations are both given"},
      {"tolerance", "[sloppy]\ntolerance = 2", "sloppy.tolerance: 2 is not below 1"},
      {"tolerance", "tolerance = 1e-6\n[sloppy]\ntolerance = 1e-7",
       "sloppy.tolerance: 1e-07 is below solver.tolerance"},
      {"tolerance", "[sloppy]\ntolerance = -1", "sloppy.tolerance: -1 is not positive"},
      {"tolerance", "[sloppy]\niterations = 0", "sloppy.iterations: 0 is below 1"},
      {"tolerance", "method = \"block-cg\"\n[sloppy]\niterations = 2",
       "solver.method: block-cg: the errors of sloppy solves"},
      {"tolerance", "[sloppy]\niterations = 2.5", "sloppy.iterations: 2.5 is not an integer"},
      {"tolerance", "[sloppy]\niterations = 2\nexact = 3", "sloppy.exact: 3 is above the number of sources, 2"},
      {"tolerance", "[sloppy]\niterations = 2\nexact = 0", "sloppy.exact: 0 is below 1"},
      {"tolerance", "[sloppy]\niteration = 2", "sloppy.iteration: unknown key; did you mean iterations?"},
      {"quarks = [\"l\", \"l\"]", "quarks = [\"l\"]", ":16: meson[0].quarks: 2 quarks are needed, not 1"},
      {"quarks = [\"l\", \"l\"]", "quarks = [\"l\", \"s\"]", "there is another meson l_s"},
      {"[sink.wide]", "[sink.point]", "sink.point: the sink 'point' exists already"},
      // three-point functions
      {"[solver]", three_point(""), ":25: three_point[0]: sink_times is missing"},
      {"[solver]", three_point("sink_time = [3]"),
       ":28: three_point[0].sink_time: unknown key; did you mean sink_times?"},
      {"[solver]", three_point("sink_times = [-1]"), ":28: three_point[0].sink_times: -1 is below 0"},
      {"[solver]", three_point("sink_times = [3, 3]"), "three_point[0].sink_times[1]: 3 is in the list twice"},
      {"[solver]", three_point("sink_times = [3]\nflavors = [\"s\"]"),
       ":29: three_point[0].flavors[0]: 's' is none of u, d"},
      {"[solver]", three_point("sink_times = [3]\ncurrents = [\"g6\"]"),
       ":29: three_point[0].currents[0]: 'g6' is no current"},
      {"[solver]", three_point("sink_times = [3]\ncurrents = [\"conserved5\"]"), "'conserved5' is no current"},
      {"[solver]", three_point("sink_times = [3]\nprojectors = [\"positve\"]"), "did you mean positive?"},
      {"[solver]", three_point("sink_times = [3]\nsinks = [\"wid\"]"), "there is no sink 'wid', only point, wide"},
      {"[solver]", three_point("sink_times = [3]\nsink_momenta = [[0, 0]]"),
       "three_point[0].sink_momenta: [[0,0]] is not a list"},
      {"[solver]", "[[three_point]]\nquarks = [\"l\"]\n[solver]", ":25: three_point[0]: kind is missing"},
      {"[solver]", "[[three_point]]\nkind = \"pion\"\n[solver]",
       ":26: three_point[0].kind: 'pion' is none of meson, nucleon"},
      {"[solver]", "[quark.w]\naction = \"domain-wall\"\nmass = 0.1\nc = -1.0\n" + of_mesons("w"),
       "three_point[0].currents: quark w: b + c = 0 has no conserved currents"},
      {"[solver]", "[quark.t]\naction = \"twisted-mass\"\nmass = 0.1\nmu = 0.1\n" + of_mesons("t"),
       "three_point[0].quarks: quark t: twisted masses have none of these three-point functions"},
      {"[solver]", "[quark.k]\naction = \"staggered\"\nmass = 0.1\n" + of_mesons("k"),
       "three_point[0].quarks: quark k: staggered quarks have no three-point functions"},
      // momenta, currents and tastes
      {"mass", "mass = 0.3\nmomentum = [0, 1]", ":5: quark.l.momentum: [0,1] is not a momentum: [0, 0, 1]"},
      {"mass", "mass = 0.3\nmomentum = [0, 0, 1]", ":5: quark.l.momentum: point sources have all momenta already"},
      {"[source]", "[current.v]\ngamma = \"g4\"\n[source]", ":9: current.v: quark is missing"},
      {"[source]", "[current.v]\nquark = \"u\"\ngamma = \"g4\"\n[source]",
       ":10: current.v.quark: there is no quark 'u', only l, s"},
      {"[source]", "[current.s]\nquark = \"l\"\ngamma = \"g4\"\n[source]", ":9: current.s: there is a quark 's'"},
      {"[source]", "[current.v]\nquark = \"l\"\ngamma = \"g6\"\n[source]",
       ":11: current.v.gamma[0]: 'g6' is none of 1, g5"},
      {"[source]", "[current.v]\nquark = \"l\"\ngamma = \"g4\"\ntime = -1\n[source]", "current.v.time: -1 is below 0"},
      {"[source]", "[current.v]\nquark = \"l\"\ngamma = \"g4\"\n[current.w]\nquark = \"v\"\ngamma = \"g4\"\n[source]",
       ":13: current.w.quark: v has a current already"},
      {"[source]", "[current.v]\nquark = \"l\"\ngamma = \"g4\"\nmoment = [0, 0, 1]\n[source]",
       "current.v.moment: unknown key; did you mean momentum?"},
      {"[source]",
       "[quark.h]\naction = \"twisted-doublet\"\nmass = 0.3\nmu = 0.1\nepsilon = 0.1\n[current.v]\n"
       "quark = \"h.0\"\ngamma = \"g4\"\n[source]",
       "current.v.quark: h.0 is no quark of one flavor with spin"},
      {"quarks = [\"l\", \"s\"]", "quarks = [\"l.0\", \"s\"]", "there is no quark 'l.0', only l, s"},
      {"kind = \"nucleon\"", "kind = \"open\"", ":24: baryon[0].quarks: 3 quarks are needed, not 2"},
      {"quarks = [\"l\", \"s\"]",
       "quarks = [\"k\", \"k\"]\ngammas = [\"g5-g6\"]\n[quark.k]\naction = \"staggered\"\nmass = 0.1",
       ":22: meson[1].gammas[0]: 'g5-g6' is no operator of staggered mesons"},
      // no TOML
      {"mass", "mass = ", ":4: this is no TOML: "},
      {"mass", "csw = 2.0", ":4: this is no TOML: "},
      {"[quark.l]", "[quark.l", ":1: this is no TOML: "},
      {"action", "action = \"clover", ":2: this is no TOML: "},
      {"action", "action = clover", ":2: this is no TOML: "},
      {"mass", "mass 0.3", ":4: this is no TOML: "},
      {"mass", "mass = 0.3.1", ":4: this is no TOML: "},
      {"sites", "sites = [[0, 0, 0, 0]", ":12: this is no TOML: "},
      {"[source]", "[quark.l]\n[source]", ":9: this is no TOML: "},
      {"[[baryon]]", "[[baryon]", ":22: this is no TOML: "},
  };
  for (const Wrong& wrong : cases) {
    SCOPED_TRACE(wrong.line);
    const std::string file = input("wrong", "json", with(wrong.start, wrong.line));
    const Outcome outcome = expect_failure("measure " + file + " " + field(1), usage, wrong.text);
    EXPECT_TRUE(contains(outcome.errors, "wrong.toml")) << outcome.errors;
    EXPECT_LE(count_of(outcome.errors, ".cpp:"), 1) << outcome.errors;  // places in the source
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "wrong"));
}

constexpr const char* point_sources = R"([links]
smearing = "ape"
[quark.l]
action = "wilson"
mass = 0.3
[source]
sites = [[0, 0, 0, 0]]
[[meson]]
quarks = ["l", "l"]
)";

TEST_F(Measure, ReadsNegativeZeroAsZero) {
  const std::string said =
      expect_success("measure --dry-run " + input("zero", "json", with("mass", "mass = -0.0")) + " " + field(1)).output;
  EXPECT_TRUE(contains(said, "csw = 1, mass 0, kappa 0.125\n")) << said;
}

TEST_F(Measure, RefusesSmearedLinksWithoutUse) {
  const std::string text = point_sources;
  const std::string file = input("out", "json", text);
  expect_failure("measure " + file + " " + field(1), usage,
                 "out.toml:2: links.smearing: no source and no sink is smeared by these links");
  const std::size_t first_key = text.find('\n') + 1;
  for (const std::string& used : {text + "[sink.wide]\n", "[links]\nquarks = true\n" + text.substr(first_key)}) {
    expect_success("measure --status " + input("out", "json", used) + " " + field(1));
  }
}

// With all its defaults, of keys without meaning, too.
TEST_F(Measure, ReadsTheInputThatItsFilesContain) {
  const std::string text = std::string(point_sources).substr(std::string("[links]\nsmearing = \"ape\"\n").size());
  expect_success("measure " + input("out", "json", text) + " " + field(1));
  const std::string again = folder_ / "again.json";
  std::ofstream(again) << result("out", 1).at("input");
  expect_success("measure --status " + again + " " + field(1));
}

TEST_F(Measure, RefusesWrongCommandLines) {
  const std::string file = input("out");
  const std::string outside = input("outside", "json", with("sites", "sites = [[0, 0, 0, 8]]"));
  const std::string late = input("late", "json", with("[solver]", three_point("sink_times = [8]")));
  const std::string json = folder_ / "input.json";
  std::ofstream(json) << "{\n  \"quark\": {\n";
  const std::string inp = folder_ / "input.inp", other = folder_ / "other.inp";  // recognised by their first character
  std::ofstream(inp) << "# a comment\n[quark.l\n";
  std::ofstream(other) << "\n{\n";
  expect_refusals(
      "measure ",
      {
          {"", "INPUT is missing"},
          {file, "CONFIGURATION is missing"},
          {file + " " + both() + " --job 3/2", "--job: '3/2' is no job"},
          {file + " " + both() + " --job 0/2", "--job: 0 is no number of a job"},
          {file + " " + both() + " --job 2", "--job: '2' is no job"},
          {file + " " + field(1) + " --job 2/2", "--job: 2/2 has none of 1 configurations"},
          {file + " " + both() + " --resume --overwrite", "contradict each other"},
          {file + " " + both() + " --dry-run --status", "--dry-run and --status contradict each other"},
          {file + " " + field(1) + " " + field(1), "two have the name q_000001"},
          {(folder_ / "none.toml") + " " + field(1), "none.toml: the file"},
          {json + " " + field(1), "input.json:3: this is no JSON"},
          {inp + " " + field(1), "input.inp:2: this is no TOML"},
          {other + " " + field(1), "other.inp:3: this is no JSON"},
          {folder_.path().string() + " " + field(1), "this is a folder, not an input file"},
          {"--dry-run " + late + " " + field(1), "late.toml:25: three_point.sink_times: 8 is not below 8", 3},
          {"--example spectra", "'spectra' is no example"},
          {outside + " " + field(1), "outside.toml:11: source.sites[0]: 0,0,0,8 is not on the 4x4x4x8 lattice", 3},
          {"--dry-run " + outside + " " + field(1), "error: " + outside + ":11: source", 3},
      });
}

TEST_F(Measure, RefusesInputsThatDoNotFitTheLatticeBeforeItMeasures) {
  const std::pair<std::string, std::string> cases[] = {
      {with("sites", "sites = [[4, 0, 0, 0]]"), ":11: source.sites[0]: 4,0,0,0 is not on the 4x4x4x8 lattice"},
      {with("momenta", "momenta = [[0, 0, 0], [0, 0, 3]]"),
       ":15: meson[0]: momentum (0, 0, 3) is the same as (0, 0, -1) on 4x4x4 sites: give numbers up to half of the "
       "extents"},
      {with("[solver]", three_point("sink_times = [3]\nsink_momenta = [[-3, 2, 0]]")),
       ":29: three_point[0].sink_momenta: momentum (-3, 2, 0) is the same as (1, 2, 0)"},
      {with("[sink.wide]", "[current.c]\nquark = \"l\"\ngamma = \"g4\"\nmomentum = [0, 5, 0]\n[sink.wide]"),
       ":15: current.c.momentum: momentum (0, 5, 0) is the same as (0, 1, 0)"}};
  for (const auto& [text, message] : cases) {
    const std::string file = input("unfit", "json", text);
    const Outcome outcome =
        expect_failure("measure " + file + " " + (folder_ / "none.lime") + " " + both(), 3, file + message);
    EXPECT_FALSE(contains(outcome.output, "failed")) << outcome.output;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "unfit"));
    expect_failure("measure --dry-run " + file + " " + field(1), 3, message);
  }
}

#ifndef KAON_TEST_HAS_HDF5
TEST_F(Measure, RefusesHdf5BeforeItMeasures) {
  expect_failure("measure " + input("out", "hdf5") + " " + field(1), usage,
                 "output.format: this build of kaon has no HDF5");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out"));
}
#endif

}  // namespace KAON_TEST_FILE
