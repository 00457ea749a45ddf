// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "operators/stencil_list.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>
#include <kaon/operators/even_odd_system.hpp>
#include <kaon/propagators/multi_mass_solver.hpp>
#include <kaon/propagators/single_precision_solver.hpp>
#include <kaon/solvers/multi_shift_cg.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <type_traits>
#include <utility>

namespace kaon {
namespace {

/// Part of the tolerance that solves aim at, whose residuals are not computed in the way that counts.
constexpr double safety = 0.9;
/// Residual norm that zero reaches, of sources of length one.
constexpr double left_alone = 2.0;

/// Norms of the right-hand sides. Throws `Error` for one that is zero or not finite.
std::vector<double> source_norms(const SpinorField<double>& b) {
  std::vector<double> norms = blas::norm2(b);
  for (std::size_t k = 0; k < norms.size(); ++k) {
    norms[k] = std::sqrt(norms[k]);
    require(std::isfinite(norms[k]) && norms[k] > 0.0, [&] {
      return fmt::format("right-hand side {} has the norm {}: a solve needs sources that are finite and not zero", k,
                         norms[k]);
    });
  }
  return norms;
}

/// Adds the counts of `more` to those of `total`.
void add_counts(SolveResult& total, const SolveResult& more) {
  for (std::size_t k = 0; k < total.right_hand_sides.size(); ++k) {
    SolveResult::RightHandSide& side = total.right_hand_sides[k];
    const SolveResult::RightHandSide& other = more.right_hand_sides[k];
    side.iterations += other.iterations;
    side.restarts += other.restarts;
    side.fallbacks += other.fallbacks;
  }
  total.reliable_updates += more.reliable_updates;
  total.flops += more.flops;
}

/// Sets the true residuals, of M x = b on all sites in double, and the status by them. An x that is not finite becomes
/// zero.
void judge(SolveResult& result, const EvenOddOperator<double>& dirac, SpinorField<double>& x,
           const SpinorField<double>& b, const std::vector<double>& norms, double tolerance) {
  SpinorField<double> residual = dirac.make_field(b.right_hand_sides());
  dirac.apply(residual, x);
  const blas::Reals norm2 = blas::xmy_norm2(residual, b);
  for (std::size_t k = 0; k < norm2.size(); ++k) {
    SolveResult::RightHandSide& side = result.right_hand_sides[k];
    side.true_residual = std::sqrt(norm2[k]) / norms[k];
    if (!std::isfinite(side.true_residual)) {
      SpinorField<double> x_k = x.right_hand_side(k);
      blas::set_zero(x_k);
      side.true_residual = 1.0;
      side.status = SolveStatus::not_a_number;
    }
    if (side.true_residual <= tolerance) {
      side.status = SolveStatus::converged;
    } else if (side.status == SolveStatus::converged) {
      side.status = SolveStatus::stagnated;
    }
  }
  result.flops += dirac.flops() * b.right_hand_sides();
}

}  // namespace

MultiMassSolver::MultiMassSolver(MakeOperator dirac_of, std::vector<double> masses,
                                 const MultiMassParameters& parameters)
    : dirac_of_(std::move(dirac_of)), masses_(std::move(masses)), parameters_(parameters) {
  parameters_.solver.method = KrylovMethod::cg;
  require(!masses_.empty(), "a solver for several masses needs at least one");
  for (const double mass : masses_) {
    require(std::isnormal(4.0 * mass * mass), [&] {
      return fmt::format("4m^2 of the staggered operator is {} for m = {}: other masses are needed", 4.0 * mass * mass,
                         mass);
    });
  }
  require(dirac_of_(masses_.front())->normal_system(Parity::even) != nullptr,
          "several masses are solved for together with the normal operator of staggered fermions: solve for others one "
          "by one");
}

template <class S>
std::vector<SolveResult> MultiMassSolver::sweep(std::span<SpinorField<double>> x, const SpinorField<double>& b,
                                                double tolerance) const {
  const PropagatorSolverParameters& given = parameters_.solver;
  const AnyOperator<double> massless = dirac_of_(0.0);
  const Ref<EvenOddOperator<S>> dirac = [&]() -> Ref<EvenOddOperator<S>> {
    if constexpr (std::is_same_v<S, double>) {
      return massless.in_precisions().exact;
    } else {
      const bool compressed = detail::compiled_stencils().has_storage(massless.in_precisions().compressed_links);
      const LinkStorage links = compressed ? massless.in_precisions().compressed_links : LinkStorage::full;
      return massless.in_precisions().in_single(given.links.value_or(links), given.halo);
    }
  }();
  std::vector<double> shifts;
  for (const double mass : masses_) shifts.push_back(4.0 * mass * mass);

  const auto count = static_cast<std::size_t>(b.right_hand_sides());
  std::vector<SolveResult> results(masses_.size());
  for (SolveResult& result : results) {
    result.right_hand_sides.resize(count);
    for (auto& side : result.right_hand_sides) side.status = SolveStatus::converged;
  }
  for (SpinorField<double>& x_s : x) blas::set_zero(x_s);
  for (const Parity parity : {Parity::even, Parity::odd}) {
    const SpinorField<double> b_p = b.parity(parity);
    blas::Reals norm = blas::norm2(b_p), inverse = norm;
    if (std::all_of(norm.begin(), norm.end(), [](double value) { return value == 0.0; })) continue;
    const std::unique_ptr<EvenOddSystem<S>> normal = dirac->normal_system(parity);
    // Sources of length one, which single precision can hold whatever their units.
    for (std::size_t k = 0; k < count; ++k) {
      norm[k] = std::sqrt(norm[k]);
      inverse[k] = norm[k] > 0.0 ? 1.0 / norm[k] : 0.0;
    }
    SpinorField<double> scaled(b.lattice(), b_p.parameters());
    blas::copy(scaled, b_p);
    blas::scale(scaled, inverse);
    SpinorField<S> source(b.lattice(), b_p.parameters());
    blas::copy(source, scaled);
    std::vector<SpinorField<S>> y;
    for (std::size_t s = 0; s < masses_.size(); ++s) y.push_back(normal->make_field(b.right_hand_sides()));
    const MultiShiftCg<S> solver(
        Ref<LinearOperator<S>>(*normal), shifts,
        {.tolerance = tolerance, .max_iterations = given.max_iterations, .on_iteration = given.on_iteration});
    const std::vector<SolveResult> of_parity = solver.solve(y, source);
    for (std::size_t s = 0; s < masses_.size(); ++s) {
      SpinorField<double> x_p = x[s].parity(parity);
      blas::copy(x_p, y[s]);
      blas::scale(x_p, norm);
      for (std::size_t k = 0; k < count; ++k) {
        SolveResult::RightHandSide& side = results[s].right_hand_sides[k];
        const SolveResult::RightHandSide& swept = of_parity[s].right_hand_sides[k];
        side.iterated_residual = std::max(side.iterated_residual, swept.iterated_residual);
        if (swept.status != SolveStatus::converged) side.status = swept.status;
      }
      add_counts(results[s], of_parity[s]);
    }
  }
  // x_s = M_s^dag y_s
  SpinorField<double> y(b.lattice(), b.parameters());
  for (std::size_t s = 0; s < masses_.size(); ++s) {
    const AnyOperator<double> of_mass = dirac_of_(masses_[s]);
    blas::copy(y, x[s]);
    of_mass->apply_dagger(x[s], y);
    results[s].flops += of_mass->flops() * b.right_hand_sides();
  }
  return results;
}

void MultiMassSolver::refine(SolveResult& result, std::size_t s, SpinorField<double>& x, const SpinorField<double>& b,
                             const std::vector<double>& norms) const {
  PropagatorSolverParameters parameters = parameters_.solver;
  parameters.iterations_spent = std::make_shared<std::vector<int>>();
  // Residuals of length one, as in sweeps.
  std::vector<double> target;
  blas::Reals norm, inverse;
  bool again = false;
  for (std::size_t k = 0; k < norms.size(); ++k) {
    const SolveResult::RightHandSide& side = result.right_hand_sides[k];
    parameters.iterations_spent->push_back(side.iterations);
    const bool open = side.status != SolveStatus::converged && side.iterations < parameters.max_iterations;
    norm.push_back(side.true_residual * norms[k]);
    inverse.push_back(norm[k] > 0.0 ? 1.0 / norm[k] : 0.0);
    target.push_back(open ? safety * parameters.tolerance / side.true_residual : left_alone);
    again = again || open;
  }
  if (!again) return;
  const AnyOperator<double> dirac = dirac_of_(masses_[s]);
  SpinorField<double> residual(b.lattice(), b.parameters()), correction(b.lattice(), b.parameters());
  dirac->apply(residual, x);
  blas::scale(residual, blas::Reals(norms.size(), -1.0));
  blas::axpy(residual, b, blas::Reals(norms.size(), 1.0));
  blas::scale(residual, inverse);
  const SolveResult refined = parameters_.single_precision
                                  ? SinglePrecisionSolver(dirac, parameters).solve(correction, residual, target)
                                  : PropagatorSolver<double>(dirac, parameters).solve(correction, residual, target);
  add_counts(result, refined);
  SpinorField<double> best(b.lattice(), b.parameters());
  blas::copy(best, x);
  blas::axpy(best, correction, norm);
  for (std::size_t k = 0; k < norms.size(); ++k) {
    if (target[k] == left_alone) continue;
    SolveResult::RightHandSide& side = result.right_hand_sides[k];
    side.status = refined.right_hand_sides[k].status;
    side.iterated_residual = refined.right_hand_sides[k].iterated_residual * side.true_residual;
    SpinorField<double> x_k = x.right_hand_side(k);
    blas::copy(x_k, best.right_hand_side(k));
  }
  judge(result, *dirac, x, b, norms, parameters.tolerance);
}

std::vector<SolveResult> MultiMassSolver::solve(std::span<SpinorField<double>> x, const SpinorField<double>& b) const {
  const Kokkos::Timer timer;
  const PropagatorSolverParameters& given = parameters_.solver;
  require(x.size() == masses_.size(),
          [&] { return fmt::format("{} fields were given for {} masses", x.size(), masses_.size()); });
  for (const SpinorField<double>& x_s : x) {
    require(x_s.parameters() == b.parameters() && x_s.lattice() == b.lattice() && b.subset() == Subset::full,
            "x and b of a solve for several masses must have the same lattice, spins, colours and right-hand sides, on "
            "all sites");
  }
  const std::vector<double> norms = source_norms(b);
  const bool mixed = parameters_.single_precision || given.inner != InnerPrecision::outer;
  const bool in_single = mixed && detail::compiled_stencils().has_precision(precision_name<float>());
  const bool rounded = in_single && !parameters_.single_precision;
  const double sweep_tolerance = std::max(safety * given.tolerance, rounded ? parameters_.sweep_tolerance : 0.0);
  std::vector<SolveResult> results =
      in_single ? sweep<float>(x, b, sweep_tolerance) : sweep<double>(x, b, sweep_tolerance);
  for (std::size_t s = 0; s < masses_.size(); ++s) {
    judge(results[s], *dirac_of_(masses_[s]), x[s], b, norms, given.tolerance);
    if (!results[s].converged()) refine(results[s], s, x[s], b, norms);
  }
  for (SolveResult& result : results) result.seconds = timer.seconds();
  return results;
}

}  // namespace kaon
