// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "hmc/link_difference.hpp"
#include "quarks/shift_solver.hpp"

#include <kaon/hmc/action_term.hpp>
#include <kaon/hmc/rational_approximation.hpp>
#include <kaon/operators/normal.hpp>
#include <kaon/operators/schur.hpp>
#include <kaon/quarks/make_quark.hpp>

#include <span>
#include <string>
#include <vector>

// Parts that the terms of quarks share.
namespace kaon::detail {

/// N of pseudofermions on the even sites.
inline constexpr SchurParameters even_complement{.form = SchurForm::asymmetric, .parity = Parity::even};
/// N^dag N
inline constexpr auto normal_complement = []<class T>(const Ref<EvenOddOperator<T>>& full) -> Ref<LinearOperator<T>> {
  return NormalOperator<T>(Schur<T>(full, even_complement));
};

/// The shape of fields of an operator on the even sites.
SpinorParameters even_sites(const EvenOddOperator<double>& dirac, std::size_t right_hand_sides = 1);

/// ln |det A| on the odd sites, for one flavour of an operator whose S contains it; else 0.
double log_determinant(const EvenOddOperator<double>& dirac);

/// The numbers that the family of the quarks reads, for names of terms: "mass = 0.1, c_sw = 1".
std::string describe(const FermionParameters& quarks);

/// Throws `Error` unless both tolerances lie between 0 and 1, and iterations are possible.
void require_usable(const SolveOptions& solver);

/// Solves for rational functions of A = `matrix(M)` of an operator M, and counts iterations.
struct RationalSolves {
  const Quark<double>& dirac;
  const SolveOptions& options;
  long& iterations;
  MatrixInPrecisions matrix = normal_complement;

  /// x_i = (A + b_i)^-1 psi. Throws `Error` where a shift does not converge.
  void solve(std::span<SpinorField<double>> x, const std::vector<double>& shifts, const SpinorField<double>& psi,
             double tolerance) const;
  /// Returns r(A) psi.
  SpinorField<double> apply(const PartialFractions& r, const SpinorField<double>& psi) const;
};

/// Returns r(A) psi from x_i = (A + b_i)^-1 psi.
SpinorField<double> sum_of(const PartialFractions& r, const SpinorField<double>& psi,
                           std::span<const SpinorField<double>> x);

}  // namespace kaon::detail
