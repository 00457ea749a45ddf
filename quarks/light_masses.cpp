// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quarks/light_masses.hpp"

#include "quarks/automatic_solver.hpp"

#include <kaon/core/error.hpp>
#include <kaon/quarks/propagator_solver.hpp>
#include <kaon/solvers/fallback.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace kaon::detail {
namespace {

/// Levels of a mass serve masses of at most that many times it.
constexpr double widest_ratio = 4.0;
/// Of the cost of a setup, where near-null vectors are given.
constexpr int part_of_other_levels = 2;

MultigridParameters of_levels(const MultiMassParameters& given) {
  MultigridParameters levels = given.multigrid;
  levels.tolerance = given.tolerance;
  levels.max_iterations = std::min(levels.max_iterations, std::max(1, given.max_iterations / 2));
  levels.links = given.links;
  if (given.inner == InnerPrecision::outer) levels.smoothing = MultigridPrecision::single;
  return levels;
}

PropagatorSolverParameters of_fallback(const MultiMassParameters& given) {
  return {.tolerance = given.tolerance,
          .max_iterations = given.max_iterations,
          .method = KrylovMethod::cg,
          .inner = given.inner,
          .links = given.links,
          .halo = given.halo,
          .reliable_delta = given.reliable_delta};
}

MultigridPrice price() { return forced_price_in_cg().value_or(price_in_cg); }

}  // namespace

std::optional<MultigridPrice>& forced_price_in_cg() {
  static std::optional<MultigridPrice> price;
  return price;
}

LightMasses::LightMasses(Quark<double> dirac, std::vector<double> masses, const MultiMassParameters& parameters)
    : dirac_(std::move(dirac)), masses_(std::move(masses)), parameters_(parameters) {
  if (parameters.method == KrylovMethod::multigrid) take_next();
}

bool LightMasses::has_levels_for(double mass) const {
  return last_ && mass > 0.0 && mass <= widest_ratio * mass_of_last_;
}

std::optional<int> LightMasses::until_it_pays(int right_hand_sides) const {
  if (!possible_ || taken() == masses_.size()) return std::nullopt;
  int cost = 0;
  if (parameters_.method != KrylovMethod::multigrid && !has_levels_for(masses_[taken()])) {
    cost = price().iterations_of_setup / (last_ ? part_of_other_levels : 1);
  }
  const int each = (std::max(0, cost - lost_) + right_hand_sides - 1) / right_hand_sides;
  const int bound = price().iterations_of_solve + each;
  if (bound >= parameters_.max_iterations) return std::nullopt;
  return bound;
}

void LightMasses::count(const SolveResult& sweep) {
  for (const auto& r : sweep.right_hand_sides) lost_ += std::max(0, r.iterations - price().iterations_of_solve);
}

void LightMasses::take_next() {
  const double mass = masses_[taken()];
  const Quark<double> dirac = dirac_.with_mass(mass);
  std::shared_ptr<const Multigrid<double>> multigrid;
  if (has_levels_for(mass)) {
    multigrid = std::make_shared<const Multigrid<double>>(dirac, *last_);
  } else {
    MultigridParameters given = of_levels(parameters_);
    if (last_) given.near_null_vectors = std::make_shared<const SpinorField<float>>(last_->near_null_vectors());
    multigrid = std::make_shared<const Multigrid<double>>(dirac, given);
    std::tie(last_, mass_of_last_) = std::tie(multigrid, mass);
    if (!levels_) levels_ = multigrid;
  }
  const auto next = [dirac, given = of_fallback(parameters_)] { return PropagatorSolver<double>(dirac, given); };
  solvers_.push_back(
      Fallback<double>(multigrid, next, {.how = "by conjugate gradients", .on_fallback = parameters_.on_fallback}));
}

void LightMasses::take(std::size_t count) {
  const auto tell = [&](const std::string& notice) {
    tell_fallback({.on_fallback = parameters_.on_fallback}, dirac_->lattice(), notice);
  };
  if (!levels_ && count > 0) tell("iterations have cost as much as the setup of multigrid, which is made now");
  try {
    while (taken() < count) take_next();
  } catch (const Error& error) {  // on all processes
    possible_ = false;
    tell(fmt::format("multigrid is not possible for mass {}, which conjugate gradients go on with: {}",
                     masses_[taken()], error.what()));
  }
  lost_ = 0;
}

SolveResult LightMasses::solve(std::size_t i, SpinorField<double>& x, const SpinorField<double>& b) const {
  const auto n = static_cast<std::size_t>(b.right_hand_sides());
  SolveRequest request = SolveRequest{}.bounded(n, parameters_.max_iterations);
  request.progress = parameters_.on_iteration;
  return solvers_[i]->solve(x, b, request);
}

}  // namespace kaon::detail
