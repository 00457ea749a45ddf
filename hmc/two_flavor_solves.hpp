// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/spinor_field.hpp>
#include <kaon/hmc/two_flavor_action.hpp>

namespace kaon::detail {

/// Throws `Error` for quarks that are no two flavours of Wilson-like ones, and for numbers that are not finite.
void require_two_flavors(const FermionParameters& quarks);

/// The operator of two flavours on some links, and solves with it: what terms of the same quarks share.
class TwoFlavorSolves {
 public:
  TwoFlavorSolves(const FermionParameters& quarks, const SolveOptions& options) : quarks_(quarks), options_(options) {}

  /// The next calls are on these links.
  void begin(const GaugeField<double>& links);

  const EvenOddOperator<double>& dirac() const { return **dirac_; }
  const FermionParameters& quarks() const { return quarks_; }
  bool twisted() const;
  /// The shape of pseudofermions.
  SpinorParameters even_sites() const;
  /// -2 ln |det A| on the odd sites
  double determinant() const;
  /// psi -> Q psi + i mu psi, Q = gamma5 N: (Q + i mu)(Q - i mu) = N^dag N + mu^2 unless the quarks are twisted.
  SpinorField<double> shifted(const SpinorField<double>& psi, double mu) const;
  /// N psi, N^dag psi
  SpinorField<double> image(const SpinorField<double>& psi) const;
  SpinorField<double> adjoint(const SpinorField<double>& psi) const;

  struct Solution {
    SpinorField<double> x;
    int iterations;
  };
  /// (N^dag N + mu^2)^-1 b. Throws `Error` where it does not converge.
  Solution solve(double mu, const SpinorField<double>& b, double tolerance);

 private:
  /// By conjugate gradients.
  Solution solve_shifted(double shift, const SpinorField<double>& b, double tolerance);
  /// N^-1 b: the even sites of M^-1 (b, 0).
  Solution solve_factor(const SpinorField<double>& b, double tolerance);

  FermionParameters quarks_;
  SolveOptions options_;
  std::optional<GaugeField<double>> links_;  // a copy: operators in lower precisions are made of it later
  std::optional<Quark<double>> dirac_;       // makes the operator in each precision once
  std::optional<PropagatorSolver<double>> solver_;
};

}  // namespace kaon::detail
