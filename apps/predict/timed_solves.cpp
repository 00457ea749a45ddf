// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/predict/timed_solves.hpp"

#include "core/base/parts.hpp"
#include "core/lattice/coarse_lattice.hpp"
#include "multigrid/staggered/hypercube.hpp"
#include "multigrid/staggered/staggered_levels.hpp"
#include "operators/stencil_list.hpp"
#include "quarks/normal_on_parity.hpp"
#include "solvers/contract/timing_tolerance.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>
#include <kaon/gauge/initial_links.hpp>
#include <kaon/gauge/unitarity.hpp>
#include <kaon/multigrid/multigrid.hpp>
#include <kaon/operators/improved_staggered.hpp>
#include <kaon/operators/normal.hpp>
#include <kaon/operators/schur.hpp>
#include <kaon/solvers/bicgstab.hpp>
#include <kaon/solvers/cg.hpp>
#include <kaon/solvers/gcr.hpp>
#include <kaon/solvers/in_precision.hpp>
#include <kaon/solvers/multi_shift_cg.hpp>
#include <kaon/solvers/schwarz.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace kaon::apps {
namespace {

constexpr int warm_up = 2;
/// Seconds of one measurement, where iterations are shorter; on a device they are.
constexpr double measured_seconds = on_device ? 0.05 : 0.3;

/// Of quarks that are timed: heavy.
constexpr double heavy_mass = 0.1;
/// Of GCR-DD's: the spectrum surrounds zero, and residuals fall as slowly as those of light quarks. Where blocks solve
/// almost all of a system, GCR takes its products twice, which a light quark has no need of.
constexpr double slow_mass = -1.0;

template <class S>
Ref<EvenOddOperator<S>> in_precision(const Quark<double>& dirac) {
  if constexpr (std::is_same_v<S, double>) return dirac.exact();
  return dirac.in<S>(dirac.compressed_links(), HaloPrecision::field);
}

/// Operators of solvers in the precision S: the system on one parity, and its normal operator.
template <class S>
struct Systems {
  Ref<EvenOddOperator<S>> full;
  Ref<EvenOddSystem<S>> reduced;
  Ref<LinearOperator<S>> normal;

  explicit Systems(const Quark<double>& dirac)
      : full(in_precision<S>(dirac)), reduced(reduced_of(full)), normal(normal_of(reduced)) {}
  Ref<Schur<S>> schur() const { return {reduced, dynamic_cast<const Schur<S>&>(*reduced)}; }

