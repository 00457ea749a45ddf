// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/setup/hierarchy_builder.hpp"

#include "core/fields/recycled_memory.hpp"
#include "core/tuning/phases.hpp"
#include "multigrid/coarse/coarse_operator.hpp"
#include "multigrid/setup/convergence_probe.hpp"
#include "multigrid/setup/fixed_weights.hpp"
#include "multigrid/setup/report.hpp"
#include "multigrid/setup/setup_policy.hpp"
#include "multigrid/transfer/galerkin.hpp"
#include "multigrid/transfer/orthonormalize.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>
#include <kaon/core/kept_fields.hpp>
#include <kaon/core/random.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <list>
#include <optional>
#include <string>
#include <utility>

namespace kaon::detail {
namespace {

/// Right-hand sides of a cycle in the setup.
constexpr int batch = 8;
/// Steps of GCR with an earlier cycle, which one step alone would turn to the modes of the earlier operator.
constexpr int following_steps = 2;
/// |S z - s| / |s| up to which an inverse serves the last level.
constexpr double largest_bottom_error = 1e-3;

/// v = v / |v| for each right-hand side.
void normalize(SpinorField<float>& v) {
  blas::Reals inverse = blas::norm2(v);
  for (double& norm2 : inverse) norm2 = norm2 > 0.0 ? 1.0 / std::sqrt(norm2) : 0.0;
  blas::scale(v, inverse);
}

/// v_p = v_p - e with e = `relaxation` applied to S v_p, an approximation of v_p that is good for modes with large S;
/// v_q such that M v vanishes there; then v = v / |v|. S is the matrix of `system` on parity p. If S is 1 up to
/// rounding, the difference would be zero, and v_p is unchanged.
void relax(SpinorField<float>& v, const EvenOddSystem<float>& system, const LinearOperator<float>& relaxation) {
  SpinorField<float> v_p = v.parity(system.parity());
  Temporaries<float> fields(v_p.lattice(), v_p.parameters(), 2);
  SpinorField<float>&image = fields[0], &e = fields[1];
  system.apply(image, v_p);
  relaxation.apply(e, image);
  blas::Reals back = blas::axpy_norm2(v_p, e, -1.0);
  for (double& left : back) left = left == 0.0 ? 1.0 : 0.0;
  blas::axpy(v_p, e, back);  // e overwrote v_p above: restore it
  Temporaries<float> zero(v.lattice(), v.parameters(), 1);
  system.reconstruct(v, zero[0]);
  normalize(v);
}

/// Calls f(right-hand sides of a batch, number of the first) for the right-hand sides of `vectors` from `first` on.
template <class F>
void for_each_batch(SpinorField<float>& vectors, int first, const F& f) {
  for (int begin = first; begin < vectors.right_hand_sides(); begin += batch) {
    SpinorField<float> v = vectors.range(begin, std::min(batch, vectors.right_hand_sides() - begin));
    f(v, begin);
  }
}

class HierarchyBuilder {
 public:
  HierarchyBuilder(const Ref<EvenOddOperator<float>>& fine, const MultigridParameters& parameters,
                   const HierarchyKind& kind, const Hierarchy* earlier);
  Hierarchy build();

 private:
  /// Builds all levels and bootstraps the vectors of the first. These start as `begin` and noise, or, without `begin`,
  /// as given vectors or noise.
  void build_levels(const SpinorField<float>* begin);
  /// Builds all levels from vectors of the earlier ones, which are turned to this operator.
  void follow();
  /// Builds the levels again, with more vectors.
  void widen(std::list<RecyclingScope>& scopes);
  void open_scopes(std::list<RecyclingScope>& scopes);
  /// The first vectors of the first level, and the levels below them.
  void begin_first(SpinorField<float>& vectors);
  /// Reports on the first level after `step` bootstraps; returns whether to bootstrap again.
  bool continues_after(int step);
  /// Builds the levels below `level` from its vectors, in place of those that exist.
  void build_below(int level, const SpinorField<float>& vectors);
  void make_bottom();
  /// Improves the vectors of `level` by its cycle, and builds the levels below from them.
  void bootstrap(int level, SpinorField<float>& vectors);
  /// v = M^-1 v / |M^-1 v| for each right-hand side, with the approximation `inverse` of S^-1.
  void improve(int level, SpinorField<float>& vectors, const LinearOperator<float>& inverse);
  /// Sets the vectors of `level` to those of `first`, and further ones to relaxed noise.
  void begin_with(int level, SpinorField<float>& vectors, const SpinorField<float>& first);
  /// v = noise that Richardson's method has relaxed on S v = 0, for right-hand sides from `first` on.
  void relax_noise(int level, SpinorField<float>& vectors, int first);
  SpinorParameters vectors_of(int level) const;

