// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
//
// Transfers with V in 16 bits.
#include "tests/multigrid/transfer_cases.hpp"

#include <kaon/core/blas.hpp>

#include <cmath>

namespace kaon::test {
namespace KAON_TEST_FILE {

using detail::Transfer;

/// Numbers that 16 bits with a scale for each row represent.
constexpr double rounding = 1e-4;

struct RoundedCase : TransferCase {
  explicit RoundedCase(const TransferGeometry& g)
      : TransferCase(g), rounded(aggregation, vectors, MultigridPrecision::half) {}
  Transfer rounded;
};

template <class Body>
void for_each_rounded(const Body& body) {
  for (const TransferGeometry& geometry : transfer_geometries) {
    SCOPED_TRACE(geometry.name);
    body(RoundedCase(geometry));
  }
}

TEST(RoundedTransfer, IsTheTransferWithinItsRounding) {
  for_each_rounded([](const RoundedCase& c) {
    for (const Subset subset : c.subsets()) {
      const SpinorField<float> psi = c.fine_noise(2, subset), coarse = c.coarse_noise(2);
      SpinorField<float> restricted = c.coarse_field(2), expected_restricted = c.coarse_field(2);
      SpinorField<float> prolonged = c.fine_field(2, subset), expected_prolonged = c.fine_field(2, subset);
      c.rounded.restrict(restricted, psi);
      c.transfer.restrict(expected_restricted, psi);
      c.rounded.prolong(prolonged, coarse);
      c.transfer.prolong(expected_prolonged, coarse);
      for (const int k : {0, 1}) {
        const double r = reference::relative_difference(restricted.to_host(k), expected_restricted.to_host(k));
        const double p = reference::relative_difference(prolonged.to_host(k), expected_prolonged.to_host(k));
        EXPECT_LE(r, rounding);
        EXPECT_LE(p, rounding);
        EXPECT_GT(r + p, 0.0) << "nothing is rounded";
      }
    }
  });
}

TEST(RoundedTransfer, RestrictsByTheAdjointOfItsProlongator) {
  for_each_rounded([](const RoundedCase& c) {
    const SpinorField<float> psi = c.fine_noise(1), coarse = c.coarse_noise(1);
    SpinorField<float> restricted = c.coarse_field(1), prolonged = c.fine_field(1);
    c.rounded.restrict(restricted, psi);
    c.rounded.prolong(prolonged, coarse);
    const auto on_coarse = blas::inner_product(coarse, restricted)[0], on_fine = blas::inner_product(prolonged, psi)[0];
    const double size = std::sqrt(blas::norm2(psi)[0] * blas::norm2(coarse)[0]);
    EXPECT_LE(std::abs(on_coarse - on_fine), transfer_tolerance() * size);
  });
}

TEST(RoundedTransfer, RestrictsAlongADirectionInTwoParts) {
  for_each_rounded([](const RoundedCase& c) {
    const SpinorField<float> psi = c.fine_noise(1);
    SpinorField<float> whole = c.coarse_field(1), inside = c.coarse_field(1), across = c.coarse_field(1);
    c.rounded.restrict(whole, psi);
    for (int mu = 0; mu < directions; ++mu) {
      c.rounded.restrict_along(inside, across, psi, mu);
      blas::add(inside, across);
      EXPECT_LE(reference::relative_difference(inside.to_host(0), whole.to_host(0)), transfer_tolerance());
    }
  });
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
