// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quarks/light_masses.hpp"

#include "core/base/parts.hpp"

#include <kaon/core/error.hpp>
#include <kaon/quarks/propagator_solver.hpp>
#include <kaon/quarks/solve_plan.hpp>
#include <kaon/solvers/adapters.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace kaon::detail {
namespace {

/// Levels of a mass serve masses of at most that many times it.
constexpr double widest_ratio = 4.0;
/// A setup with given near-null vectors costs this part of one without.
constexpr int part_of_other_levels = 2;

SolveOptions with_method(SolveOptions options, KrylovMethod method) {
  options.method = method;
  if (method == KrylovMethod::cg) options.multigrid = {};
  return options;
}

MultigridPrice price() { return forced_price_in_cg().value_or(price_in_cg); }

}  // namespace

std::optional<MultigridPrice>& forced_price_in_cg() {
  static std::optional<MultigridPrice> price;
  return price;
}

LightMasses::LightMasses(Quark<double> dirac, std::vector<double> masses, const SolveOptions& options)
    : dirac_(std::move(dirac)), masses_(std::move(masses)), options_(options) {
  if (options.method == KrylovMethod::multigrid) take_next();
}

bool LightMasses::has_levels_for(double mass) const {
  return last_ && mass > 0.0 && mass <= widest_ratio * mass_of_last_;
}

std::optional<int> LightMasses::until_it_pays(int right_hand_sides) const {
  if (!possible_ || taken() == masses_.size()) return std::nullopt;
  int cost = 0;
  if (options_.method != KrylovMethod::multigrid && !has_levels_for(masses_[taken()])) {
    cost = price().iterations_of_setup / (last_ ? part_of_other_levels : 1);
  }
  const int bound = price().until_it_pays(cost - lost_, right_hand_sides);
  if (bound >= options_.max_iterations) return std::nullopt;
  return bound;
}

void LightMasses::count(const SolveResult& sweep) { lost_ += price().lost(sweep); }

void LightMasses::take_next() {
  if constexpr (Parts::multigrid) {
    const double mass = masses_[taken()];
    const Quark<double> dirac = dirac_.with_mass(mass);
    std::shared_ptr<const Multigrid<double>> multigrid;
    if (has_levels_for(mass)) {
      multigrid = std::make_shared<const Multigrid<double>>(dirac, *last_);
    } else {
      MultigridParameters given = plan(dirac, with_method(options_, KrylovMethod::multigrid)).rungs.front().multigrid;
      if (last_) given.near_null_vectors = std::make_shared<const SpinorField<float>>(last_->near_null_vectors());
      multigrid = std::make_shared<const Multigrid<double>>(dirac, given);
      std::tie(last_, mass_of_last_) = std::tie(multigrid, mass);
      if (!levels_) levels_ = multigrid;
    }
    const auto next = [dirac, given = with_method(options_, KrylovMethod::cg)] {
      return PropagatorSolver<double>(dirac, given);
    };
    solvers_.push_back(
        Fallback<double>(multigrid, next, {.how = "by conjugate gradients", .on_fallback = options_.on_fallback}));
  }
}

std::optional<MultigridReport> LightMasses::report() const {
  if constexpr (Parts::multigrid) {
    if (levels_) return levels_->report();
  }
  return std::nullopt;
}

SpinorField<float> LightMasses::near_null_vectors() const {
  if constexpr (Parts::multigrid) return levels_->near_null_vectors();
  refuse_part("multigrid");
}

void LightMasses::take(std::size_t count) {
  const auto tell = [&](const std::string& notice) {
    tell_fallback({.on_fallback = options_.on_fallback}, dirac_->lattice(), notice);
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
  SolveRequest request = SolveRequest{}.bounded(n, options_.max_iterations);
  request.progress = options_.on_iteration;
  return solvers_[i]->solve(x, b, request);
}

}  // namespace kaon::detail