  /// Replaces the K-cycle by a V-cycle if that converges nearly as fast.
  void choose_cycle();
  /// Replaces minimal residuals by fixed weights if cycles converge nearly as fast.
  void choose_weights();
  /// Factor by which an iteration reduces the residual; measured once after each change of the levels.
  double convergence();
  ConvergenceFactors measure(Probe probe);

  /// Shares of the levels in the time of a cycle: measured, or those of the earlier levels.
  std::vector<double> shares() const;
  void complete_report();
  Ref<EvenOddOperator<float>> fine_;
  MultigridParameters parameters_;
  std::vector<MultigridCoarsening> wide_levels_;
  std::vector<MultigridCoarsening> coarsenings_;
  const Hierarchy* earlier_;
  SetupPolicy policy_;
  LevelStack levels_;
  std::optional<double> convergence_;  // none: not measured since the last change
  MultigridReport report_;
  SetupReporter setup_{fine_->lattice(), parameters_, report_};
};

HierarchyBuilder::HierarchyBuilder(const Ref<EvenOddOperator<float>>& fine, const MultigridParameters& parameters,
                                   const HierarchyKind& kind, const Hierarchy* earlier)
    : fine_(fine),
      parameters_(parameters),
      wide_levels_(kind.wide_levels),
      coarsenings_(earlier != nullptr          ? earlier->levels().coarsenings()
                   : parameters.levels.empty() ? choose_levels(fine->lattice(), kind.rules)
                                               : parameters.levels),
      earlier_(earlier),
      policy_(parameters.near_null_vectors ? VectorOrigin::given : VectorOrigin::noise, coarsenings_.front().bootstraps,
              parameters.max_bootstraps, parameters.levels.empty() && !wide_levels_.empty()),
      levels_(parameters, kind.make_smoother, kind.rules.smoothing_of_v_cycle) {
  static_cast<void>(coarsenable(*fine));
  require(fine->domain().slices == 1, "multigrid coarsens operators on fields of one slice");
  require_parameters(parameters);
  require_levels(fine->lattice(), coarsenings_, fine->domain().components());
  if (parameters.near_null_vectors) {
    require_vectors(*parameters.near_null_vectors, fine->lattice(), fine->domain(), coarsenings_.front().vectors);
  }
}

Hierarchy HierarchyBuilder::build() {
  const detail::Phase phase(detail::PhaseName::setup);
  levels_.cut(fine_->lattice(), coarsenings_);
  {
    std::list<RecyclingScope> scopes;
    open_scopes(scopes);
    if (earlier_ != nullptr) {
      follow();
    } else {
      build_levels(nullptr);
      parameters_.near_null_vectors.reset();
      if (policy_.wants_more_vectors(report_.bootstraps)) widen(scopes);
      choose_cycle();
      choose_weights();
      report_.convergence = convergence();
      require_convergence(parameters_, report_.convergence);
    }
    levels_.finish();
    report_.cycle_steps = levels_.cycle_steps();
  }
  fine_->lattice().execution().fence("kaon::multigrid setup");
  setup_.stop("other");
  complete_report();
  for (int level = 0; level < levels_.size(); ++level) levels_[level].matrix->lattice().release_memory();
  return Hierarchy(std::move(levels_), std::move(report_));
}

/// Levels that are built later reuse the memory of earlier ones.
void HierarchyBuilder::open_scopes(std::list<RecyclingScope>& scopes) {
  scopes.clear();
  scopes.emplace_back(fine_->lattice());
  for (const Aggregation& aggregation : levels_.aggregations()) scopes.emplace_back(aggregation.coarse());
}

void HierarchyBuilder::widen(std::list<RecyclingScope>& scopes) {
  setup_.say(fmt::format("convergence is bad: all levels take {} vectors", wide_levels_.front().vectors));
  const SpinorField<float> few = levels_.near_null_vectors();
  levels_.drop();
  scopes.clear();
  levels_.cut(fine_->lattice(), wide_levels_);
  policy_ = SetupPolicy::with_more_vectors(parameters_.max_bootstraps);
  open_scopes(scopes);
  build_levels(&few);
}

SpinorParameters HierarchyBuilder::vectors_of(int level) const {
  return levels_[level].matrix->domain().with_right_hand_sides(levels_.coarsening(level).vectors);
}

void HierarchyBuilder::build_levels(const SpinorField<float>* begin) {
  levels_.add(fine_);
  Temporaries<float> fields(fine_->lattice(), vectors_of(0), 1);
  SpinorField<float>& vectors = fields[0];
  if (begin == nullptr) {
    begin_first(vectors);
  } else {
    begin_with(0, vectors, *begin);
    build_below(0, vectors);
  }
  for (int step = 0; continues_after(step); ++step) {
    bootstrap(0, vectors);
    ++report_.bootstraps;
  }
}

void HierarchyBuilder::follow() {
  const LevelStack& earlier = earlier_->levels();
  levels_.add(fine_);
  Temporaries<float> fields(fine_->lattice(), vectors_of(0), 1);
  SpinorField<float>& vectors = fields[0];
  setup_.time("orthonormal vectors", [&] {
    const SpinorField<float>& restricted = earlier[0].restricted[0];
    SpinorField<float> orthonormal = blas::clone(restricted);
    orthonormalize(orthonormal);
    earlier[0].transfer->prolong(vectors, orthonormal);
  });
  improve(0, vectors,
          Gcr<float>(*levels_[0].system, earlier.cycle(), {.krylov_space = following_steps, .steps = following_steps}));
  build_below(0, vectors);
  levels_.set_cycle_of(earlier);
  report_.bootstraps = 1;
  report_.convergence = earlier_->report().convergence;
}

void HierarchyBuilder::begin_first(SpinorField<float>& vectors) {
  if (policy_.origin() == VectorOrigin::given) {
    const int given = parameters_.near_null_vectors->right_hand_sides(), taken = vectors.right_hand_sides();
    if (given > taken) setup_.say(fmt::format("the first {} of {} given vectors are taken", taken, given));
    blas::copy(vectors, parameters_.near_null_vectors->range(0, taken));
    build_below(0, vectors);
    if (policy_.needs_convergence() && policy_.drops_given_vectors(convergence())) {
      setup_.say(fmt::format(
          "given vectors: an iteration brings the residual down to {:.3f} of it: beginning with noise instead",
          convergence()));
      parameters_.near_null_vectors.reset();
    }
  }
  if (policy_.origin() == VectorOrigin::noise) {
    setup_.time("noise", [&] { relax_noise(0, vectors, 0); });
    build_below(0, vectors);
  }
}

bool HierarchyBuilder::continues_after(int step) {
  const std::optional<double> measured = policy_.needs_convergence() ? std::optional(convergence()) : std::nullopt;
  const std::string name = step > 0                                  ? fmt::format("bootstrap {}", report_.bootstraps)
                           : report_.bootstraps > 0                  ? "more vectors"
                           : policy_.origin() == VectorOrigin::noise ? "relaxed noise"
                                                                     : "given vectors";
  std::string sentence = fmt::format("{}: smallest pivot {:.1e}", name, levels_[0].transfer->smallest_pivot());
  if (measured) sentence += fmt::format(", an iteration brings the residual down to {:.3f} of it", *measured);
  setup_.say(sentence);
  const bool is_worth_another = policy_.is_worth_another(measured);
  if (policy_.is_hopeless(step, parameters_.worst_convergence)) require_convergence(parameters_, convergence());
  if (!is_worth_another || policy_.wants_more_vectors(step)) return false;
  if (policy_.begins_lower_bootstraps(step, levels_.size())) {
    setup_.say("convergence is bad: from now on the lower levels bootstrap their vectors, too");
  }
  return step < policy_.most_bootstraps();
}

void HierarchyBuilder::begin_with(int level, SpinorField<float>& vectors, const SpinorField<float>& first) {
  blas::copy(vectors.range(0, first.right_hand_sides()), first);
  setup_.time("noise", [&] { relax_noise(level, vectors, first.right_hand_sides()); });
}

void HierarchyBuilder::relax_noise(int level, SpinorField<float>& vectors, int first) {
  if (first == vectors.right_hand_sides()) return;
  const EvenOddSystem<float>& system = *levels_[level].system;
  const Ref<LinearOperator<float>> relaxation = levels_.smoother_with(
      level, relaxation_weights(system, parameters_.relaxation_steps.value_or(relaxation_steps), parameters_.seed));
  for_each_batch(vectors, first, [&](SpinorField<float>& v, int begin) {
    set_gaussian(v, {.seed = parameters_.seed, .stream = static_cast<std::uint32_t>(1000 * level + begin)});
    relax(v, system, *relaxation);
  });
}

void HierarchyBuilder::build_below(int level, const SpinorField<float>& vectors) {
  convergence_.reset();
  levels_.drop_below(level);
  Level& above = levels_[level];
  const Aggregation& aggregation = levels_.aggregation(level);
  setup_.time("aggregates",
              [&] { above.transfer = std::make_unique<Transfer>(aggregation, vectors, parameters_.vectors); });
  setup_.time("coarse operators", [&] {
    const GalerkinMatrices matrices = galerkin(*above.matrix, *above.transfer);
    CoarseOperator coarse(matrices.x(), matrices.y(), parameters_.coarse_links);
    require(coarse.singular_sites() == 0, [&] {
      return fmt::format("multigrid level {}: the site term is singular on {} sites; take other blocks or another mass",
                         level + 1, coarse.singular_sites());
    });
    levels_.add(std::move(coarse));
  });
  SpinorField<float>& restricted = above.restricted.provide(
      aggregation.coarse(), above.transfer->coarse_domain().with_right_hand_sides(vectors.right_hand_sides()), 1)[0];
  above.transfer->restrict(restricted, vectors);
  if (levels_.is_last(level + 1)) {
    make_bottom();
  } else {
    Temporaries<float> fields(aggregation.coarse(), vectors_of(level + 1), 1);
    begin_with(level + 1, fields[0], restricted);
    build_below(level + 1, fields[0]);
    const int bootstraps = levels_.coarsening(level + 1).bootstraps.value_or(policy_.lower_bootstraps());
    for (int step = 1; step <= bootstraps; ++step) bootstrap(level + 1, fields[0]);
  }
  levels_.make_cycle(level);
}

void HierarchyBuilder::make_bottom() {
  const EvenOddSystem<float>& system = *levels_[levels_.size() - 1].system;
  report_.bottom_error = 0.0;
  if (ExactInverse::fits(system, parameters_.largest_inverse)) {
    std::optional<ExactInverse> inverse;
    setup_.time("inverse", [&] { inverse.emplace(system); });
    report_.bottom_error = inverse->error();
    if (inverse->error() <= largest_bottom_error) return levels_.set_bottom(std::move(*inverse));
  }
  levels_.iterate_bottom({});
}

void HierarchyBuilder::bootstrap(int level, SpinorField<float>& vectors) {
  // v_j = P b_j, and P^dag P = 1: the v_j are orthonormal if the b_j are, which have far fewer numbers.
  SpinorField<float>& restricted = levels_[level].restricted[0];
  setup_.time("orthonormal vectors", [&] {
    orthonormalize(restricted);
    levels_[level].transfer->prolong(vectors, restricted);
  });
  improve(level, vectors, levels_.cycle(level));
  build_below(level, vectors);
}

void HierarchyBuilder::improve(int level, SpinorField<float>& vectors, const LinearOperator<float>& inverse) {
  const EvenOddSystem<float>& system = *levels_[level].system;
  setup_.time("cycles", [&] {
    for_each_batch(vectors, 0, [&](SpinorField<float>& v, int) {
      SpinorField<float> v_p = v.parity(system.parity());
      Temporaries<float> source(v_p.lattice(), v_p.parameters(), 1);
      system.prepare(source[0], v);
      inverse.apply(v_p, source[0]);
      system.reconstruct(v, v);
    });
    normalize(vectors);
  });
}

void HierarchyBuilder::choose_cycle() {
  if (parameters_.cycle_steps || levels_.size() < 3) return;
  const int k_cycle_steps = levels_.cycle_steps();
  const ConvergenceFactors k_cycle = measure(Probe::late);
  levels_.set_cycle_steps(1);
  const ConvergenceFactors v_cycle = measure(Probe::late);
  setup_.say(fmt::format("a V-cycle brings the residual down to {:.3f} of it, a K-cycle to {:.3f}", v_cycle.late,
                         k_cycle.late));
  if (suffices_v_cycle(v_cycle.late, k_cycle.late)) return;
  levels_.set_cycle_steps(k_cycle_steps);
  convergence_ = k_cycle.early;
}

void HierarchyBuilder::choose_weights() {
  const double minimal_residuals = convergence();
  fix_weights(levels_, parameters_.seed);
  convergence_.reset();
  if (suffice_fixed_weights(convergence(), minimal_residuals)) return;
  free_weights(levels_);
  convergence_.reset();
}

double HierarchyBuilder::convergence() {
  if (!convergence_) measure(Probe::early);
  return *convergence_;
}

ConvergenceFactors HierarchyBuilder::measure(Probe probe) {
  ConvergenceFactors found;
  setup_.time("probes",
              [&] { found = measure_convergence(*levels_[0].system, levels_.cycle(), parameters_.seed, probe); });
  convergence_ = found.early;
  return found;
}

std::vector<double> HierarchyBuilder::shares() const {
  if (earlier_ != nullptr) {
    std::vector<double> earlier;
    for (const MultigridReport::Level& level : earlier_->report().levels) earlier.push_back(level.share);
    return earlier;
  }
  std::vector<double> seconds;
  for (int level = 0; level < levels_.size(); ++level) {
    const LinearOperator<float>& solver = level == 0 ? levels_.cycle() : **levels_[level].solver;
    seconds.push_back(measure_seconds(*levels_[level].system, solver, parameters_.seed));
  }
  return shares_of_levels(seconds, levels_.cycle_steps());
}

void HierarchyBuilder::complete_report() {
  report_.exact_bottom = levels_.has_exact_bottom();
  const std::vector<double> of_levels = shares();
  for (int level = 0; level < levels_.size(); ++level) {
    MultigridReport::Level entry;
    entry.share = of_levels[static_cast<std::size_t>(level)];
    entry.extents = levels_[level].matrix->lattice().extents();
    entry.components = levels_[level].matrix->domain().components();
    if (!levels_.is_last(level)) {
      entry.block = levels_.coarsening(level).block;
      entry.smallest_pivot = levels_[level].transfer->smallest_pivot();
      entry.replaced = levels_[level].transfer->replaced();
    }
    report_.levels.push_back(entry);
  }
}

}  // namespace

Hierarchy build_hierarchy(const Ref<EvenOddOperator<float>>& fine, const MultigridParameters& parameters,
                          const HierarchyKind& kind, const Hierarchy* earlier) {
  return HierarchyBuilder(fine, parameters, kind, earlier).build();
}

}  // namespace kaon::detail
