// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "hmc/rational_solves.hpp"

#include <kaon/core/blas.hpp>

#include <algorithm>

namespace kaon::detail {

long solve_shifts(std::span<SpinorField<double>> x, const ShiftSolver& solve, const SpinorField<double>& phi) {
  int iterations = 0;
  for (const SolveResult& result : solve(x, phi)) {
    require_converged(result);
    iterations = std::max(iterations, result.iterations());
  }
  return iterations;
}

SpinorField<double> apply_rational(const PartialFractions& r, const ShiftSolver& solve, const SpinorField<double>& psi,
                                   long& iterations) {
  std::vector<SpinorField<double>> x;
  for (std::size_t i = 0; i < r.shifts.size(); ++i) x.emplace_back(psi.lattice(), psi.parameters());
  iterations += solve_shifts(x, solve, psi);
  const auto count = static_cast<std::size_t>(psi.right_hand_sides());
  SpinorField<double> sum(psi.lattice(), psi.parameters());
  blas::axpy(sum, psi, blas::Reals(count, r.constant));
  for (std::size_t i = 0; i < x.size(); ++i) blas::axpy(sum, x[i], blas::Reals(count, r.residues[i]));
  return sum;
}

}  // namespace kaon::detail
