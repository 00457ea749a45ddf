// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quarks/light_masses.hpp"
#include "multigrid/test_seams.hpp"
#include "quarks/automatic_solver.hpp"
#include "tests/multigrid/quenched_field.hpp"
#include "tests/operators/test_fields.hpp"
#include "tests/reference/vectors.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/gauge/improved_links.hpp>
#include <kaon/operators/staggered.hpp>
#include <kaon/quarks/multi_mass_solver.hpp>
#include <kaon/quarks/propagator_solver.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace kaon::test {
namespace KAON_TEST_FILE {

/// Quarks of several masses on one field, 8^4, with few iterations of CG: multigrid costs still less here.
class LightMasses : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { links_ = std::make_unique<ImprovedLinks>(hisq_links(quenched_links(3))); }
  static void TearDownTestSuite() { links_.reset(); }
  void SetUp() override { detail::forced_price_in_cg() = {.iterations_of_setup = 200, .iterations_of_solve = 60}; }
  void TearDown() override { detail::forced_price_in_cg().reset(); }

  static ImprovedStaggered<double> at(double mass) {
    return ImprovedStaggered<double>(links_->fat, links_->third, {.mass = mass, .third_weight = links_->third_weight});
  }
  SolveOptions parameters(KrylovMethod method) {
    SolveOptions given{.tolerance = 1e-10, .method = method};
    given.multigrid.levels = {{.block = {2, 2, 2, 2}, .vectors = 24, .bootstraps = 2}};
    given.on_fallback = [this](const std::string& notice) { notices_.push_back(notice); };
    return given;
  }
  static std::vector<SpinorField<double>> fields(std::size_t count, const SpinorField<double>& b) {
    std::vector<SpinorField<double>> x;
    for (std::size_t i = 0; i < count; ++i) {
      x.emplace_back(b.lattice(), b.parameters());
      set_gaussian(x.back(), {.seed = 5});  // for any previous x
    }
    return x;
  }
  /// Solves for all, which must be the solutions of conjugate gradients mass by mass.
  static std::vector<SolveResult> solve(const MultiMassSolver& solver, const SpinorField<double>& b) {
    std::vector<SpinorField<double>> x = fields(solver.masses().size(), b);
    const std::vector<SolveResult> results = solver.solve(x, b);
    for (std::size_t i = 0; i < x.size(); ++i) {
      SCOPED_TRACE(solver.masses()[i]);
      EXPECT_TRUE(results[i].converged());
      EXPECT_LE(results[i].true_residual(), 1e-10);
      EXPECT_GT(results[i].error(), 0.0) << "an estimate";
      const ImprovedStaggered<double> dirac = at(solver.masses()[i]);
      SpinorField<double> expected = dirac.make_field(b.right_hand_sides());
      const PropagatorSolver<double> cg(dirac, {.tolerance = 1e-13, .method = KrylovMethod::cg});
      require_converged(cg.solve(expected, b));
      SpinorField<double> image = dirac.make_field(b.right_hand_sides());
      dirac.apply(image, x[i]);
      for (int k = 0; k < b.right_hand_sides(); ++k) {
        const double error = reference::relative_difference(x[i].to_host(k), expected.to_host(k));
        EXPECT_LT(error, 1e-8) << k;
        EXPECT_LT(error, results[i].right_hand_sides[static_cast<std::size_t>(k)].error) << k;
        EXPECT_LT(reference::relative_difference(image.to_host(k), b.to_host(k)), 1.001e-10) << k;
      }
    }
    return results;
  }

  std::vector<std::string> notices_;

 private:
  static inline std::unique_ptr<ImprovedLinks> links_;
};

TEST_F(LightMasses, AreTakenByMultigridWhenItPays) {
  const ImprovedStaggered<double> dirac = at(0.3);
  const std::vector<double> masses{1.5, 0.005, 0.02, 0.01};  // in no order, and one that is heavy
  const MultiMassSolver solver(dirac, masses, parameters(KrylovMethod::automatic));
  const MultiMassSolver together(dirac, masses, {.tolerance = 1e-10, .method = KrylovMethod::cg});
  const SpinorField<double> b = noise(dirac, 2);
  const std::vector<SolveResult> by_cg = solve(together, b);
  ASSERT_GT(by_cg[1].iterations(), 2 * 60) << "the quarks are too heavy for this test";
  ASSERT_LT(by_cg[0].iterations(), 60);
  EXPECT_EQ(solver.masses_by_multigrid(), 0U);
  EXPECT_FALSE(solver.multigrid_report().has_value());
  KAON_EXPECT_ERROR(solver.near_null_vectors(), "has no near-null vectors");
  for (int n = 0; n < 6 && solver.masses_by_multigrid() == 0; ++n) solve(solver, b);
  // Masses of up to 4 times the lightest one share its levels.
  EXPECT_EQ(solver.masses_by_multigrid(), 3U);
  ASSERT_TRUE(solver.multigrid_report().has_value());
  EXPECT_EQ(solver.near_null_vectors().right_hand_sides(), 24);
  ASSERT_FALSE(notices_.empty());
  EXPECT_NE(notices_[0].find("multigrid is predicted to be faster"), std::string::npos) << notices_[0];
  const std::vector<SolveResult> results = solve(solver, b);
  EXPECT_EQ(solver.masses_by_multigrid(), 3U);
  EXPECT_LT(results[0].iterations(), 1.2 * by_cg[0].iterations());  // a sweep of its own
  for (const std::size_t light : {1, 2, 3}) EXPECT_LT(results[light].iterations(), 45) << masses[light];
  EXPECT_EQ(notices_.size(), 1U);
  // A right-hand side that is zero has the solutions zero.
  SpinorField<double> zero = dirac.make_field(1);
  std::vector<SpinorField<double>> x = fields(masses.size(), zero);
  for (const SolveResult& result : solver.solve(x, zero)) EXPECT_TRUE(result.converged());
  for (const SpinorField<double>& x_i : x) EXPECT_EQ(blas::norm2(x_i)[0], 0.0);
}

