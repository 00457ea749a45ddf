// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quda/solve/solver.hpp"
#include "quda/solve/normal_matrix.hpp"
#include "solvers/contract/refinement.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>
#include <kaon/solvers/solver.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace kaon::quda {
namespace {

/// Largest number of solves that correct a solution by the residual of the matrix as their source.
constexpr int max_corrections = 8;
/// A correction that leaves more than this part of the residual is the last one.
constexpr double least_progress = 0.5;
// The residual r of a matrix that is not a multiple of M differs from that of a solve with M by a factor that is not
// known in advance. Solves with M therefore aim at a fraction of the target t, and each time that r misses t the aim is
// lowered by another factor of `safety` t/r, but not below `least_aim`: r is also large after a solve that ended early.
constexpr double safety = 0.5;
constexpr double least_aim = 0.01;

/// Solves a matrix by solves with M and M^dag.
class MatrixInverse {
 public:
  MatrixInverse(const MatrixDescription& matrix, const CachedSolver& solver, const CachedSolver& other)
      : matrix_(matrix), solver_(solver), other_(other), operator_(solver.of()) {}

  /// x = [matrix]^-1 b from zero, so that |b - [matrix] x| is about as small as `request` demands. Status and residuals
  /// are those of M in the last solve.
  SolveResult solve(SpinorField<double>& x, const SpinorField<double>& b, const SolveRequest& request) const {
    if (!matrix_.normal) return solve_factor(x, b, request, matrix_.dagger);
    // F^dag F x = b: F^dag y = b, F x = y. A residual r of the second counts as F^dag r.
    SpinorField<double> y = operator_.make_field(b.subset(), b.right_hand_sides());
    SolveResult result = solve_factor(y, b, request, !matrix_.dagger);
    const blas::Reals b2 = blas::norm2(b), y2 = blas::norm2(y);
    SolveRequest next = request;
    for (std::size_t k = 0; k < b2.size(); ++k) {
      if (b2[k] > 0.0) next.residual_norms[k] *= std::min(1.0, std::sqrt(y2[k] / b2[k]));
    }
    result.append(solve_factor(x, y, next, matrix_.dagger), next);
    return result;
  }

 private:
  /// F x = b or F^dag x = b, F being N or its Schur complement. With G, the same of M, domain wall quarks have
  /// F = G B, or B^-1 G B in the symmetric form, or Lambda G B if b and c differ between slices.
  SolveResult solve_factor(SpinorField<double>& x, const SpinorField<double>& b, const SolveRequest& request,
                           bool dagger) const {
    const DomainWall<double>* const walls = operator_.walls();
    if (walls == nullptr) return solve_plain(x, b, request, dagger);
    const bool similar = matrix_.one_parity && matrix_.form == SchurForm::symmetric;
    const bool by_slice = matrix_.of.has_coefficients_by_slice() && !similar;
    if (!dagger && !similar && !by_slice) {
      const SolveResult result = solve_plain(x, b, request, dagger);
      walls->apply_b_inverse(x, x);
      return result;
    }
    SpinorField<double> source = operator_.make_field(b.subset(), b.right_hand_sides());
    if (by_slice) {
      row_factors<double>(matrix_.of, true).apply(source, b, false);
    } else {
      dagger ? walls->apply_b_inverse(source, b, true) : walls->apply_b(source, b);
    }
    const SolveResult result = solve_plain(x, source, scaled(request, b, source), dagger);
    if (!dagger) walls->apply_b_inverse(x, x);
    if (dagger && similar) walls->apply_b(x, x, true);
    return result;
  }

  /// The request with its bounds on residuals of b in units of those of `source`.
  static SolveRequest scaled(SolveRequest request, const SpinorField<double>& b, const SpinorField<double>& source) {
    const blas::Reals b2 = blas::norm2(b), source2 = blas::norm2(source);
    for (std::size_t k = 0; k < b2.size(); ++k) {
      if (b2[k] > 0.0) request.residual_norms[k] *= std::sqrt(source2[k] / b2[k]);
    }
    return request;
  }

