// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "solvers/shifts/shift_arguments.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kaon::detail {

std::vector<std::size_t> order_of_shifts(const std::vector<double>& shifts) {
  require(!shifts.empty(), "a multi-shift solver needs at least one shift");
  for (std::size_t s = 0; s < shifts.size(); ++s) {
    require(shifts[s] >= 0.0 && std::isfinite(shifts[s]), [&] {
      return fmt::format(
          "shift {} is {}: it must be a number that is not negative, or A + sigma need not be positive: shift the "
          "operator first",
          s, shifts[s]);
    });
  }
  std::vector<std::size_t> order(shifts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return shifts[a] < shifts[b]; });
  return order;
}

std::vector<double> ordered_tolerances(const std::vector<double>& tolerances, double tolerance,
                                       const std::vector<std::size_t>& order) {
  require(tolerances.empty() || tolerances.size() == order.size(),
          [&] { return fmt::format("{} tolerances were given for {} shifts", tolerances.size(), order.size()); });
  std::vector<double> ordered;
  for (const std::size_t s : order) {
    ordered.push_back(tolerances.empty() ? tolerance : tolerances[s]);
    require_tolerance(ordered.back());
  }
  return ordered;
}

void require_no_targets(const SolveRequest& request) {
  require(request.residual_norms.empty() && request.active.empty(),
          "a multi-shift solver works for all right-hand sides, to its tolerance: a request can name iterations, "
          "on_iteration and keep_history alone");
}

int iterations_of_sweep(const SolveRequest& request, int most) {
  for (const int bound : request.iterations) most = std::min(most, bound);
  return std::max(1, most);
}

}  // namespace kaon::detail
