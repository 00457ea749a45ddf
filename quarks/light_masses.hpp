// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/multigrid/multigrid.hpp>
#include <kaon/operators/quark.hpp>
#include <kaon/quarks/solve_options.hpp>
#include <kaon/solvers/solver.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace kaon::detail {

struct MultigridPrice;

/// Set, it takes the place of the price in iterations of conjugate gradients: for tests.
std::optional<MultigridPrice>& forced_price_in_cg();

/// Multigrid for the lightest of several masses of a staggered operator, as many as it pays for.
///
/// Masses that are solved for together take the iterations of the lightest. These are counted as `AutomaticSolver`
/// counts them (docs/decisions.md 43): when those beyond multigrid's have cost as much as its setup, multigrid takes
/// the lightest mass and all others that have not converged by then. Levels of one mass serve masses of up to 4 times
/// that mass as they are; heavier ones get their own, of the same near-null vectors. All processes decide alike.
class LightMasses {
 public:
  /// `masses` rise. With `KrylovMethod::multigrid` the lightest one is taken at once, and masses pay when they need
  /// more iterations than a solve by multigrid costs. Throws `Error` where that setup fails.
  LightMasses(Quark<double> dirac, std::vector<double> masses, const SolveOptions& options);

  /// Masses that multigrid has taken: the lightest ones.
  std::size_t taken() const { return solvers_.size(); }
  /// Iterations of a sweep of the other masses after which multigrid pays for the lightest of them; none: never.
  std::optional<int> until_it_pays(int right_hand_sides) const;
  /// Counts a sweep, of its lightest mass.
  void count(const SolveResult& sweep);
  /// Takes the lightest masses, `count` in all. Masses whose levels cannot be built are left, with a notice.
  void take(std::size_t count);
  /// Solves for the i-th mass of multigrid, from the guess x.
  SolveResult solve(std::size_t i, SpinorField<double>& x, const SpinorField<double>& b) const;
  /// Of the lightest mass; null until it is taken.
  const Multigrid<double>* levels() const { return levels_.get(); }

 private:
  bool has_levels_for(double mass) const;
  void take_next();

  Quark<double> dirac_;
  std::vector<double> masses_;
  SolveOptions options_;
  std::vector<Ref<Solver<double>>> solvers_;         // of the masses that are taken
  std::shared_ptr<const Multigrid<double>> levels_;  // of the lightest
  std::shared_ptr<const Multigrid<double>> last_;    // hierarchy of the heaviest mass with its own setup
  double mass_of_last_ = 0.0;
  bool possible_ = true;
  int lost_ = 0;  // iterations beyond the price of multigrid's solves
};

}  // namespace kaon::detail
