// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/capi/handles.hpp"

#include <nlohmann/json.hpp>

// Measurements; tests/apps/measure_test.cpp and tests/python/test_measurements.py prove their numbers.

namespace kaon::test {
namespace KAON_TEST_FILE {

TEST(CMeasure, ReturnsCorrelatorsAsJson) {
  const Started started;
  LatticeHandle lattice;
  make_lattice(lattice, {4, 4, 4, 8});
  GaugeHandle links, single;
  make_random_links(links, lattice);
  make_random_links(single, lattice, KAON_SINGLE);
  nlohmann::json input{{"quark", {{"l", {{"action", "wilson"}, {"mass", 1.0}}}}},
                       {"source", {{"sites", {{0, 1, 2, 3}}}}},
                       {"meson", {{{"quarks", {"l", "l"}}}}}};
  const char* text = nullptr;
  expect_ok(kaon_measure(links, input.dump().c_str(), "q", 0, &text));
  ASSERT_NE(text, nullptr);
  const nlohmann::json found = nlohmann::json::parse(text);
  EXPECT_EQ(found.at("meson").at("l_l").at("source"), nlohmann::json::parse("[[0, 1, 2, 3]]"));
  EXPECT_GT(found.at("meson").at("l_l").at("correlator")[0][0][0][0][0][0], 0.0);

  input["solver"]["max_iterations"] = 1;
  expect_refusal(kaon_measure(links, input.dump().c_str(), "q", 0, &text), KAON_NOT_CONVERGED, "quark l, source 0");
  EXPECT_EQ(text, nullptr);
  input["quark"]["l"]["mas"] = 1.0;
  expect_refusal(kaon_measure(links, input.dump().c_str(), "q", 0, &text), KAON_INVALID, "quark.l.mas: unknown key");
  expect_refusal(kaon_measure(links, "{", "q", 0, &text), KAON_INVALID, "this is no JSON");
  expect_refusal(kaon_measure(single, "{}", "q", 0, &text), KAON_UNSUPPORTED, "double");
  expect_refusal(kaon_measure(links, nullptr, "q", 0, &text), KAON_INVALID, "input is NULL");
  expect_refusal(kaon_measure(links, "{}", "q", 0, nullptr), KAON_INVALID, "json is NULL");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
