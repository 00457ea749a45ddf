// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/apps/propagator_runs.hpp"
#include "tests/support/data.hpp"
#include "tests/support/file_size_limit.hpp"
#include "tests/support/largest_difference.hpp"

#include <kaon/gauge/gauge_fixing.hpp>
#include <kaon/gauge/gradient_flow.hpp>
#include <kaon/gauge/observables.hpp>
#include <kaon/gauge/smeared_links.hpp>
#include <kaon/io/gauge.hpp>

#include <algorithm>

namespace KAON_TEST_FILE {

using namespace kaon;
using namespace kaon::test;

/// `kaon smear` and `kaon flow` on a file of weak links.
class SmoothingRuns : public PropagatorRuns {
 protected:
  GaugeField<double> links_ = weak_links();
  std::string file_ = folder_ / "gauge.lime";

  void SetUp() override { io::write_gauge(file_, links_); }

  Json result(const std::string& arguments) const { return Json::parse(expect_success(arguments + " --json").output); }
  double distance(const std::string& file, const GaugeField<double>& expected) const {
    return largest_difference(io::read_gauge<double>(expected.lattice(), file).to_host(), expected.to_host());
  }
  void expect_measured(const Json& found, const GaugeField<double>& links, double anisotropy = 1.0) const {
    const CloverObservables expected = clover_observables(links);
    EXPECT_NEAR(found.at("plaquette").get<double>(), plaquette(links).average, 1e-12);
    EXPECT_NEAR(found.at("energy").get<double>(),
                expected.spatial_energy + std::pow(anisotropy, 2) * expected.temporal_energy, 1e-12);
    EXPECT_NEAR(found.at("charge").get<double>(), expected.charge, 1e-12);
  }
};

TEST_F(SmoothingRuns, SmearAsTheLibraryDoes) {
  const std::string out = folder_ / "smeared.lime";
  const auto expect = [&](const std::string& options, const GaugeField<double>& expected, double anisotropy = 1.0) {
    const Json found = result("smear " + file_ + " --output " + out + " --method " + options);
    EXPECT_LT(distance(out, expected), 1e-12) << options;
    expect_measured(found.at("before"), links_, anisotropy);
    expect_measured(found.at("after"), expected, anisotropy);
  };
  expect("stout --rho 0.08 --steps 3", stout_links(links_, {.rho = 0.08, .steps = 3}));
  expect("stout --directions space", stout_links(links_, {.omitted = 3}));
  expect("stout --rho 0.05 --epsilon=-0.25",
         stout_links(links_, {.rho = 0.05, .weights = over_improved_weights(-0.25)}));
  expect("ape --alpha 0.6 --steps 2", ape_links(links_, {.alpha = 0.6, .steps = 2}));
  expect("ape --anisotropy 1.7", ape_links(links_, {.anisotropy = 1.7}), 1.7);
  expect("stout --rho 0.08 --anisotropy 1.7", stout_links(links_, {.rho = 0.08, .anisotropy = 1.7}), 1.7);
  expect("hyp", hyp_links(links_, {}));
  expect("hyp --alpha1 0.7 --alpha2 0.5 --alpha3 0.2",
         hyp_links(links_, {.alpha_1 = 0.7, .alpha_2 = 0.5, .alpha_3 = 0.2}));
  expect("hyp --alpha2 0.5 --directions space", hyp_links(links_, {.alpha_2 = 0.5, .omitted = 3}));
}

TEST_F(SmoothingRuns, FixTheGaugeAsTheLibraryDoes) {
  const std::string out = folder_ / "fixed.lime";
  for (const std::string name : {"landau", "coulomb"}) {
    const Json found =
        result("fix-gauge " + file_ + " --relaxation 1.5 --tolerance 1e-12 --condition " + name + " --output " + out);
    GaugeField<double> expected = links_.clone();
    const GaugeFixingResult fixed =
        fix_gauge(expected, {.condition = name == "landau" ? GaugeCondition::landau : GaugeCondition::coulomb,
                             .tolerance = 1e-12,
                             .relaxation = 1.5});
    EXPECT_LT(distance(out, expected), 1e-12);
    EXPECT_EQ(found.at("iterations"), fixed.iterations);
    EXPECT_EQ(found.at("converged"), true);
    EXPECT_NEAR(found.at("after").at("functional").get<double>(), fixed.quality.functional, 1e-12);
  }
  const std::string text = expect_success("fix-gauge " + file_ + " --condition landau --every 20").output;
  EXPECT_TRUE(contains(text, "          20  ")) << text;
  expect_failure("fix-gauge " + file_ + " --condition landau --max-iterations 10 --output " + out, not_converged,
                 "after 10 iterations: theta = ");
  GaugeField<double> begun = links_.clone();
  fix_gauge(begun, {.max_iterations = 10});
  EXPECT_LT(distance(out, begun), 1e-12);
  {
    const FileSizeLimit none_beyond(4 * 4 * 4 * 8 * 4 * 18 * 8 - 1);  // of a file of links, without its header
    const Outcome outcome = expect_failure("fix-gauge " + file_ + " --condition landau --output " + out,
                                           kaon::test::input, "--output: cannot write " + out + ": File too large");
    EXPECT_FALSE(contains(outcome.output, "iteration")) << outcome.output;
  }
  expect_failure("fix-gauge " + file_, usage, "--condition is required");
  expect_failure("fix-gauge " + file_ + " --condition landau --relaxation 2", usage, "--relaxation: 2 is not from 1");
}

TEST_F(SmoothingRuns, FlowAsTheLibraryDoes) {
  const std::string out = folder_ / "flowed.lime";
  for (const std::string action : {"wilson", "symanzik"}) {
    const Json found =
        result("flow " + file_ + " --step 0.04 --steps 5 --every 2 --action " + action + " --output " + out);
    GradientFlow flow(links_, {.step = 0.04, .weights = action == "wilson" ? wilson_weights : symanzik_weights});
    const Json& lines = found.at("flow");
    ASSERT_EQ(lines.size(), 4u);  // after 0, 2, 4 and 5 steps
    for (std::size_t k = 0; k < 4; ++k) {
      EXPECT_NEAR(lines[k].at("t").get<double>(), flow.time(), 1e-15);
      expect_measured(lines[k], flow.links());
      EXPECT_NEAR(lines[k].at("t2_energy").get<double>(),
                  std::pow(flow.time(), 2) * lines[k].at("energy").get<double>(), 1e-15);
      if (k < 3) flow.advance(k == 2 ? 1 : 2);
    }
    EXPECT_LT(distance(out, flow.links()), 1e-12);
    EXPECT_TRUE(found.at("t0").is_null());
    EXPECT_TRUE(found.at("w0").is_null());
    EXPECT_EQ(found.at("gauge").at("file"), file_);
    EXPECT_EQ(found.at("steps"), 5);
    EXPECT_EQ(found.at("every"), 2);
  }
}

// E of planes in time counts xi^2 times.
TEST_F(SmoothingRuns, FlowOnAnisotropicLattices) {
  const std::string out = folder_ / "flowed.lime",
                    flow_file = "flow " + file_ + " --step 0.03 --steps 2 --anisotropy 2";
  const Json found = result(flow_file + " --output " + out);
  GradientFlow flow(links_, {.step = 0.03, .anisotropy = 2.0});
  flow.advance(2);
  EXPECT_LT(distance(out, flow.links()), 1e-12);
  const CloverObservables expected = clover_observables(flow.links());
  EXPECT_NEAR(found.at("flow").back().at("energy").get<double>(),
              expected.spatial_energy + 4.0 * expected.temporal_energy, 1e-12);
  EXPECT_EQ(found.at("anisotropy"), 2.0);
  const std::string text = expect_success(flow_file).output;
  EXPECT_TRUE(contains(text, "flow          Wilson action, 2 steps of 0.03, anisotropy 2\n")) << text;
}

TEST_F(SmoothingRuns, WarnOfStepsWithWhichRoughnessGrows) {
  const auto warning = [&](const std::string& options) {
    return run_kaon("smear " + file_ + " --method " + options).errors;
  };
  for (const std::string stable :
       {"stout --rho 0.125", "stout --directions space --rho 0.1666", "ape --alpha 0.75",
        "ape --directions space --alpha 0.6666", "stout --anisotropy 2 --rho 0.0714", "hyp"}) {
    EXPECT_EQ(warning(stable), "") << stable;
  }
  for (const auto& [options, text] :
       {std::pair("stout --rho 5",
                  "stout smearing with rho = 5 is unstable: short waves of the links grow with rho above 0.125"),
        std::pair("stout --rho 0.126", "rho = 0.126 is unstable"),
        std::pair("stout --rho=-0.1", "grow with rho below 0"),
        std::pair("stout --directions space --rho 0.167", "grow with rho above 0.167"),
        std::pair("stout --epsilon -0.25 --rho 0.07", "grow with rho above 0.0682"),
        std::pair("stout --anisotropy 2 --rho 0.072", "grow with rho above 0.0714"),
        std::pair("ape --alpha 0.76",
                  "APE smearing with alpha = 0.76 is unstable: short waves of the links grow with alpha above 0.75"),
        std::pair("ape --directions space --alpha 0.67", "grow with alpha above 0.667")}) {
    EXPECT_TRUE(contains(warning(options), text)) << options << "\n" << warning(options);
  }
}

TEST_F(SmoothingRuns, PrintTableAndScales) {
  const std::string text = expect_success("flow " + file_ + " --step 0.1 --steps 2").output;
  EXPECT_TRUE(contains(text, "flow          Wilson action, 2 steps of 0.1\n")) << text;
  const Outcome unstable = run_kaon("flow " + file_ + " --step 10 --steps 2");
  EXPECT_TRUE(contains(unstable.errors, "kaon: warning: steps of 10 of a gradient flow are unstable"))
      << unstable.errors;
  EXPECT_TRUE(contains(unstable.output, "t0            passed before the first measurement")) << unstable.output;
  EXPECT_TRUE(contains(text, "           t     plaquette               E         t^2 E             Q\n")) << text;
  EXPECT_TRUE(contains(text, "\n         0.2 ")) << text;
  EXPECT_TRUE(contains(text, "t0            not reached: t^2 E stays below 0.3\n")) << text;
  const std::string brief = expect_success("flow " + file_ + " --step 0.1 --steps 1").output;
  EXPECT_TRUE(contains(brief, "w0            not known: t d/dt [t^2 E] needs three measurements\n")) << brief;
  const std::string smeared = expect_success("smear " + file_ + " --method ape").output;
  EXPECT_TRUE(contains(smeared, "smearing      APE, alpha = 0.5, 1 step in all directions\n")) << smeared;
  EXPECT_TRUE(contains(smeared, "\nafter ")) << smeared;
}

TEST_F(SmoothingRuns, FindTheScalesOfALattice) {
  KAON_TEST_DATA_FILE(field, "ildg/conf_08080808.ildg");
  const Json found = result("flow " + field.string() + " --size 8,8,8,8 --step 0.1 --steps 20");
  std::vector<FlowPoint> points;
  for (const Json& line : found.at("flow")) points.push_back({line.at("t"), line.at("energy")});
  ASSERT_EQ(points.size(), 21u);
  const FlowScales scales = flow_scales(points);
  ASSERT_TRUE(scales.t0 && scales.w0);
  EXPECT_NEAR(found.at("t0").get<double>(), *scales.t0, 1e-12);
  EXPECT_NEAR(found.at("w0").get<double>(), *scales.w0, 1e-12);
  const std::string rare =
      expect_success("flow " + field.string() + " --size 8,8,8,8 --step 0.1 --steps 40 --every 20").output;
  EXPECT_TRUE(contains(rare, "w0            passed before the first measurement: lower --every or --step\n")) << rare;
}

TEST_F(SmoothingRuns, RefuseWhatHasNoMeaning) {
  const std::string smear = "smear " + file_, flow = "flow " + file_;
  expect_failure(smear, usage, "--method is required");
  expect_failure(smear + " --method blur", usage, "--method: ");
  expect_failure(smear + " --method ape --rho 0.1", usage, "--rho: has no meaning with --method ape, only with stout");
  expect_failure(smear + " --method hyp --epsilon 1", usage, "--epsilon: has no meaning with --method hyp");
  expect_failure(smear + " --method stout --alpha 1", usage, "--alpha: has no meaning with --method stout");
  expect_failure(smear + " --method stout --alpha3 1", usage, "--alpha3: has no meaning with --method stout");
  expect_failure(smear + " --method hyp --alpha1 1 --directions space", usage,
                 "--alpha1: has no meaning with --directions");
  expect_failure(smear + " --method hyp --anisotropy 2", usage, "--anisotropy: has no meaning with --method hyp");
  expect_failure(smear + " --method ape --anisotropy 2 --directions space", usage,
                 "--anisotropy: has no meaning with --directions space");
  for (const std::string value : {"0", "-1", "nan", "inf"}) {
    expect_failure(smear + " --method ape --anisotropy=" + value, usage, "--anisotropy: ");
    expect_failure(flow + " --anisotropy=" + value, usage, "--anisotropy: ");
  }
  expect_failure(flow + " --anisotropy 1e300", usage, "--anisotropy: anisotropy 1e+300: a_s/a_t is needed");
  expect_failure(smear + " --method stout --rho nan", usage, "--rho: nan is not a finite number");
  expect_failure(smear + " --method stout --steps=-1", usage, "--steps: ");
  expect_failure(smear + " --method stout --rho 1e300", usage, "--method: stout smearing: in direction ");
  expect_failure(smear + " --method ape --alpha 1e300", usage, "--method: APE smearing: in direction ");
  expect_failure(flow + " --step 1e30", usage, "--step: a flow with steps of 1e+30 has left SU(3)");
  expect_failure(flow + " --step 0", usage, "--step: ");
  expect_failure(flow + " --step inf", usage, "--step: ");
  expect_failure(flow + " --every 0", usage, "--every: ");
  expect_failure(flow + " --output " + file_, usage, "--output: ");
  for (const std::string& run : {smear + " --method ape", flow, "fix-gauge " + file_ + " --condition landau"}) {
    for (const std::string option : {"--format", "--precision"}) {
      const std::string value = option == "--format" ? " ildg" : " double";
      expect_failure(run + " " + option + value, usage, option + ": has no meaning without --output");
    }
  }
  expect_failure("fix-gauge " + file_ + " --condition landau --json --every 5", usage,
                 "--every: has no meaning with --json");
  expect_failure(flow + " --output /nowhere/file", input, "--output: ");
  expect_failure("flow /nowhere/file", input, "FILE: ");
}

}  // namespace KAON_TEST_FILE
