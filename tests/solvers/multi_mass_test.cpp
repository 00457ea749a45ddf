// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "operators/stencil_list.hpp"
#include "tests/gauge/test_lattices.hpp"
#include "tests/operators/improved_cases.hpp"
#include "tests/solvers/solver_cases.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/operators/staggered.hpp>
#include <kaon/operators/wilson.hpp>
#include <kaon/propagators/multi_mass_solver.hpp>
#include <kaon/propagators/sources.hpp>

#include <limits>
#include <numeric>

namespace kaon::test {
namespace {

const std::vector<double> masses{0.3, 0.1, -0.6};
constexpr double tolerance = 1e-10;

struct Family {
  std::string name;
  MultiMassSolver::MakeOperator dirac_of;
};

/// Naive fermions on rough links; improved ones with links in no group and in U(3), and complex boundary phases.
std::vector<Family> families() {
  const Lattice lattice({.extents = {8, 4, 4, 8}, .reach = 3});
  const auto links = std::make_shared<const GaugeField<double>>(rough_links<double>(lattice));
  const auto fat = std::make_shared<const GaugeField<double>>(rough_fat_links<double>(lattice));
  const auto third = std::make_shared<const GaugeField<double>>(rough_third_links<double>(lattice));
  return {{"naive", [links](double mass) { return AnyOperator<double>(Staggered<double>(*links, {.mass = mass})); }},
          {"improved", [fat, third](double mass) {
             return AnyOperator<double>(ImprovedStaggered<double>(
                 *fat, *third, {.mass = mass, .third_weight = -0.05, .boundary = {0.3, -0.7, 1.1, 2.5}}));
           }}};
}

std::vector<SpinorField<double>> fields_like(const SpinorField<double>& b, std::size_t count) {
  std::vector<SpinorField<double>> fields;
  for (std::size_t s = 0; s < count; ++s) fields.emplace_back(b.lattice(), b.parameters());
  return fields;
}

/// M_s x_s = b for all masses, to the tolerance; returns the results.
std::vector<SolveResult> expect_solutions(const Family& family, const SpinorField<double>& b,
                                          const MultiMassParameters& parameters) {
  SCOPED_TRACE(family.name);
  std::vector<SpinorField<double>> x = fields_like(b, masses.size());
  const std::vector<SolveResult> results = MultiMassSolver(family.dirac_of, masses, parameters).solve(x, b);
  EXPECT_EQ(results.size(), masses.size());
  for (std::size_t s = 0; s < masses.size(); ++s) {
    expect_solution(*family.dirac_of(masses[s]), x[s], b, results[s], parameters.solver.tolerance);
  }
  return results;
}

SpinorField<double> point_sources(const Family& family) {
  SpinorField<double> b(family.dirac_of(1.0)->lattice(), {.spins = 1, .right_hand_sides = 3});
  set_point_sources(b, {.site = {1, 2, 0, 4}});
  return b;
}

// Sources on one parity (points) and on both, in every precision of the iterations.
TEST(MultiMass, SolvesForAllMasses) {
  for (const Family& family : families()) {
    const SpinorField<double> points = point_sources(family);
    const SpinorField<double> noise = gaussian_colors<double>(points.lattice(), 2);
    for (const InnerPrecision inner : {InnerPrecision::half, InnerPrecision::single, InnerPrecision::outer}) {
      const MultiMassParameters parameters{.solver = {.tolerance = tolerance, .inner = inner}};
      expect_solutions(family, points, parameters);
      expect_solutions(family, noise, parameters);
    }
    expect_solutions(family, points, {.solver = {.tolerance = 2e-6}, .single_precision = true});
  }
}

// One Krylov space: in one precision all masses take what the smallest takes alone, and no refinement follows.
TEST(MultiMass, CostsWhatTheSmallestMassCosts) {
  for (const Family& family : families()) {
    const SpinorField<double> b = point_sources(family);
    const MultiMassParameters parameters{.solver = {.tolerance = tolerance, .inner = InnerPrecision::outer}};
    const std::vector<SolveResult> all = expect_solutions(family, b, parameters);
    std::vector<SpinorField<double>> x = fields_like(b, 1);
    const SolveResult alone = MultiMassSolver(family.dirac_of, {masses[1]}, parameters).solve(x, b).front();
    EXPECT_EQ(all[1].iterations(), alone.iterations());
    EXPECT_LT(all[0].iterations(), alone.iterations());
    EXPECT_LT(all[2].iterations(), all[0].iterations());
    const auto flops = [](double sum, const SolveResult& result) { return sum + result.flops; };
    EXPECT_LT(std::accumulate(all.begin(), all.end(), 0.0, flops), 1.5 * alone.flops);
  }
}

// Units of a source do not matter, although squares of its numbers leave the range of single precision.
TEST(MultiMass, TakesSourcesOfAnySize) {
  const Family family = families().front();
  for (const double size : {1e-30, 1e30}) {
    SpinorField<double> b = point_sources(family);
    blas::scale(b, blas::Reals(3, size));
    expect_solutions(family, b, {.solver = {.tolerance = tolerance}});
  }
}

TEST(MultiMass, SweepsInDoubleWhereOperatorsInSingleAreLeftOut) {
  detail::StencilList& built = detail::compiled_stencils();
  const detail::StencilList all = built;
  built.precisions = {"double", "half"};
  built.storages = {LinkStorage::full, LinkStorage::two_rows};
  for (const Family& family : families()) {
    expect_solutions(family, point_sources(family),
                     {.solver = {.tolerance = tolerance, .inner = InnerPrecision::half}});
  }
  built = all;
}

TEST(MultiMass, BoundsAllIterationsTogether) {
  const Family family = families().front();
  const SpinorField<double> b = point_sources(family);
  for (const InnerPrecision inner : {InnerPrecision::half, InnerPrecision::outer}) {
    std::vector<SpinorField<double>> x = fields_like(b, masses.size());
    const auto results = MultiMassSolver(family.dirac_of, masses,
                                         {.solver = {.tolerance = tolerance, .max_iterations = 5, .inner = inner}})
                             .solve(x, b);
    for (const SolveResult& result : results) {
      EXPECT_FALSE(result.converged());
      for (const auto& side : result.right_hand_sides) {
        EXPECT_EQ(side.status, SolveStatus::max_iterations) << to_string(side.status);
        EXPECT_LE(side.iterations, 5);
        EXPECT_GT(side.true_residual, tolerance);
      }
    }
  }
}

TEST(MultiMass, RefusesWhatItCannotSolve) {
  const Family family = families().front();
  KAON_EXPECT_ERROR(MultiMassSolver(family.dirac_of, {}, {}), "needs at least one");
  KAON_EXPECT_ERROR(MultiMassSolver(family.dirac_of, {0.1, 0.0}, {}), "4m^2 of the staggered operator is 0 for m = 0");
  KAON_EXPECT_ERROR(MultiMassSolver(family.dirac_of, {1e200}, {}), "is inf for m = 1e+200");
  const auto wilson = [](double mass) {
    GaugeField<double> links(Lattice({.extents = {4, 4, 4, 4}}));
    return AnyOperator<double>(links, {.mass = mass});
  };
  KAON_EXPECT_ERROR(MultiMassSolver(wilson, {0.1}, {}), "the normal operator of staggered fermions");

  const MultiMassSolver solver(family.dirac_of, masses, {});
  SpinorField<double> b = point_sources(family);
  std::vector<SpinorField<double>> two = fields_like(b, 2), three = fields_like(b, 3);
  KAON_EXPECT_ERROR(solver.solve(two, b), "2 fields were given for 3 masses");
  KAON_EXPECT_ERROR(solver.solve(three, SpinorField<double>(b.lattice(), {.spins = 1})), "must have the same lattice");
  SpinorField<double> last = b.right_hand_side(2);
  blas::set_zero(last);
  KAON_EXPECT_ERROR(solver.solve(three, b), "right-hand side 2 has the norm 0");
  blas::scale(b, blas::Reals{std::numeric_limits<double>::infinity(), 1.0, 1.0});
  KAON_EXPECT_ERROR(solver.solve(three, b), "right-hand side 0 has the norm");
}

}  // namespace
}  // namespace kaon::test
