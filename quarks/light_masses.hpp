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
/// Masses that are solved for together need the iterations of the lightest. Their residuals predict how many
/// remain, like those of `AutomaticSolver` (docs/decisions.md 43). When these cost more than multigrid for the lightest
/// mass, it solves for that mass, and a shorter sweep for the others. Levels of one mass serve masses of up to 4 times
/// that mass as they are; heavier ones get their own, of the same near-null vectors. All processes decide alike.
class LightMasses {
 public:
  /// The masses rise. With `KrylovMethod::multigrid` the lightest one is solved for by multigrid at once, and others
  /// are when they need more iterations than a solve by multigrid costs. Throws `Error` where that setup fails.
  LightMasses(Quark<double> dirac, std::vector<double> masses, const SolveOptions& options);

  /// Returns how many masses multigrid solves for: the lightest ones.
  std::size_t taken() const { return solvers_.size(); }
  /// Returns whether multigrid can solve for the next one.
  bool is_possible() const { return possible_ && taken() < masses_.size(); }

  /// The iterations of a sweep of the other masses, on each parity in turn.
  class Watch {
   public:
    /// `parities` on which the source is not zero.
    Watch(const LightMasses& masses, int right_hand_sides, int parities);
    /// Returns the receiver of the iterations on the next parity, with residuals of the lightest mass. It stops them
    /// when multigrid pays.
    Progress next_parity();
    /// Returns the decision whether multigrid solves for the lightest mass.
    const Leave& decision() const { return leave_; }
    /// Returns whether the options' receiver stops the iterations.
    bool user_stops() const { return user_stops_; }

   private:
    bool report(int iteration, std::span<const double> residuals);

    const LightMasses& masses_;
    MultigridPrice price_;
    int right_hand_sides_, parities_, parities_done_ = 0;
    int done_ = 0;  // iterations on those
    std::optional<Forecast> forecast_;
    Leave leave_{};
    bool user_stops_ = false;
  };

  /// Counts the iterations of a complete sweep, from the result of its lightest mass.
  void count(const SolveResult& sweep);
  /// Builds multigrid for the next mass. If that is not possible, or converges worse than `leave` allows, there is a
  /// notice with the reason, and `is_possible` is false from then on.
  void take(const Leave& leave);
  /// Solves for the i-th mass of multigrid, from the guess x.
  SolveResult solve(std::size_t i, SpinorField<double>& x, const SpinorField<double>& b);
  /// Drops a multigrid whose solve took longer than the iterations that it replaced: `taken` is 0 from then on, and
  /// `is_possible` false.
  void drop_if_wrong();
  /// Returns the report on the multigrid of the lightest mass; none before it is built.
  std::optional<MultigridReport> report() const;
  /// Returns its vectors, once it is built.
  SpinorField<float> near_null_vectors() const;

 private:
  bool has_levels_for(double mass) const;
  MultigridPrice price(int right_hand_sides) const;
  void take_next(double worst_convergence);

  Quark<double> dirac_;
  std::vector<double> masses_;
  SolveOptions options_;
  std::vector<Ref<Solver<double>>> solvers_;         // of the masses by multigrid
  std::shared_ptr<const Multigrid<double>> levels_;  // of the lightest mass
  std::shared_ptr<const Multigrid<double>> last_;    // of the heaviest mass with its own setup
  double mass_of_last_ = 0.0;
  bool possible_ = true, was_wrong_ = false;
  Leave leave_{};  // to multigrid, for the lightest mass
  int lost_ = 0;   // iterations beyond the price of multigrid's solves
};

}  // namespace kaon::detail
