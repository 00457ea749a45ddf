// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quarks/shift_solver.hpp"
#include "solvers/contract/solve_report.hpp"
#include "solvers/contract/source_scale.hpp"
#include "solvers/contract/targets.hpp"
#include "solvers/eigen/low_modes.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/operators/normal.hpp>
#include <kaon/solvers/eigenvectors.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace kaon::detail {
namespace {

class Solve {
 public:
  explicit Solve(const DeflatedShifts& given)
      : given_(given), modes_(std::make_shared<const LowModes<double>>(*given.matrix, given.eigenvectors)) {
    for (const double shift : given.shifts) {
      systems_.emplace_back(given.matrix, shift);
      alone_.emplace_back(given.alone(shift), modes_, shift);
    }
  }

  std::vector<SolveResult> operator()(std::span<SpinorField<double>> x, const SpinorField<double>& b,
                                      const SolveRequest& request) const {
    require_own_fields(x, b, systems_.size(), "shifts");
    if (const SourceLengths lengths = source_lengths(b); !lengths.in_range) {
      return solve_with_scale(x, b, lengths.scale,
                              [&](const SpinorField<double>& scaled) { return (*this)(x, scaled, request); });
    }
    const Kokkos::Timer timer;
    SolveRequest counting = request;
    counting.progress = request.progress.counted();
    const blas::Reals b_norm2 = blas::norm2(b);
    if (modes_->rounded()) return one_by_one(x, b, b_norm2, counting, timer);
    const std::vector<blas::Complexes> parts = modes_->parts(b);
    SpinorField<double> rest = blas::clone(b);
    modes_->take_away(rest, parts);
    const blas::Reals rest_norm2 = blas::norm2(rest);
    for (std::size_t k = 0; k < b_norm2.size(); ++k) {
      const bool is_rounding = !(rest_norm2[k] > given_.tolerance * given_.tolerance * b_norm2[k]);
      if (is_rounding) blas::set_zero(rest.right_hand_side(k));
    }
    std::vector<SolveResult> results = given_.together(x, rest, counting);
    counting.iterations.clear();
    bool stopped = std::ranges::any_of(results, [](const SolveResult& result) { return result.stopped; });
    for (std::size_t s = 0; s < systems_.size(); ++s) {
      modes_->add_solution(x[s], parts, given_.shifts[s]);
      finish(s, x[s], b, b_norm2, rest, counting, results[s], stopped);
    }
    for (SolveResult& result : results) result.seconds = timer.seconds();
    return results;
  }

 private:
  /// Solves with rounded vectors, whose errors would make the residuals of all shifts different at once.
  std::vector<SolveResult> one_by_one(std::span<SpinorField<double>> x, const SpinorField<double>& b,
                                      const blas::Reals& b_norm2, const SolveRequest& request,
                                      const Kokkos::Timer& timer) const {
    std::vector<SolveResult> results(systems_.size());
    bool stopped = false;
    for (std::size_t s = 0; s < systems_.size(); ++s) {
      blas::set_zero(x[s]);
      if (stopped) {
        stop(results[s], b_norm2);
        continue;
      }
      results[s] = alone_[s].solve(x[s], b, request);
      stopped = results[s].stopped;
    }
    for (SolveResult& result : results) result.seconds = timer.seconds();
    return results;
  }

  /// Computes the true residual, and continues with one shift if it is too large and the sweep has ended otherwise.
  void finish(std::size_t s, SpinorField<double>& x, const SpinorField<double>& b, const blas::Reals& b_norm2,
              SpinorField<double>& residual, SolveRequest request, SolveResult& result, bool& stopped) const {
    systems_[s].apply(residual, x);
    const blas::Reals norm2 = blas::xmy_norm2(residual, b);
    for (std::size_t k = 0; k < norm2.size(); ++k) {
      auto& r = result.right_hand_sides[k];
      r.true_residual = b_norm2[k] > 0.0 ? std::sqrt(norm2[k] / b_norm2[k]) : std::sqrt(norm2[k]);
      // The sweep has not seen the low modes.
      r.error_per_residual = std::max(r.error_per_residual, 1.0 / (modes_->smallest() + given_.shifts[s]));
      const bool ended = r.status == SolveStatus::converged || r.status == SolveStatus::stagnated;
      request.active.push_back(ended && r.true_residual > given_.tolerance);
      if (r.true_residual <= given_.tolerance) {
        r.status = SolveStatus::converged;
      } else if (ended) {
        r.status = stopped ? SolveStatus::stopped : SolveStatus::stagnated;
      }
    }
    if (!stopped && std::ranges::find(request.active, true) != request.active.end()) {
      result.append(alone_[s].solve(x, b, request), request);
      stopped = result.stopped;
    }
    result.stopped = stopped;
    set_errors(result, x, b);
  }

  DeflatedShifts given_;
  std::shared_ptr<const LowModes<double>> modes_;
  std::vector<Shifted<double>> systems_;
  std::vector<Deflated<double>> alone_;
};

}  // namespace

ShiftSolver deflated_shifts(const DeflatedShifts& given) {
  return
      [solve = std::make_shared<const Solve>(given)](std::span<SpinorField<double>> x, const SpinorField<double>& b,
                                                     const SolveRequest& request) { return (*solve)(x, b, request); };
}

}  // namespace kaon::detail
