// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/domain_wall/domain_wall_levels.hpp"

#include "core/lattice/coarse_lattice.hpp"
#include "core/tuning/phases.hpp"
#include "multigrid/coarse/exact_inverse.hpp"
#include "multigrid/domain_wall/corner_operator.hpp"
#include "multigrid/domain_wall/normal_cycle.hpp"
#include "multigrid/setup/free_memory.hpp"
#include "multigrid/setup/level_choice.hpp"
#include "multigrid/setup/report.hpp"
#include "solvers/eigen/largest_eigenvalue.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>
#include <kaon/core/random.hpp>
#include <kaon/operators/normal.hpp>
#include <kaon/operators/schur.hpp>
#include <kaon/solvers/krylov.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <utility>

namespace kaon::detail {
namespace {

/// Near-null vectors, columns of P in each aggregate: as many of these as fit the memory.
constexpr std::array standard_vectors{48, 40, 32, 24, 16};
/// Iterations of conjugate gradients that make a vector of noise.
constexpr int standard_relaxation = 60;
/// Bootstraps whose number is not given end when a solve takes so few iterations, or after so many of them.
constexpr double few_iterations = 36.0;
constexpr int most_bootstraps = 3;
/// Iterations of conjugate gradients that make a coarse vector of a bootstrap, and steps of GCR that apply A^-1 to it
/// on the finer lattice. With more iterations vectors become equal.
constexpr int relaxation_of_bootstrap = 2, steps_of_bootstrap = 12;
/// A bootstrap whose vectors have a smaller pivot is dropped: single precision does not distinguish them.
constexpr double least_pivot_of_bootstrap = 1e-5;
/// Degree of the smoother, and the part of the spectrum of M^dag M that it leaves to the coarse lattice.
constexpr int standard_smoothing = 4;
constexpr double part_of_spectrum = 1.0 / 30.0;
/// The largest eigenvalue is known from within, to some per cent.
constexpr double margin_of_spectrum = 1.05;
/// Vectors that are relaxed, and columns that are coarsened, at a time, if they fit the memory.
constexpr int most_vectors_at_once = 12;
/// Coarse solves: to this residual, in this many iterations at most.
constexpr double coarse_tolerance = 0.1;
constexpr int most_coarse_iterations = 500;
/// The last of three levels: its vectors, iterations for each of them, and steps of GCR on the level above.
constexpr int standard_last_vectors = 48, fewest_last_vectors = 16, relaxation_of_last = 60, steps_of_middle = 6;

/// Fields that the setup takes for each vector that it handles at a time: without bootstraps, and with them.
constexpr double fields_of_setup = 16.0, fields_of_bootstrap = 32.0;

/// Bytes of the fields that the solve of a right-hand side takes.
double bytes_of_solve(const Aggregation& aggregation, const SpinorParameters& domain) {
  return fields_of_domain_wall_solve * SlicedTransfer::bytes(aggregation, domain, 1);
}

/// Bytes that the levels take with the setup, which has two P during a bootstrap, or with the solve of a right-hand
/// side.
struct LevelBytes {
  double kept, of_vector, of_solve;  ///< of_vector: for each that the setup handles at a time

