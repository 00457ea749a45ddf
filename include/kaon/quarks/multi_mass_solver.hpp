// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/multigrid/report.hpp>
#include <kaon/operators/quark.hpp>
#include <kaon/quarks/propagator_solver.hpp>
#include <kaon/solvers/solver.hpp>

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace kaon {

namespace detail {
class LightMasses;
class ShiftSolver;
}  // namespace detail

/// Solves M_i x_i = b, M_i = 2 m_i + D, for several masses of one staggered operator in the Krylov space of the
/// lightest: y = (4 m_i^2 - D^2)^-1 b by multi-shift conjugate gradients on each parity on which b is not zero, then
/// x_i = (2 m_i - D) y. |b - M_i x_i| is the residual of y: nothing is divided by a mass.
///
/// With the method `automatic` multigrid takes the lightest masses as soon as their iterations have cost more than it
/// would, with `multigrid` at once, and the length of the sweep is that of the lightest mass left (docs/decisions.md
/// 43; arXiv:2212.12559 for the gain). Eigenvectors on even sites are taken out of the common iterations and solved for
/// exactly, by `cg`, which `automatic` chooses then.
///
///   const ImprovedStaggered<double> dirac(links.fat, links.third, {.mass = 0.01, .third_weight = ...});
///   const MultiMassSolver solver(dirac, {0.01, 0.02, 0.05});
///   for (const SolveResult& result : solver.solve(x, b)) require_converged(result);
class MultiMassSolver {
 public:
  /// Takes D from `dirac`, whose own mass does not matter; keeps handles to its links. Throws `Error` for an operator
  /// that is not staggered, and where there is no mass, or one that is zero or no number, and for impossible
  /// parameters; with the method `multigrid` also as `Multigrid` does.
  MultiMassSolver(const Quark<double>& dirac, std::vector<double> masses, const SolveOptions& options = {});

  /// Computes x[i] = M_i^-1 b on all sites, in the order of the masses. Earlier values of `x` are not read. A
  /// right-hand side that is zero has the solutions zero.
  ///
  /// Results in the same order; `true_residual` is |b - M_i x_i| / |b| of the whole system. `iterations` are those of
  /// both parities. `seconds` is the time of all masses. Throws `Error` for a number of fields that is not that of the
  /// masses, for fields that do not fit, and for a right-hand side that is not finite.
  std::vector<SolveResult> solve(std::span<SpinorField<double>> x, const SpinorField<double>& b) const;

  const std::vector<double>& masses() const { return masses_; }
  /// The number of masses that multigrid solves for so far: the lightest ones.
  std::size_t masses_by_multigrid() const;
  /// The multigrid of the lightest mass; none before it is built.
  std::optional<MultigridReport> multigrid_report() const;
  /// `Multigrid::near_null_vectors` of that. Throws `Error` where there is none.
  SpinorField<float> near_null_vectors() const;

 private:
  /// Masses that are solved for together, and the solvers of their shifts.
  struct Sweep;

  void make_sweep(std::size_t first, std::size_t last) const;
  /// The solver of its shifts of the normal operator of a parity.
  const detail::ShiftSolver& on_parity(Parity parity) const;
  /// Solves for the masses from the `first` lightest on to the `last`, in at most `most` iterations; whether all
  /// may go on.
  bool sweep(std::size_t first, std::size_t last, std::optional<int> most, std::span<SpinorField<double>> x,
             const SpinorField<double>& b, std::span<SolveResult> results) const;
  /// Passes the masses from the `first` lightest on that are out of iterations to multigrid; whether all may continue.
  bool take_light(std::size_t first, std::span<SpinorField<double>> x, const SpinorField<double>& b,
                  std::span<SolveResult> results) const;
  /// out = in (2 m_i - D) (dagger), or (2 m_i + D) in.
  void apply(std::size_t i, SpinorField<double>& out, const SpinorField<double>& in, bool dagger) const;

  std::vector<double> masses_;
  double lightest_;      // |m| of the lightest
  Quark<double> dirac_;  // with that mass
  SolveOptions options_;
  std::vector<std::size_t> order_;              // of the masses, the lightest first
  std::shared_ptr<detail::LightMasses> light_;  // null: conjugate gradients alone
  mutable std::shared_ptr<const Sweep> sweep_;  // the last one
};

}  // namespace kaon
