// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "solvers/contract/targets.hpp"

#include <algorithm>
#include <limits>

namespace kaon::detail {

/// The state of one right-hand side during a solve.
struct RightHandSide {
  double source_norm = 1.0;    ///< |b|; 1 where b is zero
  double residual_norm = 0.0;  ///< |b - M x| that is small enough
  double first_norm = 1.0;     ///< |b - M x| of the first x, |b| at most
  bool wanted = true;          ///< false: x is not changed
  int allowed_iterations = std::numeric_limits<int>::max();
  bool active = true;                                                ///< iterations continue
  bool held = false;                                                 ///< continues below its target
  bool restart = false;                                              ///< after a fresh start from the true residual
  double last_true_norm = std::numeric_limits<double>::infinity();   ///< at the last useful update or check at the end
  double last_taken_norm = std::numeric_limits<double>::infinity();  ///< of methods that recompute r
  SolveResult::RightHandSide result{};

  /// |r| below which the steps of x are used for the estimate of its error: an iteration of BiCGstab may lower |r| by a
  /// factor of ten.
  double near_target() const { return std::min(100.0 * residual_norm, settled_part * first_norm); }
  /// |r| at which iterations end.
  double goal() const { return held ? 0.0 : residual_norm; }
  bool runs() const { return active && !restart; }
  bool out_of_iterations() const { return result.iterations >= allowed_iterations; }
  /// |r| of the recurrence after its last iteration.
  double iterated_norm() const { return result.iterated_residual * source_norm; }
  void set_iterated_norm(double norm) { result.iterated_residual = norm / source_norm; }
  void set_true_norm(double norm) { result.true_residual = norm / source_norm; }
  void stop(SolveStatus status) {
    active = restart = false;
    result.status = status;
  }
};

}  // namespace kaon::detail
