// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/test_seams.hpp"
#include "tests/multigrid/quenched_field.hpp"
#include "tests/reference/vectors.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/gauge/gauge_transformation.hpp>
#include <kaon/gauge/improved_links.hpp>
#include <kaon/multigrid/multigrid.hpp>
#include <kaon/operators/dirichlet.hpp>
#include <kaon/operators/staggered.hpp>
#include <kaon/quarks/propagator_solver.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace kaon::test {
namespace KAON_TEST_FILE {

/// Hypercubes of the quenched field, 4^4, and one level below them.
MultigridParameters on_hypercubes(int vectors = 24) {
  return {.levels = {{.block = {2, 2, 2, 2}, .vectors = vectors, .bootstraps = 2}}};
}

struct HisqField {
  ImprovedLinks links = hisq_links(quenched_links(3));
  Lattice lattice = links.fat.lattice();

  ImprovedStaggered<double> at_mass(double mass) const {
    return ImprovedStaggered<double>(links.fat, links.third, {.mass = mass, .third_weight = links.third_weight});
  }
};

int iterations_of(const SolveResult& result) {
  int most = 0;
  for (const auto& of_one : result.right_hand_sides) most = std::max(most, of_one.iterations);
  return most;
}

/// |x - x_cg| / |x_cg| of each right-hand side.
template <class Dirac>
void expect_solution_of_cg(const Dirac& dirac, const SpinorField<double>& x, const SpinorField<double>& b,
                           double relative) {
  const PropagatorSolver<double> cg(dirac, {.tolerance = 1e-12, .method = KrylovMethod::cg});
  SpinorField<double> expected = dirac.make_field(b.right_hand_sides());
  require_converged(cg.solve(expected, b));
  for (int k = 0; k < b.right_hand_sides(); ++k) {
    EXPECT_LT(reference::relative_difference(x.to_host(k), expected.to_host(k)), relative) << "right-hand side " << k;
  }
}

TEST(StaggeredMultigrid, SolvesForHisqQuarksWhateverTheirMass) {
  const HisqField field;
  int iterations[2] = {};
  for (const bool light : {false, true}) {
    const ImprovedStaggered<double> dirac = field.at_mass(light ? 0.005 : 0.05);
    const Multigrid<double> multigrid(dirac, on_hypercubes());
    EXPECT_LT(multigrid.report().convergence, 0.6);
    double rest = multigrid.report().setup_seconds;
    for (const MultigridReport::Part& part : multigrid.report().parts) rest -= part.seconds;
    EXPECT_NEAR(rest / multigrid.report().setup_seconds, 0.0, 1e-12) << "with the probes on sites";
    const SpinorField<double> b = noise(dirac, 3);
    SpinorField<double> x = dirac.make_field(3);
    const SolveResult result = multigrid.solve(x, b);
    require_converged(result);
    iterations[light] = iterations_of(result);
    expect_solution_of_cg(dirac, x, b, 1e-8);
    SpinorField<double> alone = dirac.make_field(1);
    EXPECT_NEAR(iterations_of(multigrid.solve(alone, b.range(2, 1))), iterations[light], 3);
    EXPECT_LT(reference::relative_difference(alone.to_host(), x.to_host(2)), 1e-8);
  }
  EXPECT_LE(iterations[1], 1.3 * iterations[0]);
  EXPECT_LE(iterations[1], 45);
}

TEST(StaggeredMultigrid, SolvesForNaiveQuarksAndSmoothLinks) {
  const Lattice lattice({.extents = {4, 8, 4, 6}});  // hypercubes of one parity
  const GaugeField<double> links = weak_links<double>(lattice, 0.2, 3);
  const Staggered<double> dirac(links, {.mass = 0.02, .boundary = {0.3, -0.7, 1.1, dirichlet}});
  const Multigrid<double> multigrid(dirac, {.levels = {{.block = {2, 2, 2, 3}, .vectors = 16, .bootstraps = 2}}});
  const SpinorField<double> b = noise(dirac, 14);  // more than are solved at once
  SpinorField<double> x = dirac.make_field(14);
  require_converged(multigrid.solve(x, b));
  expect_solution_of_cg(dirac, x, b, 1e-8);
}

TEST(StaggeredMultigrid, TakesVectorsOfAnotherMass) {
  const HisqField field;
  MultigridParameters parameters = on_hypercubes();
  const Multigrid<double> first(field.at_mass(0.02), parameters);
  parameters.levels[0].bootstraps = 0;
  parameters.near_null_vectors = std::make_shared<const SpinorField<float>>(first.near_null_vectors());
  EXPECT_EQ(parameters.near_null_vectors->spins(), 1);
  const ImprovedStaggered<double> light = field.at_mass(0.005);
  const Multigrid<double> second(light, parameters);
  EXPECT_EQ(second.report().bootstraps, 0);
  EXPECT_LT(second.report().convergence, first.report().convergence + 0.1);
  parameters.near_null_vectors = nullptr;  // noise alone is worse: the vectors were used
  parameters.relaxation_steps = 1;
  EXPECT_GT(Multigrid<double>(light, parameters).report().convergence, second.report().convergence + 0.05);
}

TEST(StaggeredMultigrid, SmoothsLongerInVCycles) {
  const HisqField field;
  const ImprovedStaggered<double> dirac = field.at_mass(0.01);
  const auto vectors =
      std::make_shared<const SpinorField<float>>(Multigrid<double>(dirac, on_hypercubes()).near_null_vectors());
  const auto convergence = [&](int cycle_steps, std::optional<int> smoothing_steps) {
    MultigridParameters parameters = on_hypercubes();
    parameters.levels.front().bootstraps = 0;
    parameters.levels.push_back({.block = {1, 1, 2, 2}, .vectors = 24, .bootstraps = 0});
    parameters.near_null_vectors = vectors;
    parameters.cycle_steps = cycle_steps;
    parameters.smoothing_steps = smoothing_steps;
    return Multigrid<double>(dirac, parameters).report().convergence;
  };
  EXPECT_LT(convergence(1, {}), convergence(1, 4) - 0.02);
  EXPECT_EQ(convergence(2, {}), convergence(2, 4));
}

/// Solves M x = b of the field of the examples, or of links made of it, at m = 0.01, and says in how many iterations.
int iterations_with(const ImprovedStaggered<double>& dirac, const SpinorField<double>& b, SpinorField<double>& x,
                    std::uint64_t seed = 1) {
  MultigridParameters parameters = on_hypercubes();
  parameters.seed = seed;
  const SolveResult result = Multigrid<double>(dirac, parameters).solve(x, b);
  require_converged(result);
  return iterations_of(result);
}

// x_e / (2 mu) of M(mu) x = (b_e, 0) solves (4 mu^2 - D^2) y = b_e.
TEST(StaggeredMultigrid, SolvesTheNormalSystemOfOneParityAtOnce) {
  const HisqField field;
  const double mass = 0.02;
  const ImprovedStaggered<double> dirac = field.at_mass(mass);
  SpinorField<double> b = dirac.make_field(1), x = dirac.make_field(1);
  SpinorField<double> b_e = b.parity(Parity::even);
  set_gaussian(b_e, {.seed = 8});
  iterations_with(dirac, b, x);
  SpinorField<double> y = x.parity(Parity::even);
  blas::scale(y, 0.5 / mass);
  const auto normal = dirac.normal_system(Parity::even);
  SpinorField<double> image = normal->make_field(1);
  normal->apply(image, y);
  EXPECT_LT(reference::relative_difference(image.to_host(), b_e.to_host()), 1e-7);
}

TEST(StaggeredMultigrid, TakesAsManyIterationsAfterAGaugeTransformationOrATranslation) {
  HisqField field;
  const auto solve = [](const ImprovedLinks& links, std::uint64_t seed) {
    const ImprovedStaggered<double> dirac(links.fat, links.third, {.mass = 0.01, .third_weight = links.third_weight});
    const SpinorField<double> b = noise(dirac, 1);
    SpinorField<double> x = dirac.make_field(1);
    return std::pair(iterations_with(dirac, b, x, seed), x.to_host());
  };
  const auto [expected, solution] = solve(field.links, 1);
  EXPECT_LE(expected, 45);
  const auto [again, same] = solve(field.links, 1);
  EXPECT_EQ(again, expected);
  EXPECT_EQ(same, solution);  // to the bit
  EXPECT_NEAR(solve(field.links, 7).first, expected, 2);
  GaugeField<double> links = quenched_links(3);
  const Lattice lattice = links.lattice();
  const std::vector<std::complex<double>> values = links.to_host();
  for (const int step : {4, 1}) {  // by one site: other hypercubes
    std::vector<std::complex<double>> moved(values.size());
    const Coordinates extents = lattice.extents();
    const std::size_t numbers = values.size() / static_cast<std::size_t>(lattice.local_volume());
    reference::for_each_site(extents, [&](const Coordinates& x) {
      const Coordinates from{(x[0] + step) % extents[0], x[1], x[2], (x[3] + step) % extents[3]};
      std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(numbers) * lexicographic_index(from, extents), numbers,
                  moved.begin() + static_cast<std::ptrdiff_t>(numbers) * lexicographic_index(x, extents));
    });
    links.from_host(moved);
    EXPECT_NEAR(solve(hisq_links(links), 1).first, expected, step == 4 ? 2 : 5) << step;
  }
  links.from_host(values);
  GaugeField<double> turned = links.share();
  transform(turned, GaugeTransformation(lattice, {.seed = 5}));
  EXPECT_NEAR(solve(hisq_links(turned), 1).first, expected, 2);
}

