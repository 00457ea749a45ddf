// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/reference/multigrid_cases.hpp"

// Properties of coarse operators: the formulas against plain products P^dag M P, and identities.
namespace kaon::reference {
namespace KAON_TEST_FILE {

// The block of a matrix between two sites of a lattice.
Matrix block_of(const Matrix& matrix, const CoarseOperator& op, const Coordinates& row, const Coordinates& column) {
  Matrix block(op.components(), op.components());
  for (std::size_t i = 0; i < op.components(); ++i)
    for (std::size_t j = 0; j < op.components(); ++j) block(i, j) = matrix(op.offset(row) + i, op.offset(column) + j);
  return block;
}

class ReferenceCoarseOperator : public ::testing::TestWithParam<Geometry> {};
INSTANTIATE_TEST_SUITE_P(OnAggregates, ReferenceCoarseOperator, all_geometries(), name_of);

TEST_P(ReferenceCoarseOperator, HoldsTheFineOperatorToo) {
  CoarseningCase field(GetParam());
  const Spinor psi = random_vector(field.fine.size(), field.generator);
  EXPECT_LT(relative_difference(field.fine.apply(psi), field.wilson.apply(psi)), rounding);
}

TEST_P(ReferenceCoarseOperator, IsTheProductOfRestrictorOperatorAndProlongator) {
  const CoarseningCase field(GetParam());
  const Matrix product = galerkin_matrix([&](const Spinor& psi) { return field.wilson.apply(psi); }, field.p);
  EXPECT_LT(max_difference(dense_matrix(coarsen(field.fine, field.p)), product), rounding);
}

TEST_P(ReferenceCoarseOperator, HasTheSameTermsByFormulasAndByColumns) {
  const CoarseningCase field(GetParam());
  EXPECT_LT(max_difference(coarsen(field.fine, field.p), coarsen_by_columns(field.fine, field.p)), rounding);
}

// X and Y read from the dense matrix. Extent 2: the block between two sites is the sum of two links. Extent 1: none.
TEST_P(ReferenceCoarseOperator, HasItsTermsAsBlocksOfTheProduct) {
  const CoarseningCase field(GetParam());
  const CoarseOperator coarse = coarsen(field.fine, field.p);
  const Matrix product = galerkin_matrix([&](const Spinor& psi) { return field.wilson.apply(psi); }, field.p);
  for_each_site(coarse.extents(), [&](const Coordinates& a) {
    EXPECT_LT(max_difference(coarse.site_term(a), block_of(product, coarse, a, a)), rounding);
    for (int mu = 0; mu < directions; ++mu) {
      const Coordinates ahead = neighbor(a, mu, 1, coarse.extents());
      const Matrix link = Complex(-1.0) * block_of(product, coarse, a, ahead);
      const Matrix& forward = coarse.hop(a, mu, +1);
      const Matrix& backward = coarse.hop(a, mu, -1);
      const Matrix none(coarse.components(), coarse.components());
      if (coarse.extents()[mu] == 1) {
        EXPECT_EQ(max_difference(forward, none), 0.0);
        EXPECT_EQ(max_difference(backward, none), 0.0);
      } else if (coarse.extents()[mu] == 2) {
        EXPECT_LT(max_difference(forward + backward, link), rounding);
        EXPECT_GT(max_difference(forward, backward), 0.01);
      } else {
        EXPECT_LT(max_difference(forward, link), rounding);
      }
    }
  });
}

TEST_P(ReferenceCoarseOperator, IsGamma5HermitianTermByTerm) {
  const CoarseningCase field(GetParam(), without_twist());
  const CoarseOperator coarse = coarsen_by_columns(field.fine, field.p);
  for_each_site(coarse.extents(), [&](const Coordinates& a) {
    EXPECT_LT(max_difference(gamma5_conjugate(dagger(coarse.site_term(a))), coarse.site_term(a)), rounding);
    for (int mu = 0; mu < directions; ++mu) {
      const Coordinates behind = neighbor(a, mu, -1, coarse.extents());
      EXPECT_LT(max_difference(coarse.hop(a, mu, -1), gamma5_conjugate(dagger(coarse.hop(behind, mu, +1)))), rounding);
    }
  });
}

// D_c(mu)^dag = G5 D_c(-mu) G5, which is gamma5-Hermiticity for mu = 0; the links satisfy it for any mu.
TEST_P(ReferenceCoarseOperator, ChangesTheTwistUnderGamma5Hermiticity) {
  const CoarseningCase up(GetParam());
  WilsonParameters parameters = all_terms();
  parameters.twisted_mass = -parameters.twisted_mass;
  const CoarseOperator down = site_matrices(WilsonOperator(up.links, up.fine.extents(), parameters));
  const CoarseOperator coarse_up = coarsen(up.fine, up.p);
  const CoarseOperator coarse_down = coarsen(down, up.p);
  const auto g5 = [&](const Spinor& c) { return multiply_gamma5(c, coarse_up.components()); };
  const Matrix conjugated =
      matrix_of([&](const Spinor& c) { return g5(coarse_down.apply(g5(c))); }, coarse_down.size());
  EXPECT_LT(max_difference(dagger(dense_matrix(coarse_up)), conjugated), rounding);
}

// M + dm: X + dm on every level. M + i dmu gamma_5: X + i dmu G5. No other term changes.
TEST_P(ReferenceCoarseOperator, ShiftsWithMassAndTwist) {
  const CoarseningCase field(GetParam());
  WilsonParameters parameters = all_terms();
  parameters.mass += 0.3;
  parameters.twisted_mass -= 0.7;
  const CoarseOperator shifted = site_matrices(WilsonOperator(field.links, field.fine.extents(), parameters));
  CoarseOperator expected = coarsen(field.fine, field.p);
  for_each_site(expected.extents(), [&](const Coordinates& a) {
    Matrix& x = expected.site_term(a);
    for (std::size_t i = 0; i < x.rows; ++i) x(i, i) += Complex(0.3, i < x.rows / 2 ? -0.7 : 0.7);
  });
  EXPECT_LT(max_difference(coarsen(shifted, field.p), expected), rounding);
}

TEST_P(ReferenceCoarseOperator, IsTheSameForTransformedLinksAndVectors) {
  CoarseningCase field(GetParam());
  const Coordinates& extents = field.fine.extents();
  const GaugeTransformation g = random_gauge_transformation(extents, field.generator);
  const CoarseOperator transformed =
      site_matrices(WilsonOperator(transform_links(field.links, g, extents), extents, all_terms()));
  for (Spinor& v : field.vectors) v = transform_spinor(v, g, extents);
  const Prolongator p(field.aggregates, site_components, field.vectors);
  EXPECT_LT(max_difference(coarsen(transformed, p), coarsen(field.fine, field.p)), rounding);
}

// Coarse of coarse, on coarse extents that are even, odd and 1.
class ReferenceCoarseOfCoarse : public ::testing::TestWithParam<Geometry> {};
INSTANTIATE_TEST_SUITE_P(OnAggregates, ReferenceCoarseOfCoarse,
                         ::testing::Values(Geometry{"EvenAgain", {8, 4, 2, 4}, {2, 1, 2, 1}},
                                           Geometry{"OddAgain", {6, 4, 2, 4}, {1, 2, 1, 2}},
                                           Geometry{"OneAggregate", {6, 2, 2, 4}, {3, 1, 1, 2}}),
                         name_of);

// The first aggregates are 2x2x1x2; the second are those of the parameter.
TEST_P(ReferenceCoarseOfCoarse, IsTheProductOfAllRestrictorsAndProlongators) {
  CoarseningCase field({"First", GetParam().extents, {2, 2, 1, 2}});
  const CoarseOperator middle = coarsen(field.fine, field.p);
  const Prolongator p2(Aggregates(middle.extents(), GetParam().block), middle.components(),
                       random_vectors(4, middle.size(), field.generator));
  const CoarseOperator coarse = coarsen(middle, p2);
  const Matrix product =
      galerkin_matrix([&](const Spinor& c) { return field.p.restrict(field.wilson.apply(field.p.prolong(c))); }, p2);
  EXPECT_LT(max_difference(dense_matrix(coarse), product), rounding);
  EXPECT_LT(max_difference(coarse, coarsen_by_columns(middle, p2)), rounding);
}

// U = 1 and the six constant vectors v_(i,c), 1 in spins i and i + 2 of colour c: coarse component 3 spin + colour is
// the constant field in that spin and colour over sqrt(|a|). With b the extents of an aggregate, L_c the coarse ones:
//   X = m + i mu g5 + sum_mu w_mu / b_mu,   Y_{+-mu} = (w_mu / (2 b_mu)) (1 -+ g_mu),
// times the boundary phase over the edge of the lattice. If L_c = 1, the links are in X:
//   X -= (w_mu / (2 b_mu)) [ (1 - g_mu) e^(i theta) + (1 + g_mu) e^(-i theta) ].
class ReferenceFreeCoarseOperator : public ::testing::Test {
 protected:
  static std::vector<Spinor> constant_vectors(const Coordinates& extents) {
    std::vector<Spinor> vectors(6, zero_spinor(extents));
    for (std::size_t k = 0; k < vectors[0].size(); ++k) vectors[k % site_components % 6][k] = 1.0;
    return vectors;
  }

