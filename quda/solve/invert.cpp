// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quda/client/call.hpp"
#include "quda/client/describe.hpp"
#include "quda/client/parameters.hpp"
#include "quda/solve/chronology.hpp"
#include "quda/solve/multigrid.hpp"
#include "quda/solve/solver.hpp"
#include "quda/state/arrays.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/operators/covariant_sum.hpp>
#include <kaon/operators/normal.hpp>
#include <kaon/solvers/krylov.hpp>

#include <Kokkos_Timer.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <span>

namespace kaon::quda {
namespace {

/// Solutions in single precision have no smaller residuals.
constexpr double smallest_tolerance_in_single = 1e-6;

/// Solvers that wait for their next use, each with links in lower precisions. There are two, since clients solve on
/// both parities in turn, and normal systems of twisted quarks need both signs of the twist.
using Solvers = Recent<CachedSolver, 2>;

/// The solver for an operator, made at its first use. `conjugated`: for the other sign of a twist.
std::shared_ptr<CachedSolver> solver_of(const SolveDescription& solve, bool conjugated) {
  const OperatorDescription of = conjugated ? conjugate(solve.matrix.of) : solve.matrix.of;
  if (solve.multigrid != nullptr) return multigrid_solver(solve.multigrid, of);
  SolveOptions parameters = solve.solver;
  const std::string key = fmt::format("{} {} {} {} {} {} {}", of.key(), static_cast<int>(parameters.method),
                                      static_cast<int>(parameters.inner), static_cast<int>(parameters.parity),
                                      parameters.max_iterations, parameters.reliable_delta, solve.single());
  return state().derived<Solvers>().get(key, [&] {
    std::shared_ptr<const Operator> made = operator_of(of);
    parameters.links = made->iteration_links();
    return std::make_shared<CachedSolver>(std::move(made), parameters);
  });
}

/// Sets a result that is an array over right-hand sides, or one number for all of them: the largest.
void set_each(auto& result, std::span<const double> values) {
  if constexpr (std::is_array_v<std::remove_reference_t<decltype(result)>>) {
    std::copy(values.begin(), values.end(), result);
  } else {
    result = *std::max_element(values.begin(), values.end());
  }
}

void report(QudaInvertParam& given, const SolveResult& result, double seconds) {
  std::vector<double> residuals;
  for (const auto& side : result.right_hand_sides) residuals.push_back(side.true_residual);
  set_each(given.true_res, residuals);
  given.iter = result.iterations();
  given.secs = std::max(seconds, 1e-9);  // clients divide by it
  given.gflops = result.flops * 1e-9;    // an amount, as in QUDA
}

void warn(const SolveResult& result, const blas::Reals& norm2) {
  for (std::size_t k = 0; k < result.right_hand_sides.size(); ++k) {
    const auto& side = result.right_hand_sides[k];
    if (norm2[k] == 0.0) say(fmt::format("kaon: right-hand side {} is zero, and so is its solution", k));
    if (side.status != SolveStatus::converged) {
      say(fmt::format("kaon: WARNING: right-hand side {} {}: the residual is {:.3e} after {} iterations", k,
                      to_string(side.status), side.true_residual, side.iterations));
    }
  }
}

/// Solves with the Laplace operator, by conjugate gradients in double.
void invert_laplace(std::span<void* const> h_x, std::span<void* const> h_b, QudaInvertParam& given) {
  const Kokkos::Timer timer;
  require(given.dslash_type == QUDA_LAPLACE_DSLASH, "the covariant derivative cannot be inverted: shift back");
  require(given.solution_type == QUDA_MAT_SOLUTION || given.solution_type == QUDA_MATDAG_MAT_SOLUTION, [&] {
    return fmt::format(
        "solution_type = {} is not supported for the Laplace operator; supported: QUDA_MAT_SOLUTION and "
        "QUDA_MATDAG_MAT_SOLUTION",
        static_cast<long>(given.solution_type));
  });
  const SolveDescription solve = describe_solve(given);
  const CovariantDescription of = describe_covariant(given);
  require(solve.heavy_quark == 0.0 && solve.tolerance > 0.0,
          "the Laplace operator is inverted to an L2 residual: set residual_type and tol");
  const GaugeField<double> links = with_factors(state().links(LinkKind::wilson));
  const CovariantLaplace<double> laplace(links, {of.kappa, of.dimensions, of.spins});
  const NormalOperator<double> normal(laplace);
  const bool is_normal = given.solution_type == QUDA_MATDAG_MAT_SOLUTION;
  const LinearOperator<double>& matrix = is_normal ? static_cast<const LinearOperator<double>&>(normal) : laplace;

  const int sides = static_cast<int>(h_x.size());
  SpinorField<double> b = matrix.make_field(sides), x = matrix.make_field(sides);
  read_spinors(b, h_b, solve.spinors);
  if (solve.initial_guess) read_spinors(x, h_x, solve.spinors);
  multiply(b, is_normal ? 1.0 / (of.factor * of.factor) : 1.0 / of.factor);
  const blas::Reals norm2 = blas::norm2(b);
  std::vector<double> norms;
  for (const double b2 : norm2) norms.push_back(solve.absolute ? solve.tolerance : solve.tolerance * std::sqrt(b2));
  const SolveResult result =
      Cg<double>(matrix, {.max_iterations = solve.solver.max_iterations}).solve(x, b, {.residual_norms = norms});
  write_spinors(h_x, x, solve.spinors);
  warn(result, norm2);
  set_each(given.true_res_hq, std::vector<double>(h_x.size()));
  report(given, result, timer.seconds());
}

void invert(std::span<void* const> h_x, std::span<void* const> h_b, QudaInvertParam& given) {
  if (is_covariant(given)) return invert_laplace(h_x, h_b, given);
  const Kokkos::Timer timer;
  const SolveDescription solve = describe_solve(given);
  const MatrixDescription& matrix = solve.matrix;
  const std::shared_ptr<CachedSolver> solver = solver_of(solve, false);
  const bool needs_adjoint = matrix.normal || solver->of().is_adjoint(matrix.dagger);
  const std::shared_ptr<CachedSolver> other = needs_adjoint ? solver_of(solve, true) : solver;

  const int sides = static_cast<int>(h_x.size());
  SpinorField<double> b = solver->of().make_field(matrix.subset(), sides);
  SpinorField<double> x = solver->of().make_field(matrix.subset(), sides);
  read_spinors(b, h_b, solve.spinors);
  if (solve.initial_guess) read_spinors(x, h_x, solve.spinors);
  multiply(b, matrix.right_hand_side_factor());
  const bool extrapolated = sides == 1 && extrapolate(x, b, matrix, solver->of(), given);
  const blas::Reals norm2 = blas::norm2(b);
  MatrixTargets targets{.heavy_quark = solve.heavy_quark,
                        .guess = solve.initial_guess || extrapolated,
                        .max_iterations = solve.solver.max_iterations};
  std::vector<double> wanted;
  for (const double b2 : norm2) {
    const double tolerance = solve.tolerance > 0.0 ? solve.tolerance : solve.heavy_quark, norm = std::sqrt(b2);
    wanted.push_back(solve.absolute ? tolerance : tolerance * norm);
    targets.norms.push_back(solve.single() ? std::max(wanted.back(), smallest_tolerance_in_single * norm)
                                           : wanted.back());
  }
  MatrixSolver itself;
  if (matrix.normal && solve.multigrid == nullptr && solve.solver.method == KrylovMethod::cgnr) {
    itself = [&](SpinorField<double>& to, const SpinorField<double>& from, const SolveRequest& request) {
      return solve_normal(solve, solver->of(), to, from, request);
    };
  }
  MatrixSolution solution = solve_matrix(matrix, *solver, *other, x, b, targets, itself);
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    auto& side = solution.result.right_hand_sides[k];
    const bool misses = norm2[k] > 0.0 && side.true_residual * std::sqrt(norm2[k]) > wanted[k];
    if (misses && side.status == SolveStatus::converged) side.status = SolveStatus::stagnated;
  }
  if (sides == 1) remember(x, given);
  if (solve.keeps) {
    std::vector<SpinorField<double>> kept;
    for (int k = 0; k < sides; ++k) kept.push_back(x.range(k, 1));
    keep_solutions(std::move(kept));
  } else {
    if (given.use_resident_solution != 0) keep_solutions({});
    write_spinors(h_x, x, solve.spinors);
  }
  warn(solution.result, norm2);
  set_each(given.true_res_hq, solution.heavy_quark.empty() ? std::vector<double>(h_x.size()) : solution.heavy_quark);
  if (given.compute_action != 0) {
    const std::complex<double> action = blas::inner_product(b, x).at(0);
    given.action[0] = action.real();
    given.action[1] = action.imag();
  }
  report(given, solution.result, timer.seconds());
}

}  // namespace
}  // namespace kaon::quda