/// Third links change the free operator by 7.4 % at most: |M_HISQ M_fat^-1 - 26/27| <= 2/27.
TEST(StaggeredMultigrid, LosesNothingByThirdLinksInTheFreeField) {
  const Lattice lattice({.extents = {8, 8, 8, 8}, .reach = 3});
  GaugeField<double> unit = unit_links<double>(lattice), fat(lattice);
  std::vector<std::complex<double>> values = unit.to_host();
  for (auto& value : values) value *= 9.0 / 8.0;
  fat.from_host(values);
  const double mass = 0.02;
  const ImprovedStaggered<double> hisq(fat, unit, {.mass = mass, .third_weight = -1.0 / 24.0});
  const ImprovedStaggered<double> without(fat, unit, {.mass = mass, .third_weight = 0.0});
  const PropagatorSolver<double> inverse(without, {.tolerance = 1e-12, .method = KrylovMethod::cg});
  SpinorField<double> v = noise(hisq, 1), w = hisq.make_field(1), image = hisq.make_field(1);
  double factor = 0.0;
  for (int step = 0; step < 20; ++step) {
    blas::scale(v, 1.0 / std::sqrt(blas::norm2(v)[0]));
    blas::set_zero(w);
    require_converged(inverse.solve(w, v));
    hisq.apply(image, w);
    blas::axpy(image, v, -26.0 / 27.0);
    factor = std::sqrt(blas::norm2(image)[0]);
    std::swap(v, image);
  }
  EXPECT_LE(factor, 2.0 / 27.0 + 1e-9);
  EXPECT_GE(factor, 0.05);
}

