// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "predict/timed_solves.hpp"

#include "core/base/parts.hpp"
#include "core/lattice/coarse_lattice.hpp"
#include "core/tuning/tuning.hpp"
#include "multigrid/staggered/hypercube.hpp"
#include "multigrid/staggered/staggered_levels.hpp"
#include "quarks/rung_solver.hpp"
#include "solvers/contract/targets.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>
#include <kaon/gauge/initial_links.hpp>
#include <kaon/gauge/unitarity.hpp>
#include <kaon/multigrid/multigrid.hpp>
#include <kaon/operators/staggered.hpp>
#include <kaon/quarks/make_quark.hpp>
#include <kaon/solvers/krylov.hpp>
#include <kaon/solvers/multi_shift_cg.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace kaon::detail {
namespace {

/// Seconds of one measurement, where iterations are shorter; on a device they are.
constexpr double measured_seconds = on_device ? 0.05 : 0.3;

/// Iterations that are timed at most. After more of them residuals leave the range in which kernels sum squares in
/// single precision (`SumRange`), and the host computes the coefficients, which takes longer than small lattices.
constexpr double timed_iterations = 20.0;

/// The mass of quarks that are timed, which are heavy.
constexpr double heavy_mass = 0.1;
/// The mass for GCR-DD: the spectrum surrounds zero, and residuals fall as slowly as those of light quarks. If blocks
/// solve almost all of a system, GCR computes its products twice, which light quarks do not need.
constexpr double slow_mass = -1.0;

/// The precision of the first iterations by its name.
InnerPrecision inner_precision(const std::string& name) {
  if (name == "double") return InnerPrecision::outer;
  return name == "single" ? InnerPrecision::single : InnerPrecision::half;
}

/// The first iterations of a solver; those of the normal system have the method `cg`.
SolveRung rung_of(PredictedSolve of, const PredictedQuark& quark, const Quark<double>& dirac,
                  const std::string& precision) {
  SolveOptions options = quark.solver;
  options.method = of.method;
  if (dirac->suits_asymmetric_form()) options.schur = SchurForm::asymmetric;
  options.inner = inner_precision(precision);
  if (of.method != KrylovMethod::cg) return plan(dirac, options).rungs.front();
  const SolvePlan shifts = plan_shifts(dirac, options, options.tolerance);
  return of.has_shifts ? shifts.rungs.front() : shifts.rungs.back();
}

/// The operator that is timed, on links that are close to 1.
Quark<double> timed_operator(const PredictedQuark& quark, const Lattice& lattice, double mass) {
  GaugeField<double> links(lattice);
  set_weak(links, 0.2, {.seed = 1});
  FermionParameters physics = quark.physics;
  physics.mass = mass;
  if constexpr (Parts::staggered) {
    // Fat and third links take as long for all values.
    if (quark.family().makes_links()) return ImprovedStaggered<double>(links, links.clone(), {.mass = mass});
  }
  return make_quark(links, physics);
}

/// The operator on a field from a file.
Quark<double> operator_on(const PredictedQuark& quark, const GaugeField<double>& links) {
  if (!quark.family().makes_links()) return make_quark(links, quark.physics);
  GaugeField<double> thin = links.clone();
  reunitarize(thin);  // files are rounded
  return make_quark(thin, quark.physics);
}

/// Seconds of `body()`, the mean of as many as fill `measured_seconds`, the best of three such means.
template <class Body>
double seconds_of(const Execution& execution, const Body& body) {
  double best = std::numeric_limits<double>::infinity();
  const auto time = [&](int count) {
    execution.fence("kaon::predict: before");
    const Kokkos::Timer timer;
    for (int n = 0; n < count; ++n) body();
    execution.fence("kaon::predict: after");
    return timer.seconds() / count;
  };
  tune_ahead(body);
  const double first = time(1);
  const int count = static_cast<int>(std::clamp(measured_seconds / 3.0 / first, 1.0, 1000.0));
  for (int n = 0; n < 3; ++n) best = std::min(best, time(count));
  return best;
}

/// Seconds of an iteration of `solve(iterations)`, which returns how many it took: the time by which a longer solve
/// exceeds one of the `first` iterations. Both have whole cycles, at whose ends there is other work; a solve that
/// breaks down counts the cycles before. An `on_iteration` that counts iterations would cost agreements of processes.
template <class Solve>
double seconds_of_iteration(const Solve& solve, int first = 2, int cycle = 1) {
  const auto time = [&](int iterations) {
    const Kokkos::Timer timer;
    const int taken = solve(iterations);  // to its end, on a device as well
    require(taken == iterations,
            [&] { return fmt::format("a solve ended after {} iterations, before it could be timed", taken); });
    return timer.seconds();
  };
  constexpr int most_calls = 30;
  int calls = 0;
  tune_ahead([&] {
    if (calls++ < most_calls) solve(4);
  });
  const double about = time(first) / first;
  const int wanted = static_cast<int>(std::clamp(measured_seconds / 3.0 / about, 4.0, timed_iterations));
  const int possible = solve(first + (wanted + cycle - 1) / cycle * cycle);
  const int more = (possible - first) / cycle * cycle;
  require(more > 0, [&] {
    return fmt::format("a solve ended after {} iterations, before {} more than {} could be timed", possible, cycle,
                       first);
  });
  double few = std::numeric_limits<double>::infinity(), many = few;
  const int turns = static_cast<int>(std::clamp(measured_seconds / about / (5 * first + more), 3.0, 30.0));
  for (int n = 0; n < turns; ++n) {
    many = std::min(many, time(first + more));
    // The time that a busy machine adds to these would be missing in the iteration.
    for (int m = 0; m < 4; ++m) few = std::min(few, time(first));
  }
  return many > few ? (many - few) / more : many / (first + more);  // the second on a busy machine alone
}

/// A^-1 K in, of staggered quarks K in.
template <class S>
double seconds_of_hop(const PredictedQuark& quark, const Quark<double>& dirac, const SolveRung& rung) {
  const Ref<EvenOddOperator<S>> full = operator_of<S>(dirac, rung);
  SpinorParameters shape = full->domain();
  shape.subset = Subset::odd;
  SpinorField<S> in(full->lattice(), shape);
  shape.subset = Subset::even;
  SpinorField<S> out(full->lattice(), shape);
  set_gaussian(in, {.seed = 2});
  const SiteTerm term = quark.family().is_staggered() ? SiteTerm::none : SiteTerm::inverse;
  return seconds_of(full->lattice().execution(), [&] { full->hop(out, in, {.term = term}); });
}

template <class S>
double seconds_of_krylov(PredictedSolve of, const PredictedQuark& quark, const Quark<double>& dirac, SolveRung rung) {
  const Ref<LinearOperator<S>> system = system_of(operator_of<S>(dirac, rung), rung);
  SpinorField<S> b = system->make_field(1);
  std::vector<SpinorField<S>> x;
  std::vector<double> shifts;
  for (int s = 0; s < (of.has_shifts ? quark.shifts : 1); ++s) {
    x.push_back(system->make_field(1));
    shifts.push_back(0.001 * s);
  }
  set_gaussian(b, {.seed = 5});
  const auto solve = [&](int iterations) {
    blas::set_zero(x[0]);
    rung.bounds = SolverParameters{.tolerance = timing_tolerance, .max_iterations = iterations, .max_restarts = 0};
    if constexpr (!std::is_same_v<S, half>) {
      if (of.has_shifts) {
        const MultiShiftParameters of_all{.tolerance = timing_tolerance, .max_iterations = iterations};
        return MultiShiftCg<S>(system, shifts, of_all).solve(x, b).front().iterations();
      }
    }
    return krylov_solver<S, S>(rung, system, system)->solve(x[0], b).iterations();
  };
  const int space = GcrParameters().krylov_space;
  return of.method == KrylovMethod::gcr_dd ? seconds_of_iteration(solve, space, space) : seconds_of_iteration(solve);
}

Lattice whole_lattice(const Coordinates& extents) {
  return Lattice(LatticeParameters{.extents = extents, .process_grid = {1, 1, 1, 1}});
}

}  // namespace

