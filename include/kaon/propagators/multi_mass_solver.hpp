// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/spinor_field.hpp>
#include <kaon/propagators/any_operator.hpp>
#include <kaon/propagators/propagator_solver.hpp>
#include <kaon/solvers/solver.hpp>

#include <functional>
#include <span>
#include <vector>

namespace kaon {

struct MultiMassParameters {
  /// Tolerance, bounds, precisions and links as in a `PropagatorSolver` with the method `cg`; other methods are not
  /// read. `max_iterations` bounds what each right-hand side of a mass takes in all.
  PropagatorSolverParameters solver{};
  /// Answers in single precision, as `SinglePrecisionSolver` gives them, instead of double.
  bool single_precision = false;
  /// In mixed precision, the residual that all masses together are brought to in single precision.
  double sweep_tolerance = 1e-6;
};

/// Propagators of staggered fermions at several masses from one Krylov space: M_s x_s = b, M_s = 2 m_s + D.
///
/// All M_s^dag M_s = 4 m_s^2 - D^2 differ by numbers. Multi-shift CG solves (M_s^dag M_s) y_s = b for all masses on
/// each parity where b is not zero, for a point source on one, and x_s = M_s^dag y_s has the residual of y_s. Where
/// iterations are in a lower precision than the answer's, this is done in single precision as far as `sweep_tolerance`,
/// and a `PropagatorSolver` for each mass goes on from there (Babich et al., arXiv:1109.2935, section 8.2). A build
/// without operators in single precision sweeps in double.
///
///   const MultiMassSolver solver([&](double mass) { return AnyOperator<double>(Staggered<double>(links, {mass})); },
///                                {0.05, 0.02}, {.solver = {.tolerance = 1e-10}});
///   std::vector<SpinorField<double>> x = ...;
///   const std::vector<SolveResult> results = solver.solve(x, b);
class MultiMassSolver {
 public:
  /// The operator of a mass, of one family on the same links with the same boundary.
  using MakeOperator = std::function<AnyOperator<double>(double mass)>;

  /// Throws `Error` where there is no mass, for masses whose 4 m^2 is not a normal number, and for operators that are
  /// not staggered.
  MultiMassSolver(MakeOperator dirac_of, std::vector<double> masses, const MultiMassParameters& parameters);

  /// x[s] = M_s^-1 b, in the order of the masses. What `x` held before means nothing. Results in the same order:
  /// iterations are those of the sweeps and of what followed, residuals those of M_s x_s = b on all sites in double.
  /// `seconds` is the time of all masses, and what they share counts in the `flops` of the smallest |m|.
  /// Throws `Error` for a number of fields that is not that of the masses, for fields that do not fit, and for a
  /// right-hand side that is zero or not finite.
  std::vector<SolveResult> solve(std::span<SpinorField<double>> x, const SpinorField<double>& b) const;

  const std::vector<double>& masses() const { return masses_; }

 private:
  /// y_s of all masses in S, to `tolerance`, as M_s^dag y_s in `x`.
  template <class S>
  std::vector<SolveResult> sweep(std::span<SpinorField<double>> x, const SpinorField<double>& b,
                                 double tolerance) const;
  /// Solves M_s d = b - M_s x_s for x_s + d, where the result says that x_s is not good enough.
  void refine(SolveResult& result, std::size_t s, SpinorField<double>& x, const SpinorField<double>& b,
              const std::vector<double>& norms) const;

  MakeOperator dirac_of_;
  std::vector<double> masses_;
  MultiMassParameters parameters_;
};

}  // namespace kaon