TEST(StaggeredMultigrid, GoesOnWithoutMultigridOnAWildField) {
  const Lattice lattice({.extents = {4, 4, 4, 8}});
  const GaugeField<double> links = hot_links<double>(lattice, 2);
  const Staggered<double> dirac(links, {.mass = 0.05});
  SolveOptions parameters{.tolerance = 1e-10, .method = KrylovMethod::multigrid};
  std::vector<std::string> notices;
  parameters.on_fallback = [&](const std::string& notice) { notices.push_back(notice); };
  parameters.multigrid.levels = {{.block = {1, 1, 1, 2}, .vectors = 4, .bootstraps = 0}};
  parameters.multigrid.max_iterations = 20;
  const PropagatorSolver<double> solver(dirac, parameters);
  const SpinorField<double> b = noise(dirac, 1);
  SpinorField<double> x = dirac.make_field(1);
  require_converged(solver.solve(x, b));
  EXPECT_FALSE(notices.empty());
  expect_solution_of_cg(dirac, x, b, 1e-7);
}

TEST(StaggeredMultigrid, TakesMoreVectorsOnRoughLinksWhereMemoryIsThere) {
  const Lattice lattice({8, 8, 8, 4});
  const GaugeField<double> links = hot_links<double>(lattice, 2);
  const Staggered<double> dirac(links, {.mass = 0.05});
  std::vector<std::string> steps;
  MultigridParameters parameters{.max_bootstraps = 2};
  parameters.on_setup = [&](const std::string& step) { steps.push_back(step); };
  const auto told = [&](const std::string& text) {
    return std::any_of(steps.begin(), steps.end(),
                       [&](const std::string& step) { return step.find(text) != std::string::npos; });
  };
  {
    const detail::PretendedMemory little(2.5e7);
    EXPECT_EQ(Multigrid<double>(dirac, parameters).report().levels[1].components, 96);
    EXPECT_FALSE(told("all levels take 64 vectors"));
  }
  const Multigrid<double> wide(dirac, parameters);
  EXPECT_TRUE(told("all levels take 64 vectors"));
  EXPECT_EQ(wide.report().levels[1].components, 128);
  EXPECT_EQ(wide.report().bootstraps, 4) << "two with few vectors and two with more";
  parameters.largest_inverse = 400;  // 4 even sites of 96 components, but not of 128
  EXPECT_FALSE(Multigrid<double>(dirac, parameters).report().exact_bottom);
  parameters.near_null_vectors = std::make_shared<const SpinorField<float>>(wide.near_null_vectors());
  ASSERT_EQ(parameters.near_null_vectors->right_hand_sides(), 64);
  parameters.max_bootstraps = 0;
  EXPECT_EQ(Multigrid<double>(dirac, parameters).report().levels[1].components, 128) << "those of wide levels";
  const detail::PretendedMemory little(2.5e7);
  EXPECT_EQ(Multigrid<double>(dirac, parameters).report().levels[1].components, 96);
  EXPECT_TRUE(told("the first 48 of 64 given vectors are taken"));
}

