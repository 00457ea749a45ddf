// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/reference/multigrid.hpp"

#include "tests/reference/multigrid_cases.hpp"

// Properties of the multigrid cycle: identities of its coarse correction, and convergence near criticality.
namespace kaon::reference {
namespace KAON_TEST_FILE {

constexpr double tolerance = 1e-6;

LinearMap system_map(const CoarseSchur& system) {
  return [&system](const Spinor& x) { return system.apply(x); };
}

TEST(ReferenceMinimalResidual, KeepsTheResidualOfItsSolution) {
  CoarseningCase field(odd_geometry);
  const LinearMap apply = [&](const Spinor& x) { return field.fine.apply(x); };
  const Spinor b = random_vector(field.fine.size(), field.generator);
  const Spinor x = random_vector(field.fine.size(), field.generator);
  const Spinor r = add(b, -1.0, apply(x));
  const Relaxed relaxed = minimal_residual(apply, {x, r}, 3, 0.85);
  EXPECT_LT(relative_difference(add(b, -1.0, apply(relaxed.x)), relaxed.r), rounding);
  EXPECT_LT(norm2(relaxed.r), norm2(r));
}

TEST(ReferenceGcr, SolvesASmallSystemInItsDimension) {
  std::mt19937_64 generator(3);
  Matrix a(8, 8);
  a.elements = random_vector(a.elements.size(), generator);
  const LinearMap apply = [&](const Spinor& x) {
    Spinor result(x.size());
    add_product(a, x.data(), result.data());
    return result;
  };
  const Spinor x = random_vector(a.rows, generator);
  const GcrResult result = gcr(
      apply, [](const Spinor& r) { return r; }, apply(x), 1e-10, 8);
  EXPECT_LT(relative_difference(result.x, x), 1e-8);
}

// Aggregates of one site and N = 6: P is unitary, D_c is M in another basis, and the cycle is exact.
MultigridParameters full_rank(int bootstraps, int parity) {
  return {.levels = {{.block = {1, 1, 1, 1}, .vectors = 6, .bootstraps = bootstraps}},
          .smoothing_after = 0,
          .parity = parity};
}

class ReferenceTwoGrid : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(OnParity, ReferenceTwoGrid, ::testing::Values(0, 1));

// Only the right residual of the full system yields S^-1 r: the one without A_p, and those with anything on the other
// parity, yield other results.
TEST_P(ReferenceTwoGrid, SolvesInOneStepWithAProlongatorOfFullRank) {
  CoarseningCase field({"", {2, 4, 2, 2}, {1, 1, 1, 1}});
  const Multigrid multigrid(field.fine, full_rank(0, GetParam()));
  const CoarseSchur& system = multigrid.system(0);
  const Spinor x = system.own(random_vector(field.fine.size(), field.generator));
  const Spinor r = system.apply(x);
  EXPECT_LT(relative_difference(multigrid.cycle(r), x), rounding);

  const auto correction_from = [&](const Spinor& full_residual) {
    const CoarseSchur& coarse = multigrid.system(1);
    const Spinor b = multigrid.prolongator(0).restrict(full_residual);
    const Spinor c = coarse.reconstruct(multigrid.cycle(coarse.prepare(b), 1), b);
    return system.own(multigrid.prolongator(0).prolong(c));
  };
  const Spinor zero(r.size());
  EXPECT_LT(relative_difference(correction_from(system.apply_site_term(r)), x), rounding);
  EXPECT_GT(relative_difference(correction_from(r), x), 0.1);
  EXPECT_GT(relative_difference(correction_from(system.reconstruct(system.apply_site_term(r), zero)), x), 0.1);
  EXPECT_GT(relative_difference(correction_from(field.fine.apply_site_term(system.reconstruct(r, zero))), x), 0.1);
}

// With an exact cycle a bootstrap step is v_j <- M^-1 v_j / |M^-1 v_j| of the orthonormalised v_j.
TEST_P(ReferenceTwoGrid, BootstrapIsInverseIteration) {
  const CoarseningCase field({"", {2, 4, 2, 2}, {1, 1, 1, 1}});
  const std::vector<Spinor> before = orthonormalized(Multigrid(field.fine, full_rank(0, GetParam())).vectors(0));
  const std::vector<Spinor> after = Multigrid(field.fine, full_rank(1, GetParam())).vectors(0);
  for (std::size_t j = 0; j < before.size(); ++j)
    EXPECT_LT(relative_difference(normalized(field.fine.apply(after[j])), before[j]), 1e-10);
}

// Links near 1, on which the smallest |eigenvalue| of gamma_5 M is 0.035 at the mass -0.6 and 0.084 at -0.5: periodic
// in all directions, so that no boundary shifts the lowest modes away from 0.
struct NearCritical {
  explicit NearCritical(const Coordinates& extents_ = {4, 4, 4, 8}, double twisted_mass = 0.0)
      : extents(extents_),
        fine(site_matrices(WilsonOperator(random_links_near_one(extents, generator, 0.3), extents,
                                          {.mass = -0.6,
                                           .csw_spatial = 1.0,
                                           .csw_temporal = 1.0,
                                           .twisted_mass = twisted_mass,
                                           .boundary_phases = {1.0, 1.0, 1.0, 1.0}}))),
        b(random_vector(fine.size(), generator)) {}

