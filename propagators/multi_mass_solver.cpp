// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "propagators/normal_on_parity.hpp"
#include "propagators/shift_solver.hpp"
#include "solvers/shift_order.hpp"
#include "solvers/solve_report.hpp"
#include "solvers/source_scale.hpp"

#include <kaon/core/error.hpp>
#include <kaon/operators/staggered_normal.hpp>
#include <kaon/propagators/multi_mass_solver.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kaon {
namespace {

/// Part of the tolerance that the solves on each parity aim at: x is computed from y with rounding.
constexpr double safety = 0.9;

double lightest(const std::vector<double>& masses) {
  require(!masses.empty(), "a solver for several masses needs at least one");
  double smallest = std::abs(masses[0]);
  for (std::size_t i = 0; i < masses.size(); ++i) {
    require(std::isfinite(masses[i]) && masses[i] != 0.0,
            [&] { return fmt::format("mass {} is {}: it must be a number that is not zero", i, masses[i]); });
    smallest = std::min(smallest, std::abs(masses[i]));
  }
  return smallest;
}

detail::OperatorInPrecisions<double> with_mass(const detail::OperatorInPrecisions<double>& dirac, double mass) {
  require(dirac.with_mass != nullptr, "several masses in one Krylov space are for staggered operators");
  return dirac.with_mass(mass);
}

}  // namespace

MultiMassSolver::MultiMassSolver(const detail::OperatorInPrecisions<double>& dirac, std::vector<double> masses,
                                 const MultiMassParameters& parameters)
    : masses_(std::move(masses)),
      lightest_(lightest(masses_)),
      dirac_(with_mass(dirac, lightest_)),
      tolerance_(parameters.tolerance) {
  detail::require_tolerance(tolerance_);
  for (const Parity parity : {Parity::even, Parity::odd}) {
    solvers_[static_cast<int>(parity)] = on_parity(parity, parameters);
  }
}

MultiMassSolver::Shifts MultiMassSolver::on_parity(Parity parity, const MultiMassParameters& parameters) const {
  std::vector<double> shifts;
  for (const double mass : masses_) shifts.push_back(4.0 * (std::abs(mass) - lightest_) * (std::abs(mass) + lightest_));
  const auto matrix = [&]<class T>(const Ref<EvenOddOperator<T>>& full) {
    return detail::normal_on_parity(full, parity);
  };
  return detail::make_shift_solver(dirac_, matrix, shifts, safety * parameters.tolerance, parameters);
}

void MultiMassSolver::apply(std::size_t i, SpinorField<double>& out, const SpinorField<double>& in, bool dagger) const {
  const auto right_hand_sides = static_cast<std::size_t>(in.right_hand_sides());
  dirac_.exact->apply(out, in);  // (2 m + D) in, with the lightest mass
  if (dagger) blas::scale(out, blas::Reals(right_hand_sides, -1.0));
  blas::axpy(out, in, blas::Reals(right_hand_sides, 2.0 * masses_[i] + (dagger ? 2.0 : -2.0) * lightest_));
}

std::vector<SolveResult> MultiMassSolver::solve(std::span<SpinorField<double>> x, const SpinorField<double>& b) const {
  for (const SpinorField<double>& x_i : x) {
    require(x_i.parameters() == b.parameters() && x_i.lattice() == b.lattice(),
            "x and b of a solve must have the same lattice, sites, spins, colours and right-hand sides");
  }
  detail::require_own_fields(x, b, masses_.size(), "masses");  // of one shape
  const detail::SourceLengths lengths = detail::source_lengths(b);
  if (!lengths.in_range) {
    return detail::solve_with_scale(x, b, lengths.scale,
                                    [&](const SpinorField<double>& scaled) { return solve(x, scaled); });
  }
  detail::tell_zeros(b.lattice(), lengths);
  const Kokkos::Timer timer;
  const EvenOddOperator<double>& dirac = *dirac_.exact;
  const int right_hand_sides = b.right_hand_sides();
  const blas::Reals b_norm2 = blas::norm2(b);
  std::vector<SolveResult> results(masses_.size());
  for (SolveResult& result : results) {
    result.right_hand_sides.resize(b_norm2.size());
    for (auto& r : result.right_hand_sides) r.status = SolveStatus::converged;
  }

  std::vector<SpinorField<double>> y;
  for (std::size_t i = 0; i < masses_.size(); ++i) y.push_back(dirac.make_field(right_hand_sides));
  bool stopped = false;
  for (const Parity parity : {Parity::even, Parity::odd}) {
    const SpinorField<double> b_p = b.parity(parity);
    const blas::Reals norm2 = blas::norm2(b_p);
    if (std::all_of(norm2.begin(), norm2.end(), [](double value) { return value == 0.0; })) continue;
    std::vector<SpinorField<double>> y_p;
    for (SpinorField<double>& y_i : y) y_p.push_back(y_i.parity(parity));
    const std::vector<SolveResult> of_parity = solvers_[static_cast<int>(parity)](y_p, b_p);
    for (std::size_t i = 0; i < masses_.size(); ++i) results[i].append_part(of_parity[i]);
    stopped = std::any_of(results.begin(), results.end(), [](const SolveResult& result) { return result.stopped; });
    if (stopped) break;
  }
  SpinorField<double> residual = dirac.make_field(right_hand_sides);
  for (std::size_t i = 0; i < masses_.size(); ++i) {
    apply(i, x[i], y[i], true);
    apply(i, residual, x[i], false);
    const blas::Reals norm2 = blas::xmy_norm2(residual, b);
    for (std::size_t k = 0; k < norm2.size(); ++k) {
      auto& r = results[i].right_hand_sides[k];
      r.error_per_residual = detail::staggered_error_per_residual(r.error_per_residual, masses_[i]);
      r.true_residual = b_norm2[k] > 0.0 ? std::sqrt(norm2[k] / b_norm2[k]) : std::sqrt(norm2[k]);
      if (r.true_residual <= tolerance_) {
        r.status = SolveStatus::converged;
      } else if (r.status == SolveStatus::converged) {
        // The residual of y is smaller than the rounding of x allows.
        r.status = stopped ? SolveStatus::stopped : SolveStatus::stagnated;
      }
    }
    detail::set_errors(results[i], x[i], b);
    results[i].stopped = stopped;
    results[i].flops += 2.0 * flops_of(dirac) * right_hand_sides;
  }
  for (SolveResult& result : results) result.seconds = timer.seconds();
  return results;
}

}  // namespace kaon
