// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>
#include <kaon/operators/halo_precision.hpp>
#include <kaon/propagators/any_operator.hpp>
#include <kaon/propagators/propagator_solver.hpp>
#include <kaon/solvers/multi_shift_cg.hpp>
#include <kaon/solvers/operator_in_precisions.hpp>
#include <kaon/solvers/solver.hpp>

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace kaon {

struct MultiMassParameters {
  double tolerance = 1e-10;    ///< on |b - M x| / |b| of the whole system of each mass, in double; between 0 and 1
  int max_iterations = 10000;  ///< as in `MixedMultiShiftParameters`, on each parity
  /// `outer`: all in double; `single`: sweep and refinement in single; `half`: refinement in 16 bits. Precisions that
  /// were not compiled are replaced by the next higher one.
  InnerPrecision inner = InnerPrecision::single;
  std::optional<LinkStorage> links{};  ///< of the iterations in lower precisions, as in `PropagatorSolverParameters`
  HaloPrecision halo = HaloPrecision::field;  ///< of these iterations
  double reliable_delta = 0.1;                ///< see `SolverParameters`
  ShiftSweep sweep = ShiftSweep::falling;
  OnIteration on_iteration{};  ///< see `MixedMultiShiftParameters`
};

/// Solves M_i x_i = b, M_i = 2 m_i + D, for several masses of one staggered operator in the Krylov space of the
/// lightest: y = (4 m_i^2 - D^2)^-1 b by multi-shift conjugate gradients on each parity on which b is not zero, then
/// x_i = (2 m_i - D) y. |b - M_i x_i| is the residual of y: nothing is divided by a mass.
///
///   const ImprovedStaggered<double> dirac(links.fat, links.third, {.mass = 0.01, .third_weight = ...});
///   const MultiMassSolver solver(dirac, {0.01, 0.02, 0.05});
///   for (const SolveResult& result : solver.solve(x, b)) require_converged(result);
class MultiMassSolver {
 public:
  /// Takes D from `dirac`, whose own mass does not matter; keeps handles to its links. Throws `Error` for an operator
  /// that is not staggered, and where there is no mass, or one that is zero or no number, and for impossible
  /// parameters.
  template <template <class> class Dirac>
  requires std::derived_from<Dirac<double>, EvenOddOperator<double>> MultiMassSolver(
      const Dirac<double>& dirac, std::vector<double> masses, const MultiMassParameters& parameters = {})
      : MultiMassSolver(detail::OperatorInPrecisions<double>(Ref<Dirac<double>>(dirac)), std::move(masses),
                        parameters) {}
  MultiMassSolver(const AnyOperator<double>& dirac, std::vector<double> masses,
                  const MultiMassParameters& parameters = {})
      : MultiMassSolver(dirac.in_precisions(), std::move(masses), parameters) {}

  /// x[i] = M_i^-1 b on all sites, in the order in which the masses were given. Earlier values of `x` mean nothing. A
  /// right-hand side that is zero has the solutions zero.
  ///
  /// Results in the same order; `true_residual` is |b - M_i x_i| / |b| of the whole system. `iterations` are those of
  /// both parities. `seconds` is the time of all masses. Throws `Error` for a number of fields that is not that of the
  /// masses, for fields that do not fit, and for a right-hand side that is not finite.
  std::vector<SolveResult> solve(std::span<SpinorField<double>> x, const SpinorField<double>& b) const;

  const std::vector<double>& masses() const { return masses_; }

 private:
  using Shifts = std::function<std::vector<SolveResult>(std::span<SpinorField<double>>, const SpinorField<double>&)>;

  MultiMassSolver(const detail::OperatorInPrecisions<double>& dirac, std::vector<double> masses,
                  const MultiMassParameters& parameters);
  /// The solver for all shifts of the normal operator of a parity.
  Shifts on_parity(Parity parity, const MultiMassParameters& parameters) const;
  /// out = in (2 m_i - D) (dagger), or (2 m_i + D) in.
  void apply(std::size_t i, SpinorField<double>& out, const SpinorField<double>& in, bool dagger) const;

  std::vector<double> masses_;
  double lightest_;                             // |m| of the lightest
  detail::OperatorInPrecisions<double> dirac_;  // with that mass
  double tolerance_;
  Shifts solvers_[2];  // by parity
};

}  // namespace kaon
