// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quarks/shift_solver.hpp"
#include "quda/client/call.hpp"
#include "quda/solve/chronology.hpp"
#include "quda/solve/normal_matrix.hpp"
#include "quda/solve/operator.hpp"
#include "quda/solve/solver.hpp"
#include "quda/state/arrays.hpp"
#include "solvers/contract/refinement.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>
#include <kaon/operators/normal.hpp>
#include <kaon/solvers/krylov.hpp>
#include <kaon/solvers/solver.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kaon::quda {
namespace {

std::vector<SolveResult> solve_in_precisions(const SolveDescription& solve, const Operator& of,
                                             const std::vector<double>& shifts, const std::vector<double>& tolerances,
                                             std::span<SpinorField<double>> x, const SpinorField<double>& b) {
  const auto normal = [&]<class T>(const Ref<EvenOddOperator<T>>& dirac) {
    return normal_matrix<T>(dirac, solve.matrix);
  };
  const SolveOptions parameters{.max_iterations = solve.solver.max_iterations,
                                .outer = solve.solver.outer,
                                .inner = solve.solver.inner,
                                .links = of.iteration_links()};
  return detail::make_shift_solver(of.dirac(), normal, shifts, tolerances[0], parameters, tolerances)(x, b, {});
}

/// Solves that bring a heavy-quark residual down.
constexpr int max_refinements = 8;

/// (Q + shift) x = b in double from x, until the heavy-quark residual is small enough. Returns it, and adds what it
/// took to `result`.
double refine(SpinorField<double>& x, const Shifted<double>& matrix, const SpinorField<double>& b, double heavy_quark,
              int max_iterations, SolveResult& result) {
  const double b_norm = std::sqrt(blas::norm2(b)[0]);
  detail::Refinement refinement({.source_norm = {b_norm}, .residual_norm = {b_norm}, .active = {heavy_quark > 0.0}}, {},
                                {.most_solves = max_refinements});
  SpinorField<double> residual(b.lattice(), b.parameters());
  double norm = 0.0, reached = 0.0;
  const auto goes_on = [&] {
    matrix.apply(residual, x);
    norm = std::sqrt(blas::xmy_norm2(residual, b)[0]);
    reached = heavy_quark_residual(residual, x)[0];
    return refinement.goes_on(blas::Reals{norm}, {reached > heavy_quark && norm > 0.0});
  };
  const auto solve = [&](SolveRequest& request) {
    request.residual_norms = {0.1 * norm};
    return Cg<double>(matrix, {.max_iterations = max_iterations}).solve(x, b, request);
  };
  if (!goes_on()) return reached;
  refinement.run(solve, goes_on);
  const SolveStatus status = result.right_hand_sides[0].status;
  result.append(refinement.result(), {});
  result.right_hand_sides[0].status = status;
  return reached;
}

}  // namespace

SolveResult solve_normal(const SolveDescription& solve, const Operator& of, SpinorField<double>& x,
                         const SpinorField<double>& b, SolveRequest request) {
  const double s2 = std::pow(scale_of(solve.matrix, of), 2);
  SpinorField<double> source = blas::clone(b);
  multiply(source, 1.0 / s2);
  for (double& norm : request.residual_norms) norm /= s2;
  blas::set_zero(x);

  const Quark<double>& dirac = of.dirac();
  SolveOptions options = solve.solver;
  options.links = of.iteration_links();
  const SolvePlan plan = plan_shifts(dirac, options, options.tolerance);
  const auto normal = [&]<class T>(const Ref<EvenOddOperator<T>>& full) {
    return normal_matrix<T>(full, solve.matrix);
  };
  return detail::rung_solver(dirac, plan.rungs.back(), normal(dirac.exact()), normal)->solve(x, source, request);
}

