// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/program.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

namespace kaon::test {

/// Replaces the records of solves in a tuning cache, which has one of a solve by iterations: `times` are microseconds
/// of such a solve (20 iterations), of a setup of multigrid and of a solve by it.
inline void rewrite_records(const std::string& cache, const std::vector<double>& times) {
  auto json = nlohmann::json::parse(read_text(cache));
  auto& entries = json.at("sections").at(0).at("entries");
  const auto is_record = [](const nlohmann::json& entry) {
    return contains(entry.at("kernel"), "kaon::solve_") || contains(entry.at("kernel"), "kaon::multigrid_setup");
  };
  const auto krylov = std::find_if(entries.begin(), entries.end(), is_record);
  ASSERT_NE(krylov, entries.end());
  nlohmann::json of_krylov = *krylov, of_setup = *krylov, of_multigrid = *krylov;
  const std::string label = of_krylov.at("kernel"), start = "kaon::solve_krylov";
  ASSERT_EQ(label.rfind(start, 0), 0u) << label;
  of_krylov["microseconds"] = times[0];
  of_krylov["standard_microseconds"] = times[0] / 20;  // iterations
  of_setup["kernel"] = "kaon::multigrid_setup" + label.substr(label.rfind(','));
  of_setup["right_hand_sides"] = 0;
  of_setup["microseconds"] = of_setup["standard_microseconds"] = times[1];
  of_multigrid["kernel"] = "kaon::solve_multigrid" + label.substr(start.size());
  of_multigrid["microseconds"] = of_multigrid["standard_microseconds"] = times[2];
  entries.erase(std::remove_if(entries.begin(), entries.end(), is_record), entries.end());
  for (const nlohmann::json& each : {of_krylov, of_setup, of_multigrid}) entries.push_back(each);
  std::ofstream(cache) << json;
}

}  // namespace kaon::test
