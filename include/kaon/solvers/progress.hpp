// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace kaon {

/// Called after each iteration with its number and the relative iterated residuals of all right-hand sides; returns
/// whether the solve continues. If it returns false, right-hand sides that have not converged are `stopped`, and their
/// x is the best one so far, as for all right-hand sides that fail. All processes have a receiver, or none has. False
/// on any process ends the solve on all of them, after at most seven more iterations, which that process does not
/// report. No process may leave a receiver by an exception alone.
using OnIteration = std::function<bool(int iteration, std::span<const double> residuals)>;

/// Reports the iterations of a solve to a receiver. Solvers pass it on to the solvers within them, adapted by the
/// functions below, so that the receiver sees the iterations and residuals of the outermost solve.
class Progress {
 public:
  /// No receiver.
  Progress() = default;
  template <std::convertible_to<OnIteration> Receiver>
  Progress(Receiver receiver) : receiver_(std::move(receiver)) {}
  /// Ends a solve after its first iteration.
  static Progress ending() {
    return [](int, std::span<const double>) { return false; };
  }

  explicit operator bool() const { return receiver_ != nullptr; }
  /// Calls the receiver, with residuals of the outermost solve.
  bool report(int iteration, std::span<const double> residuals) const {
    return receiver_(count_ ? ++*count_ : iteration, residuals);
  }
  /// Residuals of the outermost solve from those of the solve that this object was passed to.
  std::vector<double> of_whole(std::span<const double> residuals) const;

  /// Numbers the iterations of several solves 1, 2, ... through all of them.
  Progress counted() const;
  /// For a solve of corrections: right-hand side k has the length `norm[k]`, while it has `source_norm[k]` in this
  /// solve. The residuals of right-hand sides that are not `active` are 1; empty: all are active.
  Progress narrowed(std::vector<double> norm, std::vector<double> source_norm, std::vector<bool> active = {}) const;
  /// For right-hand sides [first, first + count).
  Progress range(int first, int count) const;

 private:
  struct Part {
    std::vector<double> norm, source_norm;
    std::vector<bool> active;
  };

  OnIteration receiver_{};
  std::shared_ptr<int> count_{};
  std::vector<Part> parts_{};  // from the outermost solve inwards
};

}  // namespace kaon