TEST(StaggeredMultigrid, RefusesWhatItCannotDo) {
  const HisqField field;
  KAON_EXPECT_ERROR(Multigrid<double>(field.at_mass(0.0), on_hypercubes()), "needs a positive mass");
  KAON_EXPECT_ERROR(Multigrid<double>(field.at_mass(-0.1), on_hypercubes()), "needs a positive mass");
  MultigridParameters parameters = on_hypercubes();
  parameters.near_null_vectors =
      std::make_shared<const SpinorField<float>>(field.lattice, SpinorParameters{.right_hand_sides = 24});
  KAON_EXPECT_ERROR(Multigrid<double>(field.at_mass(0.1), parameters), "give fields of 1 spins and 3 colours");
  {
    const detail::PretendedMemory little(1e6);
    KAON_EXPECT_ERROR(Multigrid<double>(field.at_mass(0.1), on_hypercubes()),
                      "with 24 near-null vectors on 8x8x8x8 sites of a process takes 0.0277 GB, and 0.001 GB are free");
  }
  std::vector<std::complex<double>> values = field.links.fat.to_host();
  values[100] = std::numeric_limits<double>::quiet_NaN();
  GaugeField<double> broken(field.lattice);
  broken.from_host(values);
  const ImprovedStaggered<double> wrong(broken, field.links.third, {.mass = 0.1});
  KAON_EXPECT_ERROR(Multigrid<double>(wrong, on_hypercubes()), "hypercubes of 2^4 sites have no inverse");
  parameters = on_hypercubes(25);
  KAON_EXPECT_ERROR(Multigrid<double>(field.at_mass(0.1), parameters), "their number must be even");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