  LevelBytes(const Aggregation& aggregation, const SpinorParameters& domain, int vectors, bool is_improved) {
    const double of_p = SlicedTransfer::bytes(aggregation, domain, vectors), of_field = of_p / vectors;
    kept = (is_improved ? 2.0 : 1.0) * of_p + CornerOperator::bytes(aggregation.coarse(), vectors);
    of_vector = of_field * (is_improved ? fields_of_bootstrap : fields_of_setup);
    of_solve = bytes_of_solve(aggregation, domain);
  }
  double least() const { return kept + std::max(of_vector, of_solve); }
};

/// Whether a setup may make bootstraps.
bool may_bootstrap(const MultigridCoarsening& coarsening) { return coarsening.bootstraps.value_or(1) > 0; }

/// The given coarsening, or the largest that fits the memory and the number of given vectors. Collective.
MultigridCoarsening coarsening_of(const Lattice& lattice, const SpinorParameters& domain,
                                  const MultigridParameters& parameters) {
  require(parameters.levels.size() <= 2, [&] {
    return fmt::format("multigrid of domain wall quarks has up to two coarse levels, but {} are given",
                       parameters.levels.size());
  });
  if (!parameters.levels.empty()) return parameters.levels.front();
  MultigridCoarsening chosen{.block = choose_sliced_aggregates(lattice)};
  const Aggregation aggregation(lattice, chosen.block);
  for (const int vectors : standard_vectors) {
    chosen.vectors = vectors / 2;
    if (missing_bytes(lattice, LevelBytes(aggregation, domain, vectors, may_bootstrap(chosen)).least()) <= 0.0) break;
  }
  return chosen;
}

/// Vectors before the first bootstrap: all if their number or that of bootstraps is given, else half of them, which are
/// enough for heavy quarks and for the first bootstrap.
int first_vectors(const MultigridCoarsening& coarsening, const MultigridParameters& parameters) {
  const int all = 2 * coarsening.vectors;
  if (!parameters.levels.empty()) return all;
  if (parameters.near_null_vectors) return std::min(parameters.near_null_vectors->right_hand_sides() / 2 * 2, all);
  return std::max(all / 4 * 2, standard_vectors.back());
}

/// Returns how many vectors the setup can handle at a time. Throws `Error` if the levels do not fit the free memory.
/// Collective.
int vectors_in_memory(const Aggregation& aggregation, const SpinorParameters& domain,
                      const MultigridCoarsening& coarsening) {
  const int vectors = 2 * coarsening.vectors;
  const LevelBytes bytes(aggregation, domain, vectors, may_bootstrap(coarsening));
  const Lattice& lattice = aggregation.fine();
  require_free_memory(
      lattice, bytes.least(),
      [&] {
        return fmt::format("multigrid with {} near-null vectors on {} sites of a process with {} slices", vectors,
                           to_string(lattice.local_extents()), domain.slices);
      },
      "fewer vectors (levels[0].vectors), or conjugate gradients (cgnr)");
  return count_in_memory(lattice, bytes.kept, bytes.of_vector, 1, std::min(most_vectors_at_once, vectors));
}

/// Unknowns of the last level up to which it is solved by its inverse.
int largest_inverse(const MultigridParameters& parameters) { return (on_device ? 2 : 1) * parameters.largest_inverse; }

/// The aggregates and vectors of the last of three levels: two sites in each direction that has them, and as many
/// vectors as the inverse of the last matrix allows. Blocks of one site if the coarse lattice has no aggregates.
MultigridCoarsening last_coarsening_of(const Lattice& coarse, const MultigridParameters& parameters) {
  if (parameters.levels.size() == 2) return parameters.levels.back();
  MultigridCoarsening last{.block = {1, 1, 1, 1}};
  std::ptrdiff_t sites = coarse.volume();
  for (std::size_t mu = 0; mu < 4; ++mu) {
    if (!cuts(coarse.local_extents()[mu], coarse.is_partitioned(mu), 2)) continue;
    last.block[mu] = 2;
    sites /= 2;
  }
  const auto most = static_cast<int>(largest_inverse(parameters) / sites / 2 * 2);
  last.vectors = std::clamp(most, fewest_last_vectors, standard_last_vectors) / 2;
  return last;
}

/// The weights of the smoother for a Hermitian positive operator.
std::vector<double> smoother_of(const LinearOperator<float>& matrix, const MultigridParameters& parameters) {
  SpinorField<float> noise = matrix.make_field(1);
  set_gaussian(noise, {.seed = parameters.seed, .stream = 999'998});
  const double largest = margin_of_spectrum * spectrum_ends(matrix, noise).largest;
  return chebyshev_weights(parameters.smoothing_steps.value_or(standard_smoothing), part_of_spectrum * largest,
                           largest);
}

/// Fills the columns of a prolongator with noise after iterations of conjugate gradients, `at_once` at a time.
void relax_columns(SlicedTransfer& transfer, const LinearOperator<float>& matrix, std::uint64_t seed, int iterations,
                   int at_once) {
  for (int first = 0; first < transfer.vectors(); first += at_once) {
    SpinorField<float> vectors = matrix.make_field(std::min(at_once, transfer.vectors() - first));
    set_gaussian(vectors, {.seed = seed, .stream = static_cast<std::uint32_t>(first)});
    iterate_towards_inverse(matrix, vectors, iterations);
    transfer.set_columns(first, vectors);
  }
}

/// Sets the columns of `improved` to approximations of A^-1 P y, by steps of GCR with a cycle: y is noise on the coarse
/// lattice after iterations of conjugate gradients for A_c, and so near its low modes.
void bootstrap_columns(SlicedTransfer& improved, const SlicedTransfer& transfer, const LinearOperator<float>& matrix,
                       const LinearOperator<float>& coarse_matrix, const LinearOperator<float>& cycle,
                       std::uint64_t seed, int at_once) {
  const Gcr<float> inverse(matrix, cycle, {.krylov_space = steps_of_bootstrap, .steps = steps_of_bootstrap});
  for (int first = 0; first < improved.vectors(); first += at_once) {
    const int count = std::min(at_once, improved.vectors() - first);
    SpinorField<float> coarse = coarse_matrix.make_field(count), fine = matrix.make_field(count),
                       vectors = matrix.make_field(count);
    set_gaussian(coarse, {.seed = seed, .stream = static_cast<std::uint32_t>(first)});
    iterate_towards_inverse(coarse_matrix, coarse, relaxation_of_bootstrap);
    transfer.prolong(fine, coarse);
    inverse.apply(vectors, fine);
    improved.set_columns(first, vectors);
  }
}

/// Returns vectors on another number of slices: copies of the slices near each wall, from which low modes fall off. The
/// slices between are zero or left out.
SpinorField<float> on_slices(const SpinorField<float>& vectors, int slices) {
  SpinorParameters parameters = vectors.parameters();
  parameters.slices = slices;
  SpinorField<float> moved(vectors.lattice(), parameters);
  const int earlier = vectors.slices(), copied = std::min(earlier, slices);
  for (int s = 0; s < copied; ++s) {
    const bool is_left = 2 * s < copied;
    SpinorField<float> slice = moved.slice(is_left ? s : slices - copied + s);
    blas::copy(slice, vectors.slice(is_left ? s : earlier - copied + s));
  }
  return moved;
}

/// Throws `Error` if the columns of a prolongator depend on each other.
void require_independent(const SlicedTransfer& transfer, double pivot) {
  require(pivot > 0.0, [&] {
    return fmt::format(
        "{} near-null vectors depend on each other in an aggregate of {} sites: give fewer vectors, "
        "or larger aggregates",
        transfer.vectors(), to_string(transfer.aggregation().block()));
  });
}

class DomainWallLevels final : public Levels {
 public:
  DomainWallLevels(const Ref<EvenOddOperator<float>>& dirac, const MultigridParameters& parameters);

  const LinearOperator<float>& matrix() const override { return system_; }
  const LinearOperator<float>& cycle() const override { return *cycle_; }
  bool on_all_sites() const override { return false; }
  bool is_normal() const override { return true; }
  int right_hand_sides_in_memory(int wanted) const override;
  const MultigridReport& report() const override { return report_; }
  SpinorField<float> near_null_vectors() const override;

 private:
  void make_vectors(const MultigridParameters& parameters);
  /// Makes all that depends on the orthonormal columns of P.
  void build(const MultigridParameters& parameters, double pivot);
  /// Replaces the columns of P by approximations of (M^dag M)^-1 P y, y noise on the coarse lattice after iterations of
  /// conjugate gradients: near the low modes of A_c. Returns false, and leaves P, if they depend on each other.
  bool bootstrap(const MultigridParameters& parameters);
  /// Returns the smallest pivot.
  double orthonormalized(SlicedTransfer& transfer);
  void make_coarse_solver(const MultigridParameters& parameters);
  /// The inverse of the matrix of the last level, or conjugate gradients if it is too large.
  Ref<LinearOperator<float>> solver_of_last(const CornerOperator& matrix, const MultigridParameters& parameters);
  /// Makes the third level, whose cycle preconditions GCR on the second. Returns false if two levels are enough or the
  /// coarse lattice has no aggregates.
  bool make_last_level(const MultigridParameters& parameters);
  /// Bootstraps as many times as wanted, or as long as that helps.
  void improve(const MultigridParameters& parameters);
  /// Measures the factor of an iteration. Returns the iterations that a solve to 1e-6 takes or is predicted to take.
  double measure(const MultigridParameters& parameters);

  Schur<float> system_;           // M
  NormalOperator<float> normal_;  // M^dag M
  MultigridCoarsening coarsening_;
  Aggregation aggregation_;
  std::optional<SlicedTransfer> transfer_;
  std::unique_ptr<CornerOperator> coarse_;
  std::optional<SlicedTransfer> last_transfer_;
  std::unique_ptr<CornerOperator> last_;
  std::optional<Ref<LinearOperator<float>>> last_solver_;
  std::unique_ptr<NormalCycle> middle_cycle_;
  std::optional<Ref<LinearOperator<float>>> coarse_solver_;
  std::unique_ptr<NormalCycle> cycle_;
  std::vector<double> weights_;  // of the smoother
  int vectors_at_once_ = 1;
  mutable int most_wanted_ = 0, fitting_ = 0;  // right-hand sides of the largest solve, and those that fit together
  MultigridReport report_;
  SetupReporter setup_;
};

DomainWallLevels::DomainWallLevels(const Ref<EvenOddOperator<float>>& dirac, const MultigridParameters& parameters)
    : system_(dirac, {.form = SchurForm::asymmetric, .parity = Parity::even}),
      normal_(system_),
      coarsening_(coarsening_of(dirac->lattice(), system_.domain(), parameters)),
      aggregation_(dirac->lattice(), coarsening_.block),
      setup_(dirac->lattice(), parameters, report_) {
  const Phase phase(PhaseName::setup);
  vectors_at_once_ = vectors_in_memory(aggregation_, system_.domain(), coarsening_);
  transfer_.emplace(aggregation_, system_.domain(), first_vectors(coarsening_, parameters));
  make_vectors(parameters);
  setup_.time("smoother", [&] { weights_ = smoother_of(normal_, parameters); });
  const double pivot = orthonormalized(*transfer_);
  require_independent(*transfer_, pivot);
  build(parameters, pivot);
  improve(parameters);
  require_convergence(parameters, report_.convergence);
  setup_.stop("other");
  dirac->lattice().release_memory();
}

int DomainWallLevels::right_hand_sides_in_memory(int wanted) const {
  if (wanted > most_wanted_) {
    fitting_ = count_in_memory(system_.lattice(), 0.0, bytes_of_solve(aggregation_, system_.domain()), 1,
                               Levels::right_hand_sides_in_memory(wanted));
    most_wanted_ = wanted;
  }
  return fitting_;
}

void DomainWallLevels::make_vectors(const MultigridParameters& parameters) {
  if (!parameters.near_null_vectors) {
    return setup_.time("vectors", [&] {
      relax_columns(*transfer_, normal_, parameters.seed, parameters.relaxation_steps.value_or(standard_relaxation),
                    vectors_at_once_);
    });
  }
  const SpinorField<float>& given = *parameters.near_null_vectors;
  const int all = transfer_->vectors(), slices = system_.domain().slices;
  SpinorParameters accepted = system_.domain();
  if (given.slices() > 1) accepted.slices = given.slices();
  require_vectors(given, system_.lattice(), accepted, all);
  if (given.slices() == slices) return transfer_->set_columns(0, given.range(0, all));
  for (int first = 0; first < all; first += vectors_at_once_) {
    transfer_->set_columns(first, on_slices(given.range(first, std::min(vectors_at_once_, all - first)), slices));
  }
}

void DomainWallLevels::build(const MultigridParameters& parameters, double pivot) {
  report_.levels = {{.extents = system_.lattice().extents(),
                     .components = system_.domain().components_of_all_slices(),
                     .block = coarsening_.block,
                     .smallest_pivot = pivot},
                    {.extents = aggregation_.coarse().extents(), .components = transfer_->vectors()}};
  setup_.time("coarse operator", [&] {
    coarse_ = std::make_unique<CornerOperator>(CornerOperator::OfNormal(), *transfer_, system_, vectors_at_once_);
  });
  setup_.time("coarse solver", [&] { make_coarse_solver(parameters); });
  cycle_ = std::make_unique<NormalCycle>(normal_, *transfer_, **coarse_solver_, weights_);
  setup_.say(fmt::format("{} near-null vectors on aggregates of {} after {} bootstraps, smallest pivot {:.1e}",
                         transfer_->vectors(), to_string(coarsening_.block), report_.bootstraps, pivot));
}

bool DomainWallLevels::bootstrap(const MultigridParameters& parameters) {
  SlicedTransfer improved(aggregation_, system_.domain(), 2 * coarsening_.vectors);
  setup_.time("bootstraps", [&] {
    bootstrap_columns(improved, *transfer_, normal_, *coarse_, *cycle_, parameters.seed, vectors_at_once_);
  });
  const double pivot = orthonormalized(improved);
  if (pivot < least_pivot_of_bootstrap) {
    setup_.say(fmt::format("a bootstrap leaves vectors that are nearly equal, smallest pivot {:.1e}: dropped", pivot));
    return false;
  }
  transfer_.emplace(std::move(improved));
  ++report_.bootstraps;
  build(parameters, pivot);
  return true;
}

double DomainWallLevels::orthonormalized(SlicedTransfer& transfer) {
  double pivot = 0.0;
  setup_.time("orthonormal vectors", [&] { pivot = transfer.orthonormalize(); });
  return pivot;
}

void DomainWallLevels::make_coarse_solver(const MultigridParameters& parameters) {
  const bool is_last = parameters.levels.size() == 1 || !make_last_level(parameters);
  if (is_last) coarse_solver_.emplace(solver_of_last(*coarse_, parameters));
}

Ref<LinearOperator<float>> DomainWallLevels::solver_of_last(const CornerOperator& matrix,
                                                            const MultigridParameters& parameters) {
  if (ExactInverse::fits(matrix, largest_inverse(parameters))) {
    ExactInverse inverse(matrix);
    if (!inverse.is_singular()) {
      report_.exact_bottom = true;
      report_.bottom_error = inverse.error();
      return Ref<LinearOperator<float>>(std::move(inverse));
    }
  }
  return Ref<LinearOperator<float>>(
      Cg<float>(matrix, {.tolerance = coarse_tolerance, .max_iterations = most_coarse_iterations}));
}

bool DomainWallLevels::make_last_level(const MultigridParameters& parameters) {
  const bool is_given = parameters.levels.size() == 2;
  if (!is_given && ExactInverse::fits(*coarse_, largest_inverse(parameters))) return false;
  const MultigridCoarsening coarsening = last_coarsening_of(coarse_->lattice(), parameters);
  if (volume_of(coarsening.block) == 1) return false;
  const Aggregation aggregation(coarse_->lattice(), coarsening.block);
  last_transfer_.emplace(aggregation, coarse_->domain(), 2 * coarsening.vectors);
  relax_columns(*last_transfer_, *coarse_, parameters.seed, relaxation_of_last, most_vectors_at_once);
  double pivot = last_transfer_->orthonormalize();
  require_independent(*last_transfer_, pivot);
  const std::vector<double> weights = smoother_of(*coarse_, parameters);
  // Relaxed noise has no low modes in P, and so A_c has none: any vectors are good enough on the third level.
  const bool has_low_modes = report_.bootstraps > 0 || parameters.near_null_vectors;
  const int bootstraps = coarsening.bootstraps.value_or(has_low_modes ? 1 : 0);
  for (int step = 0;; ++step) {
    last_ = std::make_unique<CornerOperator>(*last_transfer_, *coarse_, CornerOperator::range_of_corners,
                                             most_vectors_at_once);
    last_solver_.emplace(solver_of_last(*last_, parameters));
    middle_cycle_ = std::make_unique<NormalCycle>(*coarse_, *last_transfer_, **last_solver_, weights);
    if (step == bootstraps) break;
    SlicedTransfer improved(aggregation, coarse_->domain(), 2 * coarsening.vectors);
    bootstrap_columns(improved, *last_transfer_, *coarse_, *last_, *middle_cycle_, parameters.seed,
                      most_vectors_at_once);
    const double of_improved = improved.orthonormalize();
    if (of_improved < least_pivot_of_bootstrap) break;
    last_transfer_.emplace(std::move(improved));
    pivot = of_improved;
  }
  report_.levels.back().block = coarsening.block;
  report_.levels.back().smallest_pivot = pivot;
  report_.levels.push_back({.extents = last_->lattice().extents(), .components = 2 * coarsening.vectors});
  report_.cycle_steps = parameters.cycle_steps.value_or(steps_of_middle);
  coarse_solver_.emplace(
      Gcr<float>(*coarse_, *middle_cycle_, {.krylov_space = report_.cycle_steps, .steps = report_.cycle_steps}));
  return true;
}

void DomainWallLevels::improve(const MultigridParameters& parameters) {
  const std::optional<int>& wanted = coarsening_.bootstraps;
  for (int step = 0; step < wanted.value_or(0) && bootstrap(parameters); ++step) continue;
  const auto converges_badly = [&] { return measure(parameters) > few_iterations; };
  while (converges_badly() && !wanted && report_.bootstraps < most_bootstraps && bootstrap(parameters)) continue;
}

double DomainWallLevels::measure(const MultigridParameters& parameters) {
  constexpr int most = 40;
  constexpr double end = 1e-6;
  setup_.time("probes", [&] {
    SpinorField<float> x = system_.make_field(1), b = system_.make_field(1);
    set_gaussian(b, {.seed = parameters.seed, .stream = 999'999});
    const FlexibleCgnr<float> solver(system_, system_, *cycle_,
                                     {.tolerance = end, .max_iterations = most, .max_restarts = 0});
    const SolveResult result = solver.solve(x, b);
    const int iterations = std::max(1, result.iterations());
    report_.convergence = std::pow(result.right_hand_sides.front().iterated_residual, 1.0 / iterations);
  });
  return report_.convergence < 1.0 ? std::log(end) / std::log(report_.convergence) : HUGE_VAL;
}

SpinorField<float> DomainWallLevels::near_null_vectors() const {
  SpinorField<float> vectors = system_.make_field(transfer_->vectors());
  transfer_->get_columns(vectors, 0);
  return vectors;
}

}  // namespace

Coordinates choose_sliced_aggregates(const Lattice& lattice) {
  constexpr int wanted = CornerOperator::range_of_normal;
  const auto distance = [](int size) { return std::abs(size - wanted); };
  Coordinates block{}, even{};  // the best sizes, and the best even ones, of each direction; 0: there is none
  for (std::size_t mu = 0; mu < 4; ++mu) {
    const int local = lattice.local_extents()[mu], extent = lattice.extents()[mu];
    for (int size = 1; size <= local; ++size) {
      if (!cuts(local, lattice.is_partitioned(mu), size)) continue;
      if (size < wanted && extent / size > 3) continue;
      if (block[mu] == 0 || distance(size) < distance(block[mu])) block[mu] = size;
      if (size % 2 == 0 && (even[mu] == 0 || distance(size) < distance(even[mu]))) even[mu] = size;
    }
    require(block[mu] > 0, [&] {
      return fmt::format(
          "multigrid finds no aggregates of {} sites or more in direction {} of local extents {}: use "
          "fewer processes in that direction, or conjugate gradients (cgnr)",
          wanted, mu, to_string(lattice.local_extents()));
    });
  }
  if (std::ranges::any_of(block, [](int size) { return size % 2 == 0; })) return block;
  // Aggregates have equally many even and odd sites only if one of their extents is even.
  std::optional<std::size_t> direction;
  for (std::size_t mu = 0; mu < 4; ++mu) {
    if (even[mu] == 0) continue;
    if (!direction || distance(even[mu]) < distance(even[*direction])) direction = mu;
  }
  require(direction.has_value(), [&] {
    return fmt::format(
        "multigrid finds no aggregates with an even extent in local extents {}: use fewer processes, or conjugate "
        "gradients (cgnr)",
        to_string(lattice.local_extents()));
  });
  block[*direction] = even[*direction];
  return block;
}

std::shared_ptr<const Levels> make_domain_wall_levels(const Ref<EvenOddOperator<float>>& dirac,
                                                      const MultigridParameters& parameters) {
  return std::make_shared<DomainWallLevels>(dirac, parameters);
}

}  // namespace kaon::detail
