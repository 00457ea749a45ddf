// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/operators/quark.hpp>
#include <kaon/operators/schur.hpp>
#include <kaon/quarks/solve_options.hpp>
#include <kaon/solvers/solver.hpp>

#include <functional>
#include <span>
#include <vector>

namespace kaon {

/// Solves (M^dag M + sigma_i) x_i = b, M on all sites, for several shifts sigma_i >= 0 in one Krylov space, by
/// `MultiShiftCg`; or (S^dag S + sigma_i) x_i = b, S a Schur complement of M, on its parity. For staggered operators,
/// M^dag M is 4 m^2 - D^2.
///
///   const WilsonClover<double> dirac(links, {.mass = 0.1, .csw = 1.0});
///   const NormalShiftSolver solver(dirac, {0.0, 0.01, 0.1}, {.tolerance = 1e-8});
///   for (const SolveResult& result : solver.solve(x, b)) require_converged(result);
class NormalShiftSolver {
 public:
  /// The tolerance is that on |b - (M^dag M + sigma_i) x_i| / |b|, in double. Throws `Error` if there is no shift,
  /// and for a shift that is negative or no number.
  NormalShiftSolver(const Quark<double>& dirac, std::vector<double> shifts, const SolveOptions& parameters = {});
  /// With the Schur complement S of the operator.
  NormalShiftSolver(const Quark<double>& dirac, const SchurParameters& schur, std::vector<double> shifts,
                    const SolveOptions& parameters = {});

  /// x[i] = (M^dag M + sigma_i)^-1 b on all sites, or (S^dag S + sigma_i)^-1 b in fields of the parity of S, in the
  /// order in which the shifts were given; results and errors are those of `MultiShiftCg::solve`. Earlier values of `x`
  /// are not read.
  std::vector<SolveResult> solve(std::span<SpinorField<double>> x, const SpinorField<double>& b) const;

  const std::vector<double>& shifts() const { return shifts_; }

 private:
  std::vector<double> shifts_;
  std::function<std::vector<SolveResult>(std::span<SpinorField<double>>, const SpinorField<double>&,
                                         const SolveRequest&)>
      solver_;
};

}  // namespace kaon
