// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/hierarchy.hpp"

#include "core/fields/recycled_memory.hpp"
#include "core/fields/temporaries.hpp"
#include "multigrid/coarse_operator.hpp"
#include "multigrid/exact_inverse.hpp"
#include "multigrid/galerkin.hpp"
#include "multigrid/geometry.hpp"
#include "multigrid/near_null_vectors.hpp"
#include "multigrid/orthonormalize.hpp"
#include "multigrid/whole_system.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>
#include <kaon/core/random.hpp>
#include <kaon/operators/schur.hpp>
#include <kaon/solvers/gcr.hpp>
#include <kaon/solvers/mr.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <list>
#include <utility>

namespace kaon::detail {
namespace {

/// Right-hand sides of a cycle in the setup.
constexpr int batch = 8;

// The probe that measures convergence: right-hand sides, and the iterations between which it does.
constexpr int probes = 2, probe_from = 2, probe_to = 6;
/// Part of the source at which the probe ends: the next iterations would measure the rounding of T.
template <class T>
constexpr double end_of_probe = 8.0 * std::numeric_limits<T>::epsilon();
// Convergence: the factor by which an iteration brings the residual down.
/// With a smaller factor no further bootstrap is made.
constexpr double good_convergence = 0.2;
/// A bootstrap that does not raise -ln of the factor by this part is the last.
constexpr double least_gain = 0.1;
/// `good_convergence` where vectors are given. A setup from noise ends near this factor as a rule.
constexpr double good_convergence_of_given = 0.4;
/// Bootstraps of noise before the first probe.
constexpr int first_bootstraps = 2;
/// With a larger factor given vectors are dropped, and the setup begins with relaxed noise; and bootstraps go on,
/// whatever the last one has gained.
constexpr double bad_convergence = 0.6;
/// Bootstraps of the vectors below the first level. As a rule R v_j are good enough (docs/decisions.md 19); where
/// convergence is bad after `patience` bootstraps of the first level, they are not (docs/decisions.md 24).
constexpr int patience = 4, lower_bootstraps_where_bad = 2;

/// Steps of GCR on levels between the first and the last, in the setup.
constexpr int setup_cycle_steps = 2;
/// A V-cycle is taken if its -ln of the factor is at least this part of that of the K-cycle. It costs 0.75 of the time
/// with one right-hand side and 0.93 with twelve (16^3x32 on an H200).
constexpr double least_rate_of_v_cycle = 0.85;

// The last level where it is too large for its inverse.
constexpr double bottom_tolerance = 0.1;
constexpr int bottom_iterations = 64;
/// |S z - s| / |s| up to which an inverse serves the last level.
constexpr double largest_bottom_error = 1e-3;

CoarseLinkPrecision link_precision(MultigridPrecision precision) {
  return precision == MultigridPrecision::half ? CoarseLinkPrecision::half : CoarseLinkPrecision::field;
}

/// Of fields in T: those in double keep V in double.
template <class T>
BasisPrecision basis_precision(MultigridPrecision precision) {
  const bool rounded = precision == MultigridPrecision::half && std::is_same_v<T, float>;
  return rounded ? BasisPrecision::half : BasisPrecision::field;
}

void require_parameters(const MultigridParameters& parameters) {
  const auto at_least = [](int value, int least, const char* what) {
    require(value >= least, [&] { return fmt::format("multigrid needs at least {} {}, got {}", least, what, value); });
  };
  at_least(parameters.smoothing_steps, 1, "smoothing steps");
  at_least(parameters.cycle_steps.value_or(1), 1, "steps of a cycle");
  at_least(parameters.krylov_space, 1, "directions of GCR");
  at_least(parameters.relaxation_steps, 1, "relaxation steps");
  at_least(parameters.max_bootstraps, 0, "bootstraps");
  at_least(parameters.max_iterations, 1, "iterations");
  require_tolerance(parameters.tolerance);
}

/// Factor by which an iteration of the probe brings right-hand side k down to `end`, or as far as it got; 1 where the
/// solver has given up. The first iterations count where there are no others.
double factor_of(const SolveResult& probe, std::size_t k, double end) {
  const int last = probe.right_hand_sides[k].iterations, first = last > probe_from ? probe_from : 0;
  const auto residual_after = [&](int iterations) {
    return iterations == 0 ? 1.0 : probe.history[static_cast<std::size_t>(iterations) - 1][k];
  };
  if (last < probe_to && !(residual_after(last) <= end)) return 1.0;
  const double factor = std::pow(residual_after(last) / residual_after(first), 1.0 / (last - first));
  return std::isfinite(factor) ? factor : 1.0;
}

/// That `given` can be the vectors of the first level.
void require_vectors(const SpinorField<float>& given, const Lattice& fine, int vectors) {
  require(given.lattice() == fine, [&] {
    return fmt::format(
        "the given near-null vectors are on another lattice ({}, {} on each process) than the operator ({}, {}): give "
        "vectors on the operator's lattice",
        to_string(given.lattice().extents()), to_string(given.lattice().local_extents()), to_string(fine.extents()),
        to_string(fine.local_extents()));
  });
  require(given.subset() == Subset::full && given.spins() == 4 && given.colors() == colors, [&] {
    return fmt::format(
        "the given near-null vectors have {} spins and {} colours on {}: give fields of 4 spins and 3 colours on all "
        "sites",
        given.spins(), given.colors(), given.subset() == Subset::full ? "all sites" : "one parity");
  });
  require(given.right_hand_sides() >= vectors, [&] {
    return fmt::format(
        "{} near-null vectors are given, but the first level of multigrid takes {}: give as many, or fewer for the "
        "first of `levels`",
        given.right_hand_sides(), vectors);
  });
}

}  // namespace

template <class T>
Hierarchy<T>::Hierarchy(Ref<EvenOddOperator<T>> fine, const std::optional<Ref<EvenOddOperator<half>>>& rounded,
                        const MultigridParameters& parameters)
    : parameters_(parameters),
      coarsenings_(parameters.levels.empty() ? choose_levels(fine->lattice()) : parameters.levels),
      cycle_steps_(parameters.cycle_steps.value_or(setup_cycle_steps)) {
  require(fine->domain().spins == 4, "multigrid coarsens Wilson-like operators, whose fields have 4 spins");
  require_parameters(parameters);
  require_levels(fine->lattice(), coarsenings_);
  if (parameters.near_null_vectors) {
    require_vectors(*parameters.near_null_vectors, fine->lattice(), coarsenings_.front().vectors);
  }
  Kokkos::Timer timer;
  // The levels that are built one after the other take the memory of those before.
  std::list<RecyclingScope> scopes;
  scopes.emplace_back(fine->lattice());
  for (const MultigridCoarsening& coarsening : coarsenings_) {
    aggregations_.emplace_back(aggregations_.empty() ? fine->lattice() : aggregations_.back().coarse(),
                               coarsening.block);
    scopes.emplace_back(aggregations_.back().coarse());
  }
  try {
    build(fine, rounded);
  } catch (...) {  // there is no destructor's turn
    levels_.clear();
    fine->lattice().release_memory();
    throw;
  }
  fine->lattice().execution().fence("kaon::multigrid setup");
  report_.setup_seconds = timer.seconds();
  complete_report();
  for (int level = 0; level < levels(); ++level) of(level).matrix->lattice().release_memory();
}

template <class T>
void Hierarchy<T>::build(const Ref<EvenOddOperator<T>>& fine,
                         const std::optional<Ref<EvenOddOperator<half>>>& rounded) {
  add_level(fine);
  if (rounded) {
    of(0).smoother = Rounded<T, half>(
        Ref<LinearOperator<half>>(Mr<half>(Ref<LinearOperator<half>>(Schur<half>(*rounded)),
                                           {.omega = parameters_.omega, .steps = parameters_.smoothing_steps})));
  }
  set_up(0, nullptr);
  parameters_.near_null_vectors.reset();
  choose_cycle();
  report_.convergence = convergence();
  report_.cycle_steps = cycle_steps_;
}

template <class T>
Hierarchy<T>::~Hierarchy() {
  levels_.clear();
  aggregations_.front().fine().release_memory();
}

template <class T>
const LinearOperator<T>& Hierarchy<T>::cycle(int level) const {
  if (is_last(level)) return **of(level).solver;
  return *of(level).cycle;
}

template <class T>
void Hierarchy<T>::add_level(const Ref<EvenOddOperator<T>>& matrix) {
  const int level = levels();
  levels_.push_back(std::make_unique<Level>(Level{matrix, make_system<T>(matrix)}));
  if (is_last(level)) return;
  of(level).smoother = Mr<T>(*of(level).system, {.omega = parameters_.omega, .steps = parameters_.smoothing_steps});
}

template <class T>
void Hierarchy<T>::set_up(int level, const SpinorField<T>* above) {
  if (is_last(level)) return make_bottom(level);
  SpinorParameters shape = of(level).matrix->domain();
  shape.right_hand_sides = coarsening(level).vectors;
  Temporaries<T> fields(of(level).matrix->lattice(), shape, 1);
  SpinorField<T>& vectors = fields[0];
  begin_vectors(level, vectors, above);
  build_next(level, vectors);
  if (level == 0 && given_vectors_are_bad()) {
    parameters_.near_null_vectors.reset();
    begin_vectors(level, vectors, nullptr);
    build_next(level, vectors);
  }

  int most = coarsening(level).bootstraps.value_or(level == 0 ? parameters_.max_bootstraps : lower_bootstraps_);
  double rate = 0.0;
  if (level == 0 && !is_worth_another(0, rate)) return;
  for (int step = 1; step <= most; ++step) {
    bootstrap(level, vectors);
    build_next(level, vectors);
    if (level > 0) continue;
    report_.bootstraps = step;
    if (!is_worth_another(step, rate)) break;
    if (step == patience && improve_lower_levels()) most += parameters_.max_bootstraps;
  }
}

template <class T>
bool Hierarchy<T>::improve_lower_levels() {
  if (coarsening(0).bootstraps || levels() < 3 || convergence() <= bad_convergence) return false;
  lower_bootstraps_ = lower_bootstraps_where_bad;
  tell("convergence is bad: from now on the lower levels bootstrap their vectors, too");
  return true;
}

template <class T>
void Hierarchy<T>::begin_vectors(int level, SpinorField<T>& vectors, const SpinorField<T>* above) const {
  int first = 0;
  if (level == 0 && parameters_.near_null_vectors) {
    first = vectors.right_hand_sides();
    blas::copy(vectors, parameters_.near_null_vectors->range(0, first));
  } else if (above != nullptr) {
    first = above->right_hand_sides();
    SpinorField<T> begin = vectors.range(0, first);
    blas::copy(begin, *above);
  }
  relax_noise(level, vectors, first);
}

template <class T>
bool Hierarchy<T>::given_vectors_are_bad() {
  if (!parameters_.near_null_vectors || coarsening(0).bootstraps) return false;
  if (convergence() <= bad_convergence) return false;
  tell(fmt::format("given vectors: an iteration brings the residual down to {:.3f} of it: beginning with noise instead",
                   convergence()));
  return true;
}

template <class T>
bool Hierarchy<T>::is_worth_another(int step, double& rate) {
  const bool noise = !parameters_.near_null_vectors;
  const std::string name = step > 0 ? fmt::format("bootstrap {}", step) : noise ? "relaxed noise" : "given vectors";
  const std::string pivot = fmt::format("{}: smallest pivot {:.1e}", name, of(0).transfer->smallest_pivot());
  if (coarsening(0).bootstraps || (noise && step < first_bootstraps)) {
    tell(pivot);
    return true;
  }
  tell(fmt::format("{}, an iteration brings the residual down to {:.3f} of it", pivot, convergence()));
  const double last = std::exchange(rate, -std::log(convergence()));
  if (convergence() < (noise ? good_convergence : good_convergence_of_given)) return false;
  if (convergence() > bad_convergence) return true;  // a step may gain nothing before those that do
  return rate >= (1.0 + least_gain) * last;
}

template <class T>
SpinorField<T> Hierarchy<T>::near_null_vectors() const {
  SpinorField<T> vectors = of(0).matrix->make_field(coarsening(0).vectors);
  of(0).transfer->prolong(vectors, of(0).restricted[0]);
  return vectors;
}

template <class T>
void Hierarchy<T>::relax_noise(int level, SpinorField<T>& vectors, int first) const {
  const EvenOddSystem<T>& system = *of(level).system;
  const Mr<T> relaxation(system, {.steps = parameters_.relaxation_steps});
  for (int begin = first; begin < vectors.right_hand_sides(); begin += batch) {
    SpinorField<T> v = vectors.range(begin, std::min(batch, vectors.right_hand_sides() - begin));
    set_gaussian(v, {.seed = parameters_.seed, .stream = static_cast<std::uint32_t>(1000 * level + begin)});
    relax(v, system, relaxation);
  }
}

template <class T>
void Hierarchy<T>::build_next(int level, const SpinorField<T>& vectors) {
  convergence_.reset();
  levels_.resize(static_cast<std::size_t>(level) + 1);
  Level& above = of(level);
  above.cycle.reset();
  above.transfer.reset();
  above.transfer = std::make_unique<Transfer<T>>(aggregation(level), vectors, basis_precision<T>(parameters_.vectors));
  {
    const GalerkinMatrices<T> matrices = galerkin(*above.matrix, *above.transfer);
    CoarseOperator<T> coarse(matrices.x(), matrices.y(), link_precision(parameters_.coarse_links));
    require(coarse.singular_sites() == 0, [&] {
      return fmt::format("multigrid level {}: the site term is singular on {} sites; take other blocks or another mass",
                         level + 1, coarse.singular_sites());
    });
    add_level(std::move(coarse));
  }
  SpinorParameters parameters = above.transfer->coarse_domain();
  parameters.right_hand_sides = vectors.right_hand_sides();
  SpinorField<T>& restricted = above.restricted.provide(aggregation(level).coarse(), parameters, 1)[0];
  above.transfer->restrict(restricted, vectors);
  set_up(level + 1, &restricted);
  make_cycle(level);
}

template <class T>
void Hierarchy<T>::make_cycle(int level) {
  Level& above = of(level);
  const Level& next = of(level + 1);
  above.cycle = std::make_unique<Cycle<T>>(
      *above.system, CoarseCorrection<T>{*above.transfer, *next.system, **next.solver}, *above.smoother);
  if (level == 0) return;
  if (cycle_steps_ == 1) {
    above.solver = Ref<LinearOperator<T>>(*above.cycle);
  } else {
    above.solver = Gcr<T>(*above.system, *above.cycle, {.krylov_space = cycle_steps_, .steps = cycle_steps_});
  }
}

template <class T>
void Hierarchy<T>::set_cycle_steps(int steps) {
  cycle_steps_ = steps;
  convergence_.reset();
  for (int level = levels() - 2; level >= 0; --level) make_cycle(level);
}

template <class T>
void Hierarchy<T>::choose_cycle() {
  if (parameters_.cycle_steps || levels() < 3) return;
  const double k_cycle = convergence();
  set_cycle_steps(1);
  tell(fmt::format("a V-cycle brings the residual down to {:.3f} of it, a K-cycle to {:.3f}", convergence(), k_cycle));
  if (std::log(convergence()) > least_rate_of_v_cycle * std::log(k_cycle)) set_cycle_steps(setup_cycle_steps);
}

template <class T>
void Hierarchy<T>::bootstrap(int level, SpinorField<T>& vectors) {
  const EvenOddSystem<T>& system = *of(level).system;
  // v_j = P b_j, and P^dag P = 1: the v_j are orthonormal where the b_j are, which have far fewer numbers.
  SpinorField<T>& restricted = of(level).restricted[0];
  orthonormalize(restricted);
  of(level).transfer->prolong(vectors, restricted);
  for (int begin = 0; begin < vectors.right_hand_sides(); begin += batch) {
    SpinorField<T> v = vectors.range(begin, std::min(batch, vectors.right_hand_sides() - begin));
    SpinorField<T> v_p = v.parity(system.parity());
    Temporaries<T> source(v_p.lattice(), v_p.parameters(), 1);
    system.prepare(source[0], v);
    cycle(level).apply(v_p, source[0]);
    system.reconstruct(v, v);
  }
  normalize(vectors);
}

template <class T>
void Hierarchy<T>::make_bottom(int level) {
  Level& bottom = of(level);
  if (ExactInverse<T>::fits(*bottom.system)) {
    ExactInverse<T> inverse(*bottom.system);
    report_.bottom_error = inverse.error();
    report_.exact_bottom = inverse.error() <= largest_bottom_error;
    if (report_.exact_bottom) {
      bottom.solver = std::move(inverse);
      return;
    }
  }
  bottom.solver = Gcr<T>(
      *bottom.system,
      {.tolerance = bottom_tolerance, .max_iterations = bottom_iterations, .krylov_space = bottom_iterations / 2});
}

template <class T>
double Hierarchy<T>::convergence() {
  if (!convergence_) convergence_ = measure_convergence();
  return *convergence_;
}

template <class T>
double Hierarchy<T>::measure_convergence() const {
  const EvenOddSystem<T>& system = *of(0).system;
  SpinorParameters shape = system.domain();
  shape.right_hand_sides = probes;
  Temporaries<T> fields(system.lattice(), shape, 2);
  SpinorField<T>&x = fields[0], &b = fields[1];
  set_gaussian(b, {.seed = parameters_.seed, .stream = 999'999});
  const Gcr<T> solver(system, cycle(),
                      {.tolerance = end_of_probe<T>,
                       .max_iterations = probe_to,
                       .krylov_space = probe_to,
                       .max_restarts = 0,
                       .keep_history = true});
  const SolveResult result = solver.solve(x, b);
  double worst = 0.0;
  for (std::size_t k = 0; k < probes; ++k) worst = std::max(worst, factor_of(result, k, end_of_probe<T>));
  return worst;
}

template <class T>
double Hierarchy<T>::seconds_of(int level) const {
  const LinearOperator<T>& solver = level == 0 ? cycle() : **of(level).solver;
  const EvenOddSystem<T>& system = *of(level).system;
  SpinorField<T> x = system.make_field(probes), b = system.make_field(probes);
  set_gaussian(b, {.seed = parameters_.seed, .stream = 999'999});
  solver.apply(x, b);  // kernels are tuned on first use
  const Execution& execution = system.lattice().execution();
  execution.fence("kaon::multigrid share");
  Kokkos::Timer timer;
  solver.apply(x, b);
  execution.fence("kaon::multigrid share");
  double seconds[] = {timer.seconds()};
  system.lattice().communicator().maximum(seconds);
  return seconds[0];
}

template <class T>
void Hierarchy<T>::complete_report() {
  std::vector<double> seconds;
  for (int level = 0; level < levels(); ++level) seconds.push_back(seconds_of(level));
  double calls = 1.0;  // of the solver of a level in a cycle of the first
  for (int level = 0; level < levels(); ++level) {
    const auto l = static_cast<std::size_t>(level);
    const double steps = level == 0 ? 1.0 : cycle_steps_;  // each asks the next level once
    const double below = is_last(level) ? 0.0 : steps * seconds[l + 1];
    MultigridReport::Level entry;
    entry.share = std::max(0.0, calls * (seconds[l] - below) / seconds[0]);
    calls *= steps;
    entry.extents = of(level).matrix->lattice().extents();
    entry.components = of(level).matrix->domain().components();
    if (!is_last(level)) {
      entry.block = coarsening(level).block;
      entry.smallest_pivot = of(level).transfer->smallest_pivot();
      entry.replaced = of(level).transfer->replaced();
    }
    report_.levels.push_back(entry);
  }
}

template <class T>
void Hierarchy<T>::tell(const std::string& progress) const {
  if (parameters_.on_setup) parameters_.on_setup(progress);
}

template class Hierarchy<double>;
template class Hierarchy<float>;

}  // namespace kaon::detail