TEST_F(LightMasses, HaveLevelsOfTheirOwnWhereOthersAreFar) {
  const ImprovedStaggered<double> dirac = at(0.3);
  const MultiMassSolver solver(dirac, {0.005, 0.04, 0.06}, parameters(KrylovMethod::multigrid));
  EXPECT_EQ(solver.masses_by_multigrid(), 1U);  // at once
  const SpinorField<double> b = noise(dirac, 1);
  solve(solver, b);
  EXPECT_EQ(solver.masses_by_multigrid(), 3U);
  const Multigrid<double> fresh(at(0.04), parameters(KrylovMethod::multigrid).multigrid);
  SpinorField<double> x = dirac.make_field(1);
  const SolveResult expected = fresh.solve(x, b);
  const std::vector<SolveResult> results = solve(solver, b);
  EXPECT_LE(results[1].iterations(), expected.iterations() + 3);
  EXPECT_LE(results[2].iterations(), expected.iterations() + 3);
  // Equal to the bit, regardless of previous solves.
  std::vector<SpinorField<double>> first = fields(3, b), second = fields(3, b);
  solver.solve(first, b);
  solve(solver, noise(dirac, 2));
  solver.solve(second, b);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(first[i].to_host(), second[i].to_host()) << i;
}

TEST_F(LightMasses, AreTakenByMultigridWhereIterationsDoNotConverge) {
  const ImprovedStaggered<double> dirac = at(0.3);
  detail::forced_price_in_cg() = {.iterations_of_setup = 1000000, .iterations_of_solve = 60};
  SolveOptions few = parameters(KrylovMethod::automatic);
  few.max_iterations = 60;  // on each parity
  const MultiMassSolver solver(dirac, {0.001, 1.5}, few);
  const SpinorField<double> b = noise(dirac, 1);
  std::vector<SpinorField<double>> x = fields(2, b);
  for (const SolveResult& result : solver.solve(x, b)) EXPECT_TRUE(result.converged());
  EXPECT_EQ(solver.masses_by_multigrid(), 1U);
  few.method = KrylovMethod::cg;
  EXPECT_FALSE(MultiMassSolver(dirac, {0.001, 1.5}, few).solve(x, b)[0].converged());
}

// On random links the residual hardly falls at first, and multigrid does not converge at all.
TEST_F(LightMasses, AreLeftToConjugateGradientsWhereMultigridConvergesBadly) {
  const GaugeField<double> random = hot_links<double>(Lattice({.extents = {4, 4, 4, 8}, .reach = 3}), 11);
  const ImprovedLinks smeared = hisq_links(random);
  const ImprovedStaggered<double> dirac(smeared.fat, smeared.third,
                                        {.mass = 0.01, .third_weight = smeared.third_weight});
  const std::vector<double> masses{0.01, 0.05};
  constexpr int columns = 3;
  detail::forced_price_in_cg() = {.iterations_of_setup = 3000, .iterations_of_solve = 275};
  // All iterations of a solve by any method, of all right-hand sides together.
  int iterations = 0, bootstraps = 0;
  SolveOptions given{.on_iteration = [&](int, std::span<const double>) { return ++iterations > 0; },
                     .on_fallback = [this](const std::string& notice) { notices_.push_back(notice); }};
  given.multigrid.on_setup = [&](const std::string& step) { bootstraps += step.find("bootstrap ") == 0 ? 1 : 0; };
  const auto iterations_of = [&](const MultiMassSolver& solver) {
    const SpinorField<double> b = noise(dirac, columns);
    std::vector<SpinorField<double>> x = fields(masses.size(), b);
    iterations = 0;
    for (const SolveResult& result : solver.solve(x, b)) EXPECT_TRUE(result.converged());
    return iterations;
  };
  given.method = KrylovMethod::cg;
  const int by_cg = iterations_of(MultiMassSolver(dirac, masses, given));
  given.method = KrylovMethod::automatic;
  const MultiMassSolver solver(dirac, masses, given);
  const int first = iterations_of(solver);
  ASSERT_EQ(notices_.size(), 2U) << "multigrid was not tried";
  EXPECT_NE(notices_[1].find("multigrid converges badly"), std::string::npos) << notices_[1];
  EXPECT_LE(first, 1.5 * by_cg);
  EXPECT_EQ(bootstraps, 2);
  EXPECT_EQ(iterations_of(solver), by_cg) << "it is not tried again";
  EXPECT_EQ(solver.masses_by_multigrid(), 0U);
}

