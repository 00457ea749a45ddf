// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include <kaon/core/error.hpp>
#include <kaon/solvers/solver.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <ranges>
#include <utility>

namespace kaon {
namespace {

template <class Value>
std::vector<Value> part_of(const std::vector<Value>& all, int first, int count) {
  if (all.empty()) return {};
  return {all.begin() + first, all.begin() + first + count};
}

}  // namespace

void SolveRequest::require_length(std::size_t n) const {
  const auto check = [n](std::size_t length, const char* name) {
    require(length == 0 || length == n,
            [&] { return fmt::format("{} {} were given for {} right-hand sides", length, name, n); });
  };
  check(residual_norms.size(), "residual norms");
  check(active.size(), "flags of activity");
  check(iterations.size(), "bounds of iterations");
}

SolveRequest SolveRequest::range(int first, int count) const {
  SolveRequest result = *this;
  result.residual_norms = part_of(residual_norms, first, count);
  result.active = part_of(active, first, count);
  result.iterations = part_of(iterations, first, count);
  result.progress = progress.range(first, count);
  return result;
}

SolveRequest SolveRequest::bounded(std::size_t n, int most) const {
  require_length(n);
  SolveRequest result = *this;
  result.iterations.clear();
  for (std::size_t k = 0; k < n; ++k) result.iterations.push_back(allowed(k, most));
  return result;
}

SolveRequest SolveRequest::after(const SolveResult& done) const {
  SolveRequest rest = *this;
  for (std::size_t k = 0; k < rest.iterations.size(); ++k) {
    rest.iterations[k] = std::max(0, rest.iterations[k] - done.right_hand_sides[k].iterations);
  }
  return rest;
}

std::vector<double> Progress::of_whole(std::span<const double> residuals) const {
  std::vector<double> result(residuals.begin(), residuals.end());
  for (const Part& part : parts_ | std::views::reverse) {
    for (std::size_t k = 0; k < result.size(); ++k) {
      if (!part.active.empty() && !part.active[k]) result[k] = 1.0;
      result[k] = part.norm[k] * (result[k] / part.source_norm[k]);
    }
  }
  return result;
}

Progress Progress::counted() const {
  Progress result = *this;
  if (!count_) result.count_ = std::make_shared<int>(0);
  return result;
}

Progress Progress::narrowed(std::vector<double> norm, std::vector<double> source_norm, std::vector<bool> active) const {
  Progress result = *this;
  result.parts_.push_back({std::move(norm), std::move(source_norm), std::move(active)});
  return result;
}

Progress Progress::range(int first, int count) const {
  Progress result = *this;
  for (Part& part : result.parts_) {
    part.norm = part_of(part.norm, first, count);
    part.source_norm = part_of(part.source_norm, first, count);
    part.active = part_of(part.active, first, count);
  }
  return result;
}

}  // namespace kaon