double hop_seconds(const PredictedQuark& quark, const std::string& precision, const Lattice& lattice) {
  const Quark<double> dirac = timed_operator(quark, lattice, heavy_mass);
  const SolveRung rung = rung_of(PredictedSolve{KrylovMethod::cg}, quark, dirac, precision);
  return with_precision<double>(rung.precision, [&]<class S>() { return seconds_of_hop<S>(quark, dirac, rung); });
}

double krylov_seconds(PredictedSolve of, const PredictedQuark& quark, const std::string& precision,
                      const Lattice& lattice) {
  const double mass = of.method == KrylovMethod::gcr_dd ? slow_mass : heavy_mass;
  const Quark<double> dirac = timed_operator(quark, lattice, mass);
  const SolveRung rung = rung_of(of, quark, dirac, precision);
  return with_precision<double>(rung.precision,
                                [&]<class S>() { return seconds_of_krylov<S>(of, quark, dirac, rung); });
}

SolveOnField solve_once(PredictedSolve of, const PredictedQuark& quark, const std::string& precision,
                        const GaugeField<double>& links, const ProcessGrid& grid, const SetupChoice& choice) {
  const Quark<double> dirac = operator_on(quark, links);
  SolveRung rung = rung_of(of, quark, dirac, precision);
  const auto solve = [](const Solver<double>& by) -> SolveOnField {
    SpinorField<double> b = by.make_field(1), x = by.make_field(1);
    set_gaussian(b, {.seed = 5});
    const SolveResult result = by.solve(x, b);
    if (!result.converged()) return {};
    return {.iterations = static_cast<double>(result.iterations())};
  };
  if (of.method == KrylovMethod::multigrid) {
    if (grid.count() > 1) rung.multigrid.levels = levels_of(quark, links.lattice().extents(), grid, choice);
    const Multigrid<double> multigrid(dirac, rung.multigrid);
    SolveOnField found = solve(multigrid);
    found.choice.cycle_steps = multigrid.report().cycle_steps;
    if (quark.family().is_staggered()) found.choice.vectors = multigrid.report().levels.at(1).components / 2;
    return found;
  }
  // Blocks are those of the processes of the grid. The smallest of several shifts is zero, and has the iterations of
  // all.
  rung.schwarz.block = grid.local;
  return solve(*rung_solver(dirac, rung, system_of(dirac.exact(), rung)));
}

