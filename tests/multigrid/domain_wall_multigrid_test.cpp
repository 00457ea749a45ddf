// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/device/allocated_bytes.hpp"
#include "multigrid/domain_wall/domain_wall_levels.hpp"
#include "multigrid/test_seams.hpp"
#include "tests/multigrid/quenched_field.hpp"
#include "tests/reference/domain_wall.hpp"
#include "tests/reference/vectors.hpp"
#include "tests/support/error_text.hpp"
#include "tests/support/relative_difference.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/multigrid/multigrid.hpp>
#include <kaon/operators/domain_wall.hpp>
#include <kaon/operators/schur.hpp>
#include <kaon/operators/twisted_mass.hpp>
#include <kaon/solvers/adapters.hpp>
#include <kaon/solvers/krylov.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <memory>
#include <span>
#include <vector>

namespace kaon::test {
namespace KAON_TEST_FILE {

constexpr double tolerance = 1e-9;

DomainWallParameters light() { return {.mass = 0.005, .slices = 4, .b = 1.5, .c = 0.5}; }

MultigridParameters sliced_levels(int vectors, int iterations) {
  return {.tolerance = tolerance,
          .levels = {{.block = {4, 4, 4, 4}, .vectors = vectors, .bootstraps = 0}},
          .relaxation_steps = iterations};
}

/// |b - D' x| / |b| by nested loops.
double slow_residual(const GaugeField<double>& links, const DomainWallParameters& p, const SpinorField<double>& x,
                     const SpinorField<double>& b, int right_hand_side) {
  const auto count = static_cast<std::size_t>(p.slices);
  reference::DomainWallParameters slow{.mass = p.mass, .b = p.b_of_slices, .c = p.c_of_slices, .kernel = {}};
  slow.lower_mass = p.lower_mass;
  if (slow.b.empty()) {
    slow.b.assign(count, p.b);
    slow.c.assign(count, p.c);
  }
  slow.kernel.mass = -p.m5;
  for (std::size_t mu = 0; mu < 4; ++mu) slow.kernel.boundary_phases[mu] = std::polar(1.0, p.boundary[mu]);
  const reference::DomainWallOperator dirac(links.to_host(), links.lattice().extents(), slow);
  const reference::Slices image = dirac.apply_primed(reference::cut(x.to_host(right_hand_side), count));
  return reference::relative_difference(reference::joined(image), b.to_host(right_hand_side));
}

SolveResult solve_by_cgnr(const DomainWall<double>& dirac, SpinorField<double>& x, const SpinorField<double>& b,
                          double end = tolerance) {
  const EvenOddSolver<double> solver(
      Cgnr<double>(Schur<double>(dirac, {.form = SchurForm::asymmetric}), {.tolerance = end}));
  return solver.solve(x, b);
}

TEST(DomainWallMultigrid, SolvesAsCgnrDoesInFewerIterations) {
  const GaugeField<double> links = quenched_links();
  const DomainWall<double> dirac(links, light());
  const Multigrid<double> multigrid(dirac, sliced_levels(12, 100));
  EXPECT_TRUE(multigrid.report().exact_bottom);
  EXPECT_LT(multigrid.report().bottom_error, 1e-2);
  EXPECT_GT(multigrid.report().levels.front().smallest_pivot, 1e-3);
  const SpinorField<double> b = noise(dirac, 2);
  SpinorField<double> x = dirac.make_field(2), y = dirac.make_field(2);
  const SolveResult by_cgnr = solve_by_cgnr(dirac, y, b), by_multigrid = multigrid.solve(x, b);
  require_converged(by_multigrid);
  constexpr int factor = 3;
  EXPECT_LT(factor * by_multigrid.iterations(), by_cgnr.iterations());
  for (int k = 0; k < 2; ++k) EXPECT_LT(slow_residual(links, light(), x, b, k), 1.01 * tolerance);
  const double error = relative_difference(x, y);
  EXPECT_LT(error, 1e3 * tolerance);
  EXPECT_LT(error, by_cgnr.error() + by_multigrid.error());
}

TEST(DomainWallMultigrid, SolvesForEachOperator) {
  const GaugeField<double> links = small_links();
  const std::vector<std::complex<double>> b_of_slices{{1.46, 0.2}, {0.73, -0.1}, {1.1, 0.0}},
      c_of_slices{{0.46, -0.3}, {-0.27, 0.1}, {0.2, 0.05}};
  const std::vector<DomainWallParameters> all{
      {.mass = 0.04, .slices = 4},
      {.mass = 0.1, .m5 = 1.4, .slices = 3, .b_of_slices = b_of_slices, .c_of_slices = c_of_slices},
      {.mass = 0.04, .slices = 4, .b = 1.5, .c = 0.5, .lower_mass = 1.0},  // of the exact one-flavour action
      {.mass = 0.1, .slices = 1, .b = 1.5, .c = 0.5, .boundary = {0.3, -0.7, 1.1, 2.5}}};
  for (const DomainWallParameters& p : all) {
    SCOPED_TRACE(p.slices);
    const DomainWall<double> dirac(links, p);
    const Multigrid<double> multigrid(dirac, sliced_levels(4, 20));
    const SpinorField<double> b = noise(dirac, 3);
    SpinorField<double> x = dirac.make_field(3);
    require_converged(multigrid.solve(x, b));
    EXPECT_LT(slow_residual(links, p, x, b, 2), 1.01 * tolerance);
  }
  const DomainWall<float> single(DomainWall<double>(links, all[0]));
  MultigridParameters parameters = sliced_levels(4, 20);
  parameters.tolerance = 1e-5;
  const Multigrid<float> multigrid(single, parameters);
  const SpinorField<float> b = noise(single, 1);
  SpinorField<float> x = single.make_field(1);
  require_converged(multigrid.solve(x, b));
}

/// Bootstraps improve vectors of few iterations. Unless their number is given, they are made where convergence is bad.
TEST(DomainWallMultigrid, ImprovesItsVectors) {
  const DomainWall<double> dirac(quenched_links(), light());
  const SpinorField<double> b = noise(dirac, 1);
  MultigridParameters parameters = sliced_levels(8, 30);
  const auto iterations = [&](int bootstraps) {
    parameters.levels.front().bootstraps = bootstraps;
    const Multigrid<double> multigrid(dirac, parameters);
    EXPECT_EQ(multigrid.report().bootstraps, bootstraps);
    SpinorField<double> x = dirac.make_field(1);
    const SolveResult result = multigrid.solve(x, b);
    require_converged(result);
    return result.iterations();
  };
  EXPECT_LT(4 * iterations(2), 3 * iterations(0));
  parameters.levels.front().bootstraps.reset();
  EXPECT_EQ(Multigrid<double>(dirac, parameters).report().bootstraps, 0);
  parameters.smoothing_steps = 1;
  EXPECT_GT(Multigrid<double>(dirac, parameters).report().bootstraps, 0);
}

/// With two P during a bootstrap 24 vectors take 64 MB.
TEST(DomainWallMultigrid, HasAsManyVectorsAsFitTheMemory) {
  const DomainWall<double> dirac(quenched_links(), light());
  const detail::PretendedMemory little(54e6);
  const Multigrid<double> multigrid(dirac, {.relaxation_steps = 20});
  EXPECT_EQ(multigrid.report().levels.back().components, 16);
}

/// Half of the vectors are enough where convergence is good; bootstraps make all.
TEST(DomainWallMultigrid, StartsWithHalfOfItsVectors) {
  const DomainWall<double> dirac(quenched_links(), light());
  const detail::PretendedMemory memory(85e6);  // of 32 vectors
  MultigridParameters parameters{.relaxation_steps = 40};
  const Multigrid<double> half(dirac, parameters);
  EXPECT_EQ(half.report().bootstraps, 0);
  EXPECT_EQ(half.report().levels.back().components, 16);
  parameters.smoothing_steps = 1;
  parameters.near_null_vectors = std::make_shared<const SpinorField<float>>(half.near_null_vectors().range(0, 2));
  const Multigrid<double> all(dirac, parameters);
  EXPECT_GT(all.report().bootstraps, 0);
  EXPECT_EQ(all.report().levels.back().components, 32);
}

TEST(DomainWallMultigrid, CoversErrors) {
  const DomainWall<double> dirac(quenched_links(), light());
  const SpinorField<double> b = noise(dirac, 3);
  SpinorField<double> exact = dirac.make_field(3), x = dirac.make_field(3);
  require_converged(solve_by_cgnr(dirac, exact, b, 1e-13));
  const SolveResult result = Multigrid<double>(dirac, sliced_levels(8, 60)).solve(x, b);
  require_converged(result);
  for (int k = 0; k < 3; ++k) {
    const auto& side = result.right_hand_sides[static_cast<std::size_t>(k)];
    const double error = relative_difference(x.range(k, 1), exact.range(k, 1));
    EXPECT_FALSE(side.error_at_least);
    EXPECT_GT(error, tolerance);
    EXPECT_LT(error, side.error);
    EXPECT_LT(side.error, 100.0 * error);
  }
}

TEST(DomainWallMultigrid, SolvesForAsManyColumnsAsFitTheMemory) {
  const DomainWall<double> dirac(quenched_links(), light());
  const Multigrid<double> multigrid(dirac, sliced_levels(6, 40));
  const SpinorField<double> b = noise(dirac, 3);
  SpinorField<double> x = dirac.make_field(3), alone = dirac.make_field(1);
  require_converged(multigrid.solve(alone, b.range(0, 1)));  // memory is counted again for more columns
  const detail::PretendedMemory little(1e6);
  std::size_t most = 0;
  SolveRequest request;
  request.progress = [&](int, std::span<const double> residuals) {
    most = std::max(most, residuals.size());
    return true;
  };
  const SolveResult result = multigrid.solve(x, b, request);
  require_converged(result);
  EXPECT_EQ(result.right_hand_sides.size(), 3U);
  EXPECT_EQ(most, 1U);
}

TEST(DomainWallMultigrid, CountsTheFieldsOfItsSolves) {
  const DomainWall<double> dirac(quenched_links(), light());
  const auto peak = [&](int right_hand_sides) {
    const Multigrid<double> multigrid(dirac, sliced_levels(4, 20));
    const SpinorField<double> b = noise(dirac, right_hand_sides);
    SpinorField<double> x = dirac.make_field(right_hand_sides);
    const detail::AllocatedBytes bytes;
    require_converged(multigrid.solve(x, b));
    return static_cast<double>(bytes.fields().peak);
  };
  const Lattice& lattice = dirac.lattice();
  const double of_field = 4.0 * static_cast<double>(lattice.volume()) * dirac.domain().components_of_all_slices();
  const double fields = (peak(5) - peak(2)) / 3.0 / of_field;
  EXPECT_LE(fields, detail::fields_of_domain_wall_solve);
  EXPECT_GE(fields, 0.9 * detail::fields_of_domain_wall_solve);
}

/// The coarse lattice by conjugate gradients instead of its inverse.
TEST(DomainWallMultigrid, NeedsNoInverseOfTheCoarseOperator) {
  const DomainWall<double> dirac(quenched_links(), light());
  MultigridParameters parameters = sliced_levels(6, 60);
  const SpinorField<double> b = noise(dirac, 1);
  SpinorField<double> x = dirac.make_field(1), y = dirac.make_field(1);
  const int by_inverse = Multigrid<double>(dirac, parameters).solve(x, b).iterations();
  parameters.largest_inverse = 0;
  const Multigrid<double> multigrid(dirac, parameters);
  EXPECT_FALSE(multigrid.report().exact_bottom);
  const SolveResult result = multigrid.solve(y, b);
  require_converged(result);
  EXPECT_LT(result.iterations(), by_inverse + by_inverse / 4 + 2);
}

/// A third level serves in place of the inverse on the second.
TEST(DomainWallMultigrid, HasAThirdLevel) {
  const GaugeField<double> links = quenched_links();
  const DomainWall<double> dirac(links, light());
  MultigridParameters parameters = sliced_levels(6, 60);
  parameters.levels.front().bootstraps = 1;
  const SpinorField<double> b = noise(dirac, 2);
  SpinorField<double> x = dirac.make_field(2), y = dirac.make_field(2);
  const int by_two = Multigrid<double>(dirac, parameters).solve(x, b).iterations();
  parameters.levels.push_back({.block = {2, 2, 1, 2}, .vectors = 4});
  const Multigrid<double> multigrid(dirac, parameters);
  ASSERT_EQ(multigrid.report().levels.size(), 3U);
  EXPECT_EQ(multigrid.report().levels.back().extents, (Coordinates{1, 1, 2, 1}));
  EXPECT_TRUE(multigrid.report().exact_bottom);
  const SolveResult result = multigrid.solve(y, b);
  require_converged(result);
  EXPECT_LT(result.iterations(), by_two + by_two / 4 + 2);
  EXPECT_LT(slow_residual(links, light(), y, b, 1), 1.01 * tolerance);
}

/// Vectors of another mass serve as they are.
TEST(DomainWallMultigrid, IsUpdatedForAnotherMassAndForChangedLinks) {
  const GaugeField<double> links = quenched_links();
  DomainWallParameters heavier = light();
  heavier.mass = 0.02;
  const DomainWall<double> dirac(links, light()), other(links, heavier);
  MultigridParameters parameters = sliced_levels(6, 60);
  parameters.levels.front().bootstraps.reset();
  const Multigrid<double> first(dirac, parameters), second = first.updated(other);
  EXPECT_EQ(second.report().bootstraps, 0);
  const auto& parts = second.report().parts;
  EXPECT_TRUE(
      std::ranges::none_of(parts, [](const auto& part) { return part.name == "vectors" && part.seconds > 0.0; }));
  const SpinorField<double> b = noise(dirac, 1);
  SpinorField<double> x = dirac.make_field(1), y = dirac.make_field(1);
  const SolveResult of_first = first.solve(x, b), of_second = second.solve(y, b);
  require_converged(of_second);
  EXPECT_LE(of_second.iterations(), of_first.iterations() + 2);
  EXPECT_LT(slow_residual(links, heavier, y, b, 0), 1.01 * tolerance);
  const DomainWall<double> moved(changed(links, 0.02), light());
  SpinorField<double> z = dirac.make_field(1);
  const SolveResult of_third = first.updated(moved).solve(z, b);
  require_converged(of_third);
  EXPECT_LE(of_third.iterations(), of_first.iterations() + 5);
  EXPECT_LT(slow_residual(moved.links(), light(), z, b, 0), 1.01 * tolerance);
}

/// Vectors of another number of slices serve as they are.
TEST(DomainWallMultigrid, IsUpdatedForAnotherNumberOfSlices) {
  const GaugeField<double> links = quenched_links();
  const auto quark = [](int slices) {
    DomainWallParameters parameters = light();
    parameters.slices = slices;
    return parameters;
  };
  const auto iterations = [&](const Multigrid<double>& multigrid, int slices) {
    const SpinorField<double> b = noise(DomainWall<double>(links, quark(slices)), 1);
    SpinorField<double> x(b.lattice(), b.parameters());
    const SolveResult result = multigrid.solve(x, b);
    require_converged(result);
    EXPECT_LT(slow_residual(links, quark(slices), x, b, 0), 1.01 * tolerance);
    return result.iterations();
  };
  const Multigrid<double> first(DomainWall<double>(links, quark(4)), sliced_levels(6, 60));
  const int own = iterations(first, 4);
  for (const int slices : {3, 6}) {
    EXPECT_LE(iterations(first.updated(DomainWall<double>(links, quark(slices))), slices), own + own / 5) << slices;
  }
}

TEST(DomainWallMultigrid, RefusesWhatDoesNotFit) {
  const DomainWall<double> dirac(small_links(), {.mass = 0.1, .slices = 2});
  MultigridParameters parameters = sliced_levels(4, 10);
  parameters.levels.resize(3, parameters.levels.front());
  KAON_EXPECT_ERROR(Multigrid<double>(dirac, parameters), "has up to two coarse levels, but 3 are given");
  parameters.levels = {{.block = {2, 2, 2, 2}, .vectors = 4}};
  KAON_EXPECT_ERROR(Multigrid<double>(dirac, parameters), "aggregates of 2x2x2x2 sites are too small");
  parameters = sliced_levels(4, 10);
  parameters.near_null_vectors = std::make_shared<const SpinorField<float>>(
      dirac.lattice(), SpinorParameters{.subset = Subset::even, .right_hand_sides = 8});
  KAON_EXPECT_ERROR(Multigrid<double>(dirac, parameters),
                    "give fields of 4 spins and 3 colours on even sites, 2 slices");
  parameters.near_null_vectors = std::make_shared<const SpinorField<float>>(
      dirac.lattice(), SpinorParameters{.subset = Subset::even, .right_hand_sides = 8, .slices = 2});
  KAON_EXPECT_ERROR(Multigrid<double>(dirac, parameters), "depend on each other in an aggregate of 4x4x4x4 sites");
  parameters = sliced_levels(4, 10);
  parameters.worst_convergence = 1e-3;
  KAON_EXPECT_ERROR(Multigrid<double>(dirac, parameters), "multigrid converges badly on these links");
  const detail::PretendedMemory memory(1e6);
  KAON_EXPECT_ERROR(Multigrid<double>(dirac, sliced_levels(4, 10)), "GB are free: use more processes, fewer vectors");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