  std::mt19937_64 generator{7};
  Coordinates extents;
  CoarseOperator fine;
  Spinor b;
};

MultigridParameters two_levels(int bootstraps) {
  return {.levels = {{.block = {2, 2, 2, 2}, .vectors = 8, .bootstraps = bootstraps}}};
}

class ReferenceMultigrid : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    field_ = std::make_unique<NearCritical>();
    relaxed_ = std::make_unique<Multigrid>(field_->fine, two_levels(0));
    bootstrapped_ = std::make_unique<Multigrid>(field_->fine, two_levels(2));
  }
  static void TearDownTestSuite() {
    bootstrapped_.reset();
    relaxed_.reset();
    field_.reset();
  }

  static int iterations(const Multigrid& multigrid) {
    return solve_multigrid(multigrid, field_->b, tolerance, 200).iterations();
  }

  // The cycle of `bootstrapped_` with full_residual(r) restricted in place of (A_p r, 0).
  static int iterations_with(const LinearMap& full_residual) {
    const CoarseSchur& system = bootstrapped_->system(0);
    const CoarseSchur& coarse = bootstrapped_->system(1);
    const auto cycle = [&](const Spinor& r) {
      const Spinor b = bootstrapped_->prolongator(0).restrict(full_residual(r));
      const Spinor c = coarse.reconstruct(bootstrapped_->cycle(coarse.prepare(b), 1), b);
      const Spinor d = system.own(bootstrapped_->prolongator(0).prolong(c));
      return minimal_residual(system_map(system), {d, add(r, -1.0, system.apply(d))}, 4, 0.85).x;
    };
    return gcr(system_map(system), cycle, system.prepare(field_->b), tolerance, 200).iterations();
  }

  static inline std::unique_ptr<NearCritical> field_;
  /// Vectors from 8 MR steps, without and with bootstraps.
  static inline std::unique_ptr<Multigrid> relaxed_;
  static inline std::unique_ptr<Multigrid> bootstrapped_;
};

TEST_F(ReferenceMultigrid, NeedsFarFewerIterationsThanGcrAlone) {
  const GcrResult alone = solve_unpreconditioned(bootstrapped_->system(0), field_->b, tolerance, 500);
  const GcrResult preconditioned = solve_multigrid(*bootstrapped_, field_->b, tolerance, 200);
  EXPECT_LT(relative_difference(field_->fine.apply(alone.x), field_->b), 2.0 * tolerance);
  EXPECT_LT(relative_difference(field_->fine.apply(preconditioned.x), field_->b), 2.0 * tolerance);
  EXPECT_LT(6 * preconditioned.iterations(), alone.iterations());
}

TEST_F(ReferenceMultigrid, ProfitsFromBootstraps) { EXPECT_LT(iterations(*bootstrapped_) + 3, iterations(*relaxed_)); }

TEST_F(ReferenceMultigrid, IsDeterminedByItsVectors) {
  MultigridParameters parameters = two_levels(0);
  parameters.seed = 99;
  const Multigrid again(field_->fine, parameters, bootstrapped_->vectors(0));
  EXPECT_EQ(again.cycle(field_->b), bootstrapped_->cycle(field_->b));
}

TEST_F(ReferenceMultigrid, ReducesEveryResidual) {
  const CoarseSchur& system = bootstrapped_->system(0);
  Spinor r = system.prepare(field_->b);
  for (int step = 0; step < 6; ++step) {
    const Spinor next = add(r, -1.0, system.apply(bootstrapped_->cycle(r)));
    EXPECT_LT(norm2(next), 0.5 * norm2(r));
    r = next;
  }
}

