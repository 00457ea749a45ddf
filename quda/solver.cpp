// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quda/solver.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>
#include <kaon/solvers/heavy_quark_residual.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace kaon::quda {
namespace {

/// Solves that correct a solution whose own residual is still too large.
constexpr int max_corrections = 8;
/// A correction that leaves more of the residual than this is the last.
constexpr double least_progress = 0.5;
/// Aim of a correction, in units of the target, where residuals of M are not those of the matrix.
constexpr double safety = 0.5;

/// Solves a matrix by solves with M and M^dag.
class MatrixInverse {
 public:
  MatrixInverse(const MatrixDescription& matrix, const CachedSolver& solver, const CachedSolver& other)
      : matrix_(matrix), solver_(solver), other_(other), operator_(solver.of()) {}

  /// x = [matrix]^-1 b from zero, so that about |b - [matrix] x| <= targets[k].
  void solve(SpinorField<double>& x, const SpinorField<double>& b, std::span<const double> targets) {
    if (!matrix_.normal) return solve_factor(x, b, targets, matrix_.dagger);
    // F^dag F x = b: F^dag y = b, F x = y. A residual r of the second counts as F^dag r.
    SpinorField<double> y = operator_.make_field(b.subset(), b.right_hand_sides());
    solve_factor(y, b, targets, !matrix_.dagger);
    const blas::Reals b2 = blas::norm2(b), y2 = blas::norm2(y);
    std::vector<double> next(targets.begin(), targets.end());
    for (std::size_t k = 0; k < next.size(); ++k) {
      if (b2[k] > 0.0) next[k] *= std::min(1.0, std::sqrt(y2[k] / b2[k]));
    }
    solve_factor(x, y, next, matrix_.dagger);
  }

  /// Sum over the solves; status and residuals are those of M in the last one.
  const SolveResult& taken() const { return taken_; }

 private:
  /// N x = b or its Schur complement.
  void solve_factor(SpinorField<double>& x, const SpinorField<double>& b, std::span<const double> targets,
                    bool dagger) {
    if (!matrix_.one_parity) {
      // N x = b: M (2 kappa x) = b
      solve_full(x, b, targets, operator_.is_adjoint(dagger));
      return multiply(x, 1.0 / operator_.scale());
    }
    // M x = b with a source on parity p alone has the Schur complement's solution there:
    //   symmetric, S = 1 - A_p^-1 K A_q^-1 K:   b_p = A_p source;  S^dag = A_p^dag S(M^dag) A_p^-dag, A = A/(2 kappa)
    //   asymmetric, 2 kappa (A_p - K A_q^-1 K): b_p = source/(2 kappa)
    //   staggered, 4 m^2 - D D:                 b_p = source/(2 m)
    const Parity p = matrix_.parity;
    SpinorField<double> full_b = operator_.make_field(Subset::full, b.right_hand_sides());
    SpinorField<double> full_x = operator_.make_field(Subset::full, b.right_hand_sides());
    SpinorField<double> b_p = full_b.parity(p);
    const SpinorField<double> x_p = full_x.parity(p);
    const bool staggered = operator_.description().is_staggered();
    const bool symmetric = !staggered && matrix_.form == SchurForm::symmetric;
    if (symmetric && !dagger) {
      operator_.dirac()->apply_site_term(b_p, b, SiteTerm::diagonal, false);
    } else {
      blas::copy(b_p, b);
      if (staggered) multiply(b_p, 0.5 / staggered_mass());
      if (!staggered && !symmetric) multiply(b_p, 1.0 / operator_.scale());
    }
    const blas::Reals b2 = blas::norm2(b), source2 = blas::norm2(b_p);
    std::vector<double> wanted(targets.begin(), targets.end());
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      if (b2[k] > 0.0) wanted[k] *= std::sqrt(source2[k] / b2[k]);
    }
    solve_full(full_x, full_b, wanted, dagger);
    if (symmetric && dagger) {
      operator_.dirac()->apply_site_term(x, x_p, SiteTerm::diagonal, true);
    } else {
      blas::copy(x, x_p);
    }
  }

  /// M x = b or M^dag x = b from zero.
  void solve_full(SpinorField<double>& x, const SpinorField<double>& b, std::span<const double> targets, bool adjoint) {
    blas::set_zero(x);
    const SolveRequest request{.residual_norms = {targets.begin(), targets.end()}};
    taken_.append((adjoint ? other_ : solver_).solve(x, b, request, adjoint), {});
  }

  double staggered_mass() const {
    const double mass = operator_.description().mass;
    require(mass != 0.0,
            "mass = 0: 4 m^2 - D D on one parity is solved by the operator on all sites, which needs a mass: take "
            "invertMultiShiftQuda (or qudaMultishiftInvert) with one offset 0");
    return mass;
  }

  const MatrixDescription& matrix_;
  const CachedSolver& solver_;
  const CachedSolver& other_;
  const Operator& operator_;
  SolveResult taken_;
};

}  // namespace

CachedSolver::CachedSolver(std::shared_ptr<const Operator> of, const PropagatorSolverParameters& parameters,
                           bool single)
    : operator_(std::move(of)),
      solver_(single
                  ? decltype(solver_)(std::in_place_type<SinglePrecisionSolver>, operator_->dirac(), parameters)
                  : decltype(solver_)(std::in_place_type<PropagatorSolver<double>>, operator_->dirac(), parameters)) {}

