// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/capi/handles.hpp"

#include <nlohmann/json.hpp>

// Predictions; tests/apps/predict_test.cpp proves their numbers.

namespace kaon::test {
namespace KAON_TEST_FILE {

TEST(CPredict, PredictsAsTheProgram) {
  const Started started;
  auto quarks = defaults(kaon_operator_options_init);
  quarks.action = KAON_STAGGERED;
  auto options = defaults(kaon_predict_options_init);
  EXPECT_STREQ(options.network, "ndr");
  const int processes[] = {1, 2, 3};
  const double iterations[] = {100.0, 0.0};
  for (int mu = 0; mu < 4; ++mu) options.extents[mu] = mu < 3 ? 4 : 8;
  options.processes = processes;
  options.counts = 3;
  options.solvers = "cg,multi-shift";
  options.iterations = iterations;
  options.network = "2000,1,1000";
  const char* text = nullptr;
  expect_ok(kaon_predict(&quarks, &options, &text));
  ASSERT_NE(text, nullptr);
  const nlohmann::json found = nlohmann::json::parse(text);
  EXPECT_EQ(found.at("action"), "staggered");
  ASSERT_EQ(found.at("predictions").size(), 4u);
  EXPECT_EQ(found.at("predictions")[1].at("iterations"), 100.0);
  EXPECT_FALSE(found.at("predictions")[2].contains("iterations"));
  EXPECT_GT(found.at("predictions")[1].at("seconds").at("halo"), 1e-3);
  EXPECT_EQ(found.at("notes").size(), 1u);

  const auto refuse = [&](const auto& set, kaon_status status, const char* message) {
    kaon_operator_options of = quarks;
    kaon_predict_options given = options;
    set(of, given);
    expect_refusal(kaon_predict(&of, &given, &text), status, message);
    EXPECT_EQ(text, nullptr);
  };
  refuse([](auto& of, auto&) { of.mass = 0.1; }, KAON_INVALID, "counted on links");
  refuse([](auto& of, auto&) { of.action = KAON_TWISTED_MASS; }, KAON_UNSUPPORTED, "not predicted");
  refuse([](auto&, auto& given) { given.solvers = "bicgstab"; }, KAON_INVALID,
         "times of bicgstab are not predicted for these");
  refuse([](auto&, auto& given) { given.counts = 0; }, KAON_INVALID, "counts = 0");
  refuse([](auto&, auto& given) { given.processes = nullptr; }, KAON_INVALID, "processes is NULL");
  refuse([](auto&, auto& given) { given.extents[0] = 0; }, KAON_INVALID, "nothing can be predicted");
  refuse([](auto&, auto& given) { given.size = 8; }, KAON_INVALID, "kaon_predict_options has");
  expect_refusal(kaon_predict(&quarks, &options, nullptr), KAON_INVALID, "json is NULL");
  expect_refusal(kaon_predict(nullptr, &options, &text), KAON_INVALID, "quarks is NULL");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