  static Matrix with_colors(const SpinMatrix& spin) {
    Matrix matrix(site_components, site_components);
    for (std::size_t i = 0; i < site_components; ++i)
      for (std::size_t j = i % colors; j < site_components; j += colors) matrix(i, j) = spin[i / colors][j / colors];
    return matrix;
  }

  // The closed form for aggregates of extents `block`, on `extents` coarse sites.
  static CoarseOperator closed_form(const Coordinates& extents, const Coordinates& block,
                                    const WilsonParameters& parameters) {
    CoarseOperator op(extents, site_components);
    for_each_site(extents, [&](const Coordinates& a) {
      op.site_term(a) = with_colors(Complex(parameters.mass) * identity_spin_matrix() +
                                    Complex(0.0, parameters.twisted_mass) * gamma5());
      for (int mu = 0; mu < directions; ++mu) {
        const double weight = parameters.hop_weight(mu) / block[mu];
        op.site_term(a) = op.site_term(a) + Complex(weight) * identity_matrix(site_components);
        const Complex phase = parameters.boundary_phases[mu];
        const Matrix forward = with_colors(0.5 * weight * (a[mu] == extents[mu] - 1 ? phase : 1.0) *
                                           (identity_spin_matrix() + Complex(-1.0) * gamma(mu)));
        const Matrix backward =
            with_colors(0.5 * weight * (a[mu] == 0 ? std::conj(phase) : 1.0) * (identity_spin_matrix() + gamma(mu)));
        if (extents[mu] == 1) {
          op.site_term(a) = op.site_term(a) - forward - backward;
        } else {
          op.hop(a, mu, +1) = forward;
          op.hop(a, mu, -1) = backward;
        }
      }
    });
    return op;
  }
};

TEST_F(ReferenceFreeCoarseOperator, HasItsClosedFormOnTwoLevels) {
  const WilsonParameters parameters = all_terms();
  const Coordinates extents{8, 4, 6, 4};
  const CoarseOperator fine = site_matrices(WilsonOperator(unit_links(extents), extents, parameters));

  const Prolongator p(Aggregates(extents, {2, 4, 2, 1}), site_components, constant_vectors(extents));
  const CoarseOperator coarse = coarsen(fine, p);
  const Coordinates coarse_extents{4, 1, 3, 4};
  ASSERT_EQ(coarse.extents(), coarse_extents);
  EXPECT_LT(max_difference(coarse, closed_form(coarse_extents, {2, 4, 2, 1}, parameters)), rounding);

  const Prolongator p2(Aggregates(coarse_extents, {2, 1, 3, 2}), site_components, constant_vectors(coarse_extents));
  const CoarseOperator coarsest = coarsen(coarse, p2);
  const Coordinates coarsest_extents{2, 1, 1, 2};
  ASSERT_EQ(coarsest.extents(), coarsest_extents);
  EXPECT_LT(max_difference(coarsest, closed_form(coarsest_extents, {4, 4, 6, 2}, parameters)), rounding);
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::reference
