// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "multigrid/setup/level_stack.hpp"

#include <kaon/multigrid/report.hpp>

#include <utility>

namespace kaon::detail {

/// The finished levels of multigrid; `build_hierarchy` makes them. T is the precision of fields and coarse operators.
template <class T>
class Hierarchy {
 public:
  Hierarchy(LevelStack<T> levels, MultigridReport report) : levels_(std::move(levels)), report_(std::move(report)) {}

  int levels() const { return levels_.size(); }
  const EvenOddOperator<T>& matrix(int level) const { return *levels_[level].matrix; }
  const EvenOddSystem<T>& system(int level = 0) const { return *levels_[level].system; }
  /// The transfer between `level` and the next.
  const Transfer<T>& transfer(int level) const { return *levels_[level].transfer; }
  /// S^-1 of `level` approximately: a cycle; on the last level, its solver.
  const LinearOperator<T>& cycle(int level = 0) const { return levels_.cycle(level); }

  const MultigridReport& report() const { return report_; }

  /// The vectors of the first level, computed as v_j = P R v_j.
  SpinorField<T> near_null_vectors() const { return levels_.near_null_vectors(); }

 private:
  LevelStack<T> levels_;
  MultigridReport report_;
};

}  // namespace kaon::detail
