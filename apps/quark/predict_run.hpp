// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "apps/quark/propagator_options.hpp"
#include "comm/network.hpp"

#include <kaon/predict/predict.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kaon::apps {

/// The options as given, and those of the library that they mean.
struct PredictRun {
  std::string size, gauge, processes = "1,2,4,8,16,32,64,128,256,512", cut, solvers, iterations, json;
  std::optional<double> memory;
  QuarkOptions quark{.action = "clover", .numbers = {.csw = 0.0, .u0 = 1.0}};
  PredictOptions predict{};
  std::vector<PredictedSolve> solves{};
  detail::Network network{};
};

/// The families that are predicted.
const QuarkActions& predicted_actions();
/// Checks the options and sets what they mean.
void check(PredictRun& given);

}  // namespace kaon::apps
