// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quarks/light_masses.hpp"

#include "core/base/parts.hpp"
#include "solvers/contract/solve_report.hpp"

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

}  // namespace

std::optional<MultigridPrice>& forced_price_in_cg() {
  static std::optional<MultigridPrice> price;
  return price;
}

LightMasses::LightMasses(Quark<double> dirac, std::vector<double> masses, const SolveOptions& options)
    : dirac_(std::move(dirac)), masses_(std::move(masses)), options_(options) {
  if (options.method == KrylovMethod::multigrid) take_next(1.0);
}

bool LightMasses::has_levels_for(double mass) const {
  return last_ && mass > 0.0 && mass <= widest_ratio * mass_of_last_;
}

MultigridPrice LightMasses::price(int right_hand_sides) const {
  MultigridPrice result =
      forced_price_in_cg().value_or(usual_price(KrylovMethod::cg, dirac_->lattice(), right_hand_sides));
  const bool is_paid = options_.method == KrylovMethod::multigrid || has_levels_for(masses_[taken()]);
  // Operators of other masses cost about as much as a solve.
  const int of_operators = right_hand_sides * result.iterations_of_solve;
  const int of_levels = result.iterations_of_setup / (last_ ? part_of_other_levels : 1);
  result.iterations_of_setup = is_paid ? of_operators : std::max(of_operators, of_levels);
  return result;
}

LightMasses::Watch::Watch(const LightMasses& masses, int right_hand_sides, int parities)
    : masses_(masses),
      price_(masses.price(right_hand_sides)),
      right_hand_sides_(right_hand_sides),
      parities_(parities) {}

Progress LightMasses::Watch::next_parity() {
  if (forecast_) {
    ++parities_done_;
    done_ += forecast_->iterations();
  }
  forecast_.emplace(std::vector<double>(static_cast<std::size_t>(right_hand_sides_), masses_.options_.tolerance));
  return [this](int iteration, std::span<const double> residuals) { return report(iteration, residuals); };
}

bool LightMasses::Watch::report(int iteration, std::span<const double> residuals) {
  forecast_->see(residuals);
  const OnIteration& receiver = masses_.options_.on_iteration;
  if (receiver && !receiver(iteration, residuals)) user_stops_ = true;
  const int parities_left = parities_ - parities_done_;
  const int done = done_ + forecast_->iterations();
  // Both parities have the same eigenvalues.
  const double as_before = parities_done_ > 0 ? static_cast<double>(done_) / parities_done_ : 0.0;
  const bool is_known = forecast_->iterations() < wrong_record * as_before;
  const double of_parity = is_known ? as_before : forecast_->needed();
  // Forecasts of a few iterations are too long.
  if (done >= price_.iterations_of_solve && forecast_->iterations() % agreement_interval == 0) {
    leave_ = leave(price_, {.right_hand_sides = right_hand_sides_,
                            .done = done,
                            .needed = done_ + parities_left * of_parity,
                            .is_recorded = is_known,
                            .allowed = parities_ * masses_.options_.max_iterations,
                            .part_left = (forecast_->part_left() + parities_left - 1) / parities_,
                            .lost = masses_.lost_});
  }
  return !user_stops_ && leave_.reason == nullptr;
}

void LightMasses::count(const SolveResult& sweep) {
  const int of_multigrid = price(1).iterations_of_solve;
  for (const auto& r : sweep.right_hand_sides) lost_ += std::max(0, r.iterations - of_multigrid);
}

void LightMasses::take_next(double worst_convergence) {
  if constexpr (Parts::multigrid) {
    const double mass = masses_[taken()];
    const Quark<double> dirac = dirac_.with_mass(mass);
    std::shared_ptr<const Multigrid<double>> multigrid;
    if (has_levels_for(mass)) {
      multigrid = std::make_shared<const Multigrid<double>>(dirac, *last_);
    } else {
      MultigridParameters given = plan(dirac, with_method(options_, KrylovMethod::multigrid)).rungs.front().multigrid;
      given.worst_convergence = worst_convergence;
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

void LightMasses::take(const Leave& leave) {
  const auto tell = [&](const std::string& notice) {
    tell_fallback({.on_fallback = options_.on_fallback}, dirac_->lattice(), notice);
  };
  if (!levels_) {
    tell(leave.reason);
    leave_ = leave;
  }
  try {
    take_next(leave.worst_convergence);
  } catch (const Error& error) {  // on all processes
    possible_ = false;
    tell(fmt::format("multigrid is not possible for mass {}, which conjugate gradients go on with: {}",
                     masses_[taken()], error.what()));
  }
  lost_ = 0;
}

SolveResult LightMasses::solve(std::size_t i, SpinorField<double>& x, const SpinorField<double>& b) {
  const auto n = static_cast<std::size_t>(b.right_hand_sides());
  SolveRequest request = SolveRequest{}.bounded(n, options_.max_iterations);
  request.progress = options_.on_iteration;
  SolveResult result = solvers_[i]->solve(x, b, request);
  was_wrong_ = was_wrong_ || leave_.was_wrong(result);
  return result;
}

void LightMasses::drop_if_wrong() {
  if (!was_wrong_) return;
  solvers_.clear();
  levels_.reset();
  last_.reset();
  possible_ = false;
  tell_fallback({.on_fallback = options_.on_fallback}, dirac_->lattice(), not_converged);
}

}  // namespace kaon::detail
