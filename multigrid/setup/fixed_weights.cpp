// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/setup/fixed_weights.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/kept_fields.hpp>
#include <kaon/core/random.hpp>
#include <kaon/solvers/krylov.hpp>

#include <algorithm>
#include <limits>

namespace kaon::detail {
namespace {

/// Weights fit the residuals of this many right-hand sides.
constexpr int weighed_right_hand_sides = 2;
constexpr std::uint32_t noise_stream = 999'998;
/// Weights fit residuals after this many iterations, or earlier if |r| / |b| is below the least residual.
constexpr int weighed_iterations = 5;
constexpr double least_residual = 8.0 * std::numeric_limits<float>::epsilon();
/// Degree of the polynomials that follow each other: on noise, and on the last level.
constexpr int noise_degree = 6, bottom_degree = 6;

/// Appends the weights of `degree` more steps of Richardson's method. `r`: the residuals before and, on return, after
/// these steps. Returns whether there are such weights.
bool add_weights(Weights& weights, const EvenOddSystem<float>& system, SpinorField<float>& r, int degree) {
  const Weights more = richardson_weights(system, r, degree);
  weights.insert(weights.end(), more.begin(), more.end());
  return !more.empty();
}

/// Fixes the weights of a last level that iterates, if some reduce all residuals enough.
void fit_bottom(LevelStack& levels, const SpinorField<float>& r) {
  if (levels.has_exact_bottom()) return;
  const EvenOddSystem<float>& system = *levels[levels.size() - 1].system;
  Temporaries<float> fields(system.lattice(), r.parameters(), 1);
  SpinorField<float>& t = fields[0];
  blas::copy(t, r);
  const blas::Reals before = blas::norm2(t);
  const auto suffices = [&](const blas::Reals& after) {
    for (std::size_t k = 0; k < after.size(); ++k) {
      if (!(after[k] <= bottom_tolerance * bottom_tolerance * before[k])) return false;
    }
    return true;
  };
  Weights weights;
  while (static_cast<int>(weights.size()) < most_bottom_iterations && !suffices(blas::norm2(t))) {
    if (!add_weights(weights, system, t, bottom_degree)) break;
  }
  if (suffices(blas::norm2(t))) levels.iterate_bottom(weights);
}

/// Fixes the weights of `level` and of the levels below for a cycle with source r.
void fit_cycle(LevelStack& levels, int level, const SpinorField<float>& r) {
  if (levels.is_last(level)) return fit_bottom(levels, r);
  const EvenOddSystem<float>& system = *levels[level].system;
  const EvenOddSystem<float>& next_system = *levels[level + 1].system;
  Temporaries<float> here(system.lattice(), r.parameters(), 2);
  SpinorField<float>&z = here[0], &t = here[1];
  Temporaries<float> next(next_system.lattice(), next_system.domain().with_right_hand_sides(r.right_hand_sides()), 1);
  levels[level].cycle->correct(z, next[0], r);
  fit_cycle(levels, level + 1, next[0]);
  levels.make_cycle(level);
  levels[level].cycle->correct(z, next[0], r);
  system.apply(t, z);
  blas::xmy_norm2(t, r);
  levels.set_smoother(level, richardson_weights(system, t, levels.smoothing_degree()));
  levels.make_cycle(level);
}

}  // namespace

Weights relaxation_weights(const EvenOddSystem<float>& system, int degree, std::uint64_t seed) {
  Temporaries<float> fields(system.lattice(), system.domain().with_right_hand_sides(weighed_right_hand_sides), 2);
  SpinorField<float>&noise = fields[0], &image = fields[1];
  set_gaussian(noise, {.seed = seed, .stream = noise_stream});
  system.apply(image, noise);
  Weights weights;
  while (degree > 0 && add_weights(weights, system, image, std::min(degree, noise_degree))) degree -= noise_degree;
  return weights;
}

void fix_weights(LevelStack& levels, std::uint64_t seed) {
  const EvenOddSystem<float>& system = *levels[0].system;
  Temporaries<float> fields(system.lattice(), system.domain().with_right_hand_sides(weighed_right_hand_sides), 3);
  SpinorField<float>&x = fields[0], &b = fields[1], &r = fields[2];
  set_gaussian(b, {.seed = seed, .stream = noise_stream});
  blas::set_zero(x);
  Gcr<float>(system, levels.cycle(),
             {.solve = {.tolerance = least_residual, .max_iterations = weighed_iterations, .max_restarts = 0}})
      .solve(x, b);
  system.apply(r, x);
  blas::xmy_norm2(r, b);
  fit_cycle(levels, 0, r);
}

void free_weights(LevelStack& levels) {
  for (int level = 0; level < levels.size() - 1; ++level) levels.set_smoother(level, {});
  if (!levels.has_exact_bottom()) levels.iterate_bottom({});
  levels.make_cycles();
}

}  // namespace kaon::detail