// Levels of one mass for another: masses change, and nothing else does.
TEST_F(LightMasses, ShareTheLevelsOfALighterOne) {
  const ImprovedStaggered<double> light = at(0.05);
  const Multigrid<double> levels(light, parameters(KrylovMethod::multigrid).multigrid);
  const SpinorField<double> b = noise(light, 2);
  const auto iterations = [&](double mass) {
    const ImprovedStaggered<double> dirac = at(mass);
    SpinorField<double> x = dirac.make_field(2), image = dirac.make_field(2);
    const Multigrid<double> shared(dirac, levels);
    EXPECT_EQ(&shared.solved_operator(), &dirac);
    const SolveResult result = shared.solve(x, b);
    EXPECT_TRUE(result.converged());
    dirac.apply(image, x);
    EXPECT_LE(reference::relative_difference(image.to_host(1), b.to_host(1)), 1.001e-10);
    return result.iterations();
  };
  const int own = iterations(0.05);
  EXPECT_LE(iterations(0.1), own + 3);
  EXPECT_LE(iterations(0.2), 1.8 * own);
  EXPECT_EQ(iterations(0.05), own);
  EXPECT_GT(iterations(0.8), 1.8 * own);  // too far
  const Wilson<double> wilson(quenched_links(), {.mass = 0.1});
  KAON_EXPECT_ERROR(Multigrid<double>(wilson, levels), "levels serve operators on their own lattice alone");
}

TEST_F(LightMasses, AreLeftToConjugateGradientsWhereMultigridIsNotPossible) {
  const ImprovedStaggered<double> dirac = at(0.3);
  detail::forced_price_in_cg() = {.iterations_of_setup = 0, .iterations_of_solve = 20};
  const SpinorField<double> b = noise(dirac, 1);
  const MultiMassSolver negative(dirac, {0.1, -0.01}, parameters(KrylovMethod::automatic));
  solve(negative, b);
  EXPECT_EQ(negative.masses_by_multigrid(), 0U);
  ASSERT_FALSE(notices_.empty());
  EXPECT_NE(notices_.back().find("multigrid is not possible for mass -0.01"), std::string::npos) << notices_.back();
  notices_.clear();
  const MultiMassSolver second(dirac, {0.01, -0.02}, parameters(KrylovMethod::multigrid));  // not of levels of 0.01
  solve(second, b);
  EXPECT_EQ(second.masses_by_multigrid(), 1U);
  ASSERT_FALSE(notices_.empty());
  EXPECT_NE(notices_.back().find("multigrid is not possible for mass -0.02"), std::string::npos) << notices_.back();
  notices_.clear();
  auto little = std::make_unique<detail::PretendedMemory>(1e6);
  const MultiMassSolver full(dirac, {0.01, 0.02}, parameters(KrylovMethod::automatic));
  solve(full, b);
  KAON_EXPECT_ERROR(MultiMassSolver(dirac, {0.01}, parameters(KrylovMethod::multigrid)), "GB are free");
  little.reset();
  EXPECT_EQ(full.masses_by_multigrid(), 0U);
  const std::size_t told = notices_.size();
  solve(full, b);  // it does not try again
  EXPECT_EQ(notices_.size(), told);
  KAON_EXPECT_ERROR(MultiMassSolver(dirac, {0.01}, parameters(KrylovMethod::bicgstab)),
                    "several masses are solved for by conjugate gradients");
}

TEST_F(LightMasses, StopAtAnyIteration) {
  const ImprovedStaggered<double> dirac = at(0.3);
  int calls = 0, last = 1;
  SolveOptions given = parameters(KrylovMethod::multigrid);
  given.on_iteration = [&](int, std::span<const double>) { return ++calls < last; };
  const MultiMassSolver solver(dirac, {0.01, 1.0}, given);
  const SpinorField<double> b = noise(dirac, 1);
  for (last = 1; last < 60; last += 7) {
    calls = 0;
    std::vector<SpinorField<double>> x = fields(2, b);
    const std::vector<SolveResult> results = solver.solve(x, b);
    EXPECT_EQ(calls, last);
    EXPECT_TRUE(results[0].stopped);
    EXPECT_EQ(results[0].right_hand_sides[0].status, SolveStatus::stopped);
    const ImprovedStaggered<double> light = at(0.01);
    SpinorField<double> image = light.make_field(1);
    light.apply(image, x[0]);
    EXPECT_NEAR(reference::relative_difference(image.to_host(), b.to_host()), results[0].true_residual(), 1e-6);
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