using namespace kaon::quda;

extern "C" {

void invertQuda(void* h_x, void* h_b, QudaInvertParam* param) {
  call(__func__, param, [&](QudaInvertParam& given) { invert({&h_x, 1}, {&h_b, 1}, given); });
}

void invertMultiSrcQuda(void** _hp_x, void** _hp_b, QudaInvertParam* param) {
  call(__func__, param, [&](QudaInvertParam& given) {
    require(_hp_x != nullptr && _hp_b != nullptr, "a list of pointers to spinors is NULL");
    require(given.num_src >= 1, [&] { return fmt::format("num_src = {} is below 1", given.num_src); });
    const auto sides = static_cast<std::size_t>(given.num_src);
    invert({_hp_x, sides}, {_hp_b, sides}, given);
  });
}

void invertMultiShiftQuda(void** _hp_x, void* _hp_b, QudaInvertParam* param) {
  call(__func__, param, [&](QudaInvertParam& given) {
    require(_hp_x != nullptr, "a list of pointers to spinors is NULL");
    const Kokkos::Timer timer;
    require(!is_covariant(given),
            "shifts of the covariant derivative and the Laplace operator are not "
            "supported");
    const SolveDescription solve = describe_solve(given);
    const ShiftedSolutions solutions = solve_shifted(solve, {_hp_x, solve.shifts.size()}, _hp_b);
    double iterations = 0.0, flops = 0.0;
    for (std::size_t i = 0; i < solve.shifts.size(); ++i) {
      const SolveResult& result = solutions.results[i];
      given.true_res_offset[i] = result.true_residual();
      given.iter_res_offset[i] = result.right_hand_sides[0].iterated_residual;
      given.true_res_hq_offset[i] = solutions.heavy_quark[i];
      iterations = std::max(iterations, static_cast<double>(result.iterations()));
      flops += result.flops;
      warn(result, {1.0});
    }
    if (given.compute_action != 0) {
      std::complex<double> action;
      for (std::size_t i = 0; i < solve.shifts.size(); ++i) action += given.residue[i] * solutions.products[i];
      given.action[0] = action.real();
      given.action[1] = action.imag();
    }
    given.iter = static_cast<int>(iterations);
    given.secs = std::max(timer.seconds(), 1e-9);
    given.gflops = flops * 1e-9;
  });
}
}
