// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "quarks/automatic_solver.hpp"

#include <kaon/multigrid/multigrid.hpp>
#include <kaon/operators/quark.hpp>
#include <kaon/quarks/solve_options.hpp>
#include <kaon/solvers/solver.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace kaon::detail {

/// Replaces the price in iterations of conjugate gradients if it is set: for tests.
std::optional<MultigridPrice>& forced_price_in_cg();

/// Multigrid for the lightest of several masses of a staggered operator, as many as it pays for.
///
/// Masses that are solved for together need the iterations of the lightest. These are counted as `AutomaticSolver`
/// counts them (docs/decisions.md 43): when those beyond multigrid's have cost as much as its setup, multigrid solves
/// for the lightest mass and all others that have not converged by then. Levels of one mass serve masses of up to 4
/// times that mass as they are; heavier ones get their own, of the same near-null vectors. All processes decide alike.
class LightMasses {
 public:
  /// The masses rise. With `KrylovMethod::multigrid` the lightest one is solved for by multigrid at once, and others
  /// are when they need more iterations than a solve by multigrid costs. Throws `Error` where that setup fails.
  LightMasses(Quark<double> dirac, std::vector<double> masses, const SolveOptions& options);

  /// Returns how many masses multigrid solves for: the lightest ones.
  std::size_t taken() const { return solvers_.size(); }
  /// Returns the iterations of a sweep of the other masses after which multigrid pays for the lightest of them; none:
  /// never.
  std::optional<int> until_it_pays(int right_hand_sides) const;
  /// Counts the iterations of a sweep, from the result of its lightest mass.
  void count(const SolveResult& sweep);
  /// Builds multigrid for the `count` lightest masses. Masses whose levels cannot be built are left, with a notice.
  void take(std::size_t count);
  /// Solves for the i-th mass of multigrid, from the guess x.
  SolveResult solve(std::size_t i, SpinorField<double>& x, const SpinorField<double>& b) const;
  /// Returns the report on the multigrid of the lightest mass; none before it is built.
  std::optional<MultigridReport> report() const;
  /// Returns its vectors, once it is built.
  SpinorField<float> near_null_vectors() const;

 private:
  bool has_levels_for(double mass) const;
  void take_next();

  Quark<double> dirac_;
  std::vector<double> masses_;
  SolveOptions options_;
  std::vector<Ref<Solver<double>>> solvers_;         // of the masses by multigrid
  std::shared_ptr<const Multigrid<double>> levels_;  // of the lightest mass
  std::shared_ptr<const Multigrid<double>> last_;    // of the heaviest mass with its own setup
  double mass_of_last_ = 0.0;
  bool possible_ = true;
  int lost_ = 0;  // iterations beyond the price of multigrid's solves
};

}  // namespace kaon::detail