  /// N x = b or its Schur complement, with M in the place of M B.
  SolveResult solve_plain(SpinorField<double>& x, const SpinorField<double>& b, const SolveRequest& request,
                          bool dagger) const {
    if (!matrix_.one_parity) {
      // N x = b: M (2 kappa x) = b
      SolveResult result = solve_full(x, b, request, operator_.is_adjoint(dagger));
      multiply(x, 1.0 / operator_.scale());
      return result;
    }
    // M x = b with a source on parity p alone has the Schur complement's solution there:
    //   symmetric, S = 1 - A_p^-1 K A_q^-1 K:   b_p = A_p source;  S^dag = A_p^dag S(M^dag) A_p^-dag, A = A/(2 kappa)
    //   asymmetric, 2 kappa (A_p - K A_q^-1 K): b_p = source/(2 kappa)
    //   4 m^2 - D D:                            b_p = source/(2 m)
    const Parity p = matrix_.parity;
    SpinorField<double> full_b = operator_.make_field(Subset::full, b.right_hand_sides());
    SpinorField<double> full_x = operator_.make_field(Subset::full, b.right_hand_sides());
    SpinorField<double> b_p = full_b.parity(p);
    const SpinorField<double> x_p = full_x.parity(p);
    const OperatorDescription& of = operator_.description();
    const bool symmetric = matrix_.form == SchurForm::symmetric;
    if (symmetric && !dagger) {
      operator_.dirac()->apply_site_term(b_p, b, SiteTerm::diagonal, false);
    } else {
      blas::copy(b_p, b);
      if (!symmetric) multiply(b_p, 1.0 / of.conventions().scale_on_one_parity(of));
    }
    SolveResult result = solve_full(full_x, full_b, scaled(request, b, b_p), dagger);
    if (symmetric && dagger) {
      operator_.dirac()->apply_site_term(x, x_p, SiteTerm::diagonal, true);
    } else {
      blas::copy(x, x_p);
    }
    return result;
  }

  /// M x = b or M^dag x = b from zero.
  SolveResult solve_full(SpinorField<double>& x, const SpinorField<double>& b, const SolveRequest& request,
                         bool adjoint) const {
    blas::set_zero(x);
    return (adjoint ? other_ : solver_).solve(x, b, request, adjoint);
  }

  const MatrixDescription& matrix_;
  const CachedSolver& solver_;
  const CachedSolver& other_;
  const Operator& operator_;
};

}  // namespace

CachedSolver::CachedSolver(std::shared_ptr<const Operator> of, const SolveOptions& options)
    : operator_(std::move(of)), solver_(operator_->dirac(), options) {}

SolveResult CachedSolver::solve(SpinorField<double>& x, const SpinorField<double>& b, const SolveRequest& request,
                                bool adjoint) const {
  if (!adjoint) return solver_.solve(x, b, request);
  // M^dag x = b: M (G x) = G b
  SpinorField<double> conjugated = operator_->make_field(Subset::full, b.right_hand_sides());
  blas::copy(conjugated, b);
  operator_->conjugate(conjugated);
  operator_->conjugate(x);
  const SolveResult result = solver_.solve(x, conjugated, request);
  operator_->conjugate(x);
  return result;
}

OperatorDescription conjugate(const OperatorDescription& description) {
  OperatorDescription result = description;
  const double sign = description.conventions().twist_of_conjugate;
  for (double* twist : {&result.quark.mu, &result.rho[0], &result.rho[1]}) {
    if (*twist != 0.0) *twist *= sign;  // -0 has another key
  }
  return result;
}