SolveResult CachedSolver::solve(SpinorField<double>& x, const SpinorField<double>& b,
                                const SolveRequest& request) const {
  return std::visit([&](const auto& by) { return by.solve(x, b, request); }, solver_);
}

SolveResult CachedSolver::solve(SpinorField<double>& x, const SpinorField<double>& b, const SolveRequest& request,
                                bool adjoint) const {
  if (!adjoint) return solve(x, b, request);
  // M^dag x = b: M (G x) = G b
  SpinorField<double> conjugated = operator_->make_field(Subset::full, b.right_hand_sides());
  blas::copy(conjugated, b);
  operator_->conjugate(conjugated);
  operator_->conjugate(x);
  const SolveResult result = solve(x, conjugated, request);
  operator_->conjugate(x);
  return result;
}

SpinorField<float> CachedSolver::near_null_vectors() const {
  return std::visit([](const auto& by) { return by.near_null_vectors(); }, solver_);
}

std::optional<MultigridReport> CachedSolver::multigrid_report() const {
  return std::visit([](const auto& by) { return by.multigrid_report(); }, solver_);
}

OperatorDescription conjugate(const OperatorDescription& description) {
  OperatorDescription result = description;
  if (result.mu != 0.0) result.mu = -result.mu;
  if (result.rho != 0.0) result.rho = -result.rho;
  return result;
}

MatrixSolution solve_matrix(const MatrixDescription& matrix, const CachedSolver& solver, const CachedSolver& other,
                            SpinorField<double>& x, const SpinorField<double>& b, const MatrixTargets& targets) {
  const Operator& of = solver.of();
  const auto sides = static_cast<std::size_t>(b.right_hand_sides());
  const blas::Reals b2 = blas::norm2(b);
  for (std::size_t k = 0; k < sides; ++k) {
    require(std::isfinite(b2[k]), [&] { return fmt::format("right-hand side {} is not finite", k); });
  }
  MatrixInverse inverse(matrix, solver, other);
  // Residuals of M are those of N, but for a factor; others are not.
  const bool direct = !matrix.one_parity && !matrix.normal;
  const auto aimed_at = [&](std::vector<double> norms) {
    for (double& norm : norms) norm *= direct ? 1.0 : safety;
    return norms;
  };
  std::vector<double> aims = targets.norms;
  if (!targets.guess) {
    inverse.solve(x, b, aimed_at(aims));
    if (direct && targets.heavy_quark == 0.0 && inverse.taken().converged()) return {inverse.taken(), {}};
  }
  SpinorField<double> residual = of.make_field(b.subset(), b.right_hand_sides());
  std::optional<SpinorField<double>> correction;
  MatrixSolution solution;
  SolveResult& result = solution.result;
  result.right_hand_sides.resize(sides);
  std::vector<double> before(sides, std::numeric_limits<double>::infinity());
  for (int corrections = 0;; ++corrections) {
    of.apply(residual, x, matrix);
    const blas::Reals r2 = blas::xmy_norm2(residual, b);
    if (targets.heavy_quark > 0.0) solution.heavy_quark = heavy_quark_residual(residual, x);
    bool done = true, progress = false;
    for (std::size_t k = 0; k < sides; ++k) {
      const double norm = std::sqrt(r2[k]);
      auto& side = result.right_hand_sides[k];
      side.true_residual = b2[k] > 0.0 ? std::sqrt(r2[k] / b2[k]) : norm;
      const bool heavy = targets.heavy_quark > 0.0 && b2[k] > 0.0 && solution.heavy_quark[k] > targets.heavy_quark;
      if (heavy && norm <= aims[k]) aims[k] = 0.1 * norm;
      const bool ends = norm <= targets.norms[k] && !heavy;
      side.status = ends ? SolveStatus::converged : SolveStatus::stagnated;
      done = done && ends;
      progress = progress || (!ends && norm <= least_progress * std::exchange(before[k], norm));
    }
    const auto& taken = inverse.taken().right_hand_sides;
    const bool out_of_iterations = std::any_of(
        taken.begin(), taken.end(), [](const auto& side) { return side.status == SolveStatus::max_iterations; });
    const bool spent = inverse.taken().iterations() >= targets.max_iterations;
    if (done || !progress || spent || corrections == max_corrections || out_of_iterations) break;
    if (!correction) correction.emplace(of.make_field(b.subset(), b.right_hand_sides()));
    inverse.solve(*correction, residual, aimed_at(aims));
    blas::add(x, *correction);
  }
  for (std::size_t k = 0; k < inverse.taken().right_hand_sides.size(); ++k) {
    const auto& taken = inverse.taken().right_hand_sides[k];
    auto& side = result.right_hand_sides[k];
    side.iterations = taken.iterations;
    side.fallbacks = taken.fallbacks;
    side.iterated_residual = taken.iterated_residual;
    if (side.status != SolveStatus::converged && taken.status != SolveStatus::converged) side.status = taken.status;
  }
  result.seconds = inverse.taken().seconds;
  result.flops = inverse.taken().flops;
  return solution;
}

}  // namespace kaon::quda
