// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/blas/column_products.hpp"
#include "tests/operators/wilson_cases.hpp"
#include "tests/partitions/counted_process.hpp"
#include "tests/partitions/partitions.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/core/random.hpp>
#include <kaon/operators/normal.hpp>
#include <kaon/operators/schur.hpp>
#include <kaon/operators/staggered.hpp>
#include <kaon/quarks/multi_mass_solver.hpp>
#include <kaon/quarks/propagator_solver.hpp>
#include <kaon/solvers/adapters.hpp>
#include <kaon/solvers/eigenvectors.hpp>
#include <kaon/solvers/krylov.hpp>
#include <kaon/solvers/multi_shift_cg.hpp>

#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace kaon::test {
namespace KAON_TEST_FILE {

constexpr double tight = 1e-11;

/// On native lanes, every other partition and the last: hops and sums have tests of their own on all of them.
std::vector<Partition> some_partitions() {
  std::vector<Partition> native, some;
  for (Partition& partition : partitions({8, 4, 4, 8})) {
    if (partition.parts.lanes() == Lanes::native) native.push_back(std::move(partition));
  }
  for (std::size_t k = 0; k < native.size(); ++k) {
    if (k % 2 == 0 || k + 1 == native.size()) some.push_back(std::move(native[k]));
  }
  return some;
}

// Each process would wait for messages of another search.
TEST(EigenvectorsOverProcesses, NeedTheSameNumbers) {
  const Lattice lattice = some_partitions()[0].parts;
  if (lattice.communicator().size() == 1) return;
  const StaggeredNormal<double> normal(Staggered<double>(random_links<double>(lattice), {.mass = 0.1}));
  KAON_EXPECT_ERROR((void)find_eigenvectors(normal, {.count = lattice.communicator().rank()}),
                    "processes were given different searches for eigenvectors: count 0, smallest, basis 0, ");
}

// Processes agree in each of the first eight iterations, and then in every eighth.
TEST(SolversOverProcesses, EndTogetherSoonAfterOneOfThemSaysSo) {
  for (const Partition& partition : some_partitions()) {
    SCOPED_TRACE(partition.name);
    const Communicator& processes = partition.parts.communicator();
    const Staggered<double> dirac(random_links<double>(partition.parts), {.mass = 0.001});
    const StaggeredNormal<double> normal(dirac);
    SpinorField<double> b = normal.make_field(1);
    set_gaussian(b, {.seed = 11});
    for (const int last : {5, 11, 16}) {
      int told = 0;
      const auto on_iteration = [&](int iteration, std::span<const double>) {
        told = iteration;
        return processes.rank() + 1 < processes.size() || iteration < last;
      };
      SpinorField<double> x = normal.make_field(1);
      const SolveResult result = Cg<double>(normal, {.tolerance = 1e-14}).solve(x, b, {.progress = on_iteration});
      EXPECT_TRUE(result.stopped);
      EXPECT_EQ(result.right_hand_sides[0].status, SolveStatus::stopped);
      EXPECT_EQ(result.iterations(), processes.size() > 1 && last == 11 ? 16 : last);
      EXPECT_EQ(told, processes.rank() + 1 < processes.size() ? result.iterations() : last);
    }
  }
}

// Iterations of several shifts change from double to single at any of them, and a process says only once that it stops.
TEST(SolversOverProcesses, EndTogetherWhereIterationsChangeTheirPrecision) {
  for (const Partition& partition : some_partitions()) {
    SCOPED_TRACE(partition.name);
    const Communicator& processes = partition.parts.communicator();
    const Staggered<double> dirac(random_links<double>(partition.parts), {.mass = 1.0});
    const Staggered<float> rounded(dirac);
    const StaggeredNormal<double> normal(dirac);
    const StaggeredNormal<float> inner(rounded);
    const std::vector<double> shifts{0.0, 1.0};
    SpinorField<double> b = normal.make_field(1);
    set_gaussian(b, {.seed = 11});
    // In the second eight iterations, which change at another residual with each tolerance.
    constexpr int last = 9;
    for (const double tolerance : {1e-8, 1e-9, 1e-10, 1e-11}) {
      SCOPED_TRACE(tolerance);
      std::vector<SpinorField<double>> x;
      for (std::size_t s = 0; s < shifts.size(); ++s) x.push_back(normal.make_field(1));
      const auto on_iteration = [&](int iteration, std::span<const double>) {
        return processes.rank() + 1 < processes.size() || iteration != last;
      };
      const MultiShiftCg<double, float> solver(normal, inner, shifts, {.tolerance = tolerance});
      for (const SolveResult& result : solver.solve(x, b, {.progress = on_iteration})) {
        EXPECT_TRUE(result.stopped);
        EXPECT_LE(result.iterations(), last + 7);
      }
    }
  }
}

TEST(SolversOverProcesses, FindTheSolutionOfTheWholeLattice) {
  const FermionCase fermion = fermion_cases()[2];
  const auto solve = [&](const Lattice& lattice, bool with_blocks) {
    const auto dirac = make_operator<double>(random_links<double>(lattice), fermion);
    const auto rounded = converted<half>(*dirac, fermion, LinkStorage::two_rows);
    const Schur<double> schur(*dirac, {});
    const Schur<half> half_schur(*rounded, {});
    const SpinorField<double> b = gaussian<double>(lattice, 2).parity(Parity::even);
    SpinorField<double> x = schur.make_field(2);
    SolveResult result;
    if (with_blocks) {
      const Schwarz<half> schwarz(half_schur, {.steps = 6});
      const Gcr<half> gcr(half_schur, schwarz, {.solve = {.tolerance = 0.1}});
      result = InPrecision<double, half>(schur, gcr, {.tolerance = tight, .max_refinements = 100}).solve(x, b);
    } else {
      result = BiCgStab<double, half>(schur, half_schur, {.tolerance = tight}).solve(x, b);
    }
    EXPECT_TRUE(result.converged());
    EXPECT_LE(result.true_residual(), tight);
    return x;
  };
  OfWhole<SpinorField<double>> of_whole([&](const Lattice& lattice) { return solve(lattice, false); });
  for (const Partition& partition : some_partitions()) {
    SCOPED_TRACE(partition.name);
    const SpinorField<double>& whole = of_whole(partition);
    // Both residuals are below `tight`; |M^-1| of this operator is well below 10.
    EXPECT_LE(relative_distance(solve(partition.parts, false), whole), 20 * tight);
    EXPECT_LE(relative_distance(solve(partition.parts, true), whole), 20 * tight);
  }
}

// For a sum all processes wait; blocks are solved without any.
TEST(SolversOverProcesses, GcrWithBlocksHasOneSumAnIteration) {
  if (processes().size() > 1) GTEST_SKIP() << "one process counts for all";
  const auto counts = std::make_shared<CountedProcess::Counts>();
  const Lattice lattice(Communicator(std::make_shared<CountedProcess>(counts)),
                        {.extents = {8, 4, 4, 8}, .partition = {true, false, false, true}});
  const auto dirac = make_operator<double>(random_links<double>(lattice), fermion_cases()[0]);
  const Schur<double> schur(*dirac, {});
  const Schwarz<double> blocks(schur, {.steps = 6});
  const SpinorField<double> b = gaussian<double>(lattice, 1).parity(Parity::even);
  SpinorField<double> x = schur.make_field(1);
  constexpr int space = 8;
  const auto sums_of = [&](int iterations) {
    blas::set_zero(x);
    *counts = {};
    const Gcr<double> gcr(
        schur, blocks,
        {.krylov_space = space, .solve = {.tolerance = 1e-30, .max_iterations = iterations, .max_restarts = 0}});
    EXPECT_EQ(gcr.solve(x, b).iterations(), iterations);
    return counts->sums;
  };
  EXPECT_EQ(sums_of(space) - sums_of(space / 2), space / 2);
  EXPECT_LE(sums_of(2 * space) - sums_of(space), space + 2) << "two more where the directions are dropped";
}

// All processes have the same bits of a Gram matrix, and iterate as often as one process does.
TEST(SolversOverProcesses, ShareTheDirectionsOfAllColumns) {
  struct Solved {
    SpinorField<double> x;
    std::vector<int> iterations;
  };
  const auto solve = [&](const Lattice& lattice) {
    const Staggered<double> dirac(random_links<double>(lattice), {.mass = 0.1});
    const Staggered<float> rounded(dirac);
    const StaggeredNormal<double> normal(dirac);
    const StaggeredNormal<float> inner(rounded);
    SpinorField<double> b = normal.make_field(4);
    set_gaussian(b, {.seed = 11});
    const detail::SmallMatrix gram = detail::gram(b).wait();
    std::vector<std::complex<double>> numbers{gram(0, 1), gram(2, 3), gram(3, 3)}, first = numbers;
    lattice.communicator().broadcast(first.data(), first.size() * sizeof(first[0]), 0);
    EXPECT_EQ(numbers, first);
    Solved solved{normal.make_field(4), {}};
    const SolveResult result = BlockCg<double, float>(normal, inner, {.tolerance = tight}).solve(solved.x, b);
    EXPECT_TRUE(result.converged());
    for (const auto& side : result.right_hand_sides) solved.iterations.push_back(side.iterations);
    return solved;
  };
  OfWhole<Solved> of_whole(solve);
  for (const Partition& partition : some_partitions()) {
    SCOPED_TRACE(partition.name);
    const Solved &whole = of_whole(partition), parts = solve(partition.parts);
    EXPECT_LE(relative_distance(parts.x, whole.x), 1000 * tight);
    for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(parts.iterations[k], whole.iterations[k], 2);
  }
}

// Several masses of staggered fermions in one Krylov space, and shifts of a Wilson normal operator.
TEST(SolversOverProcesses, FindTheSolutionsOfAllShifts) {
  const std::vector<double> masses{0.2, 0.7};
  const auto solve_masses = [&](const Lattice& lattice) {
    const Staggered<double> dirac(random_links<double>(lattice), {.mass = 0.2});
    SpinorField<double> b = dirac.make_field(2);
    set_gaussian(b, {.seed = 11});
    std::vector<SpinorField<double>> x;
    for (int s = 0; s < 2; ++s) x.push_back(dirac.make_field(2));
    for (const SolveResult& result : MultiMassSolver(dirac, masses, {.tolerance = tight}).solve(x, b)) {
      EXPECT_TRUE(result.converged());
      EXPECT_LE(result.true_residual(), tight);
    }
    return x;
  };
  const auto solve_shifts = [&](const Lattice& lattice) {
    const WilsonClover<double> dirac(random_links<double>(lattice), {.mass = 0.1, .csw = 1.3});
    const WilsonClover<float> rounded(dirac);
    const NormalOperator<double> normal(Schur<double>{dirac});
    const NormalOperator<float> inner(Schur<float>{rounded});
    const SpinorField<double> b = gaussian<double>(lattice, 2).parity(Parity::even);
    std::vector<SpinorField<double>> x;
    for (int s = 0; s < 2; ++s) x.push_back(normal.make_field(2));
    const MultiShiftCg<double, float> solver(normal, inner, {0.0, 0.5}, {.tolerance = tight});
    for (const SolveResult& result : solver.solve(x, b)) EXPECT_TRUE(result.converged());
    return x;
  };
  using Solutions = std::vector<SpinorField<double>>;
  for (const auto& solve : {std::function<Solutions(const Lattice&)>(solve_masses),
                            std::function<Solutions(const Lattice&)>(solve_shifts)}) {
    OfWhole<Solutions> of_whole(solve);
    for (const Partition& partition : some_partitions()) {
      SCOPED_TRACE(partition.name);
      const Solutions &whole = of_whole(partition), parts = solve(partition.parts);
      ASSERT_EQ(parts.size(), whole.size());
      for (std::size_t s = 0; s < whole.size(); ++s) EXPECT_LE(relative_distance(parts[s], whole[s]), 100 * tight);
    }
  }
}

// Iterations with halos rounded to 16 bits are those of a neighbour of the operator, whose residual still counts.
TEST(SolversOverProcesses, SolveWithRoundedHalos) {
  const std::vector<Partition> all = partitions({8, 4, 4, 8});
  if (all.empty()) GTEST_SKIP() << "no partition of this lattice for so many processes";
  const Lattice& parts = all.back().parts;
  const WilsonClover<double> dirac(random_links<double>(parts), {.mass = 0.1, .csw = 1.3});
  const SpinorField<double> b = gaussian<double>(parts, 2);
  for (const InnerPrecision inner : {InnerPrecision::half, InnerPrecision::single, InnerPrecision::outer}) {
    const PropagatorSolver solver(dirac, {.tolerance = tight, .inner = inner, .halo = HaloPrecision::half});
    SpinorField<double> x = dirac.make_field(2);
    const SolveResult result = solver.solve(x, b);
    EXPECT_TRUE(result.converged());
    SpinorField<double> r = dirac.make_field(2);
    dirac.apply(r, x);
    const blas::Reals r_norm2 = blas::xmy_norm2(r, b), b_norm2 = blas::norm2(b);
    for (std::size_t k = 0; k < 2; ++k) EXPECT_LE(std::sqrt(r_norm2[k] / b_norm2[k]), tight);
  }
}

TEST(SolversOverProcesses, HaveBlocksThatDoNotSeeEachOther) {
  // A field on one process's sites alone: what the whole operator makes of it there is what its block makes of it.
  for (const Partition& partition : partitions({8, 4, 4, 8})) {
    const Lattice& parts = partition.parts;
    bool meets_itself = false;
    for (std::size_t mu = 0; mu < 4; ++mu) {
      meets_itself = meets_itself || (parts.is_partitioned(mu) && parts.process_grid()[mu] == 1);
    }
    if (meets_itself || !parts.is_partitioned()) continue;
    for (const FermionCase& fermion : {fermion_cases()[1], fermion_cases()[3]}) {
      SCOPED_TRACE(fermion.name + " on " + partition.name);
      const auto whole = make_operator<double>(random_links<double>(parts), fermion);
      const auto block = blockable(*whole).on_blocks({});
      SpinorField<double> in = gaussian<double>(parts, 2);
      const bool mine = parts.communicator().rank() == 0;
      if (!mine) blas::set_zero(in);
      SpinorField<double> out(parts, in.parameters()), cut(parts, in.parameters());
      whole->apply(out, in);
      SpinorField<double> cut_here = cut.on(block->lattice());
      block->apply(cut_here, in.on(block->lattice()));
      const HostValues expected = out.to_host(1), found = cut.to_host(1);
      if (mine) {
        EXPECT_LE(largest_difference(found, expected), 1e-12);
      } else {
        EXPECT_EQ(largest_difference(found, HostValues(found.size())), 0.0);
      }
      // The neighbours do see it in the whole operator.
      double seen[] = {mine ? 0.0 : largest_difference(expected, HostValues(expected.size()))};
      parts.communicator().maximum(seen);
      EXPECT_GT(seen[0], 1e-2);
    }
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