// c = D_c^-1 R (A_p r, 0) leaves nothing of the residual (A_p r, 0) - M P c of the full system that R would see. The
// cycle retains (P c)_p alone: then the other parity is eliminated, and R sees what changed there,
//   R_p A_p (r - S (P c)_p) = R M (0, A_q^-1 (M P c)_q),
// which vanishes only where P c satisfies the equation on that parity.
TEST_F(ReferenceMultigrid, CoarseCorrectionRemovesTheFullResidualFromTheRangeOfP) {
  const CoarseSchur& system = bootstrapped_->system(0);
  const CoarseSchur& coarse = bootstrapped_->system(1);
  const Prolongator& p = bootstrapped_->prolongator(0);
  const Spinor r = system.prepare(field_->b);
  const Spinor full_residual = system.apply_site_term(r);
  const Spinor b = p.restrict(full_residual);
  const Spinor correction = p.prolong(coarse.reconstruct(bootstrapped_->cycle(coarse.prepare(b), 1), b));
  const Spinor image = field_->fine.apply(correction);
  EXPECT_LT(relative_difference(p.restrict(image), b), rounding);

  const LinearMap solve = [&](const Spinor& s) { return bootstrapped_->cycle(s, 1); };
  const Spinor d = bootstrapped_->coarse_correction(0, r, solve);
  EXPECT_EQ(d, system.own(correction));
  // (0, A_q^-1 (M P c)_q) is `reconstruct` of x_p = 0 for the source M P c.
  const Spinor change = system.reconstruct(Spinor(r.size()), image);
  const Spinor left = p.restrict(system.apply_site_term(add(r, -1.0, system.apply(d))));
  EXPECT_LT(relative_difference(p.restrict(field_->fine.apply(change)), left), rounding);
  EXPECT_GT(norm2(left), 0.01 * norm2(b));
}

// M v = (A_p S v_p, 0) for vectors reconstructed with source 0, and v is in the range of P.
TEST_F(ReferenceMultigrid, CoarseCorrectionIsExactForNearNullVectors) {
  const CoarseSchur& system = relaxed_->system(0);
  const LinearMap solve = [&](const Spinor& s) { return relaxed_->cycle(s, 1); };
  for (const Spinor& v : relaxed_->vectors(0))
    EXPECT_LT(relative_difference(relaxed_->coarse_correction(0, system.apply(v), solve), system.own(v)), 1e-11);
}

TEST_F(ReferenceMultigrid, CostsIterationsWithAnotherResidualThanThatOfTheFullSystem) {
  const CoarseSchur& system = bootstrapped_->system(0);
  const Spinor zero(field_->fine.size());
  const int right = iterations_with([&](const Spinor& r) { return system.apply_site_term(r); });
  EXPECT_EQ(right, iterations(*bootstrapped_));
  const int without_site_term = iterations_with([&](const Spinor& r) { return r; });
  EXPECT_GT(2 * without_site_term, 3 * right);
  const int with_other_parity =
      iterations_with([&](const Spinor& r) { return field_->fine.apply_site_term(system.reconstruct(r, zero)); });
  EXPECT_GT(with_other_parity, right + 2);
}

TEST_F(ReferenceMultigrid, NeedsAsManyIterationsOnTheOtherParity) {
  MultigridParameters parameters = two_levels(2);
  parameters.parity = 1;
  EXPECT_NEAR(iterations(Multigrid(field_->fine, parameters)), iterations(*bootstrapped_), 2);
}

TEST_F(ReferenceMultigrid, NeedsAsManyIterationsWithThreeLevels) {
  MultigridParameters parameters = two_levels(2);
  parameters.levels.push_back({.block = {1, 1, 1, 2}, .vectors = 10, .bootstraps = 1});
  const Multigrid multigrid(field_->fine, parameters);
  EXPECT_EQ(multigrid.levels(), 3u);
  EXPECT_EQ(multigrid.system(2).op().components(), 20u);
  EXPECT_NEAR(iterations(multigrid), iterations(*bootstrapped_), 2);
}

// Without orthonormal vectors each bootstrap turns all of them towards the lowest modes.
TEST(ReferenceBootstrap, KeepsPivotsWhereVectorsAreOrthonormalisedFirst) {
  const NearCritical field({4, 4, 4, 4});
  MultigridParameters parameters = two_levels(4);
  const double with = Multigrid(field.fine, parameters).pivots().back();
  parameters.orthonormalize = false;
  const double without = Multigrid(field.fine, parameters).pivots().back();
  EXPECT_GT(with, 1e-2);
  EXPECT_LT(without, 1e-3);
}

// 3x2x1x4 coarse sites, a level of all sites in the middle; the last level is 1x2x1x2.
TEST(ReferenceMultigridOnOddExtents, ConvergesWithoutEvenOddOnTheMiddleLevel) {
  const NearCritical field({6, 4, 2, 8}, 0.02);
  MultigridParameters parameters = two_levels(2);
  parameters.levels.push_back({.block = {3, 1, 1, 2}, .vectors = 8, .bootstraps = 1});
  const Multigrid multigrid(field.fine, parameters);
  ASSERT_FALSE(is_bipartite(multigrid.system(1).op().extents()));
  const GcrResult alone = solve_unpreconditioned(multigrid.system(0), field.b, tolerance, 500);
  const GcrResult preconditioned = solve_multigrid(multigrid, field.b, tolerance, 200);
  EXPECT_LT(relative_difference(field.fine.apply(preconditioned.x), field.b), 2.0 * tolerance);
  EXPECT_LT(4 * preconditioned.iterations(), alone.iterations());
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::reference