ShiftedSolutions solve_shifted(const SolveDescription& solve, std::span<void* const> h_x, const void* h_b) {
  require(!solve.shifts.empty(), "num_offset = 0: there is no shift to solve for");
  for (std::size_t i = 1; i < solve.shifts.size(); ++i) {
    require(solve.shifts[i - 1] <= solve.shifts[i], [&] {
      return fmt::format("the offsets must ascend, but offset {} is {} and offset {} is {}", i - 1, solve.shifts[i - 1],
                         i, solve.shifts[i]);
    });
  }
  MatrixDescription matrix = solve.matrix;
  const bool staggered = matrix.of.conventions().hermitian_on_one_parity;
  require(staggered ? matrix.one_parity && !matrix.normal : matrix.normal,
          "solution_type of a solve with several shifts must be QUDA_MATPC_SOLUTION for staggered operators, and "
          "QUDA_MATDAG_MAT_SOLUTION or QUDA_MATPCDAG_MATPC_SOLUTION for others");
  // (Q + f shift) x = f b with QUDA's factor f; Q = -D D of a staggered operator whose mass is zero.
  if (staggered) matrix.of.quark.mass = 0.5 * std::sqrt(solve.shifts[0]);
  const double factor = matrix.right_hand_side_factor();
  if (staggered) matrix.of.quark.mass = 0.0;
  const auto of = operator_of(matrix.of);
  const double s2 = std::pow(scale_of(matrix, *of), 2);
  std::vector<double> shifts;
  for (const double shift : solve.shifts) shifts.push_back((staggered ? 1.0 : factor) * shift / s2);

  SpinorField<double> b = of->make_field(matrix.subset(), 1);
  read_spinor(b, 0, h_b, solve.spinors);
  multiply(b, factor / s2);
  std::vector<SpinorField<double>> x;
  for (std::size_t i = 0; i < shifts.size(); ++i) x.push_back(of->make_field(matrix.subset(), 1));
  const double b2 = blas::norm2(b)[0];
  std::vector<double> tolerances = solve.tolerances;
  tolerances.resize(shifts.size());
  for (std::size_t i = 0; i < shifts.size(); ++i) {
    double& tolerance = tolerances[i];
    if (!(tolerance > 0.0)) tolerance = solve.tolerance;
    if (tolerance == 0.0 && solve.heavy_quark > 0.0) tolerance = solve.heavy_quark_tolerances[i];
    require(tolerance > 0.0,
            [&] { return fmt::format("neither tol nor tol_offset[{}] is set: one of them must be positive", i); });
    if (solve.absolute && b2 > 0.0) tolerance /= s2 * std::sqrt(b2);  // |r| of QUDA's system
    tolerance = std::min(tolerance, std::nextafter(1.0, 0.0));        // above that a solution of zero is enough
  }

  SolveDescription described = solve;
  described.matrix = matrix;
  ShiftedSolutions solutions;
  if (b2 > 0.0) {
    solutions.results = solve_in_precisions(described, *of, shifts, tolerances, x, b);
  } else {
    SolveResult nothing;
    nothing.right_hand_sides.resize(1);
    nothing.right_hand_sides[0].status = SolveStatus::converged;
    solutions.results.assign(shifts.size(), nothing);
  }
  const Ref<LinearOperator<double>> exact = normal_matrix<double>(of->dirac().exact(), matrix);
  for (std::size_t i = 0; i < shifts.size(); ++i) {
    const double wanted = b2 > 0.0 ? solve.heavy_quark_tolerances[i] : 0.0;
    const double heavy_quark =
        refine(x[i], Shifted<double>(exact, shifts[i]), b, wanted, solve.solver.max_iterations, solutions.results[i]);
    if (!solve.keeps) write_spinor(h_x[i], x[i], 0, solve.spinors);
    solutions.heavy_quark.push_back(heavy_quark);
    if (wanted > 0.0 && heavy_quark > wanted) {
      say(fmt::format("kaon: WARNING: shift {}: the heavy-quark residual is {:.3e}, above {:.3e}", i, heavy_quark,
                      wanted));
    }
    solutions.products.push_back(s2 * blas::inner_product(b, x[i])[0]);
  }
  keep_solutions(solve.keeps ? std::move(x) : std::vector<SpinorField<double>>{});
  return solutions;
}

}  // namespace kaon::quda
