// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "multigrid/setup/level_choice.hpp"
#include "multigrid/setup/level_stack.hpp"

#include <kaon/multigrid/report.hpp>

#include <utility>
#include <vector>

namespace kaon::detail {

/// Right-hand sides that multigrid solves for at once.
inline constexpr int most_multigrid_right_hand_sides = 12;

/// The levels of multigrid for an operator M, as `Multigrid` uses them.
class Levels {
 public:
  virtual ~Levels() = default;
  /// The matrix of the outer iterations: M, or the Schur complement of M on the even sites.
  virtual const LinearOperator<float>& matrix() const = 0;
  /// An approximation of the inverse of this matrix.
  virtual const LinearOperator<float>& cycle() const = 0;
  /// Whether the matrix is M. Then the cycle serves operators of other masses, too.
  virtual bool on_all_sites() const = 0;
  /// Whether the cycle approximates (M^dag M)^-1 in place of M^-1, for this matrix M.
  virtual bool is_normal() const { return false; }
  /// How many of so many right-hand sides are solved together: as many as a propagator has, or as fit the memory that
  /// is free when so many come for the first time. Collective.
  virtual int right_hand_sides_in_memory(int /*wanted*/) const { return most_multigrid_right_hand_sides; }
  virtual const MultigridReport& report() const = 0;
  /// Near-null vectors of M, on all sites.
  virtual SpinorField<float> near_null_vectors() const = 0;

 protected:
  Levels() = default;
  Levels(Levels&&) noexcept = default;
  Levels& operator=(Levels&&) = delete;
};

/// The finished levels below the even-odd system of an operator; `build_hierarchy` makes them.
class Hierarchy final : public Levels {
 public:
  Hierarchy(LevelStack levels, MultigridReport report) : levels_(std::move(levels)), report_(std::move(report)) {}

  const LevelStack& levels() const { return levels_; }
  const EvenOddSystem<float>& system() const { return *levels_[0].system; }
  const LinearOperator<float>& matrix() const override { return system(); }
  const LinearOperator<float>& cycle() const override { return levels_.cycle(); }
  bool on_all_sites() const override { return false; }
  const MultigridReport& report() const override { return report_; }
  /// The vectors of the first level, computed as v_j = P R v_j.
  SpinorField<float> near_null_vectors() const override { return levels_.near_null_vectors(); }

 private:
  LevelStack levels_;
  MultigridReport report_;
};

/// Properties of an operator that a setup depends on.
struct HierarchyKind {
  MakeSmoother make_smoother{};  ///< of the first level; none: as on other levels
  LevelRules rules{};
  std::vector<MultigridCoarsening> wide_levels{};  ///< unless empty, replace chosen levels that converge badly
};

/// Builds the levels below the operator `fine`, whose K is gamma5-Hermitian.
///
/// The near-null vectors v_j of the first level start as noise that Richardson's method on S v = 0 has relaxed, or as
/// given vectors. The vectors of a level below start as R v_j of the level above, and relaxed noise. A bootstrap
/// replaces each vector by a cycle's approximation of M^-1 v_j and builds all levels below again (Brannick et al.;
/// Frommer et al., arXiv:1303.1377). Before that the vectors are made orthonormal as whole fields, because otherwise
/// all of them would turn to the lowest modes.
///
/// With levels of an operator that differs a little, `earlier`, the vectors are theirs, replaced by approximations of
/// M^-1 v_j: few steps of GCR for the new M with the earlier cycle. All levels below are built once; extents, cycle and
/// weights are those of `earlier`, and nothing is measured.
///
/// Throws `Error` for invalid parameters and for operators that are not `Coarsenable`. Collective.
Hierarchy build_hierarchy(const Ref<EvenOddOperator<float>>& fine, const MultigridParameters& parameters,
                          const HierarchyKind& kind = {}, const Hierarchy* earlier = nullptr);

}  // namespace kaon::detail