MatrixSolution solve_matrix(const MatrixDescription& matrix, const CachedSolver& solver, const CachedSolver& other,
                            SpinorField<double>& x, const SpinorField<double>& b, const MatrixTargets& targets,
                            const MatrixSolver& itself) {
  const Operator& of = solver.of();
  const auto sides = static_cast<std::size_t>(b.right_hand_sides());
  const blas::Reals b2 = blas::norm2(b);
  for (std::size_t k = 0; k < sides; ++k) {
    require(std::isfinite(b2[k]), [&] { return fmt::format("right-hand side {} is not finite", k); });
  }
  const MatrixInverse inverse(matrix, solver, other);
  detail::Targets wanted{
      .source_norm = detail::norms(b2), .residual_norm = targets.norms, .active = std::vector<bool>(sides, true)};
  for (double& norm : wanted.source_norm) norm = norm > 0.0 ? norm : 1.0;
  const SolveRequest bounds{.iterations = std::vector<int>(sides, targets.max_iterations)};
  detail::Refinement refinement(wanted, bounds, {.most_solves = max_corrections + 1, .least_progress = least_progress});

  const bool by_slice = matrix.of.has_coefficients_by_slice();
  require(!by_slice || !(matrix.normal || matrix.dagger),
          "b_5 or c_5 differ between slices or are complex (zMoebius): solves are supported for QUDA_MAT_SOLUTION and "
          "QUDA_MATPC_SOLUTION without dagger, and for normal matrices by invertMultiShiftQuda with the offset 0");
  // Residuals of N are those of M times a factor, unlike the residuals of other matrices.
  const bool direct = !matrix.one_parity && !matrix.normal && !by_slice && !(matrix.dagger && of.walls() != nullptr);
  std::vector<double> aims = targets.norms;
  MatrixSolution solution;
  SpinorField<double> residual = of.make_field(b.subset(), b.right_hand_sides());
  std::optional<SpinorField<double>> correction;
  std::vector<SolveResult::RightHandSide> solved;  // with M, at last
  const auto correct = [&](const SolveRequest& request) {
    // A correction starts within the bounds on iterations and may end beyond them.
    SolveRequest of_correction{.residual_norms = aims, .active = request.active};
    for (double& norm : of_correction.residual_norms) norm *= direct ? 1.0 : safety;
    const bool first = refinement.solves() == 0 && !targets.guess;
    if (!first && !correction) correction.emplace(of.make_field(b.subset(), b.right_hand_sides()));
    const auto invert = [&](SpinorField<double>& to, const SpinorField<double>& from) {
      return itself ? itself(to, from, of_correction) : inverse.solve(to, from, of_correction);
    };
    SolveResult result = first ? invert(x, b) : invert(*correction, residual);
    if (!first) blas::add(x, *correction);
    solved = result.right_hand_sides;
    return result;
  };
  const auto goes_on = [&] {
    const bool met = direct && targets.heavy_quark == 0.0 && refinement.solves() == 1 && !targets.guess;
    if (met && refinement.result().converged()) return false;
    of.apply(residual, x, matrix);
    const blas::Reals norm = detail::norms(blas::xmy_norm2(residual, b));
    if (targets.heavy_quark > 0.0) solution.heavy_quark = heavy_quark_residual(residual, x);
    std::vector<bool> too_heavy(sides);
    for (std::size_t k = 0; k < sides; ++k) {
      const bool larger = !direct && refinement.solves() > 0 && norm[k] > targets.norms[k];
      if (larger) aims[k] *= std::max(least_aim, safety * targets.norms[k] / norm[k]);
      too_heavy[k] = targets.heavy_quark > 0.0 && b2[k] > 0.0 && solution.heavy_quark[k] > targets.heavy_quark;
      if (too_heavy[k] && norm[k] <= aims[k]) aims[k] = 0.1 * norm[k];
    }
    return refinement.goes_on(norm, too_heavy);
  };
  if (!targets.guess || goes_on()) refinement.run(correct, goes_on);
  solution.result = std::move(refinement.result());
  for (std::size_t k = 0; k < solved.size(); ++k) {
    SolveStatus& status = solution.result.right_hand_sides[k].status;
    if (status == SolveStatus::stagnated && solved[k].status != SolveStatus::converged) status = solved[k].status;
  }
  return solution;
}

}  // namespace kaon::quda
