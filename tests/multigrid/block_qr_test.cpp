// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/multigrid/transfer_cases.hpp"
#include "tests/support/error_text.hpp"

#include <cmath>
#include <limits>

namespace kaon::test {
namespace KAON_TEST_FILE {

const TransferGeometry& even = transfer_geometries[0];
const TransferGeometry& odd_aggregates = transfer_geometries[4];
const TransferGeometry& one_parity = transfer_geometries[8];

/// |P^dag P c - c| / |c| of noise c.
double defect(const TransferCase& c) {
  const SpinorField<float> coarse = c.coarse_noise(1);
  SpinorField<float> psi = c.fine_field(1), found = c.coarse_field(1);
  c.transfer.prolong(psi, coarse);
  c.transfer.restrict(found, psi);
  return reference::relative_difference(found.to_host(), coarse.to_host());
}

/// |P R v - v| / |v| of vector j.
double loss(const TransferCase& c, int j) {
  SpinorField<float> coarse = c.coarse_field(1), found = c.fine_field(1);
  c.transfer.restrict(coarse, c.vectors.range(j, 1));
  c.transfer.prolong(found, coarse);
  return reference::relative_difference(found.to_host(), c.vectors.to_host(j));
}

/// V is orthonormal and spans the vectors.
void expect_basis(const TransferCase& c) {
  EXPECT_LE(defect(c), transfer_tolerance());
  for (int j = 0; j < c.geometry.vectors; ++j) EXPECT_LE(loss(c, j), transfer_tolerance()) << j;
}

/// Noise of which vector j is vector `from` and `amount` of the noise.
SpinorField<float> nearly_dependent(const TransferGeometry& geometry, int j, int from, double amount) {
  SpinorField<float> vectors = noise(geometry.fine(), geometry.fine_shape(geometry.vectors), 3);
  vectors.from_host(reference::add(vectors.to_host(from), amount, vectors.to_host(j)), j);
  return vectors;
}

// v_j = P b_j with b_j upper triangular with a positive diagonal, so that V is unique.
TEST(BlockQr, HasATriangularFactorWithAPositiveDiagonal) {
  for_each_transfer([](const TransferCase& c) {
    const auto n = static_cast<std::size_t>(c.geometry.vectors);
    SpinorField<float> coarse = c.coarse_field(c.geometry.vectors);
    c.transfer.restrict(coarse, c.vectors);
    for (std::size_t j = 0; j < n; ++j) {
      const Values b = coarse.to_host(static_cast<int>(j));
      const double allowed = transfer_tolerance() * std::sqrt(reference::norm2(b));
      for (std::size_t k = 0; k < b.size(); ++k) {
        if (k % n > j) {
          EXPECT_LE(std::abs(b[k]), allowed);
        }
        if (k % n == j) {
          EXPECT_LE(std::abs(b[k].imag()), allowed);
          EXPECT_GT(b[k].real(), 0.0);
        }
      }
    }
  });
}

TEST(BlockQr, StaysOrthonormalWhereVectorsNearlyDepend) {
  for (const TransferGeometry* geometry : {&even, &odd_aggregates, &one_parity}) {
    for (const double amount : {1e-3, 1e-4, 1e-5}) {
      SCOPED_TRACE(std::string(geometry->name) + ", amount " + std::to_string(amount));
      const TransferCase c(*geometry, nearly_dependent(*geometry, 2, 0, amount));
      expect_basis(c);
      EXPECT_EQ(c.transfer.replaced(), 0);
      const double pivot = c.transfer.smallest_pivot();
      const double rounding = std::numeric_limits<float>::epsilon() / amount;  // of the difference of two vectors
      EXPECT_NEAR(pivot / c.reference().smallest_pivot(), 1.0, 1e-7 + 10.0 * rounding);
      EXPECT_LT(pivot, 2.0 * amount);
    }
  }
}

TEST(BlockQr, ReplacesVectorsThatDependOnOthers) {
  for (const TransferGeometry* geometry : {&even, &odd_aggregates, &one_parity}) {
    SCOPED_TRACE(geometry->name);
    SpinorField<float> vectors = noise(geometry->fine(), geometry->fine_shape(geometry->vectors), 4);
    const Values first = vectors.to_host(0);
    for (int j = 1; j < geometry->vectors; ++j) vectors.from_host(reference::add(first, 0.25 * j, first), j);
    const TransferCase c(*geometry, std::move(vectors));
    const auto aggregates = static_cast<int>(c.aggregation.coarse().volume());
    EXPECT_EQ(c.transfer.replaced(), 2 * aggregates * (geometry->vectors - 1));
    EXPECT_LT(c.transfer.smallest_pivot(), detail::smallest_independent_pivot);
    expect_basis(c);
  }
}

TEST(BlockQr, ReplacesAVectorInTheOneAggregateWhereItVanishes) {
  SpinorField<float> vectors = noise(even.fine(), even.fine_shape(even.vectors), 5);
  const auto outside = [](const Coordinates& x) { return x[0] > 1 || x[1] > 1 || x[2] > 1 || x[3] > 1; };
  vectors.from_host(only(vectors.to_host(3), even.extents, outside), 3);
  const TransferCase c(even, std::move(vectors));
  EXPECT_EQ(c.transfer.replaced(), 2);
  EXPECT_EQ(c.transfer.smallest_pivot(), 0.0);
  expect_basis(c);
}

// The vectors after a dependent one are retained, and so is their number.
TEST(BlockQr, KeepsVectorsBehindADependentOne) {
  const TransferCase c(even, nearly_dependent(even, 1, 0, 0.0));
  EXPECT_EQ(c.transfer.replaced(), 2 * static_cast<int>(c.aggregation.coarse().volume()));
  expect_basis(c);
}

TEST(BlockQr, DoesNotMindTheSizeOfVectors) {
  SpinorField<float> vectors = noise(even.fine(), even.fine_shape(even.vectors), 6);
  for (int j = 0; j < even.vectors; ++j) {
    Values values = vectors.to_host(j);
    for (auto& value : values) value *= std::pow(10.0, 3 * j - 12);
    vectors.from_host(values, j);
  }
  const TransferCase c(even, std::move(vectors));
  EXPECT_EQ(c.transfer.replaced(), 0);
  expect_basis(c);
}

// Vectors span everything if they are as many as the rows.
TEST(BlockQr, TakesAsManyVectorsAsThereAreRows) {
  const TransferGeometry full{"full", {4, 4, 4, 4}, {}, {1, 1, 1, 1}, 3, 6};
  const TransferCase c(full);
  EXPECT_LE(defect(c), transfer_tolerance());
  const SpinorField<float> psi = c.fine_noise(1);
  SpinorField<float> coarse = c.coarse_field(1), found = c.fine_field(1);
  c.transfer.restrict(coarse, psi);
  c.transfer.prolong(found, coarse);
  expect_close(found.to_host(), psi.to_host(), "P R psi");
}

// Noise is that of the global site, not of the place in memory.
TEST(BlockQr, HasTheSameNoiseInAnyLanes) {
  const TransferGeometry& one_lane = transfer_geometries[1];
  const TransferCase native(even, nearly_dependent(even, 1, 0, 0.0));
  const TransferCase single(one_lane, nearly_dependent(one_lane, 1, 0, 0.0));
  SpinorField<float> found = native.fine_field(1), expected = single.fine_field(1);
  native.transfer.prolong(found, native.coarse_noise(1));
  single.transfer.prolong(expected, single.coarse_noise(1));
  expect_close(found.to_host(), expected.to_host(), "P c");
}

TEST(BlockQr, RefusesVectorsThatItCannotUse) {
  const Lattice fine = even.fine();
  const detail::Aggregation aggregation(fine, even.block);
  const auto make = [&](const SpinorField<float>& vectors) { detail::Transfer(aggregation, vectors); };
  SpinorField<float> vectors = noise(fine, even.fine_shape(4), 7);
  Values values = vectors.to_host(2);
  vectors.from_host(Values(values.size()), 2);
  KAON_EXPECT_ERROR(make(vectors), "near-null vector 2 is zero everywhere");
  values[12 * 5 + 7] = std::numeric_limits<double>::quiet_NaN();  // site 5 is (1, 1, 0, 0)
  vectors.from_host(values, 2);
  KAON_EXPECT_ERROR(make(vectors), "near-null vector 2 is not finite at site (1, 1, 0, 0)");
  KAON_EXPECT_ERROR(make(noise(fine, even.fine_shape(4, Subset::even), 7)), "near-null vectors on even sites");
  KAON_EXPECT_ERROR(make(noise(fine, even.fine_shape(97), 7)),
                    "97 near-null vectors for aggregates of 2x2x2x2 sites: these have 96 components of a chirality");
  KAON_EXPECT_ERROR(make(noise(fine, {.spins = 1, .right_hand_sides = 2}, 7)), "fields with 3 components a site");
  const Lattice other({.extents = {4, 4, 4, 8}});
  KAON_EXPECT_ERROR(make(noise(other, even.fine_shape(4), 7)), "the lattices differ");
  const detail::Aggregation large(Lattice({.extents = {4, 4, 4, 4}}), {4, 4, 4, 4});
  KAON_EXPECT_ERROR(detail::Transfer(large, noise(fine, even.fine_shape(257), 7)), "Give at most 256 vectors");
  KAON_EXPECT_ERROR(detail::Aggregation(fine, {3, 2, 2, 2}), "in direction x their extent may be 1, 2, 4");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
