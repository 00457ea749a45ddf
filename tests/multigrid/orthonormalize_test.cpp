// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/transfer/orthonormalize.hpp"
#include "tests/multigrid/transfer_cases.hpp"
#include "tests/support/error_text.hpp"

#include <cmath>
#include <complex>

namespace kaon::test {
namespace KAON_TEST_FILE {

std::complex<double> product(const Values& a, const Values& b) {
  std::complex<double> sum = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += std::conj(a[k]) * b[k];
  return sum;
}

void expect_orthonormal(const std::vector<Values>& q) {
  for (std::size_t i = 0; i < q.size(); ++i) {
    for (std::size_t j = 0; j < q.size(); ++j) {
      EXPECT_LE(std::abs(product(q[i], q[j]) - (i == j ? 1.0 : 0.0)), transfer_tolerance()) << i << " " << j;
    }
  }
}

/// The fields that `orthonormalize` makes of these.
std::vector<Values> orthonormal(SpinorField<float>& b) {
  detail::orthonormalize(b);
  return host_values(b);
}

// B = Q R with R upper triangular with a positive diagonal, so that Q is unique.
TEST(Orthonormalize, MakesATriangularFactorWithAPositiveDiagonal) {
  for_each_transfer([](const TransferCase& c) {
    for (const int vectors : {1, 5, 24}) {
      SpinorField<float> b = c.coarse_noise(vectors);
      const std::vector<Values> before = host_values(b), q = orthonormal(b);
      expect_orthonormal(q);
      for (std::size_t j = 0; j < q.size(); ++j) {
        const double length = std::sqrt(reference::norm2(before[j]));
        Values left = before[j];
        for (std::size_t i = 0; i < q.size(); ++i) {
          const std::complex<double> r = product(q[i], before[j]);
          if (i > j) {
            EXPECT_LE(std::abs(r), transfer_tolerance() * length);
          } else {
            left = reference::add(left, -r, q[i]);
          }
          if (i == j) {
            EXPECT_GT(r.real(), 0.0);
            EXPECT_LE(std::abs(r.imag()), transfer_tolerance() * length);
          }
        }
        EXPECT_LE(std::sqrt(reference::norm2(left)), transfer_tolerance() * length);
      }
    }
  });
}

// Pivots that one pass does not know well enough, among fields of any length.
TEST(Orthonormalize, TakesFieldsThatNearlyDepend) {
  const TransferCase c(transfer_geometries[0]);
  for (const double amount : {1e-2, 1e-4, 1e-5, 1e-6}) {
    SCOPED_TRACE(amount);
    SpinorField<float> b = c.coarse_noise(6);
    for (const int j : {1, 4}) b.from_host(reference::add(b.to_host(0), amount, b.to_host(j)), j);
    b.from_host(reference::add(Values(b.to_host(5).size()), 1e-9, b.to_host(5)), 5);
    expect_orthonormal(orthonormal(b));
  }
}

TEST(Orthonormalize, LeavesZeros) {
  const TransferCase c(transfer_geometries[0]);
  SpinorField<float> b = c.coarse_noise(4);
  b.from_host(Values(b.to_host(2).size()), 2);
  std::vector<Values> q = orthonormal(b);
  EXPECT_EQ(reference::norm2(q[2]), 0.0);
  q.erase(q.begin() + 2);
  expect_orthonormal(q);
}

TEST(Orthonormalize, GivesTheSameDigitsAlways) {
  const TransferCase c(transfer_geometries[5]);
  SpinorField<float> first = c.coarse_noise(24), second = c.coarse_noise(24);
  EXPECT_EQ(orthonormal(first), orthonormal(second));
}

TEST(OrthonormalizeFields, OnCoarseLatticesAlone) {
  const TransferCase c(transfer_geometries[0]);
  SpinorField<float> fine = c.fine_noise(2), coarse = c.coarse_noise(2);
  SpinorField<float> even = coarse.parity(Parity::even);
  KAON_EXPECT_ERROR(detail::orthonormalize(fine), "on all sites of a coarse lattice");
  KAON_EXPECT_ERROR(detail::orthonormalize(even), "on all sites of a coarse lattice");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
