// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/reference/multigrid_cases.hpp"

// Properties of prolongator and restrictor.
namespace kaon::reference {
namespace KAON_TEST_FILE {

class ReferenceProlongator : public ::testing::TestWithParam<Geometry>, protected CoarseningCase {
 protected:
  ReferenceProlongator() : CoarseningCase(GetParam()) {}

  std::size_t coarse_size() const {
    return p.coarse_components() * static_cast<std::size_t>(volume_of(aggregates.coarse_extents()));
  }
};
INSTANTIATE_TEST_SUITE_P(OnAggregates, ReferenceProlongator, all_geometries(), name_of);

TEST_P(ReferenceProlongator, HasOrthonormalColumns) {
  const Spinor c = random_vector(coarse_size(), generator);
  EXPECT_LT(relative_difference(p.restrict(p.prolong(c)), c), rounding);
}

TEST_P(ReferenceProlongator, HasTheRestrictorAsAdjoint) {
  const Spinor c = random_vector(coarse_size(), generator);
  const Spinor psi = random_vector(fine.size(), generator);
  EXPECT_LT(std::abs(dot(psi, p.prolong(c)) - dot(p.restrict(psi), c)), rounding * std::sqrt(norm2(psi) * norm2(c)));
}

TEST_P(ReferenceProlongator, KeepsChirality) {
  const Spinor c = random_vector(coarse_size(), generator);
  EXPECT_EQ(multiply_gamma5(p.prolong(c), site_components), p.prolong(multiply_gamma5(c, p.coarse_components())));
}

// The order of components: spins 0 and 1 on the fine, N s + j on the coarse lattice.
TEST_P(ReferenceProlongator, TakesComponentsOfOneAggregateAndChirality) {
  const std::size_t n = p.basis().size();
  Spinor c(coarse_size());
  c[n + 1] = 1.0;  // aggregate 0, s = 1, j = 1
  const Spinor psi = p.prolong(c);
  for_each_site(aggregates.extents(), [&](const Coordinates& x) {
    const bool inside = aggregates.aggregate_of(x) == Coordinates{0, 0, 0, 0};
    for (std::size_t sigma = 0; sigma < site_components; ++sigma) {
      const std::size_t k = spinor_offset(x, aggregates.extents()) + sigma;
      EXPECT_EQ(psi[k], inside && sigma >= 6 ? p.basis()[1][k] : 0.0);
    }
  });
}

TEST_P(ReferenceProlongator, TimesTheRestrictorIsAProjectorThatKeepsTheVectors) {
  const auto project = [&](const Spinor& psi) { return p.prolong(p.restrict(psi)); };
  for (const Spinor& v : vectors) EXPECT_LT(relative_difference(project(v), v), rounding);
  const Spinor noise = random_vector(fine.size(), generator);
  const Spinor projected = project(noise);
  EXPECT_LT(relative_difference(project(projected), projected), rounding);
  EXPECT_GT(relative_difference(projected, noise), 0.1);
}

// v_j = P b_j with b_j = R v_j: column j of an upper triangular matrix with a positive diagonal, so that V is unique.
TEST_P(ReferenceProlongator, HasTriangularCoordinatesOfItsVectors) {
  const std::size_t n = vectors.size();
  for (std::size_t j = 0; j < n; ++j) {
    const Spinor b = p.restrict(vectors[j]);
    for (std::size_t k = 0; k < b.size(); ++k) {
      if (k % n > j) {
        EXPECT_LT(std::abs(b[k]), rounding);
      } else if (k % n == j) {
        EXPECT_LT(std::abs(b[k].imag()), rounding);
        EXPECT_GT(b[k].real(), 0.0);
      }
    }
  }
}

TEST(ReferenceProlongatorPivot, IsSmallWhereVectorsNearlyDepend) {
  CoarseningCase field(even_geometry);
  field.vectors.push_back(add(field.vectors[0], 1e-6, random_vector(field.fine.size(), field.generator)));
  const Prolongator p(field.aggregates, site_components, field.vectors);
  EXPECT_LT(p.smallest_pivot(), 1e-5);
  EXPECT_GT(p.smallest_pivot(), 1e-7);
  const Spinor c = random_vector(field.fine.size() / 12, field.generator);  // 8 components on an eighth of the sites
  EXPECT_LT(relative_difference(p.restrict(p.prolong(c)), c), rounding);
}

TEST(ReferenceProlongatorRefuses, DependentVectorsAndBlocksThatDoNotDivide) {
  CoarseningCase field(even_geometry);
  field.vectors.push_back(field.vectors[0]);
  EXPECT_THROW(Prolongator(field.aggregates, site_components, field.vectors), std::invalid_argument);
  EXPECT_THROW(Aggregates({4, 4, 4, 8}, {2, 3, 2, 2}), std::invalid_argument);
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::reference
