// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "solvers/contract/refinement.hpp"

#include <limits>
#include <utility>

namespace kaon::detail {

Refinement::Refinement(const Targets& targets, const SolveRequest& request, const RefinementRules& rules)
    : targets_(targets),
      whole_(request),
      request_(request),
      rules_(rules),
      last_norm_(targets.source_norm.size(), std::numeric_limits<double>::infinity()) {
  request_.residual_norms = targets.residual_norm;
  request_.active = targets.active;
  for (const bool active : targets.active) {
    result_.right_hand_sides.push_back({.status = active ? SolveStatus::max_iterations : SolveStatus::converged});
  }
}

void Refinement::append(const SolveResult& solved) {
  result_.append(solved, request_);
  request_.iterations = whole_.after(result_).iterations;
  ++solves_;
}

bool Refinement::goes_on(std::span<const double> norm, const std::vector<bool>& unmet) {
  bool any = false;
  for (std::size_t k = 0; k < norm.size(); ++k) {
    SolveResult::RightHandSide& r = result_.right_hand_sides[k];
    r.true_residual = norm[k] / targets_.source_norm[k];
    if (!request_.active[k]) continue;
    request_.active[k] = false;
    const double last = std::exchange(last_norm_[k], norm[k]);
    const bool any_progress = rules_.least_progress > 0.0 || solves_ == 0;
    if (!is_finite(norm[k])) {
      r.status = SolveStatus::not_a_number;
    } else if (norm[k] <= targets_.residual_norm[k] && (unmet.empty() || !unmet[k])) {
      r.status = SolveStatus::converged;
    } else if (!any_progress && r.status != SolveStatus::converged) {
      continue;  // the reason why the inner solve failed
    } else if (result_.stopped) {
      r.status = SolveStatus::stopped;
    } else if (!request_.iterations.empty() && request_.iterations[k] <= 0) {
      r.status = SolveStatus::max_iterations;  // which also explains too little progress
    } else if (rules_.least_progress > 0.0 && norm[k] > rules_.least_progress * last) {
      r.status = SolveStatus::stagnated;
    } else if (solves_ >= rules_.most_solves) {
      r.status = rules_.out_of_solves;
    } else {
      any = request_.active[k] = true;
      if (!any_progress) request_.residual_norms[k] *= refinement_safety * targets_.residual_norm[k] / norm[k];
    }
  }
  return any;
}

}  // namespace kaon::detail
