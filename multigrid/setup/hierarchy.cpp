// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/setup/hierarchy.hpp"

#include "core/fields/recycled_memory.hpp"
#include "core/fields/temporaries.hpp"
#include "core/lattice/workspace.hpp"
#include "multigrid/coarse/coarse_operator.hpp"
#include "multigrid/coarse/exact_inverse.hpp"
#include "multigrid/coarse/whole_system.hpp"
#include "multigrid/setup/geometry.hpp"
#include "multigrid/setup/parameter_checks.hpp"
#include "multigrid/setup/relaxation.hpp"
#include "multigrid/setup/report.hpp"
#include "multigrid/transfer/galerkin.hpp"
#include "multigrid/transfer/near_null_vectors.hpp"
#include "multigrid/transfer/orthonormalize.hpp"

#include <kaon/comm/energy.hpp>
#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>
#include <kaon/core/random.hpp>
#include <kaon/solvers/gcr.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <list>
#include <utility>

namespace kaon::detail {
namespace {

/// Right-hand sides of a cycle in the setup.
constexpr int batch = 8;

/// Steps of GCR on levels between the first and the last, in the setup.
constexpr int setup_cycle_steps = 2;
// The last level where it is too large for its inverse: of GCR, or of polynomials of this degree one after the other.
constexpr double bottom_tolerance = 0.1;
constexpr int bottom_iterations = 64, bottom_degree = 6;
/// Fixed weights are those for residuals of so many right-hand sides after so many iterations, or where they are
/// this part of their noise.
constexpr int weighed_right_hand_sides = 2, weighed_after = 5, weighed_noise = 999'998;
template <class T>
constexpr double least_weighed = 8.0 * std::numeric_limits<T>::epsilon();
/// Noise is relaxed by polynomials of this degree, one after the other: the next is that for what those before have
/// left.
constexpr int relaxation_degree = 6;
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

/// Calls f(right-hand sides of a batch, number of the first) for those of `vectors` from `first` on.
template <class T, class F>
void for_each_batch(SpinorField<T>& vectors, int first, const F& f) {
  for (int begin = first; begin < vectors.right_hand_sides(); begin += batch) {
    SpinorField<T> v = vectors.range(begin, std::min(batch, vectors.right_hand_sides() - begin));
    f(v, begin);
  }
}

/// Adds the weights of `degree` more steps of Richardson's method. The residuals r are those of the steps before, on
/// return those of these steps. False if there are no weights.
template <class T>
bool add_weights(Weights& weights, const EvenOddSystem<T>& system, SpinorField<T>& r, int degree) {
  const Weights more = richardson_weights(system, r, degree);
  weights.insert(weights.end(), more.begin(), more.end());
  return !more.empty();
}

std::string sentence_of(const std::string& name, double smallest_pivot, std::optional<double> convergence) {
  const std::string pivot = fmt::format("{}: smallest pivot {:.1e}", name, smallest_pivot);
  if (!convergence) return pivot;
  return fmt::format("{}, an iteration brings the residual down to {:.3f} of it", pivot, *convergence);
}

}  // namespace

template <class T>
Hierarchy<T>::Hierarchy(Ref<EvenOddOperator<T>> fine, MakeSmoother<T> make_smoother,
                        const MultigridParameters& parameters, const std::vector<MultigridCoarsening>& wide_levels)
    : parameters_(parameters),
      make_smoother_(std::move(make_smoother)),
      coarsenings_(parameters.levels.empty() ? choose_levels(fine->lattice(), fine->domain().components())
                                             : parameters.levels),
      cycle_steps_(parameters.cycle_steps.value_or(setup_cycle_steps)),
      policy_(parameters.near_null_vectors ? VectorOrigin::given : VectorOrigin::noise, coarsenings_.front().bootstraps,
              parameters.max_bootstraps, parameters.levels.empty() && !wide_levels.empty()) {
  static_cast<void>(coarsenable(*fine));
  require(fine->domain().slices == 1, "multigrid coarsens operators on fields of one slice");
  require_parameters(parameters);
  require_levels(fine->lattice(), coarsenings_, fine->domain().components());
  if (parameters.near_null_vectors) {
    require_vectors(*parameters.near_null_vectors, fine->lattice(), fine->domain(), coarsenings_.front().vectors);
  }
  const EnergyMeter meter(fine->lattice().communicator());
  Kokkos::Timer timer;
  aggregate(fine->lattice());
  try {
    build(fine, wide_levels);
  } catch (...) {  // the destructor of an unfinished object does not run
    drop_levels();
    throw;
  }
  fine->lattice().execution().fence("kaon::multigrid setup");
  report_.setup_seconds = timer.seconds();
  add_seconds(report_, "other", report_.setup_seconds - seconds_of_parts(report_));
  report_.setup_joules = meter.joules();
  complete_report();
  for (int level = 0; level < levels(); ++level) of(level).matrix->lattice().release_memory();
}

template <class T>
void Hierarchy<T>::aggregate(const Lattice& fine) {
  std::vector<Aggregation> aggregations;
  for (const MultigridCoarsening& coarsening : coarsenings_) {
    aggregations.emplace_back(aggregations.empty() ? fine : aggregations.back().coarse(), coarsening.block);
  }
  aggregations_ = std::move(aggregations);
}

template <class T>
void Hierarchy<T>::build(const Ref<EvenOddOperator<T>>& fine, const std::vector<MultigridCoarsening>& wide_levels) {
  // The levels that are built one after the other take the memory of those before.
  std::list<RecyclingScope> scopes;
  const auto begin = [&](const SpinorField<T>* vectors) {
    scopes.emplace_back(fine->lattice());
    for (const Aggregation& aggregation : aggregations_) scopes.emplace_back(aggregation.coarse());
    add_level(fine);
    set_up(0, vectors);
  };
  begin(nullptr);
  parameters_.near_null_vectors.reset();
  if (policy_.wants_more_vectors(report_.bootstraps)) {
    tell(fmt::format("convergence is bad: all levels take {} vectors", wide_levels.front().vectors));
    const SpinorField<T> few = near_null_vectors();
    levels_.clear();
    scopes.clear();
    coarsenings_ = wide_levels;
    aggregate(fine->lattice());
    policy_ = SetupPolicy::with_more_vectors(parameters_.max_bootstraps);
    begin(&few);
  }
  choose_cycle();
  fix_weights();
  make_smoother_ = nullptr;
  report_.convergence = convergence();
  report_.cycle_steps = cycle_steps_;
}

template <class T>
Hierarchy<T>::~Hierarchy() {
  drop_levels();
}

template <class T>
void Hierarchy<T>::drop_levels() {
  levels_.clear();
  const Lattice& fine = aggregations_.front().fine();
  fine.execution().fence("kaon::Hierarchy");
  fine.workspace().release();
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
  make_smoother(level, {});
}

template <class T>
void Hierarchy<T>::make_smoother(int level, const Weights& weights) {
  of(level).smoother.reset();
  of(level).smoother = smoother_with(level, weights);
}

template <class T>
Ref<LinearOperator<T>> Hierarchy<T>::smoother_with(int level, const Weights& weights) const {
  if (level == 0 && make_smoother_) return make_smoother_(weights);
  return make_relaxation<T>(*of(level).system, parameters_, weights);
}

template <class T>
void Hierarchy<T>::set_up(int level, const SpinorField<T>* begin) {
  if (is_last(level)) return make_bottom(level);
  SpinorParameters shape = of(level).matrix->domain();
  shape.right_hand_sides = coarsening(level).vectors;
  Temporaries<T> fields(of(level).matrix->lattice(), shape, 1);
  SpinorField<T>& vectors = fields[0];
  if (begin == nullptr) {
    begin_first(vectors);
  } else {
    SpinorField<T> first = vectors.range(0, begin->right_hand_sides());
    blas::copy(first, *begin);
    timed("noise", [&] { begin_with_noise(level, vectors, begin->right_hand_sides()); });
    build_below(level, vectors);
  }
  if (level == 0) return bootstrap_first(vectors);
  const int bootstraps = coarsening(level).bootstraps.value_or(policy_.lower_bootstraps());
  for (int step = 1; step <= bootstraps; ++step) bootstrap(level, vectors);
}

template <class T>
void Hierarchy<T>::begin_first(SpinorField<T>& vectors) {
  if (policy_.origin() == VectorOrigin::given) {
    const int given = parameters_.near_null_vectors->right_hand_sides(), taken = vectors.right_hand_sides();
    if (given > taken) tell(fmt::format("the first {} of {} given vectors are taken", taken, given));
    blas::copy(vectors, parameters_.near_null_vectors->range(0, vectors.right_hand_sides()));
    build_below(0, vectors);
    if (policy_.needs_convergence() && policy_.drops_given_vectors(convergence())) {
      tell(fmt::format(
          "given vectors: an iteration brings the residual down to {:.3f} of it: beginning with noise instead",
          convergence()));
      parameters_.near_null_vectors.reset();
    }
  }
  if (policy_.origin() == VectorOrigin::noise) {
    timed("noise", [&] { begin_with_noise(0, vectors, 0); });
    build_below(0, vectors);
  }
}

template <class T>
void Hierarchy<T>::bootstrap_first(SpinorField<T>& vectors) {
  for (int step = 0; goes_on_after(step); ++step) {
    bootstrap(0, vectors);
    ++report_.bootstraps;
  }
}

template <class T>
bool Hierarchy<T>::goes_on_after(int step) {
  const std::optional<double> measured = policy_.needs_convergence() ? std::optional(convergence()) : std::nullopt;
  const std::string name = step > 0                                  ? fmt::format("bootstrap {}", report_.bootstraps)
                           : report_.bootstraps > 0                  ? "more vectors"
                           : policy_.origin() == VectorOrigin::noise ? "relaxed noise"
                                                                     : "given vectors";
  tell(sentence_of(name, of(0).transfer->smallest_pivot(), measured));
  if (!policy_.is_worth_another(measured) || policy_.wants_more_vectors(step)) return false;
  if (policy_.begins_lower_bootstraps(step, levels())) {
    tell("convergence is bad: from now on the lower levels bootstrap their vectors, too");
  }
  return step < policy_.most_bootstraps();
}

template <class T>
SpinorField<T> Hierarchy<T>::near_null_vectors() const {
  SpinorField<T> vectors = of(0).matrix->make_field(coarsening(0).vectors);
  of(0).transfer->prolong(vectors, of(0).restricted[0]);
  return vectors;
}

template <class T>
void Hierarchy<T>::begin_with_noise(int level, SpinorField<T>& vectors, int first) const {
  if (first == vectors.right_hand_sides()) return;
  const EvenOddSystem<T>& system = *of(level).system;
  const Ref<LinearOperator<T>> relaxation = smoother_with(level, relaxation_weights(system));
  for_each_batch(vectors, first, [&](SpinorField<T>& v, int begin) {
    set_gaussian(v, {.seed = parameters_.seed, .stream = static_cast<std::uint32_t>(1000 * level + begin)});
    relax(v, system, *relaxation);
  });
}

template <class T>
Weights Hierarchy<T>::relaxation_weights(const EvenOddSystem<T>& system) const {
  SpinorParameters shape = system.domain();
  shape.right_hand_sides = weighed_right_hand_sides;
  Temporaries<T> fields(system.lattice(), shape, 2);
  SpinorField<T>&noise = fields[0], &image = fields[1];
  set_gaussian(noise, {.seed = parameters_.seed, .stream = weighed_noise});
  system.apply(image, noise);
  Weights weights;
  int left = parameters_.relaxation_steps;
  while (left > 0 && add_weights(weights, system, image, std::min(left, relaxation_degree))) left -= relaxation_degree;
  return weights;
}

template <class T>
void Hierarchy<T>::build_below(int level, const SpinorField<T>& vectors) {
  convergence_.reset();
  levels_.resize(static_cast<std::size_t>(level) + 1);
  Level& above = of(level);
  above.cycle.reset();
  above.transfer.reset();
  timed("aggregates", [&] {
    above.transfer =
        std::make_unique<Transfer<T>>(aggregation(level), vectors, basis_precision<T>(parameters_.vectors));
  });
  timed("coarse operators", [&] {
    const GalerkinMatrices<T> matrices = galerkin(*above.matrix, *above.transfer);
    CoarseOperator<T> coarse(matrices.x(), matrices.y(), link_precision(parameters_.coarse_links));
    require(coarse.singular_sites() == 0, [&] {
      return fmt::format("multigrid level {}: the site term is singular on {} sites; take other blocks or another mass",
                         level + 1, coarse.singular_sites());
    });
    add_level(std::move(coarse));
  });
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
  const ConvergenceFactors k_cycle = measure(Probe::late);
  set_cycle_steps(1);
  const ConvergenceFactors v_cycle = measure(Probe::late);
  tell(fmt::format("a V-cycle brings the residual down to {:.3f} of it, a K-cycle to {:.3f}", v_cycle.late,
                   k_cycle.late));
  if (suffices_v_cycle(v_cycle.late, k_cycle.late)) return;
  set_cycle_steps(setup_cycle_steps);
  convergence_ = k_cycle.early;
}

template <class T>
void Hierarchy<T>::fix_weights() {
  const double minimal_residuals = convergence();
  const EvenOddSystem<T>& system = *of(0).system;
  SpinorParameters shape = system.domain();
  shape.right_hand_sides = weighed_right_hand_sides;
  {
    Temporaries<T> fields(system.lattice(), shape, 3);
    SpinorField<T>&x = fields[0], &b = fields[1], &r = fields[2];
    set_gaussian(b, {.seed = parameters_.seed, .stream = weighed_noise});
    blas::set_zero(x);
    Gcr<T>(system, cycle(),
           {.solve = {.tolerance = least_weighed<T>, .max_iterations = weighed_after, .max_restarts = 0}})
        .solve(x, b);
    system.apply(r, x);
    blas::xmy_norm2(r, b);
    fix_weights(0, r);
  }
  convergence_.reset();
  if (suffice_fixed_weights(convergence(), minimal_residuals)) return;
  for (int level = 0; level < levels() - 1; ++level) make_smoother(level, {});
  if (!report_.exact_bottom) iterate_bottom(levels() - 1, {});
  set_cycle_steps(cycle_steps_);
}

template <class T>
void Hierarchy<T>::fix_weights(int level, const SpinorField<T>& r) {
  const EvenOddSystem<T>& system = *of(level).system;
  Temporaries<T> here(system.lattice(), r.parameters(), 2);
  SpinorField<T>&z = here[0], &t = here[1];
  if (is_last(level)) {
    if (report_.exact_bottom) return;
    blas::copy(t, r);
    const double most = bottom_tolerance * bottom_tolerance;
    const blas::Reals before = blas::norm2(t);
    const auto suffices = [&](const blas::Reals& after) {
      for (std::size_t k = 0; k < after.size(); ++k) {
        if (!(after[k] <= most * before[k])) return false;
      }
      return true;
    };
    Weights weights;
    while (static_cast<int>(weights.size()) < bottom_iterations && !suffices(blas::norm2(t))) {
      if (!add_weights(weights, system, t, bottom_degree)) break;
    }
    if (suffices(blas::norm2(t))) iterate_bottom(level, weights);
    return;
  }
  SpinorParameters shape = of(level + 1).system->domain();
  shape.right_hand_sides = r.right_hand_sides();
  Temporaries<T> next(of(level + 1).system->lattice(), shape, 1);
  of(level).cycle->correct(z, next[0], r);
  fix_weights(level + 1, next[0]);
  make_cycle(level);
  of(level).cycle->correct(z, next[0], r);
  system.apply(t, z);
  blas::xmy_norm2(t, r);
  make_smoother(level, richardson_weights(system, t, smoothing_degree()));
  make_cycle(level);
}

template <class T>
int Hierarchy<T>::smoothing_degree() const {
  const bool longer = of(0).matrix->lattice().is_coarse() && cycle_steps_ == 1;
  return parameters_.smoothing_steps.value_or(longer ? smoothing_degree_of_v_cycle : smoothing_steps);
}

template <class T>
void Hierarchy<T>::bootstrap(int level, SpinorField<T>& vectors) {
  const EvenOddSystem<T>& system = *of(level).system;
  // v_j = P b_j, and P^dag P = 1: the v_j are orthonormal where the b_j are, which have far fewer numbers.
  SpinorField<T>& restricted = of(level).restricted[0];
  timed("orthonormal vectors", [&] {
    orthonormalize(restricted);
    of(level).transfer->prolong(vectors, restricted);
  });
  timed("cycles", [&] {
    for_each_batch(vectors, 0, [&](SpinorField<T>& v, int) {
      SpinorField<T> v_p = v.parity(system.parity());
      Temporaries<T> source(v_p.lattice(), v_p.parameters(), 1);
      system.prepare(source[0], v);
      cycle(level).apply(v_p, source[0]);
      system.reconstruct(v, v);
    });
    normalize(vectors);
  });
  build_below(level, vectors);
}

template <class T>
void Hierarchy<T>::make_bottom(int level) {
  Level& bottom = of(level);
  report_.exact_bottom = false;
  report_.bottom_error = 0.0;
  if (ExactInverse<T>::fits(*bottom.system, parameters_.largest_inverse)) {
    std::optional<ExactInverse<T>> made;
    timed("inverse", [&] { made.emplace(*bottom.system); });
    ExactInverse<T>& inverse = *made;
    report_.bottom_error = inverse.error();
    report_.exact_bottom = inverse.error() <= largest_bottom_error;
    if (report_.exact_bottom) {
      bottom.solver = std::move(inverse);
      return;
    }
  }
  iterate_bottom(level, {});
}

template <class T>
void Hierarchy<T>::iterate_bottom(int level, const Weights& weights) {
  Level& bottom = of(level);
  if (weights.empty()) {
    bottom.solver =
        Gcr<T>(*bottom.system, {.krylov_space = bottom_iterations / 2,
                                .solve = {.tolerance = bottom_tolerance, .max_iterations = bottom_iterations}});
  } else {
    bottom.solver = Richardson<T>(*bottom.system, weights);
  }
}

template <class T>
double Hierarchy<T>::convergence() {
  if (!convergence_) measure(Probe::early);
  return *convergence_;
}

template <class T>
ConvergenceFactors Hierarchy<T>::measure(Probe probe) {
  ConvergenceFactors found;
  timed("probes", [&] { found = measure_convergence(*of(0).system, cycle(), parameters_.seed, probe); });
  convergence_ = found.early;
  return found;
}

template <class T>
void Hierarchy<T>::complete_report() {
  std::vector<double> seconds;
  for (int level = 0; level < levels(); ++level) {
    const LinearOperator<T>& solver = level == 0 ? cycle() : **of(level).solver;
    seconds.push_back(measure_seconds(*of(level).system, solver, parameters_.seed));
  }
  const std::vector<double> shares = shares_of_levels(seconds, cycle_steps_);
  for (int level = 0; level < levels(); ++level) {
    MultigridReport::Level entry;
    entry.share = shares[static_cast<std::size_t>(level)];
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
