// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/coarse/coarse_operator.hpp"
#include "multigrid/setup/hierarchy_builder.hpp"
#include "multigrid/setup/level_choice.hpp"
#include "multigrid/staggered/hypercube_operator.hpp"
#include "multigrid/transfer/galerkin.hpp"
#include "tests/gauge/initial_links.hpp"
#include "tests/operators/wilson_cases.hpp"
#include "tests/partitions/coarse_partitions.hpp"
#include "tests/partitions/counted_process.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/multigrid/multigrid.hpp>
#include <kaon/operators/staggered.hpp>
#include <kaon/solvers/krylov.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>

// Multigrid on many processes, and with forced partitions, is that of the whole lattice.
namespace kaon::test {
namespace KAON_TEST_FILE {

using detail::Aggregation;
using detail::CoarseOperator;
using detail::GalerkinMatrices;
using detail::Hierarchy;
using detail::Transfer;

constexpr int vectors = 4;

void expect_part(const SpinorField<float>& parts, const SpinorField<float>& whole) {
  for (int column = 0; column < whole.right_hand_sides(); ++column) {
    EXPECT_LE(largest_difference(parts.to_host(column), part_of(whole.to_host(column), parts.lattice())),
              tolerance<float>)
        << "column " << column;
  }
}

void expect_part(const GalerkinMatrices& parts, const GalerkinMatrices& whole) {
  expect_part(parts.x(), whole.x());
  for (std::size_t mu = 0; mu < 4; ++mu) {
    SCOPED_TRACE("direction " + std::to_string(mu));
    expect_part(parts.y()[mu], whole.y()[mu]);
  }
}

/// The matrices of the next level, from the same noise on any processes.
GalerkinMatrices coarsen(const EvenOddOperator<float>& matrix, const Coordinates& block) {
  const Aggregation aggregation(matrix.lattice(), block);
  return detail::galerkin(matrix, Transfer(aggregation, noise<float>(matrix.lattice(), matrix.domain(),
                                                                     matrix.lattice().is_coarse() ? 8 : vectors)));
}

TEST(GalerkinInParts, MatricesAreThoseOfTheWholeLattice) {
  const Coordinates first{2, 2, 2, 1}, second[] = {{1, 1, 1, 2}, {2, 1, 1, 1}};
  const FermionCase fermion = fermion_cases()[3];
  // Aggregates of the first level and, if its lattice has these, of both second ones.
  const auto matrices = [&](const Lattice& lattice) {
    const auto links = random_links<double>(lattice);
    const auto dirac = converted<float>(*make_operator<double>(links, fermion), fermion, LinkStorage::full);
    std::vector<std::optional<GalerkinMatrices>> levels;
    levels.push_back(coarsen(*dirac, first));
    const CoarseOperator coarse(levels[0]->x(), levels[0]->y(), MultigridPrecision::single);
    for (const Coordinates& block : second) {
      levels.emplace_back();
      if (has_aggregates(lattice.coarsened(first), block)) levels.back() = coarsen(coarse, block);
    }
    return levels;
  };
  OfWhole<std::vector<std::optional<GalerkinMatrices>>> of_whole(matrices);
  int found = 0;
  for (const Partition& partition : partitions({8, 4, 4, 8})) {
    if (!has_aggregates(partition.parts, first)) continue;
    SCOPED_TRACE(partition.name);
    const auto parts = matrices(partition.parts);
    const auto& whole = of_whole(partition);
    ASSERT_TRUE(parts[1] || parts[2]);
    for (std::size_t level = 0; level < parts.size(); ++level) {
      if (parts[level]) expect_part(*parts[level], *whole[level]);
    }
    ++found;
  }
  EXPECT_GE(found, processes().size() <= 4 ? 2 : 0);
}

/// T A T^dag of noise, A the operator of a staggered one on hypercubes.
TEST(GalerkinInParts, HypercubesAreThoseOfTheWholeLattice) {
  const auto applied = [](const Lattice& lattice) {
    const GaugeField<float> links(random_links<double>(lattice), LinkStorage::full);
    const detail::HypercubeOperator hypercubes(links, {0.3, -0.7, 1.1, 2.5}, 0.1, MultigridPrecision::single);
    SpinorField<float> chi = noise<float>(lattice, {.spins = 1}, 2);
    SpinorField<float> in = hypercubes.matrix().make_field(2), out = hypercubes.matrix().make_field(2);
    hypercubes.map().gather(in, chi);
    hypercubes.matrix().apply(out, in);
    hypercubes.map().scatter(chi, out);
    return chi;
  };
  OfWhole<SpinorField<float>> of_whole(applied);
  int found = 0;
  for (const Partition& partition : partitions({8, 4, 4, 8})) {
    if (!has_aggregates(partition.parts, detail::hypercube)) continue;
    SCOPED_TRACE(partition.name);
    expect_part(applied(partition.parts), of_whole(partition));
    ++found;
  }
  EXPECT_GE(found, processes().size() <= 4 ? 1 : 0);
}

constexpr double tight = 1e-10;
/// Rounding of single precision, times 1e4: the condition of the last level, whose inverse a cycle applies.
constexpr double cycle_tolerance = 2e-3;

struct Solution {
  SpinorField<double> x;
  int iterations;
};

struct Hypercubes {
  Coordinates extents;
  std::vector<Coordinates> blocks;

