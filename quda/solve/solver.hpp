// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "quda/client/description.hpp"
#include "quda/solve/operator.hpp"

#include <kaon/quarks/propagator_solver.hpp>

#include <complex>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace kaon::quda {

/// Solves M x = b and M^dag x = b for an `Operator`'s M.
class CachedSolver {
 public:
  CachedSolver(std::shared_ptr<const Operator> of, const SolveOptions& options);

  const Operator& of() const { return *operator_; }
  /// Solves as `request` says, with x as the initial guess.
  SolveResult solve(SpinorField<double>& x, const SpinorField<double>& b, const SolveRequest& request,
                    bool adjoint) const;
  const PropagatorSolver<double>& solver() const { return solver_; }

 private:
  std::shared_ptr<const Operator> operator_;
  PropagatorSolver<double> solver_;
};

/// The operator whose M^dag, between two G (`Operator::conjugate`), is that of the description's: the sign of the
/// twist of one flavour changes.
OperatorDescription conjugate(const OperatorDescription& description);

/// Result of a solve.
struct MatrixSolution {
  SolveResult result;
  std::vector<double> heavy_quark;  ///< residuals, if they are bounded
};

/// Bounds of a solve. x holds a first guess, or zeros.
struct MatrixTargets {
  std::vector<double> norms{};  ///< of residuals, one for each right-hand side
  double heavy_quark = 0.0;     ///< of the other residual; 0: none
  bool guess = false;
  int max_iterations = 0;  ///< no correction starts after these
};

/// x = [matrix]^-1 b from zero, to the residuals of a request.
using MatrixSolver =
    std::function<SolveResult(SpinorField<double>& x, const SpinorField<double>& b, const SolveRequest& request)>;

/// Solves [matrix] x = b on `matrix.subset()` by `solver` and, where M^dag is needed and differs from G M G, by
/// `other`; or by `itself` if it is set. Residuals are those of the matrix itself, in double, of the final x.
MatrixSolution solve_matrix(const MatrixDescription& matrix, const CachedSolver& solver, const CachedSolver& other,
                            SpinorField<double>& x, const SpinorField<double>& b, const MatrixTargets& targets,
                            const MatrixSolver& itself = {});

/// Results of solves for several shifts, shift by shift.
struct ShiftedSolutions {
  std::vector<SolveResult> results;
  std::vector<double> heavy_quark;             ///< residuals
  std::vector<std::complex<double>> products;  ///< <b, x>
};

/// Solves (Q + shift_i) x_i = b for all shifts in one Krylov space: Q = F^dag F with the factor F of Wilson-like
/// matrices, Q = -D D of staggered ones, where shifts are 4 m_i^2. Throws `Error` for shifts that do not ascend.
ShiftedSolutions solve_shifted(const SolveDescription& solve, std::span<void* const> h_x, const void* h_b);

/// Q x = b from zero by conjugate gradients on Q = F^dag F itself: a solve with F^dag and one with F after it take
/// twice the iterations.
SolveResult solve_normal(const SolveDescription& solve, const Operator& of, SpinorField<double>& x,
                         const SpinorField<double>& b, SolveRequest request);

}  // namespace kaon::quda
