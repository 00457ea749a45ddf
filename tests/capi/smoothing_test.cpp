// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/capi/handles.hpp"

#include <kaon/gauge/gauge_fixing.hpp>
#include <kaon/gauge/gradient_flow.hpp>
#include <kaon/gauge/observables.hpp>
#include <kaon/gauge/smeared_links.hpp>

namespace kaon::test {
namespace KAON_TEST_FILE {

/// Links in C and in C++.
struct WeakLinks : Links {
  GaugeField<double> links = weak_links();

  explicit WeakLinks(kaon_precision precision = KAON_DOUBLE) : Links({4, 4, 4, 8}, 1, precision) {}
};

kaon_smear_options smear_options(kaon_smearing method) {
  auto options = defaults(kaon_smear_options_init);
  options.method = method;
  return options;
}

// Python's test of gauge fixing compares the functional with numpy's.
TEST(CSmoothing, RefusesWhatIsNoGauge) {
  const WeakLinks c, single(KAON_SINGLE);
  auto options = defaults(kaon_gauge_fix_options_init);
  GaugeHandle begun, refused;
  options.max_iterations = 10;
  expect_refusal(kaon_gauge_fix(c.gauge, &options, &begun, nullptr), KAON_NOT_CONVERGED, "after 10 iterations, above");
  GaugeField<double> expected = c.links.clone();
  fix_gauge(expected, {.condition = GaugeCondition::landau, .max_iterations = 10});
  EXPECT_EQ(values_of(begun), expected.to_host());
  options.condition = 2;
  expect_refusal(kaon_gauge_fix(c.gauge, &options, &refused, nullptr), KAON_INVALID, "condition = 2");
  expect_refusal(kaon_gauge_fix(single.gauge, nullptr, &refused, nullptr), KAON_INVALID, "double");
}

TEST(CSmoothing, SmearsAsCpp) {
  const WeakLinks c;
  const auto expect = [&](const kaon_smear_options* options, const GaugeField<double>& expected) {
    GaugeHandle smeared;
    expect_ok(kaon_gauge_smear(c.gauge, options, &smeared));
    EXPECT_EQ(values_of(smeared), expected.to_host());
  };
  expect(nullptr, stout_links(c.links, {}));
  kaon_smear_options stout = smear_options(KAON_STOUT);
  stout.rho = 0.07;
  stout.steps = 2;
  stout.omitted = 3;
  expect(&stout, stout_links(c.links, {.rho = 0.07, .steps = 2, .omitted = 3}));
  stout.epsilon = -0.25;
  expect(&stout,
         stout_links(c.links, {.rho = 0.07, .steps = 2, .omitted = 3, .weights = over_improved_weights(-0.25)}));
  kaon_smear_options ape = smear_options(KAON_APE);
  ape.alpha = 0.6;
  expect(&ape, ape_links(c.links, {.alpha = 0.6}));
  ape.anisotropy = 2.0;
  expect(&ape, ape_links(c.links, {.alpha = 0.6, .anisotropy = 2.0}));
  stout = smear_options(KAON_STOUT);
  stout.anisotropy = 2.0;
  expect(&stout, stout_links(c.links, {.anisotropy = 2.0}));
  kaon_smear_options hyp = smear_options(KAON_HYP);
  expect(&hyp, hyp_links(c.links, {}));
  hyp.alpha_1 = 0.5;
  hyp.alpha_2 = 0.4;
  hyp.alpha_3 = 0.2;
  expect(&hyp, hyp_links(c.links, {.alpha_1 = 0.5, .alpha_2 = 0.4, .alpha_3 = 0.2}));
  EXPECT_EQ(values_of(c.gauge), c.links.to_host());
}

TEST(CSmoothing, FlowsAsCpp) {
  const WeakLinks c;
  for (const kaon_flow action : {KAON_WILSON_FLOW, KAON_SYMANZIK_FLOW}) {
    auto options = defaults(kaon_flow_options_init);
    options.action = action;
    options.steps = 3;
    options.step = 0.05;
    if (action == KAON_SYMANZIK_FLOW) options.anisotropy = 2.0;
    GaugeHandle flowed;
    expect_ok(kaon_gauge_flow(c.gauge, &options, &flowed));
    GradientFlow flow(c.links, {.step = 0.05,
                                .weights = action == KAON_WILSON_FLOW ? wilson_weights : symanzik_weights,
                                .anisotropy = action == KAON_WILSON_FLOW ? 1.0 : 2.0});
    flow.advance(3);
    EXPECT_EQ(values_of(flowed), flow.links().to_host());
  }
}

TEST(CSmoothing, MeasuresAsCpp) {
  const WeakLinks c;
  double energy[3], charge = 0.0;
  expect_ok(kaon_gauge_energy(c.gauge, energy, &charge));
  const CloverObservables expected = clover_observables(c.links);
  EXPECT_EQ(energy[0], expected.energy);
  EXPECT_EQ(energy[1], expected.spatial_energy);
  EXPECT_EQ(energy[2], expected.temporal_energy);
  EXPECT_EQ(charge, expected.charge);
  const WeakLinks single(KAON_SINGLE);
  expect_ok(kaon_gauge_energy(single.gauge, energy, &charge));
  EXPECT_NEAR(energy[0], expected.energy, 1e-5);
}

TEST(CSmoothing, RefusesWhatItCannotTake) {
  const WeakLinks c;
  kaon_gauge* out = nullptr;
  kaon_smear_options options = smear_options(static_cast<kaon_smearing>(3));
  expect_refusal(kaon_gauge_smear(c.gauge, &options, &out), KAON_INVALID, "method = 3 is none of 0 to 2");
  options.size = 8;
  expect_refusal(kaon_gauge_smear(c.gauge, &options, &out), KAON_INVALID, "kaon_smear_options_init");
  auto flow = defaults(kaon_flow_options_init);
  flow.step = -1.0;
  expect_refusal(kaon_gauge_flow(c.gauge, &flow, &out), KAON_INVALID, "a flow cannot have steps of -1");
  flow.action = 2;
  expect_refusal(kaon_gauge_flow(c.gauge, &flow, &out), KAON_INVALID, "action = 2 is none of 0 to 1");
  const WeakLinks single(KAON_SINGLE);
  expect_refusal(kaon_gauge_smear(single.gauge, nullptr, &out), KAON_INVALID,
                 "gauge is in single precision, but double is needed");
  expect_refusal(kaon_gauge_flow(single.gauge, nullptr, &out), KAON_INVALID,
                 "gauge is in single precision, but double is needed");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
