// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "hmc/multigrid_upkeep.hpp"

#include <kaon/core/spinor_field.hpp>
#include <kaon/hmc/action_term.hpp>
#include <kaon/quarks/make_quark.hpp>
#include <kaon/quarks/propagator_solver.hpp>

#include <array>
#include <optional>

namespace kaon::detail {

/// The operator of two flavours on some links and its solvers, which terms of the same quarks share.
class TwoFlavorSolves {
 public:
  /// Throws `Error` for quarks that are no two flavours of Wilson-like ones, for numbers that are not finite, and for
  /// options that no solve can have.
  TwoFlavorSolves(const FermionParameters& quarks, const SolveOptions& options);

  /// The next calls are on these links.
  void begin(const GaugeField<double>& links);

  const EvenOddOperator<double>& dirac() const { return **dirac_; }
  const FermionParameters& quarks() const { return quarks_; }
  const SolveOptions& options() const { return options_; }
  bool twisted() const { return family_of(quarks_.action).reads("mu"); }
  /// -2 ln |det A| on the odd sites
  double determinant() const;
  /// psi -> Q psi + i mu psi, Q = gamma5 N: (Q + i mu)(Q - i mu) = N^dag N + mu^2 unless the quarks are twisted.
  SpinorField<double> shifted(const SpinorField<double>& psi, double mu) const;
  /// N psi, N^dag psi
  SpinorField<double> image(const SpinorField<double>& psi) const;
  SpinorField<double> adjoint(const SpinorField<double>& psi) const;
  /// (N^dag N + mu^2)^-1 b; adds the iterations. With the two histories of a term it starts from their forecasts, and
  /// adds its solutions. Throws `Error` where it does not converge.
  using Histories = std::array<ForecastHistory, 2>;
  SpinorField<double> solve(double mu, const SpinorField<double>& b, double tolerance, long& iterations,
                            Histories* earlier = nullptr);

 private:
  /// N^-1 b: the even sites of M^-1 (b, 0).
  SpinorField<double> solve_factor(const SpinorField<double>& b, double tolerance, long& iterations,
                                   ForecastHistory* earlier);
  /// (N^dag N + mu^2)^-1 b
  SpinorField<double> solve_normal(double mu, const SpinorField<double>& b, double tolerance, long& iterations,
                                   ForecastHistory* earlier);

  /// The solver for the operator, whose links have changed.
  void update_solver();
  SolveOptions options_of_solver(KrylovMethod method) const;
  /// The seconds of the first process, for a choice that all make alike.
  double seconds_of_first(double seconds) const;

  FermionParameters quarks_;
  SolveOptions options_;
  std::optional<MultigridUpkeep> upkeep_;    // once there is a multigrid
  std::optional<GaugeField<double>> links_;  // a copy, from which operators in lower precisions are made later
  std::optional<Quark<double>> dirac_;       // caches the operator in each precision
  std::optional<PropagatorSolver<double>> solver_;
  std::optional<PropagatorSolver<double>> left_;  // with a multigrid, while solves without it are compared
};

}  // namespace kaon::detail