double copy_bytes_per_second() {
  const Lattice lattice = whole_lattice(on_device ? Coordinates{32, 32, 32, 32} : Coordinates{16, 16, 16, 16});
  SpinorField<double> from(lattice, {}), to(lattice, {});
  set_gaussian(from, {.seed = 1});
  const double bytes = 2.0 * 24.0 * sizeof(double) * static_cast<double>(lattice.volume());
  return bytes / seconds_of(lattice.execution(), [&] { blas::copy(to, from); });
}

std::vector<MultigridCoarsening> levels_of(const PredictedQuark& quark, const Coordinates& extents,
                                           const ProcessGrid& grid, const SetupChoice& choice) {
  return choose_levels_of_quarks(whole_lattice(extents), quark.family().is_staggered(), grid.processes, choice.vectors);
}

std::vector<double> multigrid_seconds(const PredictedQuark& quark, const Lattice& lattice,
                                      std::vector<MultigridCoarsening> levels, int cycle_steps, bool inverted) {
  const Quark<double> dirac = timed_operator(quark, lattice, heavy_mass);
  for (MultigridCoarsening& level : levels) level.bootstraps = 0;
  MultigridParameters parameters{
      .tolerance = 1e-12, .levels = levels, .cycle_steps = cycle_steps, .relaxation_steps = 2};
  if (!inverted) parameters.largest_inverse = 0;
  if (quark.precision != "half") parameters.smoothing = MultigridPrecision::single;
  const Multigrid<double> multigrid(dirac, parameters);
  SpinorField<double> b = dirac->make_field(1), x = dirac->make_field(1);
  set_gaussian(b, {.seed = 5});
  std::vector<double> found{seconds_of_iteration([&](int iterations) {
    blas::set_zero(x);
    return multigrid.solve(x, b, {.iterations = {iterations}}).iterations();
  })};
  for (const auto& level : multigrid.report().levels) found.push_back(level.share);
  return found;
}

LastLevel last_level(const PredictedQuark& quark, const Coordinates& extents, const ProcessGrid& grid,
                     const SetupChoice& choice) {
  Coordinates sites = extents;
  const auto coarsen = [&](const Coordinates& block) {
    for (std::size_t mu = 0; mu < 4; ++mu) sites[mu] /= block[mu];
  };
  double components = 12.0;
  if (quark.family().is_staggered()) {
    coarsen(hypercube);
    components = hypercube_components;
  }
  for (const MultigridCoarsening& level : levels_of(quark, extents, grid, choice)) {
    coarsen(level.block);
    components = 2.0 * level.vectors;
  }
  // Odd extents leave one parity, all of which is inverted.
  const double unknowns = components * static_cast<double>(volume_of(sites)) / parities_of(sites);
  return {unknowns, unknowns <= MultigridParameters().largest_inverse};
}

}  // namespace kaon::detail