 private:
  static bool is_staggered(const EvenOddOperator<S>& full) { return full.domain().spins == 1; }
  static Ref<EvenOddSystem<S>> reduced_of(const Ref<EvenOddOperator<S>>& full) {
    if (is_staggered(*full)) return detail::normal_on_parity(full, Parity::even);
    return Schur<S>(full, {.form = full->suits_asymmetric_form() ? SchurForm::asymmetric : SchurForm::symmetric});
  }
  static Ref<LinearOperator<S>> normal_of(const Ref<EvenOddSystem<S>>& reduced) {
    if (is_staggered(reduced->full())) return reduced;
    return NormalOperator<S>(reduced);
  }
};

/// `body.operator()<S>()` in the precision of that name.
template <class Body>
auto with_precision(const std::string& precision, const Body& body) {
  if (precision == "double") return body.template operator()<double>();
  if (precision == "single") return body.template operator()<float>();
  return body.template operator()<half>();
}

/// The operator that is timed, on links that are close to 1.
Quark<double> timed_operator(const PredictedQuark& quark, const Lattice& lattice, double mass) {
  GaugeField<double> links(lattice);
  set_weak(links, 0.2, {.seed = 1});
  FermionParameters physics = quark.physics;
  physics.mass = mass;
  if constexpr (detail::Parts::staggered) {
    // Fat and third links take as long whatever their values are.
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
  body();  // kernels are tuned
  const double first = time(1);
  const int count = static_cast<int>(std::clamp(measured_seconds / 3.0 / first, 1.0, 1000.0));
  for (int n = 0; n < 3; ++n) best = std::min(best, time(count));
  return best;
}

/// Seconds of an iteration of `solve(iterations)`, which returns how many it took: by how much a longer solve takes
/// longer than one of the `first` iterations. Both have whole cycles, at whose ends there is other work: of a solve
/// that breaks down those before. An `on_iteration` that tells of iterations would cost agreements of processes.
template <class Solve>
double seconds_of_iteration(const Solve& solve, int first = 2, int cycle = 1) {
  const auto time = [&](int iterations) {
    const Kokkos::Timer timer;
    const int taken = solve(iterations);  // to its end, on a device as well
    require(taken == iterations,
            [&] { return fmt::format("a solve ended after {} iterations, before it could be timed", taken); });
    return timer.seconds();
  };
  solve(2);  // kernels are tuned
  solve(4);
  const double about = time(first) / first;
  const int wanted = static_cast<int>(std::clamp(measured_seconds / 3.0 / about, 4.0, 100.0));
  const int possible = solve(first + (wanted + cycle - 1) / cycle * cycle);
  const int more = (possible - first) / cycle * cycle;
  require(more > 0, [&] {
    return fmt::format("a solve ended after {} iterations, before {} more than {} could be timed", possible, cycle,
                       first);
  });
  double few = std::numeric_limits<double>::infinity(), many = few;
  for (int n = 0; n < 3; ++n) {
    many = std::min(many, time(first + more));
    // The time that a busy machine adds to these would be missing in the iteration.
    for (int m = 0; m < 4; ++m) few = std::min(few, time(first));
  }
  return many > few ? (many - few) / more : many / (first + more);  // the second on a busy machine alone
}

/// A^-1 K in, of staggered quarks K in.
template <class S>
double seconds_of_hop(const PredictedQuark& quark, const Lattice& lattice) {
  const Ref<EvenOddOperator<S>> full = in_precision<S>(timed_operator(quark, lattice, heavy_mass));
  SpinorParameters shape = full->domain();
  shape.subset = Subset::odd;
  SpinorField<S> in(lattice, shape);
  shape.subset = Subset::even;
  SpinorField<S> out(lattice, shape);
  set_gaussian(in, {.seed = 2});
  const SiteTerm term = quark.family().is_staggered() ? SiteTerm::none : SiteTerm::inverse;
  return seconds_of(lattice.execution(), [&] { full->hop(out, in, {.term = term}); });
}

template <class S>
double seconds_of_krylov(PredictedSolver solver, const PredictedQuark& quark, const Lattice& lattice) {
  const bool by_blocks = solver == PredictedSolver::gcr_dd;
  const Systems<S> systems(timed_operator(quark, lattice, by_blocks ? slow_mass : heavy_mass));
  SpinorField<S> b = systems.reduced->make_field(1);
  std::vector<SpinorField<S>> x;
  std::vector<double> shifts;
  for (int s = 0; s < (solver == PredictedSolver::multi_shift ? quark.shifts : 1); ++s) {
    x.push_back(systems.reduced->make_field(1));
    shifts.push_back(0.001 * s);
  }
  set_gaussian(b, {.seed = 5});
  const auto solve = [&](int iterations) {
    blas::set_zero(x[0]);
    const SolverParameters bounds{
        .tolerance = detail::timing_tolerance, .max_iterations = iterations, .max_restarts = 0};
    if (solver == PredictedSolver::bicgstab) return BiCgStab<S>(systems.reduced, bounds).solve(x[0], b).iterations();
    if constexpr (!std::is_same_v<S, half>) {
      if (solver == PredictedSolver::multi_shift) {
        const MultiShiftParameters of_all{.tolerance = detail::timing_tolerance, .max_iterations = iterations};
        return MultiShiftCg<S>(systems.normal, shifts, of_all).solve(x, b).front().iterations();
      }
    }
    if (!by_blocks) return Cg<S>(systems.normal, bounds).solve(x[0], b).iterations();
    const Schwarz<S> blocks(systems.schur(), {.steps = quark.schwarz_steps});
    return Gcr<S>(systems.reduced, blocks, {.solve = bounds}).solve(x[0], b).iterations();
  };
  const int space = GcrParameters().krylov_space;
  return by_blocks ? seconds_of_iteration(solve, space, space) : seconds_of_iteration(solve);
}

/// As `PropagatorSolver` takes it.
template <class S>
constexpr MultigridPrecision smoothing_in =
    std::is_same_v<S, half> ? MultigridPrecision::half : MultigridPrecision::single;

template <class S>
SolveResult solve_in(PredictedSolver solver, const PredictedQuark& quark, const GaugeField<double>& links,
                     const ProcessGrid& grid) {
  const Quark<double> dirac = operator_on(quark, links);
  const auto solve = [](const Solver<double>& made) {
    SpinorField<double> b = made.make_field(1), x = made.make_field(1);
    set_gaussian(b, {.seed = 5});
    return made.solve(x, b);
  };
  if (solver == PredictedSolver::multigrid) {
    return solve(Multigrid<double>(dirac, {.tolerance = quark.tolerance,
                                           .levels = levels_of(quark, links.lattice().extents(), grid),
                                           .smoothing = smoothing_in<S>}));
  }
  const Systems<double> exact(dirac);
  const Systems<S> inner(dirac);
  const SolverParameters bounds{.tolerance = quark.tolerance};
  if (solver == PredictedSolver::bicgstab) return solve(BiCgStab<double, S>(exact.reduced, inner.reduced, bounds));
  // The smallest of several shifts is zero here, and takes the iterations of all.
  if (solver == PredictedSolver::cg || solver == PredictedSolver::multi_shift) {
    return solve(Cg<double, S>(exact.normal, inner.normal, bounds));
  }
  // As `PropagatorSolver` makes it, with blocks of the processes of the grid.
  const Schwarz<S> blocks(inner.schur(), {.block = grid.local, .steps = quark.schwarz_steps});
  if constexpr (std::is_same_v<S, double>) {
    return solve(Gcr<double>(exact.reduced, blocks, {.solve = bounds}));
  } else {
    const Gcr<S> gcr(inner.reduced, blocks, {.solve = {.tolerance = 0.1}});
    return solve(InPrecision<double, S>(exact.reduced, gcr, {.tolerance = quark.tolerance, .max_refinements = 100}));
  }
}

Lattice whole_lattice(const Coordinates& extents) {
  return Lattice(LatticeParameters{.extents = extents, .process_grid = {1, 1, 1, 1}});
}

}  // namespace

double hop_seconds(const PredictedQuark& quark, const std::string& precision, const Lattice& lattice) {
  return with_precision(precision, [&]<class S>() { return seconds_of_hop<S>(quark, lattice); });
}

double krylov_seconds(PredictedSolver solver, const PredictedQuark& quark, const std::string& precision,
                      const Lattice& lattice) {
  return with_precision(precision, [&]<class S>() { return seconds_of_krylov<S>(solver, quark, lattice); });
}

SolveResult solve_once(PredictedSolver solver, const PredictedQuark& quark, const std::string& precision,
                       const GaugeField<double>& links, const ProcessGrid& grid) {
  return with_precision(precision, [&]<class S>() { return solve_in<S>(solver, quark, links, grid); });
}

double copy_bytes_per_second() {
  const Lattice lattice = whole_lattice(on_device ? Coordinates{32, 32, 32, 32} : Coordinates{16, 16, 16, 16});
  SpinorField<double> from(lattice, {}), to(lattice, {});
  set_gaussian(from, {.seed = 1});
  const double bytes = 2.0 * 24.0 * sizeof(double) * static_cast<double>(lattice.volume());
  return bytes / seconds_of(lattice.execution(), [&] { blas::copy(to, from); });
}

std::vector<MultigridCoarsening> levels_of(const PredictedQuark& quark, const Coordinates& extents,
                                           const ProcessGrid& grid) {
  return detail::choose_levels_of_quarks(whole_lattice(extents), quark.family().is_staggered(), grid.processes);
}

std::vector<double> multigrid_seconds(const PredictedQuark& quark, const Lattice& lattice,
                                      std::vector<MultigridCoarsening> levels, bool inverted) {
  const Quark<double> dirac = timed_operator(quark, lattice, heavy_mass);
  for (MultigridCoarsening& level : levels) level.bootstraps = 0;
  MultigridParameters parameters{.tolerance = 1e-12, .levels = levels, .cycle_steps = 1, .relaxation_steps = 2};
  if (!inverted) parameters.largest_inverse = 0;
  parameters.smoothing = with_precision(quark.precision, []<class S>() { return smoothing_in<S>; });
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

LastLevel last_level(const PredictedQuark& quark, const Coordinates& extents, const ProcessGrid& grid) {
  Coordinates sites = extents;
  const auto coarsen = [&](const Coordinates& block) {
    for (std::size_t mu = 0; mu < 4; ++mu) sites[mu] /= block[mu];
  };
  double components = 12.0;
  if (quark.family().is_staggered()) {
    coarsen(detail::hypercube);
    components = detail::hypercube_components;
  }
  for (const MultigridCoarsening& level : levels_of(quark, extents, grid)) {
    coarsen(level.block);
    components = 2.0 * level.vectors;
  }
  // Odd extents leave one parity, all of which is inverted.
  const double unknowns = components * static_cast<double>(volume_of(sites)) / detail::parities_of(sites);
  return {unknowns, unknowns <= MultigridParameters().largest_inverse};
}

}  // namespace kaon::apps
