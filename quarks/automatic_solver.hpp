// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/solvers/adapters.hpp>
#include <kaon/solvers/solver.hpp>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace kaon::detail {

/// The cost of multigrid in iterations of a Krylov solver for one right-hand side.
struct MultigridPrice {
  int iterations_of_setup;
  int iterations_of_solve;

  /// Returns how many iterations the Krylov solves took beyond the cost of multigrid, summed over right-hand sides.
  int lost(const SolveResult& done) const {
    int sum = 0;
    for (const auto& r : done.right_hand_sides) sum += std::max(0, r.iterations - iterations_of_solve);
    return sum;
  }
  /// Returns the iterations of a solve for n right-hand sides after which a setup pays that is worth `setup` of them.
  int until_it_pays(int setup, int n) const { return iterations_of_solve + (std::max(0, setup) + n - 1) / n; }
};
/// The price in iterations of BiCGstab, on GPUs and on hosts alike.
inline constexpr MultigridPrice price_in_bicgstab{.iterations_of_setup = 4000, .iterations_of_solve = 120};
/// The price in iterations of conjugate gradients of staggered quarks, which are a fifth as long: measured on GPUs,
/// HISQ (docs/decisions.md 41).
inline constexpr MultigridPrice price_in_cg{.iterations_of_setup = 30000, .iterations_of_solve = 500};

/// Solves by a Krylov solver until multigrid would have paid, and from then on by multigrid.
///
/// Multigrid's setup costs as much as some iterations of the Krylov solver for one right-hand side, and each of its
/// solves, too (docs/decisions.md 25): `MultigridPrice`. The cost of iterations beyond those is counted. When this sum
/// reaches the price of the setup, in the middle of a solve or after it, multigrid is built. So all solves together
/// take at most twice the time of the better method, for any number of them and any mass; and if solves are short,
/// nothing is built. All processes decide alike, because no clock is read.
///
/// If the Krylov solver fails before that, those in higher precision continue, whose iterations count as well. If they
/// fail, too, multigrid is built, unless `max_iterations` is below its price.
template <class T>
class AutomaticSolver final : public Solver<T> {
 public:
  /// The solvers, all of one operator.
  struct Methods {
    /// Krylov solvers, each in a higher precision than the one before.
    std::vector<std::function<Ref<Solver<T>>()>> krylov;
    std::function<Ref<Solver<T>>()> multigrid;  ///< throws `Error` where it cannot be built
  };
  /// `max_iterations`: of the Krylov solvers together, for each right-hand side.
  AutomaticSolver(Methods methods, const MultigridPrice& price, int max_iterations, const FallbackParameters& fallback);

  using Solver<T>::solve;
  SolveResult solve(SpinorField<T>& x, const SpinorField<T>& b, const SolveRequest& request) const override;
  const LinearOperator<T>& solved_operator() const override { return krylov(0).solved_operator(); }
  double tolerance() const override { return krylov(0).tolerance(); }

 private:
  /// Krylov solver number i, made at its first use.
  const Solver<T>& krylov(std::size_t i) const;
  bool pays() const { return possible_ && lost_ >= price_.iterations_of_setup; }
  /// Multigrid, if it can be built.
  bool build(const char* why) const;

  Methods methods_;
  MultigridPrice price_;
  int max_iterations_;
  FallbackParameters fallback_;
  mutable std::vector<std::optional<Ref<Solver<T>>>> krylov_;
  mutable std::optional<Ref<Solver<T>>> multigrid_;
  mutable bool possible_ = true;
  mutable int lost_ = 0;  // iterations beyond those that multigrid's solves cost
};

}  // namespace kaon::detail