  bool cut(Lattice lattice) const {
    for (const Coordinates& block : blocks) {
      if (!has_aggregates(lattice, block)) return false;
      lattice = lattice.coarsened(block);
    }
    return true;
  }
  std::vector<MultigridCoarsening> levels() const {
    std::vector<MultigridCoarsening> result;
    for (const Coordinates& block : blocks) result.push_back({.block = block, .vectors = vectors, .bootstraps = 1});
    return result;
  }
};

/// Two and three levels.
const std::vector<Hypercubes> hypercubes{{{8, 4, 4, 8}, {{2, 2, 2, 2}}}, {{8, 4, 4, 16}, {{2, 2, 2, 2}, {1, 1, 1, 2}}}};

/// On one process, one lane is cut in no direction and in all. Other cuts of it are left out for their time.
bool is_tried(const Lattice& parts) {
  int cut = 0;
  for (std::size_t mu = 0; mu < 4; ++mu) cut += parts.is_partitioned(mu) ? 1 : 0;
  return processes().size() > 1 || parts.lanes() == Lanes::native || cut == 0 || cut == 4;
}

/// Partitions that the hypercubes cut.
std::vector<Partition> partitions_of(const Hypercubes& cut) {
  std::vector<Partition> all;
  for (Partition& partition : partitions(cut.extents)) {
    if (cut.cut(partition.parts) && is_tried(partition.parts)) all.push_back(std::move(partition));
  }
  return all;
}

/// Makes something on partitions and compares it with that of the whole lattice.
template <class Made>
void expect_same_made(const std::function<Made(const Lattice&, const std::vector<MultigridCoarsening>&)>& make,
                      const std::function<void(const Made& parts, const Made& whole)>& compare,
                      std::vector<Partition> (*choose)(std::vector<Partition>) = nullptr) {
  for (const Hypercubes& cut : hypercubes) {
    OfWhole<Made> of_whole([&](const Lattice& whole) { return make(whole, cut.levels()); });
    std::vector<Partition> all = partitions_of(cut);
    if (choose != nullptr) all = choose(std::move(all));
    for (const Partition& partition : all) {
      SCOPED_TRACE(partition.name + ", " + std::to_string(cut.blocks.size() + 1) + " levels");
      compare(make(partition.parts, cut.levels()), of_whole(partition));
    }
    EXPECT_GE(all.size(), processes().size() <= 4 ? 1u : 0u);
  }
}

/// Solutions are those of the whole lattice, in as many iterations: at the ends of the partitions, since cycles and
/// matrices are compared on all.
void expect_same_solutions(
    const std::function<Solution(const Lattice&, const std::vector<MultigridCoarsening>&)>& solve) {
  expect_same_made<Solution>(
      solve,
      [](const Solution& parts, const Solution& whole) {
        // Both residuals are below `tight`; |M^-1| of this operator is well below 10.
        EXPECT_LE(relative_distance(parts.x, whole.x), 20 * tight);
        EXPECT_LE(std::abs(parts.iterations - whole.iterations), 1);
      },
      ends_of);
}

WilsonClover<double> clover(const Lattice& lattice) {
  return WilsonClover<double>(random_links<double>(lattice),
                              {.mass = -0.2, .csw = 1.0, .boundary = {0.0, 0.0, 0.0, 0.7}});
}

WilsonClover<float> clover_in_single(const Lattice& lattice) {
  return WilsonClover<float>(clover(lattice), LinkStorage::full);
}

TEST(MultigridInParts, CyclesAreThoseOfTheWholeLattice) {
  using Cycled = SpinorField<float>;
  expect_same_made<Cycled>(
      [](const Lattice& lattice, std::vector<MultigridCoarsening> levels) {
        const WilsonClover<float> dirac = clover_in_single(lattice);
        for (MultigridCoarsening& level : levels) level.bootstraps = 0;  // each amplifies rounding
        const MultigridParameters parameters{.levels = levels,
                                             .near_null_vectors = std::make_shared<const SpinorField<float>>(
                                                 noise<float>(lattice, dirac.domain(), vectors)),
                                             .coarse_links = MultigridPrecision::single,
                                             .vectors = MultigridPrecision::single};
        const Hierarchy hierarchy = detail::build_hierarchy(dirac, parameters);
        EXPECT_TRUE(hierarchy.report().exact_bottom);
        EXPECT_LE(hierarchy.report().bottom_error, tolerance<float>);
        Cycled cycled = hierarchy.system().make_field(2);
        hierarchy.cycle().apply(cycled, noise<float>(lattice, hierarchy.system().domain(), 2));
        return cycled;
      },
      [](const Cycled& parts, const Cycled& whole) { EXPECT_LE(relative_distance(parts, whole), cycle_tolerance); });
}

/// A process that counts, and levels of which one lies between the first and the last.
struct CountedLevels {
  std::shared_ptr<CountedProcess::Counts> counts = std::make_shared<CountedProcess::Counts>();
  Lattice lattice{Communicator(std::make_shared<CountedProcess>(counts)),
                  {.extents = {8, 8, 8, 8}, .partition = {true, true, true, true}}};
  std::vector<MultigridCoarsening> levels{{.block = {2, 2, 2, 2}, .vectors = 6, .bootstraps = 0},
                                          {.block = {2, 2, 2, 2}, .vectors = 8, .bootstraps = 0}};
};

TEST(MultigridInParts, KCyclesHaveOneSumAStep) {
  if (processes().size() > 1) GTEST_SKIP() << "one process counts for all";
  const CountedLevels counted;
  const WilsonClover<float> dirac = clover_in_single(counted.lattice);
  for (const int steps : {1, 2}) {
    const Hierarchy hierarchy = detail::build_hierarchy(dirac, {.levels = counted.levels, .cycle_steps = steps});
    const SpinorField<float> b = noise<float>(counted.lattice, hierarchy.system().domain(), 2);
    SpinorField<float> x = hierarchy.system().make_field(2);
    *counted.counts = {};
    hierarchy.cycle().apply(x, b);
    EXPECT_EQ(counted.counts->sums, steps == 1 ? 0 : steps);
  }
}

// Sums and halos for which processes wait in a cycle, and sums of an iteration around it.
TEST(MultigridInParts, CyclesHaveNoSums) {
  if (processes().size() > 1) GTEST_SKIP() << "one process counts for all";
  const CountedLevels counted;
  const auto& [counts, lattice, levels] = counted;
  for (const bool inverted : {true, false}) {
    const WilsonClover<float> dirac = clover_in_single(lattice);
    MultigridParameters parameters{.levels = levels, .cycle_steps = 1, .coarse_links = MultigridPrecision::single};
    if (!inverted) parameters.largest_inverse = 0;
    const Hierarchy hierarchy = detail::build_hierarchy(dirac, parameters);
    ASSERT_EQ(hierarchy.report().exact_bottom, inverted);
    const SpinorField<float> b = noise<float>(lattice, hierarchy.system().domain(), 2);
    SpinorField<float> x = hierarchy.system().make_field(2);
    *counts = {};
    hierarchy.cycle().apply(x, b);
    EXPECT_EQ(counts->sums, 0);
    // On each of two levels 2 of the residual and 6 of the smoother; 2 of the next system's source and solution.
    if (!on_device && inverted) {
      EXPECT_EQ(counts->exchanges, 2 * (2 + 6 + 2));
    }
    std::vector<int> sums;
    for (const int iterations : {1, 3}) {
      blas::set_zero(x);
      *counts = {};
      Gcr<float>(hierarchy.system(), hierarchy.cycle(),
                 {.solve = {.tolerance = 1e-30, .max_iterations = iterations, .max_restarts = 0}})
          .solve(x, b);
      sums.push_back(counts->sums);
    }
    EXPECT_EQ(sums[1] - sums[0], 2) << "one in each iteration";
  }
}

Solution solve_with_multigrid(const Lattice& lattice, const MultigridParameters& parameters) {
  const WilsonClover<double> dirac = clover(lattice);
  const Multigrid multigrid(dirac, parameters);
  Solution solution{dirac.make_field(2), 0};
  const SolveResult result = multigrid.solve(solution.x, noise<double>(lattice, dirac.domain(), 2));
  EXPECT_TRUE(result.converged());
  EXPECT_LE(result.true_residual(), tight);
  EXPECT_TRUE(multigrid.report().exact_bottom);
  solution.iterations = result.iterations();
  return solution;
}

TEST(MultigridInParts, OfSinglePrecisionSolvesAsOnTheWhole) {
  expect_same_solutions([](const Lattice& lattice, const std::vector<MultigridCoarsening>& levels) {
    return solve_with_multigrid(lattice, {.tolerance = tight,
                                          .levels = levels,
                                          .smoothing = MultigridPrecision::single,
                                          .coarse_links = MultigridPrecision::single});
  });
}

TEST(MultigridInParts, OfHalfPrecisionSolvesAsOnTheWhole) {
  expect_same_solutions([](const Lattice& lattice, const std::vector<MultigridCoarsening>& levels) {
    return solve_with_multigrid(lattice, {.tolerance = tight, .levels = levels});
  });
}

TEST(MultigridInParts, OfStaggeredQuarksSolvesAsOnTheWhole) {
  expect_same_solutions([](const Lattice& lattice, const std::vector<MultigridCoarsening>& levels) {
    const GaugeField<double> links = weak_links<double>(lattice, 0.2, 3);
    const Staggered<double> dirac(links, {.mass = 0.1, .boundary = {0.0, 0.0, 0.0, 0.7}});
    // The first block is that of hypercubes.
    const MultigridCoarsening of_one{.block = {1, 1, 1, 1}, .vectors = vectors, .bootstraps = 1};
    const Multigrid multigrid(dirac, {.tolerance = tight, .levels = {levels.size() > 1 ? levels[1] : of_one}});
    Solution solution{dirac.make_field(2), 0};
    const SolveResult result = multigrid.solve(solution.x, noise<double>(lattice, dirac.domain(), 2));
    EXPECT_TRUE(result.converged());
    solution.iterations = result.iterations();
    return solution;
  });
}

// Nothing but the operator is given.
TEST(MultigridInParts, SolvesWithLevelsOfItsOwn) {
  const std::vector<Partition> all = partitions({8, 4, 4, 8});
  if (all.empty()) GTEST_SKIP() << "no partition of this lattice for so many processes";
  const Partition& partition = processes().size() == 1 ? all.back() : all.front();
  const Solution whole = solve_with_multigrid(partition.whole, {}), parts = solve_with_multigrid(partition.parts, {});
  EXPECT_LE(relative_distance(parts.x, whole.x), 20 * tight);
}

/// Whether all processes have the same number.
bool is_common(int number) {
  double extremes[] = {static_cast<double>(number), -static_cast<double>(number)};
  processes().maximum(extremes);
  return extremes[0] == -extremes[1];
}

TEST(MultigridInParts, ChosenLevelsCutTheLattice) {
  for (const Coordinates& extents : {Coordinates{8, 8, 8, 8}, {8, 16, 8, 24}, {16, 8, 12, 16}}) {
    for (const Partition& partition : partitions(extents)) {
      SCOPED_TRACE(partition.name);
      const std::vector<MultigridCoarsening> levels = detail::choose_levels(partition.parts);
      ASSERT_FALSE(levels.empty());
      ASSERT_TRUE(is_common(static_cast<int>(levels.size())));
      EXPECT_NO_THROW(detail::require_levels(partition.parts, levels));
      Lattice lattice = partition.parts;
      for (const MultigridCoarsening& level : levels) {
        for (const int extent : level.block) EXPECT_TRUE(is_common(extent));
        ASSERT_TRUE(has_aggregates(lattice, level.block)) << to_string(level.block);
        lattice = lattice.coarsened(level.block);
      }
    }
  }
}

TEST(MultigridInParts, LevelsThatThereAreNotAreAnErrorOnAllProcesses) {
  const int size = processes().size();
  const Lattice narrow(
      processes(),
      {.extents = {2, 2, 2, 2 * size}, .process_grid = {1, 1, 1, size}, .partition = {true, true, true, true}});
  KAON_EXPECT_ERROR(detail::choose_levels(narrow), "finds no aggregates on a local lattice of 2x2x2x2");
  KAON_EXPECT_ERROR(detail::choose_levels(narrow), "fewer processes");
  const Wilson<double> dirac(random_links<double>(narrow), {.mass = 0.1});
  KAON_EXPECT_ERROR(Multigrid(dirac, {}), "finds no aggregates");

  const Lattice cut(
      processes(),
      {.extents = {4, 4, 4, 4 * size}, .process_grid = {1, 1, 1, size}, .partition = {false, false, false, true}});
  EXPECT_NO_THROW(detail::require_levels(cut, {{.block = {4, 4, 4, 2}}}));
  KAON_EXPECT_ERROR(
      detail::require_levels(cut, {{.block = {4, 4, 4, 4}}}),
      "aggregates of 4 sites in direction 3 do not cut a local lattice of 4, which processes share, to an "
      "even number");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
