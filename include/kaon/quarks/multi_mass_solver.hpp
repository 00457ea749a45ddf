// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/multigrid/report.hpp>
#include <kaon/operators/quark.hpp>
#include <kaon/quarks/solve_options.hpp>
#include <kaon/solvers/solver.hpp>

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace kaon {

/// Solves M_i x_i = b, M_i = 2 m_i + D, for several masses of one staggered operator in the Krylov space of the
/// lightest. Multi-shift conjugate gradients compute y = (4 m_i^2 - D^2)^-1 b on each parity on which b is not zero,
/// and x_i = (2 m_i - D) y. |b - M_i x_i| is the residual of y: nothing is divided by a mass.
///
/// The method `multigrid` solves for the lightest masses by multigrid. The method `automatic` does so as soon as their
/// iterations have cost more than multigrid would. The sweep of the other masses is as long as the lightest of them
/// needs (docs/decisions.md 43; arXiv:2212.12559 for the gain). If there are eigenvectors on even sites, `automatic`
/// chooses `cg`, which solves for their part exactly and iterates on the rest.
///
///   const ImprovedStaggered<double> dirac(links.fat, links.third, {.mass = 0.01, .third_weight = ...});
///   const MultiMassSolver solver(dirac, {0.01, 0.02, 0.05});
///   for (const SolveResult& result : solver.solve(x, b)) require_converged(result);
class MultiMassSolver {
 public:
  /// Uses D of `dirac`, not its mass; shares its links. Throws `Error` for an operator that is not staggered, for no
  /// mass, for a mass that is zero or not finite, and for impossible options; with the method `multigrid` also as
  /// `Multigrid` does.
  MultiMassSolver(const Quark<double>& dirac, std::vector<double> masses, const SolveOptions& options = {});

  /// Computes x[i] = M_i^-1 b on all sites, in the order of the masses. Earlier values of `x` are not read. The
  /// solutions of a right-hand side that is zero are zero.
  ///
  /// Results are in the same order; `true_residual` is |b - M_i x_i| / |b| of the whole system, `iterations` counts
  /// both parities, and `seconds` is the time of all masses. Throws `Error` for a number of fields that is not that of
  /// the masses, for fields that do not fit, and for a right-hand side that is not finite.
  std::vector<SolveResult> solve(std::span<SpinorField<double>> x, const SpinorField<double>& b) const;

  const std::vector<double>& masses() const;
  /// Returns how many masses multigrid solves for so far: the lightest ones.
  std::size_t masses_by_multigrid() const;
  /// Returns the report on the multigrid of the lightest mass; none before it is built.
  std::optional<MultigridReport> multigrid_report() const;
  /// Returns `Multigrid::near_null_vectors` of the lightest mass. Throws `Error` before its multigrid is built.
  SpinorField<float> near_null_vectors() const;

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace kaon
