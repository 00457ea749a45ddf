// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/reference/multigrid_cases.hpp"
#include "tests/reference/schur.hpp"

// Properties of even-odd systems of coarse levels.
namespace kaon::reference {
namespace KAON_TEST_FILE {

struct SchurCase {
  const char* name;
  Geometry geometry;
  int parity;
};

class ReferenceCoarseSchur : public ::testing::TestWithParam<SchurCase>, protected CoarseningCase {
 protected:
  ReferenceCoarseSchur()
      : CoarseningCase(GetParam().geometry), coarse(coarsen(fine, p)), system(coarse, GetParam().parity) {}

  CoarseOperator coarse;
  CoarseSchur system;
};
INSTANTIATE_TEST_SUITE_P(On, ReferenceCoarseSchur,
                         ::testing::Values(SchurCase{"EvenSites", even_geometry, 0},
                                           SchurCase{"OddSites", even_geometry, 1},
                                           SchurCase{"AllSitesOfOddExtents", odd_geometry, 0},
                                           SchurCase{"OneSite", one_aggregate, 0}),
                         [](const auto& info) { return info.param.name; });

TEST_P(ReferenceCoarseSchur, SolveIsTheFullSolve) {
  const Spinor x = random_vector(coarse.size(), generator);
  const Spinor b = coarse.apply(x);
  const Matrix inverse_schur = inverse(system.dense_matrix());
  const std::vector<Complex> source = system.own_components(system.prepare(b));
  std::vector<Complex> solution(source.size());
  add_product(inverse_schur, source.data(), solution.data());
  EXPECT_LT(relative_difference(system.reconstruct(system.field_of(solution), b), x), rounding);
}

// S against the blocks of the dense D_c: X_p S = D_pp - D_pq D_qq^-1 D_qp.
TEST_P(ReferenceCoarseSchur, IsTheSchurComplementOfTheFullOperator) {
  const Spinor x = system.own(random_vector(coarse.size(), generator));
  const Spinor eliminated = system.reconstruct(x, Spinor(coarse.size()));
  const Spinor full = coarse.apply(eliminated);
  EXPECT_LT(relative_difference(system.apply_site_term(system.apply(x)), full), rounding);
}

// If the other parity is eliminated, the residual of D_c x = b is (X_p r_p, 0) with r_p = s - S x_p.
TEST_P(ReferenceCoarseSchur, ResidualTimesTheSiteTermIsTheFullResidual) {
  const Spinor b = random_vector(coarse.size(), generator);
  const Spinor x = random_vector(coarse.size(), generator);
  const Spinor r = add(system.prepare(b), -1.0, system.apply(x));
  const Spinor full = add(b, -1.0, coarse.apply(system.reconstruct(x, b)));
  EXPECT_LT(relative_difference(system.apply_site_term(r), full), rounding);
}

TEST_P(ReferenceCoarseSchur, HasLinksTimesTheInverseSiteTerm) {
  for_each_site(coarse.extents(), [&](const Coordinates& a) {
    for (int mu = 0; mu < directions; ++mu)
      for (const int step : {+1, -1})
        EXPECT_LT(
            max_difference(coarse.site_term(a) * system.preconditioned().hop(a, mu, step), coarse.hop(a, mu, step)),
            rounding);
  });
}

TEST(ReferenceBipartite, LatticesHaveEvenExtentsOrExtentOne) {
  EXPECT_TRUE(is_bipartite({4, 1, 2, 1}));
  EXPECT_TRUE(is_bipartite({1, 1, 1, 1}));
  EXPECT_FALSE(is_bipartite({4, 3, 2, 1}));
}

TEST(ReferenceCoarseSchurOfOddExtents, IsTheWholeOperator) {
  CoarseningCase field(odd_geometry);
  const CoarseOperator coarse = coarsen(field.fine, field.p);
  ASSERT_FALSE(is_bipartite(coarse.extents()));
  const CoarseSchur system(coarse);
  const Spinor x = random_vector(coarse.size(), field.generator);
  EXPECT_LT(relative_difference(system.apply_site_term(system.apply(x)), coarse.apply(x)), rounding);
}

class ReferenceFineSchur : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(OnParity, ReferenceFineSchur, ::testing::Values(0, 1));

TEST_P(ReferenceFineSchur, IsThatOfTheWilsonOperator) {
  CoarseningCase field(even_geometry);
  const int parity = GetParam();
  const CoarseSchur system(field.fine, parity);
  const Spinor x = random_vector(field.fine.size(), field.generator);
  EXPECT_LT(relative_difference(system.apply(x), schur_symmetric(field.wilson, x, parity)), rounding);
  EXPECT_LT(relative_difference(system.prepare(x), schur_symmetric_source(field.wilson, x, parity)), rounding);
  const Spinor b = random_vector(field.fine.size(), field.generator);
  EXPECT_LT(relative_difference(system.reconstruct(x, b), schur_reconstruct(field.wilson, x, b, parity)), rounding);
}

TEST(ReferenceCoarseSchurRefuses, SingularSiteTerms) {
  const Coordinates extents{2, 2, 2, 2};
  const WilsonOperator massless_diagonal(unit_links(extents), extents, {.mass = -4.0});
  EXPECT_THROW(CoarseSchur(site_matrices(massless_diagonal)), std::invalid_argument);
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::reference
